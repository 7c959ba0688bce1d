"""The Debian packages in Debian 12 and 13: installed with apt-get, used, and purged. lintian has no error and no warning. One build
is for both."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

import debian

FOR_BUILDING = ("dpkg-buildpackage", "dh", "lintian", "help2man", "cmark-gfm")
# Runs the completion of `ecbench WORD...` and prints what it offers for the last word.
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
        missing = [program for program in FOR_BUILDING if shutil.which(program) is None]
        if missing:
            raise unittest.SkipTest(f"{', '.join(missing)} not installed: scripts/install-deps.sh deb installs it")
        folder = tempfile.TemporaryDirectory(prefix="ecbench-packages-")
        cls.addClassCleanup(folder.cleanup)
        cls.built = pathlib.Path(folder.name)
        subprocess.run([debian.SOURCE / "packaging" / "build-deb.sh", cls.built], check=True, timeout=3600)

    def offered(self, words: str) -> list[str]:
        return self.inside(COMPLETION.format(words=words)).splitlines()

    def check(self, release: str) -> None:
        self.make_system(release)
        for package in self.built.glob("ecbench_*.deb"):
            shutil.copy(package, self.root / "root")
        install = "DEBIAN_FRONTEND=noninteractive apt-get -q install -y"
        self.inside(f"apt-get -q update && {install} ./ecbench_*.deb && {install} --no-install-recommends man-db bash-completion")
        self.assertIn("isa", self.inside("ecbench tune k=4 m=2 size=128K plugin=isa"))
        self.assertIn("fastest profiles", self.inside("man ecbench-tune | cat"))
        self.assertIn("tune", self.offered("ecbench tu"))
        self.assertIn("reed_sol_van", self.offered("ecbench tune technique = reed"))
        grid = "--baseline /root/baseline.json --grid plugin=isa k=4 m=2 size=4K"
        self.inside(f"ecbench gate ir --update {grid}")
        self.assertIn("none of 4 points grew", self.inside(f"ecbench gate ir --require-baseline {grid}"))
        self.inside("rm -r .local baseline.json; apt-get -q purge -y ecbench")
        self.assertEqual(self.inside("find / -xdev -path /proc -prune -o -name '*ecbench*' ! -path '/root/ecbench_*.deb' -print | "
                                     "grep -v -e '^/var/log/apt' -e '^/var/cache/apt' -e '^/var/cache/man' || true"), "")

    def test_debian_12(self) -> None:
        self.check("bookworm")

    def test_debian_13(self) -> None:
        self.check("trixie")

    def test_lintian(self) -> None:
        for changes in self.built.glob("*.changes"):
            print(self.outside("lintian", "--allow-root", "--fail-on", "error,warning", str(changes)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
