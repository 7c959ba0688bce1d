"""bench.sh site DIR [--runs DIRECTORY]: writes a static site about stored runs. Exit codes: 0 success; 1 for bad input, or if a
page cannot be written; after a signal, 128 + the number of this signal."""

import argparse
import gzip
import pathlib
import sys

from ecbench.charts.available import drawing
from ecbench.files.results_folder import results_folder
from ecbench.installation.needs import CHARTS
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.lines import MAGIC, runs_in
from ecbench.runfile.modes import OWN_CONTENT
from ecbench.runfile.run_file import Run, read_mode, read_run
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain, say

MARK = "made-by-ecbench-site"

HELP = """Writes a static site about stored runs: the fastest code for each CPU, k+m and object size, with its interval and its
ties; pages for each CPU, library, code and run. The pages need no server, no other files and no JavaScript."""


def needs(_words: list[str]) -> list[str]:
    return [CHARTS]


def read_arguments(words: list[str]) -> argparse.Namespace:
    parser = Parser(mode="site", description=HELP, examples="bench.sh site public")
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path,
                        help="the directory for the site: new, empty, or an earlier site")
    parser.add_argument("--runs", metavar="DIRECTORY", type=pathlib.Path, action="append",
                        help="a directory with run files; can be given several times (default: results/)")
    return parser.parse_args(words)


def site(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    with drawing("the site"):
        from ecbench.site import pages, results
    folder = arguments.folder
    check_folder(folder)
    runs = read_runs(arguments.runs or [results_folder()])
    made = pages.Site(results.chosen(runs), runs)
    write(folder / MARK, b"")
    for run in runs:
        content = run.path.read_bytes()
        write(folder / pages.raw_file(run), content if content.startswith(MAGIC) else gzip.compress(content, mtime=0))
    count = 0
    for name, text in made.pages():
        write(folder / name, text.encode())
        count += 1
    print(plain(folder / pages.INDEX))
    say(f"{count} pages about {len(made.results)} CPUs, from {len(runs)} runs")
    return 0


def check_folder(folder: pathlib.Path) -> None:
    """Throws Refused if the directory contains files of others."""
    if folder.exists() and not (folder / MARK).exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} is not allowed: it has files that bench.sh site did not write; give an empty directory")


def read_runs(folders: list[pathlib.Path]) -> list[Run]:
    """Runs of a mode whose points have no GB/s are left out."""
    paths = [path for folder in folders for path in runs_in(folder)]
    runs = [read_run(path) for path in paths if read_mode(path) not in OWN_CONTENT]
    unique = {(run.header.machine.slug, run.name): run for run in runs}
    if not unique:
        raise Refused(f"{' and '.join(map(str, folders))}: no run file was found; give a directory with --runs DIRECTORY")
    return list(unique.values())


def write(path: pathlib.Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from error


def main() -> int:
    return run_to_the_end(site, "interrupted", runs_others=False)
