"""Measures a field into a run file, and goes on with one that was interrupted. A contenders run is a sweep's in every way, which
bench.sh report and compare read; its header says beside each point whose it is and in which case, and its rows are short."""

import argparse
import dataclasses
import os
import pathlib
import shlex
import tempfile

from ecbench.contenders.naming import libraries_of
from ecbench.contenders.page_file import PageFile
from ecbench.contenders.qualifying import seconds_of
from ecbench.terminal.console import Refused, say
from ecbench.process.children import Interrupted
from ecbench.terminal.progress import duration
from ecbench.point.expansion import Expansion
from ecbench.runfile.run_file import FIGURES
from ecbench.measure import beginning
from ecbench.measure.session import Session

GRID = "contenders"
SECONDS_FOR_A_PROCESS = 300


class RowsToKeep:
    """An ecbench whose rows are short: there are thousands of them. What the limit is, points of their own measure."""

    def __init__(self, ecbench):
        self._ecbench = ecbench

    def measure(self, words, timeout):
        outcome = self._ecbench.measure([*words, "--limit", "no"], timeout)
        return outcome if outcome.row is None else dataclasses.replace(outcome, row=shortened(outcome.row))


# Of a row: what its point says already, and what follows from the rest.
NOT_KEPT = {"plugin", "profile", "workload", "k", "m", "chunk_count", "sub_chunk_count", "size", "stripe_unit", "chunk_size",
            "erasures", "erased", "erasures_generation", "want", "timing", "cache", "threads", "dispatch", "codec_lib", "command",
            "kb", "objects_per_s", "thread_gb_per_s", "cpu_seconds", "mad_percent", "outliers", "sample_iterations"}


def shortened(row):
    """What is kept of a row: with one sample for each placement, its median one, which is all that an interval is made of; one
    placement keeps all of them."""
    placements = {}
    for sample in row["samples"]:
        placements.setdefault(sample["placement"], []).append(sample["seconds"])
    kept = {key: value for key, value in row.items() if key not in NOT_KEPT and (value is not None or key in FIGURES)}
    return {**kept, "samples": [{"placement": placement, "seconds": seconds} for placement, found in placements.items()
                                for seconds in (found if len(placements) == 1 else [middle(found)])]}


def middle(seconds):
    return sorted(seconds)[len(seconds) // 2]


def begin(arguments, entries, choice, field, environment):
    """The writer and the run. Throws Refused."""
    options = argparse.Namespace(cpu=None, repetitions=arguments.rounds, min_time=arguments.min_time,
                                 timeout=SECONDS_FOR_A_PROCESS, output=arguments.output, seed=arguments.seed)
    expansion = Expansion([entry.header() for entry in entries])
    plugins = {name: {"summary": plugin["summary"], "path": plugin["path"]} for name, plugin in field.plugins.items()}
    more = {"order": "random, a case's points together", "plugins": plugins, "left_out": field.left_out, "tried": choice.tried,
            "wrong_candidates": choice.wrong}
    return beginning.begin(options, expansion, grid_of(arguments), GRID, environment, more=more)


def grid_of(arguments):
    """The command, as far as it says what is measured."""
    words = [f"--{name} {getattr(arguments, name)}" for name in ("shapes", "sizes", "caches", "workloads")]
    if arguments.contenders is not None:
        words.append(f"--contenders {arguments.contenders}")
    return " ".join([GRID, *words, *(f"--isal {folder}" for folder in arguments.isal)])


def check_ours(run):
    if not all("contestant" in entry and "group" in entry for entry in run.header["points"]):
        raise Refused(f"{run.path} is no run of bench.sh contenders: its points are nobody's")


def measure(ecbench, writer, run):
    """All that the run lacks. Throws children.Interrupted."""
    session = Session(run, writer, RowsToKeep(ecbench))
    try:
        session.measure_all()
    except Interrupted:
        say(f"{session.done} of {session.total} measurements are in {writer.path}, and none of them is lost; go on with: "
            f"bench.sh contenders --resume {shlex.quote(str(writer.path))}")
        raise
    finally:
        writer.close()


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


def check_output(path, ecbench):
    """Before the first measurement, not after. Throws Refused."""
    if path is None:
        return check_folder(beginning.folder_of(ecbench.environment()))
    path = pathlib.Path(path)
    if os.path.lexists(path):
        raise Refused(f"--output {path} is not allowed: it is there already, and no run is overwritten")
    if not path.name or path.suffix != ".jsonl":
        raise Refused(f"--output {path} is not allowed: a run file's name ends in .jsonl, and its page stands beside it")
    PageFile(path).check()
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
