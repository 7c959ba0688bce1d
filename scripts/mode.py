"""mode.py MODE [WORD...]: runs a mode of bench.sh: the package ecbench.MODE. bench.sh installs and builds what the mode needs first."""

import importlib
import sys


def main():
    """The exit code of the mode, to which sys.argv looks as if it were a program of its own."""
    mode = sys.argv.pop(1)
    return importlib.import_module(f"ecbench.{mode}.program").main()


if __name__ == "__main__":
    sys.exit(main())
