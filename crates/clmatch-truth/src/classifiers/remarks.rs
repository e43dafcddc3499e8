//! Warnings to read before a dataset's accuracies are believed.

use clmatch_classify::Data;

use super::FOLDS;

/// Warns of too few points for the folds, of classes that some folds miss, and of features that carry no information.
pub fn remarks(data: &Data<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    if data.n_points() < FOLDS {
        remarks.push(format!("{} points make {} folds instead of {FOLDS}", data.n_points(), data.n_points()));
    }
    let small = data.small_classes(FOLDS);
    if let Some(smallest) = small.iter().min() {
        let classes = if small.len() == 1 { "class has" } else { "classes have" };
        let (count, folds) = (small.len(), FOLDS);
        remarks.push(format!(
            "{count} {classes} fewer than {folds} points (the smallest {smallest}): some folds miss them"
        ));
    }
    let constant = data.constant_features();
    if constant > 0 {
        let features = if constant == 1 { "feature is" } else { "features are" };
        remarks.push(format!("{constant} {features} constant"));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch_classify::Matrix;

    #[test]
    fn everything_odd_is_said() {
        let points = Matrix::new(&[1.0, 1.0, 1.0, 2.0, 1.0, 3.0], 2).unwrap();
        let data = Data::new(&points, &[0, 0, 1]).unwrap();
        assert_eq!(
            remarks(&data),
            [
                "3 points make 3 folds instead of 5",
                "2 classes have fewer than 5 points (the smallest 1): some folds miss them",
                "1 feature is constant"
            ]
        );
        let points = Matrix::new((0..10).map(f64::from).collect::<Vec<f64>>(), 1).unwrap();
        assert!(remarks(&Data::new(&points, &[0, 0, 0, 0, 0, 1, 1, 1, 1, 1]).unwrap()).is_empty());
    }
}
