"""Files as pandas, NumPy, SciPy and anndata write them score as the points and labels that are in them."""

import bz2
import gzip
import json
import lzma
import sqlite3
import subprocess

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from conftest import COMMAND, blobs

POINTS, CODES = blobs(11, 3, 20, 4, 2.0)
LABELS = np.array(["alpha", "beta", "gamma"])[CODES]
# Numbers pass through text or single precision.
SAME = 1e-5


def run(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)


def score(path, *options):
    done = run("score", path, "--measures", "ch,clm", "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def refused(path, *options):
    done = run("score", path, *options)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "NUL" not in done.stderr and "panicked" not in done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The scores of points with labels, from a plain CSV file."""
    folder = tmp_path_factory.mktemp("expected")

    def of(points):
        frame = pd.DataFrame(points, columns=[f"f{i}" for i in range(points.shape[1])]).assign(label=LABELS)
        frame.to_csv(folder / "plain.csv", index=False)
        return score(folder / "plain.csv")[0]["scores"]

    return of


def frame():
    return pd.DataFrame(POINTS, columns=["a", "b", "c", "d"]).assign(label=LABELS)


@pytest.mark.parametrize("packing", ["xz", "bz2", "gz"])
def test_packed_text(tmp_path, expected, packing):
    path = tmp_path / f"data.csv.{packing}"
    frame().to_csv(path, index=False)
    assert score(path)[0]["scores"] == pytest.approx(expected(POINTS), rel=SAME)
    path.write_bytes(path.read_bytes()[:-30])
    assert "the data ends early" in refused(path)


@pytest.mark.parametrize("lines", [False, True])
def test_json_of_pandas(tmp_path, expected, lines):
    path = tmp_path / ("data.jsonl" if lines else "data.json")
    frame().to_json(path, orient="records", lines=lines, double_precision=15)
    assert score(path)[0]["scores"] == pytest.approx(expected(POINTS), rel=SAME)


def test_other_json_of_pandas(tmp_path):
    frame().to_json(tmp_path / "records.json", orient="records")
    scores = score(tmp_path / "records.json")[0]["scores"]
    for orient in ["columns", "split", "index"]:
        path = tmp_path / f"{orient}.json"
        frame().to_json(path, orient=orient)
        assert score(path)[0]["scores"] == pytest.approx(scores, rel=SAME), orient
    frame().to_json(tmp_path / "table.json", orient="table")
    assert "orient='records'" in refused(tmp_path / "table.json")


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
def test_sparse_matrices_of_scipy(tmp_path, expected, layout, kind):
    points = np.where(POINTS > 0, POINTS, 0)
    sp.save_npz(tmp_path / "X.npz", kind(points).asformat(layout))
    np.save(tmp_path / "y.npy", LABELS)
    assert score(tmp_path)[0]["scores"] == pytest.approx(expected(points), rel=SAME)


def test_other_sparse_matrices(tmp_path):
    sp.save_npz(tmp_path / "X.npz", sp.bsr_matrix(POINTS))
    assert "tocsr" in refused(tmp_path / "X.npz")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_split_arrays(tmp_path, expected, save):
    path = tmp_path / "split.npz"
    save(path, x_test=POINTS[40:], y_test=LABELS[40:], x_train=POINTS[:40], y_train=LABELS[:40])
    scored, said = score(path)
    assert scored["scores"] == pytest.approx(expected(POINTS), rel=SAME)
    assert "x_train (40 rows) and x_test" in said
    save(path, x_test=POINTS[40:], x_train=POINTS[:40], y_train=LABELS[:40])
    assert "x_test.npy has no labels" in refused(path)


def test_split_files(tmp_path, expected):
    for part, rows in [("train", slice(0, 40)), ("test", slice(40, None))]:
        np.save(tmp_path / f"X_{part}.npy", POINTS[rows])
        np.save(tmp_path / f"y_{part}.npy", LABELS[rows])
    scored, said = score(tmp_path)
    assert scored["scores"] == pytest.approx(expected(POINTS), rel=SAME)
    assert "were joined" in said


def test_clustering_data(tmp_path, expected):
    """As in Gagolewski's collection: points and labellings packed with gzip, 0 for noise."""
    with gzip.open(tmp_path / "x.data.gz", "wt") as file:
        np.savetxt(file, POINTS)
    noisy = CODES + 1
    for number, labels in enumerate([CODES + 1, np.where(np.arange(len(CODES)) % 5 == 0, 0, noisy)]):
        with gzip.open(tmp_path / f"x.labels{number}.gz", "wt") as file:
            np.savetxt(file, labels, fmt="%d")
    done = run("rank", tmp_path, "--measures", "ch,clm", "--format", "json", "-q")
    ranked = {thing["dataset"]: thing for thing in json.loads(done.stdout)}
    assert set(ranked) == {"x.labels0", "x.labels1"}
    assert ranked["x.labels0"]["scores"] == pytest.approx(expected(POINTS), rel=SAME)
    assert ranked["x.labels1"]["dropped"]["noise"] == -(-len(CODES) // 5)


@pytest.fixture
def cells():
    """An AnnData object with everything that is read."""
    obs = pd.DataFrame(
        {
            "cell_type": pd.Categorical(LABELS),
            "batch": pd.Categorical(np.arange(len(LABELS)) % 2),
            "text": LABELS.astype(object),
            "number": CODES,
            "nullable": pd.array(CODES, dtype="Int64"),
            "bool": CODES == 1,
        },
        index=[f"cell{i}" for i in range(len(LABELS))],
    )
    data = anndata.AnnData(POINTS.astype(np.float32), obs=obs, var=pd.DataFrame(index=list("abcd")))
    data.layers["counts"] = sp.csr_matrix(np.where(POINTS > 0, POINTS, 0))
    data.layers["columns"] = sp.csc_matrix(data.layers["counts"])
    data.obsm["X_pca"] = POINTS[:, :2]
    data.raw = data.copy()
    return data


@pytest.mark.parametrize("compression", [None, "gzip", "lzf"])
@pytest.mark.parametrize("matrix", [np.asarray, sp.csr_matrix, sp.csc_matrix])
def test_anndata(tmp_path, expected, cells, compression, matrix):
    path = tmp_path / "cells.h5ad"
    cells.X = matrix(cells.X)
    cells.write_h5ad(path, compression=compression)
    positive = np.where(POINTS > 0, POINTS, 0)
    layers = {
        "X": POINTS,
        "raw/X": POINTS,
        "layers/counts": positive,
        "layers/columns": positive,
        "obsm/X_pca": POINTS[:, :2],
        "X_pca": POINTS[:, :2],
    }
    for layer, points in layers.items():
        scored, _ = score(path, "--layer", layer, "--label", "cell_type")
        assert scored["scores"] == pytest.approx(expected(points), rel=1e-4), layer
    for column in ["text", "number", "nullable"]:
        scored, said = score(path, "--label", column)
        assert scored["scores"] == pytest.approx(expected(POINTS), rel=1e-4), column
        assert "the points are those of X" in said
    assert score(path, "--label", "bool")[0]["classes"] == 2
    assert "may be the label: 'cell_type', 'batch'" in refused(path)
    assert "its columns are 'cell_type'" in refused(path, "--label", "nothing")
    assert "the file has X, " in refused(path, "--layer", "nothing", "--label", "batch")


def test_anndata_with_one_column_of_categories(tmp_path, expected):
    data = anndata.AnnData(obs=pd.DataFrame({"cluster": pd.Categorical(LABELS)}, index=[str(i) for i in range(len(LABELS))]))
    data.obsm["X_umap"] = POINTS
    data.write_h5ad(tmp_path / "cells.h5ad")
    scored, said = score(tmp_path / "cells.h5ad")
    assert scored["scores"] == pytest.approx(expected(POINTS), rel=SAME)
    assert "the only column of categories, 'cluster', serves as the label" in said


def test_cut_anndata(tmp_path, cells):
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path, compression="gzip")
    whole = path.read_bytes()
    for end in range(100, len(whole), len(whole) // 40):
        path.write_bytes(whole[:end])
        refused(path, "--label", "cell_type")


def test_anndata_that_claims_too_much(tmp_path, cells):
    """A few kilobytes that declare terabytes are refused before memory is taken."""
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    with h5py.File(path, "a") as file:
        del file["X"]
        file.create_dataset("X", shape=(10**11, 100), chunks=(1000, 100), dtype="f4")
        file["layers/counts"].attrs["shape"] = np.array([10**9, 10**9])
    assert "declares 40.0 TB in a file of" in refused(path, "--label", "cell_type")
    assert "the matrix would take about" in refused(path, "--label", "cell_type", "--layer", "counts")


def test_anndata_with_an_unknown_filter(tmp_path, cells):
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    with h5py.File(path, "a") as file:
        del file["X"]
        file.create_dataset("X", data=POINTS.astype(np.float32), chunks=(10, 4), compression="lzf")
    # The number of the filter, four numbers before its name, becomes one that nobody has.
    whole = bytearray(path.read_bytes())
    at = whole.index(b"lzf\0") - 8
    assert whole[at : at + 2] == (32000).to_bytes(2, "little")
    whole[at : at + 2] = (32999).to_bytes(2, "little")
    path.write_bytes(whole)
    assert "packed in a way that is not read (filter id 32999)" in refused(path, "--label", "cell_type")


def test_other_files_are_named(tmp_path):
    frame().to_pickle(tmp_path / "a.pkl")
    assert "a Python pickle" in refused(tmp_path / "a.pkl")
    frame().to_stata(tmp_path / "a.dta")
    assert "a Stata file" in refused(tmp_path / "a.dta")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["points"] = POINTS
    assert "an HDF5 file that is not AnnData; clmatch does not read it; it holds points" in refused(tmp_path / "a.h5")
    with h5py.File(tmp_path / "b.mat", "w", userblock_size=512) as file:
        file["X"] = POINTS
    with (tmp_path / "b.mat").open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file")
    assert "a MATLAB file of version 7.3" in refused(tmp_path / "b.mat")
    scipy.io.savemat(tmp_path / "c.mat", {"X": POINTS})
    assert "a MATLAB file" in refused(tmp_path / "c.mat")
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("create table t (a int)")
    assert "an SQLite database" in refused(tmp_path / "a.db")
    for name, pack in [("a.csv.xz", lzma.compress), ("a.csv.bz2", bz2.compress)]:
        (tmp_path / name).write_bytes(pack(b"%PDF-1.4 \0\1\2"))
        assert "a PDF document" in refused(tmp_path / name)


def test_excel_is_read(tmp_path):
    frame().to_excel(tmp_path / "a.xlsx", index=False)
    frame().to_csv(tmp_path / "b.csv", index=False)
    book, text = score(tmp_path / "a.xlsx")[0], score(tmp_path / "b.csv")[0]
    assert book["points"] == text["points"] and book["scores"] == pytest.approx(text["scores"], rel=SAME)
    (tmp_path / "c.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    assert "pandas.read_excel(" in refused(tmp_path / "c.xls")
