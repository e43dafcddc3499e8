//! Linear discriminant analysis where features have no spread, hardly any, or too much of it.
#![allow(clippy::unwrap_used, missing_docs)]

use clmatch_classify::{Classifier, Data, Folds, LinearDiscriminant, Matrix, Split, Stop, cross_validate};

/// Five folds of iris without additional features reach .98, give or take a point.
const IRIS_ACCURACY: f64 = 0.97;

/// Rows of equal length with their classes.
struct Table {
    rows: Vec<Vec<f64>>,
    classes: Vec<u32>,
}

impl Table {
    fn iris() -> Table {
        let species = ["setosa", "versicolor", "virginica"];
        let mut table = Table { rows: Vec::new(), classes: Vec::new() };
        for line in include_str!("../../clmatch-data/data/iris.csv").lines().skip(1) {
            let (numbers, name) = line.rsplit_once(',').unwrap();
            table.rows.push(numbers.split(',').map(|number| number.parse().unwrap()).collect());
            table.classes.push(species.iter().position(|known| *known == name).unwrap() as u32);
        }
        table
    }

    /// Changes the numbers of each row, given the old numbers, the class and the row's index.
    fn map(mut self, change: impl Fn(&mut Vec<f64>, u32, usize)) -> Table {
        for (at, (row, &class)) in self.rows.iter_mut().zip(&self.classes).enumerate() {
            change(row, class, at);
        }
        self
    }

