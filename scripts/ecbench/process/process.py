"""Runs programs, and ends every mode of bench.sh in the same way: with one line after bad input, a full disk, a signal or
unexpected data. The signal handler kills the programs, and sets a flag. After that, Child.run() throws Interrupted. Thus a signal
does not interrupt the writing of a row, and each row in a run file is complete. In modes that run no programs, the signal handler
itself ends the process. bench.sh starts Python with the SIGNALS blocked; Child unblocks them."""

import contextlib
import ctypes
import errno
import math
import os
import pathlib
import selectors
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import IO, Any, TypeVar

from ecbench.files.files import remove_left_folders, remove_own_folder, why_full
from ecbench.terminal import console
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes, ready_standard_output, say, say_warnings

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
# Signals that are handled even if they are ignored when this process starts (except with `ends_with`). Reason: shells start
# background jobs with SIGINT ignored. SIGHUP is not in this list: if the process was started with nohup, SIGHUP must stay ignored.
HANDLED_IF_IGNORED = (signal.SIGINT, signal.SIGTERM)
MOST_IN_A_PIPE = 1 << 20  # bytes; without privileges, a pipe in Linux cannot be larger
MOST_OUTPUT = 256 << 20  # bytes; the rest is dropped, and the output then cannot be read as JSON


class Interrupted(Exception):
    """A signal has arrived that ends this process. `message` is printed. If `message` is empty, the mode prints its usual message
    for interruptions."""

    def __init__(self, number: int, message: str = ""):
        super().__init__(number)
        self.signal, self.exit_code = number, 128 + number
        self.message = message


