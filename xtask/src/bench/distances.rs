//! Measures that need all distances between points.

use super::Bench;
use super::contest::{Best, Side};
use super::row::{Amount, Bar, Row};
use super::workload::{DUNN, DUNN_PAIR, FEWER_PAIRS, PAIRS};

const STANDARD: f64 = 1e-9;
const ADJUSTED: f64 = 1e-7;
/// pyivm stops its geometric median at a step of 1e-5.
const MEDIAN: f64 = 1e-4;
/// scikit-learn's distances, which pyivm uses, come from a matrix product without a guard against cancellation.
const PRODUCT: f64 = 1e-6;
/// Input rounded to single precision.
const SINGLE: f64 = 1e-4;
const MISSING: &str = "a side of the contest is missing";

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    pairs(bench)?;
    fewer_pairs(bench)?;
    dunn(bench)?;
    dunn_pair(bench)
}

fn pairs(bench: &mut Bench) -> Result<(), String> {
    let name = PAIRS.name;
    let single = format!("{name}_f32");
    bench.load(&PAIRS)?;
    bench.load_single(&PAIRS)?;
    let sides = [
        Side::ours(name, "sc_a"),
        Side::ours(name, "sc"),
        Side::limit("fma"),
        Side::limit("sqrt"),
        Side::peer(name, "sklearn.sc"),
        Side::ours(&single, "sc_a"),
        Side::ours(name, "all"),
        Side::ours(name, "sc_a").on_one_thread(),
        Side::limit("fma").on_one_thread(),
        Side::limit("sqrt").on_one_thread(),
        Side::checked(name, "sc_a"),
        Side::peer(name, "genieclust.sc"),
    ];
    let bests = bench.contest(&sides)?;
    let [sc_a, sc, fma, sqrt, sklearn, sc_a_f32, all, sc_a_1, fma_1, sqrt_1, checked, genieclust] =
        &bests[..]
    else {
        return Err(MISSING.into());
    };
    let points = bench.size(&PAIRS);
    let ours = format!("sc_a, {points}");
    let kernel = kernel_limit(bench.settings.rows(PAIRS.rows), PAIRS.features, fma, sqrt);
    bench.rows.extend([
        Row::times(&ours, sc_a, "scikit-learn's silhouette", sklearn, Bar::AtLeast(12.0)),
        Row::times(&format!("{ours}, f32"), sc_a_f32, "our f64", sc_a, Bar::AtLeast(2.0)),
        Row::times(&format!("all measures, {points}"), all, "our sc_a", sc_a, Bar::AtMost(2.0)),
        Row::times(&ours, sc_a, "1 thread", sc_a_1, Bar::AtLeast(1.8)),
        Row {
            workload: format!("sc, {points}"),
            ours: sc.as_ref().map(|best| Amount::Seconds(best.seconds)).map_err(Clone::clone),
            against: kernel.name,
            theirs: kernel.seconds.map(Amount::Seconds),
            bar: Bar::AtLeast(0.5),
        },
        Row::times(
            &format!("{ours}, validation included"),
            checked,
            "scikit-learn's silhouette",
            sklearn,
            Bar::None,
        ),
        Row::times(&format!("sc, {points}"), sc, "scikit-learn's silhouette", sklearn, Bar::None),
        Row::times(&format!("sc, {points}"), sc, "genieclust's silhouette", genieclust, Bar::None),
    ]);
    bench.limit("f64 multiply-adds, 1 thread", 1e-9, "G/s", fma_1);
    bench.limit("f64 multiply-adds, 2 threads", 1e-9, "G/s", fma);
    bench.limit("f64 square roots, 1 thread", 1e-9, "G/s", sqrt_1);
    bench.limit("f64 square roots, 2 threads", 1e-9, "G/s", sqrt);
    bench.agree("pairs, scikit-learn", "sc", (sc, sklearn), STANDARD);
    bench.agree("pairs, genieclust", "sc", (sc, genieclust), STANDARD);
    bench.agree("pairs, f32 and f64", "sc_a", (sc_a, sc_a_f32), SINGLE);
    bench.agree("pairs, alone and with all", "sc_a", (sc_a, all), STANDARD);
    bench.agree("pairs, 1 thread and 2 threads", "sc_a", (sc_a, sc_a_1), 0.0);
    bench.agree("pairs, validated before and now", "sc_a", (sc_a, checked), 0.0);
    bench.free(&single)?;
    bench.free(name)
}

struct KernelLimit {
    name: String,
    seconds: Result<f64, String>,
}

