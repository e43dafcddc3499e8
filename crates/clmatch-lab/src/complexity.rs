//! The paper's table of time complexities: how run times grow with points, dimensions and classes.
//!
//! The paper gives O(n d) for CH and the steps towards its adjusted form, and O(n d K) for CH_A itself, because every
//! class takes part in K - 1 pairs. Here all measures are timed on normal noise, and the exponents are fitted on the
//! logarithmic scale: 1 is linear growth, 2 quadratic, 0 none.

use std::time::Instant;

use clmatch::measure::find;
use clmatch::{Classes, Labels, Measure, Points, evaluate};
use clmatch_kernels::Control;
use clmatch_render::number::{duration, significant};
use clmatch_render::{Line, LinePlot, csv, markdown};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::claims::Claim;
use crate::failure::Failure;
use crate::findings::{File, Findings};
use crate::names;

/// The measures that read the data once, followed by those that compare all points with each other.
const MEASURES: [&str; 6] = ["ch", "ch_a", "xb_a", "db_a", "di_a", "sc_a"];
/// How often each time is measured; the shortest counts.
const REPEATS: usize = 5;
/// The exponents that count as linear: caches and threads bend the lines.
const LINEAR: std::ops::Range<f64> = 0.7..1.3;

/// The factor that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Factor {
    Points,
    Dimensions,
    Classes,
}

/// The size of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DatasetSize {
    points: usize,
    dimensions: usize,
    classes: usize,
}

impl Factor {
    const ALL: [Factor; 3] = [Factor::Points, Factor::Dimensions, Factor::Classes];

    const fn name(self) -> &'static str {
        match self {
            Factor::Points => "points",
            Factor::Dimensions => "dimensions",
            Factor::Classes => "classes",
        }
    }

    /// The datasets along this factor, which differ in nothing else; `largest` is a share of the full size, for tests.
    fn shapes(self, largest: usize) -> Vec<DatasetSize> {
        let base = DatasetSize { points: 4 * largest, dimensions: 32, classes: 4 };
        let doubled = |from: usize, to: usize| {
            std::iter::successors(Some(from), |value| Some(2 * value)).take_while(move |&value| value <= to)
        };
        match self {
            Factor::Points => {
                doubled(largest, 16 * largest).map(|points| DatasetSize { points, ..base }).collect()
            }
            Factor::Dimensions => {
                doubled(16, 256).map(|dimensions| DatasetSize { dimensions, ..base }).collect()
            }
            Factor::Classes => doubled(2, 32).map(|classes| DatasetSize { classes, ..base }).collect(),
        }
    }

    fn of(self, shape: &DatasetSize) -> usize {
        match self {
            Factor::Points => shape.points,
            Factor::Dimensions => shape.dimensions,
            Factor::Classes => shape.classes,
        }
    }
}

/// The times of one measure along one factor.
struct Curve {
    measure: &'static str,
    factor: Factor,
    /// Pairs of size and seconds.
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// The slope of the least-squares line through the logarithms.
    fn exponent(&self) -> f64 {
        let logs: Vec<(f64, f64)> =
            self.points.iter().map(|(size, seconds)| (size.ln(), seconds.ln())).collect();
        let count = logs.len() as f64;
        let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
        let above: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
        above / logs.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
    }
}

/// What to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComplexitySettings {
    /// The number of points of the smallest dataset; the largest has sixteen times as many.
    pub points: usize,
    /// The seed of the data.
    pub seed: u64,
}

impl Default for ComplexitySettings {
    fn default() -> Self {
        ComplexitySettings { points: 1024, seed: 0 }
    }
}

/// Measures the times. Every dataset is reported to `control`.
///
/// # Errors
/// [`Failure::Stopped`] if `control` stops the work.
pub fn findings(plan: &ComplexitySettings, control: Control<'_>) -> Result<Findings, Failure> {
    let mut curves: Vec<Curve> = Vec::new();
    let all: Vec<(Factor, DatasetSize)> = Factor::ALL
        .into_iter()
        .flat_map(|factor| factor.shapes(plan.points).into_iter().map(move |shape| (factor, shape)))
        .collect();
    for (at, (factor, shape)) in all.iter().enumerate() {
        let (values, labels) = noise(*shape, plan.seed);
        let classes = Classes::new(Points::new(&values, shape.dimensions)?, &labels)?;
        for measure in MEASURES {
            control.stop().check()?;
            let Some(found) = find(measure) else { continue };
            let point = (factor.of(shape) as f64, seconds(&classes, found)?);
            match curves.iter_mut().find(|curve| curve.measure == measure && curve.factor == *factor) {
                Some(curve) => curve.points.push(point),
                None => curves.push(Curve { measure, factor: *factor, points: vec![point] }),
            }
        }
        control.report("datasets", at + 1, all.len());
    }
    Ok(report(&curves, plan))
}

/// Standard normal points, with labels in turn.
fn noise(shape: DatasetSize, seed: u64) -> (Vec<f64>, Labels) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let values = (0..shape.points * shape.dimensions).map(|_| StandardNormal.sample(&mut random)).collect();
    (values, Labels::encode((0..shape.points).map(|point| point % shape.classes)))
}

fn seconds(classes: &Classes<'_>, measure: &'static Measure) -> Result<f64, Failure> {
    let mut shortest = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        evaluate(classes, &[measure])?;
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    Ok(shortest)
}

