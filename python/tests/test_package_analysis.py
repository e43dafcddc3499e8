"""The Python package: explanations, repairs, the search for features, comparisons and benchmarks."""

import io
import pickle
import sys
import warnings

import anndata
import clmatch
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def blobs():
    """Four clusters; the first two are one class, and the third is two, with five points under a wrong name."""
    points, clusters = make_blobs(400, centers=[[0, 0], [20, 0], [0, 20], [20, 20]], random_state=0)
    labels = np.array(["left", "left", "up", "far"], object)[clusters]
    labels[np.flatnonzero(clusters == 2)[::2]] = "above"
    wrong = np.flatnonzero(clusters == 3)[:5]
    labels[wrong] = "left"
    return points, labels, clusters, wrong


# Explanations


def test_an_explanation_finds_what_is_wrong(blobs):
    points, labels, _, wrong = blobs
    explanation = clmatch.explain(points, labels, name="blobs")
    worst = explanation.pairs.iloc[0]
    assert {worst["a"], worst["b"]} == {"up", "above"} and worst["verdict"] == "one-cluster"
    clusters = explanation.classes.set_index("class")["clusters"]
    assert clusters["left"] >= 2 and clusters["far"] == 1
    assert explanation.clm == pytest.approx(clmatch.score(points, labels), rel=1e-9)
    assert [action.kind for action in explanation.actions][0] in ("merge", "split")
    assert ("merge", {"up", "above"}) in [(action.kind, set(action.classes)) for action in explanation.actions]
    assert explanation.summary and explanation.name == "blobs" and "blobs" in repr(explanation)
    assert len(explanation.points) == len(labels)
    # Five points of one place and one wrong name are a cluster of their own class, or wrong one by one.
    issues = explanation.label_issues
    assert list(issues.columns) == ["is_label_issue", "label_quality", "given_label", "predicted_label"]
    assert issues.loc[wrong, "label_quality"].mean() < issues["label_quality"].mean()


def test_wrong_labels_are_found_and_rows_count_from_zero(iris):
    points, labels = iris
    spoiled = labels.copy()
    spoiled[[3, 120]] = [2, 0]
    explanation = clmatch.explain(points, spoiled)
    issues = explanation.label_issues
    assert set(issues.index[issues["is_label_issue"]]) >= {3, 120}
    assert issues.loc[3, "given_label"] == 2 and issues.loc[3, "predicted_label"] == 0
    assert set(explanation.mislabelled["row"]) >= {3, 120}
    assert [row["row"] for row in explanation.to_dict()["mislabelled"]] == [row + 1 for row in explanation.mislabelled["row"]]
    # Labels are those that were given, of the types that Python has for them.
    assert all(type(value) is int for value in explanation.pairs["a"].tolist())


def test_tables_without_rows_have_columns():
    points, labels = make_blobs(80, centers=[[0, 0], [30, 0]], random_state=0)
    explanation = clmatch.explain(points, labels)
    assert list(explanation.mislabelled.columns) == ["row", "label", "suggested", "probability"]
    assert len(explanation.mislabelled) == 0 and list(explanation.outliers.columns) == ["row", "label", "distance"]


def test_each_action_leads_to_the_score_that_it_promises(blobs):
    points, labels, *_ = blobs
    for action in clmatch.explain(points, labels).actions:
        repaired = clmatch.relabel(points, labels, **action.arguments())
        assert repaired.clm_after == pytest.approx(action.clm, abs=1e-6), action
        assert repaired.clm_after - repaired.clm_before == pytest.approx(action.gain, abs=1e-6)


def test_an_evaluation_explains_itself(iris, blobs):
    points, labels, *_ = blobs
    evaluation = clmatch.evaluate(points, labels, scale="standard", name="b")
    explained, direct = evaluation.explain(), clmatch.explain(points, labels, scale="standard", name="b")
    assert explained.to_dict() == direct.to_dict()
    with pytest.raises(ValueError, match=r"does not keep the points: call clmatch\.explain\(X, labels\)"):
        pickle.loads(pickle.dumps(evaluation)).explain()
    with pytest.raises(ValueError, match="does not keep the points"):
        clmatch.rank({"iris": iris})[0].explain()


