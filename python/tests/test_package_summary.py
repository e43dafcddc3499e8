"""Summaries in Python: updated, merged, sent, finished."""

import pickle
import sys

import clmatch
import clmatch.batches
import clmatch.polars
import numpy as np
import pandas as pd
import pytest
from engine_data import DATASETS, blobs, check, in_memory

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def arrays(table):
    return table.drop(columns="label").to_numpy(), table["label"].to_numpy()


def summarised(table, parts, **options):
    X, labels = arrays(table)
    pieces = np.array_split(np.random.default_rng(parts).permutation(len(table)), parts)
    return [
        clmatch.Summary(source=at, **options).update(X[piece], labels[piece]) for at, piece in enumerate(pieces)
    ], pieces


@pytest.mark.parametrize("name", DATASETS)
def test_parts_in_any_order_give_the_scores_in_memory(name):
    table = DATASETS[name]()
    X, labels = arrays(table)
    parts, pieces = summarised(table, 9, measures="all")
    whole = clmatch.Summary(measures="all")
    for part in reversed(parts):
        whole += pickle.loads(pickle.dumps(part))
    second = None
    if whole.needs_second_pass():
        second = whole.second_pass()
        for piece in pieces:
            again = pickle.loads(pickle.dumps(whole.second_pass()))
            second = second + again.update(X[piece], labels[piece])
        assert second.rows == len(table)
    check(whole.finish(second), table)


def test_an_error_that_cannot_be_known_is_none():
    table = blobs(20_000)
    X, labels = arrays(table)
    found = clmatch.Summary(measures=["clm", "sc_a"]).update(np.round(X), labels).finish()
    assert found.certainty["clm"] == "estimated"
    assert found.errors["clm"] is None and found.intervals["clm"] is None and found.errors["sc_a"] > 0
    assert "without a stated error" in found.why["clm"]
    assert "clm~" in repr(found)


def test_a_result_says_what_is_exact_and_why():
    table = blobs(20_000)
    parts, _ = summarised(table, 3, measures=["clm", "ch_a", "xb_a", "sc_a", "di"])
    found = (parts[0] + parts[1] + parts[2]).finish()
    assert found.exact == {"clm": False, "ch_a": True, "xb_a": False, "sc_a": False, "di": False}
    assert found.certainty["di"] == "at-most" and found.intervals["di"] == (0.0, found.scores["di"])
    assert found.errors["ch_a"] == 0 < found.errors["xb_a"]
    low, high = found.intervals["sc_a"]
    assert low < found.scores["sc_a"] < high
    assert "second pass" in found.why["xb_a"] and "one pass" in found.why["ch_a"] and "sample" in found.why["sc_a"]
    assert found.explanation.startswith("one pass over 20000 points with scatter matrices")
    assert found.terms["pairs"] == pytest.approx(found.pairs["clm"].mean())
    assert (found.terms["pairs"] + found.terms["all"]) / 2 == pytest.approx(found.scores["clm"])
    assert set(found.terms["of_pairs"]) == {"eta", "kappa", "nu"} and set(found.terms["of_all"]) == {"lambda", "kappa", "nu"}
    assert isinstance(found.pairs, pd.DataFrame) and list(found.pairs["a"])[0] == "blue"
    assert found.pairs["ch_a"].mean() == pytest.approx(found.scores["ch_a"])
    assert "ch_a=" in repr(found) and "sc_a~" in repr(found) and "di<=" in repr(found)
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_dict()["scores"][0]["measure"] == "clm"
    # Merging by + leaves both as they were.
    assert parts[0].rows + parts[1].rows + parts[2].rows == 20_000


def test_bytes_come_back_and_damaged_ones_are_refused():
    summary = clmatch.Summary(measures=["ch_a"]).update(*arrays(DATASETS["iris"]()))
    data = summary.to_bytes()
    again = clmatch.Summary.from_bytes(data)
    assert again.to_bytes() == data and again.finish() == summary.finish()
    for at in range(0, len(data), 97):
        damaged = bytearray(data)
        damaged[at] ^= 0x40
        with pytest.raises(ValueError, match="these bytes are no summary"):
            clmatch.Summary.from_bytes(bytes(damaged))
    with pytest.raises(ValueError, match="these bytes are no summary"):
        clmatch.SecondPass.from_bytes(data)


