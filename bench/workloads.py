"""The generated datasets: Gaussian classes of equal size in random order, from fixed seeds."""

import functools
import json
import os
import pathlib
from typing import NamedTuple

import numpy as np


class Workload(NamedTuple):
    name: str
    rows: int
    features: int
    classes: int
    seed: int

    def size(self, rows):
        return f"n = {rows:,}, d = {self.features}, K = {self.classes}"


# 512 MB of f64: far beyond what most caches hold.
MILLION = Workload("million", 1_000_000, 64, 10, 1)
TWO_CLASSES = Workload("two_classes", 200_000, 32, 2, 2)
HUNDRED_CLASSES = Workload("hundred_classes", 200_000, 32, 100, 3)
# 200 million pairs of points.
PAIRS = Workload("pairs", 20_000, 64, 10, 4)
# The same with other numbers of classes, for the trees of pairs of classes: up to half a million pairs.
TREES_2 = Workload("trees_2", 20_000, 64, 2, 11)
TREES_100 = Workload("trees_100", 20_000, 64, 100, 12)
TREES_1000 = Workload("trees_1000", 20_000, 64, 1_000, 13)
# Small enough for pyivm's loops over points.
FEWER_PAIRS = Workload("fewer_pairs", 5_000, 64, 10, 5)
# As large as iris, where a call costs more than the work.
IRIS = Workload("iris", 150, 4, 3, 14)
DUNN = Workload("dunn", 10_000, 16, 10, 6)
# Two classes, where pyivm's `dunn` is Dunn's index: it looks at the distance between the first two only.
DUNN_PAIR = Workload("dunn_pair", 10_000, 16, 2, 7)
# For the search for features: two classes, as reading is cheapest then.
FEATURES = Workload("features", 20_000, 100, 2, 9)
# Many classes, for external measures.
PARTITIONS = Workload("partitions", 20_000, 2, 50, 9)
CLUSTERS = Workload("clusters", 20_000, 16, 10, 10)
# For readers: 300 MB of CSV.
TABLE = Workload("table", 1_000_000, 32, 4, 8)
SPARK = Workload("spark", 1_000_000, 10, 5, 1)


def kept(suffixes, version=1):
    """Files that are made once for each recipe: a stamp beside them says which one they were made from."""

    def decorator(make):
        @functools.wraps(make)
        def once(workload, rows, stem):
            recipe = {**workload._asdict(), "rows": rows, "version": version}
            stamp = pathlib.Path(f"{stem}.json")
            there = all(pathlib.Path(stem + suffix).exists() for suffix in suffixes)
            if not (there and stamp.exists() and json.loads(stamp.read_text()) == recipe):
                make(workload, rows, stem)
                stamp.write_text(json.dumps(recipe))

        return once

    return decorator


def gaussians(workload, rows):
    """Points and labels of classes that overlap so far that no score is at its limit."""
    random = np.random.default_rng(workload.seed)
    labels = random.permutation(np.arange(rows) % workload.classes)
    # The ratio of separation and spread of squared distances stays the same in all dimensions.
    centres = random.normal(size=(workload.classes, workload.features)) * 1.2 * workload.features**-0.25
    points = random.normal(size=(rows, workload.features))
    points += centres[labels]
    return points, labels


@kept([".f64", ".labels"])
def make(workload, rows, stem):
    """STEM.f64, rows of numbers, and STEM.labels (i64), both little-endian."""
    points, labels = gaussians(workload, rows)
    points.astype("<f8").tofile(f"{stem}.f64")
    labels.astype("<i8").tofile(f"{stem}.labels")


@kept([".csv", ".parquet", "-one.parquet", ".svm", ".arff"], version=2)
def make_table(workload, rows, stem):
    """Numbers with six decimals and a text label, as CSV and as Parquet, and a tenth of them in formats whose readers are slow."""
    import polars

    random = np.random.default_rng(workload.seed)
    points = random.normal(size=(rows, workload.features)).round(6)
    labels = np.array(["a", "b", "c", "d"])[random.integers(0, 4, rows)]
    columns = {f"x{index}": points[:, index] for index in range(workload.features)}
    frame = polars.DataFrame({**columns, "label": labels})
    frame.write_csv(f"{stem}.csv")
    frame.write_parquet(f"{stem}.parquet")
    frame.write_parquet(f"{stem}-one.parquet", row_group_size=rows)
    few = [(list(map(repr, row)), label) for row, label in zip(points[: rows // 10].tolist(), labels)]
    with open(f"{stem}.svm", "w") as file:
        for row, label in few:
            numbers = " ".join(f"{at}:{number}" for at, number in enumerate(row, 1))
            file.write(f"{ord(label) - ord('a')} {numbers}\n")
    with open(f"{stem}.arff", "w") as file:
        attributes = "".join(f"@attribute x{index} real\n" for index in range(workload.features))
        file.write(f"@relation table\n{attributes}@attribute label {{a,b,c,d}}\n@data\n")
        file.writelines(f"{','.join(row)},{label}\n" for row, label in few)


@kept(["/double", "/single", "/table.csv", "/table.parquet", "/table.arrow", "/iris.csv"])
def make_files(workload, rows, folder):
    """One dataset with six decimals, the same numbers in every format, and iris."""
    import polars
    from sklearn.datasets import load_iris

    points, labels = gaussians(workload, rows)
    points = points.round(6)
    for name, kind in [("double", "f8"), ("single", "f4")]:
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        np.save(f"{folder}/{name}/data.npy", points.astype(kind))
        np.save(f"{folder}/{name}/label.npy", labels)
    columns = {f"x{index}": points[:, index] for index in range(workload.features)}
    frame = polars.DataFrame({**columns, "label": labels})
    frame.write_csv(f"{folder}/table.csv")
    frame.write_parquet(f"{folder}/table.parquet")
    frame.write_ipc(f"{folder}/table.arrow")
    iris = load_iris(as_frame=True).frame.rename(columns={"target": "class"})
    iris.to_csv(f"{folder}/iris.csv", index=False)


@kept([""])
def make_parts(workload, rows, folder):
    """Classes of unequal sizes as Parquet in eight files, as Spark has them."""
    import polars

    random = np.random.default_rng(workload.seed)
    centres = random.normal(size=(workload.classes, workload.features)) * 1.5
    os.makedirs(folder, exist_ok=True)
    for part in range(8):
        labels = random.choice(workload.classes, size=rows // 8, p=[0.4, 0.25, 0.2, 0.1, 0.05])
        points = random.normal(size=(len(labels), workload.features)) + centres[labels]
        columns = {f"x{at}": points[:, at] for at in range(workload.features)}
        polars.DataFrame({**columns, "label": labels.astype(np.int32)}).write_parquet(f"{folder}/{part}.parquet")
