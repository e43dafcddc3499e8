"""The Python package: the values of pyivm and scikit-learn, and those of the command."""

import inspect

import clmatch
import numpy as np
import pyivm
import pytest
from sklearn import metrics
from sklearn.datasets import load_digits, load_iris, load_wine

RELATIVE = 1e-9
# Which measures are computed together decides in which order some sums are taken.
ROUNDING = 1e-12
# pyivm stops its geometric median at a step of 1e-5 in the units of the data.
MEDIAN = 1e-4
REAL = {"iris": load_iris, "wine": load_wine, "digits": load_digits}


@pytest.fixture(params=[*REAL, "random"])
def data(request):
    """Points and labels of a real dataset, or of random ones; pyivm is too slow for many points."""
    if request.param == "random":
        random = np.random.default_rng(11)
        return random.normal(size=(90, 5)), random.integers(0, 4, 90)
    points, labels = REAL[request.param](return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(points))[:300]
    return points[rows] / np.abs(points).max(), labels[rows]


@pytest.mark.parametrize("name", pyivm.__all__)
def test_signatures_are_those_of_pyivm(name):
    theirs = inspect.signature(getattr(pyivm, name)).parameters
    ours = inspect.signature(getattr(clmatch, name)).parameters
    assert [(one.name, one.default) for one in ours.values()][: len(theirs)] == [
        (one.name, one.default) for one in theirs.values()
    ]
    assert all(one.kind is inspect.Parameter.KEYWORD_ONLY for one in list(ours.values())[len(theirs) :])


@pytest.mark.parametrize("name", pyivm.__all__)
def test_adjusted_values_are_those_of_pyivm(name, data):
    points, labels = data
    tolerance = MEDIAN if name == "dunn" else 1e-7
    theirs = getattr(pyivm, name)(points, labels, adjusted=True)
    assert getattr(clmatch, name)(points, labels, adjusted=True) == pytest.approx(theirs, rel=tolerance)


@pytest.mark.parametrize("name", [name for name in pyivm.__all__ if name != "silhouette"])
@pytest.mark.parametrize("k", [0.1, 3.0])
def test_other_growth_rates_have_the_meaning_that_they_have_in_pyivm(name, k, case):
    points, labels = case
    points = points / np.abs(points).max()
    theirs = getattr(pyivm, name)(points, labels, adjusted=True, k=k)
    ours = getattr(clmatch, name)(points, labels, adjusted=True, k=k)
    assert ours == pytest.approx(theirs, rel=MEDIAN if name == "dunn" else 1e-7)
    assert ours != getattr(clmatch, name)(points, labels, adjusted=True)


def test_standard_values_that_agree_with_pyivm(case):
    points, labels = case
    for name in ["calinski_harabasz", "xie_beni", "i_index"]:
        theirs = getattr(pyivm, name)(points, labels)
        assert getattr(clmatch, name)(points, labels) == pytest.approx(theirs, rel=1e-8), name
    assert clmatch.davies_bouldin(points, labels) == pytest.approx(1 / pyivm.davies_bouldin(points, labels), rel=1e-8)


def test_standard_values_are_those_of_scikit_learn(data):
    points, labels = data
    points = points - points.mean(axis=0)
    for ours, theirs in [
        (clmatch.calinski_harabasz, metrics.calinski_harabasz_score),
        (clmatch.davies_bouldin, metrics.davies_bouldin_score),
        (clmatch.silhouette, metrics.silhouette_score),
    ]:
        assert ours(points, labels) == pytest.approx(theirs(points, labels), rel=RELATIVE)
    assert clmatch.silhouette_samples(points, labels) == pytest.approx(
        metrics.silhouette_samples(points, labels), rel=1e-8, abs=1e-12
    )


