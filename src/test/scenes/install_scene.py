"""An installed ecbench, and a plugin that was built with it outside the source tree."""

import json
import os
import pathlib
import re
import shutil
import unittest

import scene
from contenders_scene import built

PROJECT = scene.SOURCE / "src" / "test" / "external_plugin"
PLUGIN = scene.SOURCE / "src" / "plugins" / "example" / "plugin.cc"


def install(prefix, **changes):
    """Installs like `make install PREFIX=...`, regardless of the prefix with which the build was configured."""
    result = scene.run(["cmake", "--install", scene.BUILD, "--prefix", prefix], env=changes)
    if result.returncode != 0:
        raise AssertionError(result.stdout + result.stderr)


def found(prefix, name):
    [path] = prefix.rglob(name)
    return path


class Installed(scene.Scene):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        install(self.prefix)
        self.program = self.prefix / "bin" / "ecbench"


class Install(Installed):
    def test_the_prefix_has_everything_for_users_and_plugins(self):
        prefix = self.prefix
        files = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()}
        self.assertIn("bin/ecbench", files)
        self.assertEqual([name for name in files if "fake" in name], [], "a program of the tests is installed")
        headers = {path.name for path in (scene.SOURCE / "src" / "erasure_code").glob("*.h")} | {"contract_digest.h"}
        headers -= {"descriptor.h", "names.h", "registry.h"}  # only ecbench uses these
        self.assertEqual({pathlib.Path(name).name for name in files if name.startswith("include/ecbench/erasure_code/")}, headers)
        for name in ("libec_example.so", "libec_isa.so", "libec_jerasure.so", "ecbench-config.cmake", "liberasure_code.a",
                     "version.schema.json"):
            found(prefix, name)
        for name in ("libec_example.so", "ecbench-config.cmake"):
            self.assertEqual(found(prefix, name).parent.name, "ecbench")
        programs = {name for name in files if "ceph" in name and name.startswith(("bin/", "libexec/"))}
        self.assertEqual(programs, {"libexec/ecbench/ceph_erasure_code_benchmark"})

    def test_it_runs_with_its_own_plugins_also_after_a_move(self):
        moved = self.folder / "moved"
        shutil.move(self.prefix, moved)
        for plugin in ("isa", *built()):
            command = [moved / "bin" / "ecbench", "-p", plugin, "-P", "k=4", "-P", "m=2", "-s", "4096", "-w", "decode", "-e", "2",
                       "-i", "1", "--format", "json"]
            self.assertTrue(json.loads(self.succeeded(scene.run(command, cwd="/")).stdout)["verified"])

    def test_modes_run_and_keep_their_results_in_the_users_folder(self):
        data, before = self.folder / "data", sorted(self.prefix.rglob("*"))
        words = ["run", "plugin=isa", "k=4", "m=2", "size=4K", "workload=encode", "--min-time", "0.01"]
        result = self.succeeded(scene.run([self.program, *words], {"XDG_DATA_HOME": data, "ECBENCH_RESULTS_DIR": None}))
        [run] = data.glob("ecbench/*/run-*.jsonl")
        self.assertIn(f"ecbench report '{run}'", result.stdout)
        self.assertEqual(sorted(self.prefix.rglob("*")), before, "a mode wrote a file below the prefix")

    @unittest.skipUnless(os.geteuid() == 0, "only root can run a program as another user")
    def test_a_user_without_a_home_directory_is_told_what_to_do(self):
        self.folder.chmod(0o755)
        words = ["setpriv", "--reuid", "1234", "--regid", "1234", "--clear-groups", self.program]
        no_home = {"HOME": None, "XDG_DATA_HOME": None, "ECBENCH_RESULTS_DIR": None, "XDG_STATE_HOME": None,
                   "ECBENCH_LOCK_DIR": None}
        point = ["plugin=isa", "k=4", "m=2", "size=4K", "workload=encode", "--min-time", "0.01"]
        self.assert_refused(scene.run([*words, "run", *point], env=no_home), "1234", "--output, or set HOME or XDG_DATA_HOME")
        self.assertEqual(scene.run([*words, "gate", "ir", "--help"], env=no_home).returncode, 0)

    def test_what_needs_the_sources_is_refused(self):
        for words in (["gate", "ab", "main", "HEAD"], ["gate", "ir", "main", "HEAD"]):
            self.assert_refused(scene.run([self.program, *words], cwd=scene.SOURCE), "./bench.sh gate", "in a clone")
        self.assert_refused(scene.run([self.program, "tun", "k=4"]), "not a mode of ecbench", "tune?")

    def test_uninstall_leaves_no_file(self):
        """If the tool that converts docs/ is installed, man pages and shell completion are also installed and uninstalled."""
        stage = self.folder / "a stage"
        words = ["PREFIX=/opt/tools", f"DESTDIR={stage}", f"BUILD={scene.BUILD}"]
        if shutil.which("cmark-gfm"):
            self.succeeded(scene.run([scene.SOURCE / "scripts" / "install.sh", "install", scene.BUILD, "/opt/tools"],
                                     env={"DESTDIR": stage}))
            self.assertTrue((stage / "opt/tools/share/man/man1/ecbench-tune.1").is_file())
            self.assertTrue((stage / "opt/tools/share/bash-completion/completions/ecbench").is_file())
        else:
            install("/opt/tools", DESTDIR=stage)
        own = stage / "opt/tools/bin/another"
        own.write_text("of another package")
        self.succeeded(scene.run(["make", "-C", scene.SOURCE, "--no-print-directory", "uninstall", *words]))
        self.assertEqual([path for path in stage.rglob("*") if not path.is_dir()], [own])
        self.assertEqual(list(stage.rglob("*ecbench*")), [])


