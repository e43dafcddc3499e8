"""`clmatch truth`: its partitions are those of scikit-learn, and neither seeds nor the order of rows and columns move it."""

import json
import subprocess

import numpy as np
import pytest
from clustering import needs_real, real, scaled
from conftest import COMMAND, LIMIT
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, normalized_mutual_info_score, v_measure_score

MEASURES = {
    "ami": adjusted_mutual_info_score,
    "arand": adjusted_rand_score,
    "vm": v_measure_score,
    "nmi": lambda classes, labels: normalized_mutual_info_score(classes, labels, average_method="geometric"),
}
# Whole numbers and indicators, where most distances are tied, and some without ties.
REAL_NAMES = ["dermatology", "zoo", "website_phishing", "heart_disease", "breast_cancer_wisconsin_original", "ecoli", "wine"]
# Scores of the same partition by two programs.
SAME = 1e-9


@pytest.fixture
def truth(tmp_path):
    """Scores and settings by technique and measure."""

    def run(points, classes, *options):
        path = tmp_path / "data.csv"
        header = ",".join([f"f{i}" for i in range(points.shape[1])] + ["label"])
        rows = [",".join([repr(float(x)) for x in row] + [f"c{label}"]) for row, label in zip(points, classes)]
        path.write_text("\n".join([header, *rows]) + "\n")
        command = [COMMAND, "truth", str(path), "--format", "json", "--quiet", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)[0]["techniques"]
        return {(row["technique"], row["external"]): (row["score"], settings(row["settings"])) for row in rows}

    return run


def settings(words):
    """`name=value` words as numbers."""
    return {name: float(value) for name, value in (word.split("=") for word in words.split())}


def indicators(seed):
    """Five columns of indicators for one of three levels each, and one of whole numbers, on a scale with last digits."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 4, 150)
    levels = np.where(random.random((150, 5)) < 0.75, classes[:, None] % 3, random.integers(0, 3, (150, 5)))
    columns = [(levels == level).astype(float) for level in range(3)]
    return np.column_stack([*columns, classes + random.integers(0, 3, 150)]) / 7, classes


def largest_first(points, eps, min_samples):
    """Rows such that core points of large clusters come first, of equally large ones the more central first: what
    scikit-learn finds first is then the largest."""
    found = DBSCAN(eps=eps, min_samples=min_samples).fit(points)
    central = np.argsort(np.argsort(np.round(cdist(points, points).sum(axis=1), 7), kind="stable"))
    core = np.zeros(len(points), bool)
    core[found.core_sample_indices_] = True
    sizes = {label: (core & (found.labels_ == label)).sum() for label in set(found.labels_)}
    first = {label: min(central[core & (found.labels_ == label)], default=0) for label in set(found.labels_)}
    key = [(not core[i], -sizes[label], first[label], central[i]) for i, label in enumerate(found.labels_)]
    return sorted(range(len(points)), key=key.__getitem__)


def check_dbscan(found, points, classes):
    for external, measure in MEASURES.items():
        for technique in ("dbscan", "dbscan_singletons"):
            if (technique, external) not in found:
                continue
            score, named = found[technique, external]
            eps, min_samples = named["eps"], int(named["min_samples"])
            order = largest_first(points, eps, min_samples)
            labels = DBSCAN(eps=eps, min_samples=min_samples).fit_predict(points[order])
            assert measure(classes[order], labels) == pytest.approx(score, abs=SAME), (technique, external, named)


@pytest.mark.parametrize("seed", range(4))
def test_dbscan_finds_the_same_partition_with_the_radius_that_is_named(truth, seed):
    points, classes = indicators(seed)
    found = truth(points, classes, "--techniques", "dbscan")
    check_dbscan(found, scaled(points), classes)
    distances = cdist(scaled(points), scaled(points))
    for _, named in found.values():
        assert np.abs(distances / named["eps"] - 1).min() > 1e-3, "the radius is a distance but for rounding"


@needs_real
@pytest.mark.parametrize("name", REAL_NAMES)
def test_dbscan_finds_the_same_partition_on_real_data(truth, name):
    points, labels = real(name)
    check_dbscan(truth(points, labels, "--techniques", "dbscan"), points, labels)


def shuffled(points, classes, seed):
    random = np.random.default_rng(seed)
    rows, columns = random.permutation(len(points)), random.permutation(points.shape[1])
    return points[rows][:, columns], classes[rows]


DETERMINISTIC = "hdbscan,dbscan,kmedoids,agglo_single,agglo_average,agglo_complete"


@needs_real
@pytest.mark.parametrize("name", REAL_NAMES)
def test_the_order_of_rows_and_columns_does_not_show(truth, name):
    points, labels = real(name)
    listed = truth(points, labels, "--techniques", DETERMINISTIC)
    for seed in range(2):
        other = truth(*shuffled(points, labels, seed), "--techniques", DETERMINISTIC)
        assert other.keys() == listed.keys()
        moved = {key: listed[key][0] - other[key][0] for key in listed if abs(listed[key][0] - other[key][0]) > 1e-12}
        assert moved == {}


@needs_real
def test_partitions_that_only_rounding_makes_do_not_count(truth):
    """Exact arithmetic on the whole numbers of dermatology gives .49096."""
    points, labels = real("dermatology")
    score, _ = truth(points, labels, "--techniques", "dbscan")["dbscan", "ami"]
    assert score == pytest.approx(0.490963777, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_single_linkage_reaches_the_best_cut(truth, seed):
    """The best adjusted Rand index of any cut of scipy's tree; far points hide it from few cuts."""
    random = np.random.default_rng(seed)
    classes = np.repeat([0, 1], 60)
    points = np.vstack([random.normal(4 * classes[:, None], 0.4 + seed / 10, (120, 2)), random.normal(0, 30, (25, 2))])
    classes = np.append(classes, np.arange(25) % 2)
    single, _ = truth(points, classes, "--techniques", "agglo_single")["agglo_single", "arand"]
    tree = linkage(points, "single")
    best = max(adjusted_rand_score(classes, fcluster(tree, height, "distance")) for height in tree[:, 2])
    assert best > 0.5 and single >= best - SAME


@needs_real
@pytest.mark.parametrize(("name", "least"), [("world12d", 0.375), ("breast_tissue", 0.448)])
def test_dbscan_finds_what_small_radii_find(truth, name, least):
    """What scikit-learn finds with radii of .0044 and .002."""
    points, labels = real(name)
    found = truth(points, labels, "--techniques", "dbscan,hdbscan")
    assert found["dbscan", "ami"][0] >= least
    assert found["dbscan", "ami"][1]["eps"] < 0.01
    check_dbscan(found, points, labels)


@needs_real
def test_ten_seeds_agree_on_ecoli(truth):
    """Chosen by one seed, the number of clusters of K-Means was another one with each: arand .451 to .648."""
    points, labels = real("ecoli")
    runs = [truth(points, labels, "--techniques", "kmeans,xmeans", "--seed", str(seed)) for seed in range(10)]
    for key in runs[0]:
        scores = [run[key][0] for run in runs]
        assert max(scores) - min(scores) < 0.01, (key, scores)
    assert all(run["kmeans", "arand"][0] == pytest.approx(0.668, abs=0.002) for run in runs)
