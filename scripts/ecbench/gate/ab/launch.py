"""Measures a gate ab run: processes of `ecbench --serve-slices`, which prepare a point and run slices of it on command, in pairs
that are started alike, in random order."""

import contextlib
import dataclasses
import os
import pathlib
import random
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, BinaryIO, NoReturn

from ecbench.comparison.figures import INCONCLUSIVE, LOOKS, judge_point
from ecbench.documents.document import Key, Whole, read, read_json
from ecbench.files.files import new_folder
from ecbench.gate.ab.verdicts import GateRun, Plan, Record
from ecbench.gate.sides.sides import CODEC_LIBRARIES, Side
from ecbench.measure.ecbench import lines_said, one_line
from ecbench.measure.session import Budget
from ecbench.point.point import Point
from ecbench.process.process import Child, kill
from ecbench.runfile.header import SharedObject
from ecbench.statistics.interval import median
from ecbench.terminal.console import OutOfTime, Progress, Refused, WrongBytes, refusing, say

PROTOCOL = "ecbench slices 1"
SECONDS_TO_ANSWER = 120.0  # timeout for an answer: about 1000 times the longest expected time
LEAST_SECONDS_TO_ANSWER = 10.0  # even if the budget ends earlier: a code that is only slow does not fail
SECONDS_TO_END = 5.0
SECONDS_BETWEEN_CHECKS = 0.2  # while waiting for an answer, checks for signals at this interval


@dataclasses.dataclass(frozen=True)
class Hello:
    """The first line of the process, when the point is ready."""

    protocol: Annotated[str, Key(words=(PROTOCOL,))]
    chunks_digest: str
    k: Whole
    m: Whole
    chunk_count: Whole
    chunk_size_bytes: Whole
    stripes: Whole
    object_bytes_per_iteration: Whole
    arena_bytes: Whole
    kernel: str | None = None


class SliceServer:
    """A process that runs slices on command. Its methods throw Refused, WrongBytes and Interrupted."""

    def __init__(self, side: Side, process: subprocess.Popen[bytes], said: BinaryIO, child: Child, timeout: float) -> None:
        assert process.stdin and process.stdout
        self._process, self._stdin, self._stdout = process, process.stdin, process.stdout
        self._side = side
        self._said = said
        self._child = child
        self._timeout = timeout
        self._unread = b""
        line = self._read_line("its start")
        try:
            self.hello = read(Hello, read_json(line))
        except ValueError as error:
            self._refuse(f"does not support the protocol '{PROTOCOL}': {error}; it printed '{one_line(line)}'")

    def warm(self, iterations: int) -> None:
        self._ask(f"warm {iterations}", "ok")

    def time(self, iterations: int) -> int:
        """Runs the iterations. Returns their wall-clock time in nanoseconds; the server also prints their CPU time."""
        return int(self._ask(f"time {iterations}", "ns ([1-9][0-9]*) [0-9]+")[1])

    def calibrate(self, nanoseconds: int) -> int:
        """The number of iterations that take about this time."""
        return int(self._ask(f"calibrate {nanoseconds}", "iterations ([1-9][0-9]*)")[1])

    def check(self) -> None:
        found = self._ask("check", "ok|wrong(.*)")
        if found[0] != "ok":
            raise WrongBytes(f"{self._side}: {one_line(found[1]) or 'wrong bytes'}")

    def _ask(self, command: str, wanted: str) -> re.Match[str]:
        """`wanted`: a regular expression that the answer must match."""
        with contextlib.suppress(OSError):  # if the process has ended, _read_line() reports why
            self._stdin.write(command.encode() + b"\n")
        answer = self._read_line(f"the command '{command}'")
        found = re.fullmatch(wanted, answer)
        if not found:
            self._refuse(f"replied '{one_line(answer)}' to the command '{command}'")
        return found

    def _read_line(self, what: str) -> str:
        """The next line without its newline. `what`: for messages, the command that the process should answer, or its start."""
        deadline = time.monotonic() + self._timeout
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        while b"\n" not in self._unread:
            self._child.check()
            left = deadline - time.monotonic()
            if left <= 0:
                self._refuse(f"printed nothing within {self._timeout:g} s after {what}")
            if not poll.poll(1000 * min(left, SECONDS_BETWEEN_CHECKS)):
                continue
            piece = os.read(self._stdout.fileno(), 65536)
            if not piece:
                self._tell_end(what)
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _tell_end(self, what: str) -> NoReturn:
        """Reports how the process ended, which has closed its output."""
        try:
            code = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._refuse(f"closed its output after {what}")
        self._child.check()
        self._said.seek(0)
        said = lines_said(self._said.read().decode("utf-8", "replace"))
        why = said[-1] if said else "no message"
        if code == 2:
            raise WrongBytes(f"{self._side}: {why}")
        if code < 0:
            name = next((one.name for one in signal.Signals if one == -code), "without a name")
            self._refuse(f"was ended by signal {-code} ({name}) after {what}{self._side.ecbench(self._child).limit_note(-code)}")
        self._refuse(f"ended with exit code {code} after {what}: {why}" if code != 1 else f"failed: {why}")

    def _refuse(self, what: str) -> NoReturn:
        raise Refused(f"{self._side}: its slice server {what}")


