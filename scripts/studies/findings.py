#!/usr/bin/python3 -Es
"""findings.py prints the findings of runs as Markdown. For a run of contenders, it prints which library is the fastest. For a run
of sweep, it prints whether 3072 is still the fastest packetsize for 6+2. (A benchmark of 2013 advised this packetsize.)

With --write, the findings are written into a file, between the lines '<!-- findings of RUN... -->' and '<!-- end of findings -->'.
With --check, the script reads the paths of the runs from the line '<!-- findings of RUN... -->'. It computes the findings of these
runs, and compares them with the findings in the file. The exit code is 1 if the findings differ, if a run cannot be read, or if a
sweep measured no technique of 6+2 at several packetsizes."""

import argparse
import os
import pathlib
import re
import sys
from collections.abc import Sequence

import launch
import libraries
import packetsizes
from ecbench.files import input_file
from ecbench.files.written_files import check_apart
from ecbench.process.children import Child
from ecbench.process.end import run_to_the_end
from ecbench.runfile.run_file import read_run
from ecbench.runfile.summary import summarize
from ecbench.terminal.console import Refused, plain_lines

PART = re.compile(r"^<!-- findings of(?P<runs>[^\n]*)-->\n(?P<text>.*?)^<!-- end of findings -->$", re.MULTILINE | re.DOTALL)

def read_arguments() -> argparse.Namespace:
    parser = launch.parser(__doc__, takes_ecbench=False)
    parser.add_argument("runs", metavar="RUN", nargs="*", type=pathlib.Path, help="a run file, results/<machine>/<run>.jsonl.gz")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--write", metavar="FILE", type=pathlib.Path, help="write the findings into this file")
    target.add_argument("--check", metavar="FILE", type=pathlib.Path, help="compare the findings with this file")
    arguments = parser.parse_args()
    if bool(arguments.runs) == bool(arguments.check):
        parser.error("give at least one run file, or --check FILE without a run file (FILE contains the names of its runs)")
    return arguments

def findings(paths: Sequence[pathlib.Path], names: Sequence[str]) -> str:
    """Returns a section for each run."""
    sections = []
    for path, name in zip(paths, names):
        run = read_run(path)
        section = (libraries.section(run, name) if run.mode == "contenders" else
                   packetsizes.section(run, name, summarize(run)))
        if section is None:
            raise Refused(f"{path} has no technique of 6+2 that was measured at several packetsizes; make a run with bench.sh "
                          "sweep packetsize")
        sections.append(section)
    return "\n\n".join(sections)

def read_part(path: pathlib.Path) -> re.Match[str]:
    try:
        text = input_file.read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from error
    found = list(PART.finditer(text))
    if len(found) != 1:
        raise Refused(f"{path} has {len(found)} places for the findings, but must have exactly one; a place is a line "
                      "'<!-- findings of RUN... -->' and, below it, a line '<!-- end of findings -->'")
    return found[0]

def write(path: pathlib.Path, runs: Sequence[pathlib.Path]) -> None:
    check_apart([("--write", path)], [("RUN", run) for run in runs])
    names = [os.path.relpath(run, path.parent) for run in runs]
    if spaced := [name for name in names if name.split() != [name]]:
        raise Refused(f"{spaced[0]} is not allowed with --write: the path of a run must not contain spaces")
    part = read_part(path)
    new = f"<!-- findings of {' '.join(names)} -->\n\n{findings(runs, names)}\n\n<!-- end of findings -->"
    path.write_text(plain_lines(part.string[:part.start()] + new + part.string[part.end():]), "utf-8")

def check(path: pathlib.Path) -> None:
    part = read_part(path)
    names = part["runs"].split()
    if not names:
        raise Refused(f"{path} contains no run after '<!-- findings of'; write the findings with findings.py --write {path} RUN...")
    runs = [path.parent / name for name in names]
    if f"\n{findings(runs, names)}\n\n" != part["text"]:
        raise Refused(f"the findings in {path} are not up to date; write them with findings.py --write {path} "
                      f"{' '.join(map(str, runs))}")

def program(_child: Child) -> int:
    arguments = read_arguments()
    if arguments.check:
        check(arguments.check)
    elif arguments.write:
        write(arguments.write, arguments.runs)
    else:
        print(findings(arguments.runs, [str(run) for run in arguments.runs]))
    return 0

if __name__ == "__main__":
    sys.exit(run_to_the_end(program, "interrupted", runs_others=False))
