"""Scores on a Spark cluster of two executors on this machine. They need Java; where there is none, they are skipped."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import clmatch.spark
import numpy as np
import pytest
from engine_data import DATASETS, blobs, check

sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, and there is none on this machine", allow_module_level=True)


def can_listen(host):
    with contextlib.closing(socket.socket()) as tried:
        try:
            tried.bind((host, 0))
        except OSError:
            return None
        return tried.getsockname()[1]


# Spark starts a slow task again on another host only. Linux answers on all of 127/8, so that one machine has two.
TWO_HOSTS = can_listen("127.0.0.2") is not None


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    """The address of a cluster of two workers, each a host with one processor."""
    if not TWO_HOSTS:
        yield "local-cluster[2,1,1024]"
        return
    launch = pathlib.Path(sql.__file__).parents[1] / "bin" / "spark-class"
    folder, port = tmp_path_factory.mktemp("cluster"), can_listen("127.0.0.1")
    started = []

    def start(name, *options):
        with open(folder / f"{name}.log", "wb") as log:
            command = [launch, f"org.apache.spark.deploy.{name.lower()}.{name}", "--webui-port", "0", *options]
            started.append(subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"SPARK_LOCAL_IP": options[1]}))

    try:
        start("Master", "--host", "127.0.0.1", "--port", str(port))
        for host in ("127.0.0.1", "127.0.0.2"):
            work = folder / host
            start("Worker", "--host", host, "--cores", "1", "--memory", "1g", "--work-dir", str(work), f"spark://127.0.0.1:{port}")
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


@pytest.fixture(scope="module")
def spark(master, tmp_path_factory):
    """A session on that cluster; tasks that take long are started twice."""
    here = str(pathlib.Path(__file__).parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    folder = tmp_path_factory.mktemp("spark")
    builder = sql.SparkSession.builder.master(master).appName("clmatch")
    settings = {
        "spark.ui.enabled": "false",
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.minTaskRuntime": "1s",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([here, *filter(None, sys.path)]),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def stored(spark, parts, folder):
    """A data frame that reads one file per partition, as a lake would hold it."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", "1g")
    spark.conf.set("spark.sql.files.openCostInBytes", "1g")
    for at, part in enumerate(parts):
        part.to_parquet(folder / f"{at:03}.parquet", index=False)
    return spark.read.parquet(str(folder))


@pytest.mark.parametrize("name", DATASETS)
def test_scores_are_those_in_memory(spark, tmp_path, name):
    table = DATASETS[name]()
    parts = [table.iloc[at::11] for at in range(11)]
    df = stored(spark, parts, tmp_path)
    assert df.rdd.getNumPartitions() == 11
    check(clmatch.spark.score(df, measures="all"), table)


def test_partitions_may_be_skewed_empty_or_hold_a_class_alone(spark, tmp_path):
    table = blobs(20_000)
    red = table[table["label"] == "red"]
    rest = table[table["label"] != "red"]
    df = stored(spark, [rest.iloc[:3], red, rest.iloc[3:-1], rest.iloc[-1:]], tmp_path)
    # Filtered so that a partition is empty.
    df = df.union(df.where("x0 < -1e9"))
    check(clmatch.spark.score(df, measures="all"), table)


def test_a_worker_that_is_killed_changes_nothing(spark, tmp_path):
    table = blobs(20_000)
    (tmp_path / "data").mkdir()
    df = stored(spark, [table.iloc[at::6] for at in range(6)], tmp_path / "data")
    expected = clmatch.spark.score(df, measures="all")
    marks = str(tmp_path)

    def deadly(batches):
        """The process of the fourth partition is killed in the middle, once, and with it all it had summed up."""
        from pyspark import TaskContext

        at = TaskContext.get().partitionId()
        for number, batch in enumerate(batches):
            mark = pathlib.Path(marks) / f"killed-{at}"
            if at == 3 and number == 2 and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    found = clmatch.spark.score(df.mapInArrow(deadly, df.schema), measures="all")
    assert (tmp_path / "killed-3").exists()
    check(found, table)
    assert found.scores == pytest.approx(expected.scores, rel=1e-9)


@pytest.mark.skipif(not TWO_HOSTS, reason="Spark repeats a slow task on another host only, and there is one")
def test_a_task_that_runs_twice_counts_once(spark, tmp_path):
    """The first attempt of a partition hangs; speculation starts it again, and both see all rows."""
    table = blobs(20_000)
    (tmp_path / "data").mkdir()
    df = stored(spark, [table.iloc[at::6] for at in range(6)], tmp_path / "data")
    marks = str(tmp_path)

    def slow(batches):
        from pyspark import TaskContext

        context = TaskContext.get()
        mark = pathlib.Path(marks) / f"attempt-{context.partitionId()}-{context.attemptNumber()}"
        first = not mark.exists()
        mark.touch()
        for number, batch in enumerate(batches):
            if context.partitionId() == 2 and context.attemptNumber() == 0 and number == 2 and first:
                # Until Spark has started it again, however busy the machine is.
                second = pathlib.Path(marks) / "attempt-2-1"
                for _ in range(600):
                    if second.exists():
                        break
                    time.sleep(0.2)
            yield batch

    found = clmatch.spark.score(df.mapInArrow(slow, df.schema), measures="all")
    assert (tmp_path / "attempt-2-1").exists(), "the slow task was not started again"
    check(found, table)


def test_missing_values_are_refused_with_their_partition(spark, tmp_path):
    table = blobs(300)
    hole = table.copy()
    hole.iloc[7, 2] = np.nan
    (tmp_path / "a").mkdir()
    df = stored(spark, [table.iloc[:100], hole.iloc[:50], table.iloc[100:]], tmp_path / "a")
    at = [row[0] for row in df.where("x2 is null or isnan(x2)").selectExpr("spark_partition_id()").collect()]
    with pytest.raises(Exception, match=rf"partition {at[0]}: .*(has no value|contains NaN)"):
        clmatch.spark.score(df)
    unknown = table.astype({"label": object})
    unknown.iloc[3, -1] = None
    (tmp_path / "b").mkdir()
    df = stored(spark, [table, unknown], tmp_path / "b")
    with pytest.raises(Exception, match=r"partition \d: row 3, label 'label' has no value"):
        clmatch.spark.score(df)


def test_what_cannot_be_scored_is_said(spark, tmp_path):
    df = stored(spark, [blobs(200).assign(name="text")], tmp_path)
    with pytest.raises(ValueError, match="there is no column 'species'"):
        clmatch.spark.score(df, label="species")
    with pytest.raises(Exception, match="column 'name' holds string, not numbers"):
        clmatch.spark.score(df)
    assert clmatch.spark.score(df, features=["x0", "x1"], measures=["ch"]).exact["ch"]
    with pytest.raises(ValueError, match="has seen no rows"):
        clmatch.spark.score(df.where("x0 < -1e9"), features=["x0"])
