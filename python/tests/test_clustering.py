"""Compares the clustering techniques with scikit-learn, pyclustering and a plain NumPy program.

Data: those that ship with scikit-learn, seeded synthetic ones, and real ones where the folder ../shared/datasets lies
beside the checkout.
"""

import functools
import warnings

import numpy as np
import pytest
from clustering import REAL, partition, read, scaled
from conftest import CASES
from peers import said
from sklearn import datasets as shipped
from sklearn.cluster import Birch, KMeans
from sklearn.metrics import adjusted_mutual_info_score as ami
from sklearn.metrics import adjusted_rand_score, pairwise_distances

# The smallest ones of the real datasets; more would make the peers slow, not the comparison better.
MOST_POINTS, DATASETS = 2000, 24
# Scores of a technique and its peer may differ by this on average over datasets.
AGREEMENT = 0.02


@functools.cache
def everywhere():
    """Datasets that every machine has."""
    found = {
        name: getattr(shipped, f"load_{name}")(return_X_y=True) for name in ("iris", "wine", "breast_cancer", "digits")
    }
    found |= CASES
    return {name: (scaled(points), np.asarray(labels)) for name, (points, labels) in found.items()}


@functools.cache
def real():
    """Real datasets of moderate size, or nothing."""
    folders = sorted(REAL.iterdir()) if REAL.exists() else []
    small = sorted(folders, key=lambda folder: max(file.stat().st_size for file in folder.iterdir()))[: 2 * DATASETS]
    found = {folder.name: (scaled(read(folder, "data")), read(folder, "label").ravel()) for folder in small}
    usable = sorted((name for name in found if len(found[name][0]) <= MOST_POINTS), key=lambda name: found[name][0].size)
    return {name: found[name] for name in usable[:DATASETS]}


@pytest.fixture
def many():
    """Real datasets."""
    if not REAL.exists():
        pytest.skip(f"no real datasets: there is no folder {REAL}")
    assert len(real()) == DATASETS
    return real()


def classes(labels):
    return len(np.unique(labels))


def inertia(points, labels):
    """Sum of squared distances to the means of the clusters."""
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in (points[labels == c] for c in np.unique(labels)))


# K-Means ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", everywhere())
def test_kmeans_is_no_worse_than_scikit_learn(name):
    points, labels = everywhere()[name]
    ratios = []
    for clusters in (2, classes(labels), 3 * classes(labels))[: 2 if points.size > 100_000 else 3]:
        ours = partition(points, "kmeans", clusters=clusters, starts=10)
        assert classes(ours) == clusters
        ratios.append(inertia(points, ours) / KMeans(clusters, n_init=10, random_state=0).fit(points).inertia_)
    # Ten starts end in slightly different optima where there are many clusters.
    assert max(ratios) < 1.03 and min(ratios[:2]) < 1 + 1e-9, ratios


def test_kmeans_is_no_worse_than_scikit_learn_on_real_data(many):
    ratios = {}
    for name, (points, labels) in list(many.items())[::2]:
        clusters = min(classes(labels), 30)
        ours = inertia(points, partition(points, "kmeans", clusters=clusters, starts=10))
        theirs = KMeans(clusters, n_init=10, random_state=0).fit(points).inertia_
        ratios[name] = (ours + 1e-12) / (theirs + 1e-12)
    assert max(ratios.values()) < 1.03 and np.mean(list(ratios.values())) < 1.003, ratios


# K-Medoids -------------------------------------------------------------------------------------------------------


def park_and_jun(points, clusters):
    """Their method as the paper words it; returns the sum of distances to the medoids."""
    distances = pairwise_distances(points)
    shares = (distances / distances.sum(axis=1, keepdims=True)).sum(axis=0)
    medoids = np.argsort(shares, kind="stable")[:clusters]
    best = np.inf
    for _ in range(1000):
        labels = distances[:, medoids].argmin(axis=1)
        labels[medoids] = np.arange(clusters)
        total = distances[np.arange(len(points)), medoids[labels]].sum()
        if total >= best * (1 - 1e-12):
            return best
        best = total
        for cluster in range(clusters):
            members = np.flatnonzero(labels == cluster)
            sums = distances[np.ix_(members, members)].sum(axis=1)
            medoids[cluster] = members[sums.argmin()]
    raise AssertionError("the medoids do not settle")


def medoid_objective(points, labels):
    """Sum over clusters of the smallest sum of distances to one member."""
    parts = (points[labels == c] for c in np.unique(labels))
    return sum(pairwise_distances(part).sum(axis=1).min() for part in parts)


