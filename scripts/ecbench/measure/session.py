"""The loop of a sweep: every (point, repetition) that is not measured yet, in the run's order, each result on the disk before the
next begins."""

import random
import sys

from ecbench.terminal.console import say
from ecbench.terminal.progress import Progress
from ecbench.runfile.run_file import now


def order_of(header):
    """All (id, repetition), each repetition a round of its own in random order: a machine that gets slower hits all points alike,
    and a sweep that is broken off has measured as many as it can once. Points that the header puts into groups, because they are
    compared with each other, are measured group by group, next to each other: what changes within minutes hits them alike too."""
    generator = random.Random(header["seed"])
    groups = {}
    for entry in header["points"]:
        groups.setdefault(entry.get("group", entry["id"]), []).append(entry["id"])
    order = []
    for repetition in range(header["repetitions"]):
        names = list(groups)
        generator.shuffle(names)
        for name in names:
            ids = list(groups[name])
            generator.shuffle(ids)
            order += [(identity, repetition) for identity in ids]
    return order


class Session:
    def __init__(self, run, writer, program):
        self.done = len(run.done())
        self.total = run.total()
        self._run = run
        self._writer = writer
        self._program = program
        self._told = set()

    def measure_all(self):
        """Throws children.Interrupted and Refused; the line of progress is gone in any case."""
        done = self._run.done()
        left = [pair for pair in order_of(self._run.header) if pair not in done]
        progress = Progress(sys.stderr, len(left))
        try:
            for identity, repetition in left:
                progress.show(self._run.points[identity])
                self._measure(identity, repetition, progress)
                progress.advance()
        finally:
            progress.erase()
        self._writer.append("end", at=now())

    def words_of(self, point):
        options = self._run.header["options"]
        cpus = ",".join(map(str, options["cpus"][:point.threads]))
        return [*point.words(), "--min-time", f"{options['min_time']:g}", "--cpu", cpus]

    def _measure(self, identity, repetition, progress):
        point = self._run.points[identity]
        at = now()
        outcome = self._program.measure(self.words_of(point), self._run.header["options"]["timeout"])
        if outcome.kind == "row":
            self._writer.append("row", id=identity, repetition=repetition, at=at, **outcome.row)
        else:
            self._writer.append("failure", id=identity, repetition=repetition, at=at, kind=outcome.kind, why=outcome.why,
                                exit_code=outcome.exit_code, command=outcome.command)
            self._tell(point, outcome, progress)
        self.done += 1

    def _tell(self, point, outcome, progress):
        """Each kind of failure of a point once; wrong bytes every time."""
        if outcome.kind == "wrong_bytes":
            progress.erase()
            say(f"WRONG BYTES: {point}: {outcome.why}")
        elif (point, outcome.kind) not in self._told:
            self._told.add((point, outcome.kind))
            progress.erase()
            say(f"{point}: {outcome.kind}: {outcome.why}")
