"""Builds sides of a gate: git revisions of this repository, one after another in build-gate/tree/, so that a build compiles only
what differs from the revision before, and plugins with a version of their Go module or Rust crate. The BUILDS_KEPT most recently
used builds are kept in build-gate/."""

import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import time
import tomllib
from collections.abc import Callable

from ecbench.installation.places import SCRIPTS, SOURCE, why_not
from ecbench.measure.ecbench import one_line
from ecbench.measure.machine import wait_for
from ecbench.process.process import Child
from ecbench.terminal.console import Refused, did_you_mean, say

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


def build_revision(what: str, commit: str, child: Child, like: str) -> pathlib.Path:
    """The directory of the build. `what`: the side, for messages. `like`: see options_of()."""
    options = options_of(like)
    folder = CACHE / f"{commit[:12]}-{hashlib.sha256(chr(10).join(options).encode()).hexdigest()[:6]}"

    def build(log: pathlib.Path) -> None:
        if folder.exists():
            return
        seconds, begin = TREE / "seconds", time.monotonic()
        estimate = f"; the last build took {seconds.read_text('utf-8')} s" if seconds.exists() else ""
        say(f"building {what} ({commit[:12]}){estimate}; directory: {folder}")
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
    return folder / "build"


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


def options_of(folder: str | os.PathLike[str]) -> list[str]:
    """The CMake options of the build in `folder`, because both sides are built alike; otherwise those of a Release build."""
    cache = pathlib.Path(folder, "CMakeCache.txt")
    if not cache.is_file():
        return ["-DCMAKE_BUILD_TYPE=Release"]
    found = OPTIONS_THAT_COUNT.findall(cache.read_text(encoding="utf-8", errors="replace"))
    return [f"-D{key}={value}" for key, value in found if value]


def ended(command: list[str], seconds: int, what: str, child: Child) -> tuple[int, str, list[str]]:
    """The exit code, stdout, and the lines of stderr and stdout. Throws Refused if the command takes more than `seconds`."""
    try:
        code, stdout, stderr = child.run(command, seconds)
    except subprocess.TimeoutExpired as error:
        raise Refused(f"{what}: it took more than {seconds} s") from error
    return code, stdout, [line for line in (stderr + stdout).splitlines() if line.strip()]


def run_logged(command: list[str], log: pathlib.Path, what: str, child: Child, *telling: str) -> None:
    """If the command fails, writes its output to `log` and throws Refused with the first line that matches `telling`, or has the
    word error or fatal."""
    code, _, lines = ended(command, SECONDS_TO_BUILD, f"{what} cannot be built", child)
    if code != 0:
        log.write_text("\n".join(lines), encoding="utf-8", errors="replace")
        patterns = (*telling, r"\berror\b|\bfatal\b")
        errors = [line for pattern in patterns for line in lines if re.search(pattern, line, re.IGNORECASE)]
        raise Refused(f"{what} cannot be built: {one_line((errors or lines or ['no message'])[0])}; see {log}")


# Builds a plugin that uses a Go module or a Rust crate, with the version of this library that the user gives. The version is set
# in a copy of the plugin's directory; the plugin's C++ code is compiled from this clone.

