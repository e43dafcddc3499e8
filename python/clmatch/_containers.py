"""Matrices, tables and tensors of other libraries as NumPy arrays. None of these libraries is imported here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _clmatch

# Sparse matrices that take no more than this as dense ones are made dense without a word.
_CHEAP_BYTES = 256 * 2**20
# So are those whose dense form takes at most so many times what they take themselves.
_CHEAP_RATIO = 2.0

# Devices of DLPack (dlpack.h) whose memory the processor can read: main memory, pinned memory of CUDA and ROCm.
_READABLE_DEVICES = (1, 3, 11)
_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "CUDA", 14: "oneAPI", 15: "WebGPU"}


def array_of(thing: Any, what: str) -> NDArray[Any]:
    """The numbers of whatever holds some, without a copy where its memory can be shared. ``what`` names it in errors."""
    if isinstance(thing, np.ndarray):
        return np.asarray(thing)
    if is_sparse(thing):
        return _dense(thing, what)
    if _is_pandas(thing):
        return _pandas(thing, what)
    if is_table(thing):
        return _clmatch.from_arrow(thing)[0]
    if hasattr(thing, "__dlpack__") and not hasattr(thing, "__arrow_c_array__"):
        return _tensor(thing, what)
    return np.asarray(thing)


def is_sparse(thing: Any) -> bool:
    """Whether it is a sparse matrix or array of SciPy, or one that looks like it."""
    return hasattr(thing, "nnz") and (hasattr(thing, "toarray") or hasattr(thing, "todense"))


def _dense(matrix: Any, what: str) -> NDArray[Any]:
    size = int(np.prod(matrix.shape)) * np.dtype(matrix.dtype).itemsize
    # Every stored value has an index beside it; of the other parts there is less.
    stored = int(matrix.nnz) * (np.dtype(matrix.dtype).itemsize + 4)
    if size > max(_CHEAP_BYTES, _CHEAP_RATIO * stored):
        share = int(matrix.nnz) / max(int(np.prod(matrix.shape)), 1)
        raise TypeError(
            f"Sparse data was passed for {what}, but dense data is required. As a dense array it would take "
            f"{_bytes(size)}, and {1 - share:.1%} of it would be zeros. Reduce it to fewer columns first, for instance with "
            "sklearn.decomposition.TruncatedSVD. Use '.toarray()' to convert to a dense numpy array all the same."
        )
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix.todense()
    return np.asarray(dense)


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def is_table(thing: Any) -> bool:
    """Whether it has columns: a data frame of pandas, or one that has the Arrow C stream interface."""
    if _is_pandas(thing):
        return True
    # Single columns have the interface, too, and are arrays.
    return hasattr(thing, "__arrow_c_stream__") and (hasattr(thing, "columns") or not hasattr(thing, "__array__"))


def _is_pandas(thing: Any) -> bool:
    return all(hasattr(thing, name) for name in ("iloc", "dtypes", "columns", "to_numpy"))


def _pandas(frame: Any, what: str) -> NDArray[Any]:
    """Missing values become NaN."""
    types = list(frame.dtypes)
    for name, dtype in zip(frame.columns, types, strict=True):
        if getattr(dtype, "kind", "") in ("m", "M"):
            raise ValueError(f"The column {name!r} of {what} holds moments, not numbers: leave it out, or turn it into numbers.")
    plain = all(isinstance(dtype, np.dtype) for dtype in types)
    try:
        if plain and types and all(dtype.kind in "biuf" for dtype in types):
            return np.asarray(frame.to_numpy(dtype=np.result_type(*types)))
        if plain and not any(dtype.kind == "O" for dtype in types):
            return np.asarray(frame.to_numpy())
        return np.asarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{error}\n{_column_without_numbers(frame, what)}") from error


def _column_without_numbers(frame: Any, what: str) -> str:
    for at, name in enumerate(frame.columns):
        try:
            frame.iloc[:, at].to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return f"The column {name!r} of {what} does not hold numbers: leave it out, or turn it into numbers."
    return f"{what} does not hold numbers in all columns."


def _tensor(tensor: Any, what: str) -> NDArray[Any]:
    """Tensors of PyTorch, JAX, CuPy and all others that speak DLPack."""
    if getattr(tensor, "requires_grad", False) is True:
        raise TypeError(f"{what} is a tensor that requires grad: pass {what}.detach(), which shares its memory")
    try:
        device, number = (int(part) for part in tensor.__dlpack_device__())
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError):
        device, number = _READABLE_DEVICES[0], 0
    if device not in _READABLE_DEVICES:
        kind = _DEVICES.get(device, f"DLPack type {device}")
        raise TypeError(
            f"{what} is on another device ({kind}, number {number}), and the measures are computed by the processor: "
            f"pass {what}.cpu(), or what your library has for it"
        )
    try:
        return np.from_dlpack(tensor)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        return _tensor_by_copy(tensor, what, error)


def _tensor_by_copy(tensor: Any, what: str, reason: Exception) -> NDArray[Any]:
    """For what DLPack cannot hand over, such as read-only memory or types that NumPy lacks."""
    try:
        array = np.asarray(tensor)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise TypeError(f"{what} cannot become a NumPy array: {error}; convert it first, for instance to float32") from reason
    if array.dtype == object and array.ndim == 0:
        raise TypeError(f"{what} cannot become a NumPy array: {reason}; convert it first, for instance to float32") from reason
    return array