def test_wrong_input_is_refused_in_words():
    X, labels = arrays(DATASETS["iris"]())
    summary = clmatch.Summary().update(X[:50], labels[:50])
    with pytest.raises(ValueError, match="(?s)contains NaN.*row 51, column 2"):
        holed = X[50:].copy()
        holed[1, 2] = np.nan
        summary.update(holed, labels[50:])
    with pytest.raises(ValueError, match="X has 3 features, but this summary is of rows with 4"):
        summary.update(X[:, :3], labels)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        summary.update(X[:3], labels[:2])
    with pytest.raises(ValueError, match="Number of labels is 1"):
        summary.finish()
    with pytest.raises(ValueError, match="do not belong together"):
        summary.merge(clmatch.Summary(random_state=3).update(X, labels))
    with pytest.raises(ValueError, match="their settings differ"):
        summary.merge(clmatch.Summary(random_state=3))
    with pytest.raises(ValueError, match='scale the features before'):
        clmatch.Summary(scale="standard")
    with pytest.raises(ValueError, match="there is no measure 'nope'"):
        clmatch.Summary(measures=["nope"]).update(X, labels)
    with pytest.raises(ValueError, match="has seen no rows"):
        clmatch.Summary().finish()
    assert summary.rows == 50
    summary.update(X[:0], labels[:0]).update(X[50:], labels[50:])
    assert summary.finish().scores == pytest.approx(in_memory(DATASETS["iris"](), None).scores, rel=1e-9)


def test_noise_and_singletons_as_in_memory():
    table = DATASETS["iris"]()
    X, labels = arrays(table)
    X, labels = np.vstack([X, X[:3]]), np.append(labels, ["noise", "noise", "alone"])
    options = {"noise": "noise", "singletons": "drop", "measures": "all"}
    found = clmatch.Summary(**options).update(X, labels).finish()
    expected = clmatch.evaluate(X, labels, **options)
    assert found.scores == pytest.approx(expected.scores, rel=1e-9)
    assert found.sizes == expected.sizes


@pytest.mark.parametrize("kind", ["dataset", "table", "folder", "polars", "lazy"])
def test_batches_of_arrow_and_polars(kind, tmp_path):
    import polars
    import pyarrow.dataset
    import pyarrow.parquet

    table = blobs(20_000)
    whole = pa.Table.from_pandas(table, preserve_index=False)
    for at in range(3):
        pyarrow.parquet.write_table(whole.slice(at * 7000, 7000), tmp_path / f"{at}.parquet")
    found = {
        "dataset": lambda: clmatch.batches.score(pyarrow.dataset.dataset(tmp_path), measures="all"),
        "table": lambda: clmatch.batches.score(whole, measures="all"),
        "folder": lambda: clmatch.batches.score(tmp_path, measures="all"),
        "polars": lambda: clmatch.polars.score(polars.from_pandas(table), measures="all"),
        "lazy": lambda: clmatch.polars.score(polars.scan_parquet(tmp_path / "*.parquet"), measures="all"),
    }[kind]()
    check(found, table)


def test_a_stream_is_read_once():
    table = blobs(20_000)
    reader = pa.Table.from_pandas(table, preserve_index=False).to_reader(max_chunksize=1000)
    found = clmatch.batches.score(reader, measures=["ch_a", "xb_a"])
    assert found.exact == {"ch_a": True, "xb_a": False}
    expected = in_memory(table, ["xb_a"]).scores["xb_a"]
    assert abs(found.scores["xb_a"] - expected) < 2 * found.errors["xb_a"] < 0.1


def test_missing_values_in_batches_are_named():
    table = pa.table({"x": [1.0, None, 3.0], "label": ["a", "b", "b"]})
    with pytest.raises(ValueError, match="row 1, column 'x' has no value"):
        clmatch.batches.score(table)
    with pytest.raises(ValueError, match="row 0, label 'label' has no value"):
        clmatch.batches.score(pa.table({"x": [1.0, 3.0], "label": [None, "b"]}))
    with pytest.raises(TypeError, match="column 'x' holds string, not numbers"):
        clmatch.batches.score(pa.table({"x": ["1", "3"], "label": ["a", "b"]}))


def test_engines_are_imported_when_they_are_used():
    import subprocess

    code = "import clmatch, sys; print({'dask', 'pyspark', 'polars', 'pyarrow', 'pandas'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
