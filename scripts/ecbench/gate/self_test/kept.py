"""A table of the stored results of all self-tests on a machine. Its columns include the number of real runs with equal builds, the
number of false alarms, and an upper bound for the probability of a false alarm."""

import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

from ecbench.files.input_file import read_text
from ecbench.gate.self_test.account import FORMAT
from ecbench.gate.self_test.telling import bound_of, loads_of
from ecbench.runfile.shape import read_json
from ecbench.statistics.interval import median
from ecbench.terminal.columns import columns
from ecbench.terminal.console import Refused

TITLES = ("result", "points", "runs", "false alarms", "load average", "memory copier", "bound, 95 %")


def kept_lines(folder: pathlib.Path) -> Iterator[str]:
    """The table, line by line. Throws Refused if there is no result, or a result cannot be read."""
    paths = sorted(folder.glob("gate-self-test*.json"))
    if not paths:
        raise Refused(f"{folder} has no result of a self-test: run gate self-test first, or name another directory with --results")
    results = [(path, read(path)) for path in paths]
    settings = sorted({tuple(result[key] for key in ("points", "launches", "pairs", "threshold_percent")) for _, result in results})
    rows = [cells(path.stem.removeprefix("gate-self-test-"), [result]) for path, result in results]
    rows += [cells("all", [result for _, result in results])] if len(results) > 1 else []
    yield from columns([TITLES, *rows], [number > 0 for number in range(len(TITLES))])
    yield ""
    yield ("runs: real runs of gate ab with equal builds; false alarm: a run that reports a regression; bound: upper bound for the "
           "probability of a false alarm (Clopper-Pearson, one-sided)")
    yield "load average: lowest, median and highest load average at the start of a run"
    for points, launches, pairs, threshold in settings:
        yield f"settings: {points} points, {launches} launches of {pairs} pairs, threshold {threshold:g} %"


def read(path: pathlib.Path) -> dict[str, Any]:
    try:
        result = read_json(read_text(path))
    except (OSError, ValueError) as error:
        raise Refused(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not JSON'}") from error
    if not isinstance(result, dict) or result.get("format") != FORMAT or "copier" not in result:
        raise Refused(f"{path} is not a result of gate self-test: remove it, or name another directory with --results")
    return result


def cells(name: str, results: Sequence[dict[str, Any]]) -> list[str]:
    codes = [code for result in results for code in result["same"]["exit_codes"]]
    alarms = sum(code != 0 for code in codes)
    loads = [load for result in results for load in loads_of(result)]
    shown = f"{min(loads):.1f}, {median(loads):.1f}, {max(loads):.1f}" if loads else "-"
    copier = {bool(result["copier"]) for result in results}
    points = "/".join(str(count) for count in sorted({result["points"] for result in results}))
    copied = "both" if len(copier) > 1 else "yes" if True in copier else "no"
    return [name, points, str(len(codes)), str(alarms), shown, copied, bound_of(alarms, len(codes))]
