"""Generates the workloads and times other implementations on them, one request a line, for `cargo xtask bench`.

    versions                                   Python and the packages that are there
    make ROWS FEATURES CLASSES SEED STEM       write STEM.f64 (rows of numbers) and STEM.labels (i64), little-endian
    table ROWS FEATURES SEED STEM              write numbers and a label as STEM.csv, .parquet and -one.parquet (a single row
                                               group), a tenth of the rows as .svm and .arff
    load NAME FEATURES STEM                    read a generated dataset
    free NAME                                  forget it
    run NAME JOB                               time one run of a job (see JOBS)
    files ROWS FEATURES CLASSES SEED FOLDER    write one dataset in several formats, and iris.csv
    process PROGRAM FILE                       time a Python process from start to exit (see PROGRAMS)
    program PATH                               where our command lies
    clmatch [MEASURES FILE]                    time it from start to exit, or its --version

Each request is answered by one line: `ok`, then the seconds and the value; or `error` and why.
With the arguments `read READER FILE` it reads one file, prints the seconds until the table is there, the seconds until
there is a row-major matrix of f64, the peak memory in bytes and the sum of the numbers, and ends: memory can only be
measured in a fresh process.
"""

import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
import time
import warnings

import numpy as np

PACKAGES = ["numpy", "scikit-learn", "pyivm", "genieclust", "permetrics", "scipy", "hdbscan", "fast_hdbscan", "pandas", "polars"]


def sklearn(name):
    from sklearn import metrics

    return getattr(metrics, name)


def pyivm(name, **options):
    import pyivm

    function = getattr(pyivm, name)
    return lambda points, labels: function(points, labels, **options)


def clmatch(name, *options):
    import clmatch

    function = getattr(clmatch, name)
    return lambda points, labels: function(points, labels, *options, n_jobs=2)


def genieclust(name, *options):
    from genieclust import cluster_validity

    function = getattr(cluster_validity, name)
    return lambda points, labels: function(points, labels, *options)


def permetrics(name, **options):
    from permetrics import ClusteringMetric

    return lambda points, labels: getattr(ClusteringMetric(X=points, y_pred=labels), name)(**options)


