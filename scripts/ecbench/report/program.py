"""bench.sh report PATH...: shows runs as one page and as text, prints figures for other tools, or checks and prepares a run for
results/. Exit codes: 0; 1 for bad input, if a run has no figure, or if a check found a problem; with --format for other tools, 2
after wrong bytes; 128 + the signal's number."""

import argparse
import collections
import json
import os
import pathlib
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ecbench.comparison.comparison import exit_code
from ecbench.documents.document import Json
from ecbench.files.files import check_apart, check_distinct, check_replaceable, open_input, results_folder
from ecbench.installation.places import charts, given
from ecbench.page import block, points, ratios
from ecbench.page.block import schema_of_pages
from ecbench.page.html import PageFile
from ecbench.page.results import run_labels
from ecbench.process.process import Child, run_to_the_end
from ecbench.report import check
from ecbench.runfile.header import paths_of, stem_of
from ecbench.runfile.run_file import Run, read_planned_run, read_run
from ecbench.runfile.summary import PointSummary, summarize
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain, refusing

# Figures in the formats of tools that watch them over time: Bencher Metric Format (https://bencher.dev/docs/reference/bencher-
# metric-format), and the custom formats of github-action-benchmark (its README).

MEASURE = "gb-per-s"  # Bencher creates a measure that it does not know

Named = tuple[str, PointSummary]


def bmf(named: Sequence[Named]) -> dict[str, Any]:
    keys = {"value": "gb_per_s", "lower_value": "low", "upper_value": "high"}
    return {name: {MEASURE: {key: value for key, of in keys.items() if (value := getattr(one, of)) is not None}}
            for name, one in named}


def entries(named: Sequence[Named], unit: str, value: Callable[[PointSummary], float]) -> list[dict[str, Any]]:
    return [{"name": name, "unit": unit, "value": value(one),
             **({"range": f"± {width / 100 * value(one):.4g}"} if (width := one.estimate.width_percent) is not None else {}),
             "extra": shlex.join(["ecbench", *one.point.words()])} for name, one in named]


FORMATS: Mapping[str, Callable[[Sequence[Named]], Any]] = {
    "bmf": bmf, "customBiggerIsBetter": lambda named: entries(named, "GB/s", lambda one: one.gb_per_s or 0),
    "customSmallerIsBetter": lambda named: entries(named, "ns/object", lambda one: one.point.size / (one.gb_per_s or 1))}


def named_figures(runs: Sequence[Run]) -> Iterator[Named]:
    """Each name is used once."""
    for label, run in zip(run_labels(runs) if len(runs) > 1 else [""], runs, strict=True):
        texts = collections.Counter(str(one.point) for one in run.header.points)
        for one in summarize(run):
            if one.gb_per_s and not one.has_wrong_bytes:
                text = str(one.point) if texts[str(one.point)] == 1 else f"{one.point} ({one.id})"
                yield f"{label}: {text}" if label else text, one


SUMMARY_MARK = "<!-- ecbench report -->"  # its first line; an existing file is overwritten only if it contains the mark

HELP = """Shows run files, or all run files in directories, as one HTML page: the speed of each code with its interval and the
roofline, filters, ratios, and the fastest packetsizes. The page needs no other files. A summary in Markdown is written to the same
directory. Two runs are also compared point by point. If several runs in a directory have the same case on the same CPU, the run
with the most libraries is shown; among equals, the newest."""


def needs(words: list[str]) -> list[str]:
    return [] if given(words, "--format", "--check", "--contribute") else charts()


