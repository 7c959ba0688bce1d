"""The three profilers: run() runs a subject under the profiler, and reads the profiler's output `file`."""

import contextlib
import ctypes.util
import dataclasses
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence

from ecbench.measure.ecbench import Ecbench
from ecbench.process.process import UNFILTERED, Child
from ecbench.profilers import formats
from ecbench.profilers.formats import SAMPLES, Costs
from ecbench.profilers.subject import LENGTHS, TRACES, Broken, Subject, make_readable, option_of, read_row, run_checked, without
from ecbench.runfile.row import Row
from ecbench.symbols.elf import Resolver
from ecbench.terminal.console import Refused

SAMPLES_WANTED = 2000
FEWEST_SAMPLES = 200
SAMPLES_PER_SECOND = 1000  # the requested rate
SECONDS_TO_BEGIN = 2.2
MOST_SECONDS = 60
CONTROL = ("control", "acknowledge")  # names of the FIFOs through which ecbench turns perf on and off
STACKS = "dwarf,4096"  # perf unwinds with DWARF, since libraries have no frame pointers; it copies 4096 bytes of stack per sample


@dataclasses.dataclass
class Profile:
    resolver: Resolver
    row: Row | None  # the row that ecbench printed; None if the subject is another program
    command: list[str]  # the words of the command that ran
    seconds: float  # duration of sampling
    costs: Costs = dataclasses.field(default_factory=lambda: Costs(SAMPLES))
    notes: list[str] = dataclasses.field(default_factory=list)
    counters: list[str] = dataclasses.field(default_factory=list)  # lines about hardware counters


def write(path: pathlib.Path, text: str) -> None:
    path.write_text(text, "utf-8", "surrogateescape")


class Profiler:
    name: str
    file: str
    package: str

    def run(self, subject: Subject, folder: pathlib.Path, child: Child) -> Profile:
        raise NotImplementedError

    def missing(self, what: str) -> Refused:
        return Refused(f"{what} is not installed: install the package {self.package} (in a clone of ecbench, ./bench.sh profile "
                       f"{self.name} installs it)")

    def program(self, name: str) -> str:
        if not (found := shutil.which(name)):
            raise self.missing(name)
        return found


def run_subject(wrapper: Sequence[str], words: Sequence[str], subject: Subject, folder: pathlib.Path, child: Child) -> Profile:
    """The profile without its costs. The last arguments of `wrapper` are the command of the subject and `words`. Writes the stdout
    to row.json or output.txt."""
    command = [*wrapper, *subject.command, *words]
    if subject.is_ours:
        command += ["--format", "json", "--symbols", str(folder / "symbols.json")]
    start = time.monotonic()
    stdin = subprocess.DEVNULL if subject.is_ours else None  # programs other than ecbench get the stdin of bench.sh
    stdout, _ = run_checked(command, child, subject.is_ours, stdin=stdin, timeout=subject.timeout)
    seconds = time.monotonic() - start
    write(folder / ("row.json" if subject.is_ours else "output.txt"), stdout)
    if not subject.is_ours:
        return Profile(Resolver(), None, command, seconds)
    row = read_row(stdout)
    if row is None:
        raise Broken("ecbench printed no row under the profiler")
    symbols = json.loads((folder / "symbols.json").read_text("utf-8"))
    pointers = ((function["object"], int(function["address"], 0), kernel_name(function["name"], symbols["kernel"]))
                for function in symbols.get("functions", ()))
    return Profile(Resolver(pointers), row, command, row.seconds)


def kernel_name(name: str, kernel: str) -> str:
    """jerasure computes an XOR as a multiplication by one in the Galois field w=32. If `kernel`, the kernel of the erasure code,
    does not contain the field of the multiply function `name`, the code uses this function only to multiply by one."""
    match = re.fullmatch(r"(GF-Complete (w=\d+ )multiply_region) \(.*\)", name)
    return f"{match[1]} (by one)" if match and match[2] not in kernel else name


def completed(profile: Profile, costs: Costs, tool: str, child: Child) -> Profile:
    """The profile with its costs."""
    if not costs.total:
        raise Broken(f"{tool} collected nothing, so there is no profile: make the program run longer")
    make_readable({*costs.at, *(place for stack in costs.stacks for place in stack)}, profile.resolver, child)
    profile.costs = costs
    return profile


