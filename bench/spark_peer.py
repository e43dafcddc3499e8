"""Spark's own ClusteringEvaluator beside clmatch on the same Spark session: time and value, as a table of Markdown.

    python bench/spark_peer.py 1000000 10000000 > lab/results/spark-peer.md

Needs PySpark, Java and the package clmatch. The rows are generated once, as Parquet with a file for each partition, and read
by every contestant anew.
"""

import os
import pathlib
import sys
import tempfile
import time

import clmatch
import clmatch.batches
import clmatch.spark
import numpy as np
import pyarrow
import pyarrow.parquet
from pyspark.ml.evaluation import ClusteringEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession

FEATURES, CLASSES, PARTS = 10, 5, 8
NAMES = [f"x{at}" for at in range(FEATURES)]
CENTROIDS = ["ch_a", "xb_a", "db_a", "ch", "db"]


def generate(rows, folder):
    """Normal classes of unequal sizes, one file per partition."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(CLASSES, FEATURES)) * 1.5
    for part in range(PARTS):
        labels = random.choice(CLASSES, size=rows // PARTS, p=[0.4, 0.25, 0.2, 0.1, 0.05])
        X = random.normal(size=(len(labels), FEATURES)) + centres[labels]
        columns = [X[:, at] for at in range(FEATURES)] + [labels.astype(np.int32)]
        pyarrow.parquet.write_table(pyarrow.table(columns, [*NAMES, "label"]), folder / f"{part}.parquet")


def timed(work):
    start = time.perf_counter()
    found = work()
    return found, time.perf_counter() - start


def contest(spark, rows):
    """Rows of the table: contestant, seconds, values."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generate(rows, folder)

        def read():
            return spark.read.parquet(str(folder))

        def peer():
            assembled = VectorAssembler(inputCols=NAMES, outputCol="features").transform(read())
            return ClusteringEvaluator(predictionCol="label").evaluate(assembled)

        def scored(found):
            return ", ".join(
                f"{id} {value:.6f}" + ("" if found.exact[id] else f" ± {found.errors[id]:.4f}")
                for id, value in found.scores.items()
            )

        def count():
            # All columns are read: the cost of reading alone.
            return read().selectExpr(*[f"sum({column})" for column in [*NAMES, "label"]]).collect()

        for _ in range(2):  # the first run warms the session up, and is not shown
            read_alone = timed(count)[1]
            of_peer, seconds_of_peer = timed(peer)
            ours, seconds = timed(lambda: clmatch.spark.score(read(), measures=CENTROIDS))
            sampled, seconds_of_sampled = timed(lambda: clmatch.spark.score(read(), measures=["sc", "sc_a"]))
        local, seconds_of_local = timed(lambda: clmatch.batches.score(folder, measures=CENTROIDS))
    return [
        ("Spark, sums of all columns: reading alone", read_alone, ""),
        ("Spark `ClusteringEvaluator`", seconds_of_peer, f"silhouette of squared distances {of_peer:.6f}"),
        ("`clmatch.spark.score`, centroid measures, two passes", seconds, scored(ours)),
        ("`clmatch.spark.score`, silhouettes from the sample", seconds_of_sampled, scored(sampled)),
        ("`clmatch.batches.score`, the same files without Spark, two passes", seconds_of_local, scored(local)),
    ]


def main():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master(f"local[{os.cpu_count()}]").config("spark.driver.memory", "4g")
    spark = spark.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    print("# Spark's evaluator of clusterings beside clmatch\n")
    print(
        f"{FEATURES} features, {CLASSES} classes of unequal sizes, Parquet in {PARTS} files, Spark {spark.version} with "
        f"`local[{os.cpu_count()}]` on one machine; seconds of the second of two runs. `python bench/spark_peer.py` writes it.\n"
    )
    print("| rows | contestant | seconds | values |\n|---|---|---|---|")
    for rows in map(int, sys.argv[1:]):
        for contestant, seconds, values in contest(spark, rows):
            print(f"| {rows} | {contestant} | {seconds:.2f} | {values} |", flush=True)
    spark.stop()


main()
