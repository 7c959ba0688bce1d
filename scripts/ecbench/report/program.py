"""bench.sh report RUN...: writes an HTML page about run files and a Markdown summary, or prints figures for other tools. Exit
codes: 0; 1 for bad input, or if a run has no figure; with --format, 2 after wrong bytes; 128 + the signal's number."""

import argparse
import json
import os
import pathlib
import sys

from ecbench.charts.available import drawing
from ecbench.comparison.comparison import exit_code
from ecbench.comparison.questions import SELECT
from ecbench.files.input_file import open_input
from ecbench.files.written_files import check_apart, check_replaceable, write_all
from ecbench.installation.needs import CHARTS
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.report import adapters
from ecbench.report.adapters import FORMATS
from ecbench.report.axes import PACKETSIZE, TECHNIQUE, Axes
from ecbench.runfile.lines import stem_of
from ecbench.runfile.run_file import read_planned_run
from ecbench.runfile.summary import summarize
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain
from ecbench.terminal.progress import Progress

QUESTION = SELECT
# Each page and each summary contains such a mark near its beginning. An existing file is overwritten only if it contains the mark.
PAGE_MARK, SUMMARY_MARK = '<meta name="generator" content="ecbench report">', "<!-- ecbench report -->"

HELP = """Writes an HTML page about run files, such as those of bench.sh run. The page shows the fastest profile for each
workload, heat maps with techniques and packetsizes, line charts, a sortable table, the environment and the raw data. The page
needs no other files. A summary in Markdown is written to the same directory. Several runs are shown side by side. Runs are never
averaged."""


def needs(_words: list[str]) -> list[str]:
    return [CHARTS]


def read_arguments(words: list[str]) -> argparse.Namespace:
    parser = Parser(mode="report", description=HELP, examples="bench.sh report results/MACHINE/RUN.jsonl")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="a run file, results/<machine>/<run>.jsonl or .jsonl.gz")
    parser.add_argument("--output", metavar="FILE", type=pathlib.Path,
                        help="the path of the page, which must end in .html (default: a file in the directory of the first "
                             "RUN; for a single RUN, the path of RUN with .html instead of .jsonl or .jsonl.gz)")
    for option, default, what in (("--rows", PACKETSIZE, "the rows of the heat maps"),
                                  ("--columns", TECHNIQUE, "the columns of the heat maps"),
                                  ("--x", "", "the x axis of the line charts (default: line charts for each numeric axis except "
                                              "k, m, erasures)")):
        parser.add_argument(option, metavar="AXIS", default=default,
                            help=f"{what}{f' (default {default})' if default else ''}; AXIS is a property that has several values "
                                 "in the runs: packetsize, technique, size, stripe-unit, k, m, w, ...")
    parser.add_argument("--format", metavar="FORMAT", choices=("page", *FORMATS), default="page",
                        help="page (default); bmf (Bencher), customBiggerIsBetter or customSmallerIsBetter "
                             "(github-action-benchmark) print JSON and write no page")
    arguments = parser.parse_args(words)
    if arguments.format != "page" and arguments.output:
        raise Refused(f"--output {arguments.output} is not allowed: --format {arguments.format} prints to standard output")
    if arguments.output is not None:
        output_path(arguments)
    check_readable(arguments.runs)
    return arguments


def check_readable(paths: list[str]) -> None:
    """Throws Refused."""
    real = [os.path.realpath(path) for path in paths]
    for path, place in zip(paths, real):
        if real.count(place) > 1:
            raise Refused(f"{path} is given twice; give each RUN only once")
        try:
            if not pathlib.Path(path).is_fifo():  # if the FIFO were opened and closed, its writer would get SIGPIPE
                open_input(path).close()
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}") from error


def output_path(arguments: argparse.Namespace) -> pathlib.Path:
    """Throws Refused if it does not end in .html."""
    output = arguments.output
    if output is None:
        names = [pathlib.Path(run) for run in arguments.runs]
        rest = f"-and-{stem_of(names[1])}" if len(names) == 2 else f"-and-{len(names) - 1}-runs" if len(names) > 2 else ""
        output = names[0].with_name(stem_of(names[0]) + rest + ".html")
    elif output.suffix != ".html":
        raise Refused(f"--output {output}: the name of the page must end in .html; the summary gets the same name with .md")
    return output


def report(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    if arguments.format != "page":
        return print_figures(arguments)
    page_path = output_path(arguments)
    summary_path = page_path.with_suffix(".md")
    check_apart([("the page", page_path), ("its summary", summary_path)], [("RUN", run) for run in arguments.runs])
    check_replaceable(page_path, PAGE_MARK, "bench.sh report")
    check_replaceable(summary_path, SUMMARY_MARK, "bench.sh report")
    runs = [read_planned_run(path) for path in arguments.runs]
    with drawing("the page"):
        from ecbench.report import pages
    drawn = pages.Report(runs, [summarize(run) for run in runs], Axes(arguments.rows, arguments.columns, arguments.x))
    progress = Progress(sys.stderr, drawn.panels)

    def advance() -> None:
        progress.advance()
        progress.show("drawing")

    try:
        page = drawn.page(page_path.with_suffix(".json").name, advance)
    finally:
        progress.close()
    write_all({page_path: page, summary_path: drawn.summary()})
    print(plain(page_path), plain(summary_path), sep="\n")
    return max(exit_code(run, 0, sum(map(len, run.rows.values()))) for run in runs)


def print_figures(arguments: argparse.Namespace) -> int:
    check_apart([], [("RUN", run) for run in arguments.runs])
    runs = [read_planned_run(path) for path in arguments.runs]
    figures = list(adapters.named_figures(runs, [summarize(run) for run in runs]))
    print(json.dumps(FORMATS[arguments.format](figures), indent=1, ensure_ascii=False))
    wrong = sum(run.wrong_bytes() for run in runs)
    return exit_code(runs[0], wrong, len(figures))


def main() -> int:
    return run_to_the_end(report, "interrupted", runs_others=False)