class Callgrind(Profiler):
    name, file, package = "callgrind", "callgrind.out", "valgrind"

    def __init__(self) -> None:
        self.valgrind = self.program("valgrind")

    def run(self, subject: Subject, folder: pathlib.Path, child: Child) -> Profile:
        out = folder / self.file
        words = [self.valgrind, "--tool=callgrind", "--vgdb=no", *formats.OPTIONS, f"--callgrind-out-file={out}"]
        has_requests = subject.is_ours and Ecbench(subject.command[0], child).environment().ecbench.client_requests
        if has_requests:
            words.append("--instr-atstart=no")  # ecbench turns callgrind on for its timed loops
        profile = run_subject(words, [], subject, folder, child)
        if not out.exists():
            raise Broken("callgrind wrote no file, so there is no profile")
        if not out.stat().st_size:  # callgrind creates the file at the start, and writes it at the end
            raise Broken("callgrind collected nothing, because the program called exec; profile the program that it executes")
        if subject.is_ours and not has_requests:
            profile.notes.append("ecbench was built without valgrind's headers, so the profile includes ecbench's set-up and "
                                 "verification: build again with make")
        with open(out, encoding="utf-8", errors="surrogateescape") as file:
            return completed(profile, formats.parse_callgrind(file, str(out)), self.name, child)


class Sampler(Profiler):
    """A profiler that takes samples. It requests SAMPLES_PER_SECOND samples per second."""

    def sample(self, subject: Subject, words: list[str], folder: pathlib.Path, child: Child) -> Profile:
        raise NotImplementedError

    def run(self, subject: Subject, folder: pathlib.Path, child: Child) -> Profile:
        has_length = not subject.is_ours or any(option_of(word) in LENGTHS for word in subject.command)
        profile = self.sample(subject, [] if has_length else ["--min-time", str(SECONDS_TO_BEGIN)], folder, child)
        if not has_length and profile.costs.total < SAMPLES_WANTED:
            seconds = min(SECONDS_TO_BEGIN * 1.2 * SAMPLES_WANTED / profile.costs.total, MOST_SECONDS)
            profile = self.sample(subject, ["--min-time", f"{seconds:.1f}"], folder, child)
        if (total := profile.costs.total) < FEWEST_SAMPLES:
            more = ("leave out --iterations, --min-time and --max-time, or give larger values" if subject.is_ours
                    else "make the program run longer")
            profile.notes.append(f"{total} samples are too few for reliable percentages; to get about {SAMPLES_WANTED} samples, "
                                 f"{more}")
        return profile


class Pprof(Sampler):
    name, file, package = "pprof", "cpu.prof", "libgoogle-perftools4"

    def __init__(self) -> None:
        self.library = ctypes.util.find_library("profiler")
        if not self.library:
            raise self.missing("libprofiler.so")

    def sample(self, subject: Subject, words: list[str], folder: pathlib.Path, child: Child) -> Profile:
        out = folder / self.file
        variables = ["env", f"LD_PRELOAD={self.library}", f"CPUPROFILE={out}", f"CPUPROFILE_FREQUENCY={SAMPLES_PER_SECOND}",
                     "CPUPROFILE_REALTIME=1"]
        profile = run_subject(variables, words, subject, folder, child)
        if not out.exists():
            raise Broken(f"{self.library} wrote no profile, because the program does not load this library; use perf")
        costs = Costs(SAMPLES)
        if content := out.read_bytes():  # it is empty if the program ended without its exit handlers, as a shell may do
            costs, profile.notes = formats.parse_pprof(content, str(out), profile.resolver)
        if not costs.total and (why := why_no_timer()):
            raise Broken(why)
        return completed(profile, costs, self.name, child)


class Perf(Sampler):
    name, file, package = "perf", "perf.data", "linux-perf"

    def __init__(self) -> None:
        self.perf = self.program("perf")

    def run(self, subject: Subject, folder: pathlib.Path, child: Child) -> Profile:
        profile = super().run(subject, folder, child)
        if subject.is_ours:
            profile.counters = counter_lines(self.perf, subject, child, [str(folder / name) for name in CONTROL])
        return profile

    def sample(self, subject: Subject, words: list[str], folder: pathlib.Path, child: Child) -> Profile:
        out = folder / self.file
        # cpu-clock is a timer. Unlike hardware counters, it also works in virtual machines. ":u" samples only user mode.
        wrapper = [self.perf, "record", "-q", "-e", "cpu-clock:u", "-F", str(SAMPLES_PER_SECOND), "--call-graph", STACKS, "-o",
                   str(out)]
        try:
            with controlled(wrapper, [str(folder / name) for name in CONTROL] if subject.is_ours else []) as command:
                profile = run_subject([*command, "--"], words, subject, folder, child)
        except Broken as error:
            if re.search("permission|paranoid|access to performance|not permitted", error.stderr, re.IGNORECASE):
                raise Broken(why_perf_may_not_sample()) from error  # perf's own message is long
            raise
        text, _ = run_checked([self.perf, "script", "-i", str(out), *formats.WORDS], child, False, "perf script")
        return completed(profile, formats.parse_perf(text, profile.resolver), self.name, child)


