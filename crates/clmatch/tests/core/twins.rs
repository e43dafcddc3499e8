//! Slow, obvious twins of every measure: the formulas in the simplest loops, sharing no code with the library.

use crate::datasets::Dataset;

pub(crate) type Row = Vec<f64>;

const K_CH: f64 = 2.2160052679191475;
const K_XB: f64 = 0.29289310158571386;
const K_DB: f64 = 2.4831185988914117;
const K_DI: f64 = 0.40019810656179045;
const K_DB_C: f64 = 0.9432;

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(crate) fn deviation(values: &[f64]) -> f64 {
    let centre = mean(values);
    mean(&values.iter().map(|v| (v - centre).powi(2)).collect::<Vec<_>>()).sqrt()
}

pub(crate) fn d2(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
}

pub(crate) fn d(a: &[f64], b: &[f64]) -> f64 {
    d2(a, b).sqrt()
}

pub(crate) fn centroid(rows: &[Row]) -> Row {
    (0..rows[0].len()).map(|f| mean(&rows.iter().map(|row| row[f]).collect::<Vec<_>>())).collect()
}

pub(crate) fn logistic(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

/// The points of each class.
pub(crate) fn groups(dataset: &Dataset) -> Vec<Vec<Row>> {
    let of = |class| (0..dataset.len()).filter(move |&row| dataset.labels[row] == class);
    (0..dataset.count()).map(|class| of(class).map(|row| dataset.rows[row].clone()).collect()).collect()
}

/// Mean distance to the geometric median: Weiszfeld's iteration from the centroid, run far longer than needed.
fn mean_to_median(rows: &[Row]) -> f64 {
    let mut place = centroid(rows);
    for _ in 0..5000 {
        let weights: Vec<f64> = rows.iter().map(|row| 1.0 / d(row, &place).max(1e-300)).collect();
        let total: f64 = weights.iter().sum();
        place = (0..place.len())
            .map(|f| rows.iter().zip(&weights).map(|(row, w)| row[f] * w).sum::<f64>() / total)
            .collect();
    }
    let at = |place: &Row| mean(&rows.iter().map(|row| d(row, place)).collect::<Vec<_>>());
    rows.iter().map(at).fold(at(&place), f64::min)
}

/// The quantities of a pair of classes that the formulas name.
pub(crate) struct Pair {
    rows: [Vec<Row>; 2],
    pub(crate) n: [f64; 2],
    pub(crate) t: f64,
    pub(crate) v: [f64; 2],
    pub(crate) w: f64,
    pub(crate) gap: f64,
    pub(crate) z: f64,
    pub(crate) s1: f64,
    pub(crate) s2: f64,
}

impl Pair {
    pub(crate) fn new(i: &[Row], j: &[Row]) -> Pair {
        let all = [i, j].concat();
        let centre = centroid(&all);
        let r: Vec<f64> = all.iter().map(|x| d2(x, &centre)).collect();
        let roots: Vec<f64> = r.iter().map(|r| r.sqrt()).collect();
        let spread = |class: &[Row]| {
            let centre = centroid(class);
            mean(&class.iter().map(|x| d2(x, &centre)).collect::<Vec<_>>())
        };
        let (t, s2, s1) = (mean(&r), deviation(&r), deviation(&roots));
        let n = [i.len() as f64, j.len() as f64];
        let v = [spread(i), spread(j)];
        let w = (n[0] * v[0] + n[1] * v[1]) / (n[0] + n[1]);
        let gap = d2(&centroid(i), &centroid(j));
        // Not B = n_i n_j D / N^2, which the library uses, but its other form.
        Pair { rows: [i.to_vec(), j.to_vec()], n, t, v, w, gap, z: (t - w) / s2, s1, s2 }
    }

    pub(crate) fn total(&self) -> f64 {
        self.n[0] + self.n[1]
    }

    pub(crate) fn all(&self) -> Vec<Row> {
        self.rows.concat()
    }

    /// `b`.
    pub(crate) fn between(&self) -> f64 {
        mean(&self.rows[0].iter().flat_map(|x| self.rows[1].iter().map(|y| d(x, y))).collect::<Vec<_>>())
    }

    /// `a_i`, or `p` for all points.
    pub(crate) fn within(rows: &[Row]) -> f64 {
        let sum: f64 = rows.iter().flat_map(|x| rows.iter().map(|y| d(x, y))).sum();
        sum / (rows.len() * (rows.len() - 1)) as f64
    }

    /// `m`.
    pub(crate) fn wider(&self) -> f64 {
        Pair::within(&self.rows[0]).max(Pair::within(&self.rows[1]))
    }

    /// `g`.
    pub(crate) fn to_median(&self) -> f64 {
        mean_to_median(&self.all())
    }

    /// `D'` of FORMULAS.
    pub(crate) fn unbiased_gap(&self) -> f64 {
        self.gap - self.v[0] / (self.n[0] - 1.0) - self.v[1] / (self.n[1] - 1.0)
    }

    pub(crate) fn ch_a(&self) -> f64 {
        2.0 * logistic(K_CH * self.z * self.z.exp()) - 1.0
    }

    pub(crate) fn xb_a(&self) -> f64 {
        2.0 * logistic(K_XB * self.z.exp() * self.gap.sqrt() / self.s1) - 1.0
    }

    /// DB S, before R.
    pub(crate) fn db_s(&self) -> f64 {
        let extents = (self.v[0] / self.s2).exp() + (self.v[1] / self.s2).exp();
        (self.gap / self.s2) * (self.t / self.s2) / extents
    }

    pub(crate) fn di_a(&self) -> f64 {
        let l = logistic(K_DI * ((self.between() - self.wider()) / self.s1).exp());
        let e = logistic(K_DI * ((self.to_median() - Pair::within(&self.all())) / self.s1).exp());
        (l - e) / (1.0 - e)
    }

    pub(crate) fn sc_a(&self) -> f64 {
        let side = |own: usize| {
            let value = |x: &Row| {
                let a = self.rows[own].iter().map(|y| d(x, y)).sum::<f64>() / (self.n[own] - 1.0);
                let b = self.rows[1 - own].iter().map(|y| d(x, y)).sum::<f64>() / self.n[1 - own];
                let m = a.max(b);
                ((b - m) / self.s1).exp() - ((a - m) / self.s1).exp()
            };
            mean(&self.rows[own].iter().map(value).collect::<Vec<_>>())
        };
        (side(0) + side(1)) / 2.0
    }

    fn ch_c(&self) -> f64 {
        let z = self.n[0] * self.n[1] * self.unbiased_gap() / (self.total().powi(2) * self.s2);
        (K_CH * z * z.exp() / 2.0).tanh()
    }

    fn db_c(&self) -> f64 {
        let t = self.t * self.total() / (self.total() - 1.0);
        let v = [0, 1].map(|i| self.v[i] * self.n[i] / (self.n[i] - 1.0));
        let extents = ((v[0] - t) / self.s2).exp() + ((v[1] - t) / self.s2).exp();
        (K_DB_C / 2.0 * (self.unbiased_gap() / self.s2) / extents).tanh()
    }

    pub(crate) fn eta(&self) -> f64 {
        let centres = [centroid(&self.rows[0]), centroid(&self.rows[1])];
        let h = |x: &Row, own: usize, class: usize| {
            let n = self.n[class];
            (if own == class { n / (n - 1.0) } else { n / (n + 1.0) }) * d2(x, &centres[class])
        };
        let u =
            |own: usize| -> Vec<f64> { self.rows[own].iter().map(|x| h(x, own, 0) - h(x, own, 1)).collect() };
        let (u_i, u_j) = (u(0), u(1));
        if mean(&u_i) >= mean(&u_j) {
            return 0.0;
        }
        let centre = mean(&[u_i.clone(), u_j.clone()].concat());
        let between: f64 = [&u_i, &u_j].iter().map(|u| u.len() as f64 * (mean(u) - centre).powi(2)).sum();
        let total: f64 = u_i.iter().chain(&u_j).map(|u| (u - centre).powi(2)).sum();
        between / total
    }

    pub(crate) fn clm(&self) -> f64 {
        combined(self.eta(), kappa(&self.rows), nu(&self.rows))
    }
}

/// Combines three answers into one.
fn combined(line: f64, tree: f64, neighbours: f64) -> f64 {
    (1.0 - (1.0 - line) * (1.0 - tree) + tree + neighbours) / 3.0
}

/// The class of each point, for all points.
fn classes_of(groups: &[Vec<Row>]) -> Vec<usize> {
    groups.iter().enumerate().flat_map(|(class, rows)| std::iter::repeat_n(class, rows.len())).collect()
}

/// Agreement of the clusters at any distance, for data without ties: all pairs up to that distance are joined, and points that
/// are alone form one group.
pub(crate) fn kappa(groups: &[Vec<Row>]) -> f64 {
    let (all, classes) = (groups.concat(), classes_of(groups));
    let mut pairs: Vec<(f64, usize, usize)> = (0..all.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .map(|(a, b)| (d2(&all[a], &all[b]), a, b))
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut clusters: Vec<usize> = (0..all.len()).collect();
    let mut best = 0.0_f64;
    for (_, a, b) in pairs {
        let (from, to) = (clusters[a], clusters[b]);
        if from != to {
            clusters.iter_mut().filter(|cluster| **cluster == from).for_each(|cluster| *cluster = to);
            let size = |of: usize| clusters.iter().filter(|&&cluster| cluster == of).count();
            let pooled: Vec<usize> = clusters
                .iter()
                .map(|&cluster| if size(cluster) == 1 { all.len() } else { cluster })
                .collect();
            best = best.max(adjusted_rand(&pooled, &classes));
        }
    }
    best
}

/// Agreement of neighbours, for data without ties.
pub(crate) fn nu(groups: &[Vec<Row>]) -> f64 {
    let (all, classes) = (groups.concat(), classes_of(groups));
    let mut table = vec![vec![0.0; groups.len()]; groups.len()];
    for x in 0..all.len() {
        let mut others: Vec<usize> = (0..all.len()).filter(|&y| y != x).collect();
        others.sort_by(|&a, &b| d2(&all[x], &all[a]).total_cmp(&d2(&all[x], &all[b])));
        for &y in others.iter().take(5) {
            table[classes[x]][classes[y]] += 1.0;
        }
    }
    normalised_information(&table)
}

/// Agreement of the labels with the final classes of the points after 60 rounds of k-means with Hartigan's costs, for data
/// without ties.
pub(crate) fn lambda(groups: &[Vec<Row>]) -> f64 {
    let (all, labels) = (groups.concat(), classes_of(groups));
    let mut classes = labels.clone();
    for _ in 0..60 {
        let members: Vec<Vec<Row>> = (0..groups.len())
            .map(|class| {
                all.iter().zip(&classes).filter(|(_, of)| **of == class).map(|(x, _)| x.clone()).collect()
            })
            .collect();
        let cost = |x: &Row, own: usize, class: usize| {
            let n = members[class].len() as f64;
            let factor = if own == class { n / (n - 1.0) } else { n / (n + 1.0) };
            factor * d2(x, &centroid(&members[class]))
        };
        let moved = |(x, &own): (&Row, &usize)| {
            let others = (0..groups.len()).filter(|&class| class != own && !members[class].is_empty());
            let best = others.min_by(|&a, &b| cost(x, own, a).total_cmp(&cost(x, own, b)));
            match best {
                Some(best)
                    if members[own].len() > 1 && cost(x, own, best) < cost(x, own, own) * (1.0 - 1e-9) =>
                {
                    best
                }
                _ => own,
            }
        };
        classes = all.iter().zip(&classes).map(moved).collect();
    }
    let kept = classes.iter().zip(&labels).filter(|(now, then)| now == then).count();
    if groups.len() == 2 && 2 * kept <= labels.len() {
        0.0
    } else {
        adjusted_rand(&classes, &labels).max(0.0)
    }
}

/// The adjusted Rand index, counted over all pairs of points.
fn adjusted_rand(a: &[usize], b: &[usize]) -> f64 {
    let mut counts = [[0.0; 2]; 2];
    for x in 0..a.len() {
        for y in 0..x {
            counts[usize::from(a[x] == a[y])][usize::from(b[x] == b[y])] += 1.0;
        }
    }
    let [[neither, in_b], [in_a, both]] = counts;
    let all = neither + in_a + in_b + both;
    let expected = (both + in_a) * (both + in_b) / all;
    let most = (both + in_a + both + in_b) / 2.0;
    if most == expected { 0.0 } else { (both - expected) / (most - expected) }
}

/// `I / mean(H_row, H_col)`, with I = H_row + H_col - H_joint.
pub(crate) fn normalised_information(table: &[Vec<f64>]) -> f64 {
    let total: f64 = table.iter().flatten().sum();
    let entropy = |counts: &[f64]| -> f64 {
        counts.iter().filter(|&&c| c > 0.0).map(|c| -(c / total) * (c / total).ln()).sum()
    };
    let rows = entropy(&table.iter().map(|row| row.iter().sum()).collect::<Vec<f64>>());
    let column = |at: usize| table.iter().map(|row| row[at]).sum();
    let columns = entropy(&(0..table.len()).map(column).collect::<Vec<f64>>());
    let joint = entropy(&table.concat());
    if rows + columns == 0.0 { 0.0 } else { (rows + columns - joint) / ((rows + columns) / 2.0) }
}

/// The value of any measure of the registry.
pub(crate) fn twin(id: &str, dataset: &Dataset) -> f64 {
    let groups = groups(dataset);
    let over_pairs = |score: &dyn Fn(&Pair) -> f64| {
        let mut scores = Vec::new();
        for j in 0..groups.len() {
            scores.extend((0..j).map(|i| score(&Pair::new(&groups[i], &groups[j]))));
        }
        mean(&scores)
    };
    match id {
        "ch_a" => over_pairs(&Pair::ch_a),
        "xb_a" => over_pairs(&Pair::xb_a),
        "db_a" => over_pairs(&|pair| (K_DB * pair.db_s() / 2.0).tanh()),
        "di_a" => over_pairs(&Pair::di_a),
        "sc_a" => over_pairs(&Pair::sc_a),
        "ch_c" => over_pairs(&Pair::ch_c),
        "db_c" => over_pairs(&Pair::db_c),
        "clm" => (over_pairs(&Pair::clm) + combined(lambda(&groups), kappa(&groups), nu(&groups))) / 2.0,
        "clm_pairs" => over_pairs(&Pair::clm),
        "ch" => calinski_harabasz(&groups),
        "di" => separation(&groups) / diameter(&groups),
        "ii" => i_index(&groups),
        "xb" => xie_beni(&groups),
        "db" => davies_bouldin(&groups),
        "sc" => silhouette(&groups),
        other => panic!("{other} has no twin: write one"),
    }
}

pub(crate) fn calinski_harabasz(groups: &[Vec<Row>]) -> f64 {
    let all = groups.concat();
    let (n, k, centre) = (all.len() as f64, groups.len() as f64, centroid(&all));
    let between: f64 = groups.iter().map(|g| g.len() as f64 * d2(&centroid(g), &centre)).sum();
    (n - k) / (k - 1.0) * between / within_squares(groups)
}

fn within_squares(groups: &[Vec<Row>]) -> f64 {
    groups.iter().map(|g| g.iter().map(|x| d2(x, &centroid(g))).sum::<f64>()).sum()
}

pub(crate) fn separation(groups: &[Vec<Row>]) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..groups.len() {
        for j in (0..groups.len()).filter(|&j| j != i) {
            for x in &groups[i] {
                least = groups[j].iter().map(|y| d(x, y)).fold(least, f64::min);
            }
        }
    }
    least
}

pub(crate) fn diameter(groups: &[Vec<Row>]) -> f64 {
    groups.iter().flat_map(|g| g.iter().flat_map(|x| g.iter().map(|y| d(x, y)))).fold(0.0, f64::max)
}

pub(crate) fn i_index(groups: &[Vec<Row>]) -> f64 {
    let all = groups.concat();
    let centre = centroid(&all);
    let one: f64 = all.iter().map(|x| d(x, &centre)).sum();
    let many: f64 = groups.iter().map(|g| g.iter().map(|x| d(x, &centroid(g))).sum::<f64>()).sum();
    (one / many * centroid_gaps(groups).fold(0.0, f64::max) / groups.len() as f64).powi(2)
}

/// Distances between centroids.
fn centroid_gaps(groups: &[Vec<Row>]) -> impl Iterator<Item = f64> {
    let centres: Vec<Row> = groups.iter().map(|g| centroid(g)).collect();
    (0..centres.len()).flat_map(move |j| (0..j).map(|i| d(&centres[i], &centres[j])).collect::<Vec<_>>())
}

pub(crate) fn xie_beni(groups: &[Vec<Row>]) -> f64 {
    let n: usize = groups.iter().map(Vec::len).sum();
    let nearest = centroid_gaps(groups).fold(f64::INFINITY, f64::min);
    within_squares(groups) / (n as f64 * nearest * nearest)
}

pub(crate) fn davies_bouldin(groups: &[Vec<Row>]) -> f64 {
    let radius = |g: &Vec<Row>| mean(&g.iter().map(|x| d(x, &centroid(g))).collect::<Vec<_>>());
    let worst = |i: usize| {
        let others = (0..groups.len()).filter(|&j| j != i);
        let ratio = |j: usize| {
            (radius(&groups[i]) + radius(&groups[j])) / d(&centroid(&groups[i]), &centroid(&groups[j]))
        };
        others.map(ratio).fold(0.0, f64::max)
    };
    mean(&(0..groups.len()).map(worst).collect::<Vec<_>>())
}

pub(crate) fn silhouette(groups: &[Vec<Row>]) -> f64 {
    let mut widths = Vec::new();
    for (own, group) in groups.iter().enumerate() {
        for x in group {
            let to = |g: &Vec<Row>| g.iter().map(|y| d(x, y)).sum::<f64>();
            let others = groups.iter().enumerate().filter(|&(at, _)| at != own);
            let b = others.map(|(_, g)| to(g) / g.len() as f64).fold(f64::INFINITY, f64::min);
            let a = to(group) / (group.len() as f64 - 1.0);
            widths.push(if group.len() == 1 { 0.0 } else { (b - a) / a.max(b) });
        }
    }
    mean(&widths)
}
