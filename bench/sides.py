"""Ways to time a job: a call in this process, a run of the Rust worker, a process from start to exit, the machine."""

import contextlib
import functools
import os
import pathlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import implementations
import numpy as np
import workloads
from harness import THREADS, Run, Side, several

HERE = pathlib.Path(__file__).parent
# The build folder; generated data lie in a folder of it.
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target"))
DATA = TARGET / "bench"
WORKER = TARGET / "release" / "examples" / "bench_worker"
COMMAND = TARGET / "release" / "clmatch"


def output(*words):
    """What a program prints; its last line of complaint is the error where it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return done.stdout


class Data:
    """A generated dataset, in memory for Python and as files for the Rust worker."""

    def __init__(self, bench, workload):
        self.name, rows = workload.name, bench.rows_of(workload)
        self.size, self.rows, self.features = workload.size(rows), rows, workload.features
        print(f"{self.name}: {self.size}")
        self.stem = str(DATA / f"{self.name}-{rows}")
        workloads.make(workload, rows, self.stem)

    @functools.cached_property
    def points(self):
        return np.fromfile(f"{self.stem}.f64", dtype="<f8").reshape(self.rows, self.features)

    @functools.cached_property
    def labels(self):
        return np.fromfile(f"{self.stem}.labels", dtype="<i8")

    def python(self, job):
        """A call of another implementation, or of our Python package."""

        def once():
            function = peer(job)
            # A copy, because some peers shuffle or relabel in place.
            labels = self.labels.copy()
            start = time.perf_counter()
            value = function(self.points, labels)
            return Run(time.perf_counter() - start, {"": float(value)})

        self.points  # read before anything is timed
        return Side(f"{self.name}: {job}", several(once))

    def rust(self, job, argument="", threads=THREADS, scalar="f64"):
        """A job of the Rust library, see crates/clmatch-cluster/examples/bench_worker.rs."""
        return worker(self.name, self.stem, self.features, job, argument, threads, scalar)

    def scores(self, ids, **options):
        """Scores of points that were validated before."""
        return self.rust("evaluate", ids, **options)


@functools.cache
def peer(job):
    return implementations.JOBS[job]()


def worker(name, stem, features, job, argument="", threads=THREADS, scalar="f64"):
    def turn():
        lines = output(WORKER, stem, features, scalar, threads, job, argument).splitlines()
        pairs = [[word.split("=") for word in line.split()[1:]] for line in lines]
        values = ({key: float(value) for key, value in each} for each in pairs)
        return [Run(float(line.split()[0]), found) for line, found in zip(lines, values, strict=True)]

    single, alone = " in f32" if scalar == "f32" else "", ", 1 thread" if threads == 1 else ""
    return Side(f"{name}{single}: {job} {argument}".rstrip() + alone, turn, threads)


def process(name, *words):
    """A program from its start to its exit; its last word is the score where it is a number."""

    def once():
        seconds, peak, last = output(sys.executable, "-IS", HERE / "child.py", "run", *words).split()
        values = {"peak": float(peak)}
        with contextlib.suppress(ValueError):
            values["score"] = float(last)
        return Run(float(seconds), values)

    return Side(name, several(once))


def program(name, file):
    """A Python program of `implementations.PROGRAMS`."""
    return process(f"{name} {file.name}", sys.executable, "-c", implementations.PROGRAMS[name], file)


def score(file, measures):
    """Our command."""
    words = "--measures", measures, "--format", "csv"
    return process(f"clmatch {measures} {file.name}", COMMAND, "score", file, *words)


def reader(name, file):
    """From a file to a matrix, in a fresh process."""

    def turn():
        seconds, peak, total, table = map(float, output(sys.executable, HERE / "child.py", "read", name, file).split())
        return [Run(seconds, {"peak": peak, "sum": total, "table": table})]

    return Side(f"{name} {file.name}", turn)


def on_threads(threads, work, parts):
    """Seconds in which threads do `work` on the parts; numpy releases the interpreter."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(abs, range(threads)))  # the threads are there
        start = time.perf_counter()
        list(pool.map(work, parts))
        return time.perf_counter() - start


def summing_read(data, threads=THREADS):
    """Seconds to read the points and add them up."""

    def once():
        return Run(on_threads(threads, np.sum, np.array_split(data.points.reshape(-1), 8 * threads)))

    return Side(f"read {data.name}" + (", 1 thread" if threads == 1 else ""), several(once), threads)


def multiply_adds(threads=THREADS):
    """Seconds per f64 multiply-add, all threads together: those of numpy's product of matrices."""
    size = 1024
    left, right = np.random.default_rng(1).normal(size=(2, size, size))

    def once():
        from threadpoolctl import threadpool_limits

        with threadpool_limits(threads):
            start = time.perf_counter()
            left @ right
            return Run((time.perf_counter() - start) / size**3)

    return Side("multiply-adds" + (", 1 thread" if threads == 1 else ""), several(once), threads)


def square_roots(threads=THREADS):
    """Seconds per f64 square root, all threads together: numpy's, in the cache."""
    size, times = 1 << 15, 1000

    def work(buffer):
        for _ in range(times):
            np.sqrt(buffer, out=buffer)

    def once():
        return Run(on_threads(threads, work, np.full((threads, size), 2.0)) / (threads * size * times))

    return Side("square roots" + (", 1 thread" if threads == 1 else ""), several(once), threads)
