//! The approximate true CLM of a dataset: the best score that nine tuned clustering techniques reach.
//!
//! | technique | space (K classes) | search |
//! |---|---|---|
//! | K-Means, K-Medoids | 2 .. 3K clusters | every number |
//! | agglomerative | 2 .. 3K clusters, any number by `ami` and `arand` | every number; beyond 3K those that split no ties |
//! | DBSCAN | every eps, min_samples 1 .. 10 | every min_samples, and a radius for every partition |
//! | HDBSCAN | min_cluster_size 2 .. 50, min_samples 1 .. 10, every selection epsilon from 0 on | every pair of sizes, and a threshold for every selection |
//! | X-Means | kmax 2 .. 50, tolerance .01 .. 1 | a grid of 17 x 5 |
//! | BIRCH | threshold up to the radius of the data, branching factor 10 .. 100, 3 clusters or 2 .. 3K | 300 thresholds, each with another factor |
//!
//! That is [`TruthSearch::Full`]. [`TruthSearch::Paper`] spends 5 random and 25 guided evaluations of Bayesian
//! optimisation on each technique, as the paper's authors did. It cuts linkages into 2 .. 3K clusters, takes eps,
//! selection epsilon and threshold from .01 to 1 for data divided by its largest absolute value, and lets partitions
//! count that leave nearly every point alone. The rest of this page is about the full search.
//!
//! At most 1,000 radii and 100 thresholds are tried, chosen evenly from all. Settings are tuned for each external measure
//! separately, on the same partitions. Noise counts as one cluster. A partition into one cluster, which scores 0, counts
//! only if a technique finds no other, so a score below 0 means that everything it finds is worse than chance.
//!
//! `vm` and `nmi` are not corrected for chance and rise with the number of clusters; therefore linkages are cut into more
//! than 3K clusters by `ami` and `arand` only.
//!
//! # Chance
//! K-Means and X-Means depend on a seed. Their score at a setting is the mean over seeds, and the best setting is the one
//! with the best mean. There are as many seeds as it takes to know that mean: its standard error is at most .0017, except
//! for data so large that this takes too many runs (K-Means: more than 4e9 / (n d K), X-Means: more than 4e7 / (n d), at
//! least 8). K-Medoids starts from Park and Jun's seeds, and all other techniques are deterministic.
//!
//! # Order
//! Only the result of BIRCH depends on the order of rows or columns. Distances that differ by less than 1e-9 of
//! themselves are equal. The radius reported for DBSCAN lies midway between two distances that are not equal, so that
//! other programs find the same partition with it; and linkages never separate points that coincide. Remaining choices
//! between equally good candidates are made as if the rows were sorted by the sums of their distances to all others
//! ([`CentralFirst`]): the merges of linkages and of HDBSCAN, medoids, and seeds. Only points that cannot be told apart
//! by any distance, like those of a regular grid, stay in the order of the rows. A point between several clusters of
//! DBSCAN joins the largest of them.
//!
//! BIRCH reads the points one after the other, and its subclusters depend on their order. Rows in another order give
//! other scores, which differ by .1 and more on small data.
//!
//! DBSCAN with `min_samples` 1 has no noise and, at small radii, leaves nearly every point alone, which measures that are
//! not corrected for chance reward. Partitions of that kind with more clusters than half the points are reported as
//! [`TechniqueScore::near_singletons`] where they win, beside the best of the other partitions, and do not count for the
//! ground truth.

mod best_per_measure;
mod birch;
mod centroids;
mod density;
mod guided;
mod linkages;
mod race;
mod sample;
mod xmeans;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clmatch_cluster::external::{External, Truth};
use clmatch_cluster::{CentralFirst, Matrix};
use clmatch_kernels::{Control, Stop, Stopped};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::best_per_measure::BestPerMeasure;
use self::density::Trees;
use self::race::RaceRules;
pub use self::sample::stratified;

/// The number of thresholds that BIRCH tries.
pub const BIRCH_THRESHOLDS: usize = 300;
/// The first runs of each setting of a random technique: at least and at most; fewer on large data.
const FIRST_RUNS: (usize, usize) = (3, 32);
/// The most runs of each setting: at least and at most; see [`FIRST_RUNS`].
const MOST_RUNS: (usize, usize) = (8, 1 << 13);
/// The multiplications of a step of K-Means over all runs of one setting, which decides whether data is large.
const WORK: usize = 4_000_000_000;
/// One in this many of these multiplications goes into the first runs of all settings.
const FIRST_SHARE: usize = 64;

/// A clustering technique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Technique {
    /// Density hierarchy with stable clusters.
    Hdbscan,
    /// Density at one radius.
    Dbscan,
    /// Lloyd's algorithm from k-means++ seeds.
    KMeans,
    /// Park and Jun's alternating algorithm.
    KMedoids,
    /// K-Means that splits clusters by the Bayesian information criterion.
    XMeans,
    /// A tree of subclusters, merged by Ward's criterion.
    Birch,
    /// Single linkage.
    AggloSingle,
    /// Average linkage.
    AggloAverage,
    /// Complete linkage.
    AggloComplete,
}

