"""scripts/fetch-isal.sh downloads libisal2 of another Debian release from the mirror that apt uses, or builds ISA-L from a package
of PyPI. If the script fails, it prints the reason in one line. In these tests, simple scripts replace apt-get and pip. They need no
network, and provide packages that the tests build."""

import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tarfile
import time
import unittest

import scene

PROGRAM = scene.SOURCE / "scripts" / "fetch-isal.sh"
# This script replaces apt-get, and provides only the package libisal2. `apt-get update` appends the lines of sources.list to $LOG,
# except lines with the release `other`. If all lines have the release `other`, `apt-get update` fails.
APT_GET = """#!/bin/bash
if [[ "$*" == *--print-uris* ]]; then
  [[ -z $NO_LISTS ]] || { echo "E: Unable to locate package libisal2" >&2; exit 100; }
  echo "'https://mirror/debian/pool/main/i/isa-l/libisal2_1_amd64.deb' libisal2_1_amd64.deb 5 SHA256:0"
  exit
fi
for word in "$@"; do
  case $word in
    Dir::Etc::sourcelist=*) sources=${word#*=} ;;
    update) [[ -z $CONFIGURATION ]] || cp -- "$APT_CONFIG" "$CONFIGURATION"
      [[ -z $CHILD ]] || { echo $$ > "$CHILD.new"; mv -- "$CHILD.new" "$CHILD"; sleep 60; }
      grep -v " other " "$sources" >> "$LOG" && exit 0
      echo "E: The repository is not there"; echo "W: more"; exit 100 ;;
    download) [[ -e $PACKAGE ]] || { echo "E: Unable to locate package libisal2"; exit 100; }
      cp -- "$PACKAGE" libisal2_2_amd64.deb ;;
  esac
done
"""


