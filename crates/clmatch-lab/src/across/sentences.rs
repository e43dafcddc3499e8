//! The paper's statements about its first table, and whether they hold here.

use clmatch_truth::rank::spearman_p_value;

use super::paper::{self, EXTERNALS, FORMS, Family, TABLE, reported};
use super::{Competitor, ExternalComparison, standard_ahead};
use crate::claims::Claim;
use crate::names;

/// The largest difference from the paper's correlation that still counts as met.
pub(super) const TOLERANCE: f64 = 0.03;
/// A correlation above the first is strong, above the second very strong.
const STRONG: [f64; 2] = [0.6, 0.8];
/// The p-value below which the paper calls a correlation significant.
const SIGNIFICANT: f64 = 0.001;
/// The improvement that the paper reports: smallest, greatest and mean.
const IMPROVEMENT: [f64; 3] = [0.17, 0.81, 0.48];
/// Shares that differ by less than this agree.
const AGREE: f64 = 0.10;

/// One number for each competitor and external measure of the paper.
pub(super) fn numbers(who: &[Competitor], all: &[ExternalComparison]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for line in &TABLE {
        for external in EXTERNALS {
            let comparison = all.iter().find(|one| one.external == external);
            let found = comparison.and_then(|comparison| comparison.rho(who, line.id));
            if let (Some(found), Some(paper)) = (found, reported(line.id, external)) {
                let what = format!("{} by {external}", names::markdown(line.id));
                claims.push(Claim::number(what, paper, found, TOLERANCE));
            }
        }
    }
    claims
}

/// The sentences that surround the table.
pub(super) fn sentences(who: &[Competitor], all: &[ExternalComparison]) -> Vec<Claim> {
    let told = Told { who, all };
    let mut claims = vec![
        told.first_three(),
        told.best_two(),
        told.runner_up(),
        told.standard_behind(),
        told.improvement(),
        told.marks(),
        told.significant(),
    ];
    if who.iter().any(|one| paper::family(&one.id) == Some(Family::Classifier)) {
        claims.extend([told.classifiers_behind(), told.classifiers_behind_standard()]);
        claims.extend([told.xgb_behind(), told.ensemble_behind()]);
        claims.push(told.most_accurate());
    }
    claims
}

struct Told<'a> {
    who: &'a [Competitor],
    all: &'a [ExternalComparison],
}

