"""The signals that end a sweep: the children of the moment are killed with all that they started, and the sweep learns of it between
two rows, so that no row is cut in half. SIGINT and SIGTERM count also where they were ignored at the start, as the first is for
background jobs; SIGHUP and SIGQUIT do not, for nohup's sake. bench.sh starts Python with all of them blocked: Child lets them in."""

import contextlib
import math
import os
import selectors
import signal
import subprocess
import threading
import time

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
MOST_IN_A_PIPE = 1 << 20  # bytes; Linux allows no larger pipe without privileges


class Interrupted(Exception):
    """A signal ends the program. The message, if there is one, is for the user."""

    def __init__(self, number: int, message: str = ""):
        super().__init__(number)
        self.signal = number
        self.message = message


def raise_interrupts():
    """For a program that runs no others: a signal throws Interrupted wherever the program is."""
    def interrupt(number, _frame):
        raise Interrupted(number)
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


class Child:
    """Runs programs, one for each thread that asks. They get a session of their own: the terminal's interrupt comes here alone."""

    def __init__(self):
        self._signal = 0
        self._processes = set()
        for number in SIGNALS:
            if number in (signal.SIGINT, signal.SIGTERM) or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._handle)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def run(self, command, timeout=None, stdin=subprocess.DEVNULL):
        """Returns exit code, stdout and stderr; throws Interrupted, OSError and subprocess.TimeoutExpired. Kills what the program
        leaves running, as far as it stayed in the program's process group."""
        self.check()
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self._processes.add(process)
        try:
            if self._signal:  # it came while the child was being started
                kill(process)
            outputs = read_outputs(process, timeout)
        finally:
            kill(process)
            self._processes.discard(process)
            process.wait()
            process.stdout.close()
            process.stderr.close()
        self.check()
        return process.returncode, *map(as_text, outputs)

    def start(self, command, stderr, descriptors=()):
        """A program to talk to by its stdin and stdout, in a session of its own, which the caller ends. It has the descriptors too.
        Throws Interrupted and OSError."""
        self.check()
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, pass_fds=descriptors,
                                start_new_session=True, bufsize=0)

    def check(self):
        if self._signal:
            raise Interrupted(self._signal)

    def _handle(self, number, _frame):
        self._signal = self._signal or number
        for process in list(self._processes):
            kill(process)


def read_outputs(process, timeout):
    """What the process wrote to stdout and stderr when it ends. Throws subprocess.TimeoutExpired. The end of the process counts, not
    that of its pipes: a descendant in another session may keep these open for ever."""
    outputs = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    ended, at_end = os.pipe()
    waiter = threading.Thread(target=wait_and_close, args=(process.pid, at_end))
    waiter.start()
    try:
        with selectors.DefaultSelector() as selector:
            for descriptor in (ended, *outputs):
                selector.register(descriptor, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                ready = [key.fd for key, _ in selector.select(None if left == math.inf else max(left, 0))]
                if ended in ready:
                    break
                if left <= 0:
                    raise subprocess.TimeoutExpired(process.args, timeout)
                for descriptor in ready:
                    part = os.read(descriptor, MOST_IN_A_PIPE)
                    outputs[descriptor] += part
                    if not part:
                        selector.unregister(descriptor)
        for descriptor in outputs:
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                outputs[descriptor] += os.read(descriptor, MOST_IN_A_PIPE)
    finally:
        kill(process)
        waiter.join()
        os.close(ended)
    return outputs.values()


def wait_and_close(pid, descriptor):
    """Closes the descriptor when the process has ended, and leaves it to its parent to take its exit code."""
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    finally:
        os.close(descriptor)


def as_text(output):
    return output.decode("utf-8", "replace").replace("\r\n", "\n")


def kill(process):
    # One that has been waited for has no group left to kill, and its number may be another's by now.
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:  # it has no process left, or none that this user may kill
            pass
