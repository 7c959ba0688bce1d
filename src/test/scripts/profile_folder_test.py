"""The output directory of `bench.sh profile` may contain files of earlier calls. The list of files that is printed at the end must
contain only the files of the new call."""

import os
import pathlib
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))

from ecbench.profile.folder import Folder


class FolderTest(unittest.TestCase):
    def test_files_of_an_earlier_profile_are_kept_but_not_listed(self) -> None:
        with tempfile.TemporaryDirectory() as path:
            for names in (("hotspots.json", "flame.svg"), ("hotspots.json", "callgrind.out")):
                with Folder(path) as folder:
                    for name in names:
                        folder.write(name, name)
                    folder.keep()
                self.assertEqual({line.split()[0] for line in folder.closing()}, set(names))
            self.assertTrue((pathlib.Path(path) / "flame.svg").exists())

    def test_a_profile_that_fails_leaves_no_file(self) -> None:
        with tempfile.TemporaryDirectory() as path:
            with Folder(path) as folder:
                folder.write("hotspots.txt", "text")
            self.assertEqual(list(pathlib.Path(path).iterdir()), [])
