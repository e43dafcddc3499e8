"""What people see on a terminal of 80 columns: nothing wraps, nothing stays behind."""

import csv
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

import pytest

from conftest import COMMAND, blobs

COLUMNS = 80
PATIENCE = 120


class Screen:
    """A terminal with endless height, as far as the command uses one: text, new lines, and erasing a line."""

    def __init__(self):
        self.lines, self.row, self.column, self.widest = [[]], 0, 0, 0

    def feed(self, text):
        for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", text, flags=re.DOTALL):
            if piece == "\r":
                self.column = 0
            elif piece == "\n":
                self.row += 1
                while len(self.lines) <= self.row:
                    self.lines.append([])
            elif piece.endswith("K") and piece.startswith("\x1b"):
                self.lines[self.row] = [] if piece == "\x1b[2K" else self.lines[self.row][: self.column]
            elif piece.endswith("A") and piece.startswith("\x1b"):
                self.row -= int(piece[2:-1] or 1)
            elif not piece.startswith("\x1b"):
                line = self.lines[self.row]
                line.extend(" " * (self.column + 1 - len(line)))
                line[self.column] = piece
                self.column += 1
                self.widest = max(self.widest, len("".join(line).rstrip()))

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.lines).rstrip("\n")


def on_terminal(words, folder, until=None, then=b"", columns=COLUMNS):
    """Runs the command on a terminal; once it has shown `until`, types `then`. Returns what was written, and the exit code."""
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [COMMAND, *words],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        cwd=folder,
        env=environment,
        start_new_session=True,
        # Ctrl-C reaches the process whose terminal this is.
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(inside)
    written, deadline = "", time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not data:
            break
        written += data.decode(errors="replace")
        if until is not None and until in written:
            until = None
            os.write(terminal, then)
    else:
        process.kill()
    os.close(terminal)
    return written, process.wait()


def shown(written):
    screen = Screen()
    screen.feed(written)
    return screen


def write(path, points, labels):
    rows = [",".join([*map(str, row), f"class {label}"]) for row, label in zip(points, labels)]
    titles = ",".join([*(f"f{at}" for at in range(points.shape[1])), "label"])
    path.write_text("\n".join([titles, *rows]) + "\n")


@pytest.fixture
def folder(tmp_path):
    for seed, name in enumerate(["short", "a-name-of-a-dataset-that-takes-nearly-half-of-the-screen"]):
        write(tmp_path / f"{name}.csv", *blobs(seed, 4, 300, 12, 2.0))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["rank", "."],
        ["rank", ".", "--measures", "all"],
        ["score", "short.csv"],
        ["truth", ".", "--techniques", "kmedoids,hdbscan,agglo_average"],
        ["measures"],
        ["catalogue"],
        ["catalogue", "--classes", "100.."],
        ["demo"],
        ["score", "no-such-file-with-a-name-that-is-longer-than-it-should-be/and-a-folder.csv"],
        ["improve", "short.csv", "-o", "out.csv", "--budget", "2"],
    ],
    ids=" ".join,
)
def test_nothing_wraps_and_no_progress_stays(folder, words):
    written, _ = on_terminal(words, folder)
    screen = shown(written)
    assert screen.widest <= COLUMNS, screen.text()
    assert " left" not in screen.text() and "\u2591" not in screen.text() and "\u2588" not in screen.text(), screen.text()


def test_tables_name_the_columns_that_have_no_room(folder):
    text = shown(on_terminal(["rank", ".", "--measures", "all"], folder)[0]).text()
    assert re.search(r"^\(not shown at this width: points, features, classes, .*sc\)$", text, flags=re.MULTILINE | re.DOTALL), text
    wide = shown(on_terminal(["rank", ".", "--measures", "all"], folder, columns=250)[0]).text()
    assert "no room" not in wide


