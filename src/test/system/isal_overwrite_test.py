"""Tests the workload overwrite with ISA-L 2.31, for each number of changed chunks from 1 to k. On CPUs with GFNI, the
multiplication tables of ISA-L 2.31 and of older versions have different sizes. The test downloads ISA-L from the archive of Debian
trixie. It takes about a minute."""

import pathlib
import subprocess
import tempfile
import unittest

from debian import BUILD, SOURCE

RELEASE = "trixie"  # this release of Debian has ISA-L 2.31


class IsalOverwrite(unittest.TestCase):
    def test_every_number_of_changed_chunks(self) -> None:
        library = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench-isal-"))) / RELEASE
        fetched = subprocess.run([SOURCE / "scripts" / "fetch-isal.sh", RELEASE, library], capture_output=True, text=True,
                                 check=False)
        if fetched.returncode != 0:
            self.skipTest(fetched.stderr.strip())
        self.assertIn("libisal.so.2.0.31", fetched.stderr)
        for technique in ("reed_sol_van", "cauchy"):
            for coding in (1, 2, 4):
                for changed in range(1, 7):
                    with self.subTest(technique=technique, coding=coding, changed=changed):
                        words = ["-P", f"technique={technique}", "-P", "k=6", "-P", f"m={coding}", "-s", "24K", "-i", "13"]
                        command = [BUILD / "ecbench", "-p", "isa", "-w", "overwrite", "--changed", str(changed), *words]
                        result = subprocess.run([*command, "--codec-lib", library], capture_output=True, text=True, check=False)
                        self.assertEqual(result.returncode, 0, result.stderr)
