//! Four external measures: how well a partition agrees with the classes.
//!
//! Notation: `n` points, class i of `a_i` points, cluster j of `b_j` points, `n_ij` points in both;
//! `I` the mutual information of the two partitions and `H` their entropies, in nats.
//!
//! | id | measure | formula |
//! |---|---|---|
//! | `ami` | adjusted mutual information | `(I - E[I]) / ((H_a + H_b)/2 - E[I])` |
//! | `arand` | adjusted Rand index | 2 (tp tn - fn fp) / ((tp+fn)(fn+tn) + (tp+fp)(fp+tn)), over ordered pairs of points |
//! | `vm` | V-measure | 2 h c / (h + c), h = I/H_a, c = I/H_b |
//! | `nmi` | normalised mutual information | I / sqrt(H_a H_b) |
//!
//! All agree with scikit-learn's functions. Two partitions that agree fully score 1; if one of them is a single cluster
//! and the other is not, the score is 0.

mod expected;
mod merging;
mod overlap;

use self::expected::Expected;
pub use self::merging::Merging;
pub use self::overlap::Overlap;

/// An external measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum External {
    /// Adjusted mutual information, arithmetic mean.
    Ami,
    /// Adjusted Rand index.
    Arand,
    /// V-measure.
    Vm,
    /// Normalised mutual information, geometric mean.
    Nmi,
}

impl External {
    /// All external measures, in the order of the paper.
    pub const ALL: [External; 4] = [External::Ami, External::Arand, External::Vm, External::Nmi];

    /// The id that commands and files use.
    pub const fn id(self) -> &'static str {
        match self {
            External::Ami => "ami",
            External::Arand => "arand",
            External::Vm => "vm",
            External::Nmi => "nmi",
        }
    }

    /// Whether random labels score 0, whatever the number of clusters. `vm` and `nmi` reward many clusters.
    pub const fn is_adjusted(self) -> bool {
        matches!(self, External::Ami | External::Arand)
    }

    /// The measure with this id.
    pub fn find(id: &str) -> Option<External> {
        External::ALL.into_iter().find(|external| external.id() == id)
    }
}

/// The value of each external measure, for one partition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Adjusted mutual information.
    pub ami: f64,
    /// Adjusted Rand index.
    pub arand: f64,
    /// V-measure.
    pub vm: f64,
    /// Normalised mutual information.
    pub nmi: f64,
}

impl Agreement {
    const FULL: Agreement = Agreement { ami: 1.0, arand: 1.0, vm: 1.0, nmi: 1.0 };
    const NONE: Agreement = Agreement { ami: 0.0, arand: 0.0, vm: 0.0, nmi: 0.0 };

    /// The value of one measure.
    pub fn get(&self, external: External) -> f64 {
        match external {
            External::Ami => self.ami,
            External::Arand => self.arand,
            External::Vm => self.vm,
            External::Nmi => self.nmi,
        }
    }
}

/// The classes that partitions are compared with. What depends on the classes alone is computed once, and what depends on
/// the size of a cluster once for each size, so that scoring many partitions of one dataset is cheap.
///
/// ```
/// use clmatch_cluster::external::Truth;
///
/// let truth = Truth::new(["a", "a", "b", "b"]);
/// assert_eq!(truth.score(&[7, 7, 3, 3]).ami, 1.0);
/// assert!(truth.score(&[0, 1, 0, 1]).arand < 0.0);
/// ```
#[derive(Debug)]
pub struct Truth {
    codes: Vec<u32>,
    sizes: Vec<u64>,
    entropy: f64,
    expected: Expected,
}

