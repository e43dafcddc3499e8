"""The Python package: sparse matrices, tables, tensors and AnnData objects as points, and what of them is not copied."""

import anndata
import array_api_strict
import clmatch
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from clmatch import _containers
from clmatch._input import labelled, labels_of, points_of
from scipy import sparse

RANDOM = np.random.default_rng(9)
POINTS = RANDOM.integers(0, 50, size=(60, 4)).astype(np.float64)
LABELS = RANDOM.integers(0, 3, size=60)
NAMES = np.array(["low", "middle", "high"])[LABELS]
EXPECTED = clmatch.score(POINTS, LABELS)
MISSING = r"Input X contains NaN\."


# Sparse matrices


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dok", "lil", "dia"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_small_sparse_matrices_are_made_dense(form, kind):
    matrix = getattr(sparse, f"{form}_{kind}")(POINTS)
    assert clmatch.score(matrix, LABELS) == EXPECTED
    assert clmatch.evaluate(matrix, LABELS, measures="clm").scores["clm"] == EXPECTED
    assert points_of(matrix.astype(np.float32)).dtype == np.float32


def test_large_sparse_matrices_are_refused_with_a_way_out():
    mostly_zero = sparse.random_array((100_000, 2_000), density=1e-5, format="csr", rng=np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"Sparse data was passed for X, but dense.*1\.6 GB.*TruncatedSVD.*toarray"):
        clmatch.score(mostly_zero, np.arange(100_000) % 3)


def test_sparse_matrices_that_are_nearly_full_are_made_dense_whatever_their_size(monkeypatch):
    monkeypatch.setattr(_containers, "_CHEAP_BYTES", 100)
    assert clmatch.score(sparse.csr_array(POINTS + 1), LABELS) == clmatch.score(POINTS + 1, LABELS)
    with pytest.raises(TypeError, match="98.3% of it would be zeros"):
        clmatch.score(sparse.csr_array(np.eye(60)), LABELS)


# Tensors. PyTorch is not among the packages of the tests: its wheels take gigabytes. What it does differs from the two libraries
# here in its refusal of gradients and of other devices, for which a stand-in serves.


class Tensor:
    """What a tensor of PyTorch does when NumPy asks for its numbers."""

    def __init__(self, numbers, device=1, requires_grad=False):
        self.numbers, self.device, self.requires_grad = numbers, device, requires_grad

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **options):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.device != 1:
            raise RuntimeError("there is no such device here")
        return self.numbers.__dlpack__(**options)

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("numbers were asked for by a way that copies")


def test_tensors_are_taken_through_dlpack():
    assert clmatch.score(Tensor(POINTS), Tensor(LABELS)) == EXPECTED
    assert clmatch.score(array_api_strict.asarray(POINTS), array_api_strict.asarray(LABELS)) == EXPECTED
    assert clmatch.score(jnp.asarray(POINTS, jnp.float32), jnp.asarray(LABELS)) == EXPECTED
    assert clmatch.evaluate(Tensor(POINTS), Tensor(LABELS), measures="clm").scores["clm"] == EXPECTED


def test_types_that_numpy_lacks_are_converted_where_the_library_can():
    assert clmatch.score(jnp.asarray(POINTS, jnp.bfloat16), LABELS) == EXPECTED


def test_tensors_elsewhere_are_refused_with_a_way_out():
    with pytest.raises(TypeError, match=r"X is a tensor that requires grad: pass X\.detach\(\)"):
        clmatch.score(Tensor(POINTS, requires_grad=True), LABELS)
    for device, name in [(2, "CUDA"), (8, "Metal"), (10, "ROCm"), (99, "DLPack type 99")]:
        with pytest.raises(TypeError, match=rf"X is on another device \({name}, number 0\).*X\.cpu\(\)"):
            clmatch.score(Tensor(POINTS, device=device), LABELS)
    with pytest.raises(TypeError, match=r"labels is on another device.*labels\.cpu\(\)"):
        clmatch.score(POINTS, Tensor(LABELS, device=2))


def test_a_tensor_that_cannot_be_converted_is_refused_in_words():
    class Odd(Tensor):
        def __dlpack__(self, **options):
            raise BufferError("unsupported dtype bfloat16")

        def __array__(self, dtype=None, copy=None):
            raise TypeError("Got unsupported ScalarType BFloat16")

    with pytest.raises(TypeError, match="X cannot become a NumPy array: .*BFloat16; convert it first.*float32"):
        clmatch.score(Odd(POINTS), LABELS)


def test_pytorch_itself():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tensor = torch.tensor(POINTS)
    assert clmatch.score(tensor, torch.tensor(LABELS)) == EXPECTED
    assert np.shares_memory(points_of(tensor), tensor.numpy())
    with pytest.raises(TypeError, match="requires grad"):
        clmatch.score(tensor.requires_grad_(), LABELS)


