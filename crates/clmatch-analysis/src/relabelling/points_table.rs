//! Reads back the table that an explanation writes about single points.

use std::collections::HashMap;
use std::path::Path;

use clmatch::diagnose::OUTLIER;
use clmatch_data::{Advice, Dataset};
use clmatch_truth::results::{Sheet, TableError};

use crate::error::AnalysisError;
use crate::source::read_text;

/// A row of the table: the findings about a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PointVerdict {
    /// The row of the dataset, counted from 1.
    pub row: usize,
    /// Its label when it was explained.
    pub label: String,
    /// The class suggested for it.
    pub suggested: String,
    /// The probability that its label is wrong.
    pub probability: f64,
    /// Whether it is far from every class.
    pub is_outlier: bool,
}

impl PointVerdict {
    /// The index of the point, if its label is still the one that was explained.
    pub(super) fn place(
        &self,
        places: &HashMap<usize, usize>,
        dataset: &Dataset,
    ) -> Result<usize, AnalysisError> {
        let label = places.get(&self.row).map(|&point| (point, dataset.labels().name_of(point)));
        match label {
            Some((point, label)) if label.trim() == self.label => Ok(point),
            other => {
                let here = match other {
                    Some((_, label)) => format!("is labelled '{label}' in '{}'", dataset.name),
                    None => format!("is not in '{}'", dataset.name),
                };
                let what = format!(
                    "row {} is labelled '{}' in the table of points, but {here}",
                    self.row, self.label
                );
                let help =
                    "give the table that was written for this dataset, read with the same options".to_owned();
                Err(AnalysisError::unfit(what, Advice::Text(help)))
            }
        }
    }
}

/// Reads the table of points of an explanation: the columns `row`, `label`, `suggested`, `probability` and `outlier`, in any
/// order.
///
/// # Errors
/// A file that cannot be read, or is not such a table.
pub fn read_points(path: &Path) -> Result<Vec<PointVerdict>, AnalysisError> {
    parse(&read_text(path)?).map_err(|error| AnalysisError::table(path, error))
}

fn parse(text: &str) -> Result<Vec<PointVerdict>, TableError> {
    let sheet = Sheet::read(text)?;
    let [row, label, suggested, probability, outlier] =
        ["row", "label", "suggested", "probability", "outlier"].map(|title| sheet.needed(&[title]));
    let (row, label, suggested, probability, outlier) = (row?, label?, suggested?, probability?, outlier?);
    let mut verdicts = Vec::new();
    for (line, cells) in sheet.rows() {
        let number: Option<usize> = cells[row].parse().ok().filter(|&row| row > 0);
        let Some(number) = number else {
            let what = format!("row is '{}', which is no number of a row", cells[row]);
            return Err(TableError::new(Some(line), what, "rows are counted from 1"));
        };
        verdicts.push(PointVerdict {
            row: number,
            label: cells[label].clone(),
            suggested: cells[suggested].clone(),
            probability: sheet.number(line, cells, probability)?,
            is_outlier: sheet.number(line, cells, outlier)? > OUTLIER,
        });
    }
    Ok(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_points_are_read_and_others_refused() {
        let text =
            "row,label,suggested,probability,outlier,part\n2,\"a, b\",c,0.75,3.5,1\n7,c,c,1e-9,-0.25,1\n";
        let found = parse(text).unwrap();
        assert_eq!((found[0].row, found[0].label.as_str(), found[0].suggested.as_str()), (2, "a, b", "c"));
        assert!(found[0].probability == 0.75 && found[0].is_outlier && !found[1].is_outlier);
        let missing = parse("row,label,suggested,outlier\n1,a,b,0\n").unwrap_err();
        assert_eq!(missing.what, "there is no column probability");
        let broken = parse("row,label,suggested,probability,outlier\n0,a,b,0.5,0\n").unwrap_err();
        assert_eq!((broken.line, broken.what.as_str()), (Some(2), "row is '0', which is no number of a row"));
    }
}
