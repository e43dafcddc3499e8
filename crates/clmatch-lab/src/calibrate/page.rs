//! The page of the calibration: known growth rates are recovered, and that of CH_A is transferred.

use clmatch::calibration::Provenance;
use clmatch::protocol::RawScore;
use clmatch_render::number::significant;
use clmatch_render::{Group, Scatter, csv, markdown};

use super::CalibrationSettings;
use super::round_trip::RoundTrip;
use super::transfer::{Known, Transferred};
use crate::bench::Base;
use crate::findings::{File, Findings};
use clmatch_analysis::calibration::Interval;
use clmatch_analysis::calibration::bins::sizes;
use clmatch_analysis::calibration::gaussians::{DISTANCE, SHARE, SPAN};

/// The number of digits of a growth rate in a table, and in a file.
const SHOWN: usize = 4;
const DIGITS: usize = 12;
/// The most datasets that the figure shows.
const DOTS: usize = 200;
/// A growth rate counts as recovered if it misses by no more than this share.
const NEAR: f64 = 0.02;

/// All results that the page reports.
pub(super) struct CalibrationResults<'a> {
    pub(super) plan: &'a CalibrationSettings,
    pub(super) bases: &'a [Base],
    /// For each variant of `transferred`, its forms on all datasets.
    pub(super) forms: &'a [Vec<RawScore>],
    pub(super) transferred: &'a [Transferred],
    pub(super) round_trips: &'a [RoundTrip],
}