def test_samples_are_in_the_order_of_the_rows_and_have_the_right_mean(case):
    points, labels = case
    samples = clmatch.silhouette_samples(points, labels)
    assert samples.shape == labels.shape and samples.dtype == np.float64
    assert samples.mean() == pytest.approx(clmatch.silhouette(points, labels))
    order = np.random.default_rng(3).permutation(len(labels))
    assert clmatch.silhouette_samples(points[order], labels[order]) == pytest.approx(samples[order])
    two = np.isin(labels, [0, 1])
    adjusted = clmatch.silhouette_samples(points[two], labels[two], adjusted=True)
    means = [adjusted[labels[two] == label].mean() for label in (0, 1)]
    assert np.mean(means) == pytest.approx(clmatch.silhouette(points[two], labels[two], adjusted=True))


def test_single_points_are_as_in_scikit_learn():
    points = np.random.default_rng(8).normal(size=(21, 3))
    labels = np.array([0] * 10 + [1] * 10 + [2])
    assert clmatch.silhouette(points, labels) == pytest.approx(metrics.silhouette_score(points, labels))
    with pytest.raises(ValueError, match="the class '2' has a single point"):
        clmatch.silhouette(points, labels, adjusted=True)


@pytest.mark.parametrize("options", [{}, {"measures": "all", "ci": True, "null": 9, "random_state": 5}])
def test_evaluate_is_what_the_command_prints(request, case, options):
    points, labels = case
    command = request.getfixturevalue("clmatch")  # the fixture of conftest.py, which runs the command
    words = ["--ci", "--null", "9", "--seed", "5"] if options else []
    theirs = command(points, labels, "all" if options else "clm,ch_a,xb_a,db_a,di_a,sc_a", *words)
    result = clmatch.evaluate(points, labels, **options)
    ours = result.to_dict()
    for name in ["path", "label"]:
        theirs.pop(name)
    # A file has names of features, and an array has none.
    names = theirs.pop("features_used"), ours.pop("features_used")
    assert names == tuple([f"{letter}{at}" for at in range(points.shape[1])] for letter in "fx")
    assert ours == theirs
    assert clmatch.score(points, labels) == pytest.approx(result.scores["clm"], rel=ROUNDING)


def test_every_measure_can_be_asked_for_by_its_id(case):
    points, labels = case
    scores = clmatch.evaluate(points, labels, measures="all", scale="none").scores
    assert list(scores) == [measure["id"] for measure in clmatch.measures()]
    for id, value in scores.items():
        assert clmatch.score(points, labels, measure=id) == pytest.approx(value, rel=ROUNDING), id


EXTERNAL = {
    "independent": (np.arange(500) % 7, np.random.default_rng(2).integers(0, 5, 500)),
    "close": (np.arange(90) // 30, np.arange(90) // 29),
    "equal": (np.arange(90) % 3, 5 - np.arange(90) % 3),
    "one cluster": (np.arange(50) % 3, np.zeros(50, int)),
    "empty": (np.array([], int), np.array([], int)),
}


@pytest.mark.parametrize("name", EXTERNAL)
def test_external_measures_are_those_of_scikit_learn(name):
    truth, found = EXTERNAL[name]
    for function in ["adjusted_mutual_info_score", "adjusted_rand_score", "v_measure_score", "normalized_mutual_info_score"]:
        theirs = getattr(metrics, function)(truth, found)
        assert getattr(clmatch, function)(truth, found) == pytest.approx(theirs, abs=1e-10), function
    for average in ["min", "geometric", "arithmetic", "max"]:
        for function in ["adjusted_mutual_info_score", "normalized_mutual_info_score"]:
            theirs = getattr(metrics, function)(truth, found, average_method=average)
            ours = getattr(clmatch, function)(truth, found, average_method=average)
            assert ours == pytest.approx(theirs, abs=1e-10), (function, average)
    for beta in [0.0, 0.2, 3.0]:
        theirs = metrics.v_measure_score(truth, found, beta=beta)
        assert clmatch.v_measure_score(truth, found, beta=beta) == pytest.approx(theirs, abs=1e-10)
    for beta in [-3.0, float("nan")]:
        with pytest.raises(ValueError, match="beta must be"):
            clmatch.v_measure_score(truth, found, beta=beta)