@pytest.mark.parametrize("name", everywhere())
def test_kmedoids_is_no_worse_than_park_and_jun(name):
    points, labels = everywhere()[name]
    for clusters in (2, classes(labels), 3 * classes(labels)):
        theirs = park_and_jun(points, clusters)
        one = medoid_objective(points, partition(points, "kmedoids", clusters=clusters, starts=1))
        # Of a cluster of two, either is the medoid: which one is taken leads to other ends.
        assert one == pytest.approx(theirs, rel=0.03)
        best = medoid_objective(points, partition(points, "kmedoids", clusters=clusters, starts=10))
        swaps = medoid_objective(points, partition(points, "kmedoids", clusters=clusters, algorithm="fasterpam"))
        assert best <= one * (1 + 1e-9)
        assert swaps <= best * 1.005


def test_kmedoids_is_no_worse_than_park_and_jun_on_real_data(many):
    for name, (points, labels) in many.items():
        clusters = min(classes(labels), 30)
        theirs = park_and_jun(points, clusters)
        ours = medoid_objective(points, partition(points, "kmedoids", clusters=clusters, starts=10))
        assert ours <= theirs * (1 + 2e-3) + 1e-12, name


# X-Means ---------------------------------------------------------------------------------------------------------


def pyclustering_xmeans():
    """Its class, with names restored that NumPy has dropped since."""
    for name, value in {"warnings": warnings, "Inf": np.inf, "float": float, "int": int, "bool": bool}.items():
        if name not in vars(np):
            setattr(np, name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pyclustering.cluster.xmeans", reason="pyclustering is not installed").xmeans


def xmeans_labels(points, seed, **settings):
    """Labels of pyclustering's own loop, the same for a seed."""
    from pyclustering.cluster.center_initializer import kmeans_plusplus_initializer

    rows = points.tolist()
    start = kmeans_plusplus_initializer(rows, 2, random_state=seed).initialize()
    done = pyclustering_xmeans()(rows, start, ccore=False, random_state=seed, **settings).process()
    labels = np.full(len(rows), -1)
    for label, members in enumerate(done.get_clusters()):
        labels[members] = label
    return labels


XMEANS = [{"kmax": 5, "tolerance": 0.001}, {"kmax": 20, "tolerance": 0.001}, {"kmax": 12, "tolerance": 0.1}]
# Single runs end anywhere: the scores of both sides scatter by .1 and more over seeds on small datasets.
XMEANS_SEEDS = range(8)


def xmeans_scores(points, labels, settings):
    """Mean scores of both sides over seeds."""
    ours = [ami(labels, partition(points, "xmeans", seed=seed, **settings)) for seed in XMEANS_SEEDS]

    def ask():
        return np.mean([ami(labels, xmeans_labels(points, seed, **settings)) for seed in XMEANS_SEEDS])

    question = f"ami of xmeans({settings}), {len(XMEANS_SEEDS)} seeds"
    return np.mean(ours), said("pyclustering", ["pyclustering", "numpy"], question, [points, labels], ask)


def test_xmeans_scores_as_pyclustering(many):
    pyclustering_xmeans()
    gaps = {}
    for name, (points, labels) in many.items():
        for settings in XMEANS:
            ours, theirs = xmeans_scores(points, labels, settings)
            gaps[name, settings["kmax"]] = ours - theirs
    gap = np.array(list(gaps.values()))
    assert abs(gap.mean()) < AGREEMENT and np.abs(gap).mean() < AGREEMENT, gaps


# Birch -----------------------------------------------------------------------------------------------------------

BIRCH = [
    {"threshold": 0.5, "branching_factor": 50},
    {"threshold": 0.1, "branching_factor": 10},
    {"threshold": 0.02, "branching_factor": 50},
]


def birch_pairs(points, labels):
    """Labels of both sides at several settings."""
    for settings in BIRCH:
        for clusters in (3, 2 * classes(labels)):
            with warnings.catch_warnings():
                # It warns where there are fewer subclusters than clusters.
                warnings.simplefilter("ignore")
                theirs = Birch(n_clusters=clusters, **settings).fit(points).labels_
            yield theirs, partition(points, "birch", clusters=clusters, **settings)


@pytest.mark.parametrize("name", sorted(set(everywhere()) - {"digits"}))
def test_birch_is_that_of_scikit_learn(name):
    # Coordinates of the digits are whole numbers, and their distances full of ties.
    points, labels = everywhere()[name]
    same = [adjusted_rand_score(theirs, ours) for theirs, ours in birch_pairs(points, labels)]
    assert np.mean(same) > 0.99, same


def test_birch_scores_as_scikit_learn(many):
    gaps, same = {}, []
    for name, (points, labels) in many.items():
        pairs = list(birch_pairs(points, labels))
        gaps[name] = np.mean([ami(labels, ours) - ami(labels, theirs) for theirs, ours in pairs])
        same += [adjusted_rand_score(theirs, ours) == 1 for theirs, ours in pairs]
    gap = np.array(list(gaps.values()))
    assert abs(gap.mean()) < AGREEMENT and np.abs(gap).mean() < AGREEMENT, gaps
    assert np.mean(same) > 0.8, np.mean(same)