@unittest.skipIf(shutil.which("dpkg-deb") is None, "dpkg-deb is not installed: this is not Debian")
class FetchIsal(scene.Scene):
    def setUp(self):
        super().setUp()
        self.write_program("bin/apt-get", APT_GET)
        self.target = self.folder / "isal of trixie"
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.log = self.folder / "log"

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "a temporary file was left")

    def environment(self, **changes):
        return {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "LOG": self.log, "PACKAGE": self.folder / "package.deb",
                "TMPDIR": self.temporary, "NO_LISTS": None, "CONFIGURATION": None, "CHILD": None, **changes}

    def fetch(self, *args, **changes):
        return scene.run([PROGRAM, *args], env=self.environment(**changes))

    def build_package(self, name="libisal.so.2", content=None):
        """Builds a package of libisal 2.0.99 from the system's libisal, or from `content`."""
        root = self.folder / "package"
        libraries = root / "usr" / "lib" / "anywhere"
        libraries.mkdir(parents=True)
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN" / "control").write_text("Package: libisal2\nVersion: 2.99-1\nArchitecture: all\nDescription: a library\n"
                                                 "Maintainer: Jo <jo@example.org>\n")
        (libraries / f"{name}.0.99").write_bytes(content or scene.libisal().read_bytes())
        (libraries / name).symlink_to(f"{name}.0.99")
        built = scene.run(["dpkg-deb", "--root-owner-group", "-b", root, self.folder / "package.deb"])
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_only_settings_of_downloads_are_taken_from_the_system(self):
        self.build_package()
        system = self.folder / "system.conf"
        system.write_text('Acquire::HTTP::Proxy "http://proxy:3142"; Acquire::https::CAInfo "/ca.pem"; '
                          'Acquire::Max-FutureTime "7";\n'
                          'Acquire::AllowInsecureRepositories "1"; APT::Update::Post-Invoke { "false"; }; '
                          'Dir::State "/elsewhere";\n')
        used = self.folder / "used.conf"
        result = self.fetch("trixie", self.target, APT_CONFIG=system, CONFIGURATION=used)
        self.assertEqual(result.returncode, 0, result.stderr)
        for line in ('Dir::Etc::main "/dev/null";', 'Dir::Etc::parts "/dev/null";', 'Acquire::https::CAInfo "/ca.pem";'):
            self.assertIn(line, used.read_text().splitlines())
        self.assertRegex(used.read_text(), '(?i)\nAcquire::http::Proxy "http://proxy:3142";\n')
        self.assertRegex(used.read_text(), '(?i)\nAcquire::Max-FutureTime "7";\n')
        self.assertNotRegex(used.read_text(), "Invoke|Insecure|Dir::State")

    def test_a_signal_ends_apt_too(self):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                child = self.folder / f"child {number}"
                process = subprocess.Popen(
                    [PROGRAM, "trixie", self.target], env=scene.environment(self.environment(CHILD=child)),
                                           stdin=subprocess.DEVNULL,
                    # Under nohup or with &, a program inherits that some signals are ignored. SIG_DFL restores the default action.
                    preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL))
                while not child.exists() and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=30), 128 + number)
                self.wait_for_end_of_group(int(child.read_text()))

    def wait_for_end_of_group(self, group):
        """Waits until no process of the group exists. An ended process exists as a zombie until its parent has reaped it."""
        for _ in range(1000):
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                return
            time.sleep(0.01)
        self.fail("apt, or a process that it has started, still runs")

    def test_the_fetched_library_runs(self):
        self.build_package()
        result = self.fetch("trixie", self.target)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertRegex(result.stderr, "^ecbench: .*libisal.so.2.0.99 of trixie, libisal2 2.99-1: --codec-lib .*\n$")
        self.assertRegex(self.log.read_text(), r"^deb (\[signed-by=[^]]*\] )?https://mirror/debian trixie main\n$")
        self.assertEqual({path.name for path in self.target.iterdir()}, {"libisal.so.2", "libisal.so.2.0.99"})
        row = scene.run([scene.ECBENCH, "-p", "isa", "-P", "k=4", "-P", "m=2", "-s", "4K", "-i", "1", "--format", "json",
                         "--codec-lib", self.target])
        library = json.loads(row.stdout)["codec_libraries"]["libisal.so.2"]
        self.assertEqual((pathlib.Path(library["path"]).parts[-2:], library["version"]),
                         ((self.target.name, "libisal.so.2.0.99"), "2.0.99"))

    def test_only_an_empty_folder_is_filled(self):
        self.build_package()
        self.target.mkdir()
        self.assertEqual(self.fetch("trixie", self.target).returncode, 0)
        before = sorted(self.target.iterdir())
        self.assert_refused(self.fetch("sid", self.target), str(self.target), "new or empty")
        self.assertEqual(sorted(self.target.iterdir()), before)

    def test_releases_that_do_not_exist(self):
        self.refused("other", "other", "is not there")
        self.refused("trixie", "trixie", "Unable to locate package")
        self.refused("trixie", "apt-get update", NO_LISTS="1")

    def test_libraries_that_plugin_isa_cannot_load(self):
        self.build_package("libisal.so.3")
        self.refused("trixie", "has no libisal.so.2")

    def refused(self, release, *words, **changes):
        self.assert_refused(self.fetch(release, self.target, **changes), "fetch-isal.sh", *words)
        self.assertFalse(self.target.exists())

    def test_bad_arguments(self):
        for args, word in (((), "release"), (("trixie",), "directory"), (("../sid", "x"), "../sid"), (("a b", "x"), "a b"),
                           (("trixie", ""), "is not a directory"), (("trixie", "a", "b"), "release"), (("-o", "x"), "'-o'"),
                           (("2.33", "x"), "give 2.32"), (("2", "x"), "'2'")):
            self.assert_refused(self.fetch(*args), "fetch-isal.sh", word)
        self.assertFalse(self.log.exists())

    def test_other_systems_than_debian(self):
        for tool in ("bash", "sed", "dirname"):
            (self.temporary.parent / "tools").mkdir(exist_ok=True)
            (self.folder / "tools" / tool).symlink_to(f"/usr/bin/{tool}")
        self.assert_refused(self.fetch("trixie", self.target, PATH=self.folder / "tools"), "apt-get", "Debian")


