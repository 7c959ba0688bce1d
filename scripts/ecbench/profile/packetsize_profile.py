"""Instructions by packetsize: profiles the points of a grid by callgrind, and tells for each packetsize how many instructions a
byte of the object takes and which kinds of work they are. A profile that is there already, and newer than ecbench, is not taken
again."""

import json
import os
import re
import sys

from ecbench.charts.available import require
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.point.axes import Language
from ecbench.point.expansion import expand
from ecbench.point.grid import read_grids
from ecbench.profile import class_rules, hotspot_table, one_profile
from ecbench.profile.folder import Folder
from ecbench.profilers.subject import Broken, find_point, slug_of
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import Progress

MOST_PANELS = 12
PARAMETER = re.compile(r" packetsize=\d+")


def run(words, profiler, program, output, child):
    """The lines for stdout: the Markdown table and where the files are."""
    require("the chart")
    from ecbench.profile import packetsize_chart
    program = find_program(program)
    entries = choose(words, Ecbench(program, child))
    path = output or str(one_profile.ROOT / "results" / "profiles" / slug_of("-".join(words))[:100])
    with Folder(path) as folder:
        rows, broken = measure_all(entries, profiler, program, output, child)
        if not rows:
            raise Broken("no point could be profiled")
        kinds = classes_of(rows)
        folder.write("packetsize.tsv", tsv(rows, kinds))
        folder.write("packetsize.md", "\n".join(markdown(rows, kinds)) + "\n")
        packetsize_chart.draw(panels(rows), kinds, [folder.file("packetsize.svg"), folder.file("packetsize.png")])
        folder.keep()
    if broken:
        say(f"{broken} of {len(entries)} points could not be profiled")
    return [*markdown(rows, kinds), "", f"kept in {folder.path}: packetsize.tsv, .md, .svg and .png"]


def choose(words, ecbench):
    """The points that have a packetsize: encodes of the largest object, unless the words themselves name workloads and sizes."""
    plugins = ecbench.list_plugins()
    grids, _ = read_grids(words, Language(plugins))
    entries = [entry for entry in expand(grids, plugins, ecbench.describe).entries if entry["point"].get("packetsize")]
    if not names_axis(words, "workload"):
        entries = [entry for entry in entries if entry["point"].workload == "encode"]
    if not names_axis(words, "size"):
        largest = max((entry["point"].size for entry in entries), default=0)
        entries = [entry for entry in entries if entry["point"].size == largest]
    if not entries:
        raise Refused(f"--grid {' '.join(words)} has no point with a packetsize: give techniques that have one, as cauchy_good")
    groups = {group_of(entry["point"]) for entry in entries}
    if len(groups) > MOST_PANELS:
        raise Refused(f"--grid {' '.join(words)} has {len(groups)} points that differ in more than packetsize, and a chart at most "
                      f"{MOST_PANELS}: narrow it, as by technique=cauchy_good k=6 m=2 size=1M")
    return sorted(entries, key=lambda entry: (group_of(entry["point"]), int(entry["point"].get("packetsize"))))


def names_axis(words, axis):
    return any(word.startswith(f"{axis}=") for text in words for word in text.split())


def group_of(point):
    return PARAMETER.sub("", str(point))


def measure_all(entries, profiler, program, output, child):
    """A dict for each point that could be profiled, and how many could not."""
    progress, rows, broken = Progress(sys.stderr, len(entries)), [], 0
    try:
        for entry in entries:
            progress.show(entry["point"])
            try:
                rows.append(row_of(entry, profile_of(entry["point"], profiler, program, output, child)))
            except Broken as error:
                if error.exit_code == 2:
                    raise
                broken += 1
                progress.erase()
                say(f"{entry['point']}: {error}")
            progress.advance()
    finally:
        progress.erase()
    return rows, broken


def profile_of(point, profiler, program, output, child):
    """The JSON document of a point's profile, which is kept where bench.sh profile of the point keeps it, or below `output`."""
    subject = find_point(program, point.words(), child)
    path = os.path.join(output, "points", subject.slug) if output else one_profile.default_folder(subject, profiler)
    with Folder(path) as folder:
        kept = read_kept(folder.final("hotspots.json"), program)
        if kept:
            return kept
        document, _ = one_profile.take(subject, profiler, folder, [profiler.name], child)
        folder.keep()
        return document


def read_kept(path, program):
    try:
        if os.stat(path).st_mtime < os.stat(program).st_mtime:
            return None
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError):
        return None
    is_ours = isinstance(document, dict) and document.get("format") == hotspot_table.FORMAT
    return document if is_ours and "ir_per_byte" in document else None


def row_of(entry, document):
    point = entry["point"]
    return {"point": group_of(point), "packetsize": int(point.get("packetsize")), "chunk_size": entry["chunk_size"],
            "padding_percent": entry["padding_percent"], "ir_per_byte": document["ir_per_byte"], "kernel": document["kernel"],
            "classes": {item["class"]: item["percent"] for item in document["classes"]}}


def classes_of(rows):
    """The classes that matter somewhere, the largest first."""
    most = {name: max(row["classes"].get(name, 0) for row in rows) for name in class_rules.PHRASES}
    return [name for name in sorted(most, key=most.get, reverse=True) if most[name] >= 0.5]


def panels(rows):
    """The rows by what they have in common."""
    groups = {}
    for row in rows:
        groups.setdefault(row["point"], []).append(row)
    return groups


def tsv(rows, kinds):
    head = ["point", "packetsize", "chunk_size", "padding_percent", "ir_per_byte", *(f"{name}_percent" for name in kinds)]
    lines = ["\t".join(head)]
    for row in rows:
        lines.append("\t".join([row["point"], str(row["packetsize"]), str(row["chunk_size"]), f"{row['padding_percent']:.2f}",
                                f"{row['ir_per_byte']:.4f}", *(f"{row['classes'].get(name, 0):.2f}" for name in kinds)]))
    return "\n".join(lines) + "\n"


def markdown(rows, kinds):
    lines = []
    for title, group in panels(rows).items():
        head = ["packetsize", "chunk", "padding %", "Ir/byte", *(f"{name} %" for name in kinds)]
        lines += [*([""] if lines else []), f"{title}: {group[0]['kernel']}", "", f"| {' | '.join(head)} |",
                  f"|{' ---: |' * len(head)}"]
        for row in group:
            cells = [str(row["packetsize"]), str(row["chunk_size"]), f"{row['padding_percent']:.1f}", f"{row['ir_per_byte']:.3f}",
                     *(f"{row['classes'].get(name, 0):.1f}" for name in kinds)]
            lines.append(f"| {' | '.join(cells)} |")
    return lines
