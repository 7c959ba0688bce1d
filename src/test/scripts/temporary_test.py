"""The temporary files of a process: a killed process leaves a directory only until the next start, which removes nothing else."""

import errno
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from ecbench.files import files
from ecbench.installation.places import SCRIPTS
from ecbench.terminal.console import Refused

MODE = f"""import sys, time
sys.path.insert(0, {str(SCRIPTS)!r})
from ecbench.files import files
from ecbench.process.process import run_to_the_end
"""
# Not signal.pause(): the signal can arrive before it.
HOLDING = "(files.new_file(b'limits'), print('made', flush=True), [(child.check(), time.sleep(0.05)) for _ in range(1200)])"


class Temporary(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench temporary ")))
        self.enterContext(mock.patch.dict(os.environ, TMPDIR=str(self.folder)))
        self.enterContext(mock.patch.object(tempfile, "tempdir", str(self.folder)))
        files.remove_own_folder()  # what other tests of this process have made

    def start(self, body, runs_others=True):
        """Starts a mode whose program is the expression `body`."""
        text = f"{MODE}sys.exit(run_to_the_end(lambda child: {body} and 0, 'interrupted', {runs_others}))"
        process = subprocess.Popen([sys.executable, "-E", "-s", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        if body is HOLDING:
            self.assertEqual(process.stdout.readline(), "made\n")
        return process

    def left(self):
        return sorted(path.name for path in self.folder.iterdir())

    def killed(self):
        before = set(self.left())
        process = self.start(HOLDING)
        process.kill()
        process.wait()
        left, = set(self.left()) - before
        return self.folder / left

    def test_a_signal_leaves_nothing(self):
        for runs_others in (True, False):
            process = self.start(HOLDING, runs_others)
            process.terminate()
            self.assertEqual((process.wait(60), self.left()), (128 + signal.SIGTERM, []))

    def test_only_directories_of_dead_processes_are_removed(self):
        live = self.start(HOLDING)
        own, = self.left()
        content = sorted((self.folder / own).iterdir())
        self.killed()
        # A dead process's number may be in use again; a directory with the number of this live process is not its own.
        dead = self.folder / f"{files.HOST}{os.getpid()}-abcdefgh"
        (dead / "tree" / "deep").mkdir(parents=True)
        (dead / "out").symlink_to(self.folder / own)
        names = (".ecbench-00000000-1-abcdefgh", f"{files.HOST}x-abcdefgh", f"{files.HOST}1-abc", "ecbench-1-abcdefgh")
        foreign = [self.folder / name for name in names]
        for path in foreign:
            path.mkdir()
        link, file = self.folder / f"{files.HOST}1-alink000", self.folder / f"{files.HOST}1-afile000"
        link.symlink_to(foreign[2])
        file.write_text("kept")
        self.assertEqual(self.start("None").wait(60), 0)
        self.assertEqual(self.left(), sorted(path.name for path in (self.folder / own, *foreign, link, file)))
        self.assertEqual(sorted((self.folder / own).iterdir()), content)
        self.assertIsNone(live.poll())

    def test_the_directory_of_another_user_is_kept(self):
        dead = self.killed()
        with mock.patch("os.geteuid", return_value=os.geteuid() + 1):
            files.remove_left_folders()
        self.assertEqual(self.left(), [dead.name])

    def test_a_directory_that_was_removed_before_it_was_opened_or_locked_is_made_again(self):
        for what, call in (("os.open", os.open), ("fcntl.flock", fcntl.flock)):
            removed = []

            def late(*arguments, call=call, removed=removed):
                if not removed:
                    removed.extend(self.left())
                    os.rmdir(self.folder / removed[0])
                return call(*arguments)

            with mock.patch(what, late):
                self.assertTrue(os.path.isdir(files.own_folder()))
            self.assertEqual(len(removed), 1)
            files.remove_own_folder()
            self.assertEqual(self.left(), [])

    def test_a_full_directory_is_named_and_nothing_stays(self):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        for what in ("tempfile.mkdtemp", "pathlib.Path.write_bytes"):
            with mock.patch(what, side_effect=full), self.assertRaisesRegex(Refused, f"{self.folder} cannot be used.*TMPDIR"):
                files.new_file(b"text")
            files.remove_own_folder()
            self.assertEqual(self.left(), [])