@contextlib.contextmanager
def started(side: Side, words: list[str], arena: int, child: Child, timeout: float) -> Iterator[SliceServer]:
    """`words`: options for the point and the process. `arena`: the file descriptor of the shared memory."""
    with contextlib.ExitStack() as stack:
        with refusing(f"{side}: {side.program} cannot be run"):
            # A file, because a pipe might become full.
            said = stack.enter_context(os.fdopen(os.memfd_create("ecbench-said"), "w+b"))
            process = side.ecbench(child).serve([*words, *side.codec_words(), "--arena", str(arena)], said, [arena])
        try:
            yield SliceServer(side, process, said, child, timeout)
        finally:
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()
            kill(process)
            process.wait()


# Starts both sides of a launch through symbolic links with paths of the same length. A program allocates memory for its paths, so
# their length moves the tables of a code to other sets of the L1 cache: a copy of a build with a path 15 characters longer was 3 %
# slower or faster at points with many chunks, in every launch. The number of slashes in the paths is random, so that the bias of
# sides that allocate differently averages out.

Sides = dict[str, Side]  # "old" and "new"
Libraries = Mapping[str, Mapping[str, str]]  # "old" or "new" → name and path of each codec library to which it gets a link

MOST_SLASHES = 1500  # so many slashes can change the addresses of later allocations by up to a page


@contextlib.contextmanager
def names_of_one_length(sides: Sides, libraries: Libraries, random_order: random.Random) -> Iterator[Sides]:
    """If only one side loads its codec libraries from a directory, the other gets a directory with links to those of `libraries`: a
    process that loads them from a directory allocates more memory at its start, which moves a code's tables and would make it up to
    4 % faster or slower at points with many chunks."""
    slashes = "/" * random_order.randint(1, MOST_SLASHES)
    with new_folder() as folder:
        linked_sides = {name: linked(side, folder / name, slashes, libraries.get(name, {})) for name, side in sides.items()}
        try:
            yield linked_sides
        except (Refused, WrongBytes) as error:
            text = str(error)
            for name, real in sides.items():
                for path in ("plugin_directory", "program", "codec_lib"):
                    text = text.replace(getattr(linked_sides[name], path) or "\0", getattr(real, path) or "")
            raise type(error)(text) from error


def linked(side: Side, folder: pathlib.Path, slashes: str, libraries: Mapping[str, str]) -> Side:
    codecs = folder / "codecs"
    (codecs if libraries else folder).mkdir(parents=True)
    links = {"ecbench": side.program, "plugins": side.plugin_directory, "codecs": side.codec_lib,
             **{f"codecs/{name}": path for name, path in libraries.items()}}
    for link, target in links.items():
        if target is not None:
            (folder / link).symlink_to(target)
    return dataclasses.replace(side, program=str(folder / "ecbench"), plugin_directory=f"{folder}{slashes}plugins",
                               codec_lib=str(codecs) if libraries or side.codec_lib else None)


def libraries_to_link(old: Side, new: Side, loaded: Mapping[str, Sequence[SharedObject]]) -> Libraries:
    """Those of the side without --codec-lib, if the other side has it. `loaded`: name of a side → what ecbench
    environment lists."""
    given = old.codec_lib or new.codec_lib
    return {key: {one.name: os.path.expanduser(one.path) for one in loaded[side.name]
                  if one.path and one.name in CODEC_LIBRARIES and pathlib.Path(given, one.name).exists()}
            for key, side in (("old", old), ("new", new)) if given and side.codec_lib is None}


