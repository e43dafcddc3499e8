//! The generated datasets: Gaussian classes of equal size in random order, from fixed seeds.

/// A dataset to be generated.
pub struct Workload {
    pub name: &'static str,
    pub rows: usize,
    pub features: usize,
    pub classes: usize,
    pub seed: u64,
}

/// 512 MB of f64: far beyond what most caches hold.
pub const MILLION: Workload =
    Workload { name: "million", rows: 1_000_000, features: 64, classes: 10, seed: 1 };
/// Few classes, for comparison with many.
pub const TWO_CLASSES: Workload =
    Workload { name: "two_classes", rows: 200_000, features: 32, classes: 2, seed: 2 };
/// Many classes.
pub const HUNDRED_CLASSES: Workload =
    Workload { name: "hundred_classes", rows: 200_000, features: 32, classes: 100, seed: 3 };
/// 200 million pairs of points.
pub const PAIRS: Workload = Workload { name: "pairs", rows: 20_000, features: 64, classes: 10, seed: 4 };
/// The same with two classes, for the trees of pairs of classes.
pub const TREES_2: Workload = Workload { name: "trees_2", rows: 20_000, features: 64, classes: 2, seed: 11 };
/// With a hundred.
pub const TREES_100: Workload =
    Workload { name: "trees_100", rows: 20_000, features: 64, classes: 100, seed: 12 };
/// With a thousand: half a million pairs of classes.
pub const TREES_1000: Workload =
    Workload { name: "trees_1000", rows: 20_000, features: 64, classes: 1_000, seed: 13 };
/// Small enough for pyivm's loops over points.
pub const FEWER_PAIRS: Workload =
    Workload { name: "fewer_pairs", rows: 5_000, features: 64, classes: 10, seed: 5 };
/// As large as iris, where a call costs more than the work.
pub const IRIS: Workload = Workload { name: "iris", rows: 150, features: 4, classes: 3, seed: 14 };
/// For Dunn's index.
pub const DUNN: Workload = Workload { name: "dunn", rows: 10_000, features: 16, classes: 10, seed: 6 };
/// Two classes, where pyivm's `dunn` is Dunn's index: it looks at the distance between the first two only.
pub const DUNN_PAIR: Workload =
    Workload { name: "dunn_pair", rows: 10_000, features: 16, classes: 2, seed: 7 };
/// For the search for features: two classes, as reading is cheapest then.
pub const FEATURES: Workload =
    Workload { name: "features", rows: 20_000, features: 100, classes: 2, seed: 9 };

/// Many classes, for external measures.
pub const PARTITIONS: Workload =
    Workload { name: "partitions", rows: 20_000, features: 2, classes: 50, seed: 9 };
/// For clustering techniques.
pub const CLUSTERS: Workload =
    Workload { name: "clusters", rows: 20_000, features: 16, classes: 10, seed: 10 };

/// A table for the readers: 1,000,000 rows of 32 numbers and a label make 300 MB of CSV.
pub const TABLE_ROWS: usize = 1_000_000;
pub const TABLE_FEATURES: usize = 32;
pub const TABLE_SEED: u64 = 8;
