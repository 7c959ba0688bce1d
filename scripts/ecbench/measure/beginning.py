"""How a run begins or goes on: its header, its name and place, and whether a run that is to be resumed is of this machine and of
these codecs."""

import datetime
import os
import pathlib
import secrets

from ecbench.terminal.console import Refused
from ecbench.measure.ecbench import ROOT
from ecbench.measure.pinning import quiet_cpus
from ecbench.runfile.machine import codecs_of, difference, machine_of
from ecbench.runfile.run_file import RunWriter, now, read_run

RESULTS = ROOT / "results"
DEFAULT_REPETITIONS = 2
DEFAULT_MIN_TIME = 0.2


def cpus_for(points, options):
    """Those that were asked for, else as many as the points have threads."""
    return options.cpu or quiet_cpus(max(point.threads for point in points))


def run_options(options, points, source=None):
    """What a run's header says of how it measures; one that repeats another's points does as that did unless told otherwise."""
    before = source.header if source else {"repetitions": DEFAULT_REPETITIONS, "options": {}}
    repetitions = options.repetitions or before["repetitions"]
    min_time = options.min_time or before["options"].get("min_time", DEFAULT_MIN_TIME)
    return repetitions, {"min_time": min_time, "timeout": options.timeout, "cpus": cpus_for(points, options)}


def folder_of(environment):
    """Where a machine's runs are."""
    return RESULTS / machine_of(environment)["slug"]


def begin(options, expansion, grid, name, environment, source=None, more=None):
    """The run file's writer and the run, begun; `more` is what its header says beside, or otherwise."""
    points = [entry["point"] for entry in expansion.entries]
    repetitions, how = run_options(options, points, source)
    machine = machine_of(environment)
    run = f"{name or 'sweep'}-{datetime.datetime.now().strftime('%Y-%m-%d-%H%M%S')}"
    path = pathlib.Path(options.output) if options.output else folder_of(environment) / f"{run}.jsonl"
    seed = secrets.randbits(32) if options.seed is None else options.seed
    entries = [{**entry, "point": entry["point"].to_json()} for entry in expansion.entries]
    writer = RunWriter.create(path, {
        "run": run, "grid": grid, "seed": seed, "repetitions": repetitions, "order": "random", "options": how, "started": now(),
        "machine": machine, "environment": environment, "points": entries, "dropped": expansion.dropped,
        "merged": expansion.merged, **(more or {})})
    return writer, read_run(path)


def go_on(run, environment, instead):
    """The run file's writer, at the end of a run that was broken off; throws Refused where the machine or what is under test is
    another, and says what to do `instead`."""
    if run.finished:
        raise Refused(f"{run.path} is finished: nothing is left to measure")
    for what, of in (("machine", machine_of), ("program under test", codecs_of)):
        if found := difference(of(run.header["environment"]), of(environment)):
            raise Refused(f"{run.path} cannot be resumed, the {what} is another ({found}): begin a run of its own, {instead}")
    missing = set(run.header["options"]["cpus"]) - os.sched_getaffinity(0)
    if missing:
        raise Refused(f"{run.path} cannot be resumed: it measured on CPU {min(missing)}, which may not be used now")
    writer = RunWriter.resume(run.path)
    writer.append("resumed", at=now(), environment=environment)
    return writer


def is_contest(run):
    """Whether it is one of bench.sh contenders, whose rows are others."""
    return any("contestant" in entry for entry in run.header["points"])


def newest_unfinished(environment):
    """The sweep of this machine that was broken off last."""
    folder = folder_of(environment)
    for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True):
        try:
            run = read_run(path, drop_cut_off=True)
            if not run.finished and not is_contest(run):
                return run
        except Refused:  # not a run, or not whole: only one that is named is worth a word
            continue
    raise Refused(f"there is no unfinished run in {folder}: name one, --resume FILE")