fn report(curves: &[Curve], plan: &ComplexitySettings) -> Findings {
    let exponent = |measure: &str, factor: Factor| {
        let curve = curves.iter().find(|curve| curve.measure == measure && curve.factor == factor);
        curve.map_or(f64::NAN, Curve::exponent)
    };
    let shown = |measure: &str| {
        Factor::ALL.map(|factor| format!("{} {:.2}", factor.name(), exponent(measure, factor))).join(", ")
    };
    let files = Factor::ALL.map(|factor| File { name: figure(factor), text: plot(curves, factor).svg() });
    let claims = vec![
        Claim::sentence(
            "CH takes O(n d)",
            "points 1, dimensions 1, classes 0",
            shown("ch"),
            [Factor::Points, Factor::Dimensions]
                .iter()
                .all(|&factor| LINEAR.contains(&exponent("ch", factor)))
                && exponent("ch", Factor::Classes) < LINEAR.start,
        ),
        Claim::sentence(
            "CH<sub>A</sub> takes O(n d K)",
            "points 1, dimensions 1, classes 1",
            format!("{} (at most linear is enough)", shown("ch_a")),
            Factor::ALL.iter().all(|&factor| exponent("ch_a", factor) < LINEAR.end),
        ),
    ];
    Findings {
        name: "complexity",
        reading: None,
        title: "Complexity: how run times grow".into(),
        summary: format!("exponents of CH<sub>A</sub>: {}", shown("ch_a")),
        claims,
        page: page(curves, plan, &exponent),
        files: std::iter::once(File { name: "complexity.csv".into(), text: raw(curves) })
            .chain(files)
            .collect(),
    }
}

fn figure(factor: Factor) -> String {
    format!("complexity-{}.svg", factor.name())
}

fn plot(curves: &[Curve], factor: Factor) -> LinePlot {
    let lines = curves.iter().filter(|curve| curve.factor == factor);
    let line =
        |curve: &Curve| Line { name: names::name(curve.measure).to_owned(), points: curve.points.clone() };
    LinePlot {
        title: String::new(),
        x: factor.name().into(),
        y: "seconds".into(),
        lines: lines.map(line).collect(),
        marks: Vec::new(),
        log: true,
    }
}

fn page(curves: &[Curve], plan: &ComplexitySettings, exponent: &dyn Fn(&str, Factor) -> f64) -> String {
    let rows: Vec<Vec<String>> = MEASURES
        .iter()
        .map(|measure| {
            let numbers =
                Factor::ALL.map(|factor| format!("{:.2}", exponent(measure, factor)).replace('-', "−"));
            let longest =
                curves.iter().filter(|curve| curve.measure == *measure).flat_map(|curve| &curve.points);
            let longest = longest.map(|(_, seconds)| *seconds).fold(0.0, f64::max);
            std::iter::once(names::markdown(measure)).chain(numbers).chain([duration(longest)]).collect()
        })
        .collect();
    let figures: String = Factor::ALL
        .map(|factor| {
            format!("![{0}]({1})\n\n*Seconds against the number of {0}.*\n\n", factor.name(), figure(factor))
        })
        .concat();
    let ranges: Vec<String> = Factor::ALL
        .iter()
        .map(|factor| {
            let sizes: Vec<String> =
                factor.shapes(plan.points).iter().map(|shape| factor.of(shape).to_string()).collect();
            format!("{}: {}", factor.name(), sizes.join(", "))
        })
        .collect();
    format!(
        "Times of single measures on normal noise with {} points, 32 dimensions and 4 classes, of which one number changes at a \
         time ({}; seed {}); the shortest of {REPEATS} computations with all threads. The exponents are the slopes of lines \
         through the logarithms: 1 is linear growth.\n\n{}\n{figures}CH<sub>A</sub> grows with the number of classes less than \
         the paper's O(n d K): all pairs of classes follow from one summary of each class. DI<sub>A</sub> and SC<sub>A</sub> \
         compare all points with each other.\n",
        4 * plan.points,
        ranges.join("; "),
        plan.seed,
        markdown::table(&["measure", "points", "dimensions", "classes", "longest time"], 1, &rows)
    )
}

fn raw(curves: &[Curve]) -> String {
    let rows: Vec<Vec<String>> = curves
        .iter()
        .flat_map(|curve| {
            curve.points.iter().map(|(size, seconds)| {
                vec![
                    curve.measure.to_owned(),
                    curve.factor.name().to_owned(),
                    significant(*size, 6),
                    significant(*seconds, 4),
                ]
            })
        })
        .collect();
    csv::table(&["measure", "factor", "size", "seconds"], &rows)
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::Stop;

    use super::*;

    #[test]
    fn exponents_are_the_slopes_of_logarithms() {
        let points = [1.0_f64, 2.0, 4.0, 8.0].map(|size| (size, 3.0 * size.powf(1.5))).to_vec();
        let curve = Curve { measure: "ch", factor: Factor::Points, points };
        assert!((curve.exponent() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn every_measure_has_a_line_for_every_factor() {
        let plan = ComplexitySettings { points: 16, seed: 0 };
        let found = findings(&plan, Control::new(&Stop::new())).unwrap();
        assert_eq!(found.files[0].text.lines().count(), 1 + MEASURES.len() * 15);
        assert!(found.page.contains("| CH<sub>A</sub> |") && found.files.len() == 4, "{}", found.page);
    }
}
