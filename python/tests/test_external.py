"""External measures equal scikit-learn's."""

import numpy as np
import pytest
from clustering import agreement
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
    v_measure_score,
)


def random_labels(seed, n, classes, clusters, mixing):
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, n)
    labels = np.where(random.random(n) < mixing, random.integers(0, clusters, n), truth * 7 % max(clusters, 1))
    return truth, labels


CASES = {
    "small": random_labels(1, 30, 3, 4, 0.5),
    "independent": random_labels(2, 500, 4, 6, 1.0),
    "close": random_labels(3, 2000, 8, 8, 0.1),
    "large table": random_labels(4, 20000, 50, 50, 0.7),
    "many clusters": random_labels(5, 3000, 5, 900, 0.9),
    "one cluster": (np.arange(50) % 3, np.zeros(50, int)),
    "one class": (np.zeros(50, int), np.arange(50) % 3),
    "one of each": (np.zeros(9, int), np.ones(9, int)),
    "singletons": (np.arange(60) % 4, np.arange(60)),
    "all singletons": (np.arange(40), np.arange(40)[::-1]),
    "equal": (np.arange(90) % 3, 5 - np.arange(90) % 3),
    "noise": (np.arange(90) % 3, np.where(np.arange(90) < 20, -1, np.arange(90) % 3)),
    "two points": (np.array([0, 1]), np.array([0, 0])),
}


@pytest.mark.parametrize("name", CASES)
def test_external_measures(name):
    truth, labels = CASES[name]
    ours = agreement(truth, labels)
    theirs = {
        "ami": adjusted_mutual_info_score(truth, labels),
        "arand": adjusted_rand_score(truth, labels),
        "vm": v_measure_score(truth, labels),
        "nmi": normalized_mutual_info_score(truth, labels, average_method="geometric"),
    }
    for measure, value in theirs.items():
        assert ours[measure] == pytest.approx(value, abs=1e-10), measure
