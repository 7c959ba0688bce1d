"""Prints the outcome of a gate ab run as a table for people."""

from typing import Any, TextIO

from ecbench.gate.ab import wording
from ecbench.gate.ab.verdict import FASTER, INCONCLUSIVE, SLOWER
from ecbench.terminal.columns import GREEN, RED, YELLOW, print_columns
from ecbench.terminal.console import plain

TITLES = ("verdict", "point", "ratio", "interval", "level", "change %", "launches", "time, OLD", "time, NEW")
RIGHT = ("ratio", "level", "change %", "launches", "time, OLD", "time, NEW")
COLOURS = {SLOWER: RED, INCONCLUSIVE: YELLOW, FASTER: GREEN}


def print_table(result: dict[str, Any], out: TextIO) -> None:
    print_columns(TITLES, [cells(point) for point in result["points"]], out, RIGHT, lambda row: COLOURS.get(row[0]))
    out.write("\n")
    out.writelines(f"{line}\n" for line in wording.legend(result))
    old, new = wording.sides(result)
    if line := wording.kernels(result):
        out.write(f"{plain(line)}\n")
    out.write(f"OLD: {plain(old)}; NEW: {plain(new)}; {wording.effort(result)}\n")
    out.write(f"{wording.outcome(result)}\n")


def cells(point: dict[str, Any]) -> list[str]:
    return [point["verdict"], point["name"], f"{point['ratio']:.3f}", wording.interval(point), wording.level(point),
            wording.change(point), str(point["launches"]), wording.nanoseconds(point["old_ns_per_iteration"]),
            wording.nanoseconds(point["new_ns_per_iteration"])]
