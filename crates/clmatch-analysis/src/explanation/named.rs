//! Turns the numbers of classes, features and rows into their names.

use clmatch::Classes;
use clmatch::diagnose::{
    Change, ClassParts, Diagnosis, Explanation, FeatureShare, MISLABELLED, OUTLIER, OUTVOTED, Pair, Suspects,
};
use clmatch_data::{Dataset, ShownColumn};

use super::{
    ExplainSettings, ExplainedAction, ExplainedClass, ExplainedCluster, ExplainedDataset, ExplainedFeature,
    ExplainedPair, ExplainedPoint, LabelChange, MislabelledPoint, OutlierPoint, SCHEMA, ShownCells, summary,
};
use crate::evidence::Rescaled;
use crate::remark::Remark;
use crate::resume::VERSION;

/// The dataset and classes that give names to numbers.
pub(super) struct Named<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) classes: &'a Classes<'a>,
}

impl Named<'_> {
    /// The whole result.
    pub(super) fn explained(
        &self,
        found: &Explanation,
        better_scaled: Option<Rescaled>,
        settings: &ExplainSettings,
        remarks: &[Remark],
    ) -> ExplainedDataset {
        let Diagnosis { pairs, classes, features, actions, .. } = &found.diagnosis;
        let mut pairs: Vec<ExplainedPair> = pairs.iter().map(|pair| self.pair(pair)).collect();
        // The worst verdict comes first, and within each verdict the lowest score.
        pairs.sort_by(|a, b| a.verdict.cmp(&b.verdict).then(a.clm.total_cmp(&b.clm)));
        let split = found.diagnosis.split_scores.iter();
        let class_clusters = classes.iter().zip(split).enumerate();
        let mut feature_shares: Vec<ExplainedFeature> =
            features.iter().map(|share| self.feature(share)).collect();
        feature_shares.sort_by(|a, b| b.share_between.total_cmp(&a.share_between));
        let mut explained = ExplainedDataset {
            schema: SCHEMA.to_owned(),
            version: VERSION.to_owned(),
            dataset: self.dataset.name.clone(),
            label: self.dataset.label_origin().cloned(),
            points: self.classes.n_points(),
            features: self.dataset.n_features(),
            features_used: self.dataset.features().to_vec(),
            classes: self.classes.n_classes(),
            scale: settings.scale,
            seed: settings.seed,
            clm: found.diagnosis.score,
            summary: Vec::new(),
            pairs,
            class_clusters: class_clusters
                .map(|(class, (parts, &score))| self.class(class, parts, score))
                .collect(),
            mislabelled: self.mislabelled(&found.suspects),
            outvoted: self.outvoted(&found.suspects),
            outliers: self.outliers(&found.suspects),
            feature_shares,
            actions: actions
                .iter()
                .map(|action| ExplainedAction {
                    change: self.change(&action.change),
                    clm: action.score,
                    gain: action.gain,
                    held_out: action.held_out,
                })
                .collect(),
            better_scaled,
            notes: remarks.iter().map(ToString::to_string).collect(),
        };
        explained.summary = summary::sentences(&explained);
        explained
    }

    fn name(&self, class: usize) -> String {
        self.classes.names()[class].clone()
    }

    fn pair(&self, pair: &Pair) -> ExplainedPair {
        let features = |shares: &[FeatureShare]| shares.iter().map(|share| self.feature(share)).collect();
        ExplainedPair {
            a: self.name(pair.classes.0),
            b: self.name(pair.classes.1),
            verdict: pair.verdict,
            clm: pair.score,
            terms: pair.terms,
            a_closer_to_b: pair.closer_to_other[0],
            b_closer_to_a: pair.closer_to_other[1],
            fails: pair.fails.clone(),
            clm_if_merged: pair.merged_score,
            separated_by: features(&pair.features.carriers),
            scatter_only: features(&pair.features.scatter),
        }
    }

    fn feature(&self, share: &FeatureShare) -> ExplainedFeature {
        ExplainedFeature {
            feature: self.dataset.features()[share.feature].clone(),
            eta: share.eta,
            share_between: share.share_between,
            share_within: share.share_within,
            scatter_only: share.scatter_only(self.dataset.n_features()),
        }
    }

    fn class(&self, class: usize, parts: &ClassParts, score: Option<f64>) -> ExplainedClass {
        let clusters = parts.parts.iter().map(|part| ExplainedCluster {
            points: part.size,
            typical_row: self.dataset.row_number(part.typical),
        });
        ExplainedClass {
            class: self.name(class),
            points: self.classes.size(class),
            clusters: clusters.collect(),
            clm_if_split: score,
        }
    }

    /// The rows of all classes with the class of each, in the order of the input.
    fn rows(&self) -> Vec<(usize, usize)> {
        let of = |class: usize| {
            self.classes.order()[self.classes.range(class)].iter().map(move |&row| (row, class))
        };
        let mut rows: Vec<(usize, usize)> = (0..self.classes.n_classes()).flat_map(of).collect();
        rows.sort_unstable();
        rows
    }

    fn mislabelled(&self, suspects: &Suspects) -> Vec<MislabelledPoint> {
        // A point far from every class does not look like any of them.
        let is_wrong =
            |row: usize| suspects.mislabelled[row] > MISLABELLED && suspects.outlier[row] <= OUTLIER;
        let wrong = self.rows().into_iter().filter(|&(row, _)| is_wrong(row));
        let mut points: Vec<MislabelledPoint> = wrong
            .map(|(row, class)| MislabelledPoint {
                row: self.dataset.row_number(row),
                label: self.name(class),
                suggested: self.name(suspects.suggested[row]),
                probability: suspects.mislabelled[row],
                shown: ShownCells::of(self.dataset, row),
            })
            .collect();
        points.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        points
    }

    fn outvoted(&self, suspects: &Suspects) -> usize {
        let doubtful = |&(row, _): &(usize, usize)| {
            let said = suspects.mislabelled[row] > MISLABELLED || suspects.outlier[row] > OUTLIER;
            suspects.outvoted[row] > OUTVOTED && !said
        };
        self.rows().iter().filter(|row| doubtful(row)).count()
    }

    fn outliers(&self, suspects: &Suspects) -> Vec<OutlierPoint> {
        let far = self.rows().into_iter().filter(|&(row, _)| suspects.outlier[row] > OUTLIER);
        let mut points: Vec<OutlierPoint> = far
            .map(|(row, class)| OutlierPoint {
                row: self.dataset.row_number(row),
                label: self.name(class),
                distance: suspects.outlier[row],
                shown: ShownCells::of(self.dataset, row),
            })
            .collect();
        points.sort_by(|a, b| b.distance.total_cmp(&a.distance));
        points
    }

    fn change(&self, change: &Change) -> LabelChange {
        match change {
            Change::Merge(a, b) => LabelChange::Merge([self.name(*a), self.name(*b)]),
            Change::Split(class) => LabelChange::Split(self.name(*class)),
            Change::Drop(rows) => {
                LabelChange::DropRows(rows.iter().map(|&row| self.dataset.row_number(row)).collect())
            }
        }
    }

    /// The shown columns of the file, with a cell for each point of [`Named::points`].
    pub(super) fn shown(&self) -> Vec<ShownColumn> {
        let rows = self.rows();
        let column = |column: &ShownColumn| ShownColumn {
            name: column.name.clone(),
            cells: rows.iter().map(|&(row, _)| column.cells[row].clone()).collect(),
        };
        self.dataset.shown().iter().map(column).collect()
    }

    pub(super) fn points(&self, found: &Explanation) -> Vec<ExplainedPoint> {
        let suspects = &found.suspects;
        let mut part = vec![0; self.classes.points().n_points()];
        for (class, parts) in found.diagnosis.classes.iter().enumerate() {
            let rows = &self.classes.order()[self.classes.range(class)];
            rows.iter().zip(&parts.part_of).for_each(|(&row, at)| part[row] = at + 1);
        }
        let point = |(row, class): (usize, usize)| ExplainedPoint {
            row: self.dataset.row_number(row),
            label: self.name(class),
            suggested: self.name(suspects.suggested[row]),
            probability: suspects.mislabelled[row],
            outlier: suspects.outlier[row],
            outvoted: suspects.outvoted[row],
            part: part[row],
        };
        self.rows().into_iter().map(point).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::{Control, Labels, diagnose};

    #[test]
    fn suspicious_rows_lie_above_a_bound_and_not_on_it() {
        let labels = Labels::encode(["a", "b", "a", "b", "a", "b"]);
        let values = vec![0.0, 9.0, 1.0, 8.0, 2.0, 7.0];
        let dataset = Dataset::new("any", vec!["x".into()], values, labels).unwrap();
        let classes = Classes::new(dataset.points(), dataset.labels()).unwrap();
        let mut suspects = diagnose::suspects(&classes, Control::none()).unwrap();
        suspects.mislabelled = vec![MISLABELLED, 0.6, 0.9, 0.51, 0.0, 0.7];
        suspects.outlier = vec![0.0, OUTLIER, 3.5, 0.0, 4.0, 0.0];
        suspects.suggested = vec![1, 0, 1, 0, 1, 0];
        suspects.outvoted = vec![0.6, 0.9, 0.9, OUTVOTED, 0.9, 0.9];
        let named = Named { dataset: &dataset, classes: &classes };
        // The third row is the most probably wrong one, but it is an outlier.
        let wrong = |row: usize, probability: f64| MislabelledPoint {
            row,
            label: "b".into(),
            suggested: "a".into(),
            probability,
            shown: ShownCells::default(),
        };
        assert_eq!(named.mislabelled(&suspects), [wrong(6, 0.7), wrong(2, 0.6), wrong(4, 0.51)]);
        let far = |row: usize, distance: f64| OutlierPoint {
            row,
            label: "a".into(),
            distance,
            shown: ShownCells::default(),
        };
        assert_eq!(named.outliers(&suspects), [far(5, 4.0), far(3, 3.5)]);
        // Of the four outvoted rows that are not outliers, only the first one is not called mislabelled.
        assert_eq!(named.outvoted(&suspects), 1);
    }
}
