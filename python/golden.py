"""Writes `crates/clmatch-data/tests/golden.csv`: scores of small datasets, none of them computed by clmatch.

`ch`, `db` and `sc` are scikit-learn's; the others are their formulas, written out below with numpy, and compared with
pyivm, the published implementation of the adjusted measures, where it has them. Datasets are divided by their largest
absolute value. The generated ones are made from a congruential generator that the Rust test repeats.

Run it in the environment of the Python tests: `target/python-tests/bin/python python/golden.py`.
"""

import itertools
import pathlib

import numpy as np
import pyivm
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from sklearn import metrics
from sklearn.datasets import load_iris, load_wine

FILE = pathlib.Path(__file__).resolve().parents[1] / "crates" / "clmatch-data" / "tests" / "golden.csv"
# The growth rates of the paper's authors.
K_CH = 2.2160052679191475
K_XB = 0.29289310158571386
K_DB = 2.4831185988914117
K_DI = 0.40019810656179045
# Calibrated by `cargo xtask calibration`, see crates/clmatch/src/calibration.rs.
K_DB_C = 0.9432
# What pyivm may be off by: rounding, and its geometric median stops early.
PYIVM, PYIVM_MEDIAN = 1e-9, 1e-4


def generated(sizes, features, apart, seed):
    """Classes of numbers in [0, 1), each class `apart` further along every third feature."""
    state, rows, labels = seed, [], []
    for label, size in enumerate(sizes):
        for _ in range(size):
            row = []
            for feature in range(features):
                state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                row.append((state >> 11) / 2**53 + (apart * label if feature % 3 == 0 else 0.0))
            rows.append(row)
            labels.append(label)
    return np.array(rows), np.array(labels)


def datasets():
    """Points and labels by name."""
    iris, wine = load_iris(), load_wine()
    return {
        "iris": (iris.data, iris.target),
        "wine": (wine.data, wine.target),
        "generated-near": generated((40, 25, 60, 12), 5, 0.3, 1),
        "generated-far": generated((30, 30, 11), 2, 2.5, 2),
        "generated-wide": generated((9, 20), 40, 0.1, 3),
    }


def dunn(points, labels):
    """The smallest distance between classes by the largest within one."""
    distances, same = cdist(points, points), labels[:, None] == labels[None, :]
    return distances[~same].min() / distances[same].max()


def i_index(points, labels):
    """II, with the power 2."""
    classes = [points[labels == label] for label in np.unique(labels)]
    centroids = np.array([own.mean(axis=0) for own in classes])
    within = sum(np.linalg.norm(own - own.mean(axis=0), axis=1).sum() for own in classes)
    total = np.linalg.norm(points - points.mean(axis=0), axis=1).sum()
    return (total / within * cdist(centroids, centroids).max() / len(classes)) ** 2


def logistic(t):
    return 1 / (1 + np.exp(-t))


def median(points):
    """The geometric median, by Weiszfeld's iteration."""
    middle = points.mean(axis=0)
    for _ in range(100_000):
        weights = 1 / np.maximum(np.linalg.norm(points - middle, axis=1), 1e-300)
        moved = weights @ points / weights.sum()
        if np.linalg.norm(moved - middle) < 1e-14:
            break
        middle = moved
    return middle


def mean_distance(points):
    """Over all ordered pairs of different points."""
    return cdist(points, points).sum() / (len(points) * (len(points) - 1))


# Squared distances that differ by less are tied; below this share of the scatter they are 0.
TIE, TOUCHING = 1e-9, 1e-12


def settled(squares, both):
    """Squared distances without those that are rounding."""
    total = ((both - both.mean(axis=0)) ** 2).sum(axis=1).mean()
    return np.where(squares < TOUCHING * total, 0.0, squares)


def eta(a, b):
    """The share of the variance of u, the difference of the costs of belonging to either class, between the classes."""
    costs = []
    for own in (a, b):
        to = []
        for other in (a, b):
            n, square = len(other), ((own - other.mean(axis=0)) ** 2).sum(axis=1)
            to.append(square * (n / (n - 1) if other is own else n / (n + 1)))
        costs.append(to[0] - to[1])
    if costs[0].mean() >= costs[1].mean():
        return 0.0
    both = np.concatenate(costs)
    between = sum(len(own) * (own.mean() - both.mean()) ** 2 for own in costs)
    return between / ((both - both.mean()) ** 2).sum()