class Child:
    """Runs programs. Several threads may call run() at the same time. Each program has its own session, so that Ctrl-C sends
    SIGINT only to this process."""

    def __init__(self, ends_with: str = ""):
        """With `ends_with`, the signal handler prints this message and ends the process. This is for modes that run no programs.
        The handler throws no exception: a library could ignore it, and the exception of a second signal could reach the user."""
        self.signal = 0  # that arrived
        self._ends_with = ends_with
        self._process = os.getpid()
        self._processes: set[subprocess.Popen[bytes]] = set()
        for number in SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN or (number in HANDLED_IF_IGNORED and not ends_with):
                signal.signal(number, self._handle)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def run(self, command: Sequence[str], timeout: float | None = None, stdin: int | IO[bytes] | None = subprocess.DEVNULL
            ) -> tuple[int, str, str]:
        """Runs a program. Returns its exit code, stdout and stderr. Throws Interrupted, OSError and subprocess.TimeoutExpired.
        Before it returns or throws, kills all processes that remain in the program's process group."""
        with self._running(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            stdout, stderr = read_outputs(process, timeout)
        return process.returncode, stdout, stderr

    def run_shown(self, command: Sequence[str], descriptors: Sequence[int] = ()) -> int:
        """Runs a program that prints to standard error and inherits `descriptors`. Returns its exit code. Throws Interrupted and
        OSError."""
        with self._running(command, stdin=subprocess.DEVNULL, stdout=2, pass_fds=descriptors) as process:
            process.wait()
            if self.signal and sys.stderr.isatty():
                os.write(2, b"\n")  # after its line of progress
        return process.returncode

    @contextlib.contextmanager
    def _running(self, command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
        self.check()
        with subprocess.Popen(command, start_new_session=True, **options) as process:
            self._processes.add(process)
            try:
                if self.signal:  # a signal arrived while Popen() started the program
                    kill_session(process)
                yield process
            finally:
                kill(process)
                self._processes.discard(process)
        self.check()

    def start(self, command: Sequence[str], stderr: int | IO[bytes], descriptors: Sequence[int] = ()) -> subprocess.Popen[bytes]:
        """Starts a program with pipes for stdin and stdout. The program inherits `descriptors`. The caller must end the
        program. Throws Interrupted and OSError."""
        self.check()
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, pass_fds=descriptors,
                                start_new_session=True, bufsize=0)

    def check(self) -> None:
        if self.signal:
            raise Interrupted(self.signal)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        is_first = not self.signal
        self.signal = self.signal or number
        for process in list(self._processes):
            kill_session(process)
        if self._ends_with and is_first:
            if os.getpid() == self._process:  # otherwise, this is a process of in_processes() that has just been started
                erase = "\r\x1b[K" if console.progress_on else ""
                with contextlib.suppress(OSError, AttributeError, ValueError):  # standard error may be closed
                    os.write(sys.stderr.fileno(), f"{erase}ecbench: {self._ends_with}\n".encode())  # also during a write of Python
            remove_own_folder()
            os._exit(128 + number)


def read_outputs(process: subprocess.Popen[bytes], timeout: float | None) -> tuple[str, str]:
    """The output on stdout and stderr before the process ended. Throws subprocess.TimeoutExpired. Does not wait
    until the pipes are closed, since a descendant process in another session may keep them open forever."""
    assert process.stdout and process.stderr
    outputs = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    try:
        ended, longest_wait = [os.pidfd_open(process.pid)], math.inf
    except OSError:  # Linux before 5.3, or a container that refuses this system call: look often whether the process has ended
        ended, longest_wait = [], 0.02
    try:
        with selectors.DefaultSelector() as selector:
            for descriptor in (*ended, *outputs):
                selector.register(descriptor, selectors.EVENT_READ)
            while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise subprocess.TimeoutExpired(process.args, timeout or 0)
                wait = min(left, longest_wait)
                ready = [key.fd for key, _ in selector.select(None if wait == math.inf else wait)]
                for descriptor in outputs.keys() & ready:
                    part = os.read(descriptor, MOST_IN_A_PIPE)
                    if len(outputs[descriptor]) < MOST_OUTPUT:
                        outputs[descriptor] += part
                    if not part:
                        selector.unregister(descriptor)
        for descriptor in outputs:
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                outputs[descriptor] += os.read(descriptor, MOST_IN_A_PIPE)
    finally:
        for descriptor in ended:
            os.close(descriptor)
    stdout, stderr = (output.decode("utf-8", "replace").replace("\r\n", "\n") for output in outputs.values())
    return stdout, stderr


def kill(process: subprocess.Popen[bytes]) -> None:
    # If process.wait() has returned, process.pid may already be the number of another process group.
    if process.returncode is None:
        with contextlib.suppress(OSError):  # fails if the group is empty, or if this user cannot kill any process in it
            os.killpg(process.pid, signal.SIGKILL)


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """Also kills the processes of its other process groups: ninja gives each compiler one."""
    kill(process)
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):  # the process has ended
            _state, _parent, _group, session = stat.read_text("utf-8", errors="replace").rpartition(")")[2].split()[:4]
            if int(session) == process.pid:
                os.kill(int(stat.parent.name), signal.SIGKILL)


# The end of a mode.

TOO_LITTLE_MEMORY = "too little memory: give smaller or fewer inputs, or end other programs, and repeat the command"
UNFILTERED = "--security-opt seccomp=unconfined"  # starts a container without a filter of system calls
# The functions that read files check their input. If they find an error, they throw Refused with the file name and the line number.
# If they miss an error, code that uses the data can throw one of the following exceptions.
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, RuntimeError, TypeError, ValueError)
OF_MEMORY = (MemoryError, SystemError)  # CPython throws SystemError if it has no memory for an exception
ERRORS = (Refused, ImportError, SyntaxError, OSError, *OF_MEMORY, *UNEXPECTED)


