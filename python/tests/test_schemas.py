"""Every shape of JSON that the command writes is described by a JSON Schema in the folder schemas."""

import json
import subprocess

import jsonschema
import numpy as np
import pytest

from conftest import COMMAND, LIMIT, ROOT, blobs

SCHEMAS = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in (ROOT / "crates" / "clmatch-serve" / "schemas").glob("*.json")}
# Shapes that have changed since their first version.
VERSIONS = {"score": 5, "explain": 2, "diff": 2, "truth": 2, "classify": 2, "improve": 2, "measure": 3, "watch": 2}


def run(folder, *words):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, cwd=folder, check=False, timeout=LIMIT)
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)


def validate(value, *shapes):
    """Each object names its shape, one of those expected, and fits it; all of them occur."""
    objects = value if isinstance(value, list) else [value]
    names = [thing["schema"].split("/")[1] for thing in objects]
    assert set(names) == set(shapes)
    for name, thing in zip(names, objects):
        assert SCHEMAS[name]["$id"] == thing["schema"]
        jsonschema.Draft202012Validator(SCHEMAS[name]).validate(thing)


@pytest.fixture
def folder(tmp_path):
    for name, seed, spread in [("near", 1, 0.4), ("apart", 2, 3.0)]:
        points, labels = blobs(seed, 3, 12, 4, spread)
        rows = [",".join([*map(str, row), f"c{label}"]) for row, label in zip(points, labels)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,d,label", *rows]) + "\n")
    return tmp_path


def test_the_schemas_are_schemas():
    assert len(SCHEMAS) == 19
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["$id"] == f"clmatch/{name}/{VERSIONS.get(name, 1)}"


def test_scores(folder):
    validate(run(folder, "score", "near.csv", "--measures", "all", "--format", "json"), "score")
    with (folder / "near.csv").open("a") as file:
        file.write("9,9,9,9,-1\n9,9,9,8,-1\n1,1,1,1,alone\n")
    options = ["--noise", "-1", "--singletons", "drop", "--format", "json", "--scale", "robust"]
    scored = run(folder, "score", "near.csv", *options)
    assert scored["dropped"]["noise"] == 2
    validate(scored, "score")
    assert scored["over_pairs"][0].keys() == {"measure", "weighted_mean", "worst_pair", "weakest_class"}


@pytest.mark.parametrize(
    "options, verdicts",
    [([], 3), (["--measures", "ch_a"], 1), (["--scale", "standard"], 3), (["--scale", "robust"], 3)],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_verdicts(folder, options, verdicts):
    """Every kind of verdict, and every reason for none that can be had from a file; some options leave no kind but one."""
    apart = (folder / "apart.csv").read_text().splitlines()
    split = [line.replace(",c0", ",c3") if at % 2 else line for at, line in enumerate(apart)]
    (folder / "hidden.csv").write_text("\n".join(split + split[1:]) + "\n")
    (folder / "few.csv").write_text("a,b,label\n0,0,x\n1,0,x\n0,1,x\n9,9,y\n8,9,y\n9,8,y\n")
    (folder / "ids.csv").write_text("id,a,label\n" + "".join(f"{at},{at % 2 * 9 + at % 3},{at % 2}\n" for at in range(40)))
    decisions = set()
    for name in ["near", "apart", "hidden", "few", "ids"]:
        scored = run(folder, "score", f"{name}.csv", "--format", "json", *options)
        validate(scored, "score")
        decisions.add(scored["verdict"]["decision"])
    assert "cannot-be-said" in decisions
    assert len(decisions) == 1 if verdicts == 1 else len(decisions) >= verdicts, decisions


def test_inspections(folder):
    validate(run(folder, "inspect", "near.csv", "--format", "json"), "inspect")
    rows = [f"{at % 7},{'' if at % 5 == 0 else at % 11},{'xyz'[at % 3]},{at % 2}" for at in range(60)]
    (folder / "mixed.csv").write_text("\n".join(["a,b,kind,class", *rows]) + "\n")
    mixed = run(folder, "inspect", "mixed.csv", "--format", "json")
    assert mixed["settings"] and mixed["steps"] and mixed["command"] and mixed["refused"]
    validate(mixed, "inspect")
    refused = run(folder, "inspect", "near.csv", "--label", "colour", "--format", "json")
    assert refused["obstacle"]["help"] and "points" not in refused and "command" not in refused
    validate(refused, "inspect")


def test_a_dominant_feature(folder):
    points, labels = blobs(5, 2, 20, 2, 3.0)
    rows = [f"{a},{1000 * b},{label}" for (a, b), label in zip(points, labels)]
    (folder / "wide.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    scored = run(folder, "score", "wide.csv", "--format", "json")
    assert scored["dominant"]["feature"] == "b" and "clm" in scored["dominant"]["standard"]
    validate(scored, "score")
    validate(run(folder, "rank", "wide.csv", "--format", "json"), "score")


def test_estimates(folder):
    points, labels = blobs(3, 2, 3000, 3, 1.0)
    np.save(folder / "large.npy", points)
    np.save(folder / "large_label.npy", labels)
    scored = run(folder, "score", "large.npy", "--approx", "0.05", "--format", "json")
    assert scored["approximate"]["sampled"] < len(points)
    validate(scored, "score")


def test_streams(folder):
    points, labels = blobs(3, 2, 3000, 3, 1.0)
    np.save(folder / "large.npy", points)
    np.save(folder / "large_label.npy", labels)
    scored = run(folder, "score", "large.npy", "--stream", "--measures", "all", "--format", "json")
    assert {score["certainty"] for score in scored["streamed"]["scores"]} >= {"exact", "estimated"}
    validate(scored, "score")


def test_windows(folder):
    words = [COMMAND, "watch", "near.csv", "--once", "--window", "12", "--by", "ch_a", "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, check=True, timeout=LIMIT)
    windows = [json.loads(line) for line in done.stdout.splitlines()]
    rows = len((folder / "near.csv").read_text().splitlines()) - 1
    assert len(windows) == rows // 12 and windows[1]["first_row"] == 13
    validate(windows, "watch")


def test_levels(folder):
    points, labels = blobs(4, 5, 12, 2, 2.0)
    names = ["animal", "animal/dog/poodle", "animal/dog/spaniel", "plant/rose", "stone"]
    rows = [f"{a},{b},{names[label]}" for (a, b), label in zip(points, labels)]
    (folder / "tree.csv").write_text("\n".join(["a,b,label", *rows, "9,9,plant/oak"]) + "\n")
    words = ["score", "tree.csv", "--levels", "/", "--format", "json", "--measures", "clm,sc"]
    spoilt = run(folder, *words)
    validate(spoilt, "levels")
    assert {one["not_scored"]["reason"] for one in spoilt["levels"] + spoilt["nodes"] if "not_scored" in one} == {"one-class", "singleton"}
    levels = run(folder, *words, "--singletons", "drop")
    validate(levels, "levels")
    assert [level["classes"] for level in levels["levels"]] == [3, 3, 4]
    assert [level["undecided"] for level in levels["levels"]] == [0, 12, 12]


def test_rankings(folder):
    (folder / "broken.csv").write_text("a,label\n1,x\n")
    validate(run(folder, "rank", ".", "--measures", "all", "--format", "json"), "score", "failure")
    validate(run(folder, "demo", "--format", "json"), "score")
    validate(run(folder, "catalogue", "--measures", "all", "--format", "json"), "score")


def test_differences(folder):
    for name, options in [("one", []), ("two", ["--scale", "standard"])]:
        subprocess.run([COMMAND, "rank", ".", "--format", "json", "-o", f"{name}.json", "-q", *options], cwd=folder, check=True, timeout=LIMIT)
    changes = run(folder, "diff", "one.json", "two.json", "--format", "json")
    validate(changes, "diff")
    assert [one["setting"] for one in changes[0]["settings"]] == ["scale"]


def test_differences_of_infinite_scores(folder):
    # The centroids of both classes coincide.
    (folder / "cross.csv").write_text("x,y,label\n0,1,a\n0,-1,a\n1,0,b\n-1,0,b\n")
    words = ["rank", "cross.csv", "--measures", "db", "--format", "json", "-o", "cross.json", "-q"]
    subprocess.run([COMMAND, *words], cwd=folder, check=True, timeout=LIMIT)
    changes = run(folder, "diff", "cross.json", "cross.json", "--format", "json")
    assert [change["after"]["value"] for change in changes] == ["inf"]
    assert [change["change"] for change in changes] == [0]
    validate(changes, "diff")


def test_truth_and_stability(folder):
    validate(run(folder, "truth", ".", "--budget", "3", "--format", "json", "-o", "truth.csv"), "truth")
    validate(run(folder, "stability", "truth.csv", "--size", "1", "--format", "json"), "stability")


def test_benchmarks(folder):
    validate(run(folder, "pick", "--count", "5", "--diversity", "0", "--format", "json"), "pick")
    ranking = [f"{at},d{at},{100 + at},{at % 4},{2 + at % 3},0.9{at}" for at in range(1, 9)]
    (folder / "ranking.csv").write_text("\n".join(["rank,dataset,points,features,classes,clm", *ranking]) + "\n")
    rows = [f"d{at},t{method},0.{at * 3 % 7}{method}" for at in range(1, 9) for method in range(3)]
    (folder / "scores.csv").write_text("\n".join(["dataset,method,score", *rows]) + "\n")
    picked = run(folder, "pick", "ranking.csv", "--truth", "scores.csv", "--count", "4", "--format", "json")
    validate(picked, "pick")
    assert picked["external"] is None and picked["exact"]


def test_representations(folder):
    points, labels = blobs(6, 3, 12, 4, 2.0)
    for name, columns in [("all", [0, 1, 2, 3]), ("some", [0, 1])]:
        rows = [",".join([*(str(row[at]) for at in columns), f"c{label}"]) for row, label in zip(points, labels)]
        (folder / f"{name}.csv").write_text("\n".join([",".join([*(f"f{at}" for at in columns), "label"]), *rows]) + "\n")
    found = run(folder, "compare", "all.csv", "some.csv", "all.csv", "--measures", "clm,ch_a,db", "--format", "json")
    validate(found, "compare")
    assert [len(one["differences"]) for one in found["measures"]] == [3, 3, 3]
    (folder / "few.csv").write_text("a,label\n0,x\n1,x\n8,y\n9,y\n")
    validate(run(folder, "compare", "few.csv", "few.csv", "--format", "json"), "compare")


def test_accuracies(folder):
    words = ["classify", "near.csv", "--classifiers", "knn,lda", "--quick", "--format", "json"]
    validate(run(folder, *words), "classify")


def test_relabelled_datasets(folder):
    words = ["--merge", "c0,c1", "--rename", "c0+c1=both", "--drop-rows", "3,5-7", "-o", "out.csv", "--format", "json"]
    done = run(folder, "relabel", "near.csv", *words)
    assert done["dropped_rows"] == [3, 5, 6, 7] and done["clm"]["after"] is not None
    validate(done, "relabel")
    # A class of three clusters, and rows that are relabelled.
    points, labels = blobs(9, 4, 60, 2, 0.1)
    centres = np.array([[0, 0], [40, 0], [0, 40], [90, 90]])
    names = ["a", "a", "a", "b"]
    rows = [f"{x},{y},{names[k]}" for (x, y), k in zip(points + centres[labels], labels)]
    (folder / "parts.csv").write_text("\n".join(["x,y,label", *rows]) + "\n")
    wrong = next(at for at, row in enumerate(rows) if row.endswith("b"))
    (folder / "points.csv").write_text(f"row,label,suggested,probability,outlier,part\n{wrong + 1},b,a,0.9,0,1\n")
    validate(run(folder, "relabel", "parts.csv", "--split", "a", "-o", "out.csv", "--format", "json"), "relabel")
    done = run(folder, "relabel", "parts.csv", "--suggested", "points.csv", "-o", "out.csv", "--format", "json")
    assert done["relabelled_rows"] == [{"row": wrong + 1, "from": "b", "to": "a"}]
    validate(done, "relabel")


@pytest.mark.parametrize("split", ["half", "none"])
def test_improvements(folder, split):
    words = ["improve", "near.csv", "-o", "out.csv", "--split", split, "--shuffles", "2", "--format", "json"]
    validate(run(folder, *words), "improve")


def test_explanations(folder):
    """Every kind of action, and every part that may be missing."""
    points, labels = blobs(7, 4, 60, 3, 12.0)
    names = ["one", "one", "two", "three"]
    rows = [",".join([*map(str, row), names[label]]) for row, label in zip(points, labels)]
    rows += [",".join([*map(str, row), "again"]) for row in points[labels == 3] + 0.1]
    rows.append("900,900,900,two")
    (folder / "mixed.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n")
    kinds = set()
    for name in ["near", "apart", "mixed"]:
        explained = run(folder, "explain", f"{name}.csv", "--scale", "standard", "--format", "json")
        validate(explained, "explain")
        kinds |= {kind for action in explained["actions"] for kind in action} - {"clm", "gain", "held_out"}
    assert kinds == {"merge", "split", "drop_rows"}


def test_growth_rates(folder):
    titles = "variance_a1,variance_a2,angle_a,variance_b1,variance_b2,angle_b,share,distance,score"
    rows = [f"1,1,0,1,1,0,0.5,{distance},{score}" for distance, score in [(1, 0.1), (3, 0.5), (5, 0.8), (8, 0.95)]]
    (folder / "judged.csv").write_text("\n".join([titles, *rows]) + "\n")
    words = ["calibrate", "judged.csv", "--variant", "CH DSR", "--resamples", "3", "--format", "json"]
    validate(run(folder, *words), "calibrate")


def test_measures(folder):
    validate(run(folder, "measures", "--format", "json"), "measure")
