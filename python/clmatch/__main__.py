"""The command ``clmatch``: ``python -m clmatch`` is the same."""

import signal
import sys

from ._clmatch import run_command


def main() -> int:
    """Runs the command with the words of the command line; returns its exit code."""
    # Python would only note Ctrl-C while native code runs. By default it ends the process; long commands handle it themselves.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["clmatch", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