    fn with<T>(&self, work: impl FnOnce(Data<'_>) -> T) -> T {
        let points = Matrix::from_rows(&self.rows).unwrap();
        work(Data::new(&points, &self.classes).unwrap())
    }

    fn accuracy(&self) -> f64 {
        self.with(|data| {
            let splits = Folds::stratified(&self.classes, 5, 0).splits(data);
            cross_validate(&LinearDiscriminant, &splits, &Stop::new()).unwrap()
        })
    }

    /// The class numbers of all rows, each fold being predicted from the others.
    fn predicted(&self) -> Vec<u32> {
        self.with(|data| {
            let splits = Folds::stratified(&self.classes, 5, 0).splits(data);
            splits.iter().flat_map(|split| LinearDiscriminant.predict(split, &Stop::new()).unwrap()).collect()
        })
    }
}

/// The predicted classes of other rows after learning from the rows of a table.
fn learnt(table: &Table, others: &[&[f64]]) -> Vec<u32> {
    let mut all = Table { rows: table.rows.clone(), classes: table.classes.clone() };
    all.rows.extend(others.iter().map(|row| row.to_vec()));
    all.classes.resize(all.rows.len(), 0);
    all.with(|data| {
        let (train, test) = (0..data.n_points()).partition(|&row| row < table.rows.len());
        LinearDiscriminant.predict(&Split::new(data, train, test), &Stop::new()).unwrap()
    })
}

/// Numbers between -1 and 1 that look random.
fn noise(at: usize) -> f64 {
    ((at * 7919 + 13) % 1009) as f64 / 504.5 - 1.0
}

#[test]
fn a_feature_that_is_constant_within_classes_does_no_harm() {
    // The means of .1 and .7 over 40 points round: this rounding is not spread.
    for [other, setosa] in [[0.0, 1.0], [0.1, 0.7], [1e-9, 1.1e-9], [1e9, 1e9 + 1.0]] {
        let table = Table::iris().map(|row, class, _| row.push(if class == 0 { setosa } else { other }));
        assert!(table.accuracy() >= IRIS_ACCURACY, "{other} {setosa}: {}", table.accuracy());
    }
}

#[test]
fn hardly_any_spread_within_classes_does_no_harm() {
    for size in [1e-17, 1e-16, 1e-14, 1e-11, 1e-8, 1e-5, 1e-2] {
        let table =
            Table::iris().map(|row, class, at| row.push(f64::from(u8::from(class == 0)) + size * noise(at)));
        assert!(table.accuracy() >= IRIS_ACCURACY, "{size}: {}", table.accuracy());
    }
}

#[test]
fn a_feature_that_is_constant_within_classes_separates_them() {
    // Nothing else separates the classes.
    let table = Table::iris().map(|row, class, at| {
        row.clear();
        row.extend([noise(at), [0.3, 0.1, 0.2][class as usize], 1e3 * noise(at * at)]);
    });
    assert_eq!(table.accuracy(), 1.0);
}

#[test]
fn what_separates_perfectly_decides_first_and_leaves_the_rest_to_the_others() {
    // The first feature separates class 0 from 1 and 2, which the second feature separates from each other: their means
    // are 0 and 4, so that the boundary lies at 2.
    let rows = [[0.1, 1.0], [0.1, -1.0], [0.7, 1.0], [0.7, -1.0], [0.7, 5.0], [0.7, 3.0]];
    let table = Table { rows: rows.map(|row| row.to_vec()).to_vec(), classes: vec![0, 0, 1, 1, 2, 2] };
    let others: [&[f64]; 6] =
        [&[0.1, 9.0], &[0.7, 1.9], &[0.7, 2.1], &[0.39, 4.0], &[0.41, 0.0], &[9.0, 4.0]];
    assert_eq!(learnt(&table, &others), [0, 1, 2, 0, 1, 2]);
}

#[test]
fn several_such_features_count_by_their_spread() {
    // Classes at (0, 0), (1000, 0) and (0, .001): the features have the same shares of values, so that a step of 1000 in
    // one weighs as much as .001 in the other.
    let rows = [[0.0, 0.0], [0.0, 0.0], [1000.0, 0.0], [1000.0, 0.0], [0.0, 0.001], [0.0, 0.001]];
    let table = Table { rows: rows.map(|row| row.to_vec()).to_vec(), classes: vec![0, 0, 1, 1, 2, 2] };
    let others: [&[f64]; 4] = [&[400.0, 0.0], &[600.0, 0.0], &[600.0, 0.0007], &[700.0, 0.0006]];
    assert_eq!(learnt(&table, &others), [0, 1, 2, 1]);
}

#[test]
fn classes_of_one_point_are_told_apart_by_the_nearest() {
    let table = Table { rows: vec![vec![0.0, 5.0], vec![4.0, 5.0], vec![9.0, 5.0]], classes: vec![0, 1, 2] };
    assert_eq!(learnt(&table, &[&[1.9, 5.0], &[2.1, 7.0], &[7.0, 5.0]]), [0, 1, 2]);
}

#[test]
fn constant_features_are_ignored() {
    let plain = Table::iris().predicted();
    for constant in [0.1, 0.0, -7e9] {
        assert_eq!(Table::iris().map(|row, _, _| row.insert(1, constant)).predicted(), plain, "{constant}");
    }
    // This holds even if a row to predict has another value.
    let table = Table::iris().map(|row, _, _| row.push(0.1));
    let others: [&[f64]; 2] = [&[5.0, 3.4, 1.5, 0.2, 1e6], &[6.6, 3.0, 5.6, 2.0, -1e6]];
    assert_eq!(learnt(&table, &others), [0, 2]);
}

#[test]
fn nothing_but_constants_leaves_the_most_frequent_class() {
    let rows = vec![vec![0.1, 1e3 / 7.0]; 31];
    let classes = (0..31).map(|at| u32::from(at % 3 > 0)).collect();
    assert_eq!(learnt(&Table { rows, classes }, &[&[0.1, 1e3 / 7.0], &[0.7, 0.0]]), [1, 1]);
}

#[test]
fn scales_of_features_do_not_matter() {
    let table = |scales: [f64; 5]| {
        Table::iris().map(move |row, class, _| {
            row.push(if class == 1 { 0.1 } else { 0.7 });
            row.iter_mut().zip(scales).for_each(|(x, scale)| *x *= scale);
        })
    };
    let plain = table([1.0; 5]).predicted();
    let far = 2.0_f64.powi(500);
    assert_eq!(table([far, 1.0 / far, 1.0, 1024.0, 1.0 / far]).predicted(), plain);
    assert_eq!(table([1e-170, 1e150, 1e-9, 1e4, 1e160]).predicted(), plain);
}

#[test]
fn an_offset_does_not_hide_spread() {
    let table = Table::iris().map(|row, _, _| row.iter_mut().for_each(|x| *x += 1e9));
    assert!(table.accuracy() >= IRIS_ACCURACY, "{}", table.accuracy());
}

#[test]
fn collinear_features_change_nothing() {
    let plain = Table::iris().predicted();
    let table =
        Table::iris().map(|row, _, _| row.extend([row[0] + row[1], 3.0 * row[2], row[3] - row[0] / 7.0]));
    assert_eq!(table.predicted(), plain);
}
