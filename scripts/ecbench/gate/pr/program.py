"""bench.sh gate pr [BASE]: compares a change with its base by gate ir and by gate ab, and prints one verdict."""

import argparse
import sys
from collections.abc import Callable

from ecbench.charts.available import require
from ecbench.files.written_files import check_apart, check_writable, write
from ecbench.gate.ab import program as ab
from ecbench.gate.ab.gate_run import PAIRS
from ecbench.gate.ab.record import Record
from ecbench.gate.ab.verdict import THRESHOLD_PERCENT
from ecbench.gate.ir import output as ir_output
from ecbench.gate.ir import program as ir
from ecbench.gate.pr.base import base_of_this_change
from ecbench.gate.pr.result import Outcome, print_outcome, to_json, to_markdown
from ecbench.gate.sides import sides
from ecbench.gate.sides.points import DEFAULT_GRID, grid_file, read_lines
from ecbench.installation.places import OWN_BUILD
from ecbench.measure.lock import MachineLock
from ecbench.process.children import Child
from ecbench.profilers.profile_data import Unreadable
from ecbench.profilers.subject import Broken, demangler
from ecbench.terminal.arguments import cpu, percent, seed, whole
from ecbench.terminal.console import Refused, WrongBytes, say

FILES = ("json", "markdown", "svg")

DESCRIPTION = """Checks a change before it is merged. Compares the change with its base: first the instruction counts (gate ir),
then the speed (gate ab). Prints one verdict and one summary."""

EPILOG = """\
BASE is a git revision, a build directory or a plugin directory. By default, BASE is the newest commit that this branch has in
common with its target branch. If gate pr runs in CI for a merge request (GitLab) or a pull request (GitHub), the target branch is
the target branch of this request. Otherwise, the target branch is origin's main branch, or else the local main branch.

  bench.sh gate pr                                          compares build/ with the base of the change
  bench.sh gate pr HEAD~1 --markdown summary.md             compares build/ with HEAD~1, and writes the summary to summary.md
  bench.sh gate pr --codec-lib system ../isa-l/.libs        compares two builds of a codec library

Exit codes: 0 no regression; 1 bad input; 2 wrong bytes; 3 an instruction count grew beyond the tolerance, or gate ab found a
regression; 4 inconclusive (only with --require-conclusive); 130 after Ctrl-C."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description, parser.epilog = DESCRIPTION, EPILOG
    add = parser.add_argument
    add("base", nargs="?", metavar="BASE",
        help="the build without the change: a build directory, a plugin directory or a git revision")
    add("--build", metavar="DIR|REV", help="the build that is compared with BASE (default build/); with --codec-lib, the build "
                                           "that loads the libraries of OLD_DIR and of NEW_DIR")
    add("--codec-lib", nargs=2, metavar=("OLD_DIR", "NEW_DIR"),
        help=f"use no BASE: compare the codec libraries of OLD_DIR with those of NEW_DIR, both in the same build. "
             f"{sides.SYSTEM_HELP}")
    add("--grid", type=str.splitlines, default=[DEFAULT_GRID], metavar="GRID", help="as in gate ab (default scripts/grids/gate)")
    add("--native", nargs="?", const="differing", choices=("differing", "all", "only"), metavar="differing|all|only",
        help="as in gate ir")
    add("--threshold", type=percent, default=THRESHOLD_PERCENT, metavar="PERCENT", help="as in gate ab")
    add("--launches", type=whole(1, 1000), metavar="N", help="as in gate ab")
    add("--pairs", type=whole(2, 10000), default=PAIRS, metavar="N", help="as in gate ab")
    add("--require-conclusive", action="store_true", help="exit code 4 if points are inconclusive")
    add("--cpu", type=cpu, metavar="N", help="as in gate ab")
    add("--seed", type=seed, metavar="N", help="as in gate ab")
    add("--ecbench", metavar="PATH", help="if BASE or --build is a plugin directory: the ecbench program that loads the plugins")
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=("table", "json", "markdown"), default="table",
                       help="format of standard output: table (default), json (scripts/ecbench/gate/pr/result.schema.json), "
                            "markdown")
    group.add_argument("--json", metavar="FILE", help="also write the outcome to FILE, as JSON")
    group.add_argument("--markdown", metavar="FILE", help="write the summary to FILE, as Markdown; FILE can be "
                                                         "\"$GITHUB_STEP_SUMMARY\"")
    group.add_argument("--svg", metavar="FILE", help="write the forest plot of gate ab to FILE")


def check(arguments: argparse.Namespace) -> None:
    """Checks the arguments before anything is built. Throws Refused."""
    if arguments.base is not None and arguments.codec_lib:
        raise Refused("--codec-lib (compares libraries) is not allowed with BASE (compares builds); leave one out")
    for name, folder in zip(("OLD", "NEW"), arguments.codec_lib or (), strict=False):
        sides.check_codec_lib(name, folder)
    if arguments.base == "":
        raise Refused("BASE '' is not allowed; give a git revision, a build directory or a plugin directory, or leave BASE out")
    read_lines(arguments.grid, None)
    files = {f"--{name}": getattr(arguments, name) for name in FILES}
    check_writable(files)
    check_apart(files.items(), [("--grid", grid_file(arguments.grid)), ("--ecbench", arguments.ecbench)])
    if arguments.svg is not None:
        require("the forest plot of --svg")


def main(arguments: argparse.Namespace, child: Child) -> int:
    """Runs both checks and returns the exit code. Throws Refused and children.Interrupted."""
    with MachineLock():
        outcome = both(arguments, child)
    texts: dict[str, Callable[[], str]] = {"json": lambda: to_json(outcome), "markdown": lambda: to_markdown(outcome)}
    if arguments.format == "table":
        print_outcome(outcome, sys.stdout)
    else:
        sys.stdout.write(texts[arguments.format]())
    sys.stdout.flush()
    if arguments.svg is not None and outcome.ab:
        from ecbench.gate.ab.forest import forest
        texts["svg"] = lambda: forest(outcome.ab or {})
    for name, text in texts.items():
        if (path := getattr(arguments, name)) is not None:
            write(f"--{name}", path, text())
    return outcome.exit_code


def both(arguments: argparse.Namespace, child: Child) -> Outcome:
    """Runs gate ir and then gate ab. gate ab does not run if gate ir finds wrong bytes."""
    base = arguments.base
    if base is None and not arguments.codec_lib:
        base = base_of_this_change(child)
        say(f"BASE is {base[:12]}, the newest commit that this branch has in common with its target branch")
    build = arguments.build or str(OWN_BUILD)
    counted, result, wrong = None, None, None
    try:
        counted = ir.counted(argparse.Namespace(**{
            **vars(arguments), "points": [], "baseline": None, "update": False, "require_baseline": False, "against": base,
            "markdown": None, "json": None}), child)
        pair = [build if base is None else base, build]
        result = ab.compared(argparse.Namespace(**{
            **vars(arguments), "sides": pair, "go_module": None, "crate": None, "output": None, "markdown": None, "json": None,
            "svg": None}), child, Record(None))
    except WrongBytes as error:
        wrong = str(error)
        say(f"WRONG BYTES: {error}")
    except (Broken, Unreadable) as error:
        raise Refused(str(error)) from error
    readable = ir_output.readable_names(counted.verdicts, demangler(child)) if counted else {}
    return Outcome(counted, result, readable, wrong)
