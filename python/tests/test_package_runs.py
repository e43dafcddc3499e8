"""The Python package: threads, Ctrl-C, forks, memory, the command in the wheel, doctests and types."""

import doctest
import importlib
import multiprocessing
import os
import pathlib
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import clmatch
import numpy as np
import pytest

# Seconds that something may take which takes a fraction of one: for machines that are busy with other things.
LIMIT = 120
ROOT = pathlib.Path(__file__).resolve().parents[2]


def noise(seed, count, features=3, classes=3):
    random = np.random.default_rng(seed)
    return random.normal(size=(count, features)), random.integers(0, classes, count)


def run(program, *words, **options):
    return subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=LIMIT, check=False, **options
    )


@pytest.mark.parametrize("module", [name for _, name, _ in pkgutil.iter_modules(clmatch.__path__) if name != "_clmatch"])
def test_examples_in_docstrings(module):
    module = importlib.import_module(f"clmatch.{module}")
    found = doctest.testmod(module)
    assert found.failed == 0
    assert found.attempted > 0 or module.__name__ in ("clmatch.__main__", "clmatch._input", "clmatch._work")


def test_the_example_of_the_package():
    assert doctest.testmod(clmatch).failed == 0


def test_every_public_function_has_an_example():
    for name in clmatch.__all__:
        thing = getattr(clmatch, name)
        if callable(thing) and not isinstance(thing, type):
            assert ">>>" in thing.__doc__, name


def test_types_are_right():
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--cache-dir", os.devnull],
        cwd=ROOT, capture_output=True, text=True, timeout=LIMIT * 5, check=False,
    )
    assert done.returncode == 0, done.stdout
    assert (pathlib.Path(clmatch.__file__).parent / "py.typed").exists()


def test_the_number_of_threads_changes_nothing():
    points, labels = noise(1, 700)
    values = {clmatch.score(points, labels, n_jobs=jobs) for jobs in [None, 1, 2, 3, -1, -2]}
    assert len(values) == 1


def test_calls_from_many_threads():
    cases = [noise(seed, 200) for seed in range(8)]
    expected = [clmatch.score(*case) for case in cases]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda case: clmatch.score(*case), cases * 5)) == expected * 5


def test_other_threads_run_meanwhile():
    points, labels = noise(2, 6000, 16)
    done = threading.Event()
    steps = 0

    def work():
        clmatch.silhouette(points, labels)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        steps += 1
        time.sleep(0.001)
    thread.join()
    assert steps > 5


CTRL_C = """
import numpy as np, clmatch
random = np.random.default_rng(0)
points, labels = random.normal(size=(200_000, 64)), random.integers(0, 3, 200_000)
try:
    print("go", flush=True)
    clmatch.silhouette(points, labels)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(clmatch.score(points[:100], labels[:100]))
"""


def test_ctrl_c_stops_long_work_and_the_next_call_works():
    process = subprocess.Popen([sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, _ = process.communicate(timeout=LIMIT)
    assert out.startswith("interrupted\n0.") and process.returncode == 0
    # All pairs of so many points take longer, also on a fast machine; a busy one may take a while to stop.
    assert time.monotonic() - start < 60


def in_child(queue):
    queue.put(clmatch.score(*noise(5, 300)))


def test_a_process_that_was_forked_has_threads_of_its_own():
    expected = clmatch.score(*noise(5, 300))
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=LIMIT) == expected
    child.join(LIMIT)
    assert child.exitcode == 0


MEMORY = """
import resource, sys, numpy as np, clmatch
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
points = np.random.default_rng(0).random((400_000, 128), dtype=sys.argv[1])
labels = (np.arange(len(points)) % 3).astype(np.uint8)
clmatch.calinski_harabasz(points[:1000], labels[:1000])
before = peak()
clmatch.calinski_harabasz(points, labels)
print((peak() - before) / points.nbytes)
"""


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_arrays_are_not_copied(dtype):
    done = run(MEMORY, dtype)
    assert done.returncode == 0, done.stderr
    # The numbers of the labels take a part that does not grow with the number of features.
    assert float(done.stdout) < (0.05 if dtype == "float64" else 0.1)


def test_only_numpy_is_needed():
    program = (
        "import sys\n"
        "for name in ('pandas', 'sklearn', 'scipy', 'polars', 'matplotlib'): sys.modules[name] = None\n"
        "import clmatch, numpy\n"
        "result = clmatch.evaluate(numpy.arange(40.0).reshape(20, 2), [0] * 10 + [1] * 10)\n"
        "assert isinstance(result.pairs, list) and result._repr_html_()\n"
    )
    done = run(program)
    assert done.returncode == 0, done.stderr


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "clmatch", *words], capture_output=True, text=True, timeout=LIMIT, check=False
    )


def test_the_command_is_in_the_wheel():
    done = command("score", "iris", "--measures", "clm", "--format", "csv")
    assert done.returncode == 0 and "iris" in done.stdout, done.stderr
    script = pathlib.Path(sys.executable).parent / "clmatch"
    again = subprocess.run([script, "score", "iris", "--measures", "clm", "--format", "csv"], capture_output=True, text=True, timeout=LIMIT)
    assert (again.returncode, again.stdout) == (0, done.stdout)


def test_exit_codes_of_the_command_in_the_wheel():
    assert command("score", "iris", "--fail-under", "clm=0.99").returncode == 1
    wrong = command("score", "--nonsense")
    assert wrong.returncode == 2 and "Usage: clmatch score" in wrong.stderr
    assert command("score", "nothing.csv").returncode == 3
    version = command("--version")
    assert (version.returncode, version.stdout) == (0, f"clmatch {clmatch.__version__}\n")
