"""The signals that end a sweep: the child of the moment is killed with all that it started, and the sweep learns of it between two
rows, so that no row is cut in half. SIGINT and SIGTERM count also where they were ignored at the start, as the first is for
background jobs; SIGHUP and SIGQUIT do not, for nohup's sake. bench.sh starts Python with all of them blocked: Child lets them in."""

import os
import signal
import subprocess


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Interrupted(Exception):
    """Carries the number of the signal."""


class Child:
    """Runs one program at a time. Programs get a session of their own: the terminal's interrupt comes here alone."""

    def __init__(self):
        self._signal = 0
        self._process = None
        for number in SIGNALS:
            if number in (signal.SIGINT, signal.SIGTERM) or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._handle)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def run(self, command, timeout=None, stdin=subprocess.DEVNULL):
        """Returns exit code, stdout and stderr; throws Interrupted, OSError and subprocess.TimeoutExpired, and leaves no child."""
        self.check()
        self._process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                         text=True, errors="replace", start_new_session=True)
        try:
            if self._signal:  # it came while the child was being started
                self._kill()
            stdout, stderr = self._process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self._kill()
            self._process.communicate()
            raise
        finally:
            process, self._process = self._process, None
        self.check()
        return process.returncode, stdout, stderr

    def check(self):
        if self._signal:
            raise Interrupted(self._signal)

    def _handle(self, number, _frame):
        self._signal = self._signal or number
        self._kill()

    def _kill(self):
        # One that has been waited for has no group left to kill, and its number may be another's by now.
        if self._process is not None and self._process.returncode is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
