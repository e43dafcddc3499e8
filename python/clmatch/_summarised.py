"""Scores of data that were summarised."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

from ._input import table_of
from ._results import halves_of


class SummarisedEvaluation:
    """The scores of a dataset that was summarised. Made by ``Summary.finish``; can be pickled and compared.

    As ``Evaluation``, with what is exact and what is estimated instead of a verdict.
    """

    def __init__(self, result: dict[str, Any]) -> None:
        self._result = result

    @property
    def scores(self) -> dict[str, float]:
        """The value of each measure, by its id."""
        return self._by_measure("value")

    @property
    def errors(self) -> dict[str, float | None]:
        """Half the width of a 95% interval of each score: 0 where it is exact, None where no error is stated."""
        return self._by_measure("error")

    @property
    def exact(self) -> dict[str, bool]:
        """Whether each score is that of all rows, as it would be in memory."""
        return {one["measure"]: one["certainty"] == "exact" for one in self._result["scores"]}

    @property
    def certainty(self) -> dict[str, str]:
        """``exact``, ``estimated`` (see ``errors``) or ``at-most`` (the score of all rows lies between 0 and the value)."""
        return self._by_measure("certainty")

    @property
    def why(self) -> dict[str, str]:
        """Where each score comes from, in words."""
        return self._by_measure("why")

    @property
    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """Where the score of all rows lies (95%); None where no error is stated."""

        def interval(one: dict[str, Any]) -> tuple[float, float] | None:
            if one["certainty"] == "at-most":
                return (0.0, one["value"])
            if one["error"] is None:
                return None
            return (one["value"] - one["error"], one["value"] + one["error"])

        return {one["measure"]: interval(one) for one in self._result["scores"]}

    @property
    def terms(self) -> dict[str, Any] | None:
        """The halves of ``clm`` and their terms, if it was asked for: as ``Evaluation.terms``."""
        terms = self._result["terms"]
        return None if terms is None else halves_of(terms)

    @property
    def pairs(self) -> Any:
        """The values of each pair of classes: a DataFrame, or a list of dicts without pandas."""
        of_pairs = [one for one in self._result["scores"] if one["pairs"]]
        if not of_pairs:
            return table_of([])
        rows: list[dict[str, Any]] = []
        terms = self._result["pair_terms"] or []
        for at, ((a, in_a), (b, in_b)) in enumerate(combinations(self.sizes.items(), 2)):
            row: dict[str, Any] = {"a": a, "b": b, "points": in_a + in_b}
            row |= {one["measure"]: one["pairs"][at] for one in of_pairs}
            rows.append(row | (terms[at] if terms else {}))
        return table_of(rows)

    @property
    def points(self) -> int:
        """How many points were scored."""
        return int(self._result["points"])

    @property
    def sizes(self) -> dict[str, int]:
        """How many points each class has."""
        return dict(self._result["sizes"])

    @property
    def explanation(self) -> str:
        """How the scores were come by, in one sentence."""
        return str(self._result["explanation"])

    def to_dict(self) -> dict[str, Any]:
        """All of it, as numbers, texts, lists and dicts; infinite values are the text ``"inf"``."""
        copy: dict[str, Any] = json.loads(json.dumps(_finite(self._result)))
        return copy

    def _by_measure(self, what: str) -> dict[str, Any]:
        return {one["measure"]: one[what] for one in self._result["scores"]}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SummarisedEvaluation) and self._result == other._result

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        def text(one: dict[str, Any]) -> str:
            mark = {"exact": "=", "estimated": "~", "at-most": "<="}[one["certainty"]]
            stated = one["certainty"] == "estimated" and one["error"] is not None
            error = f"±{one['error']:.3f}" if stated else ""
            return f"{one['measure']}{mark}{one['value']:.3f}{error}"

        return f"<SummarisedEvaluation of {self.points} points: {', '.join(map(text, self._result['scores']))}>"


def _finite(value: Any) -> Any:
    """Infinite numbers as texts, which JSON has no other way to write."""
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return value
