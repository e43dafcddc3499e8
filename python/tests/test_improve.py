"""The search for features against NumPy and a general convex solver."""

import json
import subprocess

import numpy as np
import pytest
from conftest import COMMAND, LIMIT, blobs
from scipy.optimize import minimize

PAPER = ["--split", "none", "--min-features", "1", "--penalty", "0", "--shrinkage", "none", "--shuffles", "0"]


def improve(tmp_path, points, labels, *options):
    """Runs the command; returns its report and the weights of all features."""
    path = tmp_path / "data.csv"
    header = ",".join([f"f{i}" for i in range(points.shape[1])] + ["label"])
    rows = [",".join([repr(float(x)) for x in row] + [str(label)]) for row, label in zip(points, labels)]
    path.write_text("\n".join([header, *rows]) + "\n")
    command = [COMMAND, "improve", str(path), "-o", str(tmp_path / "out.csv"), "--format", "json", "--quiet"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    weights = np.zeros(points.shape[1])
    for kept in report["kept_features"]:
        weights[kept["index"]] = kept["weight"]
    return report, weights


def programme(points, labels):
    """b and K of two classes, by definition."""
    first, second = (points[labels == label] for label in np.unique(labels))
    share = len(first) * len(second) / len(points) ** 2
    b = share * (first.mean(axis=0) - second.mean(axis=0)) ** 2
    deviations = (points - points.mean(axis=0)) ** 2
    return b, np.cov(deviations.T, bias=True)


def z(weights, b, k):
    return b @ weights / np.sqrt(weights @ k @ weights)


def general_optimum(b, k):
    """The same programme for SLSQP, in units in which K has a diagonal of ones, from several starts."""
    scale = np.sqrt(np.diag(k))
    c, m = b / scale, k / np.outer(scale, scale)
    best = 0.0
    random = np.random.default_rng(0)
    for start in [np.ones(len(b)), c, *random.random((3, len(b)))]:
        found = minimize(
            lambda v: v @ m @ v / 2 - c @ v,
            start,
            jac=lambda v: m @ v - c,
            bounds=[(0, None)] * len(b),
            method="SLSQP",
            options={"maxiter": 5000, "ftol": 1e-16},
        )
        if found.x.max() > 0:
            best = max(best, z(np.maximum(found.x, 0) / scale, b, k))
    return best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("features", [2, 5, 20])
def test_weights_of_two_classes_reach_the_optimum_of_a_general_solver(tmp_path, seed, features):
    points, labels = blobs(seed, 2, 60, features, 0.7)
    points = points * np.logspace(-1, 1, features) + 3
    report, weights = improve(tmp_path, points, labels, "--method", "weights", *PAPER)
    b, k = programme(points, labels)
    optimum = general_optimum(b, k)
    assert z(weights, b, k) == pytest.approx(optimum, rel=1e-6)
    assert z(weights, b, k) >= optimum * (1 - 1e-9)
    value = z(weights, b, k)
    score = np.tanh(2.2160052679191475 * value * np.exp(value) / 2)
    assert report["scores"]["all"]["after"] == pytest.approx(score, abs=1e-9)


def test_no_subset_of_two_classes_is_better_than_the_weights(tmp_path):
    points, labels = blobs(7, 2, 50, 8, 0.6)
    _, weights = improve(tmp_path, points, labels, "--method", "weights", *PAPER)
    b, k = programme(points, labels)
    subsets = ((np.arange(1, 256)[:, None] >> np.arange(8)) & 1).astype(float)
    best = max(z(subset, b, k) for subset in subsets)
    assert z(weights, b, k) >= best
    _, greedy = improve(tmp_path, points, labels, "--method", "greedy", *PAPER)
    assert z(greedy, b, k) == pytest.approx(best, rel=1e-9)


def test_more_classes_reach_what_a_general_solver_reaches(tmp_path):
    points, labels = blobs(9, 4, 40, 6, 0.8)
    pairs = [(i, j) for i in range(4) for j in range(i)]
    parts = [(points[np.isin(labels, pair)], labels[np.isin(labels, pair)]) for pair in pairs]
    programmes = [programme(*part) for part in parts]

    def loss(weights):
        values = np.array([z(np.abs(weights) + 1e-300, b, k) for b, k in programmes])
        return -np.tanh(2.2160052679191475 * values * np.exp(values) / 2).mean()

    report, weights = improve(tmp_path, points, labels, "--method", "auto", *PAPER)
    assert report["scores"]["all"]["after"] == pytest.approx(-loss(weights), abs=1e-9)
    random = np.random.default_rng(1)
    starts = [np.ones(6), *random.random((8, 6))]
    options = {"method": "L-BFGS-B", "bounds": [(0, None)] * 6}
    best = max(-minimize(loss, start, **options).fun for start in starts)
    assert -loss(weights) >= best - 1e-5


def test_the_score_held_out_is_that_of_points_that_had_no_part(tmp_path):
    points, labels = blobs(11, 3, 60, 10, 0.5)
    report, _ = improve(tmp_path, points, labels)
    scores = report["scores"]
    assert scores["chosen"]["points"] + scores["held_out"]["points"] == len(points)
    assert report["null"]["shuffles"] == 39
    gains = np.array(report["null"]["gains_held_out"])
    gain = scores["held_out"]["after"] - scores["held_out"]["before"]
    assert report["null"]["p_value"] == pytest.approx((1 + (gains >= gain).sum()) / 40)
