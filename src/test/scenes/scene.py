"""A scene is a test that runs the real programs as a user does, and checks their output, files and exit codes."""

import atexit
import base64
import concurrent.futures
import contextlib
import functools
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import jsonschema

# Variables of bench.sh, Ceph's tool, GF-Complete and terminals, which the user's environment may contain.
for name in filter(re.compile("SIZE|ITERATIONS|TOTAL_SIZE|PLUGINS|TECHNIQUES|PARAMETERS|(ECBENCH_)?PLUGIN_DIR(ECTORY)?|CEPH_.*|"
                              "GF_COMPLETE_.*|NO_COLOR|COLUMNS").fullmatch, list(os.environ)):
    del os.environ[name]

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))
ECBENCH = BUILD / "ecbench"
FAKE = BUILD / "fake" / "fake_ecbench"  # ecbench with invented times: see Scene.invent()
PLUGINS = BUILD / "plugins"
TEST_PLUGINS = BUILD / "test_plugins"
HANDICAPPED = BUILD / "handicapped" / "plugins"
HEADER = ["seconds", "KB", "plugin", "k", "m", "work.", "iter.", "size", "eras.", "technique", "w", "packetsize", "GB/s", "±%",
          "%limit", "CPU s/GB", "command."]
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}  # signal → exit code

# Under nohup, or in the background of a script, these signals are ignored. The programs that a test starts must not ignore them.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# ecbench stores the best speed of its probe here, and not in the user's home directory.
STATE = tempfile.TemporaryDirectory(prefix="ecbench state ")
os.environ["XDG_STATE_HOME"] = STATE.name
os.environ["ECBENCH_LOCK_DIR"] = STATE.name  # tests must not wait for other measurements on the machine
# Matches warnings and notes on stderr. They depend on the machine, on earlier runs, and on the other programs that run.
REMARK = re.compile(r"ecbench: (warning: |note: |! marks |\d+ (?:warning|note)s?(?:: | \()|"
                    r"\d+ of \d+ measurements that were repeated )")

# `make test` does not install the library of the page.
HAS_PAGE_LIBRARY = any((SOURCE / "build/page").glob("lib/python3*/site-packages/vl_convert"))  # of report

SECONDS_TO_WAIT = 60  # timeout of wait_until()


def rows_of_page(text: str) -> list[dict]:
    """The rows of the first block of a page."""
    found = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    columns = json.loads(gzip.decompress(base64.b64decode(found[1])))["blocks"][0]["columns"]
    return [dict(zip([column["key"] for column in columns], row)) for row in zip(*(column["of"] for column in columns))]


def records_of(path: pathlib.Path, kind: str = "") -> list[dict[str, Any]]:
    """The records of a run file, or only those of a kind, such as "row"."""
    return [record for record in map(json.loads, path.read_text("utf-8").splitlines()) if kind in ("", record["record"])]


def cells_of(stdout: str) -> dict[str, str]:
    """The cells of a table with one row."""
    header, row = (line.split("\t") for line in stdout.splitlines())
    return dict(zip(header, row, strict=True))


# Words before a command, so that permissions of files also apply to root.
AS_USER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []

Environment = Mapping[str, Any] | None  # variables that are added to the environment, or removed if the value is None


class Result(subprocess.CompletedProcess[str]):
    """`remarks`: the lines of standard error that match REMARK. `stderr`: all other lines of standard error."""

    remarks: list[str]


def is_sanitized() -> bool:
    """A sanitizer needs terabytes of address space and adds shared objects."""
    cache = BUILD / "CMakeCache.txt"
    return cache.exists() and re.search(r"^ECBENCH_SANITIZE:[A-Z]+=.", cache.read_text(), re.MULTILINE) is not None


PYTHON = [sys.executable, "-E", "-s"]
MODES = [*PYTHON, str(SOURCE / "scripts" / "mode.py")]
READ_BY_PYTHON = ("LANG", "LC_", "LD_")  # the beginnings of variables that matter only to a new Python


def mode(*words: Any) -> list[Any]:
    """The command that runs a mode of bench.sh without building ecbench first."""
    return [*MODES, *words]


