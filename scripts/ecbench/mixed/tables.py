"""The tables of mixed."""

from collections.abc import Sequence

from ecbench.mixed.request import DEEP_SCRUB, REPAIR
from ecbench.mixed.result import FACTOR, P50, P95, P99, CodeResult, Doubling, Step
from ecbench.point.wording import figure_text, number_text
from ecbench.terminal.columns import aligned

NONE = "-"
LOWER_BOUND = ">"  # printed before each percentile that is a lower bound, because the foreground could not keep its schedule
# For each background: what one of its operations is called, several of them, and what has been done to a byte.
NAMES = {REPAIR: ("repair", "repairs", "rebuilt"), DEEP_SCRUB: ("scrub", "deep scrubs", "scrubbed")}


def print_result(result: CodeResult) -> None:
    print(f"{result.label}: maximum {figure_text(result.maximum)} operations/s, load {figure_text(result.load)} operations/s")
    for line in aligned(table(result)):
        print("  " + line)
    print(f"  {doubling_text(result.doubling, result.background)}")
    for warning in warnings_of(result):
        print(f"  warning: {warning}")
    print()


def print_summary(results: Sequence[CodeResult]) -> None:
    """One line for each code: the foreground without a background, and with the fastest one."""
    if len(results) < 2:
        return
    _, several, _ = NAMES[results[0].background]
    lines = [["code", "ops/s", "p99 ms", f"with {several} at MB/s", "ops/s", "p99 ms", "p99 doubles at MB/s"]]
    for result in results:
        first, last = result.steps[0], result.steps[-1]
        lines.append([result.label, figure_text(first.operations_per_s), milliseconds(first, P99),
                      figure_text(last.repair_rate / 1e6), figure_text(last.operations_per_s), milliseconds(last, P99),
                      doubling_cell(result.doubling)])
    for line in aligned(lines):
        print(line)
    print()


def doubling_cell(doubling: Doubling) -> str:
    if doubling.why:
        return "inconclusive"
    return f"not up to {figure_text(doubling.reached / 1e6)}" if doubling.rate is None else figure_text(doubling.rate / 1e6)


def table(result: CodeResult) -> list[list[str]]:
    one, _, done = NAMES[result.background]
    titles = [f"{one} MB/s", "ops/s", "GB/s", "p50 ms", "p95 ms", "p99 ms", "foreground CPUs", f"{one} CPUs", f"CPU s/GB {done}"]
    return [titles, *(cells(step) for step in result.steps)]


def cells(step: Step) -> list[str]:
    rate = step.repair_rate / 1e6
    unlimited = " (unlimited)" if step.setting.repair_rate is None else ""
    name = "0" if step.setting.repair_rate == 0 else f"{figure_text(rate)}{unlimited}"
    return [name, figure_text(step.operations_per_s), f"{step.gb_per_s.median:.3f}",
            *(milliseconds(step, share) for share in (P50, P95, P99)), f"{step.foreground_cpus:.2f}", f"{step.repair_cpus:.2f}",
            number_text(step.repair_cpu_seconds_per_gb, 3)]


def milliseconds(step: Step, share: float) -> str:
    value = step.percentile(share)
    return NONE if value is None else f"{LOWER_BOUND if step.unfinished else ''}{figure_text(value)}"


def doubling_text(doubling: Doubling, background: str = REPAIR) -> str:
    one, several, _ = NAMES[background]
    what = f"{FACTOR:g} times the p99 without {several}"
    if doubling.why:
        return f"The {one} rate at which p99 reaches {what} is inconclusive: {doubling.why}."
    if doubling.rate is None:
        return f"p99 does not reach {what} at {one} rates up to {figure_text(doubling.reached / 1e6)} MB/s."
    ends = " to ".join(figure_text((end or 0) / 1e6) for end in (doubling.low, doubling.high))
    return f"p99 reaches {what} at {figure_text(doubling.rate / 1e6)} MB/s of {several} (95 % interval: {ends})."


def warnings_of(result: CodeResult) -> list[str]:
    """Warnings about the machine, about a stalled thread, and about operations that did not start."""
    found = {remark["code"]: remark["text"] for step in result.steps for row in step.rows for remark in row.remarks
             if remark["code"] != "foreground_unfinished"}
    if any(step.unfinished for step in result.steps):
        found["foreground_unfinished"] = (f"{LOWER_BOUND} marks a lower bound: the foreground could not keep its schedule, and "
                                          "some operations did not start")
    return list(found.values())
