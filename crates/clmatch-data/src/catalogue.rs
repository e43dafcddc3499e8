//! The catalogue: the scores of labelled datasets from the literature, against which a dataset can be placed.
//!
//! `data/catalogue.csv` and `data/catalogue-standard.csv` are written by `cargo xtask catalogue` and embedded here. Their datasets
//! are those of Jeon et al. (2025) as their authors distribute them, divided by their largest absolute value, or with every feature
//! at the same weight; the scores are our own.
//!
//! ```
//! use clmatch_data::catalogue::{Catalogue, Third};
//!
//! let ch_a = clmatch::measure::find("ch_a").ok_or("ch_a is a measure")?;
//! let standing = Catalogue::embedded().standing(ch_a, 0.99).ok_or("ch_a is catalogued")?;
//! assert_eq!((standing.third, standing.of), (Third::Top, Catalogue::embedded().entries.len()));
//! # Ok::<(), &str>(())
//! ```

use std::sync::LazyLock;

use clmatch::Measure;
use serde::{Deserialize, Serialize};

use crate::scale::Scale;

/// Where the authors of the catalogued datasets distribute them.
pub const DISTRIBUTED: &str = "https://github.com/hj-n/labeled-datasets";

static EMBEDDED: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::parse(include_str!("../data/catalogue.csv")));
static STANDARD: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::parse(include_str!("../data/catalogue-standard.csv")));

/// Values of the same dataset, read from different files, differ by less than this: absolutely for measures with a bounded range,
/// relatively for all others. The authors distribute most datasets rounded to f32, which breaks ties between the distances of
/// neighbours: their `ecoli` has a `clm` that is .00001 above that of the decimal numbers it was made from, and must not stand
/// above or below itself.
const SAME: f64 = 5e-4;

/// Whether two values of a measure are the same except for the rounding of the data.
fn is_tie(measure: &Measure, a: f64, b: f64) -> bool {
    let bounded = measure.range.1.is_finite();
    let near = if bounded { SAME } else { SAME * a.abs().max(b.abs()) };
    a == b || (a.is_finite() && b.is_finite() && (a - b).abs() < near)
}

/// Scored datasets, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogue {
    /// Ids of the measures, in the order of the scores.
    pub measures: Vec<String>,
    /// The datasets.
    pub entries: Vec<Entry>,
}

/// One dataset of the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// How many points it has.
    pub points: usize,
    /// How many features it has.
    pub features: usize,
    /// How many classes it has.
    pub classes: usize,
    /// One value per measure.
    pub scores: Vec<f64>,
    /// Its fingerprint; see [`Dataset::checksum`](crate::Dataset::checksum).
    pub checksum: String,
}

/// Where a score stands among the catalogued datasets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How many datasets score worse.
    pub above: usize,
    /// How many datasets there are.
    pub of: usize,
    /// The third in which the score is.
    pub third: Third,
}

/// The thirds of the catalogue. Rankings of clustering techniques are stable over datasets from the top third, but not over
/// those from the bottom third.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Third {
    /// The best third.
    Top,
    /// Between the best and the worst third.
    Middle,
    /// The worst third.
    Bottom,
}

impl Third {
    /// The name of the third.
    pub fn name(self) -> &'static str {
        match self {
            Third::Top => "top",
            Third::Middle => "middle",
            Third::Bottom => "bottom",
        }
    }
}

impl Catalogue {
    /// The catalogue that comes with the program, of data scaled as in the paper.
    pub fn embedded() -> &'static Catalogue {
        &EMBEDDED
    }

    /// The catalogue of data scaled by `scale`, if there is one.
    pub fn scaled(scale: Scale) -> Option<&'static Catalogue> {
        match scale {
            Scale::MaxAbs => Some(&EMBEDDED),
            Scale::Standard => Some(&STANDARD),
            Scale::None | Scale::MinMax | Scale::Robust => None,
        }
    }

    /// Leaves out lines that do not match the header; the tests check that there are none.
    fn parse(text: &str) -> Catalogue {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let measures =
            header.iter().skip(4).take(header.len().saturating_sub(5)).map(|id| (*id).to_owned()).collect();
        let entries = lines.filter_map(|line| Entry::parse(line, header.len())).collect();
        Catalogue { measures, entries }
    }

    /// The value of a measure for every dataset, in the order of the entries.
    pub fn values(&self, id: &str) -> Option<impl Iterator<Item = f64>> {
        let at = self.measures.iter().position(|known| known == id)?;
        Some(self.entries.iter().map(move |entry| entry.scores[at]))
    }

    /// The dataset with the same points and labels, whatever its file is called.
    pub fn find(&self, checksum: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.checksum == checksum)
    }

    /// Whether the catalogue may have a dataset with this many points and features. If not, there is no need to compute its
    /// checksum.
    pub fn has_shape(&self, points: usize, features: usize) -> bool {
        self.entries.iter().any(|entry| entry.points == points && entry.features == features)
    }

    /// Where a value stands; `None` if the catalogue does not have the measure, or is empty.
    ///
    /// Values that differ by less than 5e-4 are ties.
    pub fn standing(&self, measure: &Measure, value: f64) -> Option<Standing> {
        let (mut above, mut below, mut of) = (0, 0, 0);
        for other in self.values(measure.id)? {
            let tied = is_tie(measure, value, other);
            above += usize::from(!tied && measure.prefers(value, other));
            below += usize::from(!tied && measure.prefers(other, value));
            of += 1;
        }
        // Decided by how many datasets are better: ties share the better third.
        let third = match 3 * below {
            better if better < of => Third::Top,
            better if better < 2 * of => Third::Middle,
            _ => Third::Bottom,
        };
        (of > 0).then_some(Standing { above, of, third })
    }
}

