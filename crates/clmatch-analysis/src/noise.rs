//! Which points are noise: those that the user chooses, or else those that the collection of the dataset marks.

use clmatch::Classes;
use clmatch_data::{Advice, Dataset};

use crate::remark::Remark;

/// The label of points that are left out.
pub(crate) fn label<'a>(dataset: &'a Dataset, chosen: Option<&'a str>) -> Option<&'a str> {
    chosen.or(dataset.noise())
}

/// The remark if points are left out although the user did not choose to.
pub(crate) fn remark(dataset: &Dataset, chosen: Option<&str>) -> Option<Remark> {
    let noise = dataset.noise().filter(|_| chosen.is_none())?;
    let labels = dataset.labels();
    let points = (0..dataset.n_points()).filter(|&row| labels.name_of(row) == noise).count();
    let (points, are) =
        if points == 1 { ("1 point".to_owned(), "is") } else { (format!("{points} points"), "are") };
    Some(Remark::info(format!(
        "{points} with the label {noise} {are} left out: in this collection it marks noise"
    )))
}

/// The remark if the chosen noise label does not occur, or if a class may be noise.
pub(crate) fn doubt(classes: &Classes<'_>, chosen: Option<&str>) -> Option<Remark> {
    match chosen {
        Some(noise) if classes.dropped().noise == 0 => {
            Some(Remark::warning(format!("no point is labelled '{noise}'")))
        }
        // Many write two classes so.
        None if matches!(classes.names(), [one, other] if [one, other].iter().all(|name| matches!(name.as_str(), "-1" | "1" | "+1"))) => {
            None
        }
        None if classes.names().iter().any(|name| name == "-1") => {
            let text = "'-1' counts as a class of its own";
            Some(Remark::warning(text).advise(Advice::DropNoise("-1".into())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch_data::{ReadOptions, find, read};

    #[test]
    fn the_collection_says_what_is_noise_unless_the_user_does() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.data"), "1.5\n2.5\n7.5\n").unwrap();
        std::fs::write(folder.path().join("a.labels0"), "1\n0\n2\n").unwrap();
        let source = &find(&[folder.path().to_owned()]).unwrap()[0];
        let dataset = read(source, &ReadOptions::default()).unwrap();
        assert_eq!(label(&dataset, None), Some("0"));
        assert_eq!(label(&dataset, Some("2")), Some("2"));
        let said = remark(&dataset, None).unwrap().text;
        assert_eq!(said, "1 point with the label 0 is left out: in this collection it marks noise");
        assert_eq!(remark(&dataset, Some("2")), None);
    }
}
