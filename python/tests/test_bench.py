"""The benchmark's harness: turns, bars, agreement, the table and the words that it is started with."""

import csv
import subprocess
import sys

import conftest
import numpy as np
import pytest

FOLDER = conftest.ROOT / "bench"
sys.path.append(str(FOLDER))

import harness
import workloads
from harness import Agreement, Bench, Outcome, Row, Run, Side, at_least, at_most


def test_bars_are_floors_of_speed_or_ceilings_of_cost():
    assert Row("w", 1.0, "p", 12.0, at_least(12)).met
    assert not Row("w", 1.0, "p", 11.0, at_least(12)).met
    assert Row("w", 3.0, "p", 1.0, at_most(3)).met
    assert not Row("w", 4.0, "p", 1.0, at_most(3)).met
    assert Row("w", 0, "all", 92, at_most(0), "").met and not Row("w", 1, "all", 92, at_most(0), "").met
    assert Row("w", 4.0, "p", 1.0).met is None
    missing = Row("w", 1.0, "p", "no | wheel", at_least(1))
    assert missing.met is None
    assert missing.cells()[3:] == ["none: no / wheel", "-", "≥ 1", "not measured"]


def test_the_best_turn_counts_and_failures_are_kept():
    times = iter([3.0, 1.5, 2.0])

    def fail():
        raise ModuleNotFoundError("no such peer")

    ours = Side("ours", lambda: [Run(next(times), {"ch": 7.0})])
    (ours, peer), raw = harness.contest([ours, Side("peer", fail)], 3, say=lambda text: None, pause=0)
    assert ours.seconds == 1.5 and ours.value("ch") == 7.0 and ours.value("db") is None
    assert peer.seconds == "ModuleNotFoundError: no such peer" and peer.value("ch") is None
    assert raw == [("ours", 2, 0, 3.0), ("ours", 2, 1, 1.5), ("ours", 2, 2, 2.0)]


def test_long_jobs_get_fewer_runs_and_turns():
    assert len(harness.several(lambda: Run(0.1))()) == harness.RUNS
    assert len(harness.several(lambda: Run(harness.LONG * 2))()) == 1
    [long], _ = harness.contest([Side("long", lambda: [Run(harness.BUDGET + 1)])], 7, say=lambda text: None, pause=0)
    assert len(long.runs) == 1


def test_agreement_is_relative():
    def agree(ours, theirs):
        return Agreement("", ours, theirs, 1e-9).holds

    assert agree(1e6, 1e6 + 1e-5) and agree(0.0, 0.0)
    assert not agree(1e-6, 2e-6) and not agree(float("nan"), 1.0)
    assert agree(1.0, None) and not agree(None, 1.0) and not agree(None, None)


def test_the_report_has_rows_limits_and_agreements():
    bench = Bench()
    ours, peer = Outcome([Run(0.05, {"ch": 0.5})]), Outcome([Run(1.25, {"": 0.5})])
    bench.row("ch", ours, "peer", peer, at_least(5))
    bench.row("ch, peak memory", 3e8, "the matrix", 2e8, at_most(1.15), "bytes")
    bench.limit("read", 2.0, "GB/s", Outcome([Run(0.1)]))
    bench.agree("peer", "ch", ours, peer, 1e-9)
    lines = [" ".join(line.split()) for line in bench.report().splitlines()]
    assert "| ch | 50.00 ms | peer | 1.25 s | 25.0 | ≥ 5 | yes |" in lines
    assert "| ch, peak memory | 300 MB | the matrix | 200 MB | 1.50 | ≤ 1.15 | no |" in lines
    assert "1 of 2 bars met." in lines
    assert "| read | 20.0 GB/s |" in lines
    assert "| ch, peer | 0.500000000000 | 0.500000000000 | 0.0e+00 | 1e-09 | yes |" in lines


def test_workloads_are_made_once_for_each_recipe(tmp_path):
    stem = str(tmp_path / "made")
    workloads.make(workloads.IRIS, 150, stem)
    points = np.fromfile(f"{stem}.f64").reshape(150, workloads.IRIS.features)
    labels = np.fromfile(f"{stem}.labels", dtype="<i8")
    assert np.bincount(labels).tolist() == [50, 50, 50] and np.isfinite(points).all()
    (tmp_path / "made.labels").write_bytes(b"kept")
    workloads.make(workloads.IRIS, 150, stem)
    assert (tmp_path / "made.labels").read_bytes() == b"kept"
    workloads.make(workloads.IRIS, 30, stem)
    assert (tmp_path / "made.labels").stat().st_size == 30 * 8


def test_raw_times_are_written_beside_the_table(tmp_path, monkeypatch):
    import run

    monkeypatch.setattr(run, "__file__", str(tmp_path / "run.py"))
    for name in ["2026-01-01", "2026-01-01-2"]:
        folder = run.written("text", [('million: ch_a', 2, 0, 0.0457)], "2026-01-01")
        assert folder == tmp_path / "runs" / name and (folder / "table.md").read_text() == "text"
    with open(folder / "times.csv") as file:
        assert list(csv.DictReader(file)) == [
            {"side": "million: ch_a", "threads": "2", "round": "0", "seconds": "4.57000000e-02"}
        ]


@pytest.mark.parametrize(
    ("words", "builds"),
    [(["rank", "--quick"], "command"), (["moments"], "worker"), ([], "command package worker"), (["fast"], None)],
)
def test_words_tell_what_is_built(words, builds):
    done = subprocess.run([sys.executable, "run.py", "--builds", *words], cwd=FOLDER, capture_output=True, text=True)
    if builds is None:
        assert done.returncode == 2 and "there is no group fast" in done.stderr
    else:
        assert (done.returncode, done.stdout.strip()) == (0, builds), done.stderr


def test_a_process_is_timed_with_its_peak_memory():
    import sides

    child = sides.process("child", sys.executable, "-c", "x = bytearray(2 * 10**8); print('ch', 0.25)")
    [run, *_] = child.turn()
    assert run.values["score"] == 0.25 and run.seconds > 0
    assert 2e8 < run.values["peak"] < 4e8
    with pytest.raises(RuntimeError, match="no such thing"):
        sides.process("child", sys.executable, "-c", "import sys; sys.exit('no such thing')").turn()


def test_the_machine_is_measured():
    import sides

    assert 0 < sides.square_roots().turn()[0].seconds < 1e-6
    assert 0 < sides.multiply_adds(1).turn()[0].seconds < 1e-6