/// What all distances cost at least: n^2 d / 2 multiply-adds or n^2 / 2 square roots, whichever takes longer.
fn kernel_limit(
    rows: usize,
    features: usize,
    fma: &Result<Best, String>,
    sqrt: &Result<Best, String>,
) -> KernelLimit {
    let pairs = (rows * rows) as f64 / 2.0;
    match (fma, sqrt) {
        (Ok(fma), Ok(sqrt)) => {
            let (products, roots) = (pairs * features as f64 * fma.seconds, pairs * sqrt.seconds);
            let what = if products > roots { "multiply-adds" } else { "square roots" };
            KernelLimit { name: format!("the machine's limit: {what}"), seconds: Ok(products.max(roots)) }
        }
        (Err(why), _) | (_, Err(why)) => {
            KernelLimit { name: "the machine's limit".to_owned(), seconds: Err(why.clone()) }
        }
    }
}

fn fewer_pairs(bench: &mut Bench) -> Result<(), String> {
    let name = FEWER_PAIRS.name;
    bench.load(&FEWER_PAIRS)?;
    let bests = bench.contest(&[Side::ours(name, "sc_a"), Side::peer(name, "pyivm.sc_a")])?;
    let [sc_a, pyivm] = &bests[..] else {
        return Err(MISSING.into());
    };
    let ours = format!("sc_a, {}", bench.size(&FEWER_PAIRS));
    bench.rows.push(Row::times(&ours, sc_a, "pyivm's sc_a", pyivm, Bar::AtLeast(450.0)));
    bench.agree("fewer pairs, pyivm", "sc_a", (sc_a, pyivm), ADJUSTED);
    bench.free(name)
}

fn dunn(bench: &mut Bench) -> Result<(), String> {
    let name = DUNN.name;
    bench.load(&DUNN)?;
    let sides = [
        Side::ours(name, "di"),
        Side::peer(name, "genieclust.di"),
        Side::ours(name, "di_a"),
        Side::peer(name, "genieclust.di_mean"),
        Side::ours(name, "sc"),
        Side::peer(name, "genieclust.sc"),
        Side::peer(name, "permetrics.di"),
        Side::peer(name, "permetrics.sc"),
        Side::peer(name, "pyivm.di_a"),
    ];
    let bests = bench.contest(&sides)?;
    let [di, genieclust, di_a, genieclust_mean, sc, genieclust_sc, permetrics, permetrics_sc, pyivm] =
        &bests[..]
    else {
        return Err(MISSING.into());
    };
    let [di_is, di_a_is, sc_is] = ["di", "di_a", "sc"].map(|id| format!("{id}, {}", bench.size(&DUNN)));
    let bar = Bar::AtLeast(20.0);
    bench.rows.extend([
        Row::times(&di_is, di, "genieclust's Dunn", genieclust, bar),
        Row::times(&di_is, di, "permetrics' Dunn", permetrics, Bar::None),
        Row::times(&di_a_is, di_a, "pyivm's di_a", pyivm, bar),
        Row::times(&di_a_is, di_a, "genieclust's Dunn of means", genieclust_mean, bar),
        Row::times(&sc_is, sc, "genieclust's silhouette", genieclust_sc, Bar::None),
        Row::times(&sc_is, sc, "permetrics' silhouette", permetrics_sc, Bar::None),
    ]);
    bench.agree("dunn, genieclust", "di", (di, genieclust), STANDARD);
    bench.agree("dunn, permetrics", "di", (di, permetrics), STANDARD);
    bench.agree("dunn, pyivm", "di_a", (di_a, pyivm), MEDIAN);
    bench.agree("dunn, genieclust", "sc", (sc, genieclust_sc), STANDARD);
    bench.agree("dunn, permetrics", "sc", (sc, permetrics_sc), STANDARD);
    bench.free(name)
}

fn dunn_pair(bench: &mut Bench) -> Result<(), String> {
    let name = DUNN_PAIR.name;
    bench.load(&DUNN_PAIR)?;
    let sides = [
        Side::ours(name, "di"),
        Side::peer(name, "pyivm.di"),
        Side::ours(name, "di_a"),
        Side::peer(name, "pyivm.di_a"),
        Side::peer(name, "genieclust.di"),
    ];
    let bests = bench.contest(&sides)?;
    let [di, pyivm, di_a, pyivm_a, genieclust] = &bests[..] else {
        return Err(MISSING.into());
    };
    let [di_is, di_a_is] = ["di", "di_a"].map(|id| format!("{id}, {}", bench.size(&DUNN_PAIR)));
    let bar = Bar::AtLeast(20.0);
    bench.rows.extend([
        Row::times(&di_is, di, "pyivm's di", pyivm, bar),
        Row::times(&di_is, di, "genieclust's Dunn", genieclust, bar),
        Row::times(&di_a_is, di_a, "pyivm's di_a", pyivm_a, bar),
    ]);
    bench.agree("dunn pair, pyivm", "di", (di, pyivm), PRODUCT);
    bench.agree("dunn pair, pyivm", "di_a", (di_a, pyivm_a), MEDIAN);
    bench.free(name)
}
