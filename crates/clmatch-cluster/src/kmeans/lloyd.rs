//! Lloyd's iteration with Hamerly's bounds.
//!
//! For each point, u bounds the distance to its centre from above, and l bounds the distances to all other centres from
//! below. After the centres moved by s_c, u grows by the s of the point's own centre and l shrinks by the largest s of
//! the others. Where u < max(l, half the distance of the centre to the nearest other one), the point stays without any
//! distance being computed.

use crate::packed::{CHUNK, PackedPoints, means};
use crate::{Stop, Stopped};
use clmatch_kernels::parallel;
use clmatch_kernels::simd::tiles::{BLOCK, Blocks, Groups, Nearest, squared_distance, two_nearest};

/// Relative slack of the bounds, far above the rounding of a distance. Points within it are computed anew.
const SLACK: f64 = 1e-9;
/// With fewer centres, computing a point's distance to its own centre before those to all centres does not pay.
const TIGHTEN_FROM: usize = 6;
/// With fewer points per centre, the bound does not pay for computing the distances between centres.
const POINTS_PER_CENTRE: usize = 16;
/// The label of points that have no label yet.
const UNKNOWN: u32 = u32::MAX;

/// When to end.
#[derive(Debug, Clone, Copy)]
pub(super) struct LloydLimits {
    /// The most iterations.
    pub(super) iterations: usize,
    /// If the squared shifts of the centres sum to no more than this, the centres count as unmoved.
    pub(super) shift: f64,
}

/// What a start ended with.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) labels: Vec<u32>,
    /// Means of the labels, row after row.
    pub(super) centres: Vec<f64>,
    pub(super) inertia: f64,
    pub(super) iterations: usize,
}

/// Runs from the given centres until no label changes, the centres hardly move, or the iterations are used up.
///
/// Time: at most O(n k d) per iteration. Memory: O(n + k d).
pub(super) fn run(
    packed: &PackedPoints<'_>,
    centres: Vec<f64>,
    limits: LloydLimits,
    stop: &Stop,
) -> Result<Run, Stopped> {
    let mut state = LloydState::new(packed, centres);
    let mut iterations = 0;
    while iterations < limits.iterations {
        iterations += 1;
        if !state.assign(stop)? {
            break;
        }
        if state.update() <= limits.shift {
            // Compute the labels that belong to the final centres.
            state.assign(stop)?;
            break;
        }
    }
    Ok(state.finish(iterations))
}

/// A point that changed its cluster.
struct Move {
    point: usize,
    from: u32,
    to: u32,
}

/// How far the centres moved and how far apart they are; the bounds are updated from this.
struct Motion {
    /// How far each centre moved.
    shift: Vec<f64>,
    /// For each centre, the largest shift among the others.
    others: Vec<f64>,
    /// For each centre, half the distance to the nearest other one; 0 where it was not worth computing.
    half: Vec<f64>,
}

struct LloydState<'a> {
    packed: &'a PackedPoints<'a>,
    clusters: usize,
    centres: Vec<f64>,
    labels: Vec<u32>,
    upper: Vec<f64>,
    lower: Vec<f64>,
    sums: Vec<f64>,
    counts: Vec<usize>,
    motion: Motion,
}

/// One chunk's part of the state.
struct ChunkState<'a> {
    chunk: usize,
    labels: &'a mut [u32],
    upper: &'a mut [f64],
    lower: &'a mut [f64],
}

/// Memory that a thread reuses.
struct Scratch {
    active: Vec<usize>,
    blocks: Blocks,
    nearest: Vec<Nearest>,
}

impl<'a> LloydState<'a> {
    fn new(packed: &'a PackedPoints<'a>, centres: Vec<f64>) -> Self {
        let rows = packed.points.n_points();
        let clusters = centres.len() / packed.points.n_features();
        LloydState {
            packed,
            clusters,
            labels: vec![UNKNOWN; rows],
            upper: vec![f64::INFINITY; rows],
            lower: vec![0.0; rows],
            sums: vec![0.0; centres.len()],
            counts: vec![0; clusters],
            motion: Motion {
                shift: vec![0.0; clusters],
                others: vec![0.0; clusters],
                half: vec![0.0; clusters],
            },
            centres,
        }
    }

    /// Gives each point its nearest centre; returns whether any label changed.
    fn assign(&mut self, stop: &Stop) -> Result<bool, Stopped> {
        let (packed, features) = (self.packed, self.packed.points.n_features());
        let groups = Groups::new(self.centres.chunks_exact(features), features);
        let (centres, motion) = (&self.centres, &self.motion);
        let scratch =
            || Scratch { active: vec![], blocks: Blocks::new([].into_iter(), features), nearest: vec![] };
        let labels = self.labels.chunks_mut(CHUNK * BLOCK);
        let bounds = self.upper.chunks_mut(CHUNK * BLOCK).zip(self.lower.chunks_mut(CHUNK * BLOCK));
        let part = |(chunk, (labels, (upper, lower)))| ChunkState { chunk, labels, upper, lower };
        let mut parts: Vec<ChunkState<'_>> = labels.zip(bounds).enumerate().map(part).collect();
        let moves: Vec<Vec<Move>> = parallel::try_map_mut_with(&mut parts, scratch, |scratch, _, part| {
            stop.check()?;
            part.select(packed, centres, motion, &mut scratch.active);
            Ok(part.assign(packed, &groups, scratch))
        })?;
        let mut changed = false;
        for one in moves.into_iter().flatten() {
            changed = true;
            self.relocate(&one);
        }
        if changed {
            self.refill();
        }
        Ok(changed)
    }