PROFILERS: dict[str, type[Profiler]] = {profiler.name: profiler for profiler in (Callgrind, Pprof, Perf)}


# Why the kernel refuses a call of a profiler, and what to do.

OTHERWISE = "or use profile callgrind"


def has_filter() -> bool:
    """A seccomp filter, which containers have. It can refuse a call also to root."""
    try:
        status = pathlib.Path("/proc/self/status").read_text("ascii", "replace")
    except OSError:
        return False
    return re.search(r"^Seccomp:\s*2$", status, re.MULTILINE) is not None


def why_perf_may_not_sample() -> str:
    try:
        level = pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text("ascii").strip()
    except OSError:
        level = "unknown"
    begin = f"perf has no permission to sample (kernel.perf_event_paranoid is {level})"
    if has_filter():
        return (f"{begin}: this process has a seccomp filter, which can refuse perf_event_open also to root; start the container "
                f"with --cap-add PERFMON or {UNFILTERED}, {OTHERWISE}")
    return (f"{begin}: run as root or with CAP_PERFMON, or allow it with sudo sysctl kernel.perf_event_paranoid=2; if these are "
            f"set, a security module may refuse it; {OTHERWISE}")


def why_no_timer() -> str:
    """"" if the timer of pprof can be set."""
    try:
        signal.setitimer(signal.ITIMER_PROF, 0)  # turns the timer off, which is not on
    except OSError as error:
        filtered = ", by its seccomp filter" if has_filter() else ""
        return (f"this process may not call setitimer ({os.strerror(error.errno or 0)}{filtered}), so pprof takes no samples; "
                f"start the container with {UNFILTERED}, {OTHERWISE}")
    return ""


# Hardware counters from perf stat: instructions per cycle, the share of cache misses, and the memory bandwidth, which is
# estimated from the misses. Most virtual machines have none.

EVENTS = ("cycles", "instructions", "cache-references", "cache-misses")
LINE_BYTES = 64  # size of a cache line
NO_COUNTERS = "IPC, cache misses and bandwidth are unknown: perf finds no hardware counters on this machine"


@contextlib.contextmanager
def controlled(perf: Sequence[str], fifos: Sequence[str]) -> Iterator[list[str]]:
    """Yields a command of perf that ecbench turns on at the start of a timed loop, and off at its end, through two FIFOs. Without
    `fifos`, perf is always on."""
    if not fifos:
        yield list(perf)
        return
    names = ",".join(fifos)
    for fifo in fifos:
        os.mkfifo(fifo)
    try:
        yield ["env", f"ECBENCH_PERF_CONTROL={names}", *perf, "-D", "-1", "--control", f"fifo:{names}"]
    finally:
        for fifo in fifos:
            os.remove(fifo)


def counter_lines(perf: str, subject: Subject, child: Child, control: Sequence[str]) -> list[str]:
    """The lines about hardware counters above the table of a point, which runs once more. `control`: see controlled()."""
    command = [*without(subject.command, {**LENGTHS, **TRACES}), "--min-time", "0.5", "--format", "json"]
    try:
        with controlled([perf, "stat", "-x", ";", "-e", ",".join(f"{event}:u" for event in EVENTS)], control) as words:
            stdout, stderr = run_checked([*words, "--", *command], child, False, "perf stat")
    except (Broken, OSError) as error:
        return [f"IPC, cache misses and bandwidth are unknown: {error}"]
    return described(counted(stderr), read_row(stdout)) or [NO_COUNTERS]


def counted(text: str) -> dict[str, float]:
    """Event → count, from lines such as "1234;;cycles:u;…"."""
    found = {}
    for line in text.splitlines():
        words = line.split(";")
        event = words[2].partition(":")[0] if len(words) > 2 else ""
        if event in EVENTS and words[0].replace(".", "", 1).isdigit() and float(words[0]) > 0:
            found[event] = float(words[0])
    return found


def described(counts: dict[str, float], row: Row | None) -> list[str]:
    parts = []
    if {"cycles", "instructions"} <= counts.keys():
        parts.append(f"{counts['instructions'] / counts['cycles']:.2f} instructions per cycle")
    if (misses := counts.get("cache-misses")) is not None:
        if references := counts.get("cache-references"):
            parts.append(f"{100 * misses / references:.1f} % of {references:.3g} cache references miss")
        if row and math.isfinite(row.seconds) and row.seconds > 0:
            parts.append(f"about {misses * LINE_BYTES / row.seconds / 1e9:.2f} GB/s from memory ({LINE_BYTES} bytes per miss)")
    return ["; ".join(parts)] if parts else []
