//! A dataset from bytes is the same as that from the file, and nothing is searched for on the disk.

use clmatch_data::{ReadOptions, Source, Target, embedded, read, read_bytes, write};

#[test]
fn bytes_are_read_as_the_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    for name in
        ["iris.csv", "iris.csv.gz", "iris.parquet", "iris.arrow", "iris.arff", "iris.npz", "iris.svm.zst"]
    {
        let path = folder.path().join(name);
        let source = Source::new(&path);
        write(&embedded::load("iris").unwrap(), &Target::new(&path, &source).unwrap()).unwrap();
        let (from_file, bytes) = (read(&source, &options).unwrap(), std::fs::read(&path).unwrap());
        let from_bytes = read_bytes(name, bytes.into(), &options).unwrap();
        assert_eq!(
            (from_bytes.name.as_str(), from_bytes.checksum()),
            ("iris", from_file.checksum()),
            "{name}"
        );
    }
}

#[test]
fn labels_beside_a_file_of_the_same_name_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.csv");
    std::fs::write(&data, "x,y\n1,2\n3,4\n5,6\n7,9\n").unwrap();
    std::fs::write(folder.path().join("labels.csv"), "a\na\nb\nb\n").unwrap();
    let options = ReadOptions::default();
    assert_eq!(read(&Source::new(&data), &options).unwrap().labels().names(), ["a", "b"]);
    let bytes = std::fs::read(&data).unwrap();
    let own = read_bytes(data.to_str().unwrap(), bytes.into(), &options).unwrap();
    assert_eq!((own.labels().names().len(), own.n_features()), (4, 1), "the last column holds the labels");
}