def nu(points, labels):
    """Mutual information of the labels of points and of their five nearest neighbours; tied ones share a vote."""
    count, q = labels.max() + 1, min(5, len(points) - 1)
    squares, votes = settled(cdist(points, points, "sqeuclidean"), points), np.zeros((count, count))
    for point in range(len(points)):
        others = np.arange(len(points)) != point
        lists = [np.sort(squares[point, others & (labels == label)])[:5] for label in range(count)]
        last = np.sort(np.concatenate(lists))[q - 1]
        below = np.array([(own < last * (1 - TIE)).sum() for own in lists])
        tied = np.array([((own >= last * (1 - TIE)) & (own <= last * (1 + TIE))).sum() for own in lists])
        votes[labels[point]] += below + (q - below.sum()) * tied / tied.sum()
    share = votes / votes.sum()
    entropy = lambda p: -(p[p > 0] * np.log(p[p > 0])).sum()  # noqa: E731
    rows, columns = entropy(share.sum(axis=1)), entropy(share.sum(axis=0))
    return (rows + columns - entropy(share.ravel())) / ((rows + columns) / 2)


def pooled(clusters):
    """Clusters in which all points that are alone are one."""
    return np.where(np.bincount(clusters)[clusters] == 1, 0, clusters)


def kappa(points, labels):
    """The best adjusted Rand index of any cut of scipy's single linkage, between lengths that are not tied."""
    tree = linkage(points, "single")
    squares = settled(tree[:, 2] ** 2, points)
    cuts = [at for at in range(len(squares) - 1) if squares[at + 1] > squares[at] * (1 + TIE)]
    clusters = (fcluster(tree, (tree[at, 2] + tree[at + 1, 2]) / 2, "distance") for at in cuts)
    return max([0.0] + [metrics.adjusted_rand_score(labels, pooled(found)) for found in clusters])


def k_means(points, labels):
    """The adjusted Rand index of the labels with the classes after up to 60 rounds in which every point moves to the
    cheapest one."""
    now, count, everyone = labels, labels.max() + 1, np.arange(len(points))
    for _ in range(60):
        sizes = np.bincount(now, minlength=count)
        to = np.full((len(points), count), np.inf)
        for label in np.flatnonzero(sizes):
            square = ((points - points[now == label].mean(axis=0)) ** 2).sum(axis=1)
            to[:, label] = square * sizes[label] / (sizes[label] + 1)
        own_size = sizes[now]
        own = np.where(own_size > 1, to[everyone, now] * (own_size + 1) / np.maximum(own_size - 1, 1), 0.0)
        to[everyone, now] = np.inf
        moved = np.where(own - to.min(axis=1) > TIE * own, to.argmin(axis=1), now)
        if (moved == now).all():
            break
        now = moved
    if count == 2 and 2 * (now == labels).sum() <= len(labels):
        return 0.0
    return max(0.0, metrics.adjusted_rand_score(labels, now))


def combined(line, tree, neighbours):
    """One number of three answers."""
    return (1 - (1 - line) * (1 - tree) + tree + neighbours) / 3


def clm_pair(a, b):
    """The headline score of two classes."""
    both, labels = np.concatenate([a, b]), np.repeat([0, 1], [len(a), len(b)])
    return combined(eta(a, b), kappa(both, labels), nu(both, labels))


def clm_all(points, labels):
    """The headline score of all classes at once."""
    return combined(k_means(points, labels), kappa(points, labels), nu(points, labels))


