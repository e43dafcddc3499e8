"""Scores on a Dask cluster of three worker processes."""

import os
import pickle
import signal

import clmatch
import clmatch.dask
import numpy as np
import pandas as pd
import pytest
from engine_data import DATASETS, blobs, check

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")


@pytest.fixture(scope="module")
def client():
    """Three worker processes with a thread each: two are killed below, and Dask does not always manage to start them again.

    Without any worker, tasks would wait forever.
    """
    import dask

    with dask.config.set({"distributed.scheduler.no-workers-timeout": "300s"}):
        with distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                yield client


def from_parts(parts, meta=None):
    """A data frame whose partitions are these frames, or functions that make them on the worker."""
    import dask

    def made(part):
        return part() if callable(part) else part

    first = meta if meta is not None else next(part for part in parts if not callable(part))
    return dd.from_delayed([dask.delayed(made, pure=False)(part) for part in parts], meta=first.iloc[:0], verify_meta=False)


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("partitions", [1, 5, 23])
def test_scores_are_those_in_memory(client, name, partitions):
    table = DATASETS[name]()
    found = clmatch.dask.score(dd.from_pandas(table, npartitions=partitions), measures="all")
    check(found, table)


def test_partitions_may_be_skewed_empty_or_hold_a_class_alone(client):
    table = blobs(20_000)
    red = table[table["label"] == "red"]
    rest = table[table["label"] != "red"]
    parts = [rest.iloc[:0], rest.iloc[:3], red, rest.iloc[:0], rest.iloc[3:-1], rest.iloc[-1:]]
    check(clmatch.dask.score(from_parts(parts), measures="all"), table)


def test_rows_do_not_come_to_the_driver(client, monkeypatch):
    """What comes, once per pass over the data, is far smaller than the rows."""
    import dask

    table, received, compute = blobs(100_000), [], dask.compute

    def spy(*tasks):
        found = compute(*tasks)
        received.append(len(pickle.dumps(found)))
        return found

    monkeypatch.setattr(dask, "compute", spy)
    found = clmatch.dask.score(dd.from_pandas(table, npartitions=8), measures=["ch_a", "xb_a"], sample=100)
    assert found.exact == {"ch_a": True, "xb_a": True}
    assert len(received) == 2 and max(received) < 50_000 < table.memory_usage().sum() / 50


def test_a_worker_that_is_killed_changes_nothing(client, tmp_path):
    table = blobs(20_000)
    pieces = [table.iloc[at::6] for at in range(6)]
    expected = clmatch.dask.score(from_parts(pieces), measures="all")

    def deadly(piece, at):
        """The fourth and the last partition kill their worker when they are made for the first time."""

        def make():
            mark = tmp_path / f"killed-{at}"
            if at in (3, 5) and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return piece

        return make

    parts = [deadly(piece, at) for at, piece in enumerate(pieces)]
    found = clmatch.dask.score(from_parts(parts, meta=table), measures="all")
    assert len(list(tmp_path.glob("killed-*"))) == 2
    assert found.points == 20_000
    check(found, table)
    for id, value in expected.scores.items():
        assert found.scores[id] == pytest.approx(value, rel=1e-9), id


def test_repeated_tasks_count_once(client):
    """The same graph computed again, and partitions computed several times, give the same scores."""
    table = blobs(20_000)
    ddf = dd.from_pandas(table, npartitions=7)
    first, second = (clmatch.dask.score(ddf, measures="all") for _ in range(2))
    assert first.scores == pytest.approx(second.scores, rel=1e-9) and first.sizes == second.sizes


def test_missing_values_are_refused_with_their_partition(client):
    table = blobs(300)
    hole = table.copy()
    hole.iloc[7, 2] = np.nan
    parts = [table.iloc[:100], hole.iloc[:50], table.iloc[100:]]
    with pytest.raises(ValueError, match="partition 1: row 7, column 'x2' has no value"):
        clmatch.dask.score(from_parts(parts))
    unknown = table.astype({"label": object})
    unknown.iloc[3, -1] = None
    with pytest.raises(ValueError, match="partition 2: row 3, label 'label' has no value"):
        clmatch.dask.score(from_parts([table, table, unknown]))
    infinite = table.copy()
    infinite.iloc[9, 0] = np.inf
    with pytest.raises(ValueError, match="partition 0: Input X contains infinity"):
        clmatch.dask.score(from_parts([infinite, table]))


def test_what_cannot_be_scored_is_said(client):
    table = blobs(100)
    ddf = dd.from_pandas(table.assign(name="text"), npartitions=2)
    with pytest.raises(TypeError, match="column 'name' holds .*, not numbers"):
        clmatch.dask.score(ddf)
    with pytest.raises(ValueError, match="there is no column 'species'"):
        clmatch.dask.score(ddf, label="species")
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_jobs'"):
        clmatch.dask.score(ddf, n_jobs=3)
    chosen = clmatch.dask.score(ddf, features=["x0", "x1"], measures=["ch"])
    assert chosen.exact["ch"]
    empty = dd.from_pandas(table.iloc[:0], npartitions=1)
    with pytest.raises(ValueError, match="has seen no rows"):
        clmatch.dask.score(empty)


def test_it_works_without_a_cluster_too():
    import dask

    table = blobs(3000)
    with dask.config.set(scheduler="synchronous"):
        found = clmatch.dask.score(dd.from_pandas(table, npartitions=3), measures="all")
    check(found, table)
    assert isinstance(found.pairs, pd.DataFrame) and len(found.pairs) == 6