def test_anndata_objects_are_explained_and_relabelled(blobs):
    points, labels, *_ = blobs
    obs = pd.DataFrame({"kind": pd.Categorical(labels)}, index=[f"c{at}" for at in range(len(labels))])
    cells = anndata.AnnData(obs=obs, obsm={"X_pca": points})
    explanation = clmatch.evaluate(cells, "kind", rep="X_pca").explain()
    assert set(explanation.pairs["a"]) | set(explanation.pairs["b"]) == {"left", "up", "above", "far"}
    assert explanation.clm == pytest.approx(clmatch.explain(points, labels.astype(str)).clm)
    repaired = clmatch.relabel(cells, "kind", rep="X_pca", merge=[["up", "above"]], drop_rows=[0])
    assert isinstance(repaired.X, anndata.AnnData) and repaired.X.n_obs == len(repaired.labels) == len(labels) - 1


def test_labels_are_merged_split_renamed_and_left_out(blobs):
    points, labels, clusters, _ = blobs
    given = labels.copy()
    merged = clmatch.relabel(points, labels, merge=[["up", "above"]], split=["left"], rename={"far": "away"}, drop_rows=[0, -1])
    assert (labels == given).all()
    names = set(merged.labels.tolist())
    assert {"left 1", "left 2", "away"} < names and not {"left", "far", "up", "above"} & names
    assert merged.rows.tolist() == list(range(1, 399)) and (merged.X == points[1:-1]).all()
    assert merged.clm_after > merged.clm_before
    both = np.isin(labels[1:-1], ["up", "above"])
    assert len(set(merged.labels[both])) == 1 and (clusters[1:-1][both] == 2).all()
    frame = pd.DataFrame(points, columns=["x", "y"])
    assert clmatch.relabel(frame, labels, merge=[["up", "above"]]).X is frame
    assert list(clmatch.relabel(frame, labels, drop_rows=[5]).X.columns) == ["x", "y"]


def test_labels_keep_their_type_where_classes_keep_their_names(iris):
    points, labels = iris
    dropped = clmatch.relabel(points, labels, drop_rows=[0])
    assert dropped.labels.dtype.kind == "i" and (dropped.labels == labels[1:]).all()


@pytest.mark.parametrize(
    "changes", [{"merge": [["up", "nothing"]]}, {"split": ["nothing"]}, {"rename": {"nothing": "x"}}, {"drop_rows": [400]}]
)
def test_changes_that_cannot_be_made_are_refused(blobs, changes):
    with pytest.raises(ValueError, match="nothing|no row 400"):
        clmatch.relabel(blobs[0], blobs[1], **changes)


def test_explanations_can_be_pickled_and_shown(blobs):
    explanation = clmatch.explain(blobs[0], blobs[1], name="<b>")
    again = pickle.loads(pickle.dumps(explanation))
    assert again.to_dict() == explanation.to_dict() and again.label_issues.equals(explanation.label_issues)
    assert "&lt;b&gt;" in explanation._repr_html_() and "<b>" not in explanation._repr_html_()


# Features


@pytest.fixture(scope="module")
def scattered():
    """Three classes in two features, and six features of noise."""
    random = np.random.default_rng(2)
    labels = np.arange(240) % 3
    points = random.normal(size=(240, 8)) * [1, 4, 4, 4, 4, 1, 4, 4]
    points[:, 0] += 6 * (labels == 1)
    points[:, 5] += 6 * (labels == 2)
    return points, labels


