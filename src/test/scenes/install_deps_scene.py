"""Tests scripts/install-deps.sh, which finds missing packages. On a terminal, the script asks the user before it installs the
packages. Without a terminal, the script installs the packages at once if it runs as root; for other users, it only prints the
install command. With ECBENCH_INSTALL=no, the script installs nothing."""

import os
import subprocess

import scene

ROOTS = ("Jerasure_ROOT", "GfComplete_ROOT", "ISAL_ROOT", "Boost_ROOT", "LibElf_ROOT", "nlohmann_json_ROOT", "GTest_ROOT",
         "SIMDE_ROOT", "OPENSSL_ROOT_DIR")
# Simulates dpkg-query: all packages are installed except those in $MISSING.
DPKG_QUERY = """#!/bin/bash
code=0
for package in "${@:3}"; do
  if [[ " $MISSING " == *" $package "* ]]; then echo "no packages found matching $package" >&2; code=1
  else echo "installed $package"; fi
done
exit $code
"""


class InstallDeps(scene.Scene):
    def setUp(self):
        super().setUp()
        self.bin = self.folder / "bin"
        self.write_program("bin/dpkg-query", DPKG_QUERY)
        self.write_program("bin/apt-get", '#!/bin/bash\necho "apt-get $*" >> "$LOG"\nexit ${APT_CODE:-0}\n')
        self.write_program("bin/sudo", '#!/bin/bash\n[[ $1 == -n ]] && shift\nexec "$@"\n')  # never asks for a password
        # The tests run a copy of the script in self.folder, so that other users can also read and execute it.
        self.program = self.write_program("install-deps.sh", (scene.SOURCE / "scripts" / "install-deps.sh").read_text())
        self.folder.chmod(0o777)
        for tool in ("bash", "env", "true"):
            (self.bin / tool).symlink_to(f"/usr/bin/{tool}")
        self.log = self.folder / "log"

    def install_deps(self, missing, **changes):
        return scene.run([self.program], env=self.environment(missing, **changes))

    def environment(self, missing, **changes):
        return {**dict.fromkeys(ROOTS), "ECBENCH_INSTALL": None, "PATH": self.bin, "MISSING": missing, "LOG": self.log, **changes}

    def test_if_forbidden_it_prints_the_command_and_fails(self):
        result = self.install_deps("libisal-dev cmake", ECBENCH_INSTALL="no")
        self.assert_refused(result, "apt-get install -y --no-install-recommends cmake libisal-dev\n")
        self.assertFalse(self.log.exists())

    def test_without_a_terminal_other_users_get_the_command(self):
        as_other = ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        result = scene.run([*as_other, self.program], env=self.environment("libisal-dev cmake"))
        self.assert_refused(result, "sudo apt-get install -y --no-install-recommends cmake libisal-dev\n")
        self.assertFalse(self.log.exists())

    def test_with_a_terminal_it_asks_even_if_stderr_is_a_file(self):
        for answer, code in (("n\n", 1), ("y\n", 0)):
            with self.subTest(answer=answer):
                ours, theirs = scene.open_terminal()
                self.addCleanup(os.close, ours)
                with subprocess.Popen([self.program], env=scene.environment(self.environment("cmake")), stdin=theirs,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
                    os.close(theirs)
                    self.assertIn("install cmake?", os.read(ours, 4096).decode())
                    self.assertFalse(self.log.exists())
                    os.write(ours, answer.encode())
                    stdout, stderr = process.communicate(timeout=30)
                self.assertEqual((process.returncode, stdout), (code, ""), stderr)
                self.assertEqual(self.log.exists(), code == 0)
