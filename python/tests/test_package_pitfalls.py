"""What people get wrong, and names that look like something else: never a silent change of the numbers."""

import io

import clmatch
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

iris = clmatch.read("iris")
X, y = iris.X, iris.labels
codes = np.unique(y, return_inverse=True)[1]


def test_a_class_called_none_is_a_class():
    fitted = PCA(2).fit(X)
    named = np.where(codes == 0, "None", y)
    assert clmatch.scorers.clm(fitted, X, named) == clmatch.scorers.clm(fitted, X, y)


@pytest.mark.parametrize("noise", [1, 1.0, np.int64(1), np.float64(1)])
def test_noise_is_found_whatever_its_type(noise):
    for labels in (codes, codes.astype(float), codes.tolist()):
        assert clmatch.evaluate(X, labels, measures="clm", noise=noise).sizes == {"0": 50, "2": 50}
    scorer = clmatch.scorers.make_scorer("clm", noise=noise)
    assert scorer(PCA(2).fit(X), X, codes) == 1.0


def test_missing_labels_in_lists_are_refused():
    labels = y.tolist()
    labels[7] = float("nan")
    for function in (clmatch.score, clmatch.evaluate):
        with pytest.raises(ValueError, match=r"Input y contains NaN.\nThe label in row 7"):
            function(X, labels)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        clmatch.adjusted_rand_score(["a", float("nan"), "a"], ["a", "b", "a"])
    with pytest.raises(ValueError, match="the same name '1'"):
        clmatch.score(X, [1] * 50 + ["1"] * 50 + ["b"] * 50)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
def test_dates_are_called_by_their_date(unit):
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype=f"M8[{unit}]")[codes]
    assert clmatch.evaluate(X, days, measures="clm").sizes == {"2020-01-01": 50, "2020-01-02": 50, "2020-01-03": 50}
    assert clmatch.explain(X, days).pairs["a"].iloc[0] == np.datetime64("2020-01-02")
    assert clmatch.evaluate(X, days, noise=pd.Timestamp("2020-01-01")).n_classes == 2
    with pytest.raises(ValueError, match="Input y contains NaN"):
        clmatch.score(X, np.where(np.arange(150) == 3, np.datetime64("NaT"), days))


def test_rows_may_be_a_mask():
    mask = np.zeros(150, bool)
    mask[[5, 77]] = True
    repaired = clmatch.relabel(X, y, drop_rows=mask)
    assert sorted(set(range(150)) - set(repaired.rows.tolist())) == [5, 77]
    with pytest.raises(ValueError, match="a mask of shape"):
        clmatch.relabel(X, y, drop_rows=mask[:9])
    with pytest.raises(TypeError, match="numbers of rows, got 1.9"):
        clmatch.relabel(X, y, drop_rows=[1.9])
    with pytest.raises(TypeError, match="an array of booleans"):
        clmatch.relabel(X, y, drop_rows=mask.tolist())


def test_texts_are_no_lists():
    with pytest.raises(TypeError, match="a list of lists of classes"):
        clmatch.relabel(X, y, merge=["versicolor", "virginica"])
    with pytest.raises(ValueError, match="'setosa' is one cluster"):
        clmatch.relabel(X, y, split="setosa")


def test_rankings():
    with pytest.raises(ValueError, match="two datasets are called '1'"):
        clmatch.rank({1: (X, y), "1": (X, codes % 2)})
    ranking = clmatch.rank({"bunch": load_iris(), "frame": pd.DataFrame(X), "file": clmatch.read("wine")})
    assert "bunch" in ranking and "frame" not in ranking
    assert ranking["bunch"].n_points == 150 and "a pair of points and labels" in ranking.failed["frame"]
    with pytest.raises(KeyError):
        ranking["frame"]
    from_files = clmatch.rank(["iris", "nothing.csv"])
    assert [one.name for one in from_files] == ["iris"] and "nothing.csv" in from_files.failed
    with pytest.raises(FileNotFoundError):
        clmatch.rank("nothing.csv")


@pytest.mark.parametrize("display", ["PairMatrixDisplay", "SilhouetteDisplay"])
def test_dollars_are_dollars(display):
    pytest.importorskip("matplotlib").use("agg")
    named = np.where(codes == 0, r"$\frac{a$", y)
    getattr(clmatch, display).from_labels(X, named).figure_.savefig(io.BytesIO())


