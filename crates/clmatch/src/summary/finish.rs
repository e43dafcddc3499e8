//! From statistics to scores: which are exact, which need a second pass, and which are estimated from a sample.

use std::collections::HashSet;
use std::sync::Arc;

use clmatch_kernels::Control;

use super::error::{SummaryError, mismatch};
use super::estimate::{EstimatedScores, estimate};
use super::result::{Certainty, ClassSize, Reason, Summarised, SummaryScore};
use super::sample::SampledRow;
use super::second_pass::{MOST_CLASSES, SecondPass, SecondPassStart};
use super::{Form, LengthUnit, Summary};
use crate::classes::{Classes, Singletons};
use crate::diagnose::SAMPLE;
use crate::error::DataError;
use crate::evaluate::{Evaluation, evaluate_with, score_of_measure};
use crate::kernels::stream::{Centres, ClassSums, MomentRequest, Sets};
use crate::labels::{Labels, sort_naturally};
use crate::measure::{Measure, Scope};
use crate::memory;
use crate::needs::{Needs, Plan};
use crate::points::Points;
use crate::statistics::{BaseStatistics, Statistics};

/// The classes that are scored, in natural order.
pub(super) struct KeptClasses<'a> {
    pub(super) names: Vec<String>,
    pub(super) sums: Vec<&'a ClassSums>,
    /// The rows that were kept of each class, in the order of their keys.
    pub(super) rows: Vec<Vec<&'a SampledRow>>,
    /// Names of classes of one point that are left out.
    singletons: Vec<String>,
    pub(super) features: usize,
    pub(super) exponent: i32,
    /// The length that counts as 1.
    pub(super) unit: f64,
}

impl KeptClasses<'_> {
    pub(super) fn sizes(&self) -> Vec<u64> {
        self.sums.iter().map(|class| class.points).collect()
    }

    pub(super) fn points(&self) -> u64 {
        self.sums.iter().map(|class| class.points).sum()
    }

    /// How many rows of a class are kept, each as often as it was seen.
    pub(super) fn sampled(&self, class: usize) -> u64 {
        self.rows[class].iter().map(|row| row.count).fold(0, u64::saturating_add)
    }

    /// Whether every row of a class was kept.
    pub(super) fn is_complete(&self, class: usize) -> bool {
        self.sampled(class) == self.sums[class].points
    }

    /// Makes a dataset of some of the kept rows; `copies` says how often each row is taken.
    pub(super) fn dataset(
        &self,
        copies: impl Fn(usize, usize) -> usize,
    ) -> Result<Classes<'static>, DataError> {
        let (mut values, mut codes) = (Vec::new(), Vec::new());
        for (class, rows) in self.rows.iter().enumerate() {
            for (at, row) in rows.iter().enumerate() {
                for _ in 0..copies(class, at) {
                    values.extend_from_slice(&row.values);
                    codes.push(class as u32);
                }
            }
        }
        let points = Points::new(values, self.features)?.with_unit(self.unit)?;
        Classes::new(points, &Labels::from_codes(codes, &self.names))
    }

    pub(super) fn centres(&self) -> Centres {
        Centres::new(&self.sums, 2.0_f64.powi(self.exponent))
    }

    /// The statistics that follow from centroids alone, of all points.
    pub(super) fn base(&self, plan: Plan, sets: Sets) -> BaseStatistics {
        BaseStatistics::of_sums(plan, &self.sizes(), sets.moments, self.unit)
    }
}

/// What is known about sets of classes without the sample.
pub(super) struct KnownMoments {
    pub(super) sets: Sets,
    /// Whether `T` and `s2` of every pair are known.
    pub(super) spread: bool,
    /// Whether `eta` of every pair is known.
    pub(super) eta: bool,
    /// Whether the statistics that take roots are known.
    pub(super) roots: bool,
}

