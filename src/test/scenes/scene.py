"""Functions and classes that all scenes use. A scene is a test that runs the real programs as a user does, and checks their output,
files and exit codes."""

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
import unittest.mock
from collections.abc import Callable, Iterable, Mapping
from typing import Any

# Run files without --output are written here, not in the source tree.
RESULTS = tempfile.mkdtemp(prefix="ecbench results ")
atexit.register(shutil.rmtree, RESULTS, ignore_errors=True)
os.environ["ECBENCH_RESULTS_DIR"] = RESULTS

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))
ECBENCH = BUILD / "ecbench"
PLUGINS = BUILD / "plugins"

# ecbench stores the best speed of its probe (the reference) here, not in the user's home directory.
STATE = tempfile.TemporaryDirectory(prefix="ecbench state ")
os.environ["XDG_STATE_HOME"] = STATE.name
os.environ["ECBENCH_LOCK_DIR"] = STATE.name  # tests must not wait for other measurements on the machine
# Lines on stderr that ecbench may print because other programs run on the machine.
REMARK = re.compile(r"ecbench: (warning: |note: |! marks |\d+ of \d+ measurements that were repeated )")

# `make test` installs neither matplotlib nor jinja2. Charts need matplotlib. Pages need both.
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
HAS_PAGES = HAS_MATPLOTLIB and importlib.util.find_spec("jinja2") is not None

SECONDS_TO_WAIT = 60  # timeout for events that must happen

Environment = Mapping[str, Any] | None  # variables that are added to the environment, or removed if the value is None


class Result(subprocess.CompletedProcess[str]):
    """`remarks`: the lines of standard error that match REMARK. `stderr`: all other lines of standard error."""

    remarks: list[str]


def is_sanitized() -> bool:
    """Whether the programs were built with a sanitizer. A sanitizer needs terabytes of address space and adds shared objects."""
    cache = BUILD / "CMakeCache.txt"
    return cache.exists() and re.search(r"^ECBENCH_SANITIZE:[A-Z]+=.", cache.read_text(), re.MULTILINE) is not None


def mode(*words: Any) -> list[Any]:
    """The command that runs a mode of bench.sh without building ecbench first."""
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
    """Starts a program with pipes and without a terminal. `options` are passed to Popen and replace these defaults."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([str(arg) for arg in args], env=environment(env), **(pipes | options))


def run_on_terminal(args: Iterable[Any], env: Environment = None, streams: Iterable[str] = ("stdout", "stderr")) -> Result:
    """Runs a program. The outputs in `streams` are connected to a terminal. Other outputs are /dev/null.
    The result's stdout is everything that was written to the terminal."""
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
    except OSError:  # EIO: on Linux, the other side of the terminal is closed
        return b""


def wait_until(condition: Callable[[], Any], what: str) -> None:
    """Waits until the condition is true. Fails with the text `what` after SECONDS_TO_WAIT."""
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {SECONDS_TO_WAIT} s: {what}")
        time.sleep(0.01)


def has_lines(path: pathlib.Path, count: int, word: bytes = b"\n") -> bool:
    """Whether a file has at least `count` lines. If `word` is given, whether the file contains it at least `count` times."""
    return path.exists() and path.read_bytes().count(word) >= count


def environment(changes: Environment = None) -> dict[str, str]:
    """The environment of this process, changed as `changes` says."""
    changes = changes or {}
    merged = {**os.environ, **{name: str(value) for name, value in changes.items() if value is not None}}
    return {name: value for name, value in merged.items() if changes.get(name, "") is not None}


def libraries_of(plugin: str, *args: Any) -> dict[str, dict[str, Any]]:
    """The shared objects that --environment prints for a plugin, by name. Plugins are left out."""
    result = run([ECBENCH, "--environment", "-p", plugin, *args])
    found = {library["name"]: library for library in json.loads(result.stdout)["shared_objects"]}
    return {name: library for name, library in found.items() if not name.startswith("libec_")}


def libisal() -> pathlib.Path:
    """The libisal that plugin isa loads. If the path is below the home directory, ecbench prints it with ~."""
    return pathlib.Path(libraries_of("isa")["libisal.so.2"]["path"]).expanduser()


def copy_scripts(tree: pathlib.Path) -> None:
    """Copies the scripts to `tree`. Also copies workloads.inc, the source file that the modes read."""
    workloads = pathlib.Path("src", "benchmark", "workloads", "workloads.inc")
    shutil.copytree(SOURCE / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (tree / workloads).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(SOURCE / workloads, tree / workloads)


def open_terminal() -> tuple[int, int]:
    """Opens a pseudo-terminal. Returns two file descriptors: one for this process, and one for the program that the test starts.
    Skips the test if no terminal can be opened, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal can be opened: {error}") from error


class Scene(unittest.TestCase):
    """A test with an empty temporary directory, self.folder."""

    maxDiff = None

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ecbench scene ")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        # A program that still runs after an earlier test must not hold the lock that this test takes.
        lock = unittest.mock.patch.dict(os.environ, ECBENCH_LOCK_DIR=temporary.name)
        lock.start()
        self.addCleanup(lock.stop)

    def write_program(self, name: str, text: str) -> pathlib.Path:
        """Writes an executable script to self.folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def counting_program(self) -> pathlib.Path:
        """A wrapper of ecbench that is slow until the file self.folder / "hurry" exists, so that a test can interrupt it.
        self.measured() counts the measurements of the wrapper."""
        counted, hurry = (shlex.quote(str(self.folder / name)) for name in ("measurements", "hurry"))
        return self.write_program("counting", f"""#!/bin/sh
case "$*" in *--min-time*) echo >> {counted}; [ -e {hurry} ] || sleep 0.1 ;; esac
exec {shlex.quote(str(ECBENCH))} --erasure-code-dir {shlex.quote(str(PLUGINS))} "$@"
""")

    def measured(self) -> int:
        return (self.folder / "measurements").read_text().count("\n")

    def wait_for_lines(self, path: pathlib.Path, count: int) -> None:
        """Waits until a run file has more than `count` lines."""
        wait_until(lambda: has_lines(path, count + 1), f"{path} has at most {count} lines")

    def assert_refused(self, result: subprocess.CompletedProcess[str], *words: str) -> None:
        """Checks for exit code 1, an empty stdout, and one line on stderr that contains all the words."""
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


def main() -> None:
    unittest.main(verbosity=2)