def test_summaries():
    summary = clmatch.Summary(measures="ch_a").update(X, y)
    twice = summary.copy().merge(summary)
    assert summary.merge(summary).rows == twice.rows == 300
    sparse = pytest.importorskip("scipy.sparse")
    assert clmatch.Summary(measures="ch_a").update(sparse.csr_matrix(X), y).rows == 150
    with pytest.raises(ValueError, match="there is no measure 'foo'"):
        clmatch.Summary(measures="foo")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: clmatch.evaluate(X, y, random_state=2**70), "random_state must be at most"),
        (lambda: clmatch.evaluate(X, y, random_state="abc"), "random_state must be a whole number"),
        (lambda: clmatch.evaluate(X, y, null=1.7), "null must be a whole number"),
        (lambda: clmatch.evaluate(X, y, ci=0.9), "ci must be True or False"),
        (lambda: clmatch.improve(X, y, shuffles=-1), "shuffles must be at least 0"),
        (lambda: clmatch.truth(X, y, max_points=1), "max_points must be at least 6"),
        (lambda: clmatch.Summary(memory=-1), "memory must be at least 1"),
        (lambda: clmatch.Summary(source=-1), "source must be at least 0"),
        (lambda: clmatch.read("iris", skip_rows=-1), "skip_rows must be at least 0"),
        (lambda: clmatch.catalogue(classes=(3, 4, 5)), "classes must be a number, or the least and the most"),
        (lambda: clmatch.compare([X, X], y), "representations must be a dict"),
        (lambda: clmatch.scorers.Scorer("xx"), "there is no measure 'xx'"),
        (lambda: clmatch.score(pd.DataFrame({"a": X[:, 0], "day": pd.Timestamp("2020-01-01")}), y), "column 'day'"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_what_is_natural_works(tmp_path):
    assert len(clmatch.catalogue(points=(None, 500))) + len(clmatch.catalogue(points=(501, None))) == 92
    assert len(clmatch.catalogue(classes=np.int64(2))) == len(clmatch.catalogue(classes=[2, 2]))
    assert len(clmatch.pick(3, clmatch.catalogue()).datasets) == 3
    assert clmatch.score(X, y, n_jobs=5000) == clmatch.score(X, y)
    assert clmatch.evaluate(X, y, null=5, random_state=np.random).n_features == 4
    result = clmatch.evaluate(X, y)
    assert result.over_pairs.set_index("measure").loc["clm", "worst_b"] == "virginica"
    assert "150 points" in repr(iris) and len(repr(iris)) < 100
    (tmp_path / "comma.csv").write_text("a;b;label\n" + "".join(f"{at},5;{at % 7},25;{'xy'[at % 2]}\n" for at in range(20)))
    with pytest.raises(ValueError, match="decimal_comma=True"):
        clmatch.read(tmp_path / "comma.csv")
    np.save(tmp_path / "all.npy", np.column_stack([X, codes]))
    with pytest.raises(ValueError, match="label=-1"):
        clmatch.read(tmp_path / "all.npy")
    assert clmatch.read(tmp_path / "all.npy", label=-1).X.shape == (150, 4)


def test_a_refused_file_says_with_which_arguments_it_is_read(tmp_path):
    path = tmp_path / "mixed.csv"
    rows = [f"{at % 7},{'' if at % 5 == 0 else at % 11},{'xyz'[at // 2 % 3]},{at % 2}" for at in range(60)]
    path.write_text("\n".join(["a,b,kind,class", *rows]) + "\n")
    with pytest.raises(ValueError, match=r'label: class \(by its name\)(.|\n)*read it with mixed=True, missing="mean"'):
        clmatch.read(path)
    found = clmatch.inspect(path)
    assert (found.label, found.options, found.singletons) == ("class", {"mixed": True, "missing": "mean"}, "error")
    read = clmatch.read(path, **found.options)
    assert found.size == {"rows": 60, "points": len(read.X), "features": read.X.shape[1], "classes": 2}
    assert found.command == f"clmatch.read({str(path)!r}, mixed=True, missing='mean')"
    assert [column["role"] for column in found.columns] == ["feature", "feature", "indicators", "label"]
    assert list(found.to_frame()["missing"]) == [0, 0.2, 0, 0]
    assert found.command in str(found) and "<table>" in found._repr_html_()
    nothing = clmatch.inspect(path, label="colour")
    assert nothing.command is None and "there is no column 'colour'" in nothing.obstacle