def test_features_that_matter_are_found(scattered):
    points, labels = scattered
    found = clmatch.improve(points, labels, budget=None, method="greedy", shuffles=19)
    assert found.features.tolist() == [0, 5] and found.weights.shape == (8,)
    assert found.after > found.before and found.held_out[1] > found.held_out[0]
    assert found.p_value == pytest.approx(1 / 20) and found.significant
    assert found.transform(points).shape == (240, 2)
    # The scores are those of the features that are kept.
    assert clmatch.score(found.transform(points), labels, measure="ch_a") == pytest.approx(found.after, rel=1e-6)
    assert "2 of 8 features" in repr(found)
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict() and (again.weights == found.weights).all()
    with pytest.raises(ValueError, match="X has 3 features, but 8 were given"):
        found.transform(points[:, :3])


def test_a_search_is_the_same_again(scattered):
    runs = [clmatch.improve(*scattered, budget=None, draws=50, shuffles=0, random_state=4, n_jobs=jobs) for jobs in (1, 2)]
    assert (runs[0].weights == runs[1].weights).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_the_transformer_is_one_of_scikit_learn():
    check_estimator(clmatch.FeatureImprover(budget=2.0))


def test_the_transformer_in_pipelines(scattered):
    points, labels = scattered
    frame = pd.DataFrame(points, columns=[f"f{at}" for at in range(8)])
    improver = clmatch.FeatureImprover(method="greedy", budget=None).fit(frame, labels)
    assert improver.get_feature_names_out().tolist() == ["f0", "f5"]
    assert improver.transform(frame).shape == (240, 2) and improver.weights_.shape == (8,)
    pipeline = make_pipeline(StandardScaler(), clone(improver))
    search = GridSearchCV(
        pipeline, {"featureimprover__min_features": [2, 8]}, scoring=clmatch.scorers.clm, cv=StratifiedKFold(3), error_score="raise"
    )
    assert search.fit(points, labels).best_params_ == {"featureimprover__min_features": 2}


# Benchmarks


def test_representations_are_compared(iris):
    points, labels = iris
    found = clmatch.compare({"all": points, "petals": points[:, 2:], "sepals": points[:, :2]}, labels, measures=["clm", "sc_a"])
    assert found.winners == {"clm": None, "sc_a": found.winners["sc_a"]} or found.winners["clm"] == found.best["clm"]
    scores = found.scores.set_index(["representation", "measure"])
    assert scores.loc[("petals", "clm"), "score"] == pytest.approx(clmatch.score(points[:, 2:], labels))
    assert (scores["low"] <= scores["score"]).all() and (scores["score"] <= scores["high"]).all()
    one = found.differences.query("a == 'petals' and b == 'sepals' and measure == 'clm'").iloc[0]
    difference = scores.loc[("sepals", "clm"), "score"] - scores.loc[("petals", "clm"), "score"]
    assert one["difference"] == pytest.approx(difference) and one["low"] <= one["difference"] <= one["high"] and one["significant"]
    assert pickle.loads(pickle.dumps(found)) == found


def test_representations_must_have_the_same_rows(iris):
    points, labels = iris
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clmatch.compare({"all": points, "fewer": points[:-1]}, labels)
    with pytest.raises(ValueError):
        clmatch.compare({"alone": points}, labels)


def test_techniques_are_tuned_to_the_labels(blobs):
    points, _, clusters, _ = blobs
    found = clmatch.truth(points, clusters, techniques=["kmeans", "agglo_average", "dbscan"], external=["ami", "arand"], name="b")
    assert found.best["ami"]["score"] == pytest.approx(1.0) and found.name == "b"
    assert set(found.table["external"]) == {"ami", "arand"} and {"technique", "score"} <= set(found.table.columns)
    assert pickle.loads(pickle.dumps(found)) == found and "ami 1.000" in repr(found)
    with pytest.raises(ValueError, match="kmean"):
        clmatch.truth(points, clusters, techniques="kmean")


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(3)
    means = {"first": 0.8, "second": 0.6, "third": 0.4}
    return pd.DataFrame(
        [
            {"dataset": f"d{at}", "technique": name, "score": float(np.clip(mean + random.normal(0, 0.02), 0, 1))}
            for at in range(15)
            for name, mean in means.items()
        ]
    )


