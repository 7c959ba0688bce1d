"""profile --grid: for each packetsize, the instructions per byte of the object, and the share of each class of functions, counted
by callgrind, as a table and a chart."""

import dataclasses
import pathlib
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from ecbench.documents.document import Json
from ecbench.experiment.expansion import expand
from ecbench.experiment.experiment import read_experiment
from ecbench.files.inputs import results_folder
from ecbench.measure.budget import Budget
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.page import charts
from ecbench.page.block import Block, Chart, Column, Form, Kind, table
from ecbench.page.charts import NoPage, svg
from ecbench.point.axes import Language
from ecbench.point.point import Planned, Point
from ecbench.process.children import Child
from ecbench.profile import one_profile
from ecbench.profile.hotspot_table import PHRASES
from ecbench.profile.one_profile import new_files
from ecbench.profilers.profilers import Profiler, write
from ecbench.profilers.subject import Broken, find_point, slug_of
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import Progress, duration

WIDTH = 560  # pixels
FILES = ("packetsize.md", "packetsize.svg")
MOST_PANELS = 12
PARAMETER = re.compile(r" packetsize=\d+")


@dataclasses.dataclass(frozen=True)
class Bar:
    """The instruction counts of one point, and the row of the table. Bars with the same `point` differ only in the packetsize."""

    point: str  # text of the point without its packetsize
    packetsize: int
    chunk_size: int
    padding_percent: float
    ir_per_byte: float
    kernel: str
    classes: dict[str, float]  # class → share in percent


@dataclasses.dataclass(frozen=True)
class ClassRow:
    """A part of a bar: the instructions of a class of functions."""

    code: Annotated[str, Column(title="Packetsize")]
    instructions: Annotated[float, Column(title="instructions per byte of the object", form=Form.FIGURE)]
    kind: Annotated[str, Column(title="Class")]
    text: Annotated[str, Column()]


CHART = Chart(Kind.BARS, "", "instructions", text="text", colour="kind")
Panels = dict[str, list[Bar]]  # point without packetsize → its bars


def run(words: list[str], profiler: Profiler, program: str, output: str | None, child: Child, budget: Budget) -> list[str]:
    """Returns the lines for stdout: the Markdown tables, and the directory of the files."""
    program = find_program(program)
    entries = choose(words, Ecbench(program, child))
    path = pathlib.Path(output or results_folder() / "profiles" / slug_of("-".join(words))[:100]).absolute()
    with new_files(path) as folder:
        bars, broken = measure_all(entries, profiler, program, output, child, budget)
        if not bars:
            raise Broken("no point could be profiled")
        panels: Panels = {}
        for bar in bars:
            panels.setdefault(bar.point, []).append(bar)
        kinds = classes_of(bars)
        lines = list(markdown(panels, kinds))
        write(folder / "packetsize.md", "\n".join(lines) + "\n")
        try:
            write(folder / "packetsize.svg", svg(spec(panels, kinds)))
        except NoPage as no_page:
            say(no_page)
        names = [name for name in FILES if (folder / name).exists()]
    if broken:
        say(f"{broken} of {len(entries)} points could not be profiled")
    return [*lines, f"files in {path}: {', '.join(names)}"]


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
                say(f"the budget of {duration(budget.seconds or 0)} is spent after {number} of {len(entries)} points; the table "
                    "has these")
                break
            progress.show(entry.point)
            try:
                # Stored where bench.sh profile stores it, or below `output`.
                subject = find_point(program, entry.point.words(), child)
                path = pathlib.Path(output, "points", subject.slug) if output else one_profile.default_folder(subject, profiler)
                with new_files(path.absolute()) as folder:
                    rows.append(bar_of(entry, one_profile.take(subject, profiler, folder, [profiler.name], child)[0]))
            except Broken as error:
                if error.exit_code == 2:
                    raise
                broken += 1
                say(f"{entry.point}: {error}")
            progress.advance()
    finally:
        progress.close()
    return rows, broken


def bar_of(entry: Planned, document: dict[str, Any]) -> Bar:
    point = entry.point
    return Bar(group_of(point), int(point.get("packetsize")), entry.chunk_size or 0, entry.padding_percent or 0,
               document["ir_per_byte"], document["kernel"], {item["class"]: item["percent"] for item in document["classes"]})


def classes_of(rows: Sequence[Bar]) -> list[str]:
    """The classes with a share of at least 0.5 % in one or more bars, sorted by their largest share."""
    most = {name: max(row.classes.get(name, 0) for row in rows) for name in PHRASES}
    return [name for name in sorted(most, key=most.__getitem__, reverse=True) if most[name] >= 0.5]


def markdown(panels: Panels, kinds: Sequence[str]) -> Iterable[str]:
    for title, bars in panels.items():
        yield from (f"{title}: {bars[0].kernel}", "")
        yield from table(["packetsize", "chunk", "padding %", "Ir/byte", *(f"{name} %" for name in kinds)],
                         [[str(bar.packetsize), str(bar.chunk_size), f"{bar.padding_percent:.1f}", f"{bar.ir_per_byte:.3f}",
                           *(f"{bar.classes.get(name, 0):.1f}" for name in kinds)] for bar in bars], [True] * (4 + len(kinds)))
        yield ""


def spec(panels: Panels, kinds: Sequence[str]) -> Json:
    def panel(title: str, bars: Sequence[Bar]) -> Json:
        rows = [ClassRow(f"packetsize {bar.packetsize}", bar.ir_per_byte * bar.classes.get(name, 0) / 100, PHRASES[name],
                         f"{bar.ir_per_byte:.2f}" if name == kinds[0] else "") for bar in bars for name in kinds]
        made = charts.picture(Block("", "", ClassRow, rows, [CHART]), CHART, rows, WIDTH)
        return {**{key: value for key, value in made.items() if key not in ("config", "autosize", "padding")}, "title": title}

    return {"config": charts.config(is_dark=False), "background": "white",
            "title": "Instructions per byte of the object for each packetsize (callgrind)",
            "vconcat": [panel(title, bars) for title, bars in panels.items()]}
