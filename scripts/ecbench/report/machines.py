"""The texts of the page about a run as a whole: its label, its problems, and the environment of the measurements."""

import collections
import functools
from collections.abc import Sequence
from dataclasses import dataclass

from ecbench.report.cases import Cases, Entry, by_case, read_entries
from ecbench.runfile.environment_table import environment_rows
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import MUCH_DRIFT_PERCENT, PointSummary, mark_note


@dataclass
class Measured:
    """`label` is empty if the page shows only this run."""
    run: Run
    label: str
    entries: list[Entry]

    @functools.cached_property
    def cases(self) -> Cases:
        return by_case(self.entries)

    @property
    def name(self) -> str:
        return self.label or self.run.header.machine.cpu


def measured_runs(runs: Sequence[Run], summaries_of_runs: Sequence[list[PointSummary]]) -> list[Measured]:
    return [Measured(run, label, entries)
            for run, label, entries in zip(runs, labels(runs), read_entries(summaries_of_runs), strict=True)]


def labels(runs: Sequence[Run]) -> list[str]:
    """The name of the CPU, with details if several runs have the same CPU. Empty for a single run."""
    if len(runs) == 1:
        return [""]
    given = [run.header for run in runs]
    ways = (lambda header: header.machine.cpu,
            lambda header: f"{header.machine.cpu} ({header.machine.slug})",
            lambda header: f"{header.machine.cpu}, {header.run}",
            lambda header: f"{header.machine.cpu}, {header.run}, {header.started}")
    for way in ways:
        found = [way(header) for header in given]
        if len(set(found)) == len(found):
            return found
    return [f"{label}, {number}" for number, label in enumerate(found, 1)]


def troubles(measured: Measured) -> list[str]:
    """One line for each fact that the reader of the page must know."""
    run = measured.run
    lines = [sentence(note) for note in run.notes] + failure_lines(measured)
    drifted = sum(bool(entry.summary.drifted) for entry in measured.entries)
    if drifted:
        lines.append(f"At {drifted} of {len(measured.entries)} points, the speed changed by more than {MUCH_DRIFT_PERCENT} % "
                     "during a measurement: the machine was not quiet.")
    if note := mark_note(run, any(entry.summary.mark for entry in measured.entries)):
        lines.append(sentence(note))
    lines += [f"{one.count} {'point was' if one.count == 1 else 'points were'} dropped before the run. Reason: {one.why}. Example: "
              f"{one.example}" for one in run.header.dropped]
    return lines + [f"The machine was not ready for measurements: {line}" for line in run.header.environment.unfit]


def sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


def failure_lines(measured: Measured) -> list[str]:
    """One line for all failures with the same kind and reason."""
    reasons = collections.defaultdict(list)
    for point_id, failures in measured.run.failures.items():
        for failure in failures:
            reasons[failure.kind, failure.why].append(point_id)
    names = {entry.summary.id: f"{entry.code}, {entry.case.title}" for entry in measured.entries}
    lines = []
    for (kind, why), ids in reasons.items():
        word = "measurement has" if len(ids) == 1 else "measurements have"
        lines.append(f"{len(ids)} {word} no figure ({kind.replace('_', ' ')}): {why}. "
                     f"{'The point is' if len(ids) == 1 else 'The first of the points is'} {names.get(ids[0], ids[0])}.")
    return lines


def environment_table(all_measured: Sequence[Measured]) -> list[tuple[str, list[str]]]:
    """Rows with a name, and one value for each run."""
    found = [dict(environment_rows(measured.run.header, len(measured.entries))) for measured in all_measured]
    names = dict.fromkeys(name for rows in found for name in rows)
    return [(name, [rows.get(name, "-") for rows in found]) for name in names]
