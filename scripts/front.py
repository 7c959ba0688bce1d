"""front.py WORD...: bench.sh calls it. Checks the words, installs and builds what the mode needs (installation/places.py), and
starts mode.py. Wrong words are refused before anything is installed or built."""

import argparse
import math
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable

import mode  # before ecbench: it ends with a message if Python is too old

# isort: split
import build

# isort: split
from ecbench.files.files import FREE
from ecbench.installation.places import CHARTS, OWN_BUILD, SCRIPTS, given
from ecbench.measure.machine import WAITED, machine_lock
from ecbench.process.process import SIGNALS, Child, Interrupted, run_to_the_end
from ecbench.terminal.arguments import budget_seconds
from ecbench.terminal.console import Refused, refusing

DOING = {"install": "while installing packages", "wait": "while waiting for another measurement", "build": "while building",
         "try": "while building"}
OF_BENCH = ("--resume", "--output", "--budget")  # bench is the mode if the first word is one of these or KEY=VALUE
COMMAND = re.compile(r"(--[a-z]+)(=.*)?", re.DOTALL)


def main(child: Child) -> int:
    """Returns an exit code, if the mode is not started."""
    words = sys.argv[1:]
    first = words[0] if words else "bench"
    option = COMMAND.fullmatch(first)
    if not words or (option and option[1] in OF_BENCH) or (not option and "=" in first):
        words = ["bench", *words]
    if first in ("-h", "--help", "help"):
        words = ["help"]
    if words[0] not in ("help", "--version") and not given(words, "-h", "--help"):
        words = keep_pipes(words, child)
        needs, own = mode.needs_of(words), argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        own.add_argument("--budget", type=budget_seconds, default=math.inf)
        prepare(needs, child, own.parse_known_args(words)[0].budget)
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # the mode unblocks them
    child.check()
    os.execv(sys.executable, [sys.executable, "-E", "-s", str(SCRIPTS / "mode.py"), *words])


def prepare(steps: Iterable[str], child: Child, budget: float) -> None:
    """Takes the steps, and waits at most `budget` seconds. Throws Interrupted, with what was interrupted, and Refused. Ends the
    program if a step fails."""
    doing = "before the start"
    try:
        child.check()
        is_built = False
        for step in steps:
            kind, _, what = step.partition(" ")
            doing = DOING[kind]
            if kind == "install":
                # In the foreground: it asks the user for permission, and sudo asks for the password. A signal that only this
                # process gets does not stop apt-get.
                command = [str(SCRIPTS / "install-deps.sh"), *what.split()]
                code = subprocess.run(command, stdout=2, check=False).returncode
                child.check()
                if code and step != CHARTS:  # without the library of pages, the mode prints its text, and a line about the page
                    sys.exit(code)
            elif kind == "wait":  # a build would disturb the measurement
                begin = time.monotonic()
                with machine_lock(child, budget):
                    os.environ[WAITED] = str(time.monotonic() - begin)
            else:
                may_fail = ["MAY_FAIL=1"] if kind == "try" else []
                if child.run_shown(["make", "-C", str(SCRIPTS.parent), "--no-print-directory", *may_fail, what]) and not may_fail:
                    sys.exit(1)  # the exit code of make is 2, which would mean wrong bytes
                is_built |= not may_fail
        if is_built:  # after the last build, which would wait for this lock
            doing = "while waiting for another build"
            lock = build.lock_directory(OWN_BUILD, True, child.check)
            if lock is not None:
                os.set_inheritable(lock, True)
    except Interrupted as interrupt:
        raise Interrupted(interrupt.signal, f"interrupted {doing}") from None
    except FileNotFoundError as error:
        raise Refused(f"{error.filename}, which bench.sh needs, is not on PATH ({os.environ.get('PATH', '')}): install the package "
                      f"{error.filename}, or add its directory to PATH") from error


def keep_pipes(words: list[str], child: Child) -> list[str]:
    """The grid of gate and the experiment of run are read several times: before the build (to check them), and for the measurement.
    But a pipe, such as <(command), can be read only once. Therefore a pipe is copied to a temporary file without a name, and its
    word becomes /dev/fd/N."""
    kept = []
    for before, word in zip(["", *words], words, strict=False):
        path = word.removeprefix("--grid=")
        may_be_file = before == "--grid" or word != path or mode.RENAMED.get(words[0], words[0]) == "run"
        if may_be_file and re.fullmatch("/dev/(fd/[0-9]+|stdin)", path) and pathlib.Path(path).is_fifo():
            word = f"{word.removesuffix(path)}/dev/fd/{copied(path, child)}"
        kept.append(word)
    return kept


def copied(path: str, child: Child) -> int:
    with refusing(f"the grid cannot be copied to the temporary directory {tempfile.gettempdir()}", FREE):
        copy = tempfile.TemporaryFile()
        with open(path, "rb", buffering=0) as pipe:
            while True:
                child.check()
                if select.select([pipe], [], [], 0.1)[0]:
                    part = pipe.read(1 << 20)
                    if not part:
                        break
                    copy.write(part)
        copy.flush()
    descriptor = os.dup(copy.fileno())
    os.set_inheritable(descriptor, True)
    return descriptor


if __name__ == "__main__":
    sys.exit(run_to_the_end(main, "interrupted before the start"))
