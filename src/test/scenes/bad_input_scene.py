"""Bad input gets one line on stderr, nothing on stdout, and exit code 1; wrong bytes get exit code 2 and no figure."""

import os
import pathlib
import unittest

import scene

TEST_PLUGINS = scene.BUILD / "test_plugins"
JERASURE = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2"]


class BadInput(scene.Scene):
    def refused(self, words, *args):
        with self.subTest(args=args):
            self.assert_refused(scene.run([scene.ECBENCH, *args]), *words)

    def test_options(self):
        self.refused(["--nonsense"], "--nonsense")
        self.refused(["stray"], "stray")
        self.refused(["rebuild", "encode|decode"], "-w", "rebuild")
        self.refused(["xml", "table"], "--format", "xml")
        self.refused(["some", "all|data"], "--want", "some")
        self.refused(["sometimes", "random|exhaustive"], "-E", "sometimes")
        self.refused(["seed", "-1"], "--seed", "-1")
        self.refused(["plugin"], "--plugin")
        self.refused(["size"], "-s", "1K", "-s", "2K")

    def test_sizes(self):
        for size in ("0", "-1", "abc", "1.5K", "4KB", "", "99999999999999999999"):
            self.refused(["--size", size], "-s", size)
        for size in ("1000000G", "200T", "16777216G"):
            self.refused([], "-s", size)  # larger than memory

    def test_iterations(self):
        for iterations in ("0", "-5", "ten", "1e3"):
            self.refused(["--iterations", iterations], "-i", iterations)

    def test_erasures(self):
        self.refused(["3", "2"], *JERASURE, "-w", "decode", "-e", "3")
        self.refused(["-1"], *JERASURE, "-w", "decode", "-e", "-1")
        self.refused(["6", "0 to 5"], *JERASURE, "-w", "decode", "--erased", "6")
        self.refused(["1000"], *JERASURE, "-w", "decode", "--erased", "1000")
        self.refused(["-2"], *JERASURE, "-w", "decode", "--erased", "-2")
        self.refused(["1", "twice"], *JERASURE, "-w", "decode", "--erased", "1", "--erased", "1")
        self.refused(["3", "2"], *JERASURE, "-w", "decode", "--erased", "0", "1", "2")
        self.refused(["--erasures 1", "2 chunks"], *JERASURE, "-w", "decode", "--erased", "0", "1", "-e", "1")
        self.refused(["exhaustive"], *JERASURE, "-w", "decode", "--erased", "0", "-E", "exhaustive")

    def test_parameters(self):
        self.refused(["k", "key=value"], *JERASURE, "-P", "k")
        self.refused(["=6"], *JERASURE, "-P", "=6")
        self.refused(["technique=nope", "cauchy_good"], "-p", "jerasure", "-P", "technique=nope")
        self.refused(["technique", "reed_sol_van"], "-p", "jerasure")
        self.refused(["k=1"], "-p", "isa", "-P", "k=1")
        self.refused(["k=4x"], "-p", "isa", "-P", "k=4x")
        self.refused(["m=-1"], "-p", "isa", "-P", "m=-1")
        self.refused(["k=99999999999999999999"], "-p", "isa", "-P", "k=99999999999999999999")
        self.refused(["plugin=isa"], *JERASURE, "-P", "plugin=isa")

    def test_input(self):
        missing = self.folder / "missing"
        self.refused([str(missing)], "--input", missing)
        self.refused([str(self.folder), "directory"], "--input", self.folder)
        self.refused(["/proc/self/mem"], "--input", "/proc/self/mem")  # opens, even for root, and cannot be read
        (self.folder / "empty").touch()
        self.refused(["empty"], "--input", self.folder / "empty")
        (self.folder / "short").write_bytes(b"12345")
        self.refused(["short", "5"], "--input", self.folder / "short", "-s", "4K")

    @unittest.skipIf(os.geteuid() == 0, "root reads and writes everything")
    def test_files_without_permission(self):
        unreadable = self.folder / "unreadable"
        unreadable.touch(mode=0)
        self.refused([str(unreadable)], "--input", unreadable)
        self.folder.chmod(0o500)
        self.refused(["chunks"], "--chunks-out", self.folder / "chunks")

    def test_chunks_out(self):
        (self.folder / "file").touch()
        self.refused([str(self.folder / "file")], "--chunks-out", self.folder / "file")
        self.refused(["/proc/chunks"], "--chunks-out", "/proc/chunks")
        (self.folder / "taken" / "0").mkdir(parents=True)
        self.refused(["taken/0"], "--chunks-out", self.folder / "taken")
        self.assertEqual([path.name for path in (self.folder / "taken").iterdir()], ["0"])

    @unittest.skipUnless(pathlib.Path("/dev/full").exists(), "there is no /dev/full here")
    def test_a_result_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            import subprocess
            result = subprocess.run([scene.ECBENCH, "-i", "1"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)


class BadPlugins(scene.Scene):
    def refused(self, plugin, *words, directory=TEST_PLUGINS):
        with self.subTest(plugin=plugin):
            self.assert_refused(scene.run([scene.ECBENCH, "-p", plugin, "--erasure-code-dir", directory]), *words)

    def test_missing(self):
        self.refused("isa", "/no/such/folder", directory="/no/such/folder")
        self.refused("nope", "nope", "isa", "jerasure", directory=scene.PLUGINS)
        self.refused("../plugins/isa", "../plugins/isa", directory=scene.PLUGINS)
        self.refused("isa", "none at all", directory=self.folder)

    def test_each_fault_is_told_in_one_line(self):
        self.refused("text", "libec_text.so", "not a shared object")
        self.refused("no_entry", "entry point", "ecbench_plugin")
        self.refused("old_version", "contract 0", "contract 2")
        self.refused("throws_at_load", "throws_at_load", "no such processor")
        self.refused("throws_at_make", "throws_at_make", "field 7")
        self.refused("throws_no_exception", "throws_no_exception")
        self.refused("no_technique", "no_technique", "no technique")

    def test_cephs_own_plugin_is_refused_and_never_run(self):
        self.refused("ceph", "Ceph")

    def test_list_goes_on_past_plugins_that_cannot_be_loaded(self):
        result = scene.run([scene.ECBENCH, "--list", "--erasure-code-dir", TEST_PLUGINS])
        self.assertEqual(result.returncode, 1)
        self.assertIn("wrong_decode", result.stdout)
        self.assertEqual(len(result.stderr.splitlines()), 6, result.stderr)

    def test_wrong_bytes_end_in_2_without_a_figure(self):
        for plugin in ("wrong_encode", "wrong_decode"):
            with self.subTest(plugin=plugin):
                result = scene.run([scene.ECBENCH, "-p", plugin, "--erasure-code-dir", TEST_PLUGINS, "-s", "4K"])
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertEqual(len(result.stderr.splitlines()), 1)
                self.assertIn("wrong bytes", result.stderr)

    def test_the_environment_names_the_plugins_and_the_option_wins(self):
        env = {"ECBENCH_PLUGIN_DIR": TEST_PLUGINS}
        result = scene.run([scene.ECBENCH, "-p", "isa"], env=env)
        self.assert_refused(result, str(TEST_PLUGINS))
        result = scene.run([scene.ECBENCH, "-p", "isa", "--erasure-code-dir", scene.PLUGINS, "-i", "1"], env=env)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    scene.main()
