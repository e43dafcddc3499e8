"""The native part: arrays in, numbers and results as JSON out. Not an interface: use the package."""

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Points = NDArray[np.float64] | NDArray[np.float32]
_Codes = NDArray[np.uint32]
_Result = tuple[str, str, list[str]]

def measure(
    points: _Points, codes: _Codes, names: list[str], id: str, k: float | None, threads: int | None
) -> float: ...
def point_values(
    points: _Points, codes: _Codes, names: list[str], id: str, threads: int | None
) -> NDArray[np.float64]: ...
def describe_measures() -> str: ...
def evaluate(
    points: _Points,
    codes: _Codes,
    names: list[str],
    name: str,
    features: list[str],
    scoring: dict[str, Any],
    threads: int | None,
) -> _Result: ...
def score_paths(
    paths: list[str | PathLike[str]], reading: dict[str, Any], scoring: dict[str, Any], threads: int | None
) -> tuple[list[_Result], list[tuple[str, str]]]: ...
def order(results: list[str], by: str) -> str: ...
def agreement(truth: _Codes, found: _Codes) -> tuple[float, float, float, float]: ...
def read(path: str | PathLike[str], reading: dict[str, Any]) -> dict[str, Any]: ...
def catalogue(
    by: str,
    classes: tuple[int, int] | None,
    points: tuple[int, int] | None,
    features: tuple[int, int] | None,
    at_least: list[tuple[str, float]],
    top_third: bool,
) -> str: ...
def run_command(words: list[str]) -> int: ...
