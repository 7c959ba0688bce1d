"""An installed ecbench finds its plugins below any prefix. The directory bin of the prefix contains no program with the name of
Ceph's tool."""

import json
import os
import pathlib
import shutil
import unittest

import scene
from contenders_scene import built


def install(prefix, **changes):
    """Installs like `make install PREFIX=...`, regardless of the prefix with which the build was configured."""
    result = scene.run(["cmake", "--install", scene.BUILD, "--prefix", prefix], env=changes)
    if result.returncode != 0:
        raise AssertionError(result.stdout + result.stderr)


def found(prefix, name):
    """The only file with this name below the prefix."""
    [path] = prefix.rglob(name)
    return path


class Install(scene.Scene):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        install(self.prefix)
        self.program = self.prefix / "bin" / "ecbench"

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