impl Technique {
    /// All techniques, in the order of the paper.
    pub const ALL: [Technique; 9] = [
        Technique::Hdbscan,
        Technique::Dbscan,
        Technique::KMeans,
        Technique::KMedoids,
        Technique::XMeans,
        Technique::Birch,
        Technique::AggloSingle,
        Technique::AggloAverage,
        Technique::AggloComplete,
    ];

    /// The id that commands and files use.
    pub const fn id(self) -> &'static str {
        match self {
            Technique::Hdbscan => "hdbscan",
            Technique::Dbscan => "dbscan",
            Technique::KMeans => "kmeans",
            Technique::KMedoids => "kmedoids",
            Technique::XMeans => "xmeans",
            Technique::Birch => "birch",
            Technique::AggloSingle => "agglo_single",
            Technique::AggloAverage => "agglo_average",
            Technique::AggloComplete => "agglo_complete",
        }
    }

    /// Whether the technique's score depends on a seed.
    pub const fn is_random(self) -> bool {
        matches!(self, Technique::KMeans | Technique::XMeans)
    }

    /// The technique with this id.
    pub fn find(id: &str) -> Option<Technique> {
        Technique::ALL.into_iter().find(|technique| technique.id() == id)
    }
}

/// How the settings of techniques are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TruthSearch {
    /// Exhaustively where possible, on a grid elsewhere.
    #[default]
    Full,
    /// By Bayesian optimisation with 30 evaluations, as the paper's authors did.
    Paper,
}

impl TruthSearch {
    /// The word that commands and files use.
    pub const fn id(self) -> &'static str {
        match self {
            TruthSearch::Full => "full",
            TruthSearch::Paper => "paper",
        }
    }
}

/// What to compute.
#[derive(Debug, Clone, PartialEq)]
pub struct TruthSettings {
    /// The techniques to tune.
    pub techniques: Vec<Technique>,
    /// The external measures to tune them for.
    pub externals: Vec<External>,
    /// How to search the settings of the techniques.
    pub search: TruthSearch,
    /// The number of thresholds that BIRCH tries in the full search, at least 2.
    pub birch_thresholds: usize,
    /// Whether BIRCH may end with 2 .. 3K clusters, instead of 3, in the full search.
    pub birch_clusters: bool,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for TruthSettings {
    /// All techniques and measures, as in the paper.
    fn default() -> Self {
        TruthSettings {
            techniques: Technique::ALL.to_vec(),
            externals: External::ALL.to_vec(),
            search: TruthSearch::Full,
            birch_thresholds: BIRCH_THRESHOLDS,
            birch_clusters: false,
            seed: 0,
        }
    }
}

/// The best score of a technique by one external measure.
#[derive(Debug, Clone, PartialEq)]
pub struct TechniqueScore {
    /// The technique.
    pub technique: Technique,
    /// The external measure.
    pub external: External,
    /// The score.
    pub score: f64,
    /// The setting, as `name=value` words.
    pub settings: String,
    /// The seconds that the technique took for all external measures together, while the other techniques were running.
    pub seconds: f64,
    /// Whether the partition leaves nearly every point alone; if so, it does not count for the ground truth.
    pub near_singletons: bool,
}

/// Appended to the id of a technique in files if its partition leaves nearly every point alone.
const NEAR_SINGLETONS: &str = "_singletons";

impl TechniqueScore {
    /// The id of the technique as written in files: with a mark if the partition leaves nearly every point alone.
    pub fn label(&self) -> String {
        let mark = if self.near_singletons { NEAR_SINGLETONS } else { "" };
        format!("{}{mark}", self.technique.id())
    }
}

/// Whether a [`label`](TechniqueScore::label) marks a partition that leaves nearly every point alone, and so does not
/// count for the ground truth.
pub fn is_near_singletons(label: &str) -> bool {
    label.strip_suffix(NEAR_SINGLETONS).is_some_and(|technique| Technique::find(technique).is_some())
}

/// The id of the technique in a [`label`](TechniqueScore::label).
pub fn without_mark(label: &str) -> &str {
    if is_near_singletons(label) { label.trim_end_matches(NEAR_SINGLETONS) } else { label }
}

/// The approximate true CLM: the best score over the techniques, with the technique that reached it.
pub fn best(outcomes: &[TechniqueScore], external: External) -> Option<&TechniqueScore> {
    let counting = outcomes.iter().filter(|outcome| outcome.external == external && !outcome.near_singletons);
    best_of(counting, |outcome| outcome.score)
}

/// The item with the highest score, the first among equals.
pub fn best_of<T>(items: impl Iterator<Item = T>, score: impl Fn(&T) -> f64) -> Option<T> {
    items.reduce(|best, other| if score(&other) > score(&best) { other } else { best })
}

/// The dataset being worked on.
struct TechniqueJob<'a> {
    /// The points, the most central ones first, whatever their order in the file.
    points: &'a Matrix<'a>,
    truth: &'a Truth,
    /// The points in the order of the file.
    listed: &'a Matrix<'a>,
    listed_truth: &'a Truth,
    plan: &'a TruthSettings,
    stop: &'a Stop,
    control: Control<'a>,
    /// The number of finished techniques.
    done: AtomicUsize,
}

