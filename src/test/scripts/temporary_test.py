"""The temporary files of a process: a killed process leaves a directory only until the next start, which removes nothing else."""

import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from ecbench.installation.places import SCRIPTS
from ecbench.process import temporary
from ecbench.terminal.console import Refused

MODE = f"""import sys, time
sys.path.insert(0, {str(SCRIPTS)!r})
from ecbench.process import temporary
from ecbench.process.end import run_to_the_end
"""
# Not signal.pause(): the signal can arrive before it.
HOLDING = "(temporary.new_file(b'limits'), print('made', flush=True), [(child.check(), time.sleep(0.05)) for _ in range(1200)])"


class Temporary(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench temporary ")))
        temporary.remove()  # what other tests of this process have made

    def start(self, body, runs_others=True):
        """Starts a mode whose program is the expression `body`."""
        text = f"{MODE}sys.exit(run_to_the_end(lambda child: {body} and 0, 'interrupted', {runs_others}))"
        process = subprocess.Popen([sys.executable, "-E", "-s", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(self.folder)})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def holding(self, runs_others=True):
        process = self.start(HOLDING, runs_others)
        self.assertEqual(process.stdout.readline(), "made\n")
        return process

    def end(self, body="None"):
        process = self.start(body)
        _, stderr = process.communicate(timeout=60)
        return process.returncode, stderr

    def left(self):
        return sorted(path.name for path in self.folder.iterdir())

    def killed(self, count):
        """The directories of `count` processes that have been killed."""
        before = set(self.left())
        for process in [self.holding() for _ in range(count)]:
            process.kill()
            process.wait()
        left = set(self.left()) - before
        self.assertEqual(len(left), count)
        return [self.folder / name for name in left]

    def test_a_signal_leaves_nothing(self):
        for runs_others in (True, False):
            with self.subTest(runs_others):
                process = self.holding(runs_others)
                process.terminate()
                self.assertEqual((process.wait(60), self.left()), (128 + signal.SIGTERM, []))

    def test_only_directories_of_dead_processes_are_removed(self):
        live = self.holding()
        own, = self.left()
        files = sorted((self.folder / own).iterdir())
        dead = self.killed(2)
        # A dead process's number may be in use again; a directory with the number of this live process is not its own.
        dead.append(self.folder / f"{temporary.HOST}{os.getpid()}-abcdefgh")
        (dead[-1] / "tree" / "deep").mkdir(parents=True)
        (dead[-1] / "out").symlink_to(self.folder / own)
        names = (".ecbench-00000000-1-abcdefgh", f"{temporary.HOST}x-abcdefgh", f"{temporary.HOST}1-abc", "ecbench-1-abcdefgh")
        foreign = [self.folder / name for name in names]
        for path in foreign:
            path.mkdir()
        link, file = self.folder / f"{temporary.HOST}1-alink000", self.folder / f"{temporary.HOST}1-afile000"
        link.symlink_to(foreign[2])
        file.write_text("kept")
        self.assertEqual(self.end(), (0, ""))
        self.assertEqual(self.left(), sorted(path.name for path in (self.folder / own, *foreign, link, file)))
        self.assertEqual(sorted((self.folder / own).iterdir()), files)
        self.assertIsNone(live.poll())

    def test_the_directory_of_another_user_is_kept(self):
        dead, = self.killed(1)
        with mock.patch.dict(os.environ, TMPDIR=str(self.folder)), mock.patch("os.geteuid", return_value=os.geteuid() + 1):
            temporary.remove_left()
        self.assertEqual(self.left(), [dead.name])
        if os.geteuid() == 0:  # also without the mock
            os.chown(dead, 12345, 12345)
            self.assertEqual(self.end(), (0, ""))
            self.assertEqual(self.left(), [dead.name])

    def test_a_directory_that_was_removed_before_it_was_locked_is_made_again(self):
        lock = temporary.try_lock
        removed = []

        def late(descriptor):
            if not removed:
                removed.extend(self.left())
                shutil.rmtree(self.folder / removed[0])
            return lock(descriptor)

        with mock.patch.object(tempfile, "tempdir", str(self.folder)), mock.patch.object(temporary, "try_lock", late):
            self.assertTrue(os.path.isdir(temporary.own_folder()))
        self.assertEqual(len(removed), 1)
        temporary.remove()
        self.assertEqual(self.left(), [])

    def test_a_full_directory_is_named_and_nothing_stays(self):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        for what in ("tempfile.mkdtemp", "pathlib.Path.write_bytes"):
            with self.subTest(what), mock.patch.object(tempfile, "tempdir", str(self.folder)), \
                    mock.patch.dict(os.environ, TMPDIR=str(self.folder)), mock.patch(what, side_effect=full):
                with self.assertRaises(Refused) as refused:
                    temporary.new_file(b"text")
                self.assertIn(str(self.folder), str(refused.exception))
                self.assertIn("TMPDIR", str(refused.exception))
            temporary.remove()
            self.assertEqual(self.left(), [])
