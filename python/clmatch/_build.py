"""Looks whether this interpreter can load the native part, so that one that cannot is told why. Imported before all else."""

from __future__ import annotations

import sys
import sysconfig
from importlib.util import find_spec


def check(found: bool, free_threaded: bool) -> None:
    """Raises ``ImportError`` where the native part is missing."""
    if found:
        return
    if free_threaded:
        raise ImportError(
            "clmatch is built for the stable interface of Python, which free-threaded builds do not load: "
            f"use an ordinary build of Python 3.11 or newer (this is {sys.version})"
        )
    raise ImportError(
        "the native part of clmatch is missing: install the package with 'pip install .' in a checkout, "
        "or build it in place with 'maturin develop'"
    )


check(find_spec("clmatch._clmatch") is not None, bool(sysconfig.get_config_var("Py_GIL_DISABLED")))
