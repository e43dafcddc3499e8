//! The second form of `clm`: the mean over pairs of classes, where every point that is alone in a cut is a cluster of its
//! own. The library no longer has it; experiments show it beside the other two forms.

use clmatch::{Classes, Evaluation};
use clmatch_kernels::trees::{Points, Tree, spanning_tree};
use clmatch_kernels::{Control, Stopped};

/// Squared lengths below this share of the scatter of a pair count as 0, and lengths whose relative difference is smaller
/// count as equal.
const TOUCHING: f64 = 1e-12;
const TIE: f64 = 1e-9;

/// The second form for classes that were evaluated by `clm`; NaN if that evaluation is not exact.
///
/// Time: O(n N d) for the trees of all pairs with N points each. Memory: O(N d).
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
pub(crate) fn second_form(
    classes: &Classes<'_>,
    evaluation: &Evaluation,
    control: Control<'_>,
) -> Result<f64, Stopped> {
    let Some(terms) = &evaluation.terms else { return Ok(f64::NAN) };
    let mut sum = 0.0;
    for ((a, b), terms) in classes.pairs().zip(&terms.pairs) {
        let kappa = kappa(classes, [a, b], control)?;
        sum += (1.0 - (1.0 - terms.eta) * (1.0 - kappa) + kappa + terms.nu) / 3.0;
    }
    Ok(sum / terms.pairs.len() as f64)
}

/// The largest adjusted Rand index between the two classes and a cut of their tree, at least 0.
fn kappa(classes: &Classes<'_>, pair: [usize; 2], control: Control<'_>) -> Result<f64, Stopped> {
    let (points, features) = (classes.points(), classes.points().n_features());
    let rows = pair.iter().flat_map(|&class| &classes.order()[classes.range(class)]);
    let mut values: Vec<f64> = rows
        .flat_map(|row| (0..features).map(move |feature| points.values().get(row * features + feature)))
        .collect();
    let n = values.len() / features;
    let mut scatter = 0.0;
    for feature in 0..features {
        let mean = values.iter().skip(feature).step_by(features).sum::<f64>() / n as f64;
        for value in values.iter_mut().skip(feature).step_by(features) {
            *value -= mean;
            scatter += *value * *value / n as f64;
        }
    }
    let tree = spanning_tree(Points::new(&values, features), (0..n as u32).collect(), control.quiet())?;
    Ok(best_cut(&tree, classes.size(pair[0]), TOUCHING * scatter))
}

/// The best index over all cuts. The points before `first` belong to one class, the others to the second.
fn best_cut(tree: &Tree, first: usize, touching: f64) -> f64 {
    let n = tree.n_points();
    let pairs = |count: usize| (count * count.saturating_sub(1) / 2) as f64;
    let (all, of_one_class) = (pairs(n), pairs(first) + pairs(n - first));
    // A cluster is a run of places; its first and last places know the whole run.
    let mut runs: Vec<(usize, usize)> = (0..n).map(|place| (place, place)).collect();
    let mut before = vec![0; n + 1];
    for (place, &point) in tree.order().iter().enumerate() {
        before[place + 1] = before[place] + usize::from((point as usize) < first);
    }
    let gap = |at: usize| Some(tree.gaps()[at]).filter(|gap| *gap >= touching).unwrap_or(0.0);
    let (mut together, mut in_both, mut best) = (0.0, 0.0, 0.0_f64);
    for (turn, &place) in tree.ascending().iter().enumerate() {
        let place = place as usize;
        let (start, end) = (runs[place].0, runs[place + 1].1);
        runs[start].1 = end;
        runs[end].0 = start;
        let sizes = [place + 1 - start, end - place];
        let firsts = [before[place + 1] - before[start], before[end + 1] - before[place + 1]];
        together += (sizes[0] * sizes[1]) as f64;
        in_both += (firsts[0] * firsts[1] + (sizes[0] - firsts[0]) * (sizes[1] - firsts[1])) as f64;
        let next = tree.ascending().get(turn + 1).map_or(f64::INFINITY, |&next| gap(next as usize));
        let expected = of_one_class * together / all;
        let most = (of_one_class + together) / 2.0 - expected;
        if next > gap(place) * (1.0 + TIE) && most > 0.0 {
            best = best.max((in_both - expected) / most);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::measure::find;
    use clmatch::{Labels, Points as Input, evaluate};
    use clmatch_data::{ReadOptions, Scale, find as find_datasets, read};

    /// a: 0, 1, 10; b: 11, 12.5. For {0 1} {10 11 12.5} the index is .1667; for {0 1} {10 11} {12.5}, where 12.5 is a
    /// cluster, it is .0909.
    #[test]
    fn a_cut_by_hand() {
        let points = Input::new(vec![0.0, 1.0, 10.0, 11.0, 12.5], 1).unwrap();
        let classes = Classes::new(points, &Labels::encode(["a", "a", "a", "b", "b"])).unwrap();
        let found = kappa(&classes, [0, 1], Control::none()).unwrap();
        assert!((found - 0.4 / 2.4).abs() < 1e-15, "{found}");
    }

    /// The values of a simple program for 18 datasets, as far as they are available.
    #[test]
    fn reference_values_are_reproduced() {
        let shared = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
        let Ok(reference) = std::fs::read_to_string(shared.join("reference/clm.csv")) else {
            println!("no reference values beside the checkout: nothing is compared");
            return;
        };
        for line in reference.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let expected: f64 = fields[4].parse().unwrap();
            let sources = find_datasets(&[shared.join("datasets").join(fields[0])]).unwrap();
            let mut dataset = read(&sources[0], &ReadOptions::default()).unwrap();
            dataset.scale(Scale::MaxAbs);
            let classes = Classes::new(dataset.points(), dataset.labels()).unwrap();
            let evaluation = evaluate(&classes, &[find("clm").unwrap()]).unwrap();
            let found = second_form(&classes, &evaluation, Control::none()).unwrap();
            assert!((found - expected).abs() < 1e-9, "{}: {found} {expected}", fields[0]);
        }
    }
}
