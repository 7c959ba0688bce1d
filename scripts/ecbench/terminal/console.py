"""What every mode of bench.sh says on standard error, and how it refuses what it cannot do."""

import os
import sys


class Refused(Exception):
    """Bad input: one line for the user, exit code 1."""


def ready_standard_output():
    """As ecbench's, whatever the locale: figures have a ±, and commands have paths, which are any bytes."""
    if sys.stdout is None:
        raise Refused("standard output is closed")
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")


def say(message):
    try:
        print(f"ecbench: {message}", file=sys.stderr, flush=True)
    except OSError:  # nobody to tell
        pass


def end_unwritten(message):
    """Ends the process with 1 where standard output takes no more: a usual end would try to write once more, and say so."""
    say(message)
    os._exit(1)
