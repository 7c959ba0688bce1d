"""What every mode of bench.sh says on standard error, and how it refuses what it cannot do."""

import sys


class Refused(Exception):
    """Bad input: one line for the user, exit code 1."""


def say(message):
    try:
        print(f"ecbench: {message}", file=sys.stderr, flush=True)
    except OSError:  # nobody to tell
        pass
