"""Sides that take turns, rows that compare them, and values that must agree."""

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# Threads of every side unless it says otherwise.
THREADS = 2
# A side that has taken so many seconds gets no further turn.
BUDGET = 20.0
# A turn is so many runs: short jobs are the noisiest.
RUNS = 3
# Seconds after which a turn ends with the run it is at.
LONG = 1.0
# Lets threads that spin after their work go to sleep before the next side is timed.
PAUSE = 0.2


@dataclass
class Run:
    """Seconds of one run, and what it computed. A value without a name is the only one that a peer has."""

    seconds: float
    values: dict[str, float] = field(default_factory=dict)


@dataclass
class Side:
    """Something that is timed in turn with others."""

    name: str
    turn: Callable[[], list[Run]]
    threads: int = THREADS


def several(once):
    """A turn of a job that is over soon: some runs of it."""

    def turn():
        runs = []
        while len(runs) < RUNS and sum(run.seconds for run in runs) <= LONG:
            runs.append(once())
        return runs

    return turn


@dataclass
class Outcome:
    """All runs of a side, or why there are none."""

    runs: list[Run] = field(default_factory=list)
    why: str = "not run"

    @property
    def seconds(self):
        """Those of the quickest run."""
        return self.least(lambda run: run.seconds)

    def least(self, of):
        return min(map(of, self.runs)) if self.runs else self.why

    def most(self, name):
        return max(run.values[name] for run in self.runs) if self.runs else self.why

    def value(self, name):
        """What was computed, or nothing."""
        values = self.runs[0].values if self.runs else {}
        return values.get(name, values.get(""))


def contest(sides, rounds, say=print, pause=PAUSE):
    """Lets sides take turns; returns their outcomes, and each single time as (side, threads, round, seconds)."""
    outcomes, times = [Outcome() for _ in sides], []
    for round in range(rounds):
        for side, outcome in zip(sides, outcomes, strict=True):
            failed = round > 0 and not outcome.runs
            if failed or sum(run.seconds for run in outcome.runs) > BUDGET:
                continue
            time.sleep(pause)
            try:
                runs = side.turn()
            except Exception as error:  # a peer may fail in any way
                outcome.why = f"{type(error).__name__}: {error}".replace("\n", " ")
                say(f"  {side.name}: {outcome.why}")
                continue
            outcome.runs += runs
            times += [(side.name, side.threads, round, run.seconds) for run in runs]
            if round == 0:
                say(f"  {side.name}: {outcome.seconds:.3e} s")
    return outcomes, times


def at_least(bar):
    """The other side's amount is at least so many times ours."""
    return ("≥", bar)


def at_most(bar):
    """Our amount is at most so many times the other side's."""
    return ("≤", bar)


@dataclass
class Row:
    """Ours against something else. An amount is a number, or the reason why there is none."""

    workload: str
    ours: float | str
    against: str
    theirs: float | str
    bar: tuple[str, float] | None = None
    unit: str = "s"

    @property
    def ratio(self):
        """How many times the other side's amount is ours, or ours the other's where the bar is a ceiling."""
        if isinstance(self.ours, str) or isinstance(self.theirs, str):
            return None
        above, below = (self.ours, self.theirs) if self.bar and self.bar[0] == "≤" else (self.theirs, self.ours)
        return above / below if below else math.copysign(math.inf, above) if above else 0.0

    @property
    def met(self):
        """Whether the bar is met; nothing where there is none or a side is missing."""
        if self.bar is None or self.ratio is None:
            return None
        sign, bar = self.bar
        return self.ratio >= bar if sign == "≥" else self.ratio <= bar

    def cells(self):
        bar = f"{self.bar[0]} {self.bar[1]:g}" if self.bar else "-"
        met = {None: "not measured" if self.bar else "-", True: "yes", False: "no"}[self.met]
        amounts = shown(self.ours, self.unit), shown(self.theirs, self.unit)
        return [self.workload, amounts[0], self.against, amounts[1], short(self.ratio), bar, met]


