"""Begins a run, or resumes one on the same machine, with the same build of ecbench and the same plugins and codec libraries."""

import dataclasses
import datetime
import itertools
import os
import pathlib
import platform
import re
import secrets
from collections.abc import Sequence

from ecbench.documents.document import Json, Unlike, refuse_controls
from ecbench.files.inputs import results_folder, without_home
from ecbench.installation.places import command
from ecbench.point.point import Planned
from ecbench.runfile.environment import Environment, codecs_of, difference, machine_of
from ecbench.runfile.header import Header, Options
from ecbench.runfile.run_file import Run, RunWriter, now, points_of, read_run
from ecbench.terminal.console import Refused

RANDOM = "random"
INSTEAD = "begin a new run, without --resume"


def folder_of(environment: Environment) -> pathlib.Path:
    return results_folder() / machine_of(environment).slug


def path_of(output: str | os.PathLike[str] | None, name: str, environment: Environment) -> pathlib.Path:
    """`output`, or a path with `name`, the date and the time, and a number if another run began in the same second."""
    if output:
        return pathlib.Path(output)
    stem = f"{name}-{datetime.datetime.now().strftime('%Y-%m-%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    paths = (folder_of(environment) / f"{name}.jsonl" for name in names)
    return next(path for path in paths if not path.exists())


def begin(environment: Environment, mode: str, words: Sequence[str], rounds: int, options: Options, seed: int | None = None,
          points: Sequence[Planned] = (), output: str | os.PathLike[str] | None = None, name: str | None = None,
          order: str = RANDOM, more: Json | None = None) -> tuple[RunWriter, Run]:
    """Begins a run on this machine. `words`: arguments of the mode, for --resume. `seed`: None: random. `name`: the part of the
    file name before date and time (None: the mode). `more`: additional keys of the header. Throws Refused."""
    path = path_of(output, name or mode, environment)
    words = [re.sub(r"[\t-\r]", " ", without_home(word)) for word in words]
    json = {
        "run": path.stem, "mode": mode, "words": words, "grid": " ".join(words),
        "seed": secrets.randbits(32) if seed is None else seed, "repetitions": rounds, "order": order,
        "options": dataclasses.asdict(options), "started": now(), "host": platform.node(),
        "machine": dataclasses.asdict(machine_of(environment)), "environment": environment.json,
        "points": [one.to_json() for one in points], "dropped": [], "merged": 0, **(more or {})}
    try:
        refuse_controls(json)  # the file could not be read again
    except Unlike as unlike:
        raise Refused(f"no run file can be written: {unlike}") from unlike
    header = Header.read(json)
    header.points = list(points)
    return RunWriter.create(path, json), Run(path, header, points_of(points))


def go_on(path: str | os.PathLike[str], environment: Environment) -> tuple[RunWriter, Run]:
    """Resumes a run. Throws Refused if the run is finished, or if it cannot be continued under the same conditions."""
    run = read_run(path, drop_cut_off=True)
    if run.finished:
        raise Refused(f"{run.path} is finished; nothing is left to measure")
    for what, of in (("machine", lambda given: dataclasses.asdict(machine_of(given))), ("program under test", codecs_of)):
        before, facts = of(run.header.environment), of(environment)
        if run.header.points:  # all points are planned, so none uses a plugin that was built later
            facts = {key: facts.get(key) for key in before}
        if found := difference(before, facts):
            raise Refused(f"{run.path} cannot be resumed, because the {what} has changed ({found}); {INSTEAD}")
    options = run.header.options
    if lacking := [name for name in ("cpus", "min_time", "timeout") if not getattr(options, name)]:
        raise Refused(f"{run.path} cannot be resumed: the options in its first line lack {lacking[0]}; {INSTEAD}")
    if missing := set(options.cpus) - os.sched_getaffinity(0):
        raise Refused(f"{run.path} cannot be resumed: it measured on CPU {min(missing)}, which is not an allowed CPU of this "
                      f"process; {INSTEAD}")
    writer = RunWriter.resume(run.path)
    writer.append("resumed", at=now(), environment=environment.json)
    return writer, run


def newest_unfinished(mode: str, environment: Environment) -> pathlib.Path:
    """The unfinished run of this mode on this machine whose file was changed last. Throws Refused if there is none."""
    folder = folder_of(environment)
    for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True):
        try:
            run = read_run(path, drop_cut_off=True)
        except Refused:  # no message, because the user did not name this file
            continue
        if not run.finished and run.mode == mode:
            return path
    raise Refused(f"no unfinished run of {command(mode)} is in {folder}; give the file of a run: --resume FILE")
