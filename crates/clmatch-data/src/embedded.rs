//! Datasets that come with the program: two classics, and small generated ones that show what a score means.
//!
//! ```
//! for name in clmatch_data::embedded::names() {
//!     let dataset = clmatch_data::embedded::load(name).ok_or("it is embedded")?;
//!     println!("{name}: {} x {}", dataset.n_points(), dataset.n_features());
//! }
//! # Ok::<(), &str>(())
//! ```

mod shapes;

use std::path::Path;

use bytes::Bytes;

use crate::dataset::Dataset;
use crate::error::ReadError;
use crate::input::ByteSource;
use crate::options::ReadOptions;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::source::Source;
use crate::{finish, formats, shown};

/// Where an embedded dataset comes from.
enum EmbeddedOrigin {
    /// A table in CSV.
    Csv(&'static str),
    /// Generated from a fixed seed.
    Shape(fn() -> shapes::Shape),
}

/// Name, what it shows, origin.
const DATASETS: [(&str, &str, EmbeddedOrigin); 8] = [
    (
        "iris",
        "three species of iris, one apart and two that overlap (Fisher 1936, as scikit-learn distributes it)",
        EmbeddedOrigin::Csv(include_str!("../data/iris.csv")),
    ),
    (
        "wine",
        "wines from three cultivars by chemical analysis (Forina et al., PARVUS; UCI, as scikit-learn distributes it)",
        EmbeddedOrigin::Csv(include_str!("../data/wine.csv")),
    ),
    ("well-matched", "each class is a cluster of its own", EmbeddedOrigin::Shape(shapes::well_matched)),
    (
        "two-labels-one-cluster",
        "two classes share one cluster",
        EmbeddedOrigin::Shape(shapes::two_labels_one_cluster),
    ),
    (
        "one-label-several-clusters",
        "one class is spread over several clusters",
        EmbeddedOrigin::Shape(shapes::one_label_several_clusters),
    ),
    (
        "adjacent-classes",
        "one cluster cut in two: the classes touch",
        EmbeddedOrigin::Shape(shapes::adjacent_classes),
    ),
    ("moons", "two half circles that reach into each other", EmbeddedOrigin::Shape(shapes::moons)),
    ("random-labels", "clusters, but labels drawn by lot", EmbeddedOrigin::Shape(shapes::random_labels)),
];

/// The names of the embedded datasets.
pub fn names() -> impl Iterator<Item = &'static str> {
    DATASETS.iter().map(|(name, _, _)| *name)
}

/// What an embedded dataset shows, in a few words.
pub fn about(name: &str) -> Option<&'static str> {
    DATASETS.iter().find(|(known, _, _)| *known == name).map(|(_, about, _)| *about)
}

/// An embedded dataset.
pub fn load(name: &str) -> Option<Dataset> {
    read(name, &ReadOptions::default()).ok()
}

/// An embedded dataset, read as a file would be.
pub(crate) fn read(name: &str, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let (name, _, origin) = DATASETS.iter().find(|(known, _, _)| *known == name).ok_or_else(|| {
        let names: Vec<&str> = names().collect();
        ReadError::new(format!("there is no embedded dataset '{name}'"))
            .help(format!("the embedded datasets are {}", names.join(", ")))
    })?;
    let text = match origin {
        EmbeddedOrigin::Csv(text) => text.as_bytes().to_vec(),
        EmbeddedOrigin::Shape(generate) => {
            let dataset = generate().into_dataset(name);
            let asked = options.show.as_ref().is_some_and(|columns| !columns.is_empty());
            let as_default = ReadOptions { show: None, ..options.clone() } == ReadOptions::default();
            if !asked && as_default {
                return Ok(dataset);
            }
            crate::write::as_csv(&dataset)
        }
    };
    let labels = options.labels_file.is_none();
    let input = ByteSource::Memory(text.into());
    let mut table = formats::csv::read(&input, options, labels)?;
    if let Some(file) = &options.labels_file {
        table = crate::read::with_labels_file(table, file, options)?;
    }
    let mut dataset = finish::finish(table, name, options)?;
    shown::add(&mut dataset, &[(input, Path::new(name))], options)?;
    if options.labels_file.is_none() && options.label.is_none() {
        dataset.label = dataset.label.map(|label| LabelOrigin::certain(label.name, LabelSource::Embedded));
    }
    Ok(dataset)
}

/// The text of an embedded dataset that is a table.
pub(crate) fn table(source: &Source) -> Option<Bytes> {
    DATASETS.iter().find_map(|(name, _, origin)| match origin {
        EmbeddedOrigin::Csv(text) if source.is_embedded() && *name == source.name => {
            Some(Bytes::from_static(text.as_bytes()))
        }
        _ => None,
    })
}

/// All embedded datasets.
pub fn all() -> Vec<Dataset> {
    names().filter_map(load).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::Classes;

    #[test]
    fn every_dataset_loads_and_is_valid() {
        let all = all();
        assert_eq!(all.len(), DATASETS.len());
        for dataset in &all {
            assert_eq!(dataset.notes, [], "{}", dataset.name);
            assert!(dataset.left_out().is_empty() && dataset.doubtful_ids().is_empty(), "{}", dataset.name);
            assert_eq!(dataset.label_origin().unwrap().source, LabelSource::Embedded);
            Classes::new(dataset.points(), &dataset.labels).unwrap();
            assert!(about(&dataset.name).is_some());
        }
        assert!(load("nothing").is_none());
    }

    #[test]
    fn options_apply_as_to_a_file() {
        let dropped = ReadOptions { drop: vec!["0".into()], ..ReadOptions::default() };
        let moons = read("moons", &dropped).unwrap();
        assert_eq!(moons.n_features() + 1, load("moons").unwrap().n_features());
        assert!(read("iris", &ReadOptions { label: Some("colour".into()), ..dropped }).is_err());
    }

    #[test]
    fn the_tables_are_those_of_their_sources() {
        let iris = load("iris").unwrap();
        assert_eq!(iris.labels.names(), ["setosa", "versicolor", "virginica"]);
        // The 35th and the 38th flower, in which UCI's file differs from Fisher's paper.
        let row = |row: usize| (0..4).map(|column| iris.values.get(row * 4 + column)).collect::<Vec<f64>>();
        assert_eq!(row(34), [4.9, 3.1, 1.5, 0.2]);
        assert_eq!(row(37), [4.9, 3.6, 1.4, 0.1]);
        let wine = load("wine").unwrap();
        assert_eq!((wine.n_points(), wine.features.len()), (178, 13));
        let proline: f64 = (0..178).map(|row| wine.values.get(row * 13 + 12)).sum();
        assert_eq!(proline, 132_947.0);
        let sizes: Vec<usize> =
            (0..3).map(|class| wine.labels.codes().iter().filter(|&&code| code == class).count()).collect();
        assert_eq!(sizes, [59, 71, 48]);
    }
}
