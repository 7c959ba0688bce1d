"""What scenes share. A scene runs the real programs as a user does, and checks what they print and write, and how they end."""

import atexit
import importlib.util
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable, Iterable, Mapping
from typing import Any

# Runs without --output are written there, and not into the source tree.
RESULTS = tempfile.mkdtemp(prefix="ecbench results ")
atexit.register(shutil.rmtree, RESULTS, ignore_errors=True)
os.environ["ECBENCH_RESULTS_DIR"] = RESULTS

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))
ECBENCH = BUILD / "ecbench"
PLUGINS = BUILD / "plugins"

# ecbench keeps a reference of its probe there, and not in the user's home.
STATE = tempfile.TemporaryDirectory(prefix="ecbench state ")
os.environ["XDG_STATE_HOME"] = STATE.name
# Lines on stderr that depend on what else the machine does.
REMARK = re.compile(r"ecbench: (warning: |note: |! marks |\d+ of \d+ measurements with warnings )")

# `make test` installs neither of them. Charts need matplotlib, pages also jinja2.
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
HAS_PAGES = HAS_MATPLOTLIB and importlib.util.find_spec("jinja2") is not None

SECONDS_TO_WAIT = 60  # for what must happen

Environment = Mapping[str, Any] | None  # what is added to the environment; a value of None removes the variable


class Result(subprocess.CompletedProcess[str]):
    """`remarks`: the lines that REMARK matches, which are not in `stderr`."""

    remarks: list[str]


def is_sanitized() -> bool:
    """Whether the programs were built with a sanitizer, which needs terabytes of address space and adds shared objects."""
    cache = BUILD / "CMakeCache.txt"
    return cache.exists() and re.search(r"^ECBENCH_SANITIZE:[A-Z]+=.", cache.read_text(), re.MULTILINE) is not None


def mode(*words: Any) -> list[Any]:
    """The command of a mode of bench.sh, without its build."""
    return [sys.executable, "-E", "-s", SOURCE / "scripts" / "mode.py", *words]


def run(args: Iterable[Any], env: Environment = None, cwd: str | os.PathLike | None = None, timeout: float = 120) -> Result:
    """Runs a program without a terminal."""
    done = subprocess.run([str(arg) for arg in args], env=environment(env), cwd=cwd, timeout=timeout, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    lines = done.stderr.splitlines(keepends=True)
    result = Result(done.args, done.returncode, done.stdout, "".join(line for line in lines if not REMARK.match(line)))
    result.remarks = [line.rstrip("\n") for line in lines if REMARK.match(line)]
    return result


def start(args: Iterable[Any], env: Environment = None, **options: Any) -> subprocess.Popen[str]:
    """Starts a program with pipes and without a terminal; `options` of Popen replace these."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([str(arg) for arg in args], env=environment(env), **(pipes | options))


def run_on_terminal(args: Iterable[Any], env: Environment = None, streams: Iterable[str] = ("stdout", "stderr")) -> Result:
    """Runs a program with a terminal as these of its streams; the others go to /dev/null. The result's stdout is all that the
    terminal got."""
    ours, theirs = open_terminal()
    outputs = {name: theirs if name in streams else subprocess.DEVNULL for name in ("stdout", "stderr")}
    with start(args, env, start_new_session=True, **outputs) as process:
        os.close(theirs)
        shown = b""
        while block := read_terminal(ours):
            shown += block
    os.close(ours)
    return Result(process.args, process.returncode, shown.decode().replace("\r\n", "\n"), "")


def read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux: the other end is closed
        return b""


def wait_until(condition: Callable[[], Any], what: str) -> None:
    """Fails with `what` if the condition does not become true."""
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {SECONDS_TO_WAIT} s: {what}")
        time.sleep(0.01)


def has_lines(path: pathlib.Path, count: int, word: bytes = b"\n") -> bool:
    """Whether a file has so many lines, or words."""
    return path.exists() and path.read_bytes().count(word) >= count


def environment(changes: Environment = None) -> dict[str, str]:
    """The environment of this process with `changes`."""
    changes = changes or {}
    merged = {**os.environ, **{name: str(value) for name, value in changes.items() if value is not None}}
    return {name: value for name, value in merged.items() if changes.get(name, "") is not None}


def libraries_of(plugin: str, *args: Any) -> dict[str, dict[str, Any]]:
    """The shared objects that --environment reports for a plugin, by name, without plugins."""
    result = run([ECBENCH, "--environment", "-p", plugin, *args])
    found = {library["name"]: library for library in json.loads(result.stdout)["shared_objects"]}
    return {name: library for name, library in found.items() if not name.startswith("libec_")}


def libisal() -> pathlib.Path:
    """The file that plugin isa uses. ecbench prints a path below the home directory with ~."""
    return pathlib.Path(libraries_of("isa")["libisal.so.2"]["path"]).expanduser()


def copy_scripts(tree: pathlib.Path) -> None:
    """Copies to `tree` the scripts, and the file of the source that they read."""
    workloads = pathlib.Path("src", "benchmark", "workloads", "workloads.inc")
    shutil.copytree(SOURCE / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (tree / workloads).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(SOURCE / workloads, tree / workloads)


def open_terminal() -> tuple[int, int]:
    """The two ends of a terminal, ours and the program's. Skips the test if there are none, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal can be opened: {error}") from error


class Scene(unittest.TestCase):
    """A test with an empty folder, self.folder."""

    maxDiff = None

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ecbench scene ")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write_program(self, name: str, text: str) -> pathlib.Path:
        """An executable script in self.folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def counting_program(self) -> pathlib.Path:
        """ecbench, slowed down until there is a file self.folder / "hurry", so that it can be interrupted; self.measured() counts
        its measurements."""
        counted, hurry = (shlex.quote(str(self.folder / name)) for name in ("measurements", "hurry"))
        return self.write_program("counting", f"""#!/bin/sh
case "$*" in *--min-time*) echo >> {counted}; [ -e {hurry} ] || sleep 0.1 ;; esac
exec {shlex.quote(str(ECBENCH))} --erasure-code-dir {shlex.quote(str(PLUGINS))} "$@"
""")

    def measured(self) -> int:
        return (self.folder / "measurements").read_text().count("\n")

    def wait_for_lines(self, path: pathlib.Path, count: int) -> None:
        """Until a run file has more lines than that."""
        wait_until(lambda: has_lines(path, count + 1), f"{path} has at most {count} lines")

    def assert_refused(self, result: subprocess.CompletedProcess[str], *words: str) -> None:
        """Exit code 1, nothing on stdout, and one line on stderr that has all the words."""
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


def main() -> None:
    unittest.main(verbosity=2)
