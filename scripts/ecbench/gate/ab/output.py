"""Where the outcome of a gate ab run goes: to standard output in one form, and to the files that were asked for."""

import json
import os

from ecbench.charts.available import require
from ecbench.files.written_files import check_apart, check_writable, write
from ecbench.gate.ab.markdown import summary
from ecbench.gate.ab.table import print_table

FILES = ("json", "markdown", "svg")


def add_arguments(parser):
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=("table", "json", "markdown"), default="table",
                       help="of standard output: table (default), json (scripts/ecbench/gate/ab/result.schema.json), markdown")
    group.add_argument("--json", metavar="FILE", help="writes the outcome as JSON there too")
    group.add_argument("--markdown", metavar="FILE", help="writes a summary for a pull request, such as \"$GITHUB_STEP_SUMMARY\"")
    group.add_argument("--svg", metavar="FILE", help="writes the forest plot; the Markdown then shows it")


def check(arguments, others=None, inputs=()):
    """Throws Refused where a file could not be written, or is one of the `inputs`, which are pairs of a name and a path, before a
    minute is spent on what goes into it. `others`: option → path of the files that the gate has beside these."""
    files = {f"--{name}": getattr(arguments, name) for name in FILES}
    check_writable(files, others)
    check_apart([*files.items(), *(others or {}).items()], inputs)
    if arguments.svg is not None:
        require("the forest plot of --svg")


def show(result, arguments, out):
    """Throws OSError where `out` takes no more, and Refused where a file does not."""
    if arguments.format == "json":
        out.write(as_json(result))
    elif arguments.format == "markdown":
        out.write(summary(result, picture(arguments, None)))
    else:
        print_table(result, out)
    out.flush()
    if arguments.svg is not None:
        from ecbench.gate.ab.forest import forest
        write("--svg", arguments.svg, forest(result))
    if arguments.json is not None:
        write("--json", arguments.json, as_json(result))
    if arguments.markdown is not None:
        write("--markdown", arguments.markdown, summary(result, picture(arguments, arguments.markdown)))


def as_json(result):
    return json.dumps(result, indent=1, ensure_ascii=False) + "\n"


def picture(arguments, markdown):
    """The forest plot's path as seen from the Markdown; from here, where that goes to standard output."""
    if arguments.svg is None:
        return None
    folder = os.path.dirname(os.path.abspath(markdown)) if markdown else os.getcwd()
    return os.path.relpath(os.path.abspath(arguments.svg), folder)
