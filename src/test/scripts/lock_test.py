"""While one program holds the lock of measurements, a second program waits. When the first program ends, the lock is released, and
leaves no file."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from unittest import mock

from ecbench.measure import machine
from ecbench.measure.budget import Budget
from ecbench.measure.machine import machine_lock
from ecbench.process.children import Child, Interrupted
from ecbench.terminal.console import Refused

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"

HOLD = """from ecbench.measure.machine import Child, machine_lock
with machine_lock(Child()): print(flush=True); input()"""


class Checked:
    """Replaces a Child, and calls `check` while the lock waits."""

    def __init__(self, check: Callable[[], None] = lambda: None) -> None:
        self.check = check


class Lock(unittest.TestCase):
    def setUp(self) -> None:
        temporary = self.enterContext(tempfile.TemporaryDirectory())
        self.folder = pathlib.Path(temporary)
        self.enterContext(mock.patch.dict(os.environ, {"ECBENCH_LOCK_DIR": temporary}))

    def test_is_held_by_one_program_and_ends_with_it(self) -> None:
        with subprocess.Popen([sys.executable, "-c", HOLD], cwd=SCRIPTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            assert other.stdout
            other.stdout.readline()
            tries = []

            def end_the_other() -> None:
                tries.append(1)
                if len(tries) == 3:
                    other.kill()

            budget = Budget(10, lambda: 5.0)
            with mock.patch.object(machine, "Waiting") as shown, machine_lock(Checked(end_the_other), budget):
                self.assertGreaterEqual(len(tries), 3)
                self.assertRegex(shown.call_args[0][1], rf"\(process {other.pid} of ")
                self.assertLess(budget.elapsed(), 0)  # the clock stands, and the wait is left out
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_wait_does_not_count_and_ends_with_a_signal(self) -> None:
        now = [0.0]
        for wait in (0.5, 700.0, 1e6):
            budget = Budget(10, lambda: now[0])
            now[0] += 4 + wait
            budget.leave_out(wait)
            self.assertEqual((budget.elapsed(), budget.left()), (4, 6))

        def interrupted() -> None:
            raise Interrupted(signal.SIGINT)

        child = Child()
        with mock.patch.object(machine, "Waiting"), machine_lock(child), self.assertRaises(Interrupted), \
                machine_lock(Checked(interrupted)):
            self.fail("two hold the lock")
        with machine_lock(child):  # the one that was interrupted does not hold it
            pass

    def test_names_the_program(self) -> None:
        mode = self.folder / "mode.py"
        mode.write_text("print(flush=True); input()")
        for words, expected in (([str(mode), "tune", "k=8"], r"bench\.sh tune k=8"),
                                ([str(mode), "x" * 500], r"bench\.sh x+\.\.\."),
                                (["-c", mode.read_text()], r"\S*python\S* -c print\(flush=True\); input\(\)")):
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            with self.subTest(words[-1][:9]), subprocess.Popen([sys.executable, *words], **pipes) as process:
                assert process.stdout
                process.stdout.readline()
                self.assertRegex(machine.command_of(str(process.pid)), rf"^{expected}$")
                process.kill()

    def test_needs_only_a_folder_that_can_be_read(self) -> None:
        with mock.patch.dict(os.environ, {"ECBENCH_LOCK_DIR": str(self.folder / "none")}), \
                self.assertRaisesRegex(Refused, "none, the directory for the lock of measurements, cannot be opened"), \
                machine_lock(Child()):
            pass
        self.folder.chmod(0o500)
        with machine_lock(Child()):
            pass
