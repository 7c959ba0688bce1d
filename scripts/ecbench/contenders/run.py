"""Begins a run of bench.sh contenders. Before the first measurement, functions of this module check that the run can be written or
resumed. bench.sh report and bench.sh compare can also read this run. In its header, each point has additional keys for the case and
the library. The rows are in the short form (short_row.py)."""

import argparse
import os
import pathlib
import tempfile
from collections.abc import Sequence

from ecbench.contenders.candidates import Candidate, Candidates
from ecbench.contenders.entries import entries_of
from ecbench.contenders.page import PageFile
from ecbench.contenders.qualification import seconds_of
from ecbench.contenders.versions import by_library, own_objects
from ecbench.files.written_files import check_apart
from ecbench.measure import start
from ecbench.measure.ecbench import Ecbench
from ecbench.measure.resume import Asked
from ecbench.runfile.run_file import Run, RunWriter
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import duration

MODE = "contenders"
SECONDS_FOR_A_PROCESS = 300


def begin(asked: Asked, candidates: Candidates, environment: dict) -> tuple[RunWriter, Run]:
    """Begins a run. Its points are not planned yet. Throws Refused."""
    arguments = asked.arguments
    plugins = {name: {"summary": plugin["summary"], "path": plugin["path"]} for name, plugin in candidates.plugins.items()}
    options = start.Options(arguments.min_time, SECONDS_FOR_A_PROCESS, start.quiet_cpus(1), limit=False)
    command = " ".join([MODE, *arguments.words, *(f"--isal {folder}" for folder in arguments.isal)])
    more = {"order": "random, with the points of a case together", "plugins": plugins, "left_out": candidates.left_out,
            "grid": command}
    begun = start.Start(MODE, asked.words, arguments.rounds, options, arguments.seed, output=arguments.output, more=more)
    return start.begin(begun, environment)


def check_libraries(ecbench: Ecbench, run: Run) -> None:
    """Throws Refused if a directory no longer contains the libisal with which the run began. The title of a column contains the
    version of this libisal, so the column must not contain measurements of another libisal."""
    for group in by_library(entries_of(run)).values():
        point = group[0].point
        if point.codec_lib is None:
            continue
        now = ecbench.environment(["--plugin", point.plugin, "--codec-lib", point.codec_lib])["shared_objects"]
        known = {(facts["name"], facts["version"], facts["build_id"]) for facts in now}
        for library in own_objects(group):
            if (library.name, library.version, library.build_id) not in known:
                raise Refused(f"{run.path} cannot be resumed: {library.name} in {point.codec_lib} is not the library with which "
                              f"the run began ({library}); begin a new run, without --resume")


def check_output(output: str | os.PathLike | None, isal_folders: Sequence[str], ecbench: Ecbench) -> None:
    """Throws Refused if the run file or the page cannot be written."""
    if output is None:
        check_folder(start.folder_of(ecbench.environment()))
        return
    path = pathlib.Path(output)
    if os.path.lexists(path):
        raise Refused(f"--output {path} is not allowed: it exists, and runs are not overwritten; give another name")
    if not path.name or path.suffix != ".jsonl":
        raise Refused(f"--output {path} is not allowed: give a name that ends in .jsonl")
    page = PageFile(path)
    libraries = [file for folder in isal_folders for file in pathlib.Path(folder).iterdir()]
    check_apart([("the page", page.path)], [("--ecbench", ecbench.program), *(("--isal", file) for file in libraries)])
    page.check()
    check_folder(path.parent)


def check_folder(folder: pathlib.Path) -> None:
    """Throws Refused if files cannot be created in `folder`. If `folder` does not exist, its nearest existing parent is checked."""
    try:
        existing = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        raise Refused(f"the run cannot be written: {folder}: {error.strerror}") from error


def print_estimate(candidates: Candidates, limits: list[Candidate], arguments: argparse.Namespace) -> None:
    """Prints what will be measured, and how long the rounds will take. The time does not include the qualifying rounds, because
    qualification.py prints their time."""
    chosen = [*(group[0] for group in candidates.groups()), *limits]
    cases, libraries = {one.case for one in candidates.all}, {one.library for one in candidates.all}
    seconds = arguments.rounds * sum(seconds_of(one.case, arguments.min_time) for one in chosen)
    say(f"{len(cases)} cases, {len(libraries)} libraries, {len(chosen)} points, {arguments.rounds} rounds, "
        f"{arguments.min_time:g} s for each measurement: about {duration(seconds)} on a quiet machine")
