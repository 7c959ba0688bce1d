"""An experiment from its points to its results: begins or resumes the run file, measures, and prints the results. Also prints
information about the points at the start."""

import dataclasses
import operator
import shlex
from collections.abc import Callable, Sequence

from ecbench.comparison.comparison import exit_code
from ecbench.comparison.figures import SELECT
from ecbench.documents.document import Json
from ecbench.experiment.cases import Points, grouped
from ecbench.experiment.expansion import Expansion
from ecbench.experiment.experiment import Experiment
from ecbench.experiment.measuring import Measuring
from ecbench.experiment.results import Results, experiment_of
from ecbench.experiment.screen import print_lines, screen_lines
from ecbench.installation.places import IS_BUNDLE, command, given
from ecbench.measure import resume
from ecbench.measure.ecbench import Ecbench
from ecbench.measure.machine import machine_lock, quiet_cpus
from ecbench.measure.session import BY_CASE, LEAST_SAMPLES, Budget, Session, by_ecbench, seconds_of
from ecbench.point.point import Planned, bytes_text, number_text
from ecbench.process.process import Interrupted
from ecbench.runfile.header import Environment, Options
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import Marks, min_time_text, summarize
from ecbench.statistics.interval import median
from ecbench.terminal.console import OutOfTime, Refused, aligned, duration, plain, say, warn

MOST_LINES = 40  # a longer list of points is only in the run file and on the page
MUCH_PADDING = 25  # percent
NO_OPTIONS = Options()


def tell_grid(expansion: Expansion) -> None:
    if expansion.merged:
        say(f"{expansion.merged} combinations of axes give the same point as another combination; each point is measured once")
    for reason in expansion.dropped:
        say(reason)
    padded = [percent for entry in expansion.entries if (percent := entry.padding_percent or 0) > MUCH_PADDING]
    if padded:
        say(f"{len(padded)} of {len(expansion.entries)} points have more than {MUCH_PADDING} % padding, up to {max(padded):.0f} %, "
            f"which GB/s does not count; max-padding={MUCH_PADDING} leaves them out")


def check_reference(experiment: Experiment, expansion: Expansion) -> None:
    """If combinations are dropped, reports cases without a comparison. Throws Refused if no other case is left, or if the reference
    of a case is ambiguous."""
    if not experiment.reference:
        return
    points = Points(expansion.entries, experiment)
    reference = " ".join(f"{key}={value}" for key, value in experiment.reference)
    of_cases = [[name for name, identity in case.ids.items() if points.is_reference(identity)] for case in points.cases]
    if several := next((names for names in of_cases if len(names) > 1), None):
        raise Refused(f"the reference {reference} is ambiguous: {', '.join(several)} of one case have it; add properties to "
                      "reference")
    uncompared = sum(len(names) in (0, len(case.ids)) for names, case in zip(of_cases, points.cases, strict=True))
    if expansion.dropped and uncompared == len(points.cases):
        raise Refused(f"nothing can be compared with the reference {reference}, because combinations are dropped "
                      f"({expansion.dropped[0].why}); change the axes")
    if expansion.dropped and uncompared:
        say(f"{uncompared} of {len(points.cases)} cases have no comparison: they lack the reference {reference} or another "
            "candidate")


def tell_estimate(environment: Environment, experiment: Experiment, entries: Sequence[Planned], rounds: int, min_time: float,
                  budget: Budget, done: int = 0) -> None:
    for trouble in environment.unfit:
        warn(trouble)
    if experiment.stages:
        measuring = Measuring(experiment, entries, budget)
        seconds = sum(measuring.seconds(case, rounds, min_time) for case in measuring.cases)
        limited = f"; the budget ends after {duration(allowed)}" if (allowed := budget.announce(seconds)) < seconds else ""
        cases = f" in {len(measuring.cases)} cases, one after another" if len(measuring.cases) > 1 else ""
        say(f"{len(entries)} points{cases}; all take about {duration(seconds)}{limited}")
    else:
        rest = f"; {done} measurements are done; the rest" if done else "; this"
        seconds = seconds_of(len(entries) * rounds - done, min_time)
        limited = "at most " * ((allowed := budget.announce(seconds)) < seconds)
        say(f"{len(entries)} points, {limited}{rounds} times each, {limited}{min_time:g} s of samples per measurement{rest} takes "
            f"about {duration(allowed)}")


def environment_of(program: Ecbench, entries: Sequence[Planned], asked: Sequence[int] | None) -> tuple[Sequence[int], Environment]:
    """The CPUs that measure, if none are given the quiet ones, and the environment. Throws Refused."""
    threads = max(entry.point.threads for entry in entries)
    cpus = asked or quiet_cpus(threads)
    return cpus, program.environment(["--cpu", ",".join(map(str, cpus)), "--threads", str(threads)])


