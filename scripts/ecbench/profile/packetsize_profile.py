"""The chart of packetsize_profile.py: for each point, a bar for each packetsize, divided into classes of functions."""

import dataclasses
import json
import os
import pathlib
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from ecbench.documents.document import Json
from ecbench.experiment.expansion import expand
from ecbench.experiment.experiment import read_experiment
from ecbench.files.inputs import results_folder
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.page import charts, library
from ecbench.page.block import Block, Chart, Column, Form, Kind
from ecbench.point.axes import Language
from ecbench.point.point import Planned, Point
from ecbench.process.children import Child
from ecbench.profile import hotspot_table, one_profile
from ecbench.profile.hotspot_table import PHRASES, Bar
from ecbench.profile.one_profile import Folder
from ecbench.profilers.profilers import Profiler
from ecbench.profilers.subject import Broken, find_point, slug_of
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import Progress, duration

WIDTH = 560  # pixels


@dataclasses.dataclass(frozen=True)
class ClassRow:
    """The instructions of a class of functions."""

    code: Annotated[str, Column(title="Packetsize")]
    instructions: Annotated[float, Column(title="instructions per byte of the object", form=Form.FIGURE)]
    kind: Annotated[str, Column(title="Class")]
    text: Annotated[str, Column()]


CHART = Chart(Kind.BARS, "", "instructions", text="text", colour="kind")


def spec(panels: Mapping[str, Sequence[Bar]], kinds: Sequence[str]) -> Json:
    """`panels`: title → bars."""
    return {"config": charts.config(is_dark=False), "background": "white",
            "title": "Instructions per byte of the object for each packetsize (callgrind)",
            "vconcat": [{**panel(bars, kinds), "title": title} for title, bars in panels.items()]}


def panel(bars: Sequence[Bar], kinds: Sequence[str]) -> Json:
    rows = [ClassRow(f"packetsize {bar.packetsize}", bar.ir_per_byte * bar.classes.get(name, 0) / 100, PHRASES[name],
                     f"{bar.ir_per_byte:.2f}" if name == kinds[0] else "") for bar in bars for name in kinds]
    made = charts.picture(Block("", "", ClassRow, rows, [CHART]), CHART, rows, WIDTH)
    return {key: value for key, value in made.items() if key not in ("config", "autosize", "padding")}


# profile --grid: for each packetsize, the instructions per byte of the object, and the share of each class of functions,
# counted by callgrind. An existing profile is reused if it is newer than the ecbench program.

FILES = ("packetsize.tsv", "packetsize.md", "packetsize.svg", "packetsize.png")
MOST_PANELS = 12
PARAMETER = re.compile(r" packetsize=\d+")


def run(words: list[str], profiler: Profiler, program: str, output: str | None, child: Child, budget: Budget) -> list[str]:
    """Returns the lines for stdout: the Markdown tables, and the directory of the files."""
    program = find_program(program)
    entries = choose(words, Ecbench(program, child))
    path = output or str(results_folder() / "profiles" / slug_of("-".join(words))[:100])
    with Folder(path) as folder:
        rows, broken = measure_all(entries, profiler, program, output, child, budget)
        if not rows:
            raise Broken("no point could be profiled")
        kinds = classes_of(rows)
        folder.write("packetsize.tsv", tsv(rows, kinds))
        folder.write("packetsize.md", "\n".join(markdown(rows, kinds)) + "\n")
        try:
            chart = spec(panels(rows), kinds)
            folder.write("packetsize.svg", library.svg(chart))
            pathlib.Path(folder.file("packetsize.png")).write_bytes(library.png(chart, scale=2))
        except library.NoPage as no_page:
            say(no_page)
        folder.keep()
        names = [name for name in FILES if os.path.exists(folder.final(name))]
    if broken:
        say(f"{broken} of {len(entries)} points could not be profiled")
    return [*markdown(rows, kinds), "", f"files in {folder.path}: {', '.join(names)}"]


def choose(words: list[str], ecbench: Ecbench) -> list[Planned]:
    """The points that have a packetsize; without the axis workload only those of encode, without size only the largest objects."""
    plugins = ecbench.list_plugins()
    grids = read_experiment(words, Language(plugins)).points
    entries = [entry for entry in expand(grids, plugins, ecbench.describe).entries if entry.point.get("packetsize")]
    if not names_axis(words, "workload"):
        entries = [entry for entry in entries if entry.point.workload == "encode"]
    if not names_axis(words, "size"):
        largest = max((entry.point.size for entry in entries), default=0)
        entries = [entry for entry in entries if entry.point.size == largest]
    if not entries:
        raise Refused(f"--grid {' '.join(words)} has no point with a packetsize: give techniques with a packetsize, such as "
                      "cauchy_good")
    groups = {group_of(entry.point) for entry in entries}
    if len(groups) > MOST_PANELS:
        raise Refused(f"--grid {' '.join(words)} needs a chart with {len(groups)} panels, but at most {MOST_PANELS} are allowed "
                      "(points in one panel differ only in the packetsize); restrict the grid, for example with "
                      "technique=cauchy_good k=6 m=2 size=1M")
    return sorted(entries, key=lambda entry: (group_of(entry.point), int(entry.point.get("packetsize"))))


