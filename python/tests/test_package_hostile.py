"""The Python package: arguments that nobody should pass. The answer is a value or an error in words, never a panic."""

import math
import warnings

import clmatch
import numpy as np
import pytest

# What may be said about arguments. A panic is a RuntimeError ("a defect: please report it") or no Exception at all.
ALLOWED = (TypeError, ValueError, OverflowError, KeyError, AttributeError, FileNotFoundError, IsADirectoryError, UnicodeError)
CALLS = 250


class Liar:
    """Has a length, and is no sequence."""

    def __len__(self):
        return 10**9

    def __array__(self, dtype=None, copy=None):
        raise ValueError("no array of mine")


class Endless:
    """Is different from itself."""

    def __eq__(self, other):
        return False

    def __hash__(self):
        return 1


def points(random):
    count, features = int(random.integers(0, 12)), int(random.integers(0, 4))
    normal = random.normal(size=(count, features))
    choices = [
        lambda: normal,
        lambda: np.zeros((count, features)),
        lambda: np.repeat(normal[:1], count, axis=0) if count else normal,
        lambda: normal * 1e308,
        lambda: normal * 5e-324,
        lambda: np.where(random.random(normal.shape) < 0.3, np.nan, normal),
        lambda: np.where(random.random(normal.shape) < 0.3, -np.inf, normal),
        lambda: normal.astype(np.float16),
        lambda: normal.astype(np.float32) * np.float32(1e38),
        lambda: random.integers(-(2**63), 2**63 - 1, size=(count, features)),
        lambda: np.full((count, features), 2**64 - 1, np.uint64),
        lambda: normal.astype("S3"),
        lambda: normal.astype(object),
        lambda: np.full((count, features), None, object),
        lambda: normal + 1j,
        lambda: np.zeros((count, features), "M8[s]"),
        lambda: np.zeros((count, features), "f8,i4"),
        lambda: normal[:, :, None],
        lambda: normal.ravel(),
        lambda: np.broadcast_to(np.float64(3), (count, features)),
        lambda: np.lib.stride_tricks.as_strided(np.arange(20.0), (count, features), (8, 8)),
        lambda: normal.tolist(),
        lambda: [[1.0], [1.0, 2.0]],
        lambda: [[10**400], [1]],
        lambda: "points",
        lambda: b"points",
        lambda: None,
        lambda: 7,
        lambda: {"a": [1, 2]},
        lambda: Liar(),
        lambda: iter([[1.0], [2.0]]),
        lambda: memoryview(np.ascontiguousarray(normal)),
    ]
    return choices[int(random.integers(len(choices)))](), count


def labels(random, count):
    if random.random() < 0.2:
        count = int(random.integers(0, 12))
    few = random.integers(0, 3, count)
    choices = [
        lambda: few,
        lambda: few,
        lambda: few,
        lambda: np.arange(count),
        lambda: np.zeros(count),
        lambda: few * 1e308,
        lambda: few.astype(np.float16) / 0 if count < 0 else np.where(few == 0, np.nan, few),
        lambda: (few - 128).astype(np.int8),
        lambda: few.astype(np.uint64) + np.uint64(2**64 - 3),
        lambda: np.array(["", "\0", "\ud800", "x" * 10_000, "é"])[few],
        lambda: [b"\xff", b"\xfe", b"a", b"b"][: count % 5],
        lambda: [Endless() for _ in range(count)],
        lambda: [Endless] * count,
        lambda: [10**400, -1, 3][: count % 4],
        lambda: [(1, 2)] * count,
        lambda: [[1], [1, 2]],
        lambda: {0: 1},
        lambda: set(range(count)),
        lambda: None,
        lambda: 3,
        lambda: "abc",
        lambda: few.reshape(-1, 1),
        lambda: np.stack([few, few]),
        lambda: Liar(),
        lambda: few > 0,
        lambda: np.zeros(count, "f8,i4"),
        lambda: few.astype("m8[s]"),
    ]
    return choices[int(random.integers(len(choices)))]()


ODD = [
    None, 0, 1, -1, 2, -3, 10**30, -(10**30), 0.5, math.nan, math.inf, -math.inf, True, "", "clm", "all", "nothing", "\0", b"clm", "X_pca",
    (), (1, 2), [], ["clm"], ["clm", "clm"], ["nothing"], [None], {}, {"clm": 1}, np.float64(3), np.int64(2), np.zeros(3), Liar(),
]  # fmt: skip
# How many threads a machine can start is no question for a test of one function.
FEWER = [None, 1, 2, -1, 0, -7, 1.0, 0.5, "2", True, [], math.nan, np.int64(2), -(10**30)]


