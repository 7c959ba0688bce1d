"""The three profilers: how each runs a subject, and what its file comes down to. Each has a name, the file it leaves, and run()."""

import dataclasses
import glob
import json
import os
import re
import shutil
import subprocess
import time

from ecbench.profilers import callgrind_file, perf_script, pprof_file
from ecbench.profilers.profile_data import Costs, Unreadable
from ecbench.profilers.subject import LENGTHS, Broken, read_row, run_checked
from ecbench.symbols.resolver import Resolver
from ecbench.terminal.console import Refused

SAMPLES_WANTED = 2000
FEWEST_SAMPLES = 200
SAMPLES_PER_SECOND = 1000  # to ask for
SECONDS_TO_BEGIN = 2.2
MOST_SECONDS = 60


@dataclasses.dataclass
class Profile:
    costs: Costs
    resolver: Resolver
    row: dict | None  # ecbench's
    command: list  # what was run, in a shell's words
    seconds: float | None = None  # that were sampled
    notes: list = dataclasses.field(default_factory=list)


def run_subject(wrapper, words, subject, folder, child):
    """Runs the subject within a profiler's words; what it prints is kept beside the profile. Returns row, symbols and seconds."""
    command = [*wrapper, *subject.command, *words]
    if subject.is_ours:
        command += ["--format", "json", "--symbols", folder.file("symbols.json")]
    start = time.monotonic()
    stdin = subprocess.DEVNULL if subject.is_ours else None  # a command's own
    stdout, _ = run_checked(command, child, subject.is_ours, stdin=stdin)
    seconds = time.monotonic() - start
    folder.write("row.json" if subject.is_ours else "output.txt", stdout)
    if not subject.is_ours:
        return command, None, {}, seconds
    row = read_row(stdout)
    if row is None:
        raise Broken("ecbench printed no row under the profiler")
    with open(folder.file("symbols.json"), encoding="utf-8") as file:
        return command, row, json.load(file), row["seconds"]


def resolver_of(symbols):
    return Resolver((function["object"], int(function["address"], 0), kernel_name(function["name"], symbols["kernel"]))
                    for function in symbols.get("functions", ()))


def kernel_name(name, kernel):
    """jerasure XORs by asking the field of w=32 to multiply by one, whose kernel passes the call on. A field that does not appear
    in the code's own kernel multiplies nothing else."""
    match = re.fullmatch(r"(GF-Complete (w=\d+ )multiply_region) \(.*\)", name)
    return f"{match[1]} (by one)" if match and match[2] not in kernel else name


def checked(costs, tool):
    if not costs.total:
        raise Broken(f"{tool} collected nothing: there is no profile")
    return costs


class Callgrind:
    name, file, package = "callgrind", "callgrind.out", "valgrind"

    def __init__(self, _arguments):
        self.valgrind = program("valgrind", self)

    def run(self, subject, folder, child):
        out = folder.file(self.file)
        words = [self.valgrind, "--tool=callgrind", "--dump-instr=yes", f"--callgrind-out-file={out}"]
        if subject.is_ours and has_client_requests(subject, child):
            words.append("--instr-atstart=no")  # ecbench turns it on for its timed loops
        command, row, symbols, _ = run_subject(words, [], subject, folder, child)
        if not os.path.exists(out):
            raise Broken("callgrind left no file: there is no profile")
        if not os.path.getsize(out):  # it is made at the start and written at the end
            raise Broken("callgrind collected nothing: the program gave its process to another by exec")
        costs = checked(callgrind_file.read(out), self.name)
        profile = Profile(costs, resolver_of(symbols), row, command)
        if subject.is_ours and not symbols.get("client_requests"):
            profile.notes.append("ecbench was built without valgrind's headers, so this holds its set-up and checks too: run make")
        return profile


def has_client_requests(subject, child):
    stdout, _ = run_checked([subject.command[0], "--environment"], child, is_ours=True)
    return json.loads(stdout)["ecbench"]["client_requests"]


class Sampler:
    """A profiler that interrupts the program so many times a second."""

    def run(self, subject, folder, child):
        if not subject.is_ours or subject.names_any(LENGTHS):
            return self.told(self.sample(subject, [], folder, child), subject)
        seconds = SECONDS_TO_BEGIN
        profile = self.sample(subject, ["--min-time", str(seconds)], folder, child)
        if profile.costs.total < SAMPLES_WANTED:
            seconds = min(seconds * 1.2 * SAMPLES_WANTED / profile.costs.total, MOST_SECONDS)
            profile = self.sample(subject, ["--min-time", f"{seconds:.1f}"], folder, child)
        return self.told(profile, subject)

    def told(self, profile, subject):
        total = profile.costs.total
        if total < FEWEST_SAMPLES:
            more = "leave out --iterations and its like, or raise them" if subject.is_ours else "give it more to do"
            profile.notes.append(f"{total} samples are too few for shares to mean much, {SAMPLES_WANTED} are wanted: {more}")
        return profile