GO_MODULE, CRATE = "--go-module", "--crate"
PLUGINS = (SOURCE or pathlib.Path()) / "src" / "plugins"
FOREIGN_CODE = (SOURCE or pathlib.Path()) / "src" / "foreign_code"
SECONDS_TO_FETCH = 600
VERSIONS = {GO_MODULE: re.compile(r"[A-Za-z0-9][A-Za-z0-9._+/-]*"),  # a tag, a branch or a commit; resolve() finds its version
            CRATE: re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?")}
EXAMPLES = {GO_MODULE: "github.com/klauspost/reedsolomon@v1.14.2", CRATE: "reed-solomon-simd@3.1.0"}
GO = ("GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-mod=mod", "go")
ORDINARY = re.compile(r"^go: (downloading|added|upgraded|downgraded|removed) |^ *(Updating|Locking|Adding|Downgrading) ")
TELLING = r"\.go:\d+:\d+: |^error(\[\w+\])?: |\berror: "


@dataclasses.dataclass(frozen=True)
class Wanted:
    """A library in the version that the user gave for a side."""
    side: str  # OLD or NEW
    option: str
    library: str  # the path of a Go module, or the name of a crate
    version: str
    plugin: str

    @property
    def given(self) -> str:
        return f"{self.library}@{self.version}"

    @property
    def folder(self) -> pathlib.Path:
        return PLUGINS / self.plugin

    def title(self) -> str:
        """For example klauspost/reedsolomon v1.14.2."""
        host, slash, rest = self.library.partition("/")
        return f"{rest if slash and '.' in host else self.library} {self.version}"

    def __str__(self) -> str:
        return f"{self.side} {self.given}"


def read_pair(option: str, given: list[str]) -> tuple[Wanted, Wanted]:
    """`given`: LIBRARY@OLD and LIBRARY@NEW."""
    if SOURCE is None:
        raise Refused(f"{option} compiles a plugin, but an installed ecbench cannot compile anything: run ./bench.sh gate ab in a "
                      "clone of ecbench")
    old, new = (read_wanted(option, name, text) for name, text in zip(("OLD", "NEW"), given, strict=True))
    if old.library != new.library:
        raise Refused(f"{option} {old.given} {new.given} is not allowed: give two versions of one library, such as {old.given} "
                      f"{old.library}@VERSION")
    return old, new


def read_wanted(option: str, side: str, text: str) -> Wanted:
    library, at, version = text.partition("@")
    if not at or not library or not VERSIONS[option].fullmatch(version):
        form = f"{'PATH' if option == GO_MODULE else 'NAME'}@VERSION"
        raise Refused(f"{option} '{text}' for {side} is not allowed; give {form}, such as {EXAMPLES[option]}")
    known = libraries(option)
    if library not in known:
        what = "Go module" if option == GO_MODULE else "crate"
        raise Refused(f"{option} '{text}' for {side} is not allowed: no plugin uses the {what} {library}; choose "
                      f"{' or '.join(sorted(known))}{did_you_mean(library, known)}")
    return Wanted(side, option, library, version, known[library])


def libraries(option: str) -> dict[str, str]:
    """Library → the plugin that uses it directly."""
    if option == GO_MODULE:
        return {module: path.parent.name for path in sorted(PLUGINS.glob("*/go.mod"))
                for module in re.findall(r"^(?:require )?\s*(\S+) v\S+$", path.read_text("utf-8"), re.MULTILINE)}
    return {crate: path.parent.name for path in sorted(PLUGINS.glob("*/Cargo.toml"))
            for crate, needed in tomllib.loads(path.read_text("utf-8")).get("dependencies", {}).items()
            if isinstance(needed, str) or "version" in needed}


def resolve(wanted: Wanted, child: Child) -> Wanted:
    """Returns `wanted` with an exact version; the given version of a Go module may be a branch or a commit."""
    if reason := why_not(wanted.folder):
        raise Refused(f"{wanted} cannot be built: {reason}")
    if wanted.option == CRATE:
        return wanted
    words = [*GO, "list", "-m", "-f", "{{.Version}}", wanted.given]
    return dataclasses.replace(wanted, version=fetched(wanted, wanted.folder, words, child).strip())


def build_contender(wanted: Wanted, child: Child, like: pathlib.Path) -> pathlib.Path:
    """The directory of the plugin, built with the library version that resolve() returned. `like`: see options_of()."""
    options = options_of(like)
    digest = hashlib.sha256("\n".join([*options, wanted.given]).encode())
    for path in sorted([*wanted.folder.rglob("*"), *(FOREIGN_CODE / "rust").rglob("*")]):  # several plugins use the Rust code
        if path.is_file():
            digest.update(str(path).encode() + path.read_bytes())
    folder = CACHE / f"{wanted.plugin}-{re.sub(r'[^0-9A-Za-z.+-]', '_', wanted.version)}-{digest.hexdigest()[:6]}"
    module = folder / "module"

    def build(log: pathlib.Path) -> None:
        if not module.exists():
            say(f"building the plugin {wanted.plugin} with {wanted.title()} as {wanted.side}; directory: {folder}")
            new = folder / "new"
            shutil.rmtree(new, ignore_errors=True)
            shutil.copytree(wanted.folder, new)
            if wanted.option == GO_MODULE:
                fetched(wanted, new, [*GO, "get", wanted.given], child)
            else:
                set_crate(wanted, new, child)
            new.rename(module)
        command = [str(SCRIPTS / "build.sh"), str(folder / "build"), f"ec_{wanted.plugin}", *options,
                   f"-DECBENCH_CONTENDER_SOURCE={module}"]
        tags = f"-tags={','.join(absent_functions(module, wanted.library, child))}" if wanted.option == GO_MODULE else ""
        flags = f"GOFLAGS={' '.join(filter(None, (os.environ.get('GOFLAGS', ''), tags)))}"
        run_logged([*CLEAN, flags, *command], log, str(wanted), child, TELLING)

    keep(folder, str(wanted), child, build)
    return folder / "build" / "plugins"


def fetched(wanted: Wanted, folder: pathlib.Path, words: list[str], child: Child) -> str:
    """The output of a go or cargo command that may use the network. `words` may begin with environment variables (NAME=VALUE)."""
    what = f"{wanted} cannot be fetched"
    code, stdout, lines = ended(["env", "-C", str(folder), *words], SECONDS_TO_FETCH, what, child)
    if code != 0:
        why = one_line(" ".join(line.strip() for line in lines if not ORDINARY.match(line))) or f"exit code {code}"
        raise Refused(f"{what}: {why.removeprefix('go: ').removeprefix('error: ')}; check the version, and the network")
    return stdout


def absent_functions(module: pathlib.Path, library: str, child: Child) -> list[str]:
    """A build tag `without_NAME` for each function that this version lacks. It selects files in src/plugins/klauspost/library/."""
    own = "\n".join(path.read_text("utf-8") for path in module.glob("library/*.go"))
    functions = set(re.findall(r"^//go:build !without_(\w+)$", own, re.MULTILINE))
    code, sources, _ = child.run(["env", "-C", str(module), *GO, "list", "-m", "-f", "{{.Dir}}", library])
    folder = pathlib.Path(sources.strip())
    text = "\n".join(path.read_text("utf-8", "replace") for path in folder.glob("*.go")) if code == 0 and sources.strip() else ""
    return sorted(f"without_{name}" for name in functions if not re.search(rf"^func {name}\(", text, re.MULTILINE))


def set_crate(wanted: Wanted, module: pathlib.Path, child: Child) -> None:
    """Also makes the path to src/foreign_code/rust absolute, because the relative path is not valid in the copy."""
    manifest = module / "Cargo.toml"
    text = manifest.read_text("utf-8").replace("../../foreign_code/rust", str(FOREIGN_CODE / "rust"))
    needed = re.compile(rf'^({re.escape(wanted.library)} = (?:\{{.*?version = )?)"[^"]*"', re.MULTILINE)
    manifest.write_text(needed.sub(rf'\g<1>"={wanted.version}"', text, count=1), "utf-8")
    fetched(wanted, module, ["cargo", "fetch", "--quiet"], child)