impl Entry {
    fn parse(line: &str, columns: usize) -> Option<Entry> {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != columns || columns < 5 {
            return None;
        }
        let scores: Result<Vec<f64>, _> = fields[4..columns - 1].iter().map(|field| field.parse()).collect();
        Some(Entry {
            name: fields[0].to_owned(),
            points: fields[1].parse().ok()?,
            features: fields[2].parse().ok()?,
            classes: fields[3].parse().ok()?,
            scores: scores.ok()?,
            checksum: fields[columns - 1].to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use clmatch::measure::{self, REGISTRY};

    use super::*;

    #[test]
    fn the_embedded_catalogue_is_whole() {
        let catalogue = Catalogue::embedded();
        let lines = include_str!("../data/catalogue.csv").lines().count();
        assert_eq!(catalogue.entries.len(), lines - 1);
        assert_eq!(catalogue.measures, REGISTRY.iter().map(|measure| measure.id).collect::<Vec<_>>());
        assert!(catalogue.entries.iter().all(|entry| catalogue.find(&entry.checksum).is_some()));
    }

    #[test]
    fn both_scales_have_the_same_datasets() {
        let [paper, standard] =
            [Scale::MaxAbs, Scale::Standard].map(|scale| Catalogue::scaled(scale).unwrap());
        assert_eq!((paper, &paper.measures), (Catalogue::embedded(), &standard.measures));
        assert!(Catalogue::scaled(Scale::Robust).is_none());
        let shape = |entry: &Entry| (entry.name.clone(), entry.points, entry.classes, entry.checksum.clone());
        assert!(paper.entries.iter().map(shape).eq(standard.entries.iter().map(shape)));
        assert_ne!(paper.entries, standard.entries);
    }

    /// Neither when it is read from another file nor when it is scored on another machine.
    #[test]
    fn no_dataset_stands_above_or_below_itself() {
        let catalogue = Catalogue::embedded();
        for measure in REGISTRY {
            for value in catalogue.values(measure.id).unwrap().filter(|value| value.is_finite()) {
                let own = catalogue.standing(measure, value);
                for nudged in [value * (1.0 - 1e-12), value * (1.0 + 1e-12)] {
                    assert_eq!(catalogue.standing(measure, nudged), own, "{}: {value}", measure.id);
                }
            }
        }
    }

    #[test]
    fn thirds_by_hand() {
        let rows = (1..=6).map(|at| format!("d{at},10,2,2,0.{at},{at},sum{at}\n"));
        let text = format!("dataset,points,features,classes,clm,db,checksum\n{}", rows.collect::<String>());
        let catalogue = Catalogue::parse(&text);
        let standing = |id, value| catalogue.standing(measure::find(id).unwrap(), value).unwrap();
        assert_eq!(standing("clm", 0.55), Standing { above: 5, of: 6, third: Third::Top });
        assert_eq!(standing("clm", 0.45), Standing { above: 4, of: 6, third: Third::Middle });
        assert_eq!(standing("clm", 0.2), Standing { above: 1, of: 6, third: Third::Bottom });
        // Lower is better for db.
        assert_eq!(standing("db", 0.5), Standing { above: 6, of: 6, third: Third::Top });
        assert_eq!(catalogue.standing(measure::find("sc").unwrap(), 0.5), None);
        // Read from another file, a dataset stands where its entry does.
        for other in [0.2999, 0.3, 0.3001] {
            assert_eq!(standing("clm", other), Standing { above: 2, of: 6, third: Third::Middle }, "{other}");
        }
        assert_eq!(standing("db", 3.001).above, 3);
        assert_eq!(standing("db", 3.01).above, 3);
        assert_eq!(standing("db", 2.99).above, 4);
    }
}