def read_arguments(words: list[str]) -> argparse.Namespace:
    parser = Parser(mode="report", description=HELP, examples="bench.sh report results/MACHINE/RUN.jsonl\nbench.sh report results\n"
                                                              "bench.sh report --contribute results/MACHINE/RUN.jsonl")
    parser.add_argument("runs", metavar="PATH", nargs="+", help="a run file (RUN), NAME.jsonl or NAME.jsonl.gz, or a directory "
                                                                "with run files")
    parser.add_argument("--output", metavar="FILE", type=pathlib.Path,
                        help="the path of the page, which must end in .html (default: RUN with .html, or index.html in the "
                             "directory); with --contribute, the directory for the run (default: results/)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--format", metavar="FORMAT", choices=("page", "text", "json", *FORMATS), default="page",
                      help="page (default); text (Markdown), json (--schema prints its schema), bmf (Bencher), "
                           "customBiggerIsBetter or customSmallerIsBetter (github-action-benchmark) are printed, and no page is "
                           "written")
    what.add_argument("--check", action="store_true",
                      help="only check the runs: schema, arithmetic, share of the roofline, kernels, private names")
    what.add_argument("--contribute", action="store_true",
                      help="check the RUN, remove what identifies the host, and write it to results/ for a pull request")
    arguments = parser.parse_args(words)
    if arguments.contribute:
        if len(arguments.runs) > 1:
            raise Refused(f"'{arguments.runs[1]}' is one argument too many: contribute one RUN at a time")
    elif arguments.output and (arguments.check or arguments.format != "page"):
        printing = "--check" if arguments.check else f"--format {arguments.format}"
        raise Refused(f"--output {arguments.output} is not allowed: {printing} prints to standard output")
    elif arguments.output:
        PageFile("report", arguments.output, "--output").path()
    check_distinct(arguments.runs)
    for path in arguments.runs:
        with refusing(f"{path} cannot be read"):
            if not os.path.isdir(path) and not pathlib.Path(path).is_fifo():  # opened and closed, a FIFO's writer would get SIGPIPE
                open_input(path).close()
    return arguments


def schema() -> Json:
    rows = points.PointRow, points.CaseRow, points.ChangeRow, points.PacketsizeRow, ratios.RatioRow, ratios.MeanRow
    return schema_of_pages(rows, "Runs as blocks", "The output of bench.sh report --format json.")


def report(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    if arguments.contribute:
        print(check.contribute(pathlib.Path(arguments.runs[0]), arguments.output or results_folder()))
        return 0
    paths, status = paths_of(arguments.runs), 0
    if arguments.check:
        for path in paths:
            problems = check.problems_of(path)
            print(*(plain(f"{path}: {one}") for one in problems or ["no problem found"]), sep="\n")
            status |= bool(problems)
        return status
    first, *others = map(pathlib.Path, arguments.runs)
    rest = f"-and-{stem_of(others[0])}" if len(others) == 1 else f"-and-{len(others)}-runs" if others else ""
    default = first / "index.html" if first.is_dir() else first.with_name(f"{stem_of(first)}{rest}.html")
    page_path = arguments.output or default
    file, summary_path = PageFile("report", page_path, "--output"), page_path.with_suffix(".md")
    if arguments.format == "page":
        check_apart([("the page", page_path), ("its summary", summary_path)], [("RUN", path) for path in paths])
        file.path()
        check_replaceable(summary_path, SUMMARY_MARK, "bench.sh report")
    runs = [read_planned_run(path) if str(path) in arguments.runs else read_run(path) for path in paths]
    if arguments.format in FORMATS:
        ratios.check_speeds(runs)
        figures = list(named_figures(runs))
        print(json.dumps(FORMATS[arguments.format](figures), indent=1, ensure_ascii=False))
        return exit_code(runs[0], sum(run.wrong_bytes() for run in runs), len(figures))
    shown = points.Runs(runs, merges=any(map(os.path.isdir, arguments.runs)))
    compared = None if shown.merges or len(runs) < 2 else ratios.page_of("report", runs, shown.labels)
    page, status = shown.page("report", compared), max(exit_code(run, 0, sum(map(len, run.rows.values()))) for run in runs)
    if arguments.format == "json":
        block.print_page(page, sys.stdout, "json")
        return status
    summary = block.markdown(page, SUMMARY_MARK)
    if arguments.format == "text":
        print(summary.rstrip("\n"))
        return status
    written = file.write(None, lambda: page, {summary_path: summary})
    print(*(plain(path) for path in (written, summary_path) if path), sep="\n")
    return status or int(written is None and arguments.output is not None)  # it was asked for


def main() -> int:
    return run_to_the_end(report, "interrupted", runs_others=False)
