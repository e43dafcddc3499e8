"""Datasets that the tests of engines score, and what is expected of all of them."""

import clmatch
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris

# What rounding in another order may change.
TOLERANCE = 1e-9
# Exact after two passes; the others are estimated once there are more rows than are kept.
EXACT = ["ch_a", "xb_a", "db_a", "ch_c", "db_c", "ch", "ii", "xb", "db"]


def frame(X, labels):
    """Features x0, x1 and so on, and a column of labels."""
    table = pd.DataFrame(np.asarray(X), columns=[f"x{at}" for at in range(np.asarray(X).shape[1])])
    return table.assign(label=labels)


def blobs(rows, features=6, seed=1):
    """Four classes of unequal sizes and extents, far from the origin."""
    random = np.random.default_rng(seed)
    labels = random.choice(4, size=rows, p=[0.5, 0.3, 0.15, 0.05])
    X = random.normal(size=(rows, features)) * (1 + 0.2 * labels[:, None]) + 1000
    X[:, 0] += 2.5 * labels
    return frame(X, np.array(["red", "green", "blue", "dark blue"])[labels])


def iris():
    """All of it is kept: every score is exact."""
    X, y = load_iris(return_X_y=True)
    return frame(X, np.array(["setosa", "versicolor", "virginica"])[y])


def digits():
    """Labels are numbers, many features."""
    return frame(*load_digits(return_X_y=True))


DATASETS = {"iris": iris, "digits": digits, "blobs": lambda: blobs(20_000)}


def in_memory(table, measures="all"):
    """The scores of all rows in memory."""
    return clmatch.evaluate(table.drop(columns="label").to_numpy(), table["label"].to_numpy(), measures=measures)


def check(found, table):
    """Exact scores are those in memory, and the others lie as near as they say, or a little farther."""
    kept_whole = len(table) <= 4096
    # Neighbours and trees of 20,000 points are for other tests: estimates of distances are enough here.
    expected = in_memory(table, "all" if kept_whole else [*EXACT, "sc_a", "di_a", "sc"])
    assert found.points == len(table)
    assert found.sizes == {str(name): count for name, count in table["label"].value_counts().items()}
    for id, value in expected.scores.items():
        if kept_whole or id in EXACT:
            assert found.exact[id], id
            assert found.scores[id] == pytest.approx(value, rel=TOLERANCE, abs=TOLERANCE), id
        else:
            assert not found.exact[id] and abs(found.scores[id] - value) < 2 * found.errors[id] < 0.2, id
