"""The command against scikit-learn and pyivm, the published implementation of the adjusted measures."""

import numpy as np
import pyivm
import pytest
from sklearn import metrics
from sklearn.datasets import load_iris, load_wine

RELATIVE = 1e-9
# pyivm stops its geometric median at a step of 1e-5 in the units of the data.
MEDIAN = 1e-4


def test_scikit_learn_agrees(clmatch, case):
    points, labels = case
    scores = clmatch(points, labels)["scores"]
    # scikit-learn subtracts squared norms, which costs it digits on data far from the origin.
    points = points - points.mean(axis=0)
    assert scores["ch"] == pytest.approx(metrics.calinski_harabasz_score(points, labels), rel=RELATIVE)
    assert scores["db"] == pytest.approx(metrics.davies_bouldin_score(points, labels), rel=RELATIVE)
    assert scores["sc"] == pytest.approx(metrics.silhouette_score(points, labels), rel=RELATIVE)


def test_scikit_learn_agrees_on_single_points(clmatch):
    random = np.random.default_rng(8)
    points = random.normal(size=(21, 3))
    labels = np.array([0] * 10 + [1] * 10 + [2])
    scores = clmatch(points, labels, "ch,db,sc")["scores"]
    assert scores["ch"] == pytest.approx(metrics.calinski_harabasz_score(points, labels), rel=RELATIVE)
    assert scores["db"] == pytest.approx(metrics.davies_bouldin_score(points, labels), rel=RELATIVE)
    assert scores["sc"] == pytest.approx(metrics.silhouette_score(points, labels), rel=RELATIVE)


ADJUSTED = {
    "ch_a": pyivm.calinski_harabasz,
    "xb_a": pyivm.xie_beni,
    "db_a": pyivm.davies_bouldin,
}


@pytest.mark.parametrize("measure", ADJUSTED)
def test_pyivm_agrees(clmatch, case, measure):
    points, labels = case
    ours = clmatch(points, labels, measure, "--scale", "none")["scores"][measure]
    assert ours == pytest.approx(ADJUSTED[measure](points, labels, adjusted=True), rel=1e-7)


def test_pyivm_agrees_on_the_adjusted_dunn_index(clmatch, case):
    points, labels = case
    ours = clmatch(points, labels, "di_a")["scores"]["di_a"]
    scaled = points / np.abs(points).max()
    assert ours == pytest.approx(pyivm.dunn(scaled, labels, adjusted=True), rel=MEDIAN)


def test_pyivm_agrees_on_the_xie_beni_index(clmatch, case):
    points, labels = case
    ours = clmatch(points, labels, "xb", "--scale", "none")["scores"]["xb"]
    assert ours == pytest.approx(pyivm.xie_beni(points, labels), rel=1e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_pairs_are_datasets_of_two_classes(clmatch, load):
    data = load()
    points, labels = data.data / np.abs(data.data).max(), data.target
    result = clmatch(points, labels, "ch_a,sc_a", "--scale", "none")
    for pair in result["pairs"]:
        chosen = np.isin(labels, [int(pair["a"]), int(pair["b"])])
        alone = clmatch(points[chosen], labels[chosen], "ch_a,sc_a", "--scale", "none")
        for measure, value in pair["scores"].items():
            assert alone["scores"][measure] == pytest.approx(value, rel=RELATIVE)
            assert pair["points"] == chosen.sum()