def run_to_the_end(program: Callable[[Child], int], interrupted: str, runs_others: bool = True) -> int:
    """Runs program(child). Returns its exit code, or the exit code for the error or signal that ended it. `interrupted` is the
    message that is printed after a signal. `runs_others` is false if program() runs no other programs. Then a signal ends program()
    at once."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    last, status = "", 1
    ended: Exception | None = None
    try:
        child = Child("" if runs_others else interrupted)
        ready_standard_output()
        remove_left_folders()
        code = program(child)
        sys.stdout.flush()
        return code
    except (WrongBytes, OutOfTime) as end:
        last, status = str(end), end.exit_code
    except Interrupted as interrupt:
        last, status = interrupt.message or interrupted, interrupt.exit_code
    except ERRORS as error:
        last, ended = "" if isinstance(error, BrokenPipeError) else why(error), error  # only modes that ignore SIGPIPE get it
    finally:
        # The exit code is known; a signal must not change it. Blocking the signals in this thread would not suffice, since
        # libraries have threads, and Python restores the default handlers at its end.
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        remove_own_folder()
        say_warnings("--verbose" in sys.argv)
    if last:  # it may say how to continue, so it follows the warnings
        say(last)
    end_unwritten(ended)
    return status


def end_unwritten(error: Exception | None) -> None:
    """Ends the process if the error is that standard output cannot be written: at its own end, Python would write to it again, and
    print an error message of its own."""
    if isinstance(error, BrokenPipeError):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    if isinstance(error, OSError):
        os._exit(1)


def why(error: Exception) -> str:
    """The line that is printed for one of the ERRORS."""
    if isinstance(error, Refused):
        return str(error)
    if isinstance(error, OF_MEMORY):
        return TOO_LITTLE_MEMORY
    if isinstance(error, ModuleNotFoundError):
        return f"{sys.executable} has no module {error.name}: run scripts/install-deps.sh, which installs it for /usr/bin/python3"
    if isinstance(error, (ImportError, SyntaxError)):
        reason = (str(error).strip().splitlines() or [""])[-1]
        return f"a Python module cannot be loaded: {reason}; if the memory is limited, give more of it"
    if isinstance(error, OSError):
        if not error.filename and error.errno in (errno.EPERM, errno.ENOSYS):
            return (f"a system call is refused ({error.strerror}), for example by the seccomp filter of a container; start it with "
                    f"{UNFILTERED}")
        reason = f"{error.filename or 'standard output'}: {error.strerror}"
        return why_full(reason) or reason
    if os.environ.get("ECBENCH_TRACEBACK"):
        traceback.print_exception(error)
    if str(error) == "can't start new thread":
        return ("no thread can be started: a limit (pids.max, ulimit -u) or the seccomp filter of a container forbids it; raise "
                f"the limit, or start the container with {UNFILTERED}")
    place = traceback.extract_tb(error.__traceback__)[-1]
    return (f"the input has an unexpected form, or ecbench has a bug: {type(error).__name__}: {error} "
            f"({pathlib.Path(place.filename).name}, line {place.lineno}); set ECBENCH_TRACEBACK=1 to print a traceback")


# Applies a function to many items in several processes.

Item = TypeVar("Item")
Result = TypeVar("Result")
PR_SET_PDEATHSIG = 1  # linux/prctl.h
LEAST_PER_PROCESS = 4  # items; with fewer items, the start of a process costs more time than the process saves


def in_processes(function: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yields the results in the order of the items. Starts at most one process for each CPU that this process may use. `function`
    must be defined at the top level of a module. The started processes end when this process ends, even if this process is killed.
    Throws Refused if a started process is killed."""
    count = min(len(os.sched_getaffinity(0)), len(items) // LEAST_PER_PROCESS)
    if count < 2:
        yield from map(function, items)
        return
    import concurrent.futures.process  # here, because each start of a mode would take 20 ms longer
    import multiprocessing

    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(count, context, begin, (os.getpid(),)) as executor:
        try:
            yield from executor.map(function, items, chunksize=min(8, len(items) // count))
        except concurrent.futures.process.BrokenProcessPool as error:
            raise Refused("a process of ecbench was killed while it read files, probably because of too little memory; end other "
                          "programs, and repeat the command") from error
        except BaseException:  # for example Interrupted or GeneratorExit
            for process in multiprocessing.active_children():
                process.kill()
            raise


def begin(parent: int) -> None:
    """Prepares a started process: it ignores SIGINT, which the parent handles, and ends when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent had already ended before the call of prctl()
        os._exit(1)