impl TechniqueJob<'_> {
    fn wants(&self, technique: Technique) -> bool {
        self.plan.techniques.contains(&technique)
    }

    /// The largest number of clusters to try: 3K, or all points.
    fn most_clusters(&self) -> usize {
        (3 * self.truth.classes()).min(self.points.n_points()).max(2)
    }

    /// A seed that depends on the master seed and a number.
    fn seed(&self, number: usize) -> u64 {
        let mut random = ChaCha8Rng::seed_from_u64(self.plan.seed);
        random.set_stream(number as u64);
        random.random()
    }

    /// The rules for racing a number of settings, each with about `clusters` clusters and as costly as `fits` fits of
    /// K-Means.
    fn rules(&self, settings: usize, clusters: usize, fits: usize) -> RaceRules<'_> {
        let work = self.points.values().len() * clusters;
        RaceRules {
            starts: 1,
            first_runs: (WORK / FIRST_SHARE / (work * settings)).clamp(FIRST_RUNS.0, FIRST_RUNS.1),
            most_runs: (WORK / (work * fits)).clamp(MOST_RUNS.0, MOST_RUNS.1),
            externals: &self.plan.externals,
        }
    }

    /// Runs a technique if it is wanted, and turns what it found into outcomes. `before` is the time already spent on it.
    fn run<S>(
        &self,
        technique: Technique,
        before: Duration,
        tune: impl FnOnce() -> Result<BestPerMeasure<S>, Stopped>,
        describe: impl Fn(&S) -> String,
    ) -> Result<Vec<TechniqueScore>, Stopped> {
        if !self.wants(technique) {
            return Ok(Vec::new());
        }
        let start = Instant::now();
        let bests = tune()?;
        let seconds = (before + start.elapsed()).as_secs_f64();
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.control.report(technique.id(), done, self.plan.techniques.len());
        Ok(self.outcomes(technique, seconds, &bests, describe))
    }

    fn outcomes<S>(
        &self,
        technique: Technique,
        seconds: f64,
        bests: &BestPerMeasure<S>,
        describe: impl Fn(&S) -> String,
    ) -> Vec<TechniqueScore> {
        let of = |&external: &External| {
            bests.get(external).map(|best| TechniqueScore {
                technique,
                external,
                score: best.score,
                settings: describe(&best.setting),
                seconds,
                near_singletons: false,
            })
        };
        self.plan.externals.iter().filter_map(of).collect()
    }
}

/// Tunes all techniques of a plan on a dataset. Each finished technique is reported to `control` as a step.
///
/// Points should be divided by their largest absolute value, as the search spaces assume.
///
/// Time: O(n^2 d) and more; minutes for 30,000 points. Memory: at most 8 n^2 bytes.
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
///
/// # Panics
/// If the numbers of points and labels differ.
pub fn ground_truth(
    points: &Matrix<'_>,
    truth: &Truth,
    plan: &TruthSettings,
    control: Control<'_>,
) -> Result<Vec<TechniqueScore>, Stopped> {
    assert_eq!(points.n_points(), truth.points(), "one label per point");
    let central = CentralFirst::of(points, control.stop())?;
    let classes = Truth::new(central.rows().iter().map(|&row| truth.codes()[row]));
    let job = TechniqueJob {
        points: central.points(),
        truth: &classes,
        listed: points,
        listed_truth: truth,
        plan,
        stop: control.stop(),
        control,
        done: AtomicUsize::new(0),
    };
    let mut outcomes = match plan.search {
        TruthSearch::Full => full_search(&job)?,
        TruthSearch::Paper => guided::ground_truth(&job)?,
    };
    outcomes.sort_by_key(|outcome| (outcome.technique, outcome.near_singletons, outcome.external));
    Ok(outcomes)
}

fn full_search(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    // Linkages that need a matrix run on one thread each, one after the other, in parallel with everything else.
    let (linkages, rest) = rayon::join(
        || -> Result<Vec<TechniqueScore>, Stopped> {
            let average = linkages::average(job)?;
            Ok([average, linkages::complete(job)?].concat())
        },
        || -> Result<Vec<TechniqueScore>, Stopped> {
            let trees = by_trees(job)?;
            let centroids = [centroids::kmeans(job)?, centroids::kmedoids(job)?].concat();
            let (xmeans, birch) = rayon::join(|| xmeans::xmeans(job), || birch::birch(job));
            Ok([trees, centroids, xmeans?, birch?].concat())
        },
    );
    Ok([rest?, linkages?].concat())
}

/// Tunes the techniques that share spanning trees.
fn by_trees(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let Some(trees) = Trees::grow(job)? else { return Ok(Vec::new()) };
    let hdbscan = density::hdbscan(job, &trees)?;
    let dbscan = density::dbscan(job, &trees)?;
    Ok([hdbscan, dbscan, linkages::single(job, &trees)?].concat())
}