def measure(asked: resume.Asked, program: Ecbench, experiment: Experiment, entries: Sequence[Planned], mode: str,
            options: Options = NO_OPTIONS, rounds: int = 0, more: Json | None = None,
            show: Callable[[Run], object] | None = None) -> Run:
    """Measures what has no result yet in the run that is resumed, or in a new one with the given options. Returns the finished run.
    `more`: keys of its header. `show` prints the results of a run that ends early. Throws Refused, Interrupted and OutOfTime."""
    if asked.run and asked.run.finished:
        return asked.run
    with machine_lock(program.child, asked.budget.left()):
        asked.limit(experiment.budget)
        budget = asked.budget
        if asked.run:
            writer, run = resume.go_on(asked.run.path, program.environment())
        else:
            cpus, environment = environment_of(program, entries, options.cpus)
            planned, order = ([], BY_CASE) if experiment.stages else (list(entries), resume.RANDOM)
            writer, run = resume.begin(
                environment, mode, asked.words, rounds, dataclasses.replace(options, cpus=cpus), asked.arguments.seed, planned,
                asked.arguments.output, experiment.name or mode, order, {"experiment": experiment.to_json(), **(more or {})})
        header = run.header
        tell_estimate(header.environment, experiment, entries, header.repetitions, header.options.min_time, budget, len(run.done()))
        # Only a duration that the user gave is kept if the time does not suffice.
        least = header.options.min_time if given(asked.words, "--min-time") else LEAST_SAMPLES
        measuring = Measuring(experiment, entries, budget, least)
        with Session(run, writer, by_ecbench(program, run, budget=budget), budget=budget) as session:
            try:
                measuring.measure(session, run)
            except (Interrupted, OutOfTime):
                (show or print_summary)(measuring.provisional(run))
                raise
            session.end()
    return run


def close(run: Run) -> int:
    """Prints the results of a finished run, and returns the exit code."""
    print_summary(run)
    if wrong := run.wrong_bytes():
        say(f"WRONG BYTES in {wrong} of {run.total()} measurements: a code does not return the object")
    return exit_code(run, wrong, sum(map(len, run.rows.values())))


def print_summary(run: Run) -> None:
    results, more, experiment = Results.of_run(run), how_to_measure_more(run), experiment_of(run)
    if experiment.view and (screen := list(screen_lines(run, results, more))):
        print_lines(screen)
        return
    summaries = summarize(run)
    measured = [summary for summary in summaries if summary.gb_per_s is not None]
    rows, failures = (sum(map(len, of.values())) for of in (run.rows, run.failures))
    unmeasured = sum(summary.is_unmeasured for summary in summaries)
    print(f"run: {plain(run.path)}")
    print(f"{len(summaries)} points, {rows} rows, {failures} failures" + f", {unmeasured} points not measured" * bool(unmeasured)
          + f"; {min_time_text(run)} s of samples per measurement" * bool(rows))
    of_sizes = grouped(sorted((summary.point.size, width) for summary in measured
                              if (width := summary.estimate.width_percent) is not None), operator.itemgetter(0))
    for found in of_sizes:
        print(f"median of the 95 % intervals at {bytes_text(found[0][0])}: ±{median(width for _, width in found):.1f} %")
    if measured:
        if experiment.title:
            print(experiment.title)
        if experiment.table:
            print(*results.tables(), sep="\n")
        elif experiment.together or (len(measured) <= MOST_LINES and experiment.question == SELECT
                                     and any(len(case.ids) > 1 for case, _ in results.cases)):
            print(*results.rankings(), sep="\n")
        elif len(measured) <= MOST_LINES:
            lines = [(str(one.point), f"{one.gb_per_s:.2f}{one.mark}", number_text(one.estimate.width_percent),
                      number_text(one.padding_percent)) for one in sorted(measured, key=lambda one: -(one.gb_per_s or 0))]
            print(*aligned([("point", "GB/s", "±%", "padding %"), *lines]), sep="\n")
        for line in filter(None, (results.empty_calls, results.legend)):
            print(line)
        if note := Marks(run).note(any(summary.mark for summary in measured)):
            print(note)
    if not IS_BUNDLE:  # a bundle does not have the mode report
        print(f"draw charts of this run: {command(f'report {plain(shlex.quote(str(run.path)))}')}")
    print(*results.lines(more), sep="\n")


def how_to_measure_more(run: Run) -> str:
    """The options that continue the run, or that repeat it with twice as many rounds."""
    return f"--rounds {2 * run.header.repetitions}" if run.finished else f"--resume {plain(shlex.quote(str(run.path)))}"
