"""The program that ./bench.sh profile measures: ecbench with the options of a point, or any other command."""

import contextlib
import dataclasses
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import IO

from ecbench.documents.document import read_json
from ecbench.installation.places import NOT_A_PROGRAM
from ecbench.measure.ecbench import Ecbench, own_program
from ecbench.point.point import size_word
from ecbench.process.process import Child
from ecbench.profilers.formats import Place
from ecbench.runfile.row import Row, read_printed
from ecbench.symbols.elf import Resolver
from ecbench.terminal.console import Refused, WrongBytes

# Options that set how long ecbench measures. True: the option takes an argument.
LENGTHS = {"--iterations": True, "-i": True, "--min-time": True, "--max-time": True, "--target-ci": True, "--placements": True}
# Options that make ecbench write files or messages. They are used only under the profiler, and left out in all other runs.
TRACES = {"--output": True, "--chunks-out": True, "--verbose": False, "-v": False}
LONGEST_NAME = 80
SET_BY_PROFILE = ("--format", "--symbols")
IDENTITY = ("plugin", "profile", "workload", "size", "stripe_unit", "erasures", "erased", "erasures_generation", "want", "cache",
            "threads", "timing", "dispatch", "fill")


class Broken(Refused):
    """A command failed, or made no profile. `stderr`: its complete text."""

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


@dataclasses.dataclass
class Subject:
    command: list[str]  # the program and its arguments
    slug: str  # name of the directory for the profiles of this command
    is_ours: bool = False
    native: Row | None = None  # the row that ecbench prints without a profiler
    timeout: float | None = None  # seconds under the profiler


def find_subject(words: Sequence[str], ecbench: str, child: Child) -> Subject:
    """If the command in `words` is ecbench, runs it once without a profiler, for the name of the kernel. Throws Refused and
    WrongBytes."""
    if not words:
        raise Refused("nothing to profile; after --, give a command, or options of ecbench such as -p isa -P k=6 -P m=2")
    if words[0].startswith("-"):
        return find_point(ecbench, words, child)
    program = shutil.which(words[0])
    if program is None:
        raise Refused(f"'{words[0]}' is not an executable file; after --, give a command or options of ecbench such as -p isa")
    if os.path.realpath(program) == os.path.realpath(ecbench):
        return find_point(ecbench, words[1:], child)
    digest = hashlib.sha256("\0".join(words).encode(errors="surrogateescape")).hexdigest()
    return Subject([program, *words[1:]], f"{slug_of(os.path.basename(program))}-{digest[:6]}")


def find_point(ecbench: str, words: Sequence[str], child: Child) -> Subject:
    if not os.access(ecbench, os.X_OK):
        raise Refused(f"{ecbench} {NOT_A_PROGRAM}")
    for word in words:
        if option_of(word) in SET_BY_PROFILE:
            raise Refused(f"{option_of(word)} is not allowed: ./bench.sh profile sets this option itself; leave "
                          "the option out (the file row.json contains the row of the profiled run)")
    probe = [ecbench, *without(words, {**LENGTHS, **TRACES}), "--iterations", "1", "--format", "json"]
    row = read_row(run_checked(probe, child, is_ours=True)[0])
    if row is None:
        raise Refused(f"{shlex.join([ecbench, *words])} prints no row, so it cannot be profiled; leave out options that only "
                      "print information")
    return Subject([ecbench, *words], point_slug(row), True, row)


def read_row(stdout: str) -> Row | None:
    """None if the output of ecbench is not a row."""
    try:
        return read_printed(read_json(stdout))
    except ValueError:  # Unlike is a ValueError
        return None


