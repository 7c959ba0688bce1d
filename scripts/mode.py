"""mode.py [--check] MODE [WORD...]: runs a mode of bench.sh, the package ecbench.MODE, or only checks its arguments. The check
needs only Python's standard library: bench.sh runs it before it installs and builds."""

import importlib
import pathlib
import sys

from ecbench.process.end import check_arguments
from ecbench.terminal.console import say
from ecbench.terminal.suggestion import did_you_mean, one_of

MODES = sorted(path.parent.name for path in pathlib.Path(__file__).parent.glob("ecbench/*/program.py"))


def main() -> int:
    """The exit code of the mode, which finds its own arguments in sys.argv."""
    checks_only = sys.argv[1:2] == ["--check"]
    if checks_only:
        sys.argv.pop(1)
    mode = sys.argv.pop(1)
    if mode not in MODES:
        say(f"'{mode}' is not a mode of bench.sh; choose {one_of([*MODES, 'help'])}{did_you_mean(mode, MODES)}")
        return 1
    program = importlib.import_module(f"ecbench.{mode}.program")
    return check_arguments(program.read_arguments, sys.argv[1:]) if checks_only else program.main()


if __name__ == "__main__":
    sys.exit(main())
