"""Bad luck: killed runs, full disks, files that change while they are read. Nothing is lost, and nothing wrong is written."""

import json
import os
import random
import subprocess
import sys
import time

import numpy as np
import pytest

COMMAND = os.environ["CLMATCH"]
LIMIT = 120


def run(*words, **options):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=LIMIT, check=False, **options)


def write_csv(path, rows, seed, classes=3):
    random_ = np.random.default_rng(seed)
    labels = np.arange(rows) % classes
    points = random_.normal(size=(rows, 3)) + 2.0 * labels[:, None]
    lines = [",".join(f"{value:.6f}" for value in point) + f",{label}" for point, label in zip(points, labels)]
    path.write_text("a,b,c,label\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("datasets")
    for at in range(12):
        write_csv(folder / f"data-{at:02}.csv", 240, at)
        write_csv(folder / f"small-{at:02}.csv", 30, at)
    return folder


def without_times(value):
    """A result without what differs between two runs of the same."""
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if "seconds" not in key}
    if isinstance(value, list):
        return [without_times(one) for one in value]
    return value


RESUMED = {
    "rank": (["rank", "--measures", "all"], 15),
    "truth": (["truth", "--techniques", "kmeans,dbscan", "--external", "ami"], 15),
    "classify": (["classify", "--quick"], 8),
}


