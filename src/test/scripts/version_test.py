"""The version is declared in CMakeLists.txt only; everything that names it must agree."""

import os
import pathlib
import re
import subprocess
import unittest

from ecbench.installation.places import SOURCE, version

BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))
LONGEST_CHANGELOG = 40  # lines of a release


class Version(unittest.TestCase):
    def setUp(self):
        declared = re.search(r"^project\(ecbench VERSION (\d+\.\d+\.\d+) ", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
        self.version = declared[1]

    def test_the_changelog_begins_with_it(self):
        releases = re.split(r"^## ", (SOURCE / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
        first = next(release for release in releases if not release.startswith("Unreleased"))
        self.assertRegex(first.splitlines()[0], rf"^{re.escape(self.version)} - \d{{4}}-\d\d-\d\d$")
        self.assertLessEqual(len(first.splitlines()), LONGEST_CHANGELOG)

    @unittest.skipUnless((BUILD / "ecbench").exists(), "needs a build")
    def test_the_program_and_the_installed_modes_know_it(self):
        printed = subprocess.run([BUILD / "ecbench", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed.splitlines()[0], f"ecbench {self.version}")
        self.assertIn(f'"version": "{self.version}"', (BUILD / "installed.json").read_text())

    def test_the_modes_and_the_readme_name_it(self):
        self.assertEqual(version(), self.version)
        self.assertEqual(re.findall(r"^Version (\d+\.\d+\.\d+) ", (SOURCE / "README.md").read_text(), re.MULTILINE), [self.version])

    def test_no_page_names_another(self):
        for page in (*SOURCE.glob("docs/*.md"), SOURCE / "README.md", SOURCE / "action.yml"):
            for found in re.findall(r"ecbench[- _](\d+\.\d+\.\d+)", page.read_text()):
                self.assertEqual(found, self.version, page)