def sanitizer_flags():
    """The plugin must be built with the same sanitizers as the library with which it is linked."""
    sanitize = re.search(r"^ECBENCH_SANITIZE:STRING=(.+)$", (scene.BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return [f"-DCMAKE_CXX_FLAGS=-fsanitize={sanitize[1]}"] if sanitize else []


class ExternalPlugin(Installed):
    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "build" / "plugins"
        self.build()

    def build(self):
        build = self.folder / "build"
        for command in (["cmake", "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", *sanitizer_flags()],
                        ["cmake", "--build", build]):
            self.succeeded(scene.run(command))

    def ecbench(self, *arguments):
        return scene.run([self.program, "--plugin", "example", "--erasure-code-dir", self.plugins,
                          "--size", "100000", "--iterations", "2", *arguments])

    def test_is_measured_listed_and_refused_like_other_plugins(self):
        for workload in (["--workload", "encode"], ["--workload", "decode", "--erasures-generation", "exhaustive"]):
            result = self.succeeded(self.ecbench("--parameter", "k=2", "--format", "json", *workload))
            measured = json.loads(result.stdout)
            self.assertEqual((measured["k"], measured["m"], measured["verified"]), (2, 1, True))
        listing = scene.run([self.program, "--list", "--erasure-code-dir", self.plugins])
        self.assertIn("example", listing.stdout)
        self.assert_refused(self.ecbench("--parameter", "m=2"), "m=2", "the code is 2+1")
        checked = scene.run([scene.BUILD / "plugin_check", self.plugins, "k=2"])
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_is_refused_by_version_if_it_was_built_against_changed_headers(self):
        [header] = self.prefix.rglob("erasure_code/erasure_code.h")
        original = header.read_text()
        own = json.loads(scene.run([self.program, "--version", "--format", "json"]).stdout)["contract"]
        place = "  virtual const ParityDelta* parity_delta()"
        self.assertIn(place, original)
        for text, is_refused in ((original.replace(place, f"  virtual void added() const {{}}\n{place}"), True), (original, False)):
            header.write_text(text)
            self.build()
            result = self.ecbench("--parameter", "k=2")
            if is_refused:
                self.assert_refused(result, "libec_example.so was built for 'ecbench plugin contract ",
                                    f"only '{own}' is allowed", "build the plugin again")
            else:
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_compiler_without_cmake_takes_the_version_of_the_installed_headers(self):
        plugins = self.folder / "by_hand"
        plugins.mkdir()
        [library] = self.prefix.rglob("liberasure_code.a")
        flags = [flag.removeprefix("-DCMAKE_CXX_FLAGS=") for flag in sanitizer_flags()]
        self.succeeded(scene.run(["c++", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", *flags,
                                  "-I", self.prefix / "include" / "ecbench", PLUGIN, library,
                                  "-o", plugins / "libec_example.so"]))
        self.plugins = plugins
        self.assertEqual(self.ecbench("--parameter", "k=2").returncode, 0)