    /// Subtracts a point from one sum and adds it to another.
    fn relocate(&mut self, one: &Move) {
        let row = self.packed.points.row(one.point);
        let features = row.len();
        if one.from != UNKNOWN {
            self.counts[one.from as usize] -= 1;
            let sum = &mut self.sums[one.from as usize * features..][..features];
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum -= value);
        }
        self.counts[one.to as usize] += 1;
        let sum = &mut self.sums[one.to as usize * features..][..features];
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }

    /// Gives each empty cluster the point that is farthest from its centre, among those that do not leave another cluster
    /// empty. There is such a point, because there are no more clusters than points.
    fn refill(&mut self) {
        if self.counts.iter().all(|&count| count > 0) {
            return;
        }
        let features = self.packed.points.n_features();
        let rows = self.packed.points.rows();
        let mut far: Vec<(f64, usize)> = rows
            .zip(&self.labels)
            .map(|(row, &label)| {
                squared_distance(row, &self.centres[label as usize * features..][..features])
            })
            .zip(0..)
            .collect();
        far.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut far = far.into_iter();
        for empty in 0..self.clusters {
            if self.counts[empty] > 0 {
                continue;
            }
            let spare = far.find(|&(_, point)| self.counts[self.labels[point] as usize] > 1);
            if let Some((_, point)) = spare {
                self.relocate(&Move { point, from: self.labels[point], to: empty as u32 });
                self.labels[point] = empty as u32;
                // Its distances to the next centres are unknown.
                self.upper[point] = f64::INFINITY;
                self.lower[point] = 0.0;
            }
        }
    }

    /// Moves the centres to the means; returns the sum of their squared shifts.
    fn update(&mut self) -> f64 {
        let features = self.packed.points.n_features();
        let old = self.centres.clone();
        let sums = self.sums.chunks_exact(features).zip(&self.counts);
        for (centre, (sum, &count)) in self.centres.chunks_exact_mut(features).zip(sums) {
            if count > 0 {
                centre.iter_mut().zip(sum).for_each(|(centre, sum)| *centre = sum / count as f64);
            }
        }
        let squares: Vec<f64> = old
            .chunks_exact(features)
            .zip(self.centres.chunks_exact(features))
            .map(|(old, new)| squared_distance(old, new))
            .collect();
        self.motion = Motion {
            others: largest_of_others(&squares).into_iter().map(f64::sqrt).collect(),
            half: self.half_gaps(),
            shift: squares.iter().map(|square| square.sqrt()).collect(),
        };
        squares.iter().sum()
    }

    /// Half the distance of each centre to the nearest other one, or zeros where that is not worth computing.
    fn half_gaps(&self) -> Vec<f64> {
        if self.packed.points.n_points() < POINTS_PER_CENTRE * self.clusters {
            return vec![0.0; self.clusters];
        }
        let features = self.packed.points.n_features();
        let blocks = Blocks::new(self.centres.chunks_exact(features), features);
        let groups = Groups::new(self.centres.chunks_exact(features), features);
        let mut nearest = vec![NOBODY; blocks.count() * BLOCK];
        two_nearest(&blocks, 0..blocks.count(), &groups, &mut nearest);
        // The nearest centre is the centre itself, or one that coincides with it.
        nearest[..self.clusters].iter().map(|nearest| nearest.second.sqrt() / 2.0).collect()
    }

    /// Computes exact means and inertia for the labels, because the running sums have accumulated rounding.
    fn finish(mut self, iterations: usize) -> Run {
        let points = self.packed.points;
        let features = points.n_features();
        let (centres, _) = means(points, &self.labels, self.clusters);
        let mut inertia = 0.0;
        for (row, &label) in points.rows().zip(&self.labels) {
            inertia += squared_distance(row, &centres[label as usize * features..][..features]);
        }
        Run { labels: std::mem::take(&mut self.labels), centres, inertia, iterations }
    }
}

const NOBODY: Nearest = Nearest { centre: 0, first: 0.0, second: 0.0 };

