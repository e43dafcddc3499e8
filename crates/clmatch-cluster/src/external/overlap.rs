//! How many points each cluster shares with each class.

use super::Truth;

/// Clusters one after the other, each with the classes that it shares points with. Memory grows with the number of
/// non-empty cells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overlap {
    /// Each cell: the class, and the number of points in both.
    cells: Vec<(u32, u32)>,
    /// For each cluster: where its cells end, and how many points it has.
    rows: Vec<(usize, u64)>,
}

impl Overlap {
    /// No clusters yet.
    pub fn new() -> Overlap {
        Overlap::default()
    }

    /// Removes all clusters but keeps the memory.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.rows.clear();
    }

    /// Adds a cluster by its number of points in each class. An empty one is skipped.
    pub fn add(&mut self, counts: &[u32]) {
        let before = self.cells.len();
        self.cells
            .extend((0..).zip(counts).filter(|(_, count)| **count > 0).map(|(class, &count)| (class, count)));
        if self.cells.len() > before {
            let size = counts.iter().map(|&count| u64::from(count)).sum();
            self.rows.push((self.cells.len(), size));
        }
    }

    /// Adds a cluster of one point.
    pub fn add_one(&mut self, class: u32) {
        self.cells.push((class, 1));
        self.rows.push((self.cells.len(), 1));
    }

    /// Counts a partition. Time: O(n). Memory: O(n).
    ///
    /// # Panics
    /// If the number of labels differs from the number of points.
    pub fn of_labels(truth: &Truth, labels: &[i32]) -> Overlap {
        assert_eq!(labels.len(), truth.points(), "one label per point");
        let mut known = std::collections::HashMap::new();
        let mut sizes: Vec<usize> = Vec::new();
        let codes: Vec<u32> = labels
            .iter()
            .map(|label| {
                let next = known.len() as u32;
                let code = *known.entry(*label).or_insert(next);
                if code == next {
                    sizes.push(0);
                }
                sizes[code as usize] += 1;
                code
            })
            .collect();
        // Classes sorted by cluster.
        let mut ends: Vec<usize> =
            sizes.iter().scan(0, |end, size| Some(std::mem::replace(end, *end + size))).collect();
        let mut sorted = vec![0_u32; labels.len()];
        for (&code, &class) in codes.iter().zip(truth.codes()) {
            sorted[ends[code as usize]] = class;
            ends[code as usize] += 1;
        }
        let mut overlap = Overlap::new();
        let mut counts = vec![0_u32; truth.classes()];
        let mut met: Vec<u32> = Vec::new();
        for (&size, &end) in sizes.iter().zip(&ends) {
            for &class in &sorted[end - size..end] {
                if counts[class as usize] == 0 {
                    met.push(class);
                }
                counts[class as usize] += 1;
            }
            met.sort_unstable();
            for class in met.drain(..) {
                overlap.cells.push((class, std::mem::take(&mut counts[class as usize])));
            }
            overlap.rows.push((overlap.cells.len(), size as u64));
        }
        overlap
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.rows.len()
    }

    /// Each cluster: its number of points, and its cells.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u64, &[(u32, u32)])> {
        let starts = std::iter::once(0).chain(self.rows.iter().map(|&(end, _)| end));
        starts.zip(&self.rows).map(|(start, &(end, size))| (size, &self.cells[start..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_added_one_by_one() {
        let truth = Truth::new([0, 0, 0, 1, 1]);
        let mut overlap = Overlap::new();
        overlap.add(&[1, 0]);
        overlap.clear();
        assert_eq!(overlap.clusters(), 0);
        overlap.add(&[2, 1]);
        overlap.add(&[0, 0]);
        overlap.add_one(0);
        overlap.add_one(1);
        assert_eq!(overlap.rows().map(|(size, _)| size).collect::<Vec<_>>(), [3, 1, 1]);
        let counted = truth.agreement(&Overlap::of_labels(&truth, &[7, 7, 3, 7, 5]));
        assert_eq!(truth.agreement(&overlap), counted);
        let sorted = |overlap: &Overlap| -> Vec<Vec<(u32, u32)>> {
            overlap.rows().map(|(_, cells)| cells.to_vec()).collect()
        };
        assert_eq!(sorted(&overlap), [vec![(0, 2), (1, 1)], vec![(0, 1)], vec![(1, 1)]]);
    }
}