impl Truth {
    /// Takes one label per point. Time: O(n). Memory: O(n), plus 8 bytes for each pair of a point and a distinct class
    /// size.
    pub fn new<L: Eq + std::hash::Hash>(labels: impl IntoIterator<Item = L>) -> Truth {
        let mut known = std::collections::HashMap::new();
        let mut sizes: Vec<u64> = Vec::new();
        let codes: Vec<u32> = labels
            .into_iter()
            .map(|label| {
                let next = known.len() as u32;
                let code = *known.entry(label).or_insert(next);
                if code == next {
                    sizes.push(0);
                }
                sizes[code as usize] += 1;
                code
            })
            .collect();
        let entropy = entropy(sizes.iter().copied(), codes.len() as u64);
        let expected = Expected::new(&sizes, codes.len() as u64);
        Truth { codes, sizes, entropy, expected }
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.codes.len()
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.sizes.len()
    }

    /// The class of each point, from 0 in order of appearance.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// All measures for a partition with one label per point.
    ///
    /// Time: O(n), plus the expectation for cluster sizes that have not occurred before. Memory: O(n).
    ///
    /// # Panics
    /// If the number of labels differs from the number of points.
    pub fn score(&self, labels: &[i32]) -> Agreement {
        self.agreement(&Overlap::of_labels(self, labels))
    }

    /// All measures from the overlap of clusters and classes.
    pub fn agreement(&self, overlap: &Overlap) -> Agreement {
        let mut sums = PartitionSums::default();
        overlap.rows().for_each(|(size, cells)| sums.add(self.sums_of(size, cells), 1));
        self.of_sums(&sums)
    }

    /// The terms that a cluster adds to the sums.
    fn sums_of(&self, size: u64, cells: &[(u32, u32)]) -> PartitionSums {
        let n = self.points() as f64;
        let share = size as f64 / n;
        let of_cluster = n.ln() - (size as f64).ln();
        // `sum n_ij/n ln(n n_ij / (a_i b_j))` over classes.
        let mutual = cells.iter().map(|&(class, count)| {
            let count = f64::from(count);
            count / n * (count.ln() - (self.sizes[class as usize] as f64).ln() + of_cluster)
        });
        PartitionSums {
            clusters: 1,
            cells: cells.len() as i64,
            cell_squares: cells.iter().map(|&(_, count)| square(u64::from(count))).sum(),
            cluster_squares: square(size),
            entropy: share * of_cluster,
            mutual: mutual.sum(),
            expected: self.expected.of_cluster(size),
        }
    }

    /// All measures from the sums over all clusters.
    fn of_sums(&self, sums: &PartitionSums) -> Agreement {
        let classes = self.classes() as i64;
        if sums.clusters == classes && sums.cells == classes {
            return Agreement::FULL;
        }
        let arand = self.arand(sums);
        if classes <= 1 || sums.clusters <= 1 {
            return Agreement { arand, ..Agreement::NONE };
        }
        let (entropy, expected) = (sums.entropy, sums.expected);
        let mutual = sums.mutual.clamp(0.0, self.entropy.min(entropy));
        let room = f64::midpoint(self.entropy, entropy) - expected;
        // The mutual information is a sum of up to n logarithms. If what remains above chance is below its rounding,
        // chance already agrees fully.
        let ami = if room.abs() > f64::EPSILON * (self.points() as f64).ln() {
            (mutual - expected) / room
        } else {
            0.0
        };
        let nmi = mutual / (self.entropy * entropy).sqrt();
        Agreement { ami, arand, vm: 2.0 * mutual / (self.entropy + entropy), nmi }
    }

    /// Counts pairs of points in integers, so that nothing is lost.
    fn arand(&self, sums: &PartitionSums) -> f64 {
        let n = self.points() as i128;
        let both = sums.cell_squares;
        let together = both - n;
        let split = self.sizes.iter().map(|&size| square(size)).sum::<i128>() - both;
        let joined = sums.cluster_squares - both;
        let apart = n * n - n - together - split - joined;
        if split == 0 && joined == 0 {
            return 1.0;
        }
        let [tp, tn, false_negative, false_positive] =
            [together, apart, split, joined].map(|count| count as f64);
        2.0 * (tp * tn - false_negative * false_positive)
            / ((tp + false_negative) * (false_negative + tn) + (tp + false_positive) * (false_positive + tn))
    }
}