# Tables

COLUMNS = {f"f{at}": POINTS[:, at] for at in range(4)}
WHOLE = {name: column.astype(int) for name, column in COLUMNS.items()}
TABLES = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas float32": pd.DataFrame(COLUMNS).astype("float32"),
    "pandas of many types": pd.DataFrame(WHOLE).astype({"f0": "int8", "f1": "float32", "f2": "uint16", "f3": "float64"}),
    "pandas nullable integers": pd.DataFrame(WHOLE).astype("Int64"),
    "pandas nullable and plain": pd.DataFrame(WHOLE).astype({"f0": "Int32", "f1": "Float32"}),
    "pandas with Arrow columns": pd.DataFrame(WHOLE).astype("int64[pyarrow]"),
    "pandas sparse": pd.DataFrame(COLUMNS).astype(pd.SparseDtype(float, 0.0)),
    "polars": pl.DataFrame(COLUMNS),
    "polars of many types": pl.DataFrame(WHOLE).with_columns(pl.col("f0").cast(pl.Int8), pl.col("f1").cast(pl.Float32)),
    "pyarrow table": pa.table(COLUMNS),
    "pyarrow table of many types": pa.table({**WHOLE, "f1": COLUMNS["f1"]}),
    "pyarrow table in pieces": pa.concat_tables([pa.table(COLUMNS).slice(0, 17), pa.table(COLUMNS).slice(17)]),
    "pyarrow record batch": pa.record_batch(COLUMNS),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables(kind):
    assert clmatch.score(TABLES[kind], LABELS) == EXPECTED
    found = clmatch.evaluate(TABLES[kind], LABELS, measures="clm")
    assert found.scores["clm"] == EXPECTED
    assert labelled(TABLES[kind], LABELS).features == list(COLUMNS)


def test_other_tables_with_the_arrow_interface():
    class Stream:
        """A table of a library that nobody here knows."""

        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)

    assert clmatch.score(Stream(), LABELS) == EXPECTED


@pytest.mark.parametrize("rows", [511, 512, 513, 1100])
def test_tables_of_more_rows_than_are_filled_at_once_keep_their_order(rows):
    numbers = np.random.default_rng(rows).random((rows, 3))
    table = pa.table({f"f{at}": numbers[:, at] for at in range(3)})
    for given in [table, pa.concat_tables([table.slice(0, 200), table.slice(200)]), pl.from_arrow(table)]:
        assert np.array_equal(points_of(given), numbers)


def test_tables_of_single_precision_stay_single():
    single = {name: column.astype(np.float32) for name, column in COLUMNS.items()}
    for table in [pd.DataFrame(single), pl.DataFrame(single), pa.table(single)]:
        assert points_of(table).dtype == np.float32


def test_booleans_in_tables_are_numbers():
    flags = pd.DataFrame(POINTS > 25, columns=list("abcd"))
    expected = clmatch.calinski_harabasz((POINTS > 25).astype(float), LABELS)
    for table in [flags, flags.astype("boolean"), pl.DataFrame(flags.to_dict("list")), flags.assign(a=flags["a"] * 1.0)]:
        assert clmatch.calinski_harabasz(table, LABELS) == expected


WITH_GAP = [None, *WHOLE["f0"].tolist()[1:]]
GAPS = {
    "pandas": pd.DataFrame({"a": COLUMNS["f1"], "b": pd.Series(WITH_GAP, dtype="float64")}),
    "pandas nullable": pd.DataFrame({"a": COLUMNS["f1"], "b": pd.Series(WITH_GAP, dtype="Int64")}),
    "pandas nullable floats": pd.DataFrame({"b": pd.Series(WITH_GAP, dtype="Float32")}),
    "pandas Arrow": pd.DataFrame({"a": COLUMNS["f1"], "b": pd.Series(WITH_GAP, dtype="int64[pyarrow]")}),
    "pandas objects": pd.DataFrame({"a": COLUMNS["f1"], "b": np.array([None, *WITH_GAP[1:]], object)}),
    "pandas nullable booleans": pd.DataFrame({"b": pd.Series([None, *(POINTS[1:, 0] > 9).tolist()], dtype="boolean")}),
    "polars": pl.DataFrame({"a": COLUMNS["f1"], "b": WITH_GAP}),
    "pyarrow": pa.table({"a": COLUMNS["f1"], "b": WITH_GAP}),
}


