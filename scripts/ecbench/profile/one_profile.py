"""Profiles one subject (a point of ecbench, or any command). Runs the subject under the profiler, and writes the tables to the same
directory as the profiler's file."""

import collections
import os
import shlex
from collections.abc import Callable, Sequence
from typing import Any

from ecbench.files.results_folder import results_folder
from ecbench.installation.places import FRONT_PROGRAM
from ecbench.process.children import Child
from ecbench.profile import annotation, class_rules, flame_graph, hotspot_table
from ecbench.profile.folder import Folder
from ecbench.profilers.profilers import Profile, Profiler
from ecbench.profilers.subject import Subject, demangler, other_kernel, point_title

ROWS_SHOWN = 20
Stacks = collections.Counter[tuple[str, ...]]


def default_folder(subject: Subject, profiler: Profiler) -> str:
    return str(results_folder() / "profiles" / subject.slug / profiler.name)


def take(subject: Subject, profiler: Profiler, folder: Folder, own_words: Sequence[str],
         child: Child) -> tuple[dict[str, Any], list[str]]:
    """Writes the files to `folder`. `own_words`: the arguments before -- in the command that repeats this profile. Returns the JSON
    document and the lines for stdout. Throws Broken and Unreadable."""
    result = profiler.run(subject, folder, child)
    rows = hotspot_table.make_rows(result.costs, result.resolver, class_rules.read_rules())
    demangle = demangler(child)
    rows = hotspot_table.with_readable_names(rows, demangle)
    if annotated := annotation.text_of(result.costs, result.resolver, demangle, child):
        folder.write("annotated.txt", annotated)
    head, facts = describe(result, subject, profiler)
    flame_graph.draw(readable_stacks(result.costs.stacks, demangle), profiler.name, facts["subject"], folder)
    document = hotspot_table.to_json(rows, result.costs, facts)
    notes = [f"note: {note}" for note in result.notes]
    event, closing = result.costs.event, ["", *document["sentences"]]
    text = [*head, "", *hotspot_table.table_lines(rows, event), *closing, *([""] if notes else []), *notes]
    folder.write("hotspots.txt", "".join(f"{line}\n" for line in text))
    folder.write("hotspots.json", hotspot_table.as_text(document))
    folder.write("command.txt", command_text(subject, own_words, folder.as_final(result.command)))
    return document, [*head, "", *hotspot_table.table_lines(rows, event, ROWS_SHOWN), *closing]


def readable_stacks(stacks: Stacks, demangle: Callable[[Sequence[str]], list[str]]) -> Stacks:
    names = list({name for stack in stacks for name in stack})
    readable = dict(zip(names, demangle(names), strict=True))
    found: Stacks = collections.Counter()
    for stack, count in stacks.items():
        found[tuple(readable[name] for name in stack)] += count
    return found


def describe(result: Profile, subject: Subject, profiler: Profiler) -> tuple[list[str], dict[str, Any]]:
    """The lines above the table, and the same facts as JSON."""
    costs, row = result.costs, result.row
    title = point_title(row) if row else shlex.join(subject.command)
    lines = [f"{profiler.name} of {title}"]
    facts: dict[str, Any] = {"tool": profiler.name, "subject": title}
    if costs.event == "Ir" and row:
        per_iteration = costs.total / row.iterations
        facts |= {"iterations": row.iterations, "size": row.size, "ir_per_iteration": per_iteration,
                  "ir_per_byte": per_iteration / row.size}
        lines.append(f"{costs.total} Ir in {row.iterations} iterations: {per_iteration:.1f} per iteration, "
                     f"{per_iteration / row.size:.4f} per byte of the object")
    elif costs.event == "Ir":
        lines.append(f"{costs.total} Ir")
    else:
        facts |= {"seconds": result.seconds, "samples_per_second": costs.total / result.seconds}
        lines.append(f"{costs.total} samples in {result.seconds:.2f} s: {costs.total / result.seconds:.0f} per second")
    if row:
        kernel, native = row.kernel, (subject.native.kernel if subject.native else "")
        facts |= {"kernel": kernel, "native_kernel": native, "command": row.command}
        lines.append(f"kernel profiled: {kernel or 'unknown'}; natively: {native or 'unknown'}")
        if other := other_kernel(kernel, native, profiler.name == "callgrind"):
            result.notes.append(f"the profiled kernel is not the native kernel: {other}")
    lines += result.counters
    facts |= {"notes": result.notes, "counters": result.counters}
    return lines, facts


def command_text(subject: Subject, own_words: Sequence[str], command: Sequence[str]) -> str:
    """The text of command.txt, a shell script."""
    words = [str(FRONT_PROGRAM), "profile", *own_words, "--", *subject.command]
    return f"cd {shlex.quote(os.getcwd())} && {shlex.join(words)}\n# This command runs: {shlex.join(command)}\n"
