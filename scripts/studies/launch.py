"""What the scripts that measure ecbench itself share: they run a program again and again, and whatever is wrong with it ends
them with one line."""

import json
import shlex
import signal
import subprocess
import sys


def arguments(what, most):
    """The command line's, at least one and at most `most`. An interrupt ends the script without a word from now on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if not 1 <= len(sys.argv) - 1 <= most:
        fail(f"{sys.argv[0]}: give {what}")
    return sys.argv[1:]


def output_of(command):
    """What a program says on stdout and on stderr."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
    except OSError as error:
        fail(f"{command[0]} cannot be run: {error.strerror}")
    if result.returncode != 0:
        said = result.stderr.strip().splitlines()
        fail(f"{shlex.join(command)}: {said[-1].removeprefix('ecbench: ') if said else f'exit code {result.returncode}'}")
    return result.stdout, result.stderr


def row_of(command):
    """The row that ecbench prints as JSON, and what it says on stderr."""
    stdout, stderr = output_of([*command, "--format", "json"])
    try:
        return json.loads(stdout), stderr
    except ValueError:
        fail(f"{shlex.join(command)}: cannot read what it printed: {' '.join(stdout.split())[:200]}")


def fail(message):
    sys.exit(f"ecbench: {message}")
