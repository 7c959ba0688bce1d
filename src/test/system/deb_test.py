"""Installs the same Debian package in Debian 12 and in Debian 13, runs ecbench, and purges the package. Builds the packages, unless
ECBENCH_PACKAGES=DIRECTORY has them (`make deb OUTPUT=DIRECTORY`)."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import debian

FOR_BUILDING = ("dpkg-buildpackage", "dh", "lintian", "cmark-gfm")
# Prints the completions of the last word of a command line such as `ecbench tu`.
COMPLETION = """bash -c 'source /usr/share/bash-completion/completions/ecbench
complete -p ecbench
complete_words() {{ COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _ecbench 2>/dev/null; printf "%s\\n" "${{COMPREPLY[@]}}"; }}
complete_words {words}'"""


class Packages(debian.Debian):
    built: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        if reason := debian.why_not("bookworm"):
            raise unittest.SkipTest(reason)
        if built := os.environ.get("ECBENCH_PACKAGES"):
            cls.built = pathlib.Path(built)
            return
        missing = [program for program in FOR_BUILDING if shutil.which(program) is None]
        if missing:
            raise unittest.SkipTest(f"not installed: {', '.join(missing)}; run scripts/install-deps.sh deb")
        cls.built = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ecbench-packages-")))
        subprocess.run([debian.SOURCE / "packaging" / "build-deb.sh", cls.built], check=True, timeout=3600)

    def offered(self, words: str) -> list[str]:
        return self.inside(COMPLETION.format(words=words)).splitlines()

    def files(self) -> set[str]:
        """In the base system, except those that apt, dpkg and man-db always keep, logs, and /run, which each start empties."""
        return set(self.inside("find / -xdev ! -path '/proc/*' ! -path '/dev/*' ! -path '/run/*' ! -path '/var/log/*' "
                               "! -path '/var/cache/*' ! -path '/var/lib/apt/*' ! -path '/var/lib/dpkg/*-old' -print").splitlines())

    def check(self, release: str) -> None:
        self.make_system(release)
        package, = self.built.glob("ecbench_*.deb")
        shutil.copy(package, self.root / "root")
        needed = ", ".join(self.outside("dpkg-deb", "-f", str(package), field).strip() for field in ("Depends", "Recommends"))
        install = "DEBIAN_FRONTEND=noninteractive apt-get -q install -y"
        self.inside(f"apt-get -q update && {install} --no-install-recommends man-db bash-completion && "
                    f"DEBIAN_FRONTEND=noninteractive apt-get -q satisfy -y '{needed}'")
        before = self.files()
        self.inside(f"{install} ./ecbench_*.deb")
        self.assertIn("isa", self.inside("ecbench tune k=4 m=2 size=128K plugin=isa"))
        self.assertIn("--budget", self.inside("man ecbench-tune | cat"))
        self.assertIn("tune", self.offered("ecbench tu"))
        self.assertIn("reed_sol_van", self.offered("ecbench tune technique = reed"))
        self.inside("ecbench gate ir /usr /usr --grid plugin=isa k=4 m=2 size=4K --json /root/gate.json")
        points = json.loads((self.root / "root/gate.json").read_text())["points"]
        self.assertEqual([point["outcome"] for point in points], ["same"] * 4)
        self.inside("rm -r .local gate.json; apt-get -q purge -y ecbench")
        self.assertEqual(self.files() - before, set())

    def test_debian_12(self) -> None:
        self.check("bookworm")

    def test_debian_13(self) -> None:
        self.check("trixie")

    def test_lintian(self) -> None:
        for changes in self.built.glob("*.changes"):
            print(self.outside("lintian", "--allow-root", "--fail-on", "error,warning", str(changes)))
