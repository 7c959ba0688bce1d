"""Every study can be started, and scripts/studies/README.md describes it."""

import pathlib
import subprocess
import unittest

STUDIES = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "studies"


class Studies(unittest.TestCase):
    def test_each_prints_its_help_and_is_in_the_readme(self) -> None:
        programs = [path for path in STUDIES.glob("*.py") if path.stat().st_mode & 0o111]
        self.assertIn(STUDIES / "busy_cpu.py", programs)
        readme = (STUDIES / "README.md").read_text("utf-8")
        for program in programs:
            with self.subTest(program.name):
                result = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertTrue(result.stdout.startswith(f"usage: {program.name}"), result.stdout)
                self.assertRegex(readme, rf"\| `{program.name}[ `]")
