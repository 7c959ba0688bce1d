"""While one program holds the lock of measurements, a second program is refused. When the first program ends, the lock is released,
and leaves no file."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from ecbench.measure.lock import MachineLock
from ecbench.terminal.console import Refused

HOLD = "from ecbench.measure.lock import MachineLock\nwith MachineLock(): print(flush=True); input()"


class Lock(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        environment = mock.patch.dict(os.environ, {"ECBENCH_LOCK_DIR": temporary.name})
        environment.start()
        self.addCleanup(environment.stop)

    def test_is_held_by_one_program_and_ends_with_it(self) -> None:
        with subprocess.Popen([sys.executable, "-c", HOLD], cwd=SCRIPTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
            assert other.stdout
            other.stdout.readline()
            with self.assertRaisesRegex(Refused, rf"another program measures on this machine \(process {other.pid} of "), \
                    MachineLock():
                pass
            other.kill()
            other.wait()
            with MachineLock():
                pass
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_needs_only_a_folder_that_can_be_read(self) -> None:
        with mock.patch.dict(os.environ, {"ECBENCH_LOCK_DIR": str(self.folder / "none")}), \
                self.assertRaisesRegex(Refused, "none, the directory for the lock of measurements, cannot be opened"), \
                MachineLock():
            pass
        self.folder.chmod(0o500)
        with MachineLock():
            pass


if __name__ == "__main__":
    unittest.main()