impl CalibrationResults<'_> {
    pub(super) fn findings(&self) -> Findings {
        let near = self.round_trips.iter().filter(|trip| trip.miss().abs() < NEAR).count();
        let summary = format!(
            "of {} known growth rates {near} come back within {:.0}% from simulated judges, and CH_A's is transferred to \
             all variants",
            self.round_trips.len(),
            100.0 * NEAR
        );
        Findings {
            name: "calibrate",
            reading: None,
            claims: Vec::new(),
            title: "Calibration: growth rates from judgements".into(),
            summary,
            page: [self.intro(), self.round_trip(), self.transfer(), self.how()].join("\n\n"),
            files: vec![
                File { name: "calibrate-trip.csv".into(), text: self.trip_csv() },
                File { name: "calibrate-transfer.csv".into(), text: self.transfer_csv() },
                File { name: "calibrate-scores.svg".into(), text: self.scatter().svg() },
            ],
        }
    }

    fn intro(&self) -> String {
        "T4 turns a value f into a score between 0 and 1 by a logistic curve, whose growth rate k decides how fast scores \
         rise. k is chosen so that scores match judged separability best: the greatest weighted R2, where each tenth of \
         the scale of judgements weighs the same."
            .into()
    }

    fn round_trip(&self) -> String {
        let row = |trip: &RoundTrip| {
            let (emptiest, fullest) = self.bins(trip);
            vec![
                trip.variant.name(),
                significant(trip.truth, SHOWN),
                significant(trip.fit.k, SHOWN),
                format!("{:+.1}%", 100.0 * trip.miss()),
                format!("{:.1}%", 100.0 * trip.fit.error / trip.fit.k),
                format!("{:.3}", trip.fit.r2),
                format!("{emptiest} to {fullest}"),
            ]
        };
        let titles = ["variant", "k", "recovered", "miss", "standard error", "R2", "scores in a bin"];
        let rows: Vec<Vec<String>> = self.round_trips.iter().map(row).collect();
        format!(
            "## Round trip\n\nThe calibration is tried on judges who are known: {} participants look at each of {} \
             datasets, and each sees two clusters with the score at the true k as probability. The fit sees their judgements \
             only.\n\n{}\nWhere a tenth of the scale holds few datasets, weights inverse to the size of the bin are \
             large, and they are given by the judgement, chance included: a dataset that is judged too high by luck \
             weighs more than one that is not. This draws k by several percent where bins are very unequal, far more \
             than the standard error says. It is a property of the paper's weights, not of the search.",
            self.plan.participants,
            self.plan.datasets,
            markdown::table(&titles, 1, &rows)
        )
    }

    /// The sizes of the smallest and largest tenths of the true scores of a trip.
    fn bins(&self, trip: &RoundTrip) -> (usize, usize) {
        let at = self.transferred.iter().position(|one| one.variant == trip.variant);
        let forms = at.map_or(&[][..], |at| &self.forms[at]);
        let scores: Vec<f64> = forms.iter().map(|form| form.rescale(trip.truth).clamp(0.0, 1.0)).collect();
        let sizes = sizes(&scores);
        (sizes.iter().copied().min().unwrap_or(0), sizes.iter().copied().max().unwrap_or(0))
    }

    fn transfer(&self) -> String {
        let row = |one: &Transferred| {
            let published = published(one);
            let remark = if one.fit.at_end { "at the end of the interval" } else { "" };
            vec![
                one.variant.name(),
                published.map_or_else(|| "none".into(), |known| significant(known.k.value, SHOWN)),
                published.map_or_else(String::new, |known| format!("{:.3}", known.r2)),
                significant(one.fit.k, SHOWN),
                significant(one.fit.error, 2),
                format!("{:.3}", one.fit.r2),
                published.map_or_else(String::new, |known| {
                    format!("{:+.0}%", 100.0 * (one.fit.k / known.k.value - 1.0))
                }),
                remark.into(),
            ]
        };
        let titles = [
            "variant",
            "published k",
            "its R2",
            "transferred k",
            "standard error",
            "R2",
            "difference",
            "remark",
        ];
        let rows: Vec<Vec<String>> = self.transferred.iter().map(row).collect();
        format!(
            "## Transfer\n\nCH_A has a growth rate that people's judgements have set. Where a variant has none, its k is \
             chosen so that it matches CH_A best on the same datasets. For comparison the published ones are fitted in the \
             same way: they differ because the datasets do, because people are not CH_A, and, for II with R, because \
             that measure depends on the unit of length.\n\n{}\n![Scores at the transferred growth rate against \
             CH_A](calibrate-scores.svg)\n\n*Scores at the transferred growth rate (up) against CH_A (across), the judge: one \
             point for each of some base datasets.*",
            markdown::table(&titles, 1, &rows)
        )
    }

    fn how(&self) -> String {
        let Interval { low, high } = self.plan.options.interval;
        format!(
            "## How\n\n{} datasets (seed {}) of two Gaussian clusters in the plane, 1,000 points each, drawn until ten \
             equal bins of CH_A are equally full: standard deviations {} to {}, share of the first cluster {} to {}, \
             distance of the means {} to {}. k is looked for from {low:e} to {high:e} on the logarithmic scale, by \
             Bayesian optimisation and then golden sections; standard errors are standard deviations over {} resamples of \
             the datasets.",
            self.plan.datasets,
            self.plan.options.seed,
            SPAN[0],
            SPAN[1],
            SHARE[0],
            SHARE[1],
            DISTANCE[0],
            DISTANCE[1],
            self.plan.options.resamples
        )
    }

    fn trip_csv(&self) -> String {
        let row = |trip: &RoundTrip| {
            let numbers = [trip.truth, trip.fit.k, trip.fit.error, trip.fit.r2];
            let numbers = numbers.map(|number| significant(number, DIGITS));
            [trip.variant.name()].into_iter().chain(numbers).collect()
        };
        let rows: Vec<Vec<String>> = self.round_trips.iter().map(row).collect();
        csv::table(&["variant", "true_k", "k", "standard_error", "r2"], &rows)
    }

    fn transfer_csv(&self) -> String {
        let row = |one: &Transferred| {
            let known = published(one).map(|known| [known.k.value, known.r2]);
            let known =
                known.map_or([String::new(), String::new()], |known| known.map(|x| significant(x, DIGITS)));
            let fit = [one.fit.k, one.fit.error, one.fit.r2].map(|number| significant(number, DIGITS));
            let name = [one.variant.name()].into_iter();
            name.chain(known).chain(fit).chain([one.fit.at_end.to_string()]).collect()
        };
        let rows: Vec<Vec<String>> = self.transferred.iter().map(row).collect();
        let titles =
            ["variant", "published_k", "published_r2", "transferred_k", "standard_error", "r2", "at_end"];
        csv::table(&titles, &rows)
    }

    /// The scores of the variants without a published growth rate.
    fn scatter(&self) -> Scatter {
        let step = self.bases.len().div_ceil(DOTS).max(1);
        let unpublished = self.transferred.iter().zip(self.forms).filter(|(one, _)| published(one).is_none());
        let group = |(one, forms): (&Transferred, &Vec<RawScore>)| Group {
            name: one.variant.name(),
            points: self
                .bases
                .iter()
                .zip(forms)
                .step_by(step)
                .map(|(base, form)| (base.score, form.rescale(one.fit.k)))
                .collect(),
        };
        Scatter {
            title: String::new(),
            x: "judged separability (CH_A)".into(),
            y: "score".into(),
            groups: unpublished.map(group).collect(),
            diagonal: true,
            square: true,
        }
    }
}

/// The growth rate that the authors published, if there is one.
fn published(one: &Transferred) -> Option<Known> {
    one.known.filter(|known| !matches!(known.k.provenance, Provenance::Transferred(_)))
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::{Control, Step, Stop};

    use super::super::{Options, findings};
    use super::*;

    #[test]
    fn the_page_names_every_variant_and_shows_its_figure() {
        let options = Options { resamples: 3, ..Options::default() };
        let plan = CalibrationSettings { datasets: 30, participants: 34, options };
        let last = std::sync::Mutex::new((0, 0));
        let stop = Stop::new();
        let progress = |step: Step<'_>| *last.lock().unwrap() = (step.done, step.of);
        let findings = findings(&plan, Control::new(&stop).with_progress(&progress)).unwrap();
        let (done, all) = last.into_inner().unwrap();
        assert!(done == all && all > 0, "{done} of {all}");
        for variant in super::super::transfer::ranged() {
            assert!(findings.page.contains(&format!("\n| {} |", variant.name())), "{}", variant.name());
        }
        assert!(findings.page.contains("](calibrate-scores.svg)") && !findings.page.contains("NaN"));
        assert!(findings.files.iter().all(|file| file.name.starts_with(findings.name)));
        assert_eq!(findings, super::super::findings(&plan, Control::new(&stop)).unwrap());
    }
}
