"""Benchmarks of clustering techniques: ground truth, a choice of datasets, the stability of rankings."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from . import _clmatch
from ._input import count_of, seed_of, table_of
from ._ranking import Ranking, rank
from ._results import Evaluation, Result
from ._work import dataset_of, preparation, running, visible, warn


class GroundTruth(Result):
    """How well tuned clustering techniques find the labels. Made by ``truth``."""

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return str(self._result["dataset"])

    @property
    def table(self) -> Any:
        """One row per technique and external measure: score, settings that reach it, and seconds."""
        return table_of([dict(row) for row in self._result["techniques"]])

    @property
    def best(self) -> dict[str, dict[str, Any]]:
        """The technique with the best score by each external measure: the approximate true match. Partitions in which nearly
        every point is alone do not count."""
        found: dict[str, dict[str, Any]] = {}
        for row in self._result["techniques"]:
            if row["technique"].endswith("_singletons"):
                continue
            known = found.get(row["external"])
            if known is None or row["score"] > known["score"]:
                found[row["external"]] = row
        return {external: dict(row) for external, row in found.items()}

    def __repr__(self) -> str:
        best = ", ".join(f"{external} {row['score']:.3f} by {row['technique']}" for external, row in self.best.items())
        return visible(f"<GroundTruth of {self.name}: {best}>")


def truth(
    X: ArrayLike,
    labels: ArrayLike | str,
    *,
    techniques: str | Iterable[str] = (),
    external: str | Iterable[str] = (),
    budget: int = 300,
    birch_clusters: bool = False,
    max_points: int | None = None,
    rep: str | None = None,
    scale: str = "max-abs",
    noise: object = None,
    singletons: str = "error",
    name: str = "data",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> GroundTruth:
    """Tunes clustering techniques to the labels: the best agreement is the approximate true match of labels and clusters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points. They are copied once.
    labels : array-like of shape (n_samples,)
        The class of each point, of any type.
    techniques : list of str, default=all
        hdbscan, dbscan, kmeans, kmedoids, xmeans, birch, agglo_single, agglo_average, agglo_complete.
    external : list of str, default=all
        The external measures to tune for: ami, arand, vm, nmi.
    budget : int, default=300
        How many thresholds BIRCH tries, at least 2; fewer on data where each of them takes long.
    birch_clusters : bool, default=False
        Let BIRCH form 2 to 3K clusters for K classes, instead of 3 as in the paper.
    max_points : int, default=None
        Use at most so many points, drawn class by class; at least two for each class.
    rep, scale, noise, singletons, name, random_state, n_jobs, progress
        As for ``evaluate``.

    Returns
    -------
    GroundTruth
        With ``table`` and ``best``.

    Examples
    --------
    >>> import clmatch
    >>> iris = clmatch.read("iris")
    >>> found = clmatch.truth(iris.X, iris.labels, techniques=["kmeans", "agglo_average"], external="ami", name="iris")
    >>> found.best["ami"]["technique"]
    'agglo_average'
    """
    dataset = dataset_of(X, labels, name, rep)
    tuning = {
        "techniques": _list(techniques),
        "externals": _list(external),
        "budget": count_of("budget", budget),
        "birch_clusters": bool(birch_clusters),
        "max_points": None if max_points is None else count_of("max_points", max_points, 2 * len(dataset["names"])),
    }
    prepared = preparation(scale, noise, singletons, random_state)
    with running(n_jobs, progress) as how:
        result, said = _clmatch.truth(dataset, tuning, prepared, how)
    warn(said)
    return GroundTruth(json.loads(result))


class Benchmark(Result):
    """Datasets that were chosen for a benchmark. Made by ``pick``."""

    @property
    def datasets(self) -> list[str]:
        """Their names, best score first."""
        return [one["dataset"] for one in self._result["picked"]]

    @property
    def table(self) -> Any:
        """One row per dataset: sizes, score, verdict, and the technique that does best on it."""
        return table_of([one | {"best": ", ".join(one["best"])} for one in self._result["picked"]])

    @property
    def techniques(self) -> Any:
        """The ranking of techniques over them."""
        return table_of([dict(one) for one in self._result["techniques"]])

    @property
    def choices(self) -> Any:
        """This choice beside others: the best by score, the most stable one, and a random one."""
        return table_of([dict(one) for one in self._result["choices"]])

    def __repr__(self) -> str:
        return visible(f"<Benchmark of {len(self.datasets)} datasets: {', '.join(self.datasets)}>")


def pick(
    count: int = 10,
    ranking: Ranking | Iterable[Evaluation] | str | PathLike[str] | None = None,
    truth: Any = None,
    *,
    by: str | None = None,
    external: str | None = None,
    techniques: str | Iterable[str] = (),
    accept: str = "fit-after-change",
    diversity: float = 1.0,
    random_state: Any = None,
) -> Benchmark:
    """Chooses datasets for a benchmark: valid ones, unlike each other, on which a ranking of techniques is stable.

    Parameters
    ----------
    count : int, default=10
        How many datasets to choose.
    ranking : Ranking, list of Evaluation, or path, default=the catalogue
        Scores of the datasets: what ``rank`` returns, or a file that ``clmatch rank`` wrote; or the path of a manifest
        (``bench.toml``) or of a folder, whose datasets are ranked first.
    truth : GroundTruth list, DataFrame, list of dicts, or path, default=those of the catalogue
        Scores of techniques on the datasets: what ``truth`` returns for each, or a table with the columns dataset, technique,
        score and, if there are several, external.
    by : str, default=None
        The id of the measure of the verdict; by default that of the ranking.
    external : str, default=None
        The external measure to rank techniques by; by default the first one.
    techniques : list of str, default=all
        Rank only these.
    accept : {"fit", "fit-after-change", "cannot-be-said"}, default="fit-after-change"
        The weakest verdict that makes a dataset valid.
    diversity : float, default=1.0
        The least diversity, in multiples of that of a random choice.
    random_state : int, RandomState or Generator, default=None
        The seed of the search and of random choices.

    Returns
    -------
    Benchmark
        With ``datasets``, ``table``, ``techniques`` and ``choices``.

    Examples
    --------
    >>> import clmatch
    >>> len(clmatch.pick(4).datasets)
    4
    """
    picking = {
        "ranking": None if ranking is None else _ranking_text(ranking),
        "truth": None if truth is None else _table_text(truth, "truth"),
        "by": by,
        "external": external,
        "techniques": _list(techniques),
        "accept": accept,
        "count": count_of("count", count, 2),
        "diversity": float(diversity),
        "seed": seed_of(random_state),
    }
    with running(None) as how:
        result, said = _clmatch.pick(picking, how)
    warn(said)
    return Benchmark(json.loads(result))


class Stability(Result):
    """How often a ranking of techniques is found again when its datasets are drawn anew. Made by ``stability``."""

    @property
    def table(self) -> Any:
        """One row per set of datasets: how many there are, the share of draws that keep the whole ranking, the share that
        keeps the order of a pair, and the paper's pairwise rank stability."""
        keys = ("set", "datasets", "whole", "pairs_kept", "stability")
        return table_of([{key: one[key] for key in keys} for one in self._result["sets"]])

    @property
    def techniques(self) -> Any:
        """Every technique in every set, best first: rank, mean score, and how often it is first or keeps its rank."""
        return table_of([{"set": one["set"]} | row for one in self._result["sets"] for row in one["techniques"]])

    @property
    def pairs(self) -> Any:
        """Every pair of techniques in every set, the order that holds least first."""
        rows = [{"set": one["set"]} | row for one in self._result["sets"] for row in one["pairs"]]
        return table_of([{"tied": False} | row for row in rows])

    def __repr__(self) -> str:
        sets = ", ".join(f"{one['set']} {one['stability']:.3f}" for one in self._result["sets"])
        return f"<Stability: {sets}>"


