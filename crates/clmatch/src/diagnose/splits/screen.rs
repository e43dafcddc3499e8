//! Checks whether a class falls into clusters that lie apart; cheap enough to be run for every class along with each score.
//!
//! At most [`SAMPLE`] points of a class are examined. They are cut in two by 2-means, by Ward's last merges, and by the longest
//! edge of their spanning tree with at least [`LEAST`] of the points on either side. A cut is a split if the parts lie apart
//! along the line between their centres (`eta` of at least .5) and one of these holds:
//!
//! * there is a valley between the parts (v below .45, see [`plane`]), and their pair score is at least .8;
//! * the shortest distance between the parts is an outlier among the edges of the spanning tree: it exceeds their median by 2.5
//!   times as much as their 90% quantile does. Where values are rounded it also exceeds three of their steps;
//! * both parts have 10 points, there is a deep valley (v below .5), and neighbours cross the cut at most .4 times as often as
//!   they cross a cut through either part.
//!
//! In addition, most points of either part must have their nearest neighbours in their own class: a group of wrong labels is not
//! a part. If both parts have 20 points, eleven subsamples of 80% are examined too: the split is certain if 7 of them split, and
//! there is none if fewer than 5 do.
//!
//! [`diagnose`](crate::diagnose) is more thorough: it leaves out suspect points first, and uses all points of a class.

use clmatch_kernels::trees::Tree;
use clmatch_kernels::{Control, parallel};

use super::{plane, proposals, resolution, sides, smaller_side, ward};
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::evaluate_with;
use crate::kernels::frame::Frame;
use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::kernels::stream::Origin;
use crate::labels::Labels;
use crate::matrix::Matrix;
use crate::measure::CLM_PAIRS;
use crate::measure::clm::ClmTerms;
use crate::points::Points;

/// How many points of a class are examined, at most.
pub(crate) const SAMPLE: usize = 400;
/// Classes smaller than this are not examined.
const FEWEST: usize = 30;
/// The smallest part: at least this many points, and this share of the points that are cut.
const LEAST: (usize, f64) = (4, 0.07);
/// If both parts have at least this many points, a split is certain if it is found again.
const LARGE: usize = 20;
/// How many of Ward's merges are tried.
const MERGES: usize = 3;
/// The largest valley and the smallest pair score of parts that lie apart.
const APART: (f64, f64) = (0.45, 0.8);
/// The smallest `eta` along the line between the centres of two parts.
const LINE: f64 = 0.5;
/// How much of an outlier the shortest distance between parts must be among the edges of the tree.
const GAP: f64 = 2.5;
/// How many steps of rounded values such a distance must exceed.
const STEPS: f64 = 3.0;
/// A part needs this many points to show how often neighbours cross.
const SEVERAL: usize = 10;
/// For parts whose neighbours seldom cross: the largest valley, the least `eta`, and how often they may cross, compared with
/// other cuts.
const SELDOM: (f64, f64, f64) = (0.5, 0.6, 0.4);
/// How many subsamples a split between large parts is looked for in, and their share of the points.
const DRAWS: usize = 11;
const DRAWN: f64 = 0.8;
/// A split is certain if it is found in this many subsamples, and there is none if it is found in fewer than `POSSIBLE`.
const CERTAIN: usize = 7;
const POSSIBLE: usize = 5;
/// How many points are searched for the neighbours of a part.
const ASKED: usize = 20_000;
/// How many neighbours decide whether a point is among its own class.
const NEIGHBOURS: usize = 5;

/// A class that falls into clusters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SplitClass {
    /// The number of the class.
    pub class: usize,
    /// The share of the class in each cluster, the largest first.
    pub shares: Vec<f64>,
    /// Whether the clusters are large enough, and found often enough, to be sure.
    pub certain: bool,
}

