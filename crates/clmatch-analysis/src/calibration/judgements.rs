//! Judged separability from a table: of datasets by name, or of two Gaussians by their numbers.

use std::f64::consts::PI;

use super::gaussians::{Covariance, TwoGaussians};
use clmatch_truth::results::{Sheet, TableError};

/// The columns that describe two Gaussians: variances along the main axes and angles (in radians) of both, the share of the
/// first, and the distance between the means.
pub const GAUSSIANS: [&str; 8] =
    ["variance_a1", "variance_a2", "angle_a", "variance_b1", "variance_b2", "angle_b", "share", "distance"];

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The line number.
    pub line: u64,
    /// What was judged.
    pub subject: Subject,
    /// How separable its classes were judged, from 0 to 1.
    pub score: f64,
}

/// What was judged.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A dataset of two classes, by its path.
    Dataset(String),
    /// A dataset that is drawn.
    Gaussians(TwoGaussians),
}

/// Reads a table with the columns `dataset` and `score`, or [`GAUSSIANS`] and `score`, in any order.
///
/// # Errors
/// [`TableError`] with the line.
pub fn read(text: &str) -> Result<Vec<Judgement>, TableError> {
    let sheet = Sheet::read(text)?;
    let score = sheet.needed(&["score"])?;
    let dataset = sheet.column(&["dataset"]);
    let numbers = match dataset {
        Some(_) => Vec::new(),
        None if sheet.column(&GAUSSIANS[..1]).is_none() => {
            sheet.needed(&["dataset", GAUSSIANS[0]])?;
            Vec::new()
        }
        None => GAUSSIANS.iter().map(|title| sheet.needed(&[title])).collect::<Result<Vec<usize>, _>>()?,
    };
    let mut judgements = Vec::new();
    for (line, cells) in sheet.rows() {
        let subject = match dataset {
            Some(column) => Subject::Dataset(cells[column].clone()),
            None => {
                let mut values = [0.0; GAUSSIANS.len()];
                for (value, &column) in values.iter_mut().zip(&numbers) {
                    *value = sheet.number(line, cells, column)?;
                }
                Subject::Gaussians(gaussians(line, values)?)
            }
        };
        let value = sheet.number(line, cells, score)?;
        if !(0.0..=1.0).contains(&value) {
            let help = "a judgement is the share of people who saw more than one cluster";
            return Err(TableError::new(Some(line), format!("score is {value}, not from 0 to 1"), help));
        }
        judgements.push(Judgement { line, subject, score: value });
    }
    Ok(judgements)
}

fn gaussians(line: u64, values: [f64; GAUSSIANS.len()]) -> Result<TwoGaussians, TableError> {
    let [a1, a2, angle_a, b1, b2, angle_b, share, distance] = values;
    let wrong = |what: &str, help: &str| Err(TableError::new(Some(line), what, help));
    if [a1, a2, b1, b2].iter().any(|&variance| variance <= 0.0) {
        return wrong("a variance is not positive", "variances are squares of standard deviations");
    }
    if !(share > 0.0 && share < 1.0) {
        return wrong("share is not between 0 and 1", "it is the share of points in the first cluster");
    }
    if distance < 0.0 {
        return wrong("distance is negative", "it is the distance of the two means");
    }
    if [angle_a, angle_b].iter().any(|angle| angle.abs() > 2.0 * PI) {
        return wrong("an angle is more than a full turn", "angles are in radians");
    }
    let covariances = [
        Covariance { variances: [a1, a2], angle: angle_a },
        Covariance { variances: [b1, b2], angle: angle_b },
    ];
    Ok(TwoGaussians { covariances, share, distance })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_table_are_read() {
        let named = read("score,dataset\n0.5,a.csv\n1,b.csv\n").unwrap();
        let expected = Judgement { line: 3, subject: Subject::Dataset("b.csv".into()), score: 1.0 };
        assert_eq!(named[1], expected);
        let drawn = format!("{},score\n1,2,0.5,3,4,0.25,0.4,7,0.9\n", GAUSSIANS.join(","));
        let Subject::Gaussians(two) = &read(&drawn).unwrap()[0].subject else { panic!() };
        assert_eq!((two.covariances[1].variances, two.share, two.distance), ([3.0, 4.0], 0.4, 7.0));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(refused("dataset,score\na,0.5\nb,1.5\n"), "line 3: score is 1.5, not from 0 to 1");
        assert_eq!(refused("dataset\na\n"), "there is no column score");
        assert_eq!(refused("name,score\na,1\n"), "there is no column dataset or variance_a1");
        assert_eq!(refused("variance_a1,score\n1,1\n"), "there is no column variance_a2");
        let line = |values: &str| refused(&format!("{},score\n{values},0.5\n", GAUSSIANS.join(",")));
        assert_eq!(line("1,0,0,1,1,0,0.5,1"), "line 2: a variance is not positive");
        assert_eq!(line("1,1,0,1,1,0,1,1"), "line 2: share is not between 0 and 1");
        assert_eq!(line("1,1,0,1,1,0,0.5,-1"), "line 2: distance is negative");
        assert_eq!(line("1,1,90,1,1,0,0.5,1"), "line 2: an angle is more than a full turn");
    }
}
