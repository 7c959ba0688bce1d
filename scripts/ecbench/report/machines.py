"""The texts of the page about a run as a whole: its label, its problems, and the environment of the measurements."""

import collections
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ecbench.point.wording import size_text
from ecbench.report.cases import Cases, Entry, by_case, read_entries
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import MARKED, MUCH_DRIFT_PERCENT, PointSummary


@dataclass
class Measured:
    """A run and its entries. `label` is empty if the page shows only this run."""
    run: Run
    label: str
    entries: list[Entry]

    @functools.cached_property
    def cases(self) -> Cases:
        return by_case(self.entries)

    @property
    def name(self) -> str:
        return self.label or self.run.header["machine"]["cpu"]


def measured_runs(runs: Sequence[Run], summaries_of_runs: Sequence[list[PointSummary]]) -> list[Measured]:
    return [Measured(run, label, entries)
            for run, label, entries in zip(runs, labels(runs), read_entries(summaries_of_runs), strict=True)]


def labels(runs: Sequence[Run]) -> list[str]:
    """A label for each run: the name of the CPU, and details if several runs have the same CPU. If there is only one run, its label
    is empty."""
    if len(runs) == 1:
        return [""]
    given = [run.header for run in runs]
    ways = (lambda header: header["machine"]["cpu"],
            lambda header: f"{header['machine']['cpu']} ({header['machine']['slug']})",
            lambda header: f"{header['machine']['cpu']}, {header['run']}",
            lambda header: f"{header['machine']['cpu']}, {header['run']}, {header['started']}")
    for way in ways:
        found = [way(header) for header in given]
        if len(set(found)) == len(found):
            return found
    return [f"{label}, {number}" for number, label in enumerate(found, 1)]


def troubles(measured: Measured) -> list[str]:
    """The problems of a run that the reader of the page must know, one line each."""
    run = measured.run
    lines = [sentence(note) for note in run.notes] + failure_lines(measured)
    drifted = sum(bool(entry.summary.drifted) for entry in measured.entries)
    if drifted:
        lines.append(f"At {drifted} of {len(measured.entries)} points, the speed changed by more than {MUCH_DRIFT_PERCENT} % "
                     "during a measurement: the machine was not quiet.")
    if any(entry.summary.warned for entry in measured.entries):
        lines.append(f"{MARKED}.")
    lines += [f"{one['count']} {'point was' if one['count'] == 1 else 'points were'} dropped before the run. Reason: "
              f"{one['why']}. Example: {one['example']}" for one in run.header.get("dropped", [])]
    return lines + [f"The machine was not ready for measurements: {line}" for line in run.header["environment"].get("unfit", [])]


def sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


def failure_lines(measured: Measured) -> list[str]:
    """Failures with the same kind and the same reason are in one line. The line contains the number of these failures, and an
    example of a point."""
    reasons = collections.defaultdict(list)
    for point_id, failures in measured.run.failures.items():
        for failure in failures:
            reasons[failure["kind"], failure["why"]].append(point_id)
    names = {entry.summary.id: f"{entry.code}, {entry.case.title}" for entry in measured.entries}
    lines = []
    for (kind, why), ids in reasons.items():
        word = "measurement has" if len(ids) == 1 else "measurements have"
        lines.append(f"{len(ids)} {word} no figure ({kind.replace('_', ' ')}): {why}. "
                     f"{'The point is' if len(ids) == 1 else 'The first of the points is'} {names.get(ids[0], ids[0])}.")
    return lines


def environment_rows(measured: Measured) -> list[tuple[str, str]]:
    """The rows of the environment table: pairs of name and value. The most important rows are first."""
    header = measured.run.header
    given = header["environment"]
    cpu, system, build = given.get("cpu", {}), given.get("system", {}), given.get("ecbench", {})
    rows = [
        ("CPU", f"{cpu.get('model_name')}, family {cpu.get('family')}, model {cpu.get('model')}, stepping {cpu.get('stepping')}, "
                f"{cpu.get('online_cpu_count')} CPUs" + (", virtual machine" if cpu.get("hypervisor") else "")),
        ("Caches", ", ".join(cache_text(cache) for cache in cpu.get("caches", []))),
        ("Instruction sets", " ".join(cpu.get("flags", []))),
        ("Governor, turbo", f"{known(cpu.get('governor'))}, {known(cpu.get('turbo'))}"),
        ("Kernel, libc", f"{system.get('kernel_release')}, {system.get('libc')}"),
        ("Transparent huge pages", known(system.get("transparent_hugepages"))),
        ("ecbench", f"{build.get('version')}, revision {str(build.get('git_revision'))[:12]}"),
        ("Compiler", f"{build.get('compiler')}, {build.get('build_type')} ({build.get('compiler_flags')})"),
        *((f"Kernels of {plugin}", kernel) for plugin, kernel in given.get("kernels", {}).items() if kernel),
        *((library["name"], library_text(library)) for library in given.get("shared_objects", [])),
        ("Problems of the machine", "; ".join(given.get("unfit", [])) or "none found"),
        ("Run", f"{header['run']}, started {header['started']}"),
        ("Grid", header["grid"]),
        ("Measured", f"{len(measured.entries)} points, measurements of each point: {header['repetitions']}, "
                     f"order {header['order']}, seed {header['seed']}"),
        *((name.replace("_", " "), str(value)) for name, value in header.get("options", {}).items() if value is not None)]
    return [(name, value) for name, value in rows if value]


def environment_table(all_measured: Sequence[Measured]) -> list[tuple[str, list[str]]]:
    """The rows of the environment table. Each row has a name, and one value for each run."""
    found = [dict(environment_rows(measured)) for measured in all_measured]
    names = dict.fromkeys(name for rows in found for name in rows)
    return [(name, [rows.get(name, "-") for rows in found]) for name in names]


def cache_text(cache: dict[str, Any]) -> str:
    kind = {"Data": "d", "Instruction": "i"}.get(str(cache.get("type")), "")
    return f"L{cache.get('level')}{kind} {size_text(cache.get('size_bytes', 0))}"


def library_text(library: dict[str, Any]) -> str:
    words = [f"version {library['version']}" if library.get("version") else "", f"build id {library.get('build_id') or 'unknown'}",
             "a debug build" if library.get("debug_build") else ""]
    return ", ".join(word for word in words if word)


def known(value: object) -> str:
    return "unknown" if value is None else str(value)
