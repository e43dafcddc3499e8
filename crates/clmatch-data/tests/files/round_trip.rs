//! Whatever is written in a format reads back to the same bits.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use clmatch_data::{Dataset, ReadOptions, Source, read};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::{f64s, gzip, npy, put, zip, zlib};

/// Points with labels that no format changes.
#[derive(Debug, Clone)]
struct Table {
    rows: Vec<Vec<f64>>,
    labels: Vec<String>,
}

fn table() -> impl Strategy<Value = Table> {
    let number = prop_oneof![
        any::<f64>().prop_filter("finite", |value| value.is_finite()),
        (-1000..1000_i32).prop_map(|value| f64::from(value) / 8.0),
        (-10..10_i32).prop_map(f64::from),
    ];
    (1..6_usize, 1..20_usize).prop_flat_map(move |(features, rows)| {
        let rows_of = prop::collection::vec(prop::collection::vec(number.clone(), features), rows);
        let labels = prop::collection::vec("[a-d]{1,3}", rows);
        (rows_of, labels).prop_map(|(rows, labels)| Table { rows, labels })
    })
}

impl Table {
    fn flat(&self) -> Vec<f64> {
        self.rows.concat()
    }

    fn features(&self) -> usize {
        self.rows[0].len()
    }

    fn column(&self, column: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[column]).collect()
    }

    fn csv(&self, delimiter: &str) -> String {
        let mut text: String = (0..self.features()).map(|column| format!("x{column}{delimiter}")).collect();
        text.push_str("label\n");
        for (row, label) in self.rows.iter().zip(&self.labels) {
            row.iter().for_each(|value| text.push_str(&format!("{value}{delimiter}")));
            text.push_str(&format!("{label}\n"));
        }
        text
    }

    fn batch(&self) -> RecordBatch {
        let numbers = |column| Arc::new(Float64Array::from(self.column(column))) as ArrayRef;
        let mut columns: Vec<(String, ArrayRef)> =
            (0..self.features()).map(|column| (format!("x{column}"), numbers(column))).collect();
        columns.push(("label".into(), Arc::new(StringArray::from(self.labels.clone()))));
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn points_npy(&self, fortran: bool) -> Vec<u8> {
        let shape = format!("({}, {})", self.rows.len(), self.features());
        let values = if fortran {
            (0..self.features()).flat_map(|column| self.column(column)).collect()
        } else {
            self.flat()
        };
        npy("<f8", fortran, &shape, &f64s(&values))
    }

    fn labels_npy(&self) -> Vec<u8> {
        let bytes: Vec<u8> = self
            .labels
            .iter()
            .flat_map(|label| {
                let mut padded = label.as_bytes().to_vec();
                padded.resize(3, 0);
                padded
            })
            .collect();
        npy("|S3", false, &format!("({},)", self.labels.len()), &bytes)
    }

    fn json(&self) -> (String, String) {
        (serde_json::to_string(&self.rows).unwrap(), serde_json::to_string(&self.labels).unwrap())
    }

    /// The last value of every row is written, so that no feature is lost; labels that are numbers stay as they are.
    fn svmlight(&self) -> String {
        let mut text = String::new();
        for (row, label) in self.rows.iter().zip(&self.labels) {
            text.push_str(label);
            for (place, value) in row.iter().enumerate() {
                if *value != 0.0 || value.is_sign_negative() || place + 1 == row.len() {
                    text.push_str(&format!(" {}:{value}", place + 1));
                }
            }
            text.push('\n');
        }
        text
    }

    fn arff(&self, sparse: bool) -> String {
        let mut names: Vec<String> = self.labels.iter().map(|label| format!("'{label}'")).collect();
        names.sort();
        names.dedup();
        let mut text = "@relation r\n".to_owned();
        for column in 0..self.features() {
            text.push_str(&format!("@attribute 'x {column}' numeric\n"));
        }
        text.push_str(&format!("@attribute label {{{}}}\n@data\n", names.join(",")));
        for (row, label) in self.rows.iter().zip(&self.labels) {
            if sparse {
                let cells: Vec<String> =
                    row.iter().enumerate().map(|(place, value)| format!("{place} {value}")).collect();
                text.push_str(&format!("{{{}, {} '{label}'}}\n", cells.join(", "), row.len()));
            } else {
                let cells: Vec<String> = row.iter().map(f64::to_string).collect();
                text.push_str(&format!("{},'{label}'\n", cells.join(",")));
            }
        }
        text
    }
}

