"""Spark's own evaluator of clusterings beside ours. It needs PySpark, which the environment does not have by itself, and Java."""

import time

from harness import Run, Side, several
from sides import DATA
from workloads import SPARK, make_parts


def spark(bench):
    """All contestants read the same files, `clmatch.spark` in the same session."""
    try:
        from pyspark.ml.evaluation import ClusteringEvaluator
        from pyspark.ml.feature import VectorAssembler
        from pyspark.sql import SparkSession
    except ImportError:
        return print("spark: skipped, there is no pyspark in target/python-bench")
    import clmatch.batches
    import clmatch.spark

    rows = bench.rows_of(SPARK)
    size, folder = f"{SPARK.size(rows)}, Parquet", DATA / f"spark-{rows}"
    print(f"spark: {size}")
    make_parts(SPARK, rows, str(folder))
    names, centroids = [f"x{at}" for at in range(SPARK.features)], ["ch_a", "xb_a", "db_a", "ch", "db"]
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")

    def read():
        return session.read.parquet(str(folder))

    def evaluator():
        assembled = VectorAssembler(inputCols=names, outputCol="features").transform(read())
        return ClusteringEvaluator(predictionCol="label").evaluate(assembled)

    def side(name, work):
        def once():
            start = time.perf_counter()
            work()
            return Run(time.perf_counter() - start)

        return Side(f"spark: {name}", several(once))

    peer, alone, ours, sampled, local = bench.contest(
        side("ClusteringEvaluator", evaluator),
        # All columns are read: the cost of reading alone.
        side("sums", lambda: read().selectExpr(*(f"sum({name})" for name in [*names, "label"])).collect()),
        side("clmatch.spark", lambda: clmatch.spark.score(read(), measures=centroids)),
        side("clmatch.spark, sampled", lambda: clmatch.spark.score(read(), measures=["sc", "sc_a"])),
        side("clmatch.batches", lambda: clmatch.batches.score(folder, measures=centroids)),
        rounds=2,
    )
    session.stop()
    bench.row(f"clmatch.spark, centroid measures, {size}", ours, "Spark's ClusteringEvaluator", peer)
    bench.row(f"clmatch.spark, centroid measures, {size}", ours, "Spark, sums of all columns", alone)
    bench.row(f"clmatch.spark, silhouettes from the sample, {size}", sampled, "Spark's ClusteringEvaluator", peer)
    bench.row(f"clmatch.batches, centroid measures, {size}", local, "Spark's ClusteringEvaluator", peer)