# This script simulates `python3 -m pip`. It checks that the file after the option --requirement begins with isal==. Then it copies
# the package $SDIST to the directory after the option --dest.
PYTHON3 = """#!/bin/bash
[[ "$*" != "-m pip --version" ]] || { [[ -z $NO_PIP ]]; exit; }
while (($# > 1)); do
  case $1 in --dest) directory=$2 ;; --requirement) required=$(cat "$2") ;; esac
  shift
done
[[ $required == "isal=="* ]] || { echo "nothing is required" >&2; exit 1; }
[[ -z $NO_INDEX ]] || { echo "WARNING: retrying"; echo "ERROR: No matching distribution found for $required"; exit 1; }
cp -- "$SDIST" "$directory/isal-1.9.1.tar.gz"
"""
MAKEFILE = """slib:
\t{}
\tmkdir bin
\tcp {} bin/libisal.so
"""


class IsalOfPypi(scene.Scene):
    """Runs a copy of the scripts. The copy expects the hash of the package that the test builds."""

    def setUp(self):
        super().setUp()
        self.scripts = self.folder / "scripts"
        self.scripts.mkdir()
        for name in ("fetch-isal.sh", "isal_source.sh", "install-deps.sh"):
            shutil.copy(scene.SOURCE / "scripts" / name, self.scripts / name)
        self.write_program("bin/python3", PYTHON3)
        self.write_program("bin/nasm", "#!/bin/sh\n")
        self.target = self.folder / "isal of PyPI"
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.sdist = self.folder / "sdist"

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [], "a temporary file was left")

    def build_package(self, command="true", pinned=True):
        makefile = MAKEFILE.format(command, scene.libisal()).encode()
        with tarfile.open(self.sdist, "w:gz") as archive:
            entry = tarfile.TarInfo("isal-1.9.1/src/isal/isa-l/Makefile.unx")
            entry.size = len(makefile)
            archive.addfile(entry, io.BytesIO(makefile))
        source = self.scripts / "isal_source.sh"
        text, count = re.subn("(?m)^isal_sha256=[0-9a-f]{64}$",
                              f"isal_sha256={hashlib.sha256(self.sdist.read_bytes()).hexdigest()}",
                              source.read_text())
        self.assertEqual(count, 1)
        if pinned:
            source.write_text(text)

    def fetch(self, **changes):
        environment = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "TMPDIR": self.temporary, "SDIST": self.sdist,
                       "NO_PIP": None,
                       "NO_INDEX": None, "ECBENCH_INSTALL": "no", **changes}
        return scene.run([self.scripts / "fetch-isal.sh", "2.32", self.target], env=environment)

    def refused(self, *words, **changes):
        self.assert_refused(self.fetch(**changes), "fetch-isal.sh", *words)
        self.assertFalse(self.target.exists())

    def test_the_built_library_runs(self):
        self.build_package()
        result = self.fetch()
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertRegex(result.stderr, "^ecbench: .*libisal.so.2.0.32 built from isal 1.9.1 of PyPI: --codec-lib .*\n$")
        self.assertEqual({path.name for path in self.target.iterdir()}, {"libisal.so.2", "libisal.so.2.0.32"})
        row = scene.run([scene.ECBENCH, "-p", "isa", "-P", "k=4", "-P", "m=2", "-s", "4K", "-i", "1", "--format", "json",
                         "--codec-lib", self.target])
        library = json.loads(row.stdout)["codec_libraries"]["libisal.so.2"]
        self.assertEqual((pathlib.Path(library["path"]).parts[-2:], library["version"]),
                         ((self.target.name, "libisal.so.2.0.32"), "2.0.32"))

    def test_a_package_with_another_hash_is_refused(self):
        self.build_package(pinned=False)
        self.refused("1.9.1", "SHA-256")

    def test_failures_of_the_download_and_the_build(self):
        self.build_package("false")
        self.refused("2.32", "cannot be built")
        self.refused("cannot be downloaded from PyPI", "No matching distribution", NO_INDEX="1")

    def test_missing_tools_are_named(self):
        self.build_package()
        result = self.fetch(NO_PIP="1")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "(?m)^ecbench: .*(apt-get install.*|not installed: pip)$")
        self.assertFalse(self.target.exists())


if __name__ == "__main__":
    scene.main()