impl Told<'_> {
    fn rho(&self, comparison: &ExternalComparison, id: &str) -> f64 {
        comparison.rho(self.who, id).unwrap_or(f64::NAN)
    }

    /// The paper's competitors, the best first.
    fn ranked(&self, comparison: &ExternalComparison) -> Vec<&'static paper::PaperLine> {
        let mut lines: Vec<_> =
            TABLE.iter().filter(|line| self.rho(comparison, line.id).is_finite()).collect();
        lines.sort_by(|a, b| self.rho(comparison, b.id).total_cmp(&self.rho(comparison, a.id)));
        lines
    }

    fn by_external(&self, of: impl Fn(&ExternalComparison) -> String) -> String {
        let list: Vec<String> = self.all.iter().map(|one| format!("{}: {}", one.external, of(one))).collect();
        list.join("; ")
    }

    fn first_three(&self) -> Claim {
        let first = |comparison: &ExternalComparison| -> Vec<&paper::PaperLine> {
            self.ranked(comparison).into_iter().take(3).collect()
        };
        let names = |comparison: &ExternalComparison| {
            first(comparison).iter().map(|line| names::markdown(line.id)).collect::<Vec<_>>().join(", ")
        };
        let holds = self.all.iter().all(|one| first(one).iter().all(|line| line.family == Family::Adjusted));
        Claim::sentence(
            "The first three places go to adjusted measures by every external measure",
            "yes",
            self.by_external(names),
            holds,
        )
    }

    fn best_two(&self) -> Claim {
        let expected = |external: &str| if ["ami", "arand"].contains(&external) { "sc_a" } else { "ch_a" };
        let first =
            |comparison: &ExternalComparison| self.ranked(comparison).first().map_or("", |line| line.id);
        Claim::sentence(
            "SC<sub>A</sub> is first by ami and arand, CH<sub>A</sub> by vm and nmi",
            "yes",
            self.by_external(|one| names::markdown(first(one))),
            self.all.iter().all(|one| first(one) == expected(&one.external)),
        )
    }

    fn runner_up(&self) -> Claim {
        let these = || self.all.iter().filter(|one| ["ami", "arand"].contains(&one.external.as_str()));
        let second =
            |comparison: &ExternalComparison| self.ranked(comparison).get(1).map_or("", |line| line.id);
        let list: Vec<String> =
            these().map(|one| format!("{}: {}", one.external, names::markdown(second(one)))).collect();
        Claim::sentence(
            "CH<sub>A</sub> is second by ami and arand",
            "yes",
            list.join("; "),
            these().all(|one| second(one) == "ch_a"),
        )
    }

    fn standard_behind(&self) -> Claim {
        let ahead = standard_ahead(self.who, self.all);
        let list: Vec<String> =
            ahead.iter().map(|(id, external)| format!("{} by {external}", names::markdown(id))).collect();
        let found = if list.is_empty() { "all are".into() } else { format!("not {}", list.join(", ")) };
        Claim::sentence(
            "Every standard measure is behind its adjusted form by every external measure",
            "yes",
            found,
            ahead.is_empty(),
        )
    }

    fn improvement(&self) -> Claim {
        let ami = self.all.iter().find(|one| one.external == "ami");
        let gains: Vec<(&str, f64)> = ami
            .map(|one| {
                FORMS.map(|(standard, adjusted)| {
                    (standard, self.rho(one, adjusted) / self.rho(one, standard) - 1.0)
                })
            })
            .map_or_else(Vec::new, |gains| gains.to_vec());
        let values = || gains.iter().map(|(_, gain)| *gain);
        let least = values().fold(f64::INFINITY, f64::min);
        let greatest = values().fold(f64::NEG_INFINITY, f64::max);
        let mean = values().sum::<f64>() / gains.len() as f64;
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        let list: Vec<String> =
            gains.iter().map(|(id, gain)| format!("{} {}", names::markdown(id), percent(*gain))).collect();
        let close = [least, greatest, mean].iter().zip(IMPROVEMENT).all(|(a, b)| (a - b).abs() < AGREE);
        Claim::sentence(
            "Adjusting raises the correlation by ami by 17% (DB) to 81% (DI), 48% on average",
            "17% to 81%, mean 48%",
            format!(
                "{} to {}, mean {} ({})",
                percent(least),
                percent(greatest),
                percent(mean),
                list.join(", ")
            ),
            close,
        )
    }

    fn marks(&self) -> Claim {
        let mark = |rho: f64| STRONG.iter().filter(|&&bar| rho > bar).count();
        let cells = || {
            TABLE.iter().flat_map(|line| {
                let cell = move |one: &ExternalComparison| {
                    Some((self.rho(one, line.id), reported(line.id, &one.external)?))
                };
                self.all.iter().filter_map(cell)
            })
        };
        let cells: Vec<(f64, f64)> = cells().filter(|(found, _)| found.is_finite()).collect();
        let same = cells.iter().filter(|(found, paper)| mark(*found) == mark(*paper)).count();
        let adjusted = TABLE.iter().filter(|line| line.family == Family::Adjusted);
        let strong = adjusted.flat_map(|line| self.all.iter().map(|one| self.rho(one, line.id)));
        let (strong, total) =
            strong.fold((0, 0), |(strong, all), rho| (strong + usize::from(mark(rho) > 0), all + 1));
        Claim::sentence(
            "All correlations of adjusted measures are strong (> 0.6) or very strong (> 0.8)",
            "yes",
            format!("{strong} of {total} are; {same} of {} marks of the table are the same", cells.len()),
            strong == total,
        )
    }

    fn significant(&self) -> Claim {
        let mut weak = Vec::new();
        let mut count = 0;
        for one in self.all {
            for line in self.ranked(one) {
                count += 1;
                let p = spearman_p_value(self.rho(one, line.id), one.datasets.len());
                if p >= SIGNIFICANT {
                    weak.push(format!("{} by {} (p = {p:.3})", names::markdown(line.id), one.external));
                }
            }
        }
        let found = match weak.len() {
            0 => format!("all {count}"),
            _ => format!("all of {count} but {}", weak.join(", ")),
        };
        Claim::sentence("Every correlation is significant (p < .001)", "yes", found, weak.is_empty())
    }

    /// The best classifier, and the worst measure of a family.
    fn ends(&self, comparison: &ExternalComparison, family: Family) -> (f64, f64) {
        let extreme = |family: Family, better: fn(f64, f64) -> f64| {
            let rhos =
                TABLE.iter().filter(|line| line.family == family).map(|line| self.rho(comparison, line.id));
            rhos.filter(|rho| rho.is_finite()).reduce(better).unwrap_or(f64::NAN)
        };
        (extreme(Family::Classifier, f64::max), extreme(family, f64::min))
    }

    fn classifiers_behind(&self) -> Claim {
        self.behind("Every classifier is behind every adjusted measure", "yes", Family::Adjusted, "adjusted")
    }

    fn classifiers_behind_standard(&self) -> Claim {
        let what = "Every classifier is behind every standard measure";
        self.behind(what, "yes (not in its own table)", Family::Standard, "standard")
    }

    fn behind(&self, what: &str, paper: &str, family: Family, name: &str) -> Claim {
        let found = self.by_external(|one| {
            let (classifier, least) = self.ends(one, family);
            format!("best classifier {classifier:.3}, least {name} {least:.3}")
        });
        let holds = self.all.iter().map(|one| self.ends(one, family)).all(|(best, least)| best < least);
        Claim::sentence(what, paper, found, holds)
    }

    fn xgb_behind(&self) -> Claim {
        let others = ["svm", "knn", "lda"];
        let ids = ["xgb", "svm", "knn", "lda"];
        let list = |one: &ExternalComparison| {
            ids.map(|id| format!("{} {:.3}", names::name(id), self.rho(one, id))).join(", ")
        };
        Claim::sentence(
            "XGB is behind SVM, kNN and LDA",
            "yes",
            self.by_external(list),
            self.all.iter().all(|one| others.iter().all(|id| self.rho(one, "xgb") < self.rho(one, id))),
        )
    }

    fn ensemble_behind(&self) -> Claim {
        let these = || self.all.iter().filter(|one| one.external != "ami");
        let list: Vec<String> = these()
            .map(|one| {
                format!("{}: {:.3} and {:.3}", one.external, self.rho(one, "ensemble"), self.rho(one, "svm"))
            })
            .collect();
        Claim::sentence(
            "The ensemble is behind SVM by arand, vm and nmi",
            "yes",
            list.join("; "),
            these().all(|one| self.rho(one, "ensemble") < self.rho(one, "svm")),
        )
    }

    fn most_accurate(&self) -> Claim {
        let classifiers = self.who.iter().filter(|one| paper::family(&one.id) == Some(Family::Classifier));
        let mut means: Vec<(&str, f64)> = classifiers
            .map(|one| (one.id.as_str(), one.values.iter().sum::<f64>() / one.values.len() as f64))
            .collect();
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        let list: Vec<String> =
            means.iter().map(|(id, mean)| format!("{} {mean:.3}", names::name(id))).collect();
        let first: Vec<&str> = means.iter().take(2).map(|(id, _)| *id).collect();
        Claim::sentence(
            "The ensemble and XGB classify best, whether classes are apart or not",
            "yes",
            format!("mean accuracies: {}", list.join(", ")),
            ["ensemble", "xgb"].iter().all(|id| first.contains(id)),
        )
    }
}
