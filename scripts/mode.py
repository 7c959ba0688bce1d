"""mode.py [--check] MODE [WORD...]: runs a mode. The program of a mode is in the package ecbench.MODE; the program of bench is in
ecbench.fplot. With --check, the arguments of the mode are checked, but the mode does not run.

In a clone, bench.sh calls this script. An installed ecbench calls this script if its first argument is the name of a mode. bench.sh
checks the arguments before it installs Python packages. Therefore the check needs only Python's standard library."""

import importlib
import sys

from ecbench.installation.places import FRONT, IS_BUNDLE, SCRIPTS, as_called
from ecbench.process.end import check_arguments
from ecbench.terminal.console import say
from ecbench.terminal.suggestion import did_you_mean, one_of

MODES = sorted(["bench", *(path.parent.name for path in SCRIPTS.glob("ecbench/*/program.py"))])

NOT_IN_BUNDLE = ("profile", "report")  # profile needs profilers; report needs Python packages for charts


def main() -> int:
    """Runs the mode and returns its exit code. The mode reads its arguments from sys.argv."""
    checks_only = sys.argv[1:2] == ["--check"]
    if checks_only:
        sys.argv.pop(1)
    mode = sys.argv.pop(1)
    if mode == "help":
        print(as_called((SCRIPTS / "help.txt").read_text("utf-8")), end="")
        return 0
    if mode not in MODES:
        say(f"'{mode}' is not a mode of {FRONT}; choose {one_of([*MODES, 'help'])}{did_you_mean(mode, MODES)}")
        return 1
    if IS_BUNDLE and mode in NOT_IN_BUNDLE:
        say(f"mode {mode} is not part of the bundle; install the Debian package and run ecbench {mode}, or run ./bench.sh {mode} "
            "in a clone of the repository")
        return 1
    if mode == "fplot":  # the modes bench and fplot have one program; this argument selects fplot
        sys.argv.insert(1, mode)
    program = importlib.import_module(f"ecbench.{'fplot' if mode == 'bench' else mode}.program")
    return check_arguments(program.read_arguments, sys.argv[1:]) if checks_only else program.main()


if __name__ == "__main__":
    sys.exit(main())
