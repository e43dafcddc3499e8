"""scikit-learn's own tests of its clustering metrics, with our functions in place of its own.

The files of the installed scikit-learn are run, with our functions in its module while they are imported. Only cases that call one
of our functions are taken.
"""

import importlib.util
import inspect
import pathlib
import re
from unittest import mock

import clmatch
import pytest
import sklearn.metrics.cluster as peers
from scipy.sparse import issparse
from sklearn.utils import check_random_state


def with_peers_for_other_metrics(ours, theirs):
    """Distances other than Euclidean ones, which we do not take, are left to scikit-learn: its tests compare them with ours."""

    def silhouette(X, labels, *, metric="euclidean", sample_size=None, random_state=None, **options):
        if metric != "euclidean":
            more = {} if sample_size is None else {"sample_size": sample_size, "random_state": random_state}
            return theirs(X, labels, metric=metric, **more, **options)
        if sample_size is not None:
            X = X.tocsr() if issparse(X) else X
            rows = check_random_state(random_state).permutation(X.shape[0])[:sample_size]
            X, labels = X[rows], labels[rows]
        return ours(X, labels)

    return silhouette


OURS = {
    "silhouette_score": with_peers_for_other_metrics(clmatch.silhouette, peers.silhouette_score),
    "silhouette_samples": with_peers_for_other_metrics(clmatch.silhouette_samples, peers.silhouette_samples),
    "calinski_harabasz_score": clmatch.calinski_harabasz,
    "davies_bouldin_score": clmatch.davies_bouldin,
    "adjusted_mutual_info_score": clmatch.adjusted_mutual_info_score,
    "adjusted_rand_score": clmatch.adjusted_rand_score,
    "normalized_mutual_info_score": clmatch.normalized_mutual_info_score,
    "v_measure_score": clmatch.v_measure_score,
}

# Tests that must fail, and why. One that begins to pass is reported.
EXCEPTIONS = {
    "test_davies_bouldin_score": (
        "where the centres of two classes coincide, the index is infinite here, the worst value; scikit-learn has 0, the best one"
    ),
}
# Tests that call functions with our names, but say nothing about them.
NOT_ABOUT_US = {
    "test_silhouette_paper_example": "takes distances, not points",
    "test_silhouette_nonzero_diag": "takes distances, not points",
    "test_silhouette_samples_precomputed_sparse": "takes distances, not points",
    "test_silhouette_score_integer_precomputed": "takes distances, not points",
    "test_array_api_compliance": "is about scikit-learn's dispatch to other array libraries",
}
# Tests for many functions take one of them, or its name, as one of these parameters.
FUNCTION_PARAMETERS = {"score_func", "metric", "metric_name", "metric_func", "name"}
# Functions of scikit-learn that we do not have.
THEIRS = {name for name in peers.__all__ if name not in OURS} | {"silhouette_manhattan"}


def load(name):
    """A module of scikit-learn's tests that has our functions for those of scikit-learn."""
    path = pathlib.Path(peers.__file__).parent / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"clmatch_runs_{name}", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple(peers, **OURS):
        spec.loader.exec_module(module)
    return module


def is_theirs(value):
    parts = value if isinstance(value, tuple) else (value,)
    return any(isinstance(part, str) and part in THEIRS or getattr(part, "__name__", None) in THEIRS for part in parts)


def only_ours(test):
    """A test with those of its cases that are not about scikit-learn's other functions; ``None`` if none is left."""
    marks, chosen = getattr(test, "pytestmark", []), False
    kept = []
    for one in marks:
        if one.name == "parametrize":
            names, values = one.args[0], list(one.args[1])
            left = [value for value in values if not is_theirs(value)]
            chosen |= bool(FUNCTION_PARAMETERS & set(re.findall(r"\w+", str(names)))) and bool(left)
            one = pytest.mark.parametrize(names, left).mark
        kept.append(one)
    code = inspect.unwrap(test).__code__
    if not chosen and not set(OURS) & set(code.co_names):
        return None
    test.pytestmark = kept
    return test


def taken_from(name):
    found = {}
    for key, test in vars(load(name)).items():
        if key.startswith("test_") and callable(test) and key not in NOT_ABOUT_US and only_ours(test):
            if key in EXCEPTIONS:
                test = pytest.mark.xfail(strict=True, reason=EXCEPTIONS[key])(test)
            found[key] = test
    return found


TAKEN = {name: taken_from(name) for name in ("test_unsupervised", "test_supervised", "test_common")}
for _tests in TAKEN.values():
    globals().update(_tests)


def test_the_tests_were_found():
    """Another version of scikit-learn may have other tests, but not none."""
    assert {"test_silhouette", "test_cluster_size_1", "test_calinski_harabasz_score"} <= set(TAKEN["test_unsupervised"])
    assert {"test_perfect_matches", "test_adjusted_mutual_info_score"} <= set(TAKEN["test_supervised"])
    assert {"test_permute_labels", "test_format_invariance", "test_inf_nan_input"} <= set(TAKEN["test_common"])
