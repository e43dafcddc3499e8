"""The Python package: result objects, rankings, files and the catalogue."""

import json
import pathlib
import pickle
import re
import sys

import clmatch
import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "crates" / "clmatch-serve" / "schemas"


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_an_evaluation_has_scores_pairs_terms_and_a_verdict(iris):
    result = clmatch.evaluate(*iris, ci=True, null=19, name="iris")
    assert list(result.scores) == ["clm", "ch_a", "xb_a", "db_a", "di_a", "sc_a"]
    assert isinstance(result.pairs, pd.DataFrame)
    assert list(result.pairs["a"] + result.pairs["b"]) == ["01", "02", "12"]
    halves = result.terms
    assert result.pairs["clm"].mean() == pytest.approx(halves["pairs"])
    assert (halves["pairs"] + halves["all"]) / 2 == pytest.approx(result.scores["clm"])
    assert halves["of_pairs"] == pytest.approx(dict(result.pairs[["eta", "kappa", "nu"]].mean()))
    assert set(halves["of_all"]) == {"lambda", "kappa", "nu"}
    assert {"eta", "kappa", "nu"} <= set(result.pairs.columns)
    low, high = result.intervals["clm"]
    assert low < result.scores["clm"] < high
    assert result.random_labels["clm"]["p"] == 1 / 20
    assert result.random_labels["clm"]["mean"] < 0.1
    assert result.sizes == {"0": 50, "1": 50, "2": 50}
    assert (result.verdict.decision, str(result.verdict)) == ("fit", "fit to serve as ground truth")
    assert result.verdict.measure == "clm"
    assert result.verdict.expected_ami == pytest.approx(result.scores["clm"])
    assert result.verdict.evidence["rescaled"]["scale"] == "standard"
    assert result.name == "iris" and "iris" in repr(result) and "clm=0.850" in repr(result)