def test_the_stability_of_a_ranking(table):
    found = clmatch.stability(table, size=5, draws=200)
    assert found.table["whole"][0] == 1.0 and list(found.techniques["technique"]) == ["first", "second", "third"]
    assert clmatch.stability(table.to_dict("records"), size=5, draws=200) == found
    scores = pd.DataFrame({"dataset": [f"d{at}" for at in range(15)], "clm": np.linspace(0, 1, 15)})
    assert len(clmatch.stability(table, scores=scores, size=5, draws=50).table) > 1
    with pytest.raises(ValueError):
        clmatch.stability(table.drop(columns="score"))


def test_a_benchmark_is_picked(tmp_path):
    found = clmatch.pick(5)
    assert len(found.datasets) == len(set(found.datasets)) == len(found.table) == 5
    assert set(found.datasets) <= set(clmatch.catalogue()["dataset"])
    assert clmatch.pick(5) == found and len(found.choices) > 1 and len(found.techniques) > 1
    with pytest.raises(ValueError):
        clmatch.pick(0)
    with pytest.raises(ValueError):
        clmatch.pick(5, accept="whatever")


# Progress, and what nobody should pass


def test_progress_is_shown_where_it_is_asked_for(iris, capfd):
    clmatch.evaluate(*iris, null=20, progress=False)
    assert capfd.readouterr().err == ""
    shown = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tqdm.std.tqdm.__init__", watched(shown))
        clmatch.evaluate(*iris, null=400, ci=True, progress=True)
    assert shown.getvalue()


def watched(out):
    import tqdm.std

    original = tqdm.std.tqdm.__init__

    def init(self, *arguments, **options):
        out.write(str(options.get("desc")))
        original(self, *arguments, **{**options, "file": io.StringIO()})

    return init


def test_progress_without_tqdm_is_refused_in_words(iris, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="progress=True needs tqdm"):
        clmatch.evaluate(*iris, null=3, progress=True)
    clmatch.evaluate(*iris, null=3)


HUGE = 10**30
ODD = [None, 0, -1, 3, 0.5, float("nan"), float("inf"), "", "nothing", "\0", (), [None], ["x"], [["x"]], {"x": 1}, np.zeros(3), HUGE]


@pytest.mark.parametrize("name", ["explain", "relabel", "improve", "truth", "compare", "pick", "stability"])
def test_hostile_arguments(name, iris, table):
    """A value or an error in words, never a panic."""
    points, labels = iris[0][::3], iris[1][::3]
    random = np.random.default_rng(sum(name.encode()))
    function = getattr(clmatch, name)
    options = [key for key in function.__kwdefaults__ if key not in ("n_jobs", "progress")]
    quick = {"improve": {"budget": 0.2, "shuffles": 0}, "truth": {"techniques": "kmeans"}, "stability": {"draws": 5}}.get(name, {})
    first = {"compare": ({"a": points, "b": points * 2}, labels), "pick": (3,), "stability": (table,)}.get(name, (points, labels))
    for option in options:
        for value in ODD:
            if value is HUGE and option in ("shuffles", "draws", "budget", "count", "max_points", "size"):
                continue
            attempt(function, first, {**quick, option: value})
    for _ in range(60):
        attempt(function, [ODD[int(random.integers(len(ODD)))] for _ in first], quick)


def attempt(function, arguments, options):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*arguments, **options)
    except (TypeError, ValueError, OverflowError, KeyError, AttributeError, OSError) as error:
        assert str(error)
    except BaseException as error:
        raise AssertionError(f"{function.__name__} {arguments!r} {options!r} raised {error!r}") from error