def ami():
    from sklearn.metrics import adjusted_mutual_info_score

    def compare(_, labels):
        at = np.arange(len(labels))
        return adjusted_mutual_info_score(labels, np.where(at % 3 == 0, at // 3 % 50, labels))

    return compare


def clustering(name, value, **settings):
    from sklearn import cluster

    return lambda points, labels: value(getattr(cluster, name)(**settings).fit(points), labels)


def arand(fitted, labels):
    from sklearn.metrics import adjusted_rand_score

    return adjusted_rand_score(labels, fitted.labels_)


def scipy_tree():
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    return lambda points, _: minimum_spanning_tree(squareform(pdist(points)), overwrite=True).sum()


def hdbscan_tree():
    """With min_samples=1 the core distances are 0, and the tree is that of the distances."""
    import hdbscan

    settings = {"min_samples": 1, "approx_min_span_tree": False, "gen_min_span_tree": True, "core_dist_n_jobs": 2}
    return lambda points, _: hdbscan.HDBSCAN(**settings).fit(points).minimum_spanning_tree_.to_numpy()[:, 2].sum()


def fast_hdbscan_tree():
    from fast_hdbscan.boruvka import parallel_boruvka
    from fast_hdbscan.numba_kdtree import build_kdtree

    def tree(points, _):
        return parallel_boruvka(build_kdtree(points.astype(np.float32)), 2, min_samples=0)[0][:, 2].sum()

    tree(np.random.default_rng(0).normal(size=(100, 16)), None)  # compiled once, and not timed
    return tree


# Each makes a function of points and labels; the import is not timed.
JOBS = {
    "sklearn.ch": lambda: sklearn("calinski_harabasz_score"),
    "sklearn.db": lambda: sklearn("davies_bouldin_score"),
    "sklearn.sc": lambda: sklearn("silhouette_score"),
    "pyivm.ch_a": lambda: pyivm("calinski_harabasz", adjusted=True),
    "pyivm.sc_a": lambda: pyivm("silhouette", adjusted=True),
    "pyivm.di_a": lambda: pyivm("dunn", adjusted=True),
    # Looks at the distance between the first two classes only: Dunn's index where there are no others.
    "pyivm.di": lambda: pyivm("dunn"),
    # Ours, through the Python package.
    "clmatch.clm": lambda: clmatch("score"),
    "clmatch.ch_a": lambda: clmatch("calinski_harabasz", True),
    "clmatch.sc_a": lambda: clmatch("silhouette", True),
    "clmatch.sc": lambda: clmatch("silhouette"),
    "genieclust.sc": lambda: genieclust("silhouette_index"),
    # Smallest distance between classes over the largest within: Dunn's index.
    "genieclust.di": lambda: genieclust("generalised_dunn_index", 1, 1),
    # Mean distance between classes over the largest within: the nearest to di_a that there is.
    "genieclust.di_mean": lambda: genieclust("generalised_dunn_index", 3, 1),
    "permetrics.sc": lambda: permetrics("silhouette_index"),
    "permetrics.di": lambda: permetrics("dunn_index", use_modified=False),
    "scipy.tree": scipy_tree,
    "hdbscan.tree": hdbscan_tree,
    "fast_hdbscan.tree": fast_hdbscan_tree,
    "sklearn.ami": ami,
    # Settings that crates/clmatch-cluster/examples/bench_cluster.rs has too.
    "sklearn.kmeans": lambda: clustering("KMeans", lambda fitted, _: fitted.inertia_, n_clusters=10, n_init=4),
    "sklearn.dbscan": lambda: clustering("DBSCAN", arand, eps=3.2, min_samples=5, n_jobs=2),
    # scikit-learn counts the point itself.
    "sklearn.hdbscan": lambda: clustering("HDBSCAN", arand, min_cluster_size=15, min_samples=6, n_jobs=2, copy=True),
    "sklearn.average": lambda: clustering("AgglomerativeClustering", arand, n_clusters=10, linkage="average"),
}


def versions():
    """Versions of Python and of the packages, those that are missing included."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{package} missing")
    return ", ".join(found)


def reuse(stem, recipe, suffixes):
    """Whether files of the same recipe are there already."""
    stamp = pathlib.Path(f"{stem}.json")
    there = all(pathlib.Path(stem + suffix).exists() for suffix in suffixes)
    return there and stamp.exists() and json.loads(stamp.read_text()) == recipe


def make(rows, features, classes, seed, stem):
    """Gaussian classes in random order that overlap so far that no score is at its limit."""
    recipe = {"rows": rows, "features": features, "classes": classes, "seed": seed, "version": 1}
    if reuse(stem, recipe, [".f64", ".labels"]):
        return
    random = np.random.default_rng(seed)
    labels = random.permutation(np.arange(rows) % classes)
    # The ratio of separation and spread of squared distances stays the same in all dimensions.
    centres = random.normal(size=(classes, features)) * 1.2 * features**-0.25
    points = random.normal(size=(rows, features))
    points += centres[labels]
    points.astype("<f8").tofile(f"{stem}.f64")
    labels.astype("<i8").tofile(f"{stem}.labels")
    pathlib.Path(f"{stem}.json").write_text(json.dumps(recipe))


def table(rows, features, seed, stem):
    """Numbers with six decimals and a text label, as CSV and as Parquet, and some of them in formats whose readers are slow."""
    import polars

    recipe = {"rows": rows, "features": features, "seed": seed, "version": 2}
    if reuse(stem, recipe, [".csv", ".parquet", "-one.parquet", ".svm", ".arff"]):
        return
    random = np.random.default_rng(seed)
    points = random.normal(size=(rows, features)).round(6)
    labels = np.array(["a", "b", "c", "d"])[random.integers(0, 4, rows)]
    columns = {f"x{index}": points[:, index] for index in range(features)}
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
        attributes = "".join(f"@attribute x{index} real\n" for index in range(features))
        file.write(f"@relation table\n{attributes}@attribute label {{a,b,c,d}}\n@data\n")
        file.writelines(f"{','.join(row)},{label}\n" for row, label in few)
    pathlib.Path(f"{stem}.json").write_text(json.dumps(recipe))


def files(rows, features, classes, seed, folder):
    """Gaussian classes with six decimals, the same numbers in every format, and iris."""
    import polars
    from sklearn.datasets import load_iris

    recipe = {"rows": rows, "features": features, "classes": classes, "seed": seed, "version": 1}
    if reuse(folder, recipe, [""]):
        return
    os.makedirs(folder, exist_ok=True)
    make(rows, features, classes, seed, f"{folder}/made")
    points = np.fromfile(f"{folder}/made.f64", dtype="<f8").reshape(rows, features).round(6)
    labels = np.fromfile(f"{folder}/made.labels", dtype="<i8")
    for name, kind in [("double", "f8"), ("single", "f4")]:
        os.makedirs(f"{folder}/{name}", exist_ok=True)
        np.save(f"{folder}/{name}/data.npy", points.astype(kind))
        np.save(f"{folder}/{name}/label.npy", labels)
    columns = {f"x{index}": points[:, index] for index in range(features)}
    frame = polars.DataFrame({**columns, "label": labels})
    frame.write_csv(f"{folder}/table.csv")
    frame.write_parquet(f"{folder}/table.parquet")
    frame.write_ipc(f"{folder}/table.arrow")
    iris = load_iris(as_frame=True).frame.rename(columns={"target": "class"})
    iris.to_csv(f"{folder}/iris.csv", index=False)
    for suffix in [".f64", ".labels", ".json"]:
        os.remove(f"{folder}/made{suffix}")
    pathlib.Path(f"{folder}.json").write_text(json.dumps(recipe))


CH = "from sklearn.metrics import calinski_harabasz_score as ch\n"
ARRAYS = "points, labels = (np.load(f'{path}/{name}.npy') for name in ['data', 'label'])\n"
TABLE = "labels = table['label'].to_numpy()\n"
# Each prints one number; the path is there already.
PROGRAMS = {
    "numpy.sum": "print(np.load(f'{path}/data.npy').sum())",
    "sklearn.ch": CH + ARRAYS + "print(ch(points, labels))",
    "pyivm.ch_a": ARRAYS + "import pyivm; print(pyivm.calinski_harabasz(points, labels, adjusted=True))",
    "pandas.ch": CH + "import pandas; table = pandas.read_csv(path)\n" + TABLE
    + "print(ch(table.drop(columns='label').to_numpy(), labels))",
    "polars.ch": CH + "import polars; read = {'csv': polars.read_csv, 'parquet': polars.read_parquet, 'arrow': polars.read_ipc}\n"
    + "table = read[path.rsplit('.')[-1]](path)\n" + TABLE + "print(ch(table.drop('label').to_numpy(order='c'), labels))",
}


def process(words):
    """Seconds from the start of a process to its exit, its peak memory, and the last word that it prints."""
    start = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed = child.stdout.read().decode()
    complaint = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(complaint.strip().splitlines()[-1] if complaint.strip() else f"exit code {child.returncode}")
    return f"{seconds} peak={usage.ru_maxrss * 1024}", printed.replace(",", " ").split()[-1]


def scored(words):
    """The same of a process that prints a score."""
    cost, score = process(words)
    return f"{cost} score={score}"


def run(dataset, job):
    """Seconds and value of one run."""
    points, labels = dataset
    function = JOBS[job]()
    # A copy, because some peers shuffle or relabel in place.
    labels = labels.copy()
    start = time.perf_counter()
    value = function(points, labels)
    return f"{time.perf_counter() - start} {float(value)!r}"


def answer(datasets, line):
    """The answer to one request."""
    match line.split(" "):
        case ["versions"]:
            return versions()
        case ["make", rows, features, classes, seed, *stem]:
            make(int(rows), int(features), int(classes), int(seed), " ".join(stem))
        case ["table", rows, features, seed, *stem]:
            table(int(rows), int(features), int(seed), " ".join(stem))
        case ["load", name, features, *stem]:
            stem = " ".join(stem)
            points = np.fromfile(f"{stem}.f64", dtype="<f8").reshape(-1, int(features))
            datasets[name] = points, np.fromfile(f"{stem}.labels", dtype="<i8")
        case ["free", name]:
            datasets.pop(name, None)
        case ["run", name, job]:
            return run(datasets[name], job)
        case ["files", rows, features, classes, seed, *folder]:
            files(int(rows), int(features), int(classes), int(seed), " ".join(folder))
        case ["process", program, *path]:
            code = "import sys, numpy as np; path = sys.argv[1]\n" + PROGRAMS[program]
            return scored([sys.executable, "-c", code, " ".join(path)])
        case ["program", *path]:
            datasets["program"] = " ".join(path)
        case ["clmatch"]:
            return process([datasets["program"], "--version"])[0]
        case ["clmatch", measures, *path]:
            settings = ["--measures", measures, "--format", "csv"]
            return scored([datasets["program"], "score", " ".join(path), *settings])
        case _:
            raise ValueError(f"unknown request: {line}")
    return ""


def serve():
    """Answers requests until there are no more."""
    # Packages that print must not disturb the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    datasets = {}
    for line in sys.stdin:
        try:
            text = "ok " + answer(datasets, line.rstrip("\n"))
        except Exception as error:
            text = "error " + f"{type(error).__name__}: {error}".replace("\n", " ")
        print(text, file=answers, flush=True)


def peak():
    """Peak resident memory of this process in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def load_pandas(path):
    import pandas

    return pandas.read_csv, lambda frame: np.ascontiguousarray(frame.drop(columns="label").to_numpy())


def load_polars(path):
    import polars

    load = polars.read_parquet if path.endswith(".parquet") else polars.read_csv
    return load, lambda frame: frame.drop("label").to_numpy(order="c")


def load_sklearn(path):
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file, lambda read: read[0].toarray()


def load_scipy(path):
    from scipy.io import arff

    return arff.loadarff, lambda read: np.column_stack([read[0][name] for name in read[0].dtype.names if name != "label"])


def read(reader, path):
    """Reads a file once and prints what that cost."""
    readers = {"pandas": load_pandas, "polars": load_polars, "scikit-learn": load_sklearn, "scipy": load_scipy}
    load, to_matrix = readers[reader](path)
    start = time.perf_counter()
    found = load(path)
    loaded = time.perf_counter() - start
    matrix = to_matrix(found)
    converted = time.perf_counter() - start
    assert matrix.dtype == np.float64 and matrix.flags.c_contiguous
    print(loaded, converted, peak(), repr(float(matrix.sum())))


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        read(*sys.argv[2:])
    else:
        serve()
