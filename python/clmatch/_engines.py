"""What all engines share: settings, and how many summaries are merged at once."""

from __future__ import annotations

from typing import Any

from ._summary import settings_of

MERGED_AT_ONCE = 8
_DEFAULTS: dict[str, Any] = {
    "measures": None,
    "scale": "max-abs",
    "noise": None,
    "singletons": "error",
    "sample": 4096,
    "memory": 2**28,
    "random_state": None,
}


def engine_settings(options: dict[str, Any]) -> dict[str, Any]:
    """The settings of all summaries; which rows they have and how many threads they use is not for the caller to say."""
    unknown = sorted(set(options) - set(_DEFAULTS))
    if unknown:
        raise TypeError(f"score() got an unexpected keyword argument {unknown[0]!r}")
    return settings_of(**(_DEFAULTS | options))
