"""AnnData objects: a matrix of points, and labels that are a column of ``obs``. The package is not imported here."""

from __future__ import annotations

from typing import Any, NamedTuple


class Selected(NamedTuple):
    """What of an AnnData object is scored."""

    points: Any
    labels: Any
    features: list[str]


def is_anndata(thing: Any) -> bool:
    """Whether it has the parts of an AnnData object that are needed."""
    return all(hasattr(thing, name) for name in ("obs", "obsm", "layers", "var_names"))


def select(data: Any, labels: Any, rep: str | None) -> Selected:
    """The matrix ``rep`` (``None``: X) and the labels, a column of ``obs`` if they are a text."""
    points, features = _matrix(data, rep)
    if isinstance(labels, str):
        if labels not in data.obs:
            raise ValueError(f"there is no column {labels!r} in obs; there are {_listed(data.obs)}")
        labels = data.obs[labels]
    return Selected(points, labels, features)


def _matrix(data: Any, rep: str | None) -> tuple[Any, list[str]]:
    genes = [str(name) for name in data.var_names]
    if rep is None or rep == "X":
        if data.X is None:
            raise ValueError(f"the AnnData object has no X: choose another matrix with rep; there are {_matrices(data)}")
        return _in_memory(data.X), genes
    folder, _, name = rep.rpartition("/")
    found = [place for place in ("obsm", "layers") if folder in ("", place) and name in getattr(data, place)]
    if len(found) == 2:
        raise ValueError(f"{rep!r} is in obsm and in layers: write 'obsm/{rep}' or 'layers/{rep}'")
    if not found:
        raise ValueError(f"there is no matrix {rep!r} in the AnnData object; there are {_matrices(data)}")
    matrix = _in_memory(getattr(data, found[0])[name])
    if found == ["layers"]:
        return matrix, genes
    if hasattr(matrix, "columns"):
        return matrix, [str(column) for column in matrix.columns]
    return matrix, [f"{name}{at + 1}" for at in range(matrix.shape[1])]


def _in_memory(matrix: Any) -> Any:
    """Objects that are read from a file piece by piece are read as a whole."""
    return matrix.to_memory() if hasattr(matrix, "to_memory") else matrix


def _matrices(data: Any) -> str:
    names = [] if data.X is None else ["X"]
    return _listed([*names, *(f"obsm/{name}" for name in data.obsm), *(f"layers/{name}" for name in data.layers)])


def _listed(names: Any) -> str:
    return ", ".join(str(name) for name in names) or "none"
