"""Started anew for each run, because the peak memory of a process tells nothing about its parts.

    child.py run PROGRAM WORD...     runs a program; prints seconds from its start to its exit, its peak memory, and its last word
    child.py read READER FILE        reads a file; prints seconds until there is a matrix, peak memory, sum of the numbers, and
                                     seconds until the reader's own table was there
"""

import os
import sys
import time


def run(words):
    """The parent is this small process: the system counts what a parent held to the peak of a process that it starts."""
    import subprocess
    import tempfile

    with tempfile.TemporaryFile() as complaints:
        start = time.perf_counter()
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=complaints)
        printed = child.stdout.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            complaints.seek(0)
            sys.exit((complaints.read().decode().strip().splitlines() or [f"exit code {child.returncode}"])[-1])
    print(seconds, usage.ru_maxrss * 1024, printed.replace(",", " ").split()[-1])


def read(reader, path):
    import pathlib
    import warnings

    import numpy as np

    from implementations import READERS

    warnings.simplefilter("ignore")
    load, to_matrix = READERS[reader](path)
    start = time.perf_counter()
    found = load(path)
    table = time.perf_counter() - start
    matrix = to_matrix(found)
    seconds = time.perf_counter() - start
    status = pathlib.Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
    if matrix.dtype != np.float64 or not matrix.flags.c_contiguous:
        sys.exit("this is no row-major matrix of f64")
    print(seconds, peak, repr(float(matrix.sum())), table)


if __name__ == "__main__":
    run(sys.argv[2:]) if sys.argv[1] == "run" else read(*sys.argv[2:])