def names_axis(words: Sequence[str], axis: str) -> bool:
    return any(word.startswith(f"{axis}=") for text in words for word in text.split())


def group_of(point: Point) -> str:
    return PARAMETER.sub("", str(point))


def measure_all(entries: Sequence[Planned], profiler: Profiler, program: str, output: str | None, child: Child,
                budget: Budget) -> tuple[list[Bar], int]:
    """A bar for each point that was profiled within the budget, and the number of points that could not be profiled."""
    progress, broken = Progress(sys.stderr, len(entries)), 0
    rows: list[Bar] = []
    try:
        for number, entry in enumerate(entries):
            if rows and budget.is_spent():
                say(f"the budget of {duration(budget.seconds or 0)} is spent after {number} of {len(entries)} points; to continue, "
                    "run the same command again, which uses these profiles")
                break
            progress.show(entry.point)
            try:
                rows.append(bar_of(entry, profile_of(entry.point, profiler, program, output, child)))
            except Broken as error:
                if error.exit_code == 2:
                    raise
                broken += 1
                say(f"{entry.point}: {error}")
            progress.advance()
    finally:
        progress.close()
    return rows, broken


def profile_of(point: Point, profiler: Profiler, program: str, output: str | None, child: Child) -> dict[str, Any]:
    """The JSON document of a point's profile. It is stored in the default directory of bench.sh profile, or below `output`."""
    subject = find_point(program, point.words(), child)
    path = os.path.join(output, "points", subject.slug) if output else one_profile.default_folder(subject, profiler)
    with Folder(path) as folder:
        kept = read_kept(folder.final("hotspots.json"), program)
        if kept:
            return kept
        document, _ = one_profile.take(subject, profiler, folder, [profiler.name], child)
        folder.keep()
        return document


def read_kept(path: str, program: str) -> dict[str, Any] | None:
    try:
        if os.stat(path).st_mtime < os.stat(program).st_mtime:
            return None
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError):
        return None
    is_ours = isinstance(document, dict) and document.get("format") == hotspot_table.FORMAT and "ir_per_byte" in document
    return document if is_ours else None


def bar_of(entry: Planned, document: dict[str, Any]) -> Bar:
    point = entry.point
    return Bar(group_of(point), int(point.get("packetsize")), entry.chunk_size or 0, entry.padding_percent or 0,
               document["ir_per_byte"], document["kernel"], {item["class"]: item["percent"] for item in document["classes"]})


def classes_of(rows: Sequence[Bar]) -> list[str]:
    """The classes with a share of at least 0.5 % in one or more bars, sorted by their largest share."""
    most = {name: max(row.classes.get(name, 0) for row in rows) for name in PHRASES}
    return [name for name in sorted(most, key=most.__getitem__, reverse=True) if most[name] >= 0.5]


def panels(rows: Sequence[Bar]) -> dict[str, list[Bar]]:
    """Point without packetsize → its bars, one for each packetsize."""
    groups: dict[str, list[Bar]] = {}
    for row in rows:
        groups.setdefault(row.point, []).append(row)
    return groups


def tsv(rows: Sequence[Bar], kinds: Sequence[str]) -> str:
    head = ["point", "packetsize", "chunk_size", "padding_percent", "ir_per_byte", *(f"{name}_percent" for name in kinds)]
    lines = ["\t".join(head)]
    for row in rows:
        lines.append("\t".join([row.point, str(row.packetsize), str(row.chunk_size), f"{row.padding_percent:.2f}",
                                f"{row.ir_per_byte:.4f}", *(f"{row.classes.get(name, 0):.2f}" for name in kinds)]))
    return "\n".join(lines) + "\n"


def markdown(rows: Sequence[Bar], kinds: Sequence[str]) -> list[str]:
    lines: list[str] = []
    for title, group in panels(rows).items():
        head = ["packetsize", "chunk", "padding %", "Ir/byte", *(f"{name} %" for name in kinds)]
        lines += [*([""] if lines else []), f"{title}: {group[0].kernel}", "", f"| {' | '.join(head)} |",
                  f"|{' ---: |' * len(head)}"]
        for row in group:
            cells = [str(row.packetsize), str(row.chunk_size), f"{row.padding_percent:.1f}", f"{row.ir_per_byte:.3f}",
                     *(f"{row.classes.get(name, 0):.1f}" for name in kinds)]
            lines.append(f"| {' | '.join(cells)} |")
    return lines