class Starter:
    """starter.py, which runs until this process ends."""

    def __init__(self) -> None:
        self.control, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            self.process = subprocess.Popen(
                [*PYTHON, str(pathlib.Path(__file__).with_name("starter.py")), str(its.fileno()), MODES[-1]],
                pass_fds=[its.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.is_free = threading.Lock()
        atexit.register(self.end)

    def end(self) -> None:
        self.control.close()
        self.process.communicate()

    def run(self, args: list[str], env: dict[str, str], cwd: str | os.PathLike | None,
            timeout: float) -> subprocess.CompletedProcess[str]:
        request = {"args": args[len(MODES) - 1:], "environment": env, "cwd": str(cwd or pathlib.Path.cwd())}
        (out, its_out), (err, its_err) = os.pipe(), os.pipe()
        socket.send_fds(self.control, [json.dumps(request).encode()], [its_out, its_err])
        os.close(its_out)
        os.close(its_err)
        clock = threading.Timer(timeout, os.kill, (int(self.control.recv(32)), signal.SIGKILL))
        clock.start()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            texts = list(pool.map(lambda stream: open(stream, encoding="utf-8", errors="backslashreplace").read(), (out, err)))
        code = int(self.control.recv(32))
        clock.cancel()
        return subprocess.CompletedProcess(args, code, *texts)


one_starter, first_start = functools.cache(Starter), threading.Lock()


def starter() -> Starter:
    with first_start:  # functools.cache does not keep two threads from making one each
        return one_starter()


def run(args: Iterable[Any], env: Environment = None, cwd: str | os.PathLike | None = None, timeout: float = 120, around: str = "",
        **options: Any) -> Result:
    """Runs a program without a terminal. `around`: a command of bash in which "$@" is the program."""
    words = [*(["bash", "-c", around, "-"] if around else []), *map(str, args)]
    if words[:len(MODES)] == MODES and not options and not any(name.startswith(READ_BY_PYTHON) for name in env or ()) \
            and starter().is_free.acquire(blocking=False):
        try:
            done = starter().run(words, environment(env), cwd, timeout)
        except (ConnectionError, ValueError) as error:
            raise RuntimeError(f"starter.py ended: {starter().process.communicate()[1].decode()}") from error
        finally:
            starter().is_free.release()
    else:
        stdin = {} if "input" in options else {"stdin": subprocess.DEVNULL}
        done = subprocess.run(words, env=environment(env), cwd=cwd, timeout=timeout, text=True, capture_output=True, check=False,
                              **stdin, **options)
    lines = done.stderr.splitlines(keepends=True)
    result = Result(done.args, done.returncode, done.stdout, "".join(line for line in lines if not REMARK.match(line)))
    result.remarks = [line.rstrip("\n") for line in lines if REMARK.match(line)]
    return result


def ecbench(*args: Any, **options: Any) -> Result:
    return run([ECBENCH, *args], **options)


def ask(*words: Any, **options: Any) -> Result:
    return run(mode(*words), **options)


def start(args: Iterable[Any], env: Environment = None, **options: Any) -> subprocess.Popen[str]:
    """Starts a program without a terminal. `options` are those of Popen."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([str(arg) for arg in args], env=environment(env), **(pipes | options))


def interrupt(args: Iterable[Any], is_ready: Callable[[], Any], **options: Any) -> Result:
    """Runs a program, and sends it SIGINT when is_ready()."""
    with start(args, **options) as process:
        try:
            wait_until(lambda: is_ready() or process.poll() is not None, "the program is not ready to be interrupted")
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    return Result(process.args, process.returncode, stdout, stderr)


def run_on_terminal(args: Iterable[Any], env: Environment = None) -> Result:
    """Runs a program whose stdout and stderr are a terminal of unknown width. stdout of the result contains both."""
    ours, theirs = open_terminal()
    with start(args, env, start_new_session=True, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # EIO: on Linux, the other side of the terminal is closed
            while block := os.read(ours, 65536):
                shown += block
    os.close(ours)
    return Result(process.args, process.returncode, shown.decode().replace("\r\n", "\n"), "")


def wait_until(condition: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {SECONDS_TO_WAIT} s: {what}")
        time.sleep(0.01)


def environment(changes: Environment = None) -> dict[str, str]:
    """The environment of this process with these changes; None removes a variable."""
    changes = changes or {}
    merged = {**os.environ, **{name: str(value) for name, value in changes.items() if value is not None}}
    return {name: value for name, value in merged.items() if changes.get(name, "") is not None}


@functools.cache
def validator(mode: str = "") -> jsonschema.Draft202012Validator:
    printed = ask(mode, "--schema") if mode else ecbench("--schema")
    return jsonschema.Draft202012Validator(json.loads(printed.stdout))


def libraries_of(plugin: str, *args: Any) -> dict[str, dict[str, Any]]:
    """Name → shared object that --environment prints for a plugin."""
    result = run([ECBENCH, "--environment", "-p", plugin, *args])
    found = {library["name"]: library for library in json.loads(result.stdout)["shared_objects"]}
    return {name: library for name, library in found.items() if not name.startswith("libec_")}


def libisal() -> pathlib.Path:
    """ecbench prints ~ for the home directory."""
    return pathlib.Path(libraries_of("isa")["libisal.so.2"]["path"]).expanduser()


def copy_scripts(tree: pathlib.Path) -> None:
    """With workloads.inc, a source file of ecbench that the modes also read."""
    workloads = pathlib.Path("src", "benchmark", "workloads", "workloads.inc")
    shutil.copytree(SOURCE / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    (tree / workloads).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(SOURCE / workloads, tree / workloads)


def open_terminal() -> tuple[int, int]:
    """Two file descriptors: of this process, and of the program that the test starts."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal can be opened: {error}") from error


class Scene(unittest.TestCase):
    """A test with an empty temporary directory, self.folder."""

    maxDiff = None

    def setUp(self) -> None:
        temporary = self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench scene "))
        self.folder = pathlib.Path(temporary)
        # A test does not wait for the lock of an earlier test, and does not write run files to the source tree.
        self.truth = pathlib.Path(STATE.name, f"{self.id()}.json")
        self.enterContext(unittest.mock.patch.dict(os.environ, ECBENCH_LOCK_DIR=temporary, ECBENCH_FAKE=str(self.truth),
                                                   ECBENCH_RESULTS_DIR=f"{temporary}/results"))
        self.invent()
        self.forget()

    def write_program(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def invent(self, *rules: dict[str, Any]) -> pathlib.Path:
        """Gives FAKE these rules (src/test/fake/truth.h). Returns FAKE."""
        self.truth.write_text(json.dumps({"rules": rules}))
        return FAKE

    def plugins_of(self, *paths: pathlib.Path) -> pathlib.Path:
        folder = self.folder / "plugins"
        folder.mkdir()
        for path in paths:
            (folder / path.name).symlink_to(path)
        return folder

    def side(self, name: str, program: pathlib.Path = FAKE, plugins: pathlib.Path = PLUGINS) -> pathlib.Path:
        """A directory like a build, for gate; `name` is the fact "program" of the measurements of FAKE."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "ecbench").symlink_to(program.absolute())
        (folder / "plugins").symlink_to(plugins.absolute())
        return folder

    def invented(self) -> list[dict[str, str]]:
        """The facts of each measurement of FAKE, in order."""
        log = pathlib.Path(f"{self.truth}.log")
        lines = log.read_text().splitlines() if log.exists() else []
        return [dict(fact.partition("=")[::2] for fact in line.split()) for line in lines]

    def forget(self, measurements: int | None = None) -> None:
        """FAKE forgets its last measurements, or all."""
        log = pathlib.Path(f"{self.truth}.log")
        lines = log.read_text().splitlines(keepends=True) if log.exists() else []
        log.write_text("".join([] if measurements is None else lines[:len(lines) - measurements]))

    def wait_for_lines(self, path: pathlib.Path, count: int) -> None:
        """Waits until a run file has more than `count` lines."""
        wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") > count, f"{path} has at most {count} lines")

    def assert_nothing_runs(self) -> None:
        """No command line of a process contains the name of self.folder."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):  # the process has just ended
                self.assertNotIn(str(self.folder).encode(), path.read_bytes())

    def succeeded(self, result: Result) -> Result:
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def silent(self, result: Result) -> Result:
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result

    def row(self, *args: Any, env: Environment = None) -> dict[str, Any]:
        """The row that ecbench prints; it follows the schema."""
        line, = self.succeeded(run([ECBENCH, "--format", "json", *args], env)).stdout.splitlines()
        row = json.loads(line)
        self.assertEqual([f"{error.json_path}: {error.message}" for error in validator().iter_errors(row)], [])
        return row

    def assert_refused(self, result: subprocess.CompletedProcess[str], *words: str) -> None:
        """Checks for exit code 1, an empty stdout, and one line on stderr that contains all the words."""
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
@unittest.skipIf(is_sanitized(), "valgrind runs no program with a sanitizer")
class UnderCallgrind(Scene):
    def setUp(self) -> None:
        super().setUp()
        if not json.loads(ecbench("--environment").stdout)["ecbench"]["client_requests"]:
            self.skipTest("ecbench was built without valgrind/callgrind.h")
