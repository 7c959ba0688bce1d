"""Begins the run of a field, or continues one that was interrupted, and checks beforehand that it can be written. Sweep's tools
read such a run: bench.sh report and compare. Its points say to which case and contestant they belong, and its rows are short."""

import os
import pathlib
import tempfile

from ecbench.contenders.naming import libraries_of
from ecbench.contenders.page_file import PageFile
from ecbench.contenders.qualifying import seconds_of
from ecbench.files.written_files import check_apart
from ecbench.measure import start
from ecbench.terminal.console import Refused, say
from ecbench.terminal.progress import duration

MODE = "contenders"
SECONDS_FOR_A_PROCESS = 300


def begin(asked, field, environment):
    """The writer and the run, which has no planned points yet. Throws Refused."""
    arguments = asked.arguments
    plugins = {name: {"summary": plugin["summary"], "path": plugin["path"]} for name, plugin in field.plugins.items()}
    options = start.Options(arguments.min_time, SECONDS_FOR_A_PROCESS, start.quiet_cpus(1), limit=False)
    more = {"order": "random, a case's points together", "plugins": plugins, "left_out": field.left_out, "grid": grid_of(arguments)}
    return start.begin(start.Start(MODE, asked.words, arguments.rounds, options, arguments.seed, output=arguments.output,
                                   more=more),
                       environment)


def grid_of(arguments):
    """The command, as far as it says what is measured."""
    return " ".join([MODE, *arguments.words, *(f"--isal {folder}" for folder in arguments.isal)])


def check_libraries(ecbench, run):
    """That each folder with a codec library still has the one that the run began with, by whose version its column is called.
    Throws Refused."""
    folders = {entry["contestant"]: run.points[entry["id"]] for entry in run.header["points"]
               if run.points[entry["id"]].codec_lib is not None}
    for contestant, point in folders.items():
        now = ecbench.environment(["--plugin", point.plugin, "--codec-lib", point.codec_lib])["shared_objects"]
        known = {(library["name"], library["version"], library["build_id"]) for library in now}
        for library in libraries_of(run, contestant):
            if (library.name, library.version, library.build_id) not in known:
                raise Refused(f"{run.path} cannot be resumed: {library.name} in {point.codec_lib} is not the one that it began "
                              f"with ({library}); begin a run of its own, without --resume")


def check_output(path, isal, ecbench):
    """Before the first measurement, not after. Throws Refused."""
    if path is None:
        check_folder(start.folder_of(ecbench.environment()))
        return
    path = pathlib.Path(path)
    if os.path.lexists(path):
        raise Refused(f"--output {path} is not allowed: it is there already, and no run is overwritten")
    if not path.name or path.suffix != ".jsonl":
        raise Refused(f"--output {path} is not allowed: a run file's name ends in .jsonl, and its page stands beside it")
    page = PageFile(path)
    libraries = [file for folder in isal for file in pathlib.Path(folder).iterdir()]
    check_apart([("the page", page.path)], [("--ecbench", ecbench.program), *(("--isal", file) for file in libraries)])
    page.check()
    check_folder(path.parent)


def check_folder(folder):
    """That files can be written there, or else that it can be made."""
    try:
        there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
        tempfile.TemporaryFile(dir=there).close()
    except OSError as error:
        raise Refused(f"the run cannot be written: {folder}: {error.strerror}") from error


def tell_estimate(field, yardsticks, arguments):
    """What will be measured, and how long that takes beside the choice of candidates, which tells its own time."""
    places = field.candidates()
    cases = {case for case, _ in places}
    seconds = sum(seconds_of(case, arguments.min_time) for case in [case for case, _ in places] + [one.case for one in yardsticks])
    say(f"{len(cases)} cases, {len({name for _, name in places})} contestants, {len(places) + len(yardsticks)} points, "
        f"{arguments.rounds} rounds of {arguments.min_time:g} s each: about {duration(arguments.rounds * seconds)} on a quiet "
        "machine")