/// The sums over the clusters of a partition that determine all measures.
#[derive(Debug, Clone, Copy, Default)]
struct PartitionSums {
    clusters: i64,
    /// Pairs of a cluster and a class that share a point.
    cells: i64,
    cell_squares: i128,
    cluster_squares: i128,
    entropy: f64,
    mutual: f64,
    expected: f64,
}

impl PartitionSums {
    /// Adds the sums of a cluster, or subtracts them if `sign` is -1.
    fn add(&mut self, of: PartitionSums, sign: i8) {
        self.clusters += i64::from(sign) * of.clusters;
        self.cells += i64::from(sign) * of.cells;
        self.cell_squares += i128::from(sign) * of.cell_squares;
        self.cluster_squares += i128::from(sign) * of.cluster_squares;
        self.entropy += f64::from(sign) * of.entropy;
        self.mutual += f64::from(sign) * of.mutual;
        self.expected += f64::from(sign) * of.expected;
    }
}

fn square(count: u64) -> i128 {
    i128::from(count) * i128::from(count)
}

/// `H = -sum s/n ln(s/n)`.
fn entropy(sizes: impl Iterator<Item = u64>, n: u64) -> f64 {
    let n = n as f64;
    -sizes.filter(|&size| size > 0).map(|size| size as f64 / n * ((size as f64).ln() - n.ln())).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(classes: &[i32], labels: &[i32]) -> Agreement {
        Truth::new(classes).score(labels)
    }

    #[test]
    fn a_case_worked_by_hand() {
        // Classes of 3 and 3, clusters of 2 and 4 with overlaps (2, 0) and (1, 3).
        let found = score(&[0, 0, 0, 1, 1, 1], &[5, 5, 9, 9, 9, 9]);
        let mutual = 2.0 / 6.0 * 2.0_f64.ln() + 1.0 / 6.0 * 0.5_f64.ln() + 3.0 / 6.0 * 1.5_f64.ln();
        let (a, b) = (2.0_f64.ln(), -(1.0 / 3.0 * (1.0_f64 / 3.0).ln() + 2.0 / 3.0 * (2.0_f64 / 3.0).ln()));
        assert!((found.nmi - mutual / (a * b).sqrt()).abs() < 1e-14);
        assert!((found.vm - 2.0 * mutual / (a + b)).abs() < 1e-14);
        // Unordered pairs of points: 4 together in both, 2 split, 3 joined, 6 apart; doubled for ordered pairs.
        let (tp, split, joined, tn) = (8.0, 4.0, 6.0, 12.0);
        let arand =
            2.0 * (tp * tn - split * joined) / ((tp + split) * (split + tn) + (tp + joined) * (joined + tn));
        assert!((found.arand - arand).abs() < 1e-15);
    }

    #[test]
    fn degenerate_partitions_have_stated_values() {
        assert_eq!(score(&[0, 0, 0], &[1, 1, 1]), Agreement::FULL);
        assert_eq!(score(&[0, 1, 2], &[2, 1, 0]), Agreement::FULL);
        assert_eq!(score(&[0, 0, 1], &[1, 1, 1]), Agreement::NONE);
        assert_eq!(score(&[0, 0, 0], &[1, 2, 3]), Agreement::NONE);
        assert_eq!(score(&[0], &[5]), Agreement::FULL);
        let singletons = score(&[0, 0, 1, 1], &[0, 1, 2, 3]);
        assert!(singletons.ami.abs() < 1e-14 && singletons.arand == 0.0 && singletons.vm > 0.6);
    }

    #[test]
    fn names_do_not_matter() {
        let classes = [0, 1, 1, 2, 2, 2, 0, 1];
        let labels = [-1, -1, 3, 3, 4, 4, -1, 3];
        let renamed: Vec<i32> = labels.iter().map(|label| 100 - 7 * label).collect();
        assert_eq!(score(&classes, &labels), score(&classes, &renamed));
    }

    #[test]
    fn ids_are_found() {
        for external in External::ALL {
            assert_eq!(External::find(external.id()), Some(external));
        }
        assert_eq!(External::find("ari"), None);
    }
}
