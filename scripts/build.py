"""build.py DIRECTORY TARGET [CMAKE OPTION...]: builds TARGET in the build directory DIRECTORY, with CMake and ninja. Configures
DIRECTORY if it is new, or if the options or a CMakeLists.txt have changed. The target `product` is what users need: ecbench and the
plugins, without tests. If it is up to date, nothing is locked or written. `product` and `all` also build the contenders of earlier
builds again, because plugins must match the headers of this checkout. `contenders` builds the product, each contender whose tools
are installed, and ISA-L 2.32; the exit code is 3 if no contender can be built. `isal` builds only ISA-L 2.32."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import IO, NoReturn

from ecbench.installation.places import contender_folders, how_to_build, why_not
from ecbench.measure.machine import wait_for
from ecbench.terminal.console import say

SOURCE = pathlib.Path(__file__).resolve().parents[1]
PLUGINS = SOURCE / "src" / "plugins"
NO_CONTENDER = 3  # exit code
RELEASE_OF_ISAL = "2.32"


def fail(text: str) -> NoReturn:
    say(text)
    sys.exit(1)


def lock_directory(directory: pathlib.Path, is_shared: bool = False, check: Callable[[], None] = lambda: None) -> int | None:
    """Locks the build directory until the descriptor that is returned is closed: for a build, or `is_shared` for a mode that
    measures it. Waits while another process has the lock; check() may throw to end the wait. None if the lock cannot be opened."""
    path = directory / ".lock"
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        if not os.access(path, os.R_OK):
            return None
        lock = os.open(path, os.O_RDONLY)  # another user's, in a directory that both can write
    wait_for(lock, check, f"which uses the build directory {directory}", is_shared)
    return lock


@contextlib.contextmanager
def locked(directory: pathlib.Path) -> Iterator[None]:
    lock = lock_directory(directory)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


class Build:
    def __init__(self, directory: str, target: str, options: list[str]) -> None:
        self.directory, self.target, self.options = pathlib.Path(directory), target, options
        given = {name: os.environ.get(name) for name in ("CC", "CXX")}  # CMake reads them only when it first configures a directory
        # A directory or a source tree that was moved is configured again.
        self.described = "\n".join([str(self.directory.resolve()), str(SOURCE), *options,
                                    *(f"{name}={value}" for name, value in given.items() if value)])
        self.stamp = self.directory / f".built.{target}"

    def run(self) -> None:
        """Ends the program if the build fails."""
        # Only targets that users measure with have a stamp: tests also run what no build has made.
        keeps_stamp = self.target.endswith("product") or self.target.startswith("ec_")
        if keeps_stamp and self.is_up_to_date():
            return
        self.check_directory()
        with locked(self.directory):
            self.configure()
            begin = self.directory / ".begin"
            begin.touch()
            folders = contender_folders(PLUGINS) if self.target in ("product", "all") else []
            earlier = [folder for folder in folders if self.has(folder)]
            without_tool = [folder for folder in earlier if why_not(folder)]
            targets = [self.target, *(f"ec_{folder.name}" for folder in earlier if folder not in without_tool)]
            if self.make(targets) != 0:
                fail(f"{self.directory} could not be built: see above")
            for folder in without_tool:
                if self.make([f"ec_{folder.name}"]) != 0:  # an up-to-date plugin needs no tool; another may not match the headers
                    self.plugin_of(folder).unlink(missing_ok=True)
                    say(f"the earlier build of {folder.name} was removed: it cannot be built again, because {why_not(folder)}")
            if keeps_stamp:
                with contextlib.suppress(OSError):  # without the stamp, the next build asks ninja
                    self.write_stamp(begin.stat().st_mtime_ns)

    def has(self, folder: pathlib.Path) -> bool:
        return self.plugin_of(folder).is_file()

    def plugin_of(self, folder: pathlib.Path) -> pathlib.Path:
        return self.directory / "plugins" / f"libec_{folder.name}.so"

    # The stamp of a build: what was built, its results, and the files outside of the source tree that were read.

    def facts(self) -> list[str]:
        """The build looks for the header of valgrind each time (client_requests.cmake)."""
        git = ["git", "-C", str(SOURCE), "--no-optional-locks", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
        revision = os.environ.get("ECBENCH_GIT_REVISION")
        if revision is None and shutil.which("git"):
            revision = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
        return [self.described, revision or "", str(os.path.exists("/usr/include/valgrind/callgrind.h"))]

    def is_up_to_date(self) -> bool:
        try:
            built = json.loads(self.stamp.read_text("utf-8"))
            newest = self.stamp.stat().st_mtime_ns
            return bool(built["facts"] == self.facts() and all(os.path.exists(path) for path in built["results"])
                        and all(os.stat(path).st_mtime_ns <= newest for path in [*own_files(), *built["read"]]))
        except (OSError, ValueError, LookupError, TypeError):
            return False

    def write_stamp(self, begin: int) -> None:
        where = self.directory.resolve()
        deps = subprocess.run(["ninja", "-C", str(where), "-t", "deps"], capture_output=True, text=True, check=False).stdout
        linked = re.findall(r"(?:^|[ =])(/(?:[^ :$|\n]|\$[ :$])+)", (where / "build.ninja").read_text("utf-8"), re.MULTILINE)
        read = {line.strip() for line in deps.splitlines()} | {re.sub(r"\$(.)", r"\1", path) for path in linked}
        outside = sorted(path for path in read if path.startswith("/") and os.path.isfile(path)
                         and not path.startswith((f"{SOURCE}/", f"{where}/")))
        results = [str(path) for path in (where / "ecbench", *(where / "plugins").glob("*.so"))]
        new = self.stamp.with_suffix(".new")
        new.write_text(json.dumps({"facts": self.facts(), "results": results, "read": outside}), "utf-8")
        os.utime(new, ns=(begin, begin))
        new.replace(self.stamp)

    # The directory

    def check_directory(self) -> None:
        """Refuses a directory that cannot be written."""
        directory = self.directory
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError:
            fail(f"{directory} cannot be created: choose another build directory with BUILD=DIRECTORY")
        if not os.access(directory, os.W_OK):
            fail(f"{directory} is not up to date, and you cannot write to it: let its owner run make, or build in a clone of your "
                 "own (or elsewhere: make BUILD=DIRECTORY)")

    def configure(self) -> None:
        """CMake's cache keeps options that are no longer given. --fresh removes the cache, but not the object files. A directory
        without the file .configured was configured without this script; the options in its cache are kept. If a CMakeLists.txt has
        changed, ninja calls CMake."""
        configured, fresh = self.directory / ".configured", []
        if configured.is_file() and (self.directory / "CMakeCache.txt").is_file():
            if configured.read_text("utf-8") == self.described and (self.directory / "build.ninja").exists():
                return
            fresh = ["--fresh"]
        for stamp in self.directory.glob(".built.*"):
            stamp.unlink()
        configured.write_text("unfinished", "utf-8")
        log = self.directory / "configure.log"
        command = ["cmake", *fresh, "-G", "Ninja", "-S", str(SOURCE), "-B", str(self.directory), *self.options]
        with open(log, "wb") as output:
            code = run(command, output)
        if code != 0:
            sys.stderr.write(log.read_text("utf-8", errors="replace"))
            fail(f"CMake could not configure {self.directory}; if it belongs to other sources or was moved, remove it, or choose "
                 "another one with BUILD=DIRECTORY")
        configured.write_text(self.described, "utf-8")
        print(f"ecbench: building in {self.directory}", flush=True)

    # The build

    def make(self, targets: list[str]) -> int:
        """On a terminal, ninja shows its progress; otherwise only errors are printed. Returns the exit code."""
        jobs = os.environ.get("JOBS") or str(len(os.sched_getaffinity(0)))
        return run(["cmake", "--build", str(self.directory), "--parallel", jobs, "--target", *targets,
                    *([] if sys.stdout.isatty() else ["--", "--quiet"])])

    def contenders(self) -> int:
        built, failed = 0, 0
        for folder in contender_folders(PLUGINS):
            reason = why_not(folder)
            if reason:
                skipping = f"keeping the earlier build of {folder.name}" if self.has(folder) else f"skipping {folder.name}"
                say(f"{skipping}: {reason}; {how_to_build(folder)}")
                continue
            if (folder / "needs.txt").exists() and not self.has(folder):  # CMake looks for the files only when it configures
                (self.directory / ".configured").unlink(missing_ok=True)
            try:
                Build(str(self.directory), f"ec_{folder.name}", self.options).run()
                built += 1
            except SystemExit:  # of fail()
                say(f"{folder.name} could not be built: see above")
                failed += 1
        if built == failed == 0:
            say("no plugin of contenders can be built here: tools or packages are missing, see above")
            return NO_CONTENDER
        if built:
            self.fetch_isal()
        Build(str(self.directory), "product", self.options).run()
        return int(failed > 0)

    def fetch_isal(self) -> int:
        """Returns the exit code."""
        folder = self.directory / f"isal-{RELEASE_OF_ISAL}"
        with locked(self.directory):
            if (folder / "libisal.so.2").is_file():
                return 0
            shutil.rmtree(folder, ignore_errors=True)
            code = run([str(SOURCE / "scripts" / "fetch-isal.sh"), RELEASE_OF_ISAL, str(folder)])
        if code != 0:
            say(f"skipping isa {RELEASE_OF_ISAL}: see above")
        return code


def own_files() -> Iterator[str]:
    """The files and directories of the source tree that a build reads. A directory is newer if a file in it was added."""
    yield from (str(path) for path in (SOURCE / "CMakeLists.txt", SOURCE / "scripts" / "CMakeLists.txt", pathlib.Path(__file__),
                                       *(SOURCE / "scripts").glob("*.sh")))
    for place, folders, files in os.walk(SOURCE / "src"):
        folders[:] = [name for name in folders if name != "__pycache__" and (place, name) != (str(SOURCE / "src"), "test")]
        yield from (place, *(os.path.join(place, name) for name in files))


def run(command: list[str], output: IO[bytes] | None = None) -> int:
    """`make -j` gives its jobs to inner makes in MAKEFLAGS; the build must use JOBS instead. go stores downloaded sources below
    HOME; without HOME, GOPATH and GOMODCACHE they are stored in the build directory, and can be removed with it."""
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    if not any(environment.get(name) for name in ("HOME", "GOPATH", "GOMODCACHE")):
        environment |= {"GOMODCACHE": os.path.abspath(os.path.join(sys.argv[1], "go")),
                        "GOFLAGS": f"{environment.get('GOFLAGS', '')} -modcacherw"}
    try:
        return subprocess.run(command, stdout=output, stderr=output, env=environment, check=False).returncode
    except FileNotFoundError:
        fail(f"{command[0]} is not on PATH: run scripts/install-deps.sh, or install it")


def main(words: list[str]) -> int:
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)  # no traceback
    if len(words) < 2:
        fail("build.sh: give a build directory, a target, and options of CMake")
    jobs = os.environ.get("JOBS", "")
    if jobs and not re.fullmatch("[1-9][0-9]{0,3}", jobs):
        fail(f"JOBS={jobs} is not allowed: give the number of parallel build processes, 1 to 9999")
    build = Build(words[0], words[1], words[2:])
    if build.target == "contenders":
        return build.contenders()
    if build.target == "isal":
        return build.fetch_isal()
    build.run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