/// Finds the classes that fall into clusters which lie apart, from a sample of each class. Cheaper and coarser than
/// [`class_parts()`](crate::diagnose::class_parts). `seed` determines samples and starts.
///
/// ```
/// use clmatch::diagnose::split_classes;
/// use clmatch::{Classes, Control, Labels, Points};
/// // Three runs of points on a line, under two labels.
/// let values: Vec<f64> = (0..150).map(|row| f64::from(row % 50 + 500 * (row / 50))).collect();
/// let labels = Labels::encode((0..150).map(|row| if row < 100 { "a" } else { "b" }));
/// let classes = Classes::new(Points::new(values, 1)?, &labels)?;
/// let found = split_classes(&classes, 0, Control::none())?;
/// assert_eq!((found.len(), found[0].class, found[0].certain), (1, 0, true));
/// assert_eq!(found[0].shares, [0.5, 0.5]);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::Stopped`] if `control` stops the work.
pub fn split_classes(
    classes: &Classes<'_>,
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<SplitClass>, DataError> {
    let sample = sampled(classes, seed);
    let frame = Frame::new(&sample, &Origin::exact(&sample));
    let steps = resolution::steps(&frame);
    let of_class = |class: usize| -> Result<Option<SplitClass>, DataError> {
        let range = frame.starts[class]..frame.starts[class + 1];
        if range.len() < FEWEST {
            return Ok(None);
        }
        let values = &frame.rows[range.start * frame.features..range.end * frame.features];
        let points = Matrix::trusted(values, frame.features);
        let random = SplitMix::new(seed.wrapping_add(class as u64));
        let mut screen = Screen { points: &points, steps: &steps, random, control };
        let everyone: Vec<usize> = (0..range.len()).collect();
        let Some([a, b]) = screen.split(&everyone)? else { return Ok(None) };
        let is_large = a.len().min(b.len()) >= LARGE;
        let found = if is_large { screen.again(&everyone)? } else { POSSIBLE };
        if found < POSSIBLE {
            return Ok(None);
        }
        let certain = found >= CERTAIN;
        let mut parts = screen.divide(a)?;
        parts.extend(screen.divide(b)?);
        parts.retain(|part| belongs(&frame, class, part));
        if parts.len() < 2 {
            return Ok(None);
        }
        let all = parts.iter().map(Vec::len).sum::<usize>() as f64;
        let mut shares: Vec<f64> = parts.iter().map(|part| part.len() as f64 / all).collect();
        shares.sort_by(|a, b| b.total_cmp(a));
        Ok(Some(SplitClass { class, shares, certain }))
    };
    let found = parallel::try_map_range(classes.n_classes(), of_class)?;
    Ok(found.into_iter().flatten().collect())
}

/// At most [`SAMPLE`] points of each class.
fn sampled<'a>(classes: &'a Classes<'_>, seed: u64) -> Classes<'a> {
    let mut random = SplitMix::new(seed);
    let (mut order, mut starts) = (Vec::new(), vec![0]);
    for class in 0..classes.n_classes() {
        let mut rows = classes.order()[classes.range(class)].to_vec();
        if rows.len() > SAMPLE {
            random.shuffle(&mut rows);
            rows.truncate(SAMPLE);
            rows.sort_unstable();
        }
        order.extend(rows);
        starts.push(order.len());
    }
    classes.regrouped(order, starts)
}

/// Whether at least half of the points of a part have most of their nearest neighbours in their class.
fn belongs(frame: &Frame, class: usize, part: &[usize]) -> bool {
    let own = frame.starts[class]..frame.starts[class + 1];
    // Where there are very many points, only one in every `stride` is searched.
    let stride = frame.len().div_ceil(ASKED);
    let among_own = |&at: &usize| {
        let point = own.start + at;
        let mut nearest: Vec<(f64, bool)> = (0..frame.len())
            .step_by(stride)
            .filter(|&other| other != point)
            .map(|other| (squared_distance(frame.row(point), frame.row(other)), own.contains(&other)))
            .collect();
        let wanted = NEIGHBOURS.min(nearest.len());
        nearest.select_nth_unstable_by(wanted - 1, |a, b| a.0.total_cmp(&b.0));
        2 * nearest[..wanted].iter().filter(|(_, own)| *own).count() >= wanted
    };
    2 * part.iter().filter(|at| among_own(at)).count() >= part.len()
}

/// The search for the clusters of one class.
struct Screen<'a> {
    points: &'a Matrix<'a>,
    /// For each feature: the step between its values, 0 if it has none.
    steps: &'a [f64],
    random: SplitMix,
    control: Control<'a>,
}

