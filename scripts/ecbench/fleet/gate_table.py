"""The table of `fleet gate ab`. For each host, it has the number of points with each verdict, and the exit code of gate ab."""

import collections
import sys
from collections.abc import Mapping

from ecbench.fleet.campaign import Campaign
from ecbench.fleet.host_state import read_state
from ecbench.fleet.received import gate_records
from ecbench.terminal.columns import print_columns
from ecbench.terminal.console import say

VERDICTS = ("slower", "inconclusive", "no regression", "faster")
WORST_FIRST = (2, 3, 4)  # exit codes of gate ab, the worst first: wrong bytes, regression, inconclusive


def report(found: Campaign) -> int:
    """Prints a line for each host. Returns the worst exit code of the hosts, or 1 if no host has a result."""
    codes: set[int] = set()
    rows: list[list[object]] = []
    for host in found.hosts:
        if not found.result(host).is_file():
            state = read_state(found.folder / host)
            say(f"{host}: {state.state if state else 'new'}: {(state.reason if state else '') or 'no result'}")
            continue
        records = gate_records(found.result(host))
        code = records[-1]["exit_code"]
        verdicts: object = next((record.get("verdicts") for record in reversed(records) if record["record"] == "look"), {})
        counts = collections.Counter(verdicts.values() if isinstance(verdicts, Mapping) else ())
        rows.append([host, *(counts[verdict] for verdict in VERDICTS), "wrong bytes" if code == 2 else code])
        codes.add(code)
    print_columns(("host", *VERDICTS, "exit code"), rows, sys.stdout, right=VERDICTS)
    if not codes:
        return 1
    return next((code for code in WORST_FIRST if code in codes), 0)
