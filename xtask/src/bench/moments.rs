//! Measures that need one read of the data.

use super::Bench;
use super::contest::{Best, Side};
use super::row::{Bar, Row};
use super::workload::{HUNDRED_CLASSES, MILLION, TWO_CLASSES};

/// pyivm adds up in another order and takes exponentials of large numbers.
const ADJUSTED: f64 = 1e-7;
const STANDARD: f64 = 1e-9;

pub fn measure(bench: &mut Bench) -> Result<(), String> {
    million(bench)?;
    classes(bench)
}

fn million(bench: &mut Bench) -> Result<(), String> {
    let name = MILLION.name;
    bench.load(&MILLION)?;
    let sides = [
        Side::ours(name, "ch_a"),
        Side::limit(&format!("read {name}")),
        Side::limit("fma"),
        Side::peer(name, "sklearn.ch"),
        Side::ours(name, "ch_a").on_one_thread(),
        Side::limit(&format!("read {name}")).on_one_thread(),
        Side::checked(name, "ch_a"),
        Side::ours(name, "ch"),
        Side::ours(name, "db"),
        Side::peer(name, "sklearn.db"),
        Side::peer(name, "pyivm.ch_a"),
    ];
    let bests = bench.contest(&sides)?;
    let [ch_a, read, fma, sklearn, ch_a_1, read_1, checked, ch, db, sklearn_db, pyivm] = &bests[..] else {
        return Err("a side of the contest is missing".into());
    };
    let points = bench.size(&MILLION);
    let ours = format!("ch_a, {points}");
    let count = bench.settings.rows(MILLION.rows) as f64 * multiply_adds(MILLION.features);
    let arithmetic = fma.clone().map(|fma| Best { seconds: count * fma.seconds, values: Vec::new() });
    bench.rows.extend([
        Row::times(&ours, ch_a, "pyivm's ch_a", pyivm, Bar::AtLeast(100.0)),
        Row::times(&ours, ch_a, "scikit-learn's CH", sklearn, Bar::AtLeast(5.0)),
        Row::times(&ours, ch_a, "a summing read", read, Bar::AtMost(2.5)),
        // Memory and arithmetic of a shared machine slow down apart: this tells which of them it was.
        Row::times(&ours, ch_a, "its multiply-adds alone", &arithmetic, Bar::None),
        Row::times(&ours, ch_a, "1 thread", ch_a_1, Bar::AtLeast(1.8)),
        Row::times(&format!("{ours}, validation included"), checked, "scikit-learn's CH", sklearn, Bar::None),
        Row::times(&format!("ch, {points}"), ch, "scikit-learn's CH", sklearn, Bar::None),
        Row::times(&format!("db, {points}"), db, "scikit-learn's DB", sklearn_db, Bar::None),
    ]);
    let bytes = (bench.settings.rows(MILLION.rows) * MILLION.features * 8) as f64;
    bench.limit("read, 1 thread", bytes / 1e9, "GB/s", read_1);
    bench.limit("read, 2 threads", bytes / 1e9, "GB/s", read);
    bench.agree("million, pyivm", "ch_a", (ch_a, pyivm), ADJUSTED);
    bench.agree("million, scikit-learn", "ch", (ch, sklearn), STANDARD);
    bench.agree("million, scikit-learn", "db", (db, sklearn_db), STANDARD);
    bench.agree("million, 1 thread and 2 threads", "ch_a", (ch_a, ch_a_1), 0.0);
    bench.agree("million, validated before and now", "ch_a", (ch_a, checked), 0.0);
    bench.free(name)
}

/// Multiply-adds for a point: the squares of 8 x 8 features in the upper triangle of a scatter matrix, and two vectors.
fn multiply_adds(features: usize) -> f64 {
    let blocks = features.div_ceil(8);
    (blocks * (blocks + 1) / 2 * 64 + 2 * 8 * blocks) as f64
}

fn classes(bench: &mut Bench) -> Result<(), String> {
    let (many, few) = (HUNDRED_CLASSES.name, TWO_CLASSES.name);
    bench.load(&HUNDRED_CLASSES)?;
    bench.load(&TWO_CLASSES)?;
    let sides = [Side::ours(many, "ch_a"), Side::ours(few, "ch_a"), Side::peer(few, "pyivm.ch_a")];
    let bests = bench.contest(&sides)?;
    let [hundred, two, pyivm] = &bests[..] else {
        return Err("a side of the contest is missing".into());
    };
    let ours = format!("ch_a, {}", bench.size(&HUNDRED_CLASSES));
    bench.rows.push(Row::times(&ours, hundred, "K = 2", two, Bar::AtMost(3.0)));
    bench.agree("two classes, pyivm", "ch_a", (two, pyivm), ADJUSTED);
    bench.free(many)?;
    bench.free(few)
}
