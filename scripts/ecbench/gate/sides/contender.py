"""Builds a plugin that uses a Go module or a Rust crate, with the version of this library that the user gives. The version is set
in a copy of the plugin's directory; the plugin's C++ code is compiled from this clone."""

import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tomllib

from ecbench.gate.sides.revisions import CACHE, CLEAN, keep, options_of, run_logged
from ecbench.installation.contender_tools import why_not
from ecbench.installation.places import SCRIPTS, SOURCE
from ecbench.measure.ecbench import one_line
from ecbench.process.children import Child
from ecbench.terminal.console import Refused, did_you_mean, say

GO_MODULE, CRATE = "--go-module", "--crate"
PLUGINS = (SOURCE or pathlib.Path()) / "src" / "plugins"
FOREIGN_CODE = (SOURCE or pathlib.Path()) / "src" / "foreign_code"
SECONDS_TO_FETCH = 600
VERSIONS = {GO_MODULE: re.compile(r"[A-Za-z0-9][A-Za-z0-9._+/-]*"),  # a tag, a branch or a commit; resolve() finds its version
            CRATE: re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?")}
EXAMPLES = {GO_MODULE: "github.com/klauspost/reedsolomon@v1.14.2", CRATE: "reed-solomon-simd@3.1.0"}
GO = ("GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-mod=mod", "go")
ORDINARY = re.compile(r"^go: (downloading|added|upgraded|downgraded|removed) |^ *(Updating|Locking|Adding|Downgrading) ")
TELLING = re.compile(r"\.go:\d+:\d+: |^error(\[\w+\])?: |\berror: ")


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


def build_contender(wanted: Wanted, child: Child, like: pathlib.Path | None) -> pathlib.Path:
    """The directory of the plugin, built with the library version that resolve() returned. `like`: a CMakeCache.txt, whose options
    are used (None: a Release build)."""
    options = options_of(like)
    key = hashlib.sha256("\n".join([*options, wanted.given, sources_digest(wanted.folder)]).encode()).hexdigest()[:6]
    folder = CACHE / f"{wanted.plugin}-{re.sub(r'[^0-9A-Za-z.+-]', '_', wanted.version)}-{key}"
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


def sources_digest(folder: pathlib.Path) -> str:
    """The digest of the plugin, and of the Rust code that several plugins use."""
    digest = hashlib.sha256()
    for path in sorted([*folder.rglob("*"), *(FOREIGN_CODE / "rust").rglob("*")]):
        if path.is_file():
            digest.update(str(path).encode() + path.read_bytes())
    return digest.hexdigest()


def fetched(wanted: Wanted, folder: pathlib.Path, words: list[str], child: Child) -> str:
    """The output of a go or cargo command that may use the network. `words` may begin with environment variables (NAME=VALUE)."""
    what = f"{wanted} cannot be fetched"
    try:
        code, stdout, stderr = child.run(["env", "-C", str(folder), *words], SECONDS_TO_FETCH)
    except subprocess.TimeoutExpired as error:
        raise Refused(f"{what}: no answer within {SECONDS_TO_FETCH} s; check the network") from error
    if code != 0:
        lines = [line for line in (stderr + stdout).splitlines() if line.strip() and not ORDINARY.match(line)]
        why = one_line(" ".join(line.strip() for line in lines[:3])) or f"exit code {code}"
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