impl KnownMoments {
    /// Whether everything that a measure reads is known.
    fn tell(&self, measure: &Measure) -> bool {
        !measure.needs().compares_points() && self.tell_moments(measure)
    }

    /// Whether everything that a measure reads of centroids, and of distances to them, is known.
    fn tell_moments(&self, measure: &Measure) -> bool {
        let needs = measure.needs();
        (self.spread || !reads_spread(measure))
            && (self.eta || !needs.has(Needs::ETA))
            && (self.roots || !needs.has(Needs::ROOTS))
    }
}

/// Whether a measure reads `s2`: measures on pairs of classes do, all others read only centroids and means.
pub(super) fn reads_spread(measure: &Measure) -> bool {
    measure.scope() == Scope::Pairs
}

impl Summary {
    /// Whether a second pass over the data would make a score exact that is otherwise estimated.
    pub fn needs_second_pass(&self) -> bool {
        let mut sample = self.sample.clone();
        sample.thin_out();
        let Ok(kept) = self.kept(&sample) else { return false };
        if self.keeps_every_row(&kept) || !self.second_pass_fits(&kept) {
            return false;
        }
        let moments = self.moments(&kept, None);
        let could_be_exact = |measure: &&&'static Measure| !measure.needs().compares_points();
        self.settings.measures.iter().filter(could_be_exact).any(|measure| !moments.tell(measure))
    }

    /// A second pass that has not seen any rows yet.
    ///
    /// # Errors
    /// As [`Summary::finish`], or more classes than a second pass has memory for.
    pub fn second_pass(&self) -> Result<SecondPass, SummaryError> {
        let kept = self.kept(&self.sample)?;
        if !self.second_pass_fits(&kept) {
            let what =
                format!("a second pass over {} classes does not fit into the memory", kept.names.len());
            return Err(SummaryError::Setting { what });
        }
        Ok(SecondPass::new(self.known(&kept, MomentRequest::of(self.plan), self.fingerprint())))
    }

    /// What a second pass starts from.
    fn known(&self, kept: &KeptClasses<'_>, wanted: MomentRequest, fingerprint: u64) -> SecondPassStart {
        let singletons = kept.singletons.iter().cloned();
        let ignored: HashSet<String> = singletons.chain(self.settings.noise.clone()).collect();
        let without_matrix = |class: &&ClassSums| ClassSums { matrix: None, ..(*class).clone() };
        SecondPassStart {
            fingerprint,
            features: self.features,
            exponent: kept.exponent,
            wanted,
            names: kept.names.clone(),
            ignored,
            classes: kept.sums.iter().map(without_matrix).collect(),
        }
    }

    fn second_pass_fits(&self, kept: &KeptClasses<'_>) -> bool {
        let count = kept.names.len();
        let numbers = count * (Centres::width(count, MomentRequest::of(self.plan)) + count);
        count <= MOST_CLASSES && numbers * size_of::<f64>() <= self.settings.memory
    }

    /// Computes the scores.
    ///
    /// # Errors
    /// Data that cannot be scored (see [`DataError`]), a second pass over other rows, or [`DataError::Stopped`] if `control`
    /// stops the work.
    pub fn finish(
        &self,
        second: Option<&SecondPass>,
        control: Control<'_>,
    ) -> Result<Summarised, SummaryError> {
        let mut sample = self.sample.clone();
        sample.thin_out();
        let kept = self.kept(&sample)?;
        let rows = kept.rows.iter().map(Vec::len).sum();
        let limit = Some(self.settings.memory as u64);
        memory::check_sizes(rows, kept.names.len(), &self.settings.measures, limit)?;
        if let Some(second) = second {
            self.check_second(second, &kept)?;
        }
        let (scores, terms) = if self.keeps_every_row(&kept) {
            let classes = kept.dataset(|class, at| kept.rows[class][at].count as usize)?;
            let found = evaluate_with(&classes, &self.settings.measures, false, control)?;
            (exact_scores(found.scores, Reason::EveryRow), found.terms)
        } else {
            self.scores(&kept, second, control)?
        };
        Ok(Summarised {
            points: kept.points(),
            features: self.features,
            classes: (kept.names.iter().zip(kept.sizes()))
                .map(|(name, points)| ClassSize { name: name.clone(), points })
                .collect(),
            noise: self.noise,
            scores,
            terms,
            sampled: (0..kept.names.len()).map(|class| kept.rows[class].len() as u64).sum(),
            passes: if second.is_some() { 2 } else { 1 },
            form: self.form,
            matrices: (self.bytes_of_matrices(self.names.len()), self.room_for_matrices()),
            singletons: kept.singletons,
        })
    }

