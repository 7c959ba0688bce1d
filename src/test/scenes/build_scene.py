"""scripts/build.sh and scripts/install-deps.sh."""

import os
import re
import subprocess
import sys

import scene
from bench_scene import copy_of_tree


class UpToDate(scene.Scene):
    """A script replaces cmake. It makes a program and a plugin, and writes a line to the file log. The tree has one source."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)  # another user may read it
        self.tree, self.outside = self.folder / "tree", self.folder / "isal.h"
        (self.tree / "src/plugins/isa").mkdir(parents=True)
        scene.copy_scripts(self.tree)
        for name in ("CMakeLists.txt", "scripts/CMakeLists.txt", "src/isa.cc"):
            (self.tree / name).write_text("")
        self.outside.write_text("")
        self.build = self.tree / "build"
        self.write_program("bin/cmake", """#!/bin/bash
[[ $1 == --build ]] || exit 0
cd "$2"
mkdir -p plugins src
touch ecbench plugins/libec_isa.so build.ninja
echo built
""")
        deps = f"echo 'isa.o: #deps 2'; echo '    ../src/isa.cc'; echo '    {self.outside}'"
        self.write_program("bin/ninja", f"#!/bin/bash\n{deps}\n")

    def is_built(self, *options, **variables):
        """Whether build.sh calls ninja, and its exit code."""
        result = scene.run([self.tree / "scripts/build.sh", self.build, "product", *options],
                           {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", **variables})
        return "built" in result.stdout, result.returncode

    def test_every_change_is_built(self):
        changes = {"source": (self.tree / "src/isa.cc").touch, "new source": (self.tree / "src/plugins/isa/x.cc").touch,
                   "removed source": (self.tree / "src/plugins/isa/x.cc").unlink, "list": (self.tree / "CMakeLists.txt").touch,
                   "program": (self.build / "ecbench").unlink, "plugin": (self.build / "plugins/libec_isa.so").unlink,
                   "library outside": self.outside.touch, "build.py": (self.tree / "scripts/build.py").touch}
        self.assertEqual(self.is_built(), (True, 0))
        for what, change in changes.items():
            self.assertEqual(self.is_built(), (False, 0), what)
            change()
            self.assertEqual(self.is_built(), (True, 0), what)
        for options, variables in ((["-DSIMD=OFF"], {}), ([], {}), ([], {"ECBENCH_GIT_REVISION": "1"}), ([], {"CC": "clang"})):
            self.assertEqual(self.is_built(*options, **variables), (True, 0), (options, variables))
            self.assertEqual(self.is_built(*options, **variables), (False, 0))


class OneBuildDirectory(scene.Scene):
    """A script replaces cmake. It writes a line to the file log when it starts and when it ends, and waits for the file go."""

    def setUp(self):
        super().setUp()
        self.build = self.folder / "build"
        self.log = self.folder / "log"
        self.log.touch()
        self.write_program("bin/cmake", f"""#!/bin/bash
cd '{self.folder}'
[[ $1 == --build ]] || exit 0
echo begin >>log
while [[ ! -e go ]]; do sleep 0.02; done
echo '[  7%] Building'; echo '[ 42%] Building'
echo end >>log
exit "${{FAILS:-0}}"
""")

    def start_build(self):
        process = scene.start([scene.SOURCE / "scripts" / "build.sh", self.build, "help"],
                              {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "JOBS": "1"})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_a_second_build_waits_for_the_first(self):
        first = self.start_build()
        scene.wait_until(lambda: "begin" in self.log.read_text(), "the build has not begun")
        second = self.start_build()
        line = second.stderr.readline()
        self.assertRegex(line, f"build.sh .*process {first.pid} of .*, which uses the build directory {self.build}")
        self.assertEqual(self.log.read_text(), "begin\n")
        (self.folder / "go").touch()
        self.assertEqual([process.wait(60) for process in (first, second)], [0, 0])
        self.assertEqual(self.log.read_text(), "begin\nend\n" * 2)

    def test_a_mode_does_not_wait_for_itself(self):
        """bench.sh builds the product and then the contenders, and locks both builds while the mode measures."""
        tree = copy_of_tree(self.folder / "tree")
        self.build = tree / "build"
        self.build.mkdir()
        toy = tree / "scripts/ecbench/toy/program.py"
        toy.parent.mkdir()
        toy.write_text(f"""import subprocess

def needs(words):
    return ["build all", "try contenders"]

def read_arguments(words):
    pass

def main():
    print("others can", *(kind for kind in ("shared", "exclusive")
                          if subprocess.run(["flock", "--nonblock", f"--{{kind}}", "{self.build}/.lock", "true"]).returncode == 0))
    return 0
""")
        lock = "import sys, pathlib; sys.path.insert(0, 'scripts'); import build; build.lock_directory(pathlib.Path('build'))"
        self.write_program("bin/make", f"#!/bin/bash\ncd '{tree}'; {sys.executable} -c \"{lock}\"; echo \"built ${{*: -1}}\"\n")
        result = scene.run(["timeout", "60", tree / "bench.sh", "toy"], env={"PATH": f"{self.folder}/bin:{os.environ['PATH']}"})
        self.assertEqual((result.returncode, result.stdout), (0, "others can shared\n"), result.stderr)
        self.assertEqual(re.findall("built (.*)", result.stderr), ["all", "contenders"])

    def test_a_failed_build_ends_with_1(self):
        (self.folder / "go").touch()
        result = scene.run([scene.SOURCE / "scripts" / "build.sh", self.build, "help"],
                           env={"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "JOBS": "1", "FAILS": "2"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("could not be built", result.stderr)


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

    def environment(self, missing, **changes):
        return {**dict.fromkeys(ROOTS), "ECBENCH_INSTALL": None, "PATH": self.bin, "MISSING": missing, "LOG": self.log, **changes}

    def test_if_forbidden_or_without_a_terminal_as_another_user_it_prints_the_command(self):
        as_other = ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        for user, changes, command in (([], {"ECBENCH_INSTALL": "no"}, "apt-get"), (as_other, {}, "sudo apt-get")):
            result = scene.run([*user, self.program], env=self.environment("libisal-dev cmake", **changes))
            self.assert_refused(result, f"{command} install -y --no-install-recommends cmake libisal-dev\n")
            self.assertFalse(self.log.exists())

    def test_with_a_terminal_it_asks_even_if_stderr_is_a_file(self):
        for answer, code in (("n\n", 1), ("y\n", 0)):
            ours, theirs = scene.open_terminal()
            self.addCleanup(os.close, ours)
            with subprocess.Popen([self.program], env=scene.environment(self.environment("cmake")), stdin=theirs,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
                os.close(theirs)
                self.assertIn("install cmake?", os.read(ours, 4096).decode())
                self.assertFalse(self.log.exists())
                os.write(ours, answer.encode())
                stdout, stderr = process.communicate(timeout=60)
            self.assertEqual((process.returncode, stdout), (code, ""), stderr)
            self.assertEqual(self.log.exists(), code == 0)
