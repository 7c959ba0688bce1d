"""How a program of bench.sh that prints in the end comes to its end: every refusal, full disk and interrupt in one line."""

import signal
import sys

from ecbench.process import interrupts
from ecbench.terminal.console import Refused, end_unwritten, ready_standard_output, say


def run_to_the_end(program, told_when_interrupted):
    """The exit code of program(child), or of what ended it."""
    child = interrupts.Child()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        ready_standard_output()
        code = program(child)
        sys.stdout.flush()
        return code
    except Refused as refusal:
        say(refusal)
        return 1
    except OSError as error:
        end_unwritten(f"{error.filename or 'standard output'}: {error.strerror}")
    except interrupts.Interrupted as interrupt:
        say(told_when_interrupted)
        return 128 + interrupt.args[0]