def pair_scores(a, b):
    """The adjusted scores of two classes that are computed here."""
    both = np.concatenate([a, b])
    squares = ((both - both.mean(axis=0)) ** 2).sum(axis=1)
    s1, s2 = np.sqrt(squares).std(), squares.std()
    between = cdist(a, b)
    # di_a
    spread = max(mean_distance(a), mean_distance(b))
    found = logistic(K_DI * np.exp((between.mean() - spread) / s1))
    to_median = np.linalg.norm(both - median(both), axis=1).mean()
    worst = logistic(K_DI * np.exp((to_median - mean_distance(both)) / s1))
    di_a = (found - worst) / (1 - worst)
    # sc_a
    widths = []
    for own, other in ((a, b), (b, a)):
        near = cdist(own, own).sum(axis=1) / (len(own) - 1)
        far = cdist(own, other).mean(axis=1)
        larger = np.maximum(near, far)
        widths.append((np.exp((far - larger) / s1) - np.exp((near - larger) / s1)).mean())
    # ch_a, xb_a, db_a
    n, m = len(a), len(b)
    gap = ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum()
    scatter = [((own - own.mean(axis=0)) ** 2).sum(axis=1).mean() for own in (a, b)]
    z = n * m * gap / ((n + m) ** 2 * s2)
    ch_a = np.tanh(K_CH * z * np.exp(z) / 2)
    xb_a = np.tanh(K_XB * np.exp(z) * np.sqrt(gap) / s1 / 2)
    db_a = np.tanh(K_DB / 2 * gap / s2 * squares.mean() / s2 / sum(np.exp(own / s2) for own in scatter))
    # ch_c, db_c
    total = squares.mean() * (n + m) / (n + m - 1)
    within = [((own - own.mean(axis=0)) ** 2).sum() / (len(own) - 1) for own in (a, b)]
    gap = ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum() - within[0] / n - within[1] / m
    z = n * m * gap / ((n + m) ** 2 * s2)
    ch_c = np.tanh(K_CH * z * np.exp(z) / 2)
    db_c = np.tanh(K_DB_C / 2 * gap / s2 / sum(np.exp((own - total) / s2) for own in within))
    return {
        "clm_pairs": clm_pair(a, b),
        "ch_a": ch_a,
        "xb_a": xb_a,
        "db_a": db_a,
        "di_a": di_a,
        "sc_a": np.mean(widths),
        "ch_c": ch_c,
        "db_c": db_c,
    }


def xie_beni(points, labels):
    """The mean squared distance to the centroids by the smallest between two of them."""
    classes = [points[labels == label] for label in np.unique(labels)]
    within = sum(((own - own.mean(axis=0)) ** 2).sum() for own in classes)
    centroids = [own.mean(axis=0) for own in classes]
    return within / len(points) / min(((c - d) ** 2).sum() for c, d in itertools.combinations(centroids, 2))


def scores(points, labels):
    """All scores of a dataset by id."""
    pairs = [
        pair_scores(points[labels == i], points[labels == j]) for i, j in itertools.combinations(np.unique(labels), 2)
    ]
    means = {measure: np.mean([pair[measure] for pair in pairs]) for measure in pairs[0]}
    found = {
        "ch": metrics.calinski_harabasz_score(points, labels),
        "db": metrics.davies_bouldin_score(points, labels),
        "sc": metrics.silhouette_score(points, labels),
        "xb": xie_beni(points, labels),
        "di": dunn(points, labels),
        "ii": i_index(points, labels),
        "clm": (means["clm_pairs"] + clm_all(points, labels)) / 2,
        **means,
    }
    published = {
        "xb": (pyivm.xie_beni(points, labels), PYIVM),
        "ch_a": (pyivm.calinski_harabasz(points, labels, adjusted=True), PYIVM),
        "xb_a": (pyivm.xie_beni(points, labels, adjusted=True), PYIVM),
        "db_a": (pyivm.davies_bouldin(points, labels, adjusted=True), PYIVM),
        "di_a": (pyivm.dunn(points, labels, adjusted=True), PYIVM_MEDIAN),
    }
    for measure, (value, tolerance) in published.items():
        assert np.isclose(found[measure], value, rtol=tolerance, atol=0), (measure, found[measure], value)
    return found


def main():
    """Writes the table."""
    lines = []
    for name, (points, labels) in datasets().items():
        found = scores(points / np.abs(points).max(), labels)
        if not lines:
            lines.append(",".join(["dataset", *found]))
        lines.append(",".join([name, *(f"{value:.12g}" for value in found.values())]))
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