class Launcher:
    """A launch allocates new memory, starts a process for each side, and times pairs of slices, alternately on the same CPU and the
    same physical pages. Its result is the median ratio of the pairs, time of NEW / time of OLD. The first launch of a point
    determines the number of iterations in a slice."""

    def __init__(self, old: Side, new: Side, plan: Plan, child: Child, timeout: float = SECONDS_TO_ANSWER,
                 libraries: Libraries | None = None, budget: Budget | None = None) -> None:
        self._sides = {"old": old, "new": new}
        self._libraries = libraries or {}
        self._plan = plan
        self._child = child
        self._timeout = timeout
        self._budget = budget or Budget()
        self._iterations: dict[str, int] = {}

    def launch(self, point: Point, number: int, seed: int) -> dict[str, Any]:
        """The record of a launch, without the point's name. `number`: how many launches of the point were before it."""
        random_order = random.Random(seed)
        begin = time.monotonic()
        first, second = ("old", "new") if number % 2 == 0 else ("new", "old")
        timeout = min(self._timeout, max(self._budget.left(), LEAST_SECONDS_TO_ANSWER))
        words = [*point.words(), "--cpu", str(self._plan.cpu)]
        with refusing("OLD and NEW cannot share memory (memfd_create)"):
            arena = os.memfd_create("ecbench-arena")
        try:
            with names_of_one_length(self._sides, self._libraries, random_order) as sides, \
                 started(sides[first], words, arena, self._child, timeout) as one, \
                 started(sides[second], words, arena, self._child, timeout) as other:
                timed = self._time({first: one, second: other}, point, random_order)
        finally:
            os.close(arena)
        return {"order_seed": seed, "first": first, "seconds": round(time.monotonic() - begin, 3), **timed}

    def _time(self, servers: dict[str, SliceServer], point: Point, random_order: random.Random) -> dict[str, Any]:
        old, new = servers["old"].hello, servers["new"].hello
        for key, before in vars(old).items():
            if before != (now := getattr(new, key)) and key not in ("chunks_digest", "kernel"):
                raise Refused(f"OLD and NEW cannot be compared: {key} is {before} for OLD and {now} for NEW")
        if old.chunks_digest != new.chunks_digest:
            raise WrongBytes("OLD and NEW encode the same object to different chunks")
        if point.id not in self._iterations:
            for server in servers.values():
                server.check()  # before the calibration, because a code that returns wrong bytes needs no calibration
            # The slower side determines it, so that no slice is longer than planned.
            self._iterations[point.id] = min(server.calibrate(self._plan.slice_ns) for server in servers.values())
        iterations = self._iterations[point.id]
        for server in servers.values():
            server.warm(1)
        pairs = [{side: servers[side].time(iterations) for side in order}
                 for order in balanced_orders(self._plan.pairs, random_order)]
        for server in servers.values():
            server.check()
        old_ns, new_ns = ([pair[side] / iterations for pair in pairs] for side in ("old", "new"))
        ratios = [after / before for before, after in zip(old_ns, new_ns)]
        kernels = {f"{side}_kernel": server.hello.kernel or None for side, server in servers.items()}
        return {**kernels, "pairs": len(pairs), "iterations": iterations, "median_ratio": median(ratios),
                "old_ns_per_iteration": round(median(old_ns), 1), "new_ns_per_iteration": round(median(new_ns), 1),
                "ratios": [round(ratio, 5) for ratio in ratios]}


def balanced_orders(pairs: int, random_order: random.Random) -> list[tuple[str, str]]:
    """Which side runs first in each pair. Two pairs run old, new, new, old, or the reverse, at random: no side has an advantage if
    the speed of the machine changes steadily."""
    orders: list[tuple[str, str]] = []
    while len(orders) < pairs:
        orders += random_order.choice(((("old", "new"), ("new", "old")), (("new", "old"), ("old", "new"))))
    return orders[:pairs]


# Measures a gate ab run. Launches of different points are in random order, so that a change of the machine's speed affects all
# points. After the planned launches, the points are judged (first look). Inconclusive points get as many again (second look).

def measure(run: GateRun, launcher: Launcher, record: Record, budget: Budget) -> None:
    """Fills in the run's launches, verdicts and seconds. If the budget is spent, judges the launches so far. Throws OutOfTime if a
    point has no launch."""
    generator = random.Random(run.plan.seed)
    begin = time.monotonic()
    wanted = list(run.points)
    for look in range(1, LOOKS + 1):
        # Each round has one launch of each point, in random order.
        order = [identity for _ in range(run.plan.launches) for identity in generator.sample(wanted, len(wanted))]
        progress = Progress(sys.stderr, len(order))
        for identity in order:
            if budget.is_spent():
                if missing := sum(not launches for launches in run.launches.values()):
                    raise OutOfTime(f"{budget.spent_text()} before {missing} of {len(run.points)} points were measured, so there "
                                    "is no verdict; give more --budget or a smaller --grid")
                say(f"{budget.spent_text()}: the verdict uses the launches so far")
                break
            point, number = run.points[identity].point, len(run.launches[identity])
            progress.show(f"{'first look' if look == 1 else 'second look'}: {point}")
            try:
                measured = launcher.launch(point, number, generator.randrange(1 << 32))
            except (Refused, WrongBytes) as error:
                raise type(error)(f"{point}: {error}") from error
            launch = {"id": identity, "point": str(point), "look": look, "launch": number, **measured}
            run.launches[identity].append(launch)
            record.append("launch", **launch)
            progress.advance()
        run.verdicts = {identity: judge_point(ratios, run.settings) for identity, ratios in run.medians().items()}
        record.append("look", look=look, verdicts={identity: verdict.word for identity, verdict in run.verdicts.items()})
        run.seconds = time.monotonic() - begin
        wanted = [identity for identity, verdict in run.verdicts.items() if verdict.word == INCONCLUSIVE]
        if not wanted or budget.is_spent():
            break