def stability(
    truth: Any,
    *,
    scores: Any = None,
    by: str = "clm",
    external: str | None = None,
    techniques: str | Iterable[str] = (),
    size: int = 10,
    draws: int = 1000,
    random_state: Any = None,
) -> Stability:
    """How often is a ranking of techniques found again when its datasets are drawn anew, with replacement?

    Draws say how much the ranking depends on these datasets, and nothing of datasets of another kind.

    Parameters
    ----------
    truth : GroundTruth list, DataFrame, list of dicts, or path
        Scores of techniques on datasets, as for ``pick``.
    scores : Ranking, DataFrame, list of dicts, or path, default=None
        Scores of the datasets, to look at the top and the bottom third, too.
    by : str, default="clm"
        The measure in ``scores`` that cuts the datasets into thirds.
    external, techniques
        As for ``pick``.
    size : int, default=10
        How many datasets a draw has; at most as many as there are.
    draws : int, default=1000
        How many draws there are.
    random_state : int, RandomState or Generator, default=None
        The seed of the draws.

    Returns
    -------
    Stability
        With ``table``, ``techniques`` and ``pairs``.

    Examples
    --------
    >>> import clmatch
    >>> rows = [{"dataset": f"d{at}", "technique": name, "score": score + at % 2 / 10}
    ...         for at in range(6) for name, score in [("a", 0.5), ("b", 0.4)]]
    >>> clmatch.stability(rows, size=3).table.iloc[0]["whole"].item()
    1.0
    """
    drawing = {
        "external": external,
        "techniques": _list(techniques),
        "thirds": None if scores is None else (_scores_text(scores), by),
        "size": count_of("size", size, 1),
        "draws": count_of("draws", draws, 1),
        "seed": seed_of(random_state),
    }
    with running(None) as how:
        result, said = _clmatch.stability(_table_text(truth, "truth"), drawing, how)
    warn(said)
    return Stability(json.loads(result))


def _list(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, PathLike))


def _ranking_text(ranking: Any) -> Any:
    if _is_path(ranking):
        # The datasets of a manifest or a folder are ranked first.
        if not (os.path.isdir(ranking) or os.fspath(ranking).lower().endswith(".toml")):
            return os.fspath(ranking)
        ranking = rank(ranking)
    if hasattr(ranking, "to_csv") or hasattr(ranking, "write_csv"):
        return _table_text(ranking, "ranking")
    entries = ranking.to_list() if isinstance(ranking, Ranking) else [one.to_dict() for one in ranking]
    return ("ranking", json.dumps(entries))


def _scores_text(scores: Any) -> Any:
    if isinstance(scores, Ranking):
        return _table_text([{"dataset": one.name} | one.scores for one in scores], "scores")
    return _table_text(scores, "scores")


def _table_text(table: Any, name: str) -> Any:
    """A path, or a name and the table as comma-separated values."""
    if _is_path(table):
        return os.fspath(table)
    if hasattr(table, "to_csv"):
        return (name, table.to_csv(index=False))
    if hasattr(table, "write_csv"):  # polars
        return (name, table.write_csv())
    if isinstance(table, GroundTruth):
        table = [table]
    rows: list[Mapping[str, Any]] = []
    for one in table:
        if isinstance(one, GroundTruth):
            rows += [{"dataset": one.name} | row for row in one.to_dict()["techniques"]]
        else:
            rows.append(one)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    return (name, text.getvalue())
