"""The page of a run of mixed: one HTML file without references to other files. Its charts show the p99 and the throughput of the
foreground at each repair rate, with a line for each code. Importing this module needs matplotlib and jinja2."""

import pathlib
from collections.abc import Callable, Sequence

from ecbench.charts.drawing import LIMIT, Looks, Panel, plain_axes
from ecbench.charts.page import render, script_data
from ecbench.mixed import document
from ecbench.mixed.request import REPAIR, Request
from ecbench.mixed.result import FACTOR, P99, CodeResult, Step
from ecbench.mixed.tables import NAMES, doubling_text, milliseconds, table, warnings_of
from ecbench.point.wording import figure_text
from ecbench.runfile.run_file import Run
from markupsafe import Markup
from matplotlib.lines import Line2D

HEIGHT, FOOT = 260, 44  # pixels

Value = Callable[[Step], float | None]


def text_of(request: Request, results: Sequence[CodeResult], run: Run) -> str:
    charts = [("p99 of the foreground", panel(results, lambda step: step.percentile(P99), "milliseconds", has_bound=True)),
              ("Throughput of the foreground", panel(results, lambda step: step.gb_per_s.median, "GB/s"))]
    names = NAMES[request.background]
    return render(pathlib.Path(__file__).with_name("page.html.j2"), mode="mixed", title=f"Client operations during {names[1]}",
                  names=names, request=request, run=run, is_void=any(result.doubling.why for result in results),
                  troubles=[(result.label, lines) for result in results if (lines := warnings_of(result))],
                  data=script_data(document.text(request, results, run)),
                  charts=[(title, Markup(svg)) for title, svg in charts],
                  tables=[(result, table(result), doubling_text(result.doubling, result.background)) for result in results])


def panel(results: Sequence[CodeResult], value: Value, label: str, has_bound: bool = False) -> str:
    looks = Looks(result.label for result in results)
    _, several, done = NAMES[results[0].background if results else REPAIR]
    handles = [Line2D([], [], label=result.label, markersize=6, **looks[result.label]) for result in results]
    if has_bound:
        handles.append(Line2D([], [], color=LIMIT, linestyle=":", label=f"{FACTOR:g} times the p99 without {several}"))
    drawn = Panel(HEIGHT + FOOT, 50, 14, FOOT, 10, handles)
    axes = drawn.axes
    for result in results:
        points = [(step, height) for step in result.steps if (height := value(step)) is not None]
        axes.plot([step.repair_rate / 1e6 for step, _ in points], [height for _, height in points], markersize=6,
                  **looks[result.label])
        for step, height in points:
            drawn.mark(step.repair_rate / 1e6, height, tooltip(result, step), markersize=6, **looks[result.label])
        if has_bound and points:
            bound = FACTOR * points[0][1]
            axes.plot([0, points[-1][0].repair_rate / 1e6], [bound, bound], color=looks[result.label]["color"], linestyle=":",
                      linewidth=1)
    axes.set_xlabel(f"{several}, {done} MB/s")
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    plain_axes(axes, "both")
    description = f"Foreground during {several}. x axis: their rate; y axis: {label}. " + " ".join(
        f"{result.label}: {doubling_text(result.doubling, result.background)}" for result in results)
    return drawn.svg(description)


def tooltip(result: CodeResult, step: Step) -> str:
    return (f"{result.label}: {NAMES[result.background][1]} {figure_text(step.repair_rate / 1e6)} MB/s; foreground "
            f"{step.gb_per_s.median:.3f} GB/s, p99 {milliseconds(step, P99)} ms")
