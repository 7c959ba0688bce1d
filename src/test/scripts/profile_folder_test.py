"""The output directory of `bench.sh profile` may contain files of earlier calls. The list of files that is printed at the end must
contain only the files of the new call. A profiled program that ends by a signal is reported."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

from ecbench.measure.ecbench import Ecbench
from ecbench.process.children import Child
from ecbench.profile.one_profile import closing, new_files
from ecbench.profilers.subject import Broken, run_checked
from ecbench.runfile.environment import Cgroup


class FolderTest(unittest.TestCase):
    def test_files_of_an_earlier_profile_are_kept_but_not_listed(self) -> None:
        with tempfile.TemporaryDirectory() as path:
            for names in (("hotspots.json", "flame.svg"), ("hotspots.json", "callgrind.out")):
                with new_files(pathlib.Path(path)) as working:
                    for name in names:
                        (working / name).write_text(name)
                    lines = closing(working, pathlib.Path(path))
                self.assertEqual({line.split()[0] for line in lines}, set(names))
            self.assertEqual(set(os.listdir(path)), {"hotspots.json", "flame.svg", "callgrind.out"})


class EndedBySignalTest(unittest.TestCase):
    def test_only_sigkill_names_the_limit_of_memory(self) -> None:
        for limit, signal, named in ((300 << 20, "KILL", True), (None, "KILL", False), (300 << 20, "SEGV", False)):
            for script in (f"kill -{signal} $$", f"sh -c 'kill -{signal} $$'; exit $?"):  # the shell's exit code is 128 + signal
                environment = mock.Mock(cgroup=Cgroup(memory_limit_bytes=limit))
                with self.subTest(script), mock.patch.object(Ecbench, "environment", return_value=environment), \
                        self.assertRaises(Broken) as caught:
                    run_checked(["sh", "-c", script], Child(), is_ours=False)
                self.assertIn(f"SIG{signal}", str(caught.exception))
                self.assertEqual("300 MiB" in str(caught.exception), named)
