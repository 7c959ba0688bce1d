"""Counts the instructions that one side executes at a point, in the loop that calls the erasure code. callgrind counts those of
valgrind's synthetic CPU, which has at most AVX2 and runs the same kernels on all machines. ecbench --count-instructions counts
natively, one instruction at a time."""

import collections
import dataclasses
import json
import pathlib
import shutil
from typing import Annotated

from ecbench.documents.document import HIDDEN, Key
from ecbench.files.files import new_folder
from ecbench.gate.sides.sides import Side, check_has
from ecbench.installation.places import IS_BUNDLE
from ecbench.point.point import Point
from ecbench.process.process import Child
from ecbench.profilers.formats import Costs
from ecbench.profilers.profilers import Callgrind, Profile, Profiler, completed, run_subject
from ecbench.profilers.subject import Subject
from ecbench.terminal.console import Refused

Function = tuple[str, str]  # name of the ELF file, and linker name of the function

BYTES_COUNTED = 2 << 20  # small objects have many iterations, whose decodes use many erasure patterns
FEWEST_ITERATIONS, MOST_ITERATIONS = 2, 128
FEWEST_STEPPED_BYTES = 16 << 10  # single-stepping reduces larger objects to about this size, since each step takes microseconds


@dataclasses.dataclass(frozen=True)
class Count:
    instructions_per_byte: Annotated[float, Key("Instructions per byte of the object. Bytes of padding are not counted.",
                                                above=0)] = dataclasses.field(init=False)
    instructions: Annotated[int, Key("In all iterations together.", least=1)]
    iterations: Annotated[int, Key(least=1)]
    size: Annotated[int, Key("Bytes of the object that was used for the count. For native counts, often fewer than the point has.",
                             least=1)]
    kernel: str
    functions: Annotated[dict[Function, int], HIDDEN]  # instructions in each function, sum over all iterations

    def __post_init__(self) -> None:
        object.__setattr__(self, "instructions_per_byte", self.instructions / (self.iterations * self.size))

    def function_per_byte(self, function: Function) -> float:
        return self.functions.get(function, 0) / (self.iterations * self.size)


class Counter(Profiler):
    """A profiler that counts the instructions of the timed loop."""

    def check(self, side: Side, child: Child) -> None:
        raise NotImplementedError

    def effort(self, point: Point, _side: Side, _child: Child) -> tuple[int, int]:
        """The bytes of the object, and the number of iterations."""
        return point.size, max(FEWEST_ITERATIONS, min(MOST_ITERATIONS, BYTES_COUNTED // point.size))

    def count(self, point: Point, side: Side, child: Child, timeout: float) -> Count:
        """Throws Refused, WrongBytes and subprocess.TimeoutExpired."""
        size, iterations = self.effort(point, side, child)
        words = [*warm(point, size).words(), "--erasure-code-dir", side.plugin_directory, *side.codec_words(), "--iterations",
                 str(iterations)]
        with new_folder() as folder:
            profile = self.run(Subject([side.program, *words], point.id, is_ours=True, timeout=timeout), folder, child)
        row = profile.row
        assert row
        return Count(profile.costs.total, row.iterations, row.size, row.kernel, by_function(profile))


class ByCallgrind(Callgrind, Counter):
    def __init__(self) -> None:
        if IS_BUNDLE:  # the bundle's launcher starts the program by execve, and valgrind does not follow execve
            raise Refused("the bundle cannot count with valgrind; count natively with --native=only")
        if not shutil.which("valgrind"):
            raise Refused("valgrind is not installed: install the package valgrind and build ecbench again (./bench.sh gate ir "
                          "in a clone does both), or count natively with --native=only")
        super().__init__()

    def check(self, side: Side, child: Child) -> None:
        if not side.ecbench(child).environment().ecbench.client_requests:
            raise Refused(f"{side.program} was built without valgrind's headers, so its set-up would also be counted: install "
                          "valgrind and build the program again (./bench.sh gate ir in a clone does both)")


class ByStepping(Counter):
    """ecbench itself counts the instructions that the machine's CPU executes, one at a time."""

    name, file = "native", "instructions"

    def run(self, subject: Subject, folder: pathlib.Path, child: Child) -> Profile:
        out = folder / self.file
        profile = run_subject([], ["--count-instructions", "--instructions-out", str(out)], subject, folder, child)
        objects = json.loads(out.read_text("utf-8"))["objects"]
        counts = {(item["path"], int(address, 0)): count for item in objects for address, count in item["at"]}
        return completed(profile, Costs("Ir", collections.Counter(counts)), self.name, child)

    def check(self, side: Side, child: Child) -> None:
        check_has(side, "--count-instructions", child)

    def effort(self, point: Point, side: Side, child: Child) -> tuple[int, int]:
        """The smallest halving of the point's size with nearly the same padding in percent: an object that is smaller than a block
        of packets needs as many steps as a whole block."""
        sizes = [point.size]
        while sizes[-1] >= 2 * FEWEST_STEPPED_BYTES and sizes[-1] % 2 == 0:
            sizes.append(sizes[-1] // 2)
        answers = side.ecbench(child).describe([{"words": warm(point, size).words()} for size in sizes])
        return min(size for size, answer in zip(sizes, answers, strict=True) if size == point.size or
                   (not answer.refused and abs(answer.padding_percent - answers[0].padding_percent) < 1)), 1


def warm(point: Point, size: int) -> Point:
    """The point that is counted: cache state and threads do not change the number of instructions."""
    return dataclasses.replace(point, cache="warm", threads=1, size=size)


def by_function(profile: Profile) -> dict[Function, int]:
    functions: collections.Counter[Function] = collections.Counter()
    for place, count in profile.costs.at.items():
        function = profile.resolver.function(*place)
        functions[function.object, function.name] += count
    return {key: count for key, count in functions.items() if count}