def test_words_are_not_broken(folder):
    text = shown(on_terminal(["score", "short.csv", "--noise", "-9"], folder, columns=40)[0]).text()
    sentence = "warning: no point is labelled '-9'"
    assert sentence in text
    long = shown(on_terminal(["catalogue", "--classes", "100.."], folder, columns=40)[0]).text()
    expected = r"warning: none of the \d+ catalogued datasets matches; they have \d+ to \d+ classes, \d+ to \d+ points and \d+ to \d+ features"
    assert re.fullmatch(expected, " ".join(long.split())), long
    assert all(len(line) <= 40 for line in long.splitlines())


def test_no_time_is_told_before_anything_is_done(tmp_path):
    # Enough work for a bar, which shows after a second.
    for seed, name in enumerate(["short", "another"]):
        write(tmp_path / f"{name}.csv", *blobs(seed, 4, 1800, 12, 2.0))
    written, code = on_terminal(["truth", ".", "--techniques", "kmedoids,hdbscan"], tmp_path)
    assert code == 0
    frames = [frame for frame in re.split(r"\r|\n|\x1b\[2K", written) if " of 2 datasets" in frame]
    before = [frame for frame in frames if "0 of 2 datasets" in frame]
    after = [frame for frame in frames if "1 of 2 datasets" in frame]
    assert before and " left" not in before[0], before
    # A full bar, while the last of the work goes on, tells no time rather than none left.
    assert not any(re.search(r"\b0s left", frame) for frame in frames), frames
    assert any(" left, " in frame for frame in after), after
    assert all(" left, " in frame for frame in after if "\u2591" in frame), after


@pytest.mark.parametrize("presses", [1, 2])
def test_nothing_stays_behind_after_ctrl_c(tmp_path, presses):
    name = "a-dataset-that-is-slow-and-has-a-name-as-long-as-the-screen-is-wide-so-that-it-must-be-cut.csv"
    write(tmp_path / name, *blobs(1, 6, 2500, 30, 0.5))
    words = ["truth", name]
    written, code = on_terminal(words, tmp_path, until="a-dataset-that-is-slow", then=b"\x03" * presses)
    text = shown(written).text()
    assert code == 130, text
    assert "datasets" not in text.replace("1 dataset was not finished", ""), text
    assert "\u2591" not in text and "\u2588" not in text, text
    if presses == 1:
        assert "interrupted: 1 dataset was not finished" in text
        assert not text.startswith("^C") or "\n" in text


def test_colours_on_a_terminal(folder):
    assert "\x1b[1m" in on_terminal(["score", "short.csv"], folder)[0]
    assert "\x1b[1m" not in on_terminal(["score", "short.csv", "--color", "never"], folder)[0]


HOSTILE = ["\x1b[35mred\x1b[2J\x07", "b\r\nverdict: forged", "\u202etif", "long " * 1000, "x" * 5000]


@pytest.mark.parametrize(
    "words",
    [
        ["score", "names.csv"],
        ["score", "names.csv", "--format", "csv"],
        ["score", "names.csv", "--format", "json"],
        ["explain", "names.csv"],
        ["explain", "names.csv", "--format", "csv"],
        ["rank", "."],
        ["truth", "names.csv", "--techniques", "kmedoids"],
        ["relabel", "names.csv", "-o", "out.csv", "--drop-rows", "1"],
        ["score", "names.csv", "--label", "x" * 3000],
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_names_neither_act_nor_fill_the_screen(tmp_path, words):
    points, labels = blobs(0, 5, 200, 3, 2.0)
    with open(tmp_path / "names.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["a", "b", "c", "label"])
        rows.writerows([*row, HOSTILE[label]] for row, label in zip(points.tolist(), labels))
    written, _ = on_terminal(words, tmp_path)
    ours = re.sub(r"\x1b\[[0-9;?]*[mKAhl]", "", written.replace("\r\n", "\n"))
    assert "\x1b[35m" not in written and "\u202e" not in written
    assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]", ours), ours
    text = shown(written).text()
    assert not re.search(r"^\s*verdict: forged", text, flags=re.MULTILINE) or "--format" in words, text
    if "--format" not in words:
        assert len(text) < 12_000, len(text)
