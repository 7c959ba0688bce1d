"""Begins a run of bench.sh contenders. In its header, each point has additional keys for the case and the library."""

import os
import pathlib

from ecbench.contenders.candidates import Candidate, Candidates
from ecbench.contenders.page import MODE, file_of
from ecbench.contenders.qualification import estimate
from ecbench.contenders.versions import by_library, entries_of, own_objects
from ecbench.measure import resume, start
from ecbench.measure.budget import seconds_of
from ecbench.measure.cpus import quiet_cpus
from ecbench.measure.ecbench import Ecbench
from ecbench.runfile.environment import Environment
from ecbench.runfile.header import Options
from ecbench.runfile.run_file import Run, RunWriter
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import duration

SECONDS_FOR_A_PROCESS = 300


def begin(asked: resume.Asked, candidates: Candidates, environment: Environment) -> tuple[RunWriter, Run]:
    """The points are not planned yet. Throws Refused."""
    arguments = asked.arguments
    plugins = {name: {"summary": plugin.summary, "path": plugin.path} for name, plugin in candidates.plugins.items()}
    options = Options(arguments.min_time, SECONDS_FOR_A_PROCESS, quiet_cpus(1), limit=False)
    command = " ".join([MODE, *arguments.words, *(f"--isal {folder}" for folder in arguments.isal)])
    more = {"order": "random, with the points of a case together", "plugins": plugins, "left_out": candidates.left_out,
            "grid": command}
    begun = start.Start(MODE, asked.words, arguments.rounds, options, arguments.seed, output=arguments.output, more=more)
    return start.begin(begun, environment)


def check_libraries(ecbench: Ecbench, run: Run) -> None:
    """Throws Refused if a directory no longer contains the libisal with which the run began."""
    for group in by_library(entries_of(run)).values():
        point = group[0].point
        if point.codec_lib is None:
            continue
        now = ecbench.environment(["--plugin", point.plugin, "--codec-lib", point.codec_lib]).shared_objects
        known = {(one.name, one.version, one.build_id) for one in now}
        for library in own_objects(group):
            if (library.name, library.version, library.build_id) not in known:
                raise Refused(f"{run.path} cannot be resumed: {library.name} in {point.codec_lib} is not the library with which "
                              f"the run began ({library}); begin a new run, without --resume")


def check_output(output: str | os.PathLike | None) -> None:
    """Throws Refused."""
    if output is not None:
        if pathlib.Path(output).suffix != ".jsonl":
            raise Refused(f"--output {output} is not allowed: give a name that ends in .jsonl")
        resume.check_output(output)
        file_of(output).check()


def print_estimate(candidates: Candidates, more: list[Candidate], asked: resume.Asked) -> float:
    """Prints what will be measured, and how long this will take. Returns the share of this time for the qualifying rounds."""
    arguments = asked.arguments
    chosen = [*(group[0] for group in candidates.groups()), *more]
    cases, libraries = {one.case for one in candidates.all}, {one.library for one in candidates.all}
    first = estimate(candidates)
    seconds = first + seconds_of(arguments.rounds * len(chosen), arguments.min_time)
    say(f"{len(cases)} cases, {len(libraries)} libraries, {len(chosen)} points, {arguments.rounds} rounds, "
        f"{arguments.min_time:g} s for each measurement: about {duration(asked.budget.announce(seconds))}")
    return first / seconds
