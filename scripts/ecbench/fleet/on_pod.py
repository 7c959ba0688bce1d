"""ecbench fleet on-pod MODE WORD...: each pod of the Job runs this command. The command runs MODE, and then prints the run file to
the log of the pod. The exit code of the command is 0 even if the mode failed, because Kubernetes must not start the pod again. The
log has the exit code of the mode."""

import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile

from ecbench.fleet.log_frames import host_line, run_lines
from ecbench.installation.places import FRONT_PROGRAM, SCRIPTS, SOURCE
from ecbench.process.children import Child
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, say

# Names of environment variables of the pod. The manifest sets the first two variables. Kubernetes sets the last one.
NODE, PODS, INDEX = "ECBENCH_NODE", "ECBENCH_PODS", "JOB_COMPLETION_INDEX"
WRONG_BYTES = 2


def read_arguments(words: list[str]) -> list[str]:
    """The mode and its arguments. Throws Refused."""
    if words[1:2] in (["-h"], ["--help"]):
        Parser(mode="fleet on-pod", description=__doc__).parse_args(words[1:])
    if len(words) < 2:
        raise Refused("fleet on-pod needs a mode and its arguments")
    return words[1:]


def run(_child: Child) -> int:
    words = read_arguments(sys.argv[1:])
    identity = secrets.token_hex(8)
    print(host_line(identity, {"host": os.environ.get(NODE) or os.uname().nodename, "index": number(INDEX, 0),
                               "pods": max(1, number(PODS, 1))}), flush=True)
    with tempfile.TemporaryDirectory(prefix="ecbench-pod-") as folder:
        path = pathlib.Path(folder, "run.jsonl")
        code = measure([*words, "--output", str(path)])
        run_file = path.read_bytes() if path.exists() else b""
    state = "done" if code in (0, WRONG_BYTES) else "failed"
    end = {"state": state, "reason": "" if state == "done" else f"{words[0]} ended with exit code {code}", "exit_code": code}
    try:
        lines = list(run_lines(identity, run_file, end))
    except Refused as refusal:
        lines = list(run_lines(identity, b"", {"state": "failed", "reason": str(refusal), "exit_code": code}))
    print("\n".join(lines), flush=True)
    return 0


def measure(words: list[str]) -> int:
    """Runs the mode and returns its exit code. The messages of the mode are printed. The table is not printed, because the size
    of a log is limited. Kubernetes sends SIGTERM before it ends a pod. This process then also sends SIGTERM to the mode."""
    program = [sys.executable, "-E", "-s", SCRIPTS / "mode.py"] if SOURCE else [FRONT_PROGRAM]
    try:
        process = subprocess.Popen([*program, *words], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    except OSError as error:
        say(f"{program[0]} cannot be started: {error.strerror}")
        return 127
    old = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})
    code = process.wait()
    signal.signal(signal.SIGTERM, old)
    return code if code >= 0 else 128 - code


def number(name: str, default: int) -> int:
    value = os.environ.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 7 else default