class Pprof(Sampler):
    name, file, package = "pprof", "cpu.prof", "libgoogle-perftools4"

    def __init__(self, _arguments):
        self.library = find_libprofiler()

    def sample(self, subject, words, folder, child):
        out = folder.file(self.file)
        variables = ["env", f"LD_PRELOAD={self.library}", f"CPUPROFILE={out}", f"CPUPROFILE_FREQUENCY={SAMPLES_PER_SECOND}",
                     "CPUPROFILE_REALTIME=1"]
        command, row, symbols, seconds = run_subject(variables, words, subject, folder, child)
        resolver = resolver_of(symbols)
        try:
            costs, _ = pprof_file.read(out, resolver)
        except FileNotFoundError as error:
            raise Broken(f"{self.library} wrote no profile: the program does not load it") from error
        except Unreadable:
            if os.path.getsize(out):
                raise
            costs = Costs("samples")  # the program ended without its exit handlers, as shells do
        return Profile(checked(costs, self.name), resolver, row, command, seconds)


def find_libprofiler():
    """Debian names it with its version alone; the place is the architecture's."""
    for ldconfig in ("ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"):
        if shutil.which(ldconfig):
            with os.popen(f"{ldconfig} -p 2>/dev/null") as lines:
                found = re.findall(r"^\s*libprofiler\.so\.\d+ .*=> (\S+)$", lines.read(), re.MULTILINE)
            if found:
                return found[0]
    for pattern in ("/usr/lib/*/libprofiler.so.[0-9]", "/usr/lib*/libprofiler.so.[0-9]", "/usr/local/lib/libprofiler.so.[0-9]"):
        found = sorted(glob.glob(pattern))
        if found:
            return found[0]
    raise Refused("there is no libprofiler.so: install gperftools' package libgoogle-perftools4 (./bench.sh profile pprof does)")


class Perf(Sampler):
    name, file, package = "perf", "perf.data", "linux-perf"

    def __init__(self, _arguments):
        self.perf = program("perf", self)

    def sample(self, subject, words, folder, child):
        out = folder.file(self.file)
        # A timer, which virtual machines have too, and which says what takes time; the kernel's own work is not the code's.
        wrapper = [self.perf, "record", "-q", "-e", "cpu-clock:u", "-F", str(SAMPLES_PER_SECOND), "-o", out]
        fifos = [folder.file(name) for name in ("control", "acknowledge")] if subject.is_ours else []
        if fifos:
            for fifo in fifos:
                os.mkfifo(fifo)
            wrapper = ["env", f"ECBENCH_PERF_CONTROL={','.join(fifos)}", *wrapper, "-D", "-1", "--control",
                       f"fifo:{','.join(fifos)}"]
        try:
            command, row, symbols, seconds = run_subject([*wrapper, "--"], words, subject, folder, child)
        except Broken as error:
            raise explained(error) from error
        finally:
            for fifo in fifos:
                os.remove(fifo)
        resolver = resolver_of(symbols)
        text, _ = run_checked([self.perf, "script", "-i", out, *perf_script.WORDS], child, False, "perf script")
        costs = checked(perf_script.parse(text, resolver), self.name)
        return Profile(costs, resolver, row, command, seconds)


def explained(error):
    """perf says in a page that it may not; the reason is one number."""
    if not re.search("permission|paranoid|access to performance|not permitted", error.stderr, re.IGNORECASE):
        return error
    try:
        with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
            level = file.read().strip()
    except OSError:
        level = "unknown"
    return Broken(f"perf has no permission to sample (kernel.perf_event_paranoid is {level}): run as root, or allow it by "
                  "sudo sysctl kernel.perf_event_paranoid=2")


def program(name, profiler):
    found = shutil.which(name)
    if not found:
        raise Refused(f"there is no {name} here: install the package {profiler.package} (./bench.sh profile {profiler.name} does)")
    return found


PROFILERS = {profiler.name: profiler for profiler in (Callgrind, Pprof, Perf)}