impl ChunkState<'_> {
    /// Updates the bounds for the shifts of the centres and lists the points whose nearest centre may have changed.
    fn select(
        &mut self,
        packed: &PackedPoints<'_>,
        centres: &[f64],
        motion: &Motion,
        active: &mut Vec<usize>,
    ) {
        let features = packed.points.n_features();
        let first = self.chunk * CHUNK * BLOCK;
        active.clear();
        for at in 0..self.labels.len() {
            let label = self.labels[at] as usize;
            if self.labels[at] != UNKNOWN {
                self.upper[at] += motion.shift[label];
                self.lower[at] -= motion.others[label];
                let bound = self.lower[at].max(motion.half[label]);
                let stays = |upper: f64| upper * (1.0 + SLACK) < bound;
                if stays(self.upper[at]) {
                    continue;
                }
                if motion.shift.len() >= TIGHTEN_FROM {
                    let centre = &centres[label * features..][..features];
                    self.upper[at] = squared_distance(packed.points.row(first + at), centre).sqrt();
                    if stays(self.upper[at]) {
                        continue;
                    }
                }
            }
            active.push(at);
        }
    }

    /// Finds the nearest centres of the listed points, or of all points if most are listed, because those are packed
    /// already.
    fn assign(&mut self, packed: &PackedPoints<'_>, groups: &Groups, scratch: &mut Scratch) -> Vec<Move> {
        let Scratch { active, blocks, nearest } = scratch;
        let mut moves = vec![];
        let first = self.chunk * CHUNK * BLOCK;
        if active.is_empty() {
            return moves;
        }
        if 2 * active.len() > self.labels.len() {
            let range = packed.blocks_of(self.chunk);
            nearest.resize(range.len() * BLOCK, NOBODY);
            two_nearest(&packed.blocks, range, groups, nearest);
            active.clear();
            active.extend(0..self.labels.len());
        } else {
            blocks.pack(active.iter().map(|&at| packed.points.row(first + at)));
            nearest.resize(blocks.count() * BLOCK, NOBODY);
            two_nearest(blocks, 0..blocks.count(), groups, nearest);
        }
        for (&at, nearest) in active.iter().zip(nearest.iter()) {
            if nearest.centre != self.labels[at] {
                moves.push(Move { point: first + at, from: self.labels[at], to: nearest.centre });
                self.labels[at] = nearest.centre;
            }
            self.upper[at] = nearest.first.sqrt();
            self.lower[at] = nearest.second.sqrt();
        }
        moves
    }
}

/// For each number, the largest of the others; 0 if there are none.
fn largest_of_others(numbers: &[f64]) -> Vec<f64> {
    let (mut at, mut first, mut second) = (0, 0.0, 0.0);
    for (index, &number) in numbers.iter().enumerate() {
        if number > first {
            (at, second, first) = (index, first, number);
        } else if number > second {
            second = number;
        }
    }
    (0..numbers.len()).map(|index| if index == at { second } else { first }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scattered::numbers;
    use clmatch::Matrix;

    /// Lloyd's iteration by its definition, from the same centres.
    fn plain(points: &Matrix<'_>, mut centres: Vec<f64>, iterations: usize) -> (Vec<u32>, f64) {
        let features = points.n_features();
        let mut labels = vec![];
        let mut inertia = 0.0;
        for _ in 0..iterations {
            labels.clear();
            inertia = 0.0;
            for row in points.rows() {
                let squares: Vec<f64> =
                    centres.chunks_exact(features).map(|centre| squared_distance(row, centre)).collect();
                let nearest = (0..squares.len()).min_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap();
                labels.push(nearest as u32);
                inertia += squares[nearest];
            }
            centres = means(points, &labels, centres.len() / features).0;
        }
        (labels, inertia)
    }

    #[test]
    fn the_bounds_change_nothing() {
        for (rows, features, clusters) in [
            (700, 2, 3),
            (700, 3, 5),
            (700, 3, 6),
            (900, 3, 12),
            (600, 10, 7),
            (335, 2, 21),
            (336, 2, 21),
            (300, 2, 25),
        ] {
            let values = numbers(rows * features, 7);
            let points = Matrix::new(&values, features).unwrap();
            let packed = PackedPoints::new(&points);
            let centres = values[..clusters * features].to_vec();
            let limits = LloydLimits { iterations: 500, shift: 0.0 };
            let run = run(&packed, centres.clone(), limits, &Stop::new()).unwrap();
            let (labels, inertia) = plain(&points, centres, run.iterations + 1);
            assert_eq!(run.labels, labels, "{rows} x {features}, {clusters}");
            assert!((run.inertia - inertia).abs() <= 1e-12 * inertia);
            assert!(run.iterations > 3, "{}", run.iterations);
        }
    }

    #[test]
    fn an_empty_cluster_gets_the_farthest_point() {
        // No point is near 100; 10 is the farthest from the only other centre.
        let values = [0.0, 1.0, 2.0, 10.0];
        let points = Matrix::new(&values, 1).unwrap();
        let packed = PackedPoints::new(&points);
        let limits = LloydLimits { iterations: 50, shift: 0.0 };
        let run = run(&packed, vec![1.0, 100.0], limits, &Stop::new()).unwrap();
        assert_eq!(run.labels, [0, 0, 0, 1]);
        assert_eq!((run.centres, run.inertia), (vec![1.0, 10.0], 2.0));
    }

    #[test]
    fn the_largest_of_the_others() {
        assert_eq!(largest_of_others(&[1.0, 5.0, 3.0]), [5.0, 3.0, 5.0]);
        assert_eq!(largest_of_others(&[4.0]), [0.0]);
    }
}
