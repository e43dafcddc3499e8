"""Other implementations, and ours through the Python package, under the names that the groups use."""

import functools

import numpy as np

PACKAGES = ["numpy", "scikit-learn", "pyivm", "genieclust", "permetrics", "scipy", "hdbscan", "fast_hdbscan", "pandas", "polars"]


def sklearn(name):
    from sklearn import metrics

    return getattr(metrics, name)


def pyivm(name, **options):
    import pyivm

    return functools.partial(getattr(pyivm, name), **options)


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


def ami(package):
    """Labels against the same labels with every third one replaced."""
    compare = __import__(package, fromlist=["x"]).adjusted_mutual_info_score

    def compared(_, labels):
        at = np.arange(len(labels))
        return compare(labels, np.where(at % 3 == 0, at // 3 % 50, labels))

    return compared


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
    "clmatch.clm": lambda: clmatch("score"),
    "clmatch.ch_a": lambda: clmatch("calinski_harabasz", True),
    "clmatch.sc_a": lambda: clmatch("silhouette", True),
    "clmatch.sc": lambda: clmatch("silhouette"),
    "clmatch.ami": lambda: ami("clmatch"),
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
    "sklearn.ami": lambda: ami("sklearn.metrics"),
    # Settings that crates/clmatch-cluster/examples/bench_worker.rs has too.
    "sklearn.kmeans": lambda: clustering("KMeans", lambda fitted, _: fitted.inertia_, n_clusters=10, n_init=4),
    "sklearn.dbscan": lambda: clustering("DBSCAN", arand, eps=3.2, min_samples=5, n_jobs=2),
    # scikit-learn counts the point itself.
    "sklearn.hdbscan": lambda: clustering("HDBSCAN", arand, min_cluster_size=15, min_samples=6, n_jobs=2, copy=True),
    "sklearn.average": lambda: clustering("AgglomerativeClustering", arand, n_clusters=10, linkage="average"),
}

START = "import sys, numpy as np; path = sys.argv[1]\n"
CH = START + "from sklearn.metrics import calinski_harabasz_score as ch\n"
ARRAYS = "points, labels = (np.load(f'{path}/{name}.npy') for name in ['data', 'label'])\n"
LABELS = "labels = table['label'].to_numpy()\n"
# Whole programs, given the path of a file; each prints one number.
PROGRAMS = {
    "numpy.sum": START + "print(np.load(f'{path}/data.npy').sum())",
    "sklearn.ch": CH + ARRAYS + "print(ch(points, labels))",
    "pyivm.ch_a": START + ARRAYS + "import pyivm; print(pyivm.calinski_harabasz(points, labels, adjusted=True))",
    "pandas.ch": CH + "import pandas; table = pandas.read_csv(path)\n" + LABELS
    + "print(ch(table.drop(columns='label').to_numpy(), labels))",
    "polars.ch": CH + "import polars; read = {'csv': polars.read_csv, 'parquet': polars.read_parquet, 'arrow': polars.read_ipc}\n"
    + "table = read[path.rsplit('.')[-1]](path)\n" + LABELS + "print(ch(table.drop('label').to_numpy(order='c'), labels))",
}


def pandas_reader(path):
    import pandas

    return pandas.read_csv, lambda frame: np.ascontiguousarray(frame.drop(columns="label").to_numpy())


def polars_reader(path):
    import polars

    load = polars.read_parquet if path.endswith(".parquet") else polars.read_csv
    return load, lambda frame: frame.drop("label").to_numpy(order="c")


def sklearn_reader(path):
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file, lambda found: found[0].toarray()


def scipy_reader(path):
    from scipy.io import arff

    def matrix(found):
        return np.column_stack([found[0][name] for name in found[0].dtype.names if name != "label"])

    return arff.loadarff, matrix


def clmatch_reader(path):
    import clmatch

    return clmatch.read, lambda dataset: dataset.X


# For the path of a file: what loads it, and what makes a row-major matrix of f64 of what was loaded. Imports are not timed.
READERS = {
    "clmatch": clmatch_reader,
    "pandas": pandas_reader,
    "polars": polars_reader,
    "scikit-learn": sklearn_reader,
    "scipy": scipy_reader,
}
