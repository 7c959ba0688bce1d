"""One profile of one subject: runs it, makes the tables, and writes them beside the profiler's own file."""

import os
import pathlib
import shlex

from ecbench.profile import class_rules, hotspot_table
from ecbench.profilers.subject import demangler, point_title

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROWS_SHOWN = 20


def default_folder(subject, profiler):
    return str(ROOT / "results" / "profiles" / subject.slug / profiler.name)


def take(subject, profiler, folder, own_words, child):
    """Profiles the subject into the folder, a folder.Folder; `own_words` are those of bench.sh profile that repeat it. Returns the
    JSON document and the lines for stdout; throws subject.Broken, profile_data.Unreadable, Refused, OSError and
    children.Interrupted."""
    result = profiler.run(subject, folder, child)
    rows = hotspot_table.make_rows(result.costs, result.resolver, class_rules.read_rules())
    rows = hotspot_table.with_readable_names(rows, demangler(child))
    head, facts = describe(result, subject, profiler)
    document = hotspot_table.to_json(rows, result.costs, facts)
    notes = [f"note: {note}" for note in result.notes]
    event, closing = result.costs.event, ["", *document["sentences"]]
    text = [*head, "", *hotspot_table.table_lines(rows, event), *closing, *([""] if notes else []), *notes]
    folder.write("hotspots.txt", "".join(f"{line}\n" for line in text))
    folder.write("hotspots.json", hotspot_table.as_text(document))
    folder.write("command.txt", command_text(subject, own_words, folder.as_final(result.command)))
    return document, [*head, "", *hotspot_table.table_lines(rows, event, ROWS_SHOWN), *closing]


def describe(result, subject, profiler):
    """The lines above the table, and the same as facts for JSON."""
    costs, row = result.costs, result.row
    title = point_title(row) if row else shlex.join(subject.command)
    lines = [f"{profiler.name} of {title}"]
    facts = {"tool": profiler.name, "subject": title}
    if costs.event == "Ir" and row:
        per_iteration = costs.total / row["iterations"]
        facts |= {"iterations": row["iterations"], "size": row["size"], "ir_per_iteration": per_iteration,
                  "ir_per_byte": per_iteration / row["size"]}
        lines.append(f"{costs.total} Ir in {row['iterations']} iterations: {per_iteration:.1f} an iteration, "
                     f"{per_iteration / row['size']:.4f} a byte of the object")
    elif costs.event == "Ir":
        lines.append(f"{costs.total} Ir")
    else:
        facts |= {"seconds": result.seconds, "samples_per_second": costs.total / result.seconds}
        lines.append(f"{costs.total} samples in {result.seconds:.2f} s: {costs.total / result.seconds:.0f} a second")
    if row:
        kernel, native = row["kernel"], subject.native["kernel"]
        facts |= {"kernel": kernel, "native_kernel": native, "command": row["command"]}
        lines.append(f"kernel profiled: {kernel or 'unknown'}; natively: {native or 'unknown'}")
        if kernel != native:
            result.notes.append(f"the profile is of another kernel than runs natively: {kernel} instead of {native}"
                                + (", for valgrind hides AVX-512 and GFNI" if profiler.name == "callgrind" else ""))
    facts["notes"] = result.notes
    return lines, facts


def command_text(subject, own_words, command):
    """A shell can run it again."""
    words = [str(ROOT / "bench.sh"), "profile", *own_words, "--", *subject.command]
    return f"cd {shlex.quote(os.getcwd())} && {shlex.join(words)}\n# which runs: {shlex.join(command)}\n"
