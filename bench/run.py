"""The program behind `cargo xtask bench`: runs groups of contests, prints the table, and writes it to bench/runs.

    run.py [GROUP...] [--quick] [--small]            runs groups, all of them by default
    run.py --builds [GROUP...] [--quick] [--small]   prints what has to be built for them: worker, package, command

`cargo xtask bench` builds that and starts this in the root of the checkout, with the Python of target/python-bench.
"""

import argparse
import itertools
import os
import pathlib
import platform
import subprocess
import sys
import time
import warnings
from importlib import metadata

THREADS = ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"]
if __name__ == "__main__":
    os.environ.update(dict.fromkeys(THREADS, "2"))  # before any library starts its threads

from groups import GROUPS
from harness import Bench
from implementations import PACKAGES
from sides import DATA

NAMES = [group.__name__ for group in GROUPS]


def said_by(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def facts(bench):
    """The machine and the versions, collected before anything is timed: the load average is then that of others."""

    def version(package):
        try:
            return f"{package} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            return f"{package} missing"

    processor = [line.split(": ")[1] for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    revision, changes = said_by("git", "rev-parse", "--short", "HEAD"), said_by("git", "status", "--porcelain")
    return {
        "date": time.strftime("%F", time.gmtime()),
        "processor": (processor or ["unknown"])[0],
        "threads": f"2 unless stated, of {os.cpu_count()} cores",
        "load average before": f"{os.getloadavg()[0]:.2f}",
        "revision": revision + (", with changes" if changes else ""),
        "compiler": said_by("rustc", "--version"),
        "peers": ", ".join([f"Python {platform.python_version()}", *map(version, PACKAGES)]),
        "turns": f"the best of at most {bench.rounds}",
    }


def written(text, times, date):
    """Writes the table and the raw times to `runs/DATE`, or `DATE-2`, `DATE-3` if that is taken."""
    runs = pathlib.Path(__file__).parent / "runs"
    names = itertools.chain([date], (f"{date}-{number}" for number in itertools.count(2)))
    folder = next(runs / name for name in names if not (runs / name).exists())
    folder.mkdir(parents=True)
    (folder / "table.md").write_text(text)
    lines = (f'"{side}",{threads},{round},{seconds:.8e}\n' for side, threads, round, seconds in times)
    (folder / "times.csv").write_text("side,threads,round,seconds\n" + "".join(lines))
    return folder


def arguments(words):
    parser = argparse.ArgumentParser(prog="cargo xtask bench", description="Ours against its peers and the machine, in one run.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(NAMES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="a single turn each; writes nothing")
    parser.add_argument("--small", action="store_true", help="a tenth of the points, to try the harness itself; writes nothing")
    parser.add_argument("--builds", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    unknown = [group for group in asked.groups if group not in NAMES]
    if unknown:
        parser.error(f"there is no group {unknown[0]}; there are {', '.join(NAMES)}")
    return asked


def main(words):
    asked = arguments(words)
    chosen = [group for group in GROUPS if group.__name__ in (asked.groups or NAMES)]
    if asked.builds:
        return print(*sorted(set().union(*(GROUPS[group] for group in chosen))))
    warnings.simplefilter("ignore")
    DATA.mkdir(parents=True, exist_ok=True)
    bench = Bench(asked.quick, asked.small)
    known = facts(bench)
    for group in chosen:
        group(bench)
    text = f"# Benchmark of {known['date']}\n\n" + "".join(f"* {name}: {fact}\n" for name, fact in known.items()) + bench.report()
    print(f"\n{text}")
    if not (asked.quick or asked.small):
        print(f"written to {written(text, bench.times, known['date'])}")
    wrong = sum(not each.holds for each in bench.agreements)
    if wrong:
        sys.exit(f"{wrong} values disagree or are missing: their times mean nothing")


if __name__ == "__main__":
    main(sys.argv[1:])