def test_without_pandas_pairs_are_dicts(iris, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    pairs = clmatch.evaluate(*iris, measures=["ch_a"]).pairs
    assert [pair["points"] for pair in pairs] == [100, 100, 100]
    assert clmatch.evaluate(*iris, measures=["ch"]).pairs == []
    assert clmatch.catalogue(top_third=True)[0]["rank"] == 1


def test_results_survive_pickling_and_copies_of_them_change_nothing(iris):
    result = clmatch.evaluate(*iris, measures="all", ci=True)
    again = pickle.loads(pickle.dumps(result))
    assert again == result and again.scores == result.scores and str(again.verdict) == str(result.verdict)
    result.to_dict()["scores"]["clm"] = 7
    result.scores["clm"] = 7
    assert again == result
    ranking = clmatch.rank({"iris": iris})
    assert pickle.loads(pickle.dumps(ranking)).to_list() == ranking.to_list()


def test_infinite_scores_are_numbers_here_and_texts_in_json():
    points = np.array([[0.0], [0.0], [1.0], [1.0]])
    result = clmatch.evaluate(points, [0, 0, 1, 1], measures=["di"])
    assert result.scores["di"] == np.inf
    assert result.to_dict()["scores"]["di"] == "inf"


def test_json_follows_the_schema(iris):
    schema = json.loads((SCHEMAS / "score.schema.json").read_text())
    jsonschema.validate(clmatch.evaluate(*iris, measures="all", ci=True, null=3).to_dict(), schema)


def test_html_shows_every_score_and_escapes_names():
    random = np.random.default_rng(1)
    points = random.normal(size=(60, 2))
    labels = np.array(["<b>", "a&b"])[np.arange(60) % 2]
    html = clmatch.evaluate(points, labels, ci=True, null=5)._repr_html_()
    assert "&lt;b&gt; | a&amp;b" in html and "<b>" not in html
    for id in ["clm", "sc_a"]:
        assert f"<td>{id}</td>" in html
    assert html.count("<th>") == 5


def test_noise_and_single_points_can_be_left_out(iris):
    points, labels = iris
    labels = labels.astype(object)
    labels[:5], labels[7] = "noise", "alone"
    with pytest.raises(ValueError, match=r"'alone' has a single point.*singletons=\"drop\""):
        clmatch.evaluate(points, labels)
    result = clmatch.evaluate(points, labels, noise="noise", singletons="drop")
    assert result.to_dict()["dropped"]["noise"] == 5
    assert result.to_dict()["dropped"]["singletons"] == ["alone"]


def test_warnings_are_warned_of_where_the_caller_stands(iris):
    points, labels = iris
    with pytest.warns(clmatch.DataWarning, match="'-1' counts as a class") as caught:
        result = clmatch.evaluate(points, labels - 1)
    assert caught[0].filename == __file__
    assert len(result.warnings) == 1


def test_random_state_decides_about_random_labels(iris):
    mean = lambda state: clmatch.evaluate(*iris, measures="ch_a", null=5, random_state=state).random_labels["ch_a"]["mean"]
    assert mean(None) == mean(0) == mean(0)
    assert mean(1) != mean(0)
    assert mean(np.random.RandomState(3)) == mean(np.random.RandomState(3))
    assert mean(np.random.default_rng(3)) == mean(np.random.default_rng(3))


def test_datasets_in_memory_are_ranked():
    random = np.random.default_rng(0)
    datasets = {
        "wine": load_wine(return_X_y=True),
        "iris": load_iris(return_X_y=True),
        "embedded": clmatch.read("moons"),
        "broken": (random.normal(size=(9, 2)), np.zeros(9)),
    }
    ranking = clmatch.rank(datasets)
    assert [result.name for result in ranking] == ["embedded", "iris", "wine"]
    assert list(ranking.table["rank"]) == [1, 2, 3]
    assert list(ranking.failed) == ["broken"] and "Number of labels is 1" in ranking.failed["broken"]
    assert ranking[-1].scores == clmatch.evaluate(*datasets["wine"]).scores
    assert [result.name for result in ranking[:2]] == ["embedded", "iris"]
    assert "<td>wine</td>" in ranking._repr_html_() and "best embedded" in repr(ranking)
    by_name = clmatch.rank(datasets, by="db", measures=["ch"])
    assert {"db", "ch"} <= set(by_name.table.columns)
    assert list(by_name.table["db"]) == sorted(by_name.table["db"])
    with pytest.raises(TypeError, match="nothing is read"):
        clmatch.rank(datasets, label="class")


def table(folder, name, points, labels):
    frame = pd.DataFrame(points, columns=[f"f{at}" for at in range(points.shape[1])])
    frame.assign(kind=labels).to_csv(folder / f"{name}.csv", index=False)


def test_files_are_ranked(tmp_path, iris):
    table(tmp_path, "iris", *iris)
    table(tmp_path, "wine", *load_wine(return_X_y=True))
    (tmp_path / "broken.csv").write_text("a,kind\n1,x\n2,x\n")
    ranking = clmatch.rank(tmp_path, label="kind")
    assert [result.name for result in ranking] == ["iris", "wine"]
    assert ranking[0].scores == clmatch.evaluate(*iris).scores
    assert list(ranking.failed) == ["broken"]
    assert len(clmatch.rank([tmp_path / "iris.csv", str(tmp_path / "wine.csv")], label="kind")) == 2
    assert [result.name for result in clmatch.rank(["iris", "moons"])] == ["moons", "iris"]
    with pytest.raises(FileNotFoundError):
        clmatch.rank(tmp_path / "nothing.csv")


def test_a_manifest_gives_each_dataset_its_options(tmp_path, iris):
    table(tmp_path, "iris", *iris)
    manifest = tmp_path / "bench.toml"
    manifest.write_text('[[dataset]]\nname = "flowers"\npath = "iris.csv"\nlabel = "kind"\nscale = "standard"\n')
    ranking = clmatch.rank(manifest, scale="robust")
    assert [result.name for result in ranking] == ["flowers"]
    assert ranking[0].scores == clmatch.evaluate(*iris, scale="standard").scores
    manifest.write_text('[[dataset]]\npath = "iris.csv"\ncolour = 1\n')
    with pytest.raises(ValueError, match="bench.toml, line 3: 'colour' is not known; a dataset has name, path"):
        clmatch.rank(manifest)


def test_files_are_read(tmp_path, iris):
    points, labels = iris
    table(tmp_path, "iris", points, labels)
    data = clmatch.read(tmp_path / "iris.csv", label="kind", drop="f1")
    assert (data.X == points[:, [0, 2, 3]]).all() and data.X.flags.c_contiguous and data.X.flags.writeable
    assert (data.labels == labels).all() and data.labels.dtype == np.int64
    assert (data.name, data.feature_names, data.label_name) == ("iris", ["f0", "f2", "f3"], "kind")
    np.savez(tmp_path / "single.npz", X=points.astype(np.float32), y=labels)
    assert clmatch.read(tmp_path / "single.npz").X.dtype == np.float32
    with pytest.raises(FileNotFoundError):
        clmatch.read(tmp_path / "nothing.csv")
    with pytest.raises(ValueError, match="no column 'sort'"):
        clmatch.read(tmp_path / "iris.csv", label="sort")
    with pytest.raises(TypeError, match="'labl' is not an option"):
        clmatch.read(tmp_path / "iris.csv", labl="kind")
    with pytest.raises(ValueError, match="error, drop, drop-any, mean"):
        clmatch.read(tmp_path / "iris.csv", missing="median")


def test_the_catalogue_can_be_filtered():
    everything = clmatch.catalogue()
    assert len(everything) == 92 and list(everything["rank"])[0] == 1
    assert everything["clm"].is_monotonic_decreasing
    few = clmatch.catalogue(classes=(3, 5), points=(100, 3000), top_third=True, at_least={"ch_a": 0.8})
    assert 0 < len(few) < 20
    assert few["classes"].between(3, 5).all() and (few["ch_a"] >= 0.8).all() and (few["third"] == "top").all()
    assert (clmatch.catalogue(classes=2)["classes"] == 2).all()
    scaled = clmatch.catalogue(scale="standard")
    assert len(scaled) == 92 and set(scaled["dataset"]) == set(everything["dataset"]) and not scaled["clm"].equals(everything["clm"])
    with pytest.raises(ValueError, match="no measure"):
        clmatch.catalogue(by="rank")
    with pytest.raises(ValueError, match="scale must be 'max-abs' or 'standard'"):
        clmatch.catalogue(scale="robust")


def test_the_example_in_the_readme_runs(tmp_path, monkeypatch, iris):
    readme = (ROOT / "README.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "datasets").mkdir()
    points, labels = iris
    pd.DataFrame(points).assign(label=labels).to_csv(tmp_path / "datasets" / "iris.csv", index=False)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(program, names)
    assert str(names["result"].verdict) in program
    assert f"{clmatch.score(points, labels):.4f}" in program
