"""What the package computes from arrays is what the command computes from a file of the same numbers."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas
import pytest

import clmatch

COMMAND = os.environ["CLMATCH"]


@pytest.fixture(scope="module")
def dataset():
    """Four classes: two that overlap, one of two clusters, and one of whose points two have the wrong label."""
    random = np.random.default_rng(5)
    centres = np.array([[0, 0, 0, 0], [2.5, 0, 0, 0], [0, 9, 0, 0], [0, -9, 0, 0], [30, 0, 0, 0]])
    points = np.concatenate([centre + random.normal(size=(60, 4)) for centre in centres])
    points[:, 3] *= 4
    labels = np.repeat(["a", "b", "c", "c", "d"], 60)
    labels[[243, 250]] = "c"
    return points.round(6), labels


@pytest.fixture(scope="module")
def file(dataset, tmp_path_factory):
    points, labels = dataset
    path = tmp_path_factory.mktemp("same") / "data.csv"
    table = pandas.DataFrame(points, columns=[f"x{at}" for at in range(points.shape[1])])
    table.assign(label=labels).to_csv(path, index=False)
    return path


def command(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def without(result, *keys):
    return {key: value for key, value in result.items() if key not in ("label", "path", "notes", "settings", *keys)}


def test_scores(dataset, file):
    ours = clmatch.evaluate(*dataset, measures="all", ci=True, null=20, random_state=3).to_dict()
    theirs = json.loads(command("score", file, "--measures", "all", "--ci", "--null", 20, "--seed", 3, "--format", "json", "-q"))
    theirs = theirs[0] if isinstance(theirs, list) else theirs
    assert without(ours) == without(theirs)


def test_explanations(dataset, file):
    explanation = clmatch.explain(*dataset, name="data", random_state=4)
    theirs = json.loads(command("explain", file, "--seed", 4, "--format", "json", "-q"))
    assert without(explanation.to_dict()) == without(theirs)
    # Rows are counted from 0 in Python, and from 1 by the command.
    assert {243, 250} <= set(explanation.mislabelled["row"])
    assert explanation.label_issues.loc[243, ["is_label_issue", "given_label"]].tolist() == [True, "c"]
    assert explanation.label_issues.loc[243, "predicted_label"] == "d"
    assert len(explanation.label_issues) == len(explanation.points) == 300
    assert explanation.classes.set_index("class").loc["c", "clusters"] == 2
    assert [action.kind for action in explanation.actions][0] in ("merge", "split", "drop_rows")
    assert clmatch.evaluate(*dataset, random_state=4).explain().to_dict()["pairs"] == explanation.to_dict()["pairs"]


def test_actions_lead_to_the_scores_that_they_promise(dataset):
    points, labels = dataset
    explanation = clmatch.explain(points, labels)
    assert explanation.actions
    for action in explanation.actions:
        repaired = clmatch.relabel(points, labels, **action.arguments())
        assert repaired.clm_before == pytest.approx(explanation.clm, abs=1e-12)
        assert repaired.clm_after == pytest.approx(action.clm, abs=1e-9)
        scored = clmatch.evaluate(repaired.X, repaired.labels, measures="clm").scores["clm"]
        assert scored == pytest.approx(action.clm, abs=1e-9)


def test_relabelled_datasets(dataset, file, tmp_path):
    points, labels = dataset
    repaired = clmatch.relabel(points, labels, merge=[["a", "b"]], split=["c"], drop_rows=[0, -1])
    out = tmp_path / "out.csv"
    command("relabel", file, "--merge", "a,b", "--split", "c", "--drop-rows", "1,300", "-o", out, "-q")
    written = pandas.read_csv(out)
    assert written["label"].astype(str).tolist() == repaired.labels.tolist()
    assert np.array_equal(written.drop(columns="label").to_numpy(), repaired.X)
    assert repaired.rows.tolist() == list(range(1, 299))
    assert np.array_equal(dataset[0], points) and len(labels) == 300, "what is given is not changed"


def test_labels_keep_their_type(dataset):
    points, labels = dataset
    codes = np.unique(labels, return_inverse=True)[1] * 10
    repaired = clmatch.relabel(points, codes, drop_rows=[5])
    assert repaired.labels.dtype == codes.dtype and np.array_equal(repaired.labels, np.delete(codes, 5))
    explanation = clmatch.explain(points, codes)
    assert explanation.label_issues.loc[243, "given_label"] == 20
    merge = next(action for action in explanation.actions if action.kind == "merge")
    assert merge.classes == (0, 10) and "0" in clmatch.relabel(points, codes, **merge.arguments()).labels[0]


def test_improvements(dataset, file, tmp_path):
    points, labels = dataset
    found = clmatch.improve(points, labels, name="data", method="greedy", budget=None, shuffles=19, random_state=2)
    out = tmp_path / "out.csv"
    words = ["improve", file, "-o", out, "--method", "greedy", "--budget", 3600, "--shuffles", 19, "--seed", 2]
    theirs = json.loads(command(*words, "--format", "json", "-q"))
    assert without(found.to_dict(), "score_with") == without(theirs, "score_with")
    written = pandas.read_csv(out).drop(columns="label").to_numpy()
    np.testing.assert_allclose(found.transform(points), written, rtol=1e-12)
    after = clmatch.score(found.transform(points), labels, measure="ch_a")
    assert after == pytest.approx(found.after, abs=1e-9) and found.after > found.before


def test_comparisons(dataset, tmp_path):
    points, labels = dataset
    forms = {"all": points, "two": points[:, :2]}
    for name, form in forms.items():
        pandas.DataFrame(form).add_prefix("x").assign(label=labels).to_csv(tmp_path / f"{name}.csv", index=False)
    found = clmatch.compare(forms, labels, measures=["clm", "sc_a"], random_state=1)
    words = ["compare", tmp_path / "all.csv", tmp_path / "two.csv", "--measures", "clm,sc_a", "--seed", 1]
    theirs = json.loads(command(*words, "--format", "json", "-q"))
    for one in theirs["representations"]:
        one.pop("path")
    assert without(found.to_dict()) == without(theirs)
    assert found.best == {"clm": "two", "sc_a": "two"}
    assert len(found.scores) == 4 and len(found.differences) == 2


def test_ground_truth(dataset, file):
    settings = {"techniques": ["kmeans", "agglo_single"], "external": ["ami", "arand"]}
    found = clmatch.truth(*dataset, name="data", random_state=6, **settings)
    words = ["truth", file, "--techniques", "kmeans,agglo_single", "--external", "ami,arand", "--seed", 6]
    (theirs,) = json.loads(command(*words, "--format", "json", "-q"))
    ours = found.to_dict()
    for row in ours["techniques"] + theirs["techniques"]:
        row.pop("seconds")
    assert without(ours) == without(theirs)
    assert found.best["ami"]["score"] == found.table.query("external == 'ami'")["score"].max()


def test_choices_of_datasets(tmp_path):
    random = np.random.default_rng(8)
    datasets = {}
    for at in range(6):
        labels = np.arange(100 + 10 * at) % (2 + at % 3)
        points = random.normal(size=(len(labels), 2 + at))
        points[np.arange(len(labels)), labels] += 9
        datasets[f"d{at}"] = (points, labels)
    ranking = clmatch.rank(datasets)
    names = ["kmeans", "agglo_single", "agglo_average"]
    truths = [clmatch.truth(*datasets[name], name=name, techniques=names, external="ami") for name in datasets]
    found = clmatch.pick(3, ranking, truths, diversity=0)
    (tmp_path / "ranking.json").write_text(json.dumps(ranking.to_list()))
    rows = [{"dataset": truth.name} | row for truth in truths for row in truth.to_dict()["techniques"]]
    table = pandas.DataFrame(rows)
    table.to_csv(tmp_path / "truth.csv", index=False)
    words = [tmp_path / "ranking.json", "--count", 3, "--truth", tmp_path / "truth.csv", "--diversity", 0]
    theirs = json.loads(command("pick", *words, "--format", "json", "-q"))
    assert without(found.to_dict(), "ranking", "truth") == without(theirs, "ranking", "truth")
    assert len(found.datasets) == 3 and set(found.datasets) <= set(datasets)
    # The same from files, tables and lists.
    for ranked, truth in [(tmp_path / "ranking.json", table), (list(ranking), rows), (ranking, tmp_path / "truth.csv")]:
        assert clmatch.pick(3, ranked, truth, diversity=0).datasets == found.datasets


def test_the_stability_of_rankings(tmp_path):
    random = np.random.default_rng(9)
    rows = [
        {"dataset": f"d{at}", "technique": name, "score": round(base + random.normal() / 10, 4)}
        for at in range(12)
        for name, base in [("x", 0.5), ("y", 0.45), ("z", 0.3)]
    ]
    scores = [{"dataset": f"d{at}", "clm": at / 12} for at in range(12)]
    pandas.DataFrame(rows).to_csv(tmp_path / "truth.csv", index=False)
    pandas.DataFrame(scores).to_csv(tmp_path / "scores.csv", index=False)
    found = clmatch.stability(rows, scores=scores, size=3, random_state=7)
    words = [tmp_path / "truth.csv", "--scores", tmp_path / "scores.csv", "--size", 3, "--seed", 7]
    theirs = json.loads(command("stability", *words, "--format", "json"))
    assert found.to_dict() == theirs
    assert found.table["set"].tolist() == [one["set"] for one in theirs["sets"]]
    assert len(found.pairs) == 9 and len(found.techniques) == 9


PROGRESS = """
import sys
import clmatch
iris = clmatch.read("iris")
clmatch.truth(iris.X, iris.labels, techniques=["kmeans", "xmeans", "agglo_single"], progress={progress})
"""


class Bar:
    """What is told of tqdm."""

    made = []

    def __init__(self, total, desc, delay, leave):
        self.total, self.desc, self.n, self.closed = total, desc, 0, False
        Bar.made.append(self)

    def update(self, steps):
        self.n += steps

    def close(self):
        self.closed = True


def test_progress(monkeypatch, dataset):
    tqdm = pytest.importorskip("tqdm.auto")
    monkeypatch.setattr(tqdm, "tqdm", Bar)
    points = np.tile(dataset[0], (10, 1)) + np.random.default_rng(0).normal(size=(3000, 4)) / 10
    labels = np.tile(dataset[1], 10)
    with_bar = clmatch.evaluate(points, labels, measures="clm", null=300, progress=True)
    known = [bar for bar in Bar.made if bar.total is not None]
    assert known and all(0 < bar.n <= bar.total for bar in known) and all(bar.closed for bar in Bar.made)
    count = len(Bar.made)
    assert clmatch.evaluate(points, labels, measures="clm", null=300, progress=False) == with_bar
    assert len(Bar.made) == count, "no bar is shown where none is wanted"


def test_what_a_bar_raises_stops_the_work(monkeypatch, dataset):
    tqdm = pytest.importorskip("tqdm.auto")

    def broken(**_):
        raise RuntimeError("no terminal")

    monkeypatch.setattr(tqdm, "tqdm", broken)
    points = np.tile(dataset[0], (10, 1)) + np.random.default_rng(0).normal(size=(3000, 4)) / 10
    with pytest.raises(RuntimeError, match="no terminal"):
        clmatch.evaluate(points, np.tile(dataset[1], 10), measures="clm", null=300, progress=True)


def test_no_bar_without_a_terminal():
    done = subprocess.run([sys.executable, "-c", PROGRESS.format(progress=None)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_wrong_arguments(dataset, tmp_path):
    points, labels = dataset
    with pytest.raises(ValueError, match="there is no class 'e'"):
        clmatch.relabel(points, labels, merge=[["a", "e"]])
    with pytest.raises(ValueError, match="there is no row 300"):
        clmatch.relabel(points, labels, drop_rows=[300])
    with pytest.raises(ValueError, match="there is no technique 'k'; there are hdbscan"):
        clmatch.truth(points, labels, techniques="k")
    with pytest.raises(ValueError, match="is none of auto, random"):
        clmatch.improve(points, labels, method="best")
    with pytest.raises(ValueError, match="nothing to compare with"):
        clmatch.compare({"one": points}, labels)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clmatch.compare({"one": points, "two": points[1:]}, labels)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        clmatch.compare({"one": points, "two": np.where(points > 2, np.nan, points)}, labels)
    with pytest.raises(FileNotFoundError):
        clmatch.stability(tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match="there is no column"):
        clmatch.stability([{"name": "d", "score": 1}])
    with pytest.raises(ValueError, match="accept must be"):
        clmatch.pick(3, accept="all")
    with pytest.raises(ValueError, match="does not keep the points"):
        clmatch.rank(["iris"])[0].explain()


def test_tables_without_rows_have_columns(dataset):
    assert list(clmatch.catalogue(classes=999)) == ["rank", "dataset", "points", "features", "classes", "third", "clm"]
    assert "clm" in clmatch.rank({"one": (dataset[0], np.zeros(300))}).table
    iris = clmatch.read("iris")
    explanation = clmatch.explain(iris.X, iris.labels)
    assert list(explanation.mislabelled) == ["row", "label", "suggested", "probability"]
    assert list(explanation.outliers) == ["row", "label", "distance"]


def test_rankings(tmp_path):
    """Of files, one of which is larger than the memory that may be used, and one of which cannot be read."""
    random = np.random.default_rng(6)
    for name, points, apart in [("large", 60_000, 1.5), ("small", 40, 3.0), ("twin", 40, 3.0)]:
        table = pandas.DataFrame(random.normal(size=(points, 3)), columns=list("xyz")).round(4)
        if name == "twin":
            table = twin
        else:
            labels = np.arange(points) % 2
            table["x"] += apart * labels
            table["label"] = np.where(labels, "b", "a")
        twin = table
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "bad.csv").write_text("x,label\n1,a\nred,a\n2,b\n3,b\n")
    words = ["rank", tmp_path, "--measures", "clm,ch_a", "--memory", "1MB", "--format", "json", "-q"]
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 3, done.stderr
    theirs = json.loads(done.stdout)
    for n_jobs in (1, 2, 5):
        ours = clmatch.rank(tmp_path, measures=["clm", "ch_a"], memory=1_000_000, n_jobs=n_jobs)
        assert ours.to_list() == theirs[:3]
        assert "streamed" in ours["large"].to_dict() and "streamed" not in ours["small"].to_dict()
        assert list(ours.failed) == ["bad"] and "'red' is not a number" in ours.failed["bad"]
    with pytest.raises(ValueError, match="but 1.0 MB may be used"):
        clmatch.read(tmp_path / "large.csv", memory=10**6)
