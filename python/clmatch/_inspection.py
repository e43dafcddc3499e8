"""How a file is understood, and the arguments that read it."""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import Any

from . import _clmatch
from ._data import reading
from ._input import name_of, table_of
from ._results import Result, html_table
from ._work import visible


class Inspection(Result):
    """How a file is understood: its columns, what they are used as, and the arguments that read it. Made by ``inspect``."""

    def __init__(self, result: dict[str, Any], path: str, given: dict[str, Any]) -> None:
        super().__init__(result)
        self._path = path
        self._given = given

    @property
    def columns(self) -> list[dict[str, Any]]:
        """A dict for each column: name, index, type, examples, first (cells), distinct, missing (a share), role and why."""
        return [dict(column) for column in self._result["columns"]]

    @property
    def first_rows(self) -> list[dict[str, str]]:
        """The cells of the first rows by column; empty where rows were not read in their order."""
        columns = [(column["name"], column["first"]) for column in self._result["columns"]]
        count = max((len(cells) for _, cells in columns), default=0)
        return [{name: cells[row] if row < len(cells) else "" for name, cells in columns} for row in range(count)]

    @property
    def notes(self) -> list[str]:
        """What was noticed or done while reading, such as lines that were left out."""
        return list(self._result["notes"])

    @property
    def label(self) -> str | None:
        """The column with the labels, if there is one."""
        origin = self._result.get("label")
        return None if origin is None else str(origin["name"])

    @property
    def rows_seen(self) -> int:
        """How many rows were examined for examples, different values and missing values."""
        return int(self._result["rows_seen"])

    @property
    def size(self) -> dict[str, int] | None:
        """Rows, points, features and classes with ``options``; ``None`` if the file cannot be read so that it can be scored."""
        points = self._result.get("points")
        return None if points is None else dict(points)

    @property
    def refused(self) -> str | None:
        """Why the file is refused with the options as given."""
        refused = self._result.get("refused")
        return None if refused is None else str(refused)

    @property
    def obstacle(self) -> str | None:
        """What is in the way, if no options help."""
        obstacle = self._result.get("obstacle")
        if obstacle is None:
            return None
        return "; ".join(filter(None, (obstacle["what"], obstacle.get("help"))))

    @property
    def options(self) -> dict[str, Any]:
        """The arguments with which ``read`` and ``rank`` read the file, those that were given included."""
        found = {setting["name"]: setting["value"] for setting in self._result["settings"]}
        found.pop("singletons", None)
        return {**self._given, **found}

    @property
    def singletons(self) -> str:
        """``"drop"`` if there are classes of a single point, which have to be left out where the dataset is scored."""
        drops = any(setting["name"] == "singletons" for setting in self._result["settings"])
        return "drop" if drops else "error"

    @property
    def command(self) -> str | None:
        """The call that reads the file; ``None`` if there is none."""
        if self.size is None:
            return None
        words = [repr(self._path), *(f"{name}={value!r}" for name, value in self.options.items())]
        return f"clmatch.read({', '.join(words)})"

    def to_frame(self) -> Any:
        """The columns as a pandas.DataFrame, or a list of dicts without pandas."""
        return table_of(self.columns, "name", "index", "type", "examples", "distinct", "missing", "role", "why")

    def _rows(self) -> list[list[str]]:
        return [
            [
                column["name"],
                column["type"],
                ", ".join(column["examples"]),
                str(column["distinct"]),
                f"{column['missing']:.0%}" if column["missing"] else "",
                column["role"],
                column["why"] or "",
            ]
            for column in self.columns
        ]

    def _lines(self) -> list[str]:
        size, lines = self.size, [str(self._result["dataset"])]
        if size is not None:
            used = "" if size["points"] == size["rows"] else f" of {size['rows']} rows"
            counts = f"{size['points']} points{used}, {size['features']} features, {size['classes']} classes"
            lines = [f"{lines[0]}: {counts}"]
        lines += [f"note: {note}" for note in self.notes]
        lines += [self.obstacle] if self.obstacle is not None else []
        return [visible(line) for line in lines]

    def __str__(self) -> str:
        rows = [list(_TITLES), *([visible(cell) for cell in row] for row in self._rows())]
        widths = [max(len(row[at]) for row in rows) for at in range(len(_TITLES))]
        table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        command = [] if self.command is None else [self.command]
        return "\n".join([*self._lines(), *(table if len(rows) > 1 else []), *command])

    def __repr__(self) -> str:
        return visible(f"<Inspection {self._result['dataset']}: {len(self.columns)} columns, label {self.label}>")

    def _repr_html_(self) -> str:
        from html import escape

        command = "" if self.command is None else f"<pre>{escape(self.command)}</pre>"
        lines = "".join(f"<p>{escape(line)}</p>" for line in self._lines())
        return lines + html_table(_TITLES, self._rows()) + command


_TITLES = ("column", "type", "examples", "distinct", "missing", "role", "why")


def inspect(
    path: str | PathLike[str], *, noise: object = None, singletons: str = "error", **options: Any
) -> Inspection:
    """Shows how a file is understood: its columns, what they are used as and why, and the arguments that read it.

    A file that is refused is read again with other options until nothing is in the way, so the arguments have been tried.

    Parameters
    ----------
    path : str or path-like
        A file or folder with one dataset, or a name such as ``"iris"``.
    noise : object
        The label of points that are left out as noise.
    singletons : {"error", "drop"}
        What becomes of classes of a single point.
    **options
        Options of ``read``.

    Examples
    --------
    >>> import clmatch
    >>> found = clmatch.inspect("iris")
    >>> found.label, [column["role"] for column in found.columns]
    ('class', ['feature', 'feature', 'feature', 'feature', 'label'])
    >>> found.command
    "clmatch.read('iris')"
    """
    if singletons not in ("error", "drop"):
        raise ValueError(f"singletons must be 'error' or 'drop', got {singletons!r}")
    text = None if noise is None else name_of(noise)
    found = _clmatch.inspect(path, reading(options), text, singletons == "drop")
    return Inspection(json.loads(found), str(fspath(path)), dict(options))
