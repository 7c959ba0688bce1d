"""Builds git revisions of this repository for a gate, one after another in build-gate/tree/, so that a build compiles only what
differs from the revision before. The BUILDS_KEPT most recently used builds are kept in build-gate/, those of contender.py
included."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import time
from collections.abc import Callable

from ecbench.installation.places import SOURCE
from ecbench.measure.ecbench import one_line
from ecbench.measure.machine import wait_for
from ecbench.process.children import Child
from ecbench.terminal.console import Refused, say

CACHE = (SOURCE or pathlib.Path()) / "build-gate"
TREE = CACHE / "tree"
BUILDS_KEPT = 6
SECONDS_TO_BUILD = 3600
# If a git hook runs the gate, git has set environment variables that can select another repository or index. CLEAN removes these
# variables. The option core.hooksPath=/dev/null ensures that no hook runs when git checks out the worktree.
CLEAN = ["env", "-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "LC_ALL=C.UTF-8"]
GIT_OF_CLONE = ["git", "-c", "core.hooksPath=/dev/null", "-C", str(SOURCE)]
GIT = [*CLEAN, *GIT_OF_CLONE]
OPTIONS_THAT_COUNT = re.compile(
    r"^(CMAKE_BUILD_TYPE|CMAKE_C(?:XX)?_COMPILER|CMAKE_C(?:XX)?_FLAGS(?:_[A-Z]+)?|CMAKE_SHARED_LINKER_FLAGS|ECBENCH_PROFILE"
    r"|ECBENCH_SANITIZE|SIMD):[A-Z]+=(.*)$", re.MULTILINE)


def build_revision(name: str, given: str, child: Child, like: pathlib.Path | None = None) -> tuple[pathlib.Path, str]:
    """The directory of the build, and the commit. `like`: a CMakeCache.txt, whose options are used (None: a Release build)."""
    commit = commit_of(name, given, child)
    options = options_of(like)
    folder = CACHE / f"{commit[:12]}-{hashlib.sha256(chr(10).join(options).encode()).hexdigest()[:6]}"
    what = f"{name} {given}"

    def build(log: pathlib.Path) -> None:
        if folder.exists():
            return
        seconds, begin = TREE / "seconds", time.monotonic()
        estimate = f"; the last build took {seconds.read_text('utf-8')} s" if seconds.exists() else ""
        say(f"building {given} ({commit[:12]}) as {name}{estimate}; directory: {folder}")
        source, built, done = TREE / "source", TREE / "build", TREE / "done"
        source.mkdir(parents=True, exist_ok=True)
        # Only the files that differ are written. The index of this clone does not change.
        check_out = ["--work-tree", str(source), "read-tree", "--reset", "-u", commit]
        run_logged([*CLEAN, f"GIT_INDEX_FILE={TREE / 'index'}", *GIT_OF_CLONE, *check_out], log, what, child)
        shutil.rmtree(built / "plugins", ignore_errors=True)  # this revision may have fewer
        command = [str(source / "scripts" / "build.sh"), str(built), "product", *options]
        run_logged([*CLEAN, f"ECBENCH_GIT_REVISION={commit}", *command], log, what, child)
        if not os.access(built / "ecbench", os.X_OK):
            raise Refused(f"the build of {what} did not create the program ecbench: see {log}")
        shutil.rmtree(done, ignore_errors=True)
        shutil.copytree(built / "plugins", done / "build" / "plugins")
        for path in (built / "ecbench", built / "CMakeCache.txt"):
            shutil.copy2(path, done / "build")
        done.rename(folder)
        seconds.write_text(f"{time.monotonic() - begin:.0f}", "utf-8")

    keep(folder, what, child, build)
    return folder / "build", commit


def keep(folder: pathlib.Path, what: str, child: Child, build: Callable[[pathlib.Path], None]) -> None:
    """Calls build() with the path of a log, while no other gate builds; it makes `folder`, or brings it up to date. Keeps `folder`
    and the BUILDS_KEPT - 1 most recently used others. `what`: for messages."""
    log = CACHE / f"{folder.name}.log"
    try:
        CACHE.mkdir(exist_ok=True)
        with open(CACHE / "lock", "w", encoding="utf-8") as lock:  # NFS does not lock directories
            wait_for(lock.fileno(), child.check, f"which builds in {CACHE}")
            build(log)
            log.unlink(missing_ok=True)
            os.utime(folder)
            others = [path for path in CACHE.iterdir() if path.is_dir() and path not in (folder, TREE)]
            for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[BUILDS_KEPT - 1:]:
                shutil.rmtree(path, ignore_errors=True)
    except OSError as error:
        raise Refused(f"{what} cannot be built: {error.filename or CACHE}: {error.strerror}") from error


def commit_of(name: str, given: str, child: Child) -> str:
    """The full hash of the revision's commit."""
    if SOURCE is None:
        raise Refused(f"{name} {given} is not a directory, and an installed ecbench cannot build git revisions: give a build "
                      "directory, or run ./bench.sh gate in a clone of ecbench")
    neither = f"{name} {given} is neither a directory nor a git revision"
    if given.startswith("-"):
        raise Refused(neither)
    found, top = git(["rev-parse", "--show-toplevel"], child)
    if not found:
        raise Refused(f"{neither} in {SOURCE}: {top}")
    if os.path.realpath(top) != os.path.realpath(SOURCE):
        raise Refused(f"{neither}: {SOURCE} is not a git repository")
    found, commit = git(["rev-parse", "--verify", "--quiet", "--end-of-options", given + "^{commit}"], child)
    if not found:
        why = ""
        if git(["rev-parse", "--is-shallow-repository"], child) == (True, "true"):
            why = (", which is a shallow clone: get its history with git fetch --unshallow (in GitHub Actions, set fetch-depth: 0 "
                   "for actions/checkout)")
        raise Refused(f"{neither} of {SOURCE}{why}")
    return commit


def git(words: list[str], child: Child) -> tuple[bool, str]:
    """(True, stdout), or (False, git's message in one line; its last words are the remedy)."""
    try:
        code, stdout, stderr = child.run([*GIT, *words], 60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, one_line(str(error))
    return code == 0, stdout.strip() if code == 0 else " ".join(stderr.split())


def options_of(cache: pathlib.Path | None) -> list[str]:
    if cache is None:
        return ["-DCMAKE_BUILD_TYPE=Release"]
    found = OPTIONS_THAT_COUNT.findall(cache.read_text(encoding="utf-8", errors="replace"))
    return [f"-D{key}={value}" for key, value in found if value]


def run_logged(command: list[str], log: pathlib.Path, what: str, child: Child, telling: re.Pattern[str] | None = None) -> None:
    """If the command fails, writes its output to `log` and throws Refused with the first line that matches `telling`, or has the
    word error or fatal."""
    try:
        code, stdout, stderr = child.run(command, SECONDS_TO_BUILD)
    except subprocess.TimeoutExpired as error:
        raise Refused(f"{what} cannot be built: the build took more than {SECONDS_TO_BUILD} s") from error
    if code != 0:
        log.write_text(f"{stdout}\n{stderr}", encoding="utf-8", errors="replace")
        lines = [line for line in (stderr + stdout).splitlines() if line.strip()]
        errors = [line for line in lines if telling and telling.search(line)]
        errors += [line for line in lines if re.search(r"\berror\b|\bfatal\b", line, re.IGNORECASE)]
        raise Refused(f"{what} cannot be built: {one_line((errors or lines or ['no message'])[0])}; see {log}")