impl Screen<'_> {
    /// The clusters among some points.
    fn divide(&mut self, members: Vec<usize>) -> Result<Vec<Vec<usize>>, DataError> {
        let Some([a, b]) = self.split(&members)? else { return Ok(vec![members]) };
        let mut parts = self.divide(a)?;
        parts.extend(self.divide(b)?);
        Ok(parts)
    }

    /// In how many of [`DRAWS`] subsamples these points split, too; counts up to [`CERTAIN`].
    fn again(&mut self, members: &[usize]) -> Result<usize, DataError> {
        let mut found = 0;
        for _ in 0..DRAWS {
            let mut some = members.to_vec();
            self.random.shuffle(&mut some);
            some.truncate((DRAWN * members.len() as f64).ceil() as usize);
            some.sort_unstable();
            found += usize::from(self.split(&some)?.is_some());
            if found == CERTAIN {
                break;
            }
        }
        Ok(found)
    }

    /// The first of the proposed cuts that is a split.
    fn split(&mut self, members: &[usize]) -> Result<Option<[Vec<usize>; 2]>, DataError> {
        self.control.check()?;
        let least = LEAST.0.max((LEAST.1 * members.len() as f64).floor() as usize);
        if members.len() < 2 * least {
            return Ok(None);
        }
        let points = self.points.select(members);
        let tree = proposals::tree_of(&points, self.control)?;
        // Most classes are split by the first cut or not at all, and the other cuts cost more.
        let longest = proposals::behind_longest_edge(&tree, &points, least, self.control)?;
        if let Some(parts) = self.parts(members, &points, &tree, least, longest)? {
            return Ok(Some(parts));
        }
        let means = proposals::two_means(&points, &mut self.random);
        if let Some(parts) = self.parts(members, &points, &tree, least, means)? {
            return Ok(Some(parts));
        }
        for sides in ward::last_merges(&points, least, MERGES) {
            let refined = proposals::refined(&points, &sides);
            if let Some(parts) = self.parts(members, &points, &tree, least, refined)? {
                return Ok(Some(parts));
            }
        }
        Ok(None)
    }

    /// The parts on either side of a cut, if it is a split.
    fn parts(
        &mut self,
        members: &[usize],
        points: &Matrix<'_>,
        tree: &Tree,
        least: usize,
        second: Option<Vec<bool>>,
    ) -> Result<Option<[Vec<usize>; 2]>, DataError> {
        let Some(second) = second.filter(|second| smaller_side(second) >= least) else { return Ok(None) };
        Ok(self.is_split(points, tree, &second)?.then(|| sides(members, &second)))
    }

    fn is_split(&mut self, points: &Matrix<'_>, tree: &Tree, second: &[bool]) -> Result<bool, DataError> {
        let gap = self.is_gap(tree, second);
        let valley = if gap { 0.0 } else { plane::valley(points, second, self.steps) };
        if valley >= APART.0.max(SELDOM.0) {
            return Ok(false);
        }
        let terms = self.terms(points, second)?;
        if terms.eta < LINE {
            return Ok(false);
        }
        if gap || valley < APART.0 && terms.score() >= APART.1 {
            return Ok(true);
        }
        if smaller_side(second) < SEVERAL || valley >= SELDOM.0 || terms.eta < SELDOM.1 {
            return Ok(false);
        }
        let usual = self.usual_agreement(points, second)?;
        Ok(1.0 - terms.nu < SELDOM.2 * (1.0 - usual))
    }

    /// Whether the shortest distance between two parts is an outlier among the edges of the tree. That distance is the shortest
    /// of the gaps between neighbours in the order of the tree that are in different parts.
    fn is_gap(&self, tree: &Tree, second: &[bool]) -> bool {
        let crosses =
            |at: &usize| second[tree.order()[*at] as usize] != second[tree.order()[*at + 1] as usize];
        let shortest =
            (0..tree.gaps().len()).filter(crosses).map(|at| tree.gaps()[at]).fold(f64::INFINITY, f64::min);
        let mut edges: Vec<f64> = tree.gaps().iter().map(|square| square.sqrt()).collect();
        edges.sort_by(f64::total_cmp);
        let quantile = |share: f64| clmatch_kernels::quantile(&edges, share).unwrap_or(0.0);
        let (median, high) = (quantile(0.5), quantile(0.9));
        let steps = self.steps.iter().map(|step| step * step).sum::<f64>().sqrt();
        // Edges that should be equally long (on a grid) still differ by chance.
        let spread = (high - median).max(0.25 * median);
        high > 0.0 && shortest.sqrt() > (median + GAP * spread).max(STEPS * steps)
    }

    /// The terms of the pair of parts.
    fn terms(&self, points: &Matrix<'_>, second: &[bool]) -> Result<ClmTerms, DataError> {
        let classes = Classes::new(Points::from(points), &Labels::encode(second))?;
        let found = evaluate_with(&classes, &[&CLM_PAIRS], false, self.control)?;
        Ok(found.terms.map_or(ClmTerms::new(0.0, 0.0, 0.0), |terms| terms.mean))
    }

    /// How well neighbours agree about a cut through either part: the mean, weighted by size.
    fn usual_agreement(&mut self, points: &Matrix<'_>, second: &[bool]) -> Result<f64, DataError> {
        let (mut sum, mut size) = (0.0, 0.0);
        for side in [false, true] {
            let rows: Vec<usize> = (0..second.len()).filter(|&row| second[row] == side).collect();
            let part = points.select(&rows);
            let Some(halves) = proposals::two_means(&part, &mut self.random) else { continue };
            if smaller_side(&halves) > 1 {
                sum += rows.len() as f64 * self.terms(&part, &halves)?.nu;
                size += rows.len() as f64;
            }
        }
        Ok(if size > 0.0 { sum / size } else { 1.0 })
    }
}
