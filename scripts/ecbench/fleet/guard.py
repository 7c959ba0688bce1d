"""guard.py BYTES COMMAND WORD...: runs a command. No file that the command or its descendants write can be larger than BYTES bytes.
When the command has ended, guard.py kills all descendants that still run. If the pipe at standard input is closed earlier, for
example because the process that started guard.py was killed, guard.py kills the command and all its descendants. Some descendants
leave the process group (connections of ssh, workers of Ansible). guard.py can kill them because they become its children when their
parents end. The exit code of guard.py is the exit code of the command, or 1 if guard.py killed the command."""

import contextlib
import ctypes
import os
import pathlib
import resource
import select
import signal
import subprocess
import sys

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def children() -> list[int]:
    return [int(pid) for path in pathlib.Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()]


def end_all() -> None:
    """Kills children until none is left. The children of a killed process become children of this process."""
    while found := children():
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.wait()


def main() -> int:
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    most_bytes = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL)
    waiting = [os.pidfd_open(process.pid), sys.stdin.fileno()]
    select.select(waiting, [], [])
    code = process.poll()
    end_all()
    return 1 if code is None else code


if __name__ == "__main__":
    sys.exit(main())
