"""The charts of mixed. One chart shows the p99 of the foreground at each repair rate. The other chart shows the throughput of the
foreground at each repair rate. Each code has its own line."""

from collections.abc import Callable, Sequence

from ecbench.charts.drawing import LIMIT, Looks, Panel, plain_axes
from ecbench.mixed.request import REPAIR
from ecbench.mixed.result import FACTOR, P99, CodeResult, Step
from ecbench.mixed.tables import NAMES, doubling_text, milliseconds
from ecbench.point.wording import figure_text
from matplotlib.lines import Line2D

HEIGHT, FOOT = 260, 44  # pixels

Value = Callable[[Step], float | None]


def draw(results: Sequence[CodeResult]) -> list[tuple[str, str]]:
    """Returns a pair for each chart: its title and its SVG element."""
    return [("p99 of the foreground", panel(results, lambda step: step.percentile(P99), "milliseconds", has_bound=True)),
            ("Throughput of the foreground", panel(results, lambda step: step.gb_per_s.median, "GB/s"))]


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