@pytest.mark.parametrize("kind", GAPS)
def test_missing_values_in_tables_are_those_of_scikit_learn(kind):
    with pytest.raises(ValueError, match=MISSING):
        clmatch.score(GAPS[kind], LABELS)


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_the_column_without_numbers_is_named(dtype):
    frame = pd.DataFrame({**COLUMNS, "species": pd.Series(NAMES).astype(dtype)})
    with pytest.raises(ValueError, match=r"(?s)could not convert.*'species'.*leave it out"):
        clmatch.score(frame, LABELS)
    for table in [pl.DataFrame({**COLUMNS, "species": NAMES}), pa.table({**COLUMNS, "species": NAMES})]:
        with pytest.raises(ValueError, match="the column 'species' holds no numbers .*leave it out"):
            clmatch.score(table, LABELS)


# Labels

KINDS = {
    "pandas categories": pd.Series(pd.Categorical(NAMES)),
    "bare categories": pd.Categorical(NAMES),
    "categories of numbers": pd.Categorical(LABELS),
    "pandas index": pd.Index(NAMES),
    "pandas nullable integers": pd.Series(LABELS, dtype="Int64"),
    "pandas strings": pd.Series(NAMES, dtype="string"),
    "pandas Arrow strings": pd.Series(NAMES, dtype="string[pyarrow]"),
    "a table of one column": pd.DataFrame({"kind": pd.Series(NAMES, dtype="string")}),
    "polars": pl.Series(NAMES.tolist()),
    "polars categories": pl.Series(NAMES.tolist(), dtype=pl.Categorical),
    "polars enumeration": pl.Series(NAMES.tolist(), dtype=pl.Enum(["low", "middle", "high"])),
    "pyarrow": pa.array(NAMES.tolist()),
    "pyarrow integers": pa.array(LABELS),
    "pyarrow dictionary": pa.array(NAMES.tolist()).dictionary_encode(),
    "pyarrow in pieces": pa.chunked_array([pa.array(NAMES[:7].tolist()), pa.array(NAMES[7:].tolist())]),
    "jax": jnp.asarray(LABELS),
    "range of objects": [int(label) for label in LABELS],
    "StringDType": NAMES.astype(np.dtypes.StringDType()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels(kind):
    assert clmatch.score(POINTS, KINDS[kind]) == pytest.approx(EXPECTED, rel=1e-12)


def test_booleans_as_labels():
    flags = LABELS == 1
    expected = clmatch.score(POINTS, flags)
    for labels in [pd.Series(flags), pd.Series(flags, dtype="boolean"), pl.Series(flags), pa.array(flags), flags.tolist()]:
        assert clmatch.score(POINTS, labels) == expected


def without_first(values):
    return [None, *list(values)[1:]]


ABSENT = {
    "None": without_first(NAMES.tolist()),
    "NaN": np.array([np.nan, *LABELS[1:]]),
    "NaN among texts": np.array([np.nan, *NAMES[1:]], object),
    "pandas nullable": pd.Series(without_first(LABELS), dtype="Int64"),
    "pandas strings": pd.Series(without_first(NAMES), dtype="string"),
    "pandas categories": pd.Series(pd.Categorical(without_first(NAMES))),
    "pandas booleans": pd.Series(without_first(LABELS == 1), dtype="boolean"),
    "dates": np.array(["NaT", *["2020-01-01"] * 59], "M8[D]"),
    "masked": np.ma.masked_array(LABELS, mask=np.arange(60) == 0),
    "polars": pl.Series(without_first(NAMES.tolist())),
    "polars integers": pl.Series(without_first(LABELS.tolist())),
    "pyarrow": pa.array(without_first(NAMES.tolist())),
    "pyarrow integers": pa.array(without_first(LABELS.tolist())),
}


@pytest.mark.parametrize("kind", ABSENT)
def test_missing_labels_are_refused_with_their_place(kind):
    with pytest.raises(ValueError, match=r"(?s)^Input y contains NaN\..*(row 0 .*missing: leave such rows out|masked)"):
        clmatch.score(POINTS, ABSENT[kind])


def test_labels_that_cannot_be_told_apart():
    lists = np.empty(60, object)
    lists[:] = [[int(label)] for label in LABELS]
    with pytest.raises(TypeError, match="the label in row 0 cannot be told from others: unhashable"):
        clmatch.score(POINTS, lists)
    with pytest.raises(TypeError, match="labels is the text 'kind': only where X is an AnnData object"):
        clmatch.score(POINTS, "kind")


# AnnData


@pytest.fixture
def cells():
    obs = pd.DataFrame({"kind": pd.Categorical(NAMES), "batch": LABELS == 1}, index=[f"cell{at}" for at in range(60)])
    data = anndata.AnnData(sparse.csr_matrix(POINTS), obs=obs)
    data.var_names = [f"gene{at}" for at in range(4)]
    data.obsm["X_pca"] = POINTS[:, :2]
    data.obsm["frame"] = pd.DataFrame(POINTS[:, 1:3], index=data.obs_names, columns=["left", "right"])
    data.layers["counts"] = POINTS * 2 + 1
    data.layers["both"], data.obsm["both"] = POINTS, POINTS[:, :3]
    return data


def test_anndata_objects(cells):
    # Names are in another order than numbers, and so are sums over classes.
    assert clmatch.score(cells, "kind") == clmatch.score(cells, labels="kind", rep="X") == pytest.approx(EXPECTED, rel=1e-14)
    assert clmatch.score(cells, LABELS) == EXPECTED
    first_two = clmatch.score(POINTS[:, :2], LABELS)
    assert clmatch.score(cells, labels="kind", rep="X_pca") == first_two
    assert clmatch.score(cells, labels="kind", rep="obsm/X_pca") == first_two
    for rep in ["counts", "layers/counts"]:
        assert clmatch.silhouette(cells, "kind", rep=rep) == clmatch.silhouette(POINTS * 2 + 1, NAMES)
    assert clmatch.silhouette_samples(cells, "batch", rep="X_pca").shape == (60,)
    for name in ["calinski_harabasz", "davies_bouldin", "dunn", "i_index", "xie_beni"]:
        function = getattr(clmatch, name)
        assert function(cells, "kind", adjusted=True, rep="X_pca") == function(POINTS[:, :2], NAMES, adjusted=True)
    chosen = cells[cells.obs["kind"] != "low"]
    assert clmatch.score(chosen, "kind") == clmatch.score(POINTS[NAMES != "low"], LABELS[NAMES != "low"])


def test_anndata_objects_are_evaluated_and_ranked(cells):
    found = clmatch.evaluate(cells, "kind", rep="X_pca", measures="clm", name="cells")
    assert found.scores["clm"] == clmatch.score(POINTS[:, :2], LABELS)
    assert set(found.sizes) == {"low", "middle", "high"}
    assert len(clmatch.rank({"cells": (cells, "kind")})) == 1
    assert len(clmatch.rank({"cells": (cells, "batch"), "broken": (cells, "nothing")}).failed) == 1


def test_anndata_objects_in_files(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    assert clmatch.score(backed, "kind") == pytest.approx(EXPECTED, rel=1e-14)
    assert clmatch.score(backed, "kind", rep="X_pca") == clmatch.score(POINTS[:, :2], LABELS)


def test_what_an_anndata_object_lacks_is_said(cells):
    with pytest.raises(ValueError, match="no column 'cluster' in obs; there are kind, batch"):
        clmatch.score(cells, "cluster")
    with pytest.raises(ValueError, match="no matrix 'X_umap'.*there are X, obsm/X_pca, obsm/frame, obsm/both, layers/counts"):
        clmatch.score(cells, "kind", rep="X_umap")
    with pytest.raises(ValueError, match="'both' is in obsm and in layers: write 'obsm/both' or 'layers/both'"):
        clmatch.score(cells, "kind", rep="both")
    with pytest.raises(TypeError, match="rep chooses a matrix of an AnnData object, and X is a ndarray"):
        clmatch.score(POINTS, LABELS, rep="X_pca")
    empty = anndata.AnnData(obs=cells.obs, obsm={"X_pca": POINTS})
    with pytest.raises(ValueError, match="has no X: choose another matrix with rep; there are obsm/X_pca"):
        clmatch.score(empty, "kind")


# What is not copied


SHARED = {
    "float64": POINTS.copy(),
    "float32": POINTS.astype(np.float32),
    "read only": np.frombuffer(POINTS.tobytes()).reshape(POINTS.shape),
    "rows of a larger array": np.vstack([POINTS, POINTS])[11:71],
    "subclass": POINTS.copy().view(np.matrix),
}


@pytest.mark.parametrize("kind", SHARED)
def test_arrays_in_rows_are_shared(kind):
    assert np.shares_memory(points_of(SHARED[kind]), SHARED[kind])
    assert points_of(SHARED[kind]).dtype == SHARED[kind].dtype


def test_tables_and_tensors_are_shared_where_their_layout_allows(cells):
    numbers = POINTS.copy()
    assert np.shares_memory(points_of(pd.DataFrame(numbers, copy=False)), numbers)
    assert np.shares_memory(points_of(Tensor(numbers)), numbers)
    assert np.shares_memory(points_of(array_api_strict.asarray(numbers, copy=False)), numbers)
    assert np.shares_memory(points_of(cells.layers["counts"]), cells.layers["counts"])


def test_labels_that_are_codes_already_are_not_sorted():
    codes = (np.arange(60) % 3).astype(np.uint32)
    assert (labels_of(codes).codes == codes).all() and labels_of(codes).codes.dtype == np.uint32