def shown(amount, unit):
    if isinstance(amount, str):
        return f"none: {amount}".replace("|", "/")
    if unit == "s":
        return f"{amount * 1e3:.2f} ms" if amount < 1 else f"{amount:.2f} s"
    return f"{amount / 1e6:.0f} MB" if unit == "bytes" else f"{amount:g}"


def short(number):
    """Three digits."""
    if number is None:
        return "-"
    size = abs(number)
    return f"{number:.{3 if size < 0.995 else 2 if size < 9.995 else 1 if size < 99.95 else 0}f}"


@dataclass
class Agreement:
    """A value that two sides computed; one that could not be computed is missing."""

    what: str
    ours: float | None
    theirs: float | None
    tolerance: float

    @property
    def difference(self):
        if self.ours is None or self.theirs is None:
            return None
        if self.ours == self.theirs:
            return 0.0
        return abs(self.ours - self.theirs) / max(abs(self.ours), abs(self.theirs))

    @property
    def holds(self):
        """A peer that cannot be installed proves nothing; our own value must be there."""
        return self.ours is not None and (self.difference is None or self.difference <= self.tolerance)

    def cells(self):
        values = ("missing" if value is None else f"{value:.12f}" for value in (self.ours, self.theirs))
        difference = "missing" if self.difference is None else f"{self.difference:.1e}"
        agrees = "NO" if not self.holds else "yes" if self.theirs is not None else "not compared"
        return [self.what, *values, difference, f"{self.tolerance:.0e}", agrees]


def markdown(head, lines):
    """A Markdown table with aligned columns."""
    widths = [max(len(cell) for cell in column) for column in zip(head, *lines, strict=True)]
    table = [head, ["-" * width for width in widths], *lines]
    text = ("| " + " | ".join(map(str.ljust, line, widths)) + " |\n" for line in table)
    return "".join(text)


class Bench:
    """What was asked for, and what was found so far."""

    def __init__(self, quick=False, small=False):
        self.rounds = 1 if quick else 7
        self.small = small
        self.rows, self.agreements, self.limits, self.times = [], [], [], []

    def rows_of(self, workload):
        """How many points of a workload are generated."""
        return workload.rows // 10 if self.small else workload.rows

    def contest(self, *sides, rounds=7):
        outcomes, times = contest(sides, min(rounds, self.rounds))
        self.times += times
        sys.stdout.flush()
        return outcomes

    def row(self, workload, ours, against, theirs, bar=None, unit="s"):
        ours, theirs = (side.seconds if isinstance(side, Outcome) else side for side in (ours, theirs))
        self.rows.append(Row(workload, ours, against, theirs, bar, unit))

    def agree(self, what, name, ours, theirs, tolerance):
        self.agreements.append(Agreement(f"{name}, {what}", ours.value(name), theirs.value(name), tolerance))

    def limit(self, what, amount, unit, outcome):
        """A limit of the machine: an amount of something in the seconds of an outcome."""
        seconds = outcome.seconds
        self.limits.append([what, seconds if isinstance(seconds, str) else f"{short(amount / seconds)} {unit}"])

    def report(self):
        """The table and what belongs to it."""
        text = (
            "\nA bar `≥ x` asks that the other side takes at least x times our time, `≤ x` that we take at most x times what the "
            "other side takes; the ratio is read the same way. Rows without a bar are for information.\n\n"
        )
        text += markdown(["workload", "ours", "against", "theirs", "ratio", "bar", "met"], [row.cells() for row in self.rows])
        met, bars = sum(row.met is True for row in self.rows), sum(row.bar is not None for row in self.rows)
        text += "\nA tenth of the points: the bars do not apply.\n" if self.small else f"\n{met} of {bars} bars met.\n"
        if self.limits:
            text += "\n## Limits of the machine\n\n" + markdown(["limit", "measured"], self.limits)
        if self.agreements:
            head = ["value", "ours", "other", "relative difference", "allowed", "agrees"]
            text += "\n## Agreement of the values\n\n" + markdown(head, [each.cells() for each in self.agreements])
        return text
