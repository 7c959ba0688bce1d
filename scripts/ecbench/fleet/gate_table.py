"""The table of `fleet gate ab`: for each host, the number of points with each verdict, and the exit code of gate ab."""

import pathlib
import sys

from ecbench.documents.shape import read_json
from ecbench.fleet.collection import host_folders
from ecbench.fleet.host_state import read_state
from ecbench.point.point import Json
from ecbench.runfile.lines import read_lines
from ecbench.terminal.columns import print_columns
from ecbench.terminal.console import Refused, say

VERDICTS = ("slower", "inconclusive", "no regression", "faster")
WORST_FIRST = (2, 3, 4)  # exit codes of gate ab, the worst first: wrong bytes, regression, inconclusive


def report(folder: pathlib.Path) -> tuple[int, int]:
    """Prints a line for each host. Returns the worst exit code of the hosts, or 1 if no host has a result, and the number of hosts
    without a result."""
    codes: set[int] = set()
    rows: list[list[object]] = []
    for host in host_folders(folder)[0]:
        result = result_of(folder / host)
        if result is None:
            state = read_state(folder / host)
            say(f"{host}: {state.state if state else 'new'}: {(state.reason if state else '') or 'no result'}")
            continue
        code, verdicts = result
        rows.append([host, *(verdicts.count(verdict) for verdict in VERDICTS), "wrong bytes" if code == 2 else code])
        codes.add(code)
    print_columns(("host", *VERDICTS, "exit code"), rows, sys.stdout, right=VERDICTS)
    return next((code for code in WORST_FIRST if code in codes), 0 if codes else 1), len(missing(folder))


def missing(folder: pathlib.Path) -> list[str]:
    return [host for host in host_folders(folder)[0] if result_of(folder / host) is None]


def result_of(folder: pathlib.Path) -> tuple[int, list[object]] | None:
    """The exit code and the verdicts of a finished run of gate ab in the directory of a host; None if there is none."""
    for path in folder.glob("gate-ab-*.jsonl"):
        if path.is_symlink() or not path.is_file():
            continue
        record: Json = {}
        verdicts: object = {}
        try:
            for record in map(read_json, read_lines(path)):
                verdicts = record["verdicts"] if record["record"] == "look" else verdicts
        except (Refused, ValueError, TypeError, LookupError):
            continue
        if record.get("exit_code") in (0, *WORST_FIRST) and isinstance(verdicts, dict):
            return record["exit_code"], list(verdicts.values())
    return None