fn same(table: &Table, dataset: &Dataset, what: &str) {
    let found: Vec<u64> =
        (0..dataset.values().len()).map(|place| dataset.values().get(place).to_bits()).collect();
    let expected: Vec<u64> = table.flat().iter().map(|value| value.to_bits()).collect();
    assert_eq!(found, expected, "{what}");
    let labels: Vec<&str> = (0..dataset.n_points()).map(|row| dataset.labels().name_of(row)).collect();
    assert_eq!(labels, table.labels, "{what}");
}

fn check(table: &Table, files: &[(&str, Vec<u8>)]) {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        let path = put(folder.path(), name, bytes);
        let found = read(&Source::new(&path), &ReadOptions::default());
        let differs = crate::common::in_blocks::differs_in_blocks(&path, &ReadOptions::default(), &found);
        assert_eq!(differs, None, "{name}");
        same(table, &found.unwrap_or_else(|error| panic!("{error}")), name);
    }
}

fn pair(table: &Table, data: (&str, Vec<u8>), label: (&str, Vec<u8>)) {
    let folder = TempDir::new().unwrap();
    put(folder.path(), label.0, label.1);
    let path: PathBuf = put(folder.path(), data.0, data.1);
    let source = if data.0.starts_with("data.") { Source::new(folder.path()) } else { Source::new(path) };
    let dataset = read(&source, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    same(table, &dataset, data.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn delimited_text(table in table()) {
        let csv = table.csv(",");
        let crlf = csv.replace('\n', "\r\n");
        let quoted = csv.replace("label", "\"label\"");
        let packed = zstd::encode_all(csv.as_bytes(), 1).unwrap();
        check(&table, &[
            ("a.csv", csv.clone().into()),
            ("b.csv", crlf.into()),
            ("c.csv", quoted.into()),
            ("d.tsv", table.csv("\t").into()),
            ("e.csv", table.csv(";").into()),
            ("f.psv", table.csv("|").into()),
            ("g.data", table.csv("  ").into()),
            ("h.csv.gz", gzip(csv.as_bytes())),
            ("i.csv.zst", packed),
            ("j.csv", format!("\u{feff}# a comment\n\n{csv}\n\n").into()),
        ]);
    }

    #[test]
    fn arff_and_svmlight(table in table()) {
        check(&table, &[
            ("a.arff", table.arff(false).into()),
            ("b.arff", table.arff(true).into()),
            ("c.svm", table.svmlight().into()),
        ]);
    }

    #[test]
    fn arrays_and_archives(table in table()) {
        let (points, labels) = (table.points_npy(false), table.labels_npy());
        let fortran = table.points_npy(true);
        let (data, label) = table.json();
        check(&table, &[
            ("a.npz", zip(&[("X.npy", &points), ("y.npy", &labels)])),
            ("b_npy.zip", zip(&[("b/data.npy", &fortran), ("b/label.npy", &labels)])),
            ("c_bin.zip", zip(&[("data.bin", &zlib(&data)), ("label.bin", &zlib(&label))])),
        ]);
        pair(&table, ("data.bin", zlib(&data)), ("label.bin", zlib(&label)));
        pair(&table, ("data.npy", points.clone()), ("label.npy", labels.clone()));
        pair(&table, ("some.npy", fortran), ("some_label.npy", labels.clone()));
        pair(&table, ("other.npy.gz", gzip(&points)), ("y.gz", gzip(&labels)));
    }

    #[test]
    fn parquet_and_arrow(table in table(), group in 1..8_usize) {
        let batch = table.batch();
        let properties = parquet::file::properties::WriterProperties::builder()
            .set_max_row_group_row_count(Some(group))
            .set_compression(parquet::basic::Compression::ZSTD(Default::default()))
            .build();
        let mut several = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        several.write(&batch).unwrap();
        let mut one = parquet::arrow::ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        one.write(&batch).unwrap();
        let mut file = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        let mut stream = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        let half = batch.num_rows() / 2;
        for part in [batch.slice(0, half), batch.slice(half, batch.num_rows() - half)] {
            file.write(&part).unwrap();
            stream.write(&part).unwrap();
        }
        check(&table, &[
            ("a.parquet", several.into_inner().unwrap()),
            ("b.parquet", one.into_inner().unwrap()),
            ("c.feather", file.into_inner().unwrap()),
            ("d.arrow", stream.into_inner().unwrap()),
        ]);
    }
}
