"""mode.py [--check] MODE [WORD...]: runs a mode. The program of a mode is in the package ecbench.MODE; the program of fplot is in
ecbench.bench. With --check, the arguments of the mode are checked and its needs are printed, but the mode does not run.

In a clone, front.py calls this script. An installed ecbench calls this script if its first argument is the name of a mode. front.py
checks the arguments before it installs Python packages. Therefore the check needs only Python's standard library."""

import signal
import sys

# The rest of this file, and all that it imports, may use newer syntax. This part must be valid in Python 3.6.
if sys.version_info < (3, 11):  # noqa: UP036
    sys.stderr.write("ecbench: the modes need Python 3.11 or newer; this is {}.{}.{} ({}): install a newer python3, or use the "
                     "bundle of ecbench, which contains Python\n".format(*sys.version_info[:3], sys.executable))
    sys.exit(1)

# Without this, Python prints a traceback after an interrupt at its start. The mode unblocks the signals when it can handle them.
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))

import contextlib
import gc
import importlib
import json
import logging
import os
import re
import types
import warnings

from ecbench.installation.places import FRONT, IS_BUNDLE, MEASURES_NOTHING, MEASURING, SCRIPTS, WAIT, as_called, given, version
from ecbench.process.process import ERRORS, end_unwritten, why
from ecbench.terminal.arguments import bytes_of
from ecbench.terminal.console import Refused, did_you_mean, one_of, say, width, wrapped_lines

# Modes until 1.0 → the command that replaces them.
RETIRED = {"site": "report DIRECTORY --output FILE.html", "share": "report --contribute RUN, or report --check RUN"}
RENAMED = {"sweep": "run", "contenders": "libraries"}  # a name until 1.0, which still works → the mode or experiment
PACKAGES = {"fplot": "bench"}  # a mode with the program of another
MODES = sorted([*PACKAGES, *(path.parent.name for path in SCRIPTS.glob("ecbench/*/program.py"))])
EXPERIMENTS = sorted(path.stem for path in SCRIPTS.glob("experiments/*.toml"))  # each is a command: run NAME

# The garbage collector searches for reference cycles after this number of new objects. The number is large, because parsed files
# become many Python objects without cycles.
GARBAGE = 200_000
OF_A_CODE = re.compile(r"([1-9]\d*)\+([1-9]\d*)")  # 8+3 4M: one screen about these k, m and object size
NOT_IN_BUNDLE = ("profile",)  # it needs profilers


def main() -> int:
    """Runs the mode and returns its exit code. The mode reads its arguments from sys.argv."""
    if sys.argv[1:2] == ["--check"]:
        print("\n".join(needs_of(sys.argv[2:])))
        return 0
    if sys.argv[1] == "--version":
        print(f"ecbench {version()}")
        return 0
    if sys.argv[1] == "help":
        text = as_called((SCRIPTS / "help.txt").read_text("utf-8")).rstrip("\n")
        print("\n".join(wrapped_lines(text, width())) if sys.stdout.isatty() else text)
        return 0
    program = loaded(sys.argv[1:])
    if sys.argv[1:] == ["--schema"] and hasattr(program, "schema"):
        print(json.dumps(program.schema(), indent=1))
        return 0
    return int(program.main())


def needs_of(words: list[str]) -> list[str]:
    """Checks the arguments of a mode. Returns the steps that the mode needs. Throws Refused."""
    program = loaded(words)
    words = sys.argv[1:]
    if words == ["--schema"]:
        return []
    program.read_arguments(words)
    needs = program.needs(words) if hasattr(program, "needs") else MEASURING
    return [need for need in needs if need != WAIT or not given(words, *MEASURES_NOTHING)]


def loaded(words: list[str]) -> types.ModuleType:
    """The program of the mode in `words`, whose arguments are then in sys.argv. Throws Refused if there is none."""
    code = OF_A_CODE.fullmatch(words[0])
    if code:
        sizes = [f"size={word}" if bytes_of(word) is not None else word for word in words[1:2]]
        words = ["run", "quick", f"k+m={code[0]}", f"erasures={code[2]}", *sizes, *words[2:]]
    mode, *rest = words
    gc.set_threshold(GARBAGE)
    mode = RENAMED.get(mode, mode)
    if mode in RETIRED:
        raise Refused(f"'{mode}' is not a mode any more; use {FRONT} {RETIRED[mode]}"
                      + (f"; {FRONT} run {mode} measures" if mode in EXPERIMENTS else ""))
    if mode in EXPERIMENTS and mode not in MODES:
        rest = rest if given(rest, "--resume") else [mode, *rest]  # the run knows its experiment
        mode = "run"
    if mode not in MODES:
        raise Refused(f"'{mode}' is not a mode of {FRONT}; choose {one_of([*MODES, 'help'])}, or an experiment: "
                      f"{', '.join(EXPERIMENTS)}{did_you_mean(mode, [*MODES, *EXPERIMENTS])}")
    if IS_BUNDLE and mode in NOT_IN_BUNDLE:
        raise Refused(f"mode {mode} is not part of the bundle; install the Debian package and run ecbench {mode}, or run "
                      f"./bench.sh {mode} in a clone of the repository")
    # The modes bench and fplot have one program; the first argument selects fplot.
    sys.argv = [sys.argv[0], *([mode] if mode == "fplot" else []), *rest]
    warnings.simplefilter("ignore")  # libraries print no warnings of their own, for example about glyphs
    logging.disable(logging.WARNING)
    return importlib.import_module(f"ecbench.{PACKAGES.get(mode, mode)}.program")


if __name__ == "__main__":
    if sys.stderr is None:  # closed; messages must not go to standard output instead
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    status = 0
    try:
        with contextlib.suppress(SystemExit):  # of argparse, after --help
            status = main()
        if sys.stdout is not None:
            sys.stdout.flush()
    except ERRORS as error:
        status = 1
        say(why(error))
        end_unwritten(error)
    try:
        sys.stderr.flush()
    except OSError:  # it cannot be written, for example because the disk is full; Python would end with exit code 120
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    sys.exit(status)
