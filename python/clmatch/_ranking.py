"""Many datasets, best first."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from . import _clmatch
from ._data import Dataset, reading
from ._input import table_of
from ._results import Evaluation, evaluated, html_table, numbers_of, scoring_of
from ._work import running, visible, warn


class Ranking(Sequence[Evaluation]):
    """Evaluations, best first. Made by ``rank``."""

    def __init__(self, entries: list[dict[str, Any]], verdicts: dict[str, str], by: str, failed: dict[str, str]) -> None:
        self._entries = entries
        self._verdicts = verdicts
        self.by = by
        """The id of the measure that decides the order."""
        self.failed = failed
        """Datasets that could not be scored, by name, with the reason."""

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        if isinstance(at, str):
            return self[self._place(at)]
        entry = self._entries[at]
        result = {key: value for key, value in entry.items() if key not in ("rank", "by", "not_told_apart")}
        return Evaluation(result, self._verdicts[_key(entry)])

    def _place(self, name: str) -> int:
        for at, entry in enumerate(self._entries):
            if entry["dataset"] == name:
                return at
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        """Whether a dataset of this name was scored."""
        return any(entry["dataset"] == name for entry in self._entries)

    def __iter__(self) -> Iterator[Evaluation]:
        return (self[at] for at in range(len(self)))

    @property
    def table(self) -> Any:
        """One row per dataset: a DataFrame, or a list of dicts without pandas."""
        rows = []
        columns = ("rank", "dataset", "points", "features", "classes")
        for entry in self._entries:
            row = {name: entry[name] for name in columns}
            row["verdict"] = entry["verdict"]["decision"]
            rows.append(row | numbers_of(entry["scores"]))
        return table_of(rows, *columns, "verdict", self.by)

    def to_list(self) -> list[dict[str, Any]]:
        """The same objects that ``clmatch rank --format json`` prints for datasets that were scored."""
        copy: list[dict[str, Any]] = json.loads(json.dumps(self._entries))
        return copy

    def __repr__(self) -> str:
        best = f", best {self._entries[0]['dataset']}" if self._entries else ""
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return visible(f"<Ranking of {len(self)} datasets by {self.by}{best}{failed}>")

    def _repr_html_(self) -> str:
        ids = list(self._entries[0]["scores"]) if self._entries else []
        rows = []
        for entry in self._entries:
            scores = numbers_of(entry["scores"])
            first = [entry["rank"], entry["dataset"], entry["points"], entry["features"], entry["classes"]]
            rows.append([*map(str, first), entry["verdict"]["decision"], *(f"{scores[id]:.3f}" for id in ids)])
        return html_table(["#", "dataset", "points", "features", "classes", "verdict", *ids], rows)


def _key(entry: Mapping[str, Any]) -> str:
    """What tells one dataset from another."""
    return f"{entry['dataset']}\0{entry.get('path', '')}"


def rank(
    datasets: Mapping[str, Any] | str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    by: str = "clm",
    measures: str | Iterable[str] | None = None,
    ci: bool = False,
    null: int = 0,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Ranking:
    """Scores many datasets and orders them, best first: what ``clmatch rank`` does.

    Parameters
    ----------
    datasets : dict of name to (X, labels), or paths
        Datasets in memory (a pair, or what ``read`` returns), or files, folders, manifests (``bench.toml``) and names of
        embedded datasets. What a manifest says about a dataset comes before the arguments.
    by : str, default="clm"
        The id of the measure that decides.
    measures, ci, null, scale, noise, singletons, random_state, n_jobs, progress
        As for ``evaluate``.
    **options
        How files are read, as for ``read``. What takes more than ``memory`` bytes is read in blocks: ``to_dict()`` of such an
        evaluation has ``streamed``, which says how sure each score is.

    Returns
    -------
    Ranking
        A sequence of ``Evaluation``, with ``table``, ``to_list()`` and ``failed``: what is wrong with one dataset does not stop
        the others.

    Examples
    --------
    >>> import clmatch
    >>> [result.name for result in clmatch.rank(["wine", "iris"])]
    ['iris', 'wine']
    """
    scoring = scoring_of(measures, by, scale, noise, singletons, ci, null, random_state)
    failed: dict[str, str] = {}
    with running(n_jobs, progress) as how:
        if isinstance(datasets, Mapping):
            if options:
                raise TypeError(f"{next(iter(options))!r} is an option of reading, and nothing is read")
            results: list[tuple[dict[str, Any], str]] = []
            for name, given in _named(datasets).items():
                try:
                    X, labels = _parts(given)
                    found = evaluated(X, labels, None, name, scoring, how)
                except (TypeError, ValueError) as error:
                    failed[name] = str(error)
                else:
                    results.append((found._result, found._verdict))
            entries = json.loads(_clmatch.order([json.dumps(result) for result, _ in results], by))
            verdicts = {_key(result): verdict for result, verdict in results}
        else:
            paths = [datasets] if isinstance(datasets, (str, PathLike)) else list(datasets)
            text, sentences, said, reasons = _clmatch.rank_paths(
                [os.fspath(path) for path in paths], reading(options), scoring, how
            )
            entries, failed = json.loads(text), dict(reasons)
            verdicts = {_key(entry): sentence for entry, sentence in zip(entries, sentences, strict=True)}
            warn(said)
    return Ranking(entries, verdicts, by, failed)


def _named(datasets: Mapping[Any, Any]) -> dict[str, Any]:
    """By the texts of their names, which must tell them apart."""
    named = {str(name): given for name, given in datasets.items()}
    if len(named) < len(datasets):
        names = [str(name) for name in datasets]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two datasets are called {double!r}: give each one a name of its own")
    return named


def _parts(given: Any) -> tuple[Any, Any]:
    """Points and labels: of what ``read`` returns, of what scikit-learn's loaders return, or of a pair."""
    if isinstance(given, Dataset):
        return given.X, given.labels
    if hasattr(given, "data") and hasattr(given, "target"):
        return given.data, given.target
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"a dataset must be a pair of points and labels, or what clmatch.read returns, not a {type(given).__name__}")
    return given[0], given[1]