def run_checked(command: Sequence[str], child: Child, is_ours: bool, who: str = "the profiled program",
                stdin: int | IO[bytes] | None = subprocess.DEVNULL, timeout: float | None = None) -> tuple[str, str]:
    """The stdout and stderr of a command. Throws Broken, WrongBytes and TimeoutExpired. `who`: how error messages call it."""
    try:
        code, stdout, stderr = child.run(command, timeout, stdin)
    except OSError as error:
        raise Broken(f"{command[0]} cannot be run: {error.strerror}") from error
    if not code:
        return stdout, stderr
    said = [line.removeprefix("ecbench: ") for line in stderr.splitlines() if line.startswith("ecbench: ")]
    if is_ours and said and code > 0:
        raise WrongBytes(said[-1]) if code == 2 else Broken(said[-1])
    number = -code if code < 0 else code - 128
    if number in set(signal.Signals):
        why = Ecbench(own_program(), child).limit_note(number)
        if number == signal.SIGILL and "--tool=callgrind" in command:
            why = ", because valgrind supports neither AVX-512 nor GFNI"
        elif number == signal.SIGALRM and "CPUPROFILE_REALTIME=1" in command:
            why = (" (gperftools uses this signal to take samples; if the program changes the handler of this signal, or executes "
                   "another program, use perf)")
        raise Broken(f"{who} was ended by signal {number}, {signal.Signals(number).name}{why}: {shlex.join(command)}")
    last = [line for line in stderr.splitlines() if line.strip() and not line.startswith(("==", "PROFILE:"))][-1:]
    raise Broken(f"{who} ended with exit code {code}: {last[0].strip() if last else shlex.join(command)}", stderr)


def option_of(word: str) -> str:
    """The name of the option in an argument: --min-time for --min-time=1, -i for -i10, and "" if the argument is not an option."""
    if word.startswith("--"):
        return word.partition("=")[0]
    return word[:2] if word.startswith("-") else ""


def without(words: Sequence[str], options: Mapping[str, bool]) -> list[str]:
    """The arguments without `options` and their values. `options`: name of an option → whether the option takes an argument."""
    kept, skips = [], False  # whether the word is the value of an option that is left out
    for word in words:
        option = option_of(word)
        if not skips and option not in options:
            kept.append(word)
        skips = not skips and options.get(option, False) and word == option
    return kept


def point_slug(row: Row) -> str:
    """A directory name for a point, such as jerasure_cauchy_good_6+2_encode_of_1M-3f2a91, with a hash of its IDENTITY."""
    identity = {key: row.json.get(key) for key in IDENTITY}
    if row.codec_lib:
        identity["codec_libraries"] = {name: library["build_id"] for name, library in (row.codec_libraries or {}).items()}
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
    return f"{slug_of(point_title(row))}-{digest[:6]}"


def slug_of(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", text).strip(".") or "command"


def point_title(row: Row) -> str:
    """A title for a point, such as: jerasure cauchy_good 6+2 packetsize=3072, encode of 1M."""
    profile = row.profile
    technique = f" {profile['technique']}" if "technique" in profile else ""
    packetsize = f" packetsize={profile['packetsize']}" if "packetsize" in profile else ""
    lost = f" {row.erasures}" if row.erasures else ""
    return f"{row.plugin}{technique} {row.k}+{row.m}{packetsize}, {row.workload}{lost} of {size_word(row.size)}"


def shortened(name: str) -> str:
    """Names of C++ templates can be several lines long. The JSON has the complete name."""
    return name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME - 1] + "…"


def make_readable(places: Iterable[Place], resolver: Resolver, child: Child) -> None:
    """Makes the C++ names of the functions at these places readable with c++filt (binutils), if that is installed."""
    program = shutil.which("c++filt")
    mangled = sorted({name for place in places if (name := resolver.function(*place).name).startswith("_Z")}) if program else []
    for start in range(0, len(mangled), 200):
        some = mangled[start:start + 200]
        with contextlib.suppress(OSError):
            code, stdout, _ = child.run([str(program), "--no-params", *some])
            if code == 0 and len(lines := stdout.splitlines()) == len(some):
                resolver.readable |= zip(some, lines, strict=True)


def other_kernel(counted: str | None, native: str | None, by_valgrind: bool) -> str:
    """"" if the kernel under the profiler (`counted`) is that without a profiler (`native`); otherwise a text with both."""
    if counted == native:
        return ""
    why = ", because valgrind hides AVX-512 and GFNI" if by_valgrind else ""
    return f"{counted or 'unknown'} instead of {native or 'unknown'}{why}"
