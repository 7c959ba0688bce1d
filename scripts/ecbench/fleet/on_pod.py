"""ecbench fleet on-pod MODE WORD...: each pod of the Job runs this command. It runs MODE and prints the run file, so that the log
of the pod is the run file. If the mode fails, the log has its messages instead. The exit code is always 0, because Kubernetes would
otherwise start the pod again."""

import subprocess
import sys

from ecbench.fleet.mode_words import front
from ecbench.process import temporary
from ecbench.process.children import Child
from ecbench.terminal.console import Refused, say

WITH_RUN = (0, 2)  # exit codes of a mode that has written a complete run; 2: a code returned wrong bytes


def read_arguments(words: list[str]) -> list[str]:
    """The mode and its arguments. Throws Refused."""
    if len(words) < 2:
        raise Refused("fleet on-pod needs a mode and its arguments")
    return words[1:]


def run(words: list[str], _child: Child) -> int:
    with temporary.new_folder() as folder:
        path = folder / "run.jsonl"
        done = subprocess.run([*front(), *words, "--output", str(path)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode in WITH_RUN and path.exists():
            sys.stdout.write(path.read_text("utf-8"))
        else:
            sys.stderr.write(done.stderr)
            say(f"{words[0]} ended with exit code {done.returncode}")
    return 0
