"""The Python package: threads, Ctrl-C, forks, memory, the command in the wheel."""

import multiprocessing
import pathlib
import shutil
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


def noise(seed, count, features=3, classes=3):
    random = np.random.default_rng(seed)
    return random.normal(size=(count, features)), random.integers(0, classes, count)


def run(program, *words, **options):
    return subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=LIMIT, check=False, **options
    )


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
import sys, threading, time
import numpy as np, clmatch
random = np.random.default_rng(0)
points, labels = random.normal(size=(400_000, 64)), random.integers(0, 3, 400_000)
clmatch.silhouette(points[:100], labels[:100])

def tell():
    # The native code has run for a while when this thread is heard: it does not hold the interpreter.
    time.sleep(0.5)
    print("running", flush=True)

teller = threading.Thread(target=tell)
teller.start()
try:
    clmatch.silhouette(points, labels)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(clmatch.score(points[:100], labels[:100]))
"""


def test_ctrl_c_stops_long_work_and_the_next_call_works():
    process = subprocess.Popen([sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "interrupted\n"
        seconds = time.monotonic() - start
        # What was read ahead of a line is in this buffer, which `communicate` would not look into.
        rest = process.stdout.read()
        process.wait(LIMIT)
    finally:
        process.kill()
        process.stdout.close()
    assert rest.startswith("0.") and process.returncode == 0
    # It takes a fraction of a second; all pairs of so many points take minutes. A busy machine may take a while.
    assert seconds < 20


def in_child(seed):
    return clmatch.score(*noise(seed, 300)), clmatch.evaluate(*noise(seed, 300)).scores


def test_processes_that_were_forked_have_threads_of_their_own():
    """A child has no threads of its parent, whose pool would never answer."""
    expected = [in_child(seed) for seed in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as children:
        assert children.map_async(in_child, range(4)).get(timeout=LIMIT) == expected
    # The parent's own threads still work.
    assert in_child(0) == expected[0]


def test_a_child_of_a_child_works_too():
    program = (
        "import os, clmatch, numpy as np\n"
        "points, labels = np.random.default_rng(0).normal(size=(200, 3)), np.arange(200) % 3\n"
        "values = [clmatch.score(points, labels)]\n"
        "if os.fork() == 0:\n"
        "    values.append(clmatch.score(points, labels))\n"
        "    if os.fork() == 0:\n"
        "        values.append(clmatch.score(points, labels))\n"
        "        print(len(values), len(set(values)))\n"
        "        os._exit(0) if not __import__('sys').stdout.flush() else None\n"
        "    assert os.wait()[1] == 0\n"
        "    os._exit(0)\n"
        "assert os.wait()[1] == 0\n"
    )
    done = run(program)
    assert (done.returncode, done.stdout) == (0, "3 1\n"), done.stderr


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_ways_to_start_a_process(method):
    program = (
        "import multiprocessing, clmatch\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context({method!r}).Pool(1) as pool:\n"
        "        print(pool.apply(clmatch.score, ([[0.0], [1.0], [9.0], [10.0]] * 5, [0, 0, 1, 1] * 5)) > 0.9)\n"
    )
    done = run(program)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


MEMORY = """
import resource, sys, numpy as np, clmatch
dtype, features, measure, size = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
count = size // features // np.dtype(dtype).itemsize
points = np.empty((count, features), dtype)
random = np.random.default_rng(0)
step = max(2**22 // (features * points.itemsize), 1)
for start in range(0, count, step):
    random.random(out=points[start : start + step], dtype=dtype)
labels = (np.arange(count) % 3).astype(np.uint8)
assert 0.99 * size < points.nbytes <= size
clmatch.score(points[:300], labels[:300], measure=measure)
before = peak()
clmatch.score(points, labels, measure=measure)
print((peak() - before) / points.nbytes)
"""


def growth(dtype, features, measure, size):
    """The memory that a score takes at most, in multiples of that of its points."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, dtype, str(features), measure, str(size)],
        capture_output=True, text=True, timeout=LIMIT * 5, check=False,
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.parametrize(("dtype", "measure"), [("float64", "ch_a"), ("float32", "ch_a"), ("float64", "db"), ("float64", "xb_a")])
def test_a_gigabyte_is_not_copied(dtype, measure):
    assert growth(dtype, 256, measure, 2**30) < 0.05


# The kernels that compare points look at copies: in the order of classes, and packed for the registers.
@pytest.mark.parametrize(("measure", "limit"), [("sc", 1.2), ("clm", 2.6)])
def test_measures_of_distances_take_no_more_memory_than_is_said(measure, limit):
    assert growth("float64", 4096, measure, 2**26) < limit


def test_only_numpy_is_needed():
    program = (
        "import sys\n"
        "optional = ('pandas', 'sklearn', 'scipy', 'polars', 'pyarrow', 'matplotlib', 'anndata', 'torch', 'jax', 'tqdm')\n"
        "for name in optional: sys.modules[name] = None\n"
        "import clmatch, numpy\n"
        "result = clmatch.evaluate(numpy.arange(40.0).reshape(20, 2), [0] * 10 + [1] * 10)\n"
        "assert isinstance(result.pairs, list) and result._repr_html_()\n"
    )
    done = run(program)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("free_threaded", [True, False])
def test_an_interpreter_that_cannot_load_the_native_part_is_told_why(tmp_path, free_threaded):
    """As on a free-threaded build, which does not look for files of the stable interface."""
    hidden = shutil.ignore_patterns("_clmatch*.so", "_clmatch*.pyd", "__pycache__")
    shutil.copytree(pathlib.Path(clmatch.__file__).parent, tmp_path / "clmatch", ignore=hidden)
    program = (
        "import sys, sysconfig\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "ask = sysconfig.get_config_var\n"
        f"sysconfig.get_config_var = lambda name: {int(free_threaded)} if name == 'Py_GIL_DISABLED' else ask(name)\n"
        "import clmatch\n"
    )
    done = run(program, str(tmp_path))
    expected = "free-threaded builds do not load: use an ordinary build" if free_threaded else "install the package with 'pip install .'"
    assert done.returncode == 1 and f"ImportError: {'clmatch is built' if free_threaded else 'the native part'}" in done.stderr
    assert expected in done.stderr


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