    /// Some of the kept rows as a dataset: a sample of at most 400 different ones of each class.
    ///
    /// # Errors
    /// As [`Summary::finish`].
    pub fn sampled(&self) -> Result<Classes<'static>, SummaryError> {
        let mut sample = self.sample.clone();
        sample.thin_out();
        let kept = self.kept(&sample)?;
        // Rows are kept in the order of random keys, so the first ones are a sample of their class.
        Ok(kept.dataset(|_, at| usize::from(at < SAMPLE))?)
    }

    /// The scores, exact where the moments suffice, otherwise estimated from the sample.
    fn scores(
        &self,
        kept: &KeptClasses<'_>,
        second: Option<&SecondPass>,
        control: Control<'_>,
    ) -> Result<(Vec<SummaryScore>, Option<crate::Terms>), SummaryError> {
        let moments = self.moments(kept, second);
        let (exact, rest): (Vec<&'static Measure>, Vec<&'static Measure>) =
            self.settings.measures.iter().copied().partition(|measure| moments.tell(measure));
        let why = if second.is_some() { Reason::TwoPasses } else { Reason::OnePass };
        let EstimatedScores { mut scores, terms } = if rest.is_empty() {
            EstimatedScores { scores: Vec::new(), terms: None }
        } else {
            estimate(kept, &moments, &rest, self.known_for_sample(kept, &moments, &rest), control)?
        };
        if !exact.is_empty() {
            let plan = exact.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan()));
            let classes =
                Classes::of_block(Points::trusted(vec![0.0].into(), 1, 1.0), &[u32::MAX], kept.names.len());
            let base = Arc::new(kept.base(plan, moments.sets));
            let statistics = Statistics::with_totals(base, Vec::new());
            let of = |measure: &&'static Measure| {
                Ok((measure.id, score_of_measure(&statistics, &classes, measure, control)?))
            };
            scores.extend(exact_scores(exact.iter().map(of).collect::<Result<_, DataError>>()?, why));
        }
        let place = |id: &str| self.settings.measures.iter().position(|measure| measure.id == id);
        scores.sort_by_key(|score| place(score.id));
        Ok((scores, terms))
    }

    /// What a second pass over the sample starts from, where the moments do not give everything that the measures read.
    fn known_for_sample(
        &self,
        kept: &KeptClasses<'_>,
        moments: &KnownMoments,
        measures: &[&'static Measure],
    ) -> Option<SecondPassStart> {
        let plan = measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan()));
        let told = measures.iter().all(|measure| moments.tell_moments(measure));
        // This second pass never leaves the machine, so its fingerprint cannot be confused with that of another summary.
        (!told).then(|| self.known(kept, MomentRequest::of(plan), 0))
    }

    pub(super) fn moments(&self, kept: &KeptClasses<'_>, second: Option<&SecondPass>) -> KnownMoments {
        let wanted = MomentRequest::of(self.plan);
        if let Some(second) = second {
            return KnownMoments { sets: second.sets(), spread: true, eta: true, roots: wanted.roots };
        }
        let centres = kept.centres();
        match self.form {
            Form::ScatterMatrices => {
                let sets = centres.sets_of_matrices(wanted, &kept.sums);
                let spread = !sets.pairs_lost.contains(&true);
                let eta = !sets.eta_lost.contains(&true);
                KnownMoments { sets, spread, eta, roots: false }
            }
            Form::Centroids => {
                let sets = centres.sets_of_centroids(wanted);
                KnownMoments { sets, spread: false, eta: false, roots: false }
            }
        }
    }

    fn check_second(&self, second: &SecondPass, kept: &KeptClasses<'_>) -> Result<(), SummaryError> {
        if second.fingerprint != self.fingerprint() {
            return Err(mismatch("the second pass is that of another first pass"));
        }
        let differs = |class: &usize| second.seen[*class] != kept.sums[*class].points;
        match (0..kept.names.len()).find(differs) {
            Some(class) => Err(SummaryError::OtherRows {
                class: kept.names[class].clone(),
                first: kept.sums[class].points,
                second: second.seen[class],
            }),
            None => Ok(()),
        }
    }

    fn keeps_every_row(&self, kept: &KeptClasses<'_>) -> bool {
        // Rows that were counted again and again must not be expanded without limit.
        kept.points() <= 2 * self.sample.capacity() as u64
            && (0..kept.names.len()).all(|class| kept.is_complete(class))
    }

    /// The classes that are scored, provided that they can be; the rules are those of [`Classes::with`] and of
    /// [`evaluate`](crate::evaluate()).
    pub(super) fn kept<'a>(
        &'a self,
        sample: &'a super::sample::RowSample,
    ) -> Result<KeptClasses<'a>, DataError> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        sort_naturally(&mut order, &self.names);
        let drops = self.settings.singletons == Singletons::Drop;
        let (kept, alone): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|&class| !(drops && self.sums[class].points == 1));
        let points: u64 = kept.iter().map(|&class| self.sums[class].points).sum();
        match kept[..] {
            [] if self.rows() == 0 => return Err(DataError::NoRows),
            [] => return Err(DataError::NothingLeft),
            [only] => return Err(DataError::OneClass { class: self.names[only].clone() }),
            _ if kept.len() as u64 >= points => {
                return Err(DataError::TooManyClasses { classes: kept.len(), points: points as usize });
            }
            _ => {}
        }
        let on_pairs = self.settings.measures.iter().find(|measure| measure.scope() == Scope::Pairs);
        if let Some(measure) = on_pairs
            && let Some(&class) = kept.iter().find(|&&class| self.sums[class].points == 1)
        {
            return Err(DataError::Singleton { class: self.names[class].clone(), measure: measure.id });
        }
        Ok(KeptClasses {
            names: kept.iter().map(|&class| self.names[class].clone()).collect(),
            sums: kept.iter().map(|&class| &self.sums[class]).collect(),
            rows: kept.iter().map(|&class| sample.classes[class].rows.values().collect()).collect(),
            singletons: alone.iter().map(|&class| self.names[class].clone()).collect(),
            features: self.features,
            exponent: self.exponent.unwrap_or(0),
            unit: self.length_unit(),
        })
    }

    fn length_unit(&self) -> f64 {
        match self.settings.unit {
            LengthUnit::Fixed(unit) => unit,
            LengthUnit::LargestValue if self.extent.largest > 0.0 => self.extent.largest,
            LengthUnit::LargestValue => 1.0,
        }
    }
}

fn exact_scores(scores: Vec<(&'static str, crate::Score)>, why: Reason) -> Vec<SummaryScore> {
    let exact = |(id, score): (&'static str, crate::Score)| SummaryScore {
        id,
        value: score.value,
        pairs: score.pairs,
        certainty: Certainty::Exact,
        error: Some(0.0),
        why,
    };
    scores.into_iter().map(exact).collect()
}

/// The value of each score of an evaluation.
pub(super) fn values(evaluation: &Evaluation) -> Vec<f64> {
    evaluation.scores.iter().map(|(_, score)| score.value).collect()
}