@pytest.mark.parametrize("name", RESUMED)
def test_a_killed_run_is_resumed(folder, tmp_path, name):
    words, kills = RESUMED[name]
    files = sorted(folder.glob("small*.csv"))[:4] if name == "classify" else sorted(folder.glob("data*.csv"))
    undisturbed = run(*words, *files, "--format", "json")
    assert undisturbed.returncode == 0, undisturbed.stderr
    start = time.monotonic()
    assert run(*words, *files, "--format", "json").returncode == 0
    takes = time.monotonic() - start

    record = tmp_path / "record.jsonl"
    again = [COMMAND, *words, *map(str, files), "--format", "json", "--resume", str(record)]
    moments, finished = random.Random(name), []
    for _ in range(kills):
        process = subprocess.Popen(again, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0, takes / 4))
        process.kill()
        process.wait()
        lines = [line for line in record.read_bytes().split(b"\n")[:-1] if line] if record.exists() else []
        whole = [line for line in lines if is_json(line)]
        # What was finished stays, and only a line that was being written is cut short.
        assert whole[: len(finished)] == finished
        assert len(lines) - len(whole) <= kills
        finished = whole
    ended = subprocess.run(again, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert ended.returncode == 0, ended.stderr
    assert without_times(json.loads(ended.stdout)) == without_times(json.loads(undisturbed.stdout))


def without_provenance(path):
    """What is in a file of an experiment, without how long it took to make."""
    text = path.read_text()
    return text.split("## Made by")[0] if path.suffix == ".md" else text


def numbers(folder):
    """The pages, tables and figures of an experiment by name, without the ground truth and its record: both hold times."""
    files = [path for path in folder.iterdir() if path.suffix in (".md", ".csv", ".svg") and path.name != "truth.csv"]
    return {path.name: without_provenance(path) for path in files}


def test_a_killed_experiment_is_continued(folder, tmp_path):
    files = sorted(folder.glob("small*.csv"))[:4]
    words = ["lab", "stability", "--datasets", *files, "-q", "--out"]
    undisturbed = run(*words, tmp_path / "undisturbed")
    assert undisturbed.returncode == 0, undisturbed.stderr
    start = time.monotonic()
    assert run(*words, tmp_path / "timed").returncode == 0
    takes = time.monotonic() - start
    expected = numbers(tmp_path / "undisturbed")
    assert numbers(tmp_path / "timed") == expected and "stability.md" in expected

    out, moments = tmp_path / "killed", random.Random("lab")
    for _ in range(12):
        process = subprocess.Popen(
            [COMMAND, *map(str, words), str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moments.uniform(0, takes))
        process.kill()
        process.wait()
        # A page or a table that is there is whole, whenever the run was killed.
        found = numbers(out) if out.exists() else {}
        assert all(found[name] == expected[name] for name in found.keys() - {"index.md"})
    ended = run(*words, out)
    assert ended.returncode == 0, ended.stderr
    assert numbers(out) == expected


def is_json(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def test_a_killed_stream_leaves_no_half_result(tmp_path):
    data, result = write_csv(tmp_path / "data.csv", 60_000, 1), tmp_path / "result.json"
    words = ["score", data, "--stream", "--memory", "16MB", "--measures", "ch_a", "--format", "json"]
    undisturbed = run(*words)
    assert undisturbed.returncode == 0, undisturbed.stderr
    moments = random.Random("stream")
    for _ in range(12):
        process = subprocess.Popen([COMMAND, *map(str, words), "-o", str(result)], stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0, 0.2))
        process.kill()
        process.wait()
        assert not result.exists() or without_times(json.loads(result.read_text())) == without_times(json.loads(undisturbed.stdout))
        result.unlink(missing_ok=True)
    # At most the unfinished neighbours of results, which say that they are.
    assert all(path.name == "data.csv" or path.suffix == ".tmp" for path in tmp_path.iterdir())


FULL = "/dev/full"


@pytest.mark.skipif(not os.path.exists(FULL), reason="the system has no device that is always full")
@pytest.mark.parametrize("words", [["score", "iris"], ["rank", "iris", "wine"], ["measures"], ["explain", "iris"]])
def test_a_full_disk_is_an_error(words):
    for options in ([], ["--format", "json"], ["--format", "json", "-o", FULL]):
        with open(FULL if not options or options[-1] != FULL else os.devnull, "w") as out:
            ended = subprocess.run(
                [COMMAND, *words, *options], stdout=out, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False
            )
        assert ended.returncode == 4, (options, ended)
        assert "No space left" in ended.stderr and "panicked" not in ended.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are those of Unix")
def test_a_file_that_may_not_grow_is_an_error(folder, tmp_path):
    import resource
    import signal

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    files = sorted(folder.glob("*.csv"))
    for words in (["-o", tmp_path / "result.json"], ["--resume", tmp_path / "record.jsonl"]):
        ended = run("rank", *files, "--format", "json", *words, preexec_fn=small)
        assert ended.returncode == 4 and "panicked" not in ended.stderr, ended
    assert not (tmp_path / "result.json").exists() or (tmp_path / "result.json").stat().st_size == 0


@pytest.mark.parametrize("what", ["truncated", "grown", "removed", "replaced"])
def test_a_file_that_changes_while_it_is_read(tmp_path, what):
    text = write_csv(tmp_path / "whole.csv", 60_000, 2).read_bytes()
    matrix = np.random.default_rng(3).normal(size=(200_000, 16))
    moments = random.Random(what)
    for name in ["data.csv", "points/data.npy"]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        for _ in range(6):
            if name.endswith("npy"):
                np.save(path, matrix)
                np.save(path.with_name("labels.npy"), np.arange(200_000) % 3)
            else:
                path.write_bytes(text)
            asked = path.parent if name.endswith("npy") else path
            process = subprocess.Popen(
                [COMMAND, "score", str(asked), "--measures", "ch_a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            time.sleep(moments.uniform(0, 0.06))
            if what == "truncated":
                os.truncate(path, path.stat().st_size // 3)
            elif what == "grown":
                with open(path, "ab") as file:
                    file.write(b"1.0,2.0,3.0,1\n" * 1000)
            elif what == "removed":
                path.unlink()
            else:
                path.with_name("other").write_bytes(b"a,b,label\n1,2,0\n")
                path.with_name("other").replace(path)
            _, errors = process.communicate(timeout=LIMIT)
            # A score of what was there, or an error in words: no signal, no panic.
            assert process.returncode in (0, 3), (process.returncode, errors)
            assert "panicked" not in errors


@pytest.mark.parametrize(
    "words",
    [
        ["score", "wine", "--measures", "all", "--ci", "--null", "19"],
        ["explain", "wine"],
        ["improve", "wine", "--draws", "200", "--budget", "60", "-o", "/dev/null"],
        ["compare", "wine", "wine"],
        ["truth", "iris", "--techniques", "kmeans,hdbscan,birch"],
        ["classify", "iris", "--quick"],
        ["demo", "--measures", "all"],
        ["rank", "iris", "wine", "moons", "--measures", "all"],
        ["score", "wine", "--measures", "clm,sc_a,di_a", "--approx", "0.05"],
    ],
    ids=lambda words: "-".join(words[:1] + [word[2:] for word in words if word.startswith("--approx")]),
)
def test_the_number_of_threads_changes_no_bit(words):
    results = []
    for threads in (1, 2, 3, 8):
        ended = run(*words, "--threads", threads, "--format", "json")
        assert ended.returncode == 0, ended.stderr
        results.append(without_times(json.loads(ended.stdout)))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("memory", ["16MB", "64MB"])
def test_the_number_of_threads_changes_no_bit_of_a_stream(tmp_path, memory):
    data = write_csv(tmp_path / "data.csv", 30_000, 5)
    results = []
    for threads in (1, 2, 3, 8):
        ended = run("score", data, "--stream", "--memory", memory, "--threads", threads, "--format", "json")
        assert ended.returncode == 0, ended.stderr
        results.append(without_times(json.loads(ended.stdout)))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("experiment", ["density", "stability", "within"])
def test_the_number_of_threads_changes_no_bit_of_an_experiment(folder, tmp_path, experiment):
    files = sorted(folder.glob("small*.csv"))[:4]
    results = []
    for threads in (1, 2, 3, 8):
        out = tmp_path / str(threads)
        ended = run("lab", experiment, "--datasets", *files, "-q", "--threads", threads, "--out", out)
        assert ended.returncode == 0, ended.stderr
        results.append(numbers(out))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(
    "words",
    [["report", "wine", "-o"], ["relabel", "one-label-several-clusters", "--split", "vehicle", "-o"]],
    ids=lambda words: words[0],
)
def test_the_number_of_threads_changes_no_byte_that_is_written(tmp_path, words):
    written = tmp_path / ("page.html" if words[0] == "report" else "repaired.csv")
    results = []
    for threads in (1, 2, 3, 8):
        ended = run(*words, written, "--threads", threads, "-q")
        assert ended.returncode == 0, ended.stderr
        results.append(written.read_bytes())
    assert all(result == results[0] for result in results)


def test_the_number_of_threads_changes_no_alarm(tmp_path):
    data = write_csv(tmp_path / "data.csv", 6_000, 6)
    results = []
    for threads in (1, 2, 3, 8):
        ended = run("watch", data, "--once", "--threads", threads, "--format", "json")
        assert ended.returncode == 0, ended.stderr
        results.append([without_times(json.loads(line)) for line in ended.stdout.splitlines()])
    assert len(results[0]) == 6 and all(result == results[0] for result in results)
