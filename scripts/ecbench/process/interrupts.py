"""The signals that end a sweep: the children of the moment are killed with all that they started, and the sweep learns of it between
two rows, so that no row is cut in half. SIGINT and SIGTERM count also where they were ignored at the start, as the first is for
background jobs; SIGHUP and SIGQUIT do not, for nohup's sake. bench.sh starts Python with all of them blocked: Child lets them in."""

import os
import signal
import subprocess


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Interrupted(Exception):
    """Carries the number of the signal."""


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
        """Returns exit code, stdout and stderr; throws Interrupted, OSError and subprocess.TimeoutExpired, and leaves no child."""
        self.check()
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", start_new_session=True)
        self._processes.add(process)
        try:
            if self._signal:  # it came while the child was being started
                kill(process)
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            kill(process)
            process.communicate()
            raise
        finally:
            self._processes.discard(process)
        self.check()
        return process.returncode, stdout, stderr

    def check(self):
        if self._signal:
            raise Interrupted(self._signal)

    def _handle(self, number, _frame):
        self._signal = self._signal or number
        for process in list(self._processes):
            kill(process)


def kill(process):
    # One that has been waited for has no group left to kill, and its number may be another's by now.
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