def option(random, name):
    values = FEWER if name == "n_jobs" else [0, 1, 3, -1, 2.5, "x", None, math.nan] if name == "null" else ODD
    return values[int(random.integers(len(values)))]


def attempt(function, *arguments, **options):
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*arguments, **options)
    except ALLOWED as error:
        assert str(error), f"{type(error).__name__} without a word"
    except BaseException as error:
        raise AssertionError(f"{function} {arguments!r} {options!r} raised {error!r}") from error
    return None


OPTIONS = {
    "score": ["measure", "rep", "n_jobs"],
    "calinski_harabasz": ["adjusted", "k", "rep", "n_jobs"],
    "davies_bouldin": ["adjusted", "k", "rep", "n_jobs"],
    "dunn": ["adjusted", "k", "rep", "n_jobs"],
    "i_index": ["adjusted", "k", "rep", "n_jobs"],
    "xie_beni": ["adjusted", "k", "rep", "n_jobs"],
    "silhouette": ["adjusted", "rep", "n_jobs"],
    "silhouette_samples": ["adjusted", "rep", "n_jobs"],
    "evaluate": ["measures", "ci", "null", "scale", "noise", "singletons", "rep", "name", "random_state", "n_jobs"],
}


@pytest.mark.parametrize("name", OPTIONS)
def test_points_and_labels(name):
    random = np.random.default_rng(sum(name.encode()))
    values = 0
    for _ in range(CALLS):
        X, count = points(random)
        y = labels(random, count)
        chosen = [key for key in OPTIONS[name] if random.random() < 0.3]
        found = attempt(getattr(clmatch, name), X, y, **{key: option(random, key) for key in chosen})
        if isinstance(found, float):
            assert not math.isnan(found)
        values += found is not None
    assert values > 0


@pytest.mark.parametrize(
    "name", ["adjusted_mutual_info_score", "adjusted_rand_score", "normalized_mutual_info_score", "v_measure_score"]
)
def test_two_labellings(name):
    random = np.random.default_rng(5)
    for _ in range(CALLS):
        count = int(random.integers(0, 9))
        found = attempt(getattr(clmatch, name), labels(random, count), labels(random, count))
        assert found is None or -1 <= found <= 1 + 1e-12


def test_other_functions():
    random = np.random.default_rng(6)
    for _ in range(CALLS):
        odd = lambda: ODD[int(random.integers(len(ODD)))]
        attempt(clmatch.read, odd())
        attempt(clmatch.read, "iris", **{str(odd()): odd()})
        name = ["label", "drop", "keep", "only", "one_hot", "missing", "na", "mixed", "header", "skip_rows", "layer"][int(random.integers(11))]
        attempt(clmatch.read, "iris", **{name: odd()})
        name = ["by", "classes", "points", "features", "at_least", "top_third"][int(random.integers(6))]
        attempt(clmatch.catalogue, **{name: odd()})
        attempt(clmatch.rank, odd())
        attempt(clmatch.rank, {"a": odd(), "b": (odd(), odd())})
        attempt(clmatch.scorers.make_scorer, odd())
        attempt(clmatch.scorers.clm, odd(), odd(), odd())


def test_no_value_is_nan_where_points_are_numbers():
    """Numbers that overflow when they are squared, denormal ones, equal ones: all have a stated value."""
    random = np.random.default_rng(7)
    shapes = [random.normal(size=(30, 3)), np.zeros((30, 3)), np.repeat(random.normal(size=(3, 3)), 10, axis=0)]
    for shape in shapes:
        for factor in [1e-320, 1e-300, 1e-30, 1.0, 1e30, 1e150, 1e300, 1e307]:
            for id in [one["id"] for one in clmatch.measures()]:
                found = attempt(clmatch.score, shape * factor, np.arange(30) // 10, measure=id)
                assert found is None or not math.isnan(found), (id, factor)


def test_names_cannot_act_on_a_terminal():
    names = ["\x1b[35mred\x1b[0m\x07", "b\nverdict: fit", "\u202etif\u200b"]
    points = np.random.default_rng(0).normal(size=(90, 2))
    labels = np.array(names)[np.arange(90) % 3]
    name = "d\x1b[2J\nerror: forged"
    found = [
        clmatch.evaluate(points, labels, name=name),
        clmatch.explain(points, labels, name=name),
        clmatch.truth(points, labels, name=name, techniques="kmeans"),
    ]
    for result in found:
        assert repr(result).isprintable() and "d\\x1b[2J\\nerror" in repr(result), result
    assert str(found[0].verdict).isprintable()
    with pytest.raises(ValueError) as error:
        clmatch.evaluate(points[:4], np.array([*names, names[0]]), name=name)
    assert str(error.value).isprintable()
    # Names themselves stay as they are.
    assert sorted(set(found[1].points["label"])) == sorted(names)
