"""If its input is bad, ecbench prints one line to stderr and nothing to stdout, and has exit code 1."""

import os
import shutil
import unittest

import scene

JERASURE = ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2"]


class BadInput(scene.Scene):
    def refused(self, words, *args):
        self.assert_refused(scene.ecbench(*args), *words)

    def test_options(self):
        for words, *said in ((["--nonsense"], "--nonsense"), (["stray"], "stray"), (["-w", "rebuild"], "rebuild", "encode|decode"),
                             (["--format", "xml"], "xml", "table"), (["--want", "some"], "some", "all|data"),
                             (["-E", "sometimes"], "sometimes", "random|exhaustive"), (["--seed", "-1"], "seed", "-1"),
                             (["-v", "-5"], "-5", "negative"), (["-", "-5"], "-5")):
            self.refused(said, *words)
        for option in ("--input", "--chunks-out", "--erasure-code-dir", "--output"):
            self.refused([option, "''"], option, "")

    def test_the_right_spelling_is_proposed(self):
        for words, said in ((["-k", "6"], "-P k=6"), (["-k6"], "-P k=6"), (["--k", "6"], "-P k=6"), (["--k=6"], "-P k=6"),
                            (["-m", "2"], "-P m=2"), (["--m", "2"], "-P m=2"), (["--c", "2"], "-P c=2"), (["k=6"], "-P k=6"),
                            (["k=6,m=2"], "-P k=6 -P m=2"), (["-v", "m=2"], "-P m=2"), (["size=4k"], "--size 4k"),
                            (["k=6, m=2;w=8"], "-P k=6 -P m=2 -P w=8"), (["k=6 m"], "-P k=6 m"),
                            (["--packetsize", "2048"], "-P packetsize=2048"), (["--technique=cauchy"], "-P technique=cauchy"),
                            (["--thraeds", "2"], "--threads"), (["--stripe_unit", "4K"], "--stripe-unit"), (["-k"], "--help"),
                            (["-P", "k=6,m=2"], "-P k=6 -P m=2"), (["-P", "technique=cauchy,k=6"], "-P technique=cauchy -P k=6"),
                            (["-P", "plugin=isa k=6"], "-P plugin=isa -P k=6"), (["-P", "stripe_unit=4K,k=6"], "-P k=6"),
                            (["-P", "packet_size=3072"], "did you mean packetsize?"), (["-P", "colour=red"], "k, m"),
                            (["-P", "stripe_unit=4K", "--stripe-unit", "8K"], "--stripe-unit has another value (8192)"),
                            (["-P", "stripe_unit=4K", "--stripe-unit", "none"], "--stripe-unit has another value (none)"),
                            (["-P", "stripe_unit=x"], "stripe_unit=x"),
                            (["-P", "stripe_unit=0"], "stripe_unit=0 is not allowed: give at least")):
            self.refused([said], *words)

    def test_erasure_options_of_workloads_that_lose_no_chunks(self):
        for workload in ([], ["-w", "encode"], ["--workload", "limit"]):
            for option in (["-e", "2"], ["--erased", "0"], ["-E", "random"], ["--want", "data"]):
                self.refused(["--e" if option[0] != "--want" else "--want", "decode or repair"], *workload, *option)
        self.refused(["--erasures 2", "encode"], "-e", "2")

    def test_an_error_prints_one_line_with_any_quoted_value(self):
        self.refused(["a?b"], "-p", "a\nb")
        self.refused(["6"], "-P", "k=\n6")
        self.refused(["fo?o"], "--fo\no")
        self.refused(["plugin"], "--plugin")
        self.refused(["size"], "-s", "1K", "-s", "2K")

    def test_sizes(self):
        self.refused(["--size", "1.5K"], "-s", "1.5K")
        self.refused(["--iterations", "1e3"], "-i", "1e3")
        for size in ("1000000G", "200T", "16777216G"):
            self.refused([], "-s", size)  # larger than memory
        self.refused(["18446744073709551615", "--size"], "-s", "18446744073709551615")
        self.refused(["too large", "--stripe-unit"], "-s", "4K", "--stripe-unit", "9223372036854775808")

    def test_options_of_the_measurement(self):
        for option, values in {"--threads": ("0", "-1", "x", "99999"), "--min-time": ("0", "-1", "nan", "inf", "1e400", "x"),
                               "--max-time": ("0", "0.1"), "--target-ci": ("0", "-1", "1", "101"), "--placements": ("0", "9999"),
                               "--drift-floor": ("-1", "", "x"), "--cache": ("hot",), "--limit": ("maybe",), "--timing": ("x",),
                               "--fill": ("XY",),
                               "--stripe-unit": ("0", "33", "x"), "--dispatch": ("sse9",),
                               "--cpu": ("-1", "3-1", "1,", "", "x", "1023", "99999")}.items():
            for value in values:
                self.refused([option], option, value)
        self.refused(["--min-time", "--iterations"], "-i", "5", "--min-time", "1")
        self.refused(["--fill", "--input"], "--fill", "X", "--input", "/dev/zero")

    def test_erasures(self):
        for words, *said in ((["-e", "3"], "3", "2"), (["-e", "-1"], "-1"), (["--erased", "6"], "6", "0 to 5"),
                             (["--erased", "1000"], "1000"), (["--erased", "-2"], "-2"), (["--erased", ""], "--erased ''"),
                             (["--erased", "4294967296"], "4294967296"), (["--erased", "0", "-1"], "-1", "negative"),
                             (["--erased", "1", "--erased", "1"], "1", "twice"), (["--erased", "0", "1", "2"], "3", "2"),
                             (["--erased", "0", "1", "-e", "1"], "--erasures 1", "--erased is 2"),
                             (["--erased", "0", "-E", "exhaustive"], "exhaustive")):
            self.refused(said, *JERASURE, "-w", "decode", *words)

    def test_parameters(self):
        self.refused(["k", "key=value"], *JERASURE, "-P", "k")
        for technique in ("nope", "a=b"):
            self.refused([f"technique={technique}", "cauchy_good"], "-p", "jerasure", "-P", f"technique={technique}")
        self.refused(["technique", "reed_sol_van"], "-p", "jerasure")
        for plugin, parameter in (("isa", "=6"), ("isa", "k=1"), ("isa", "k=4x"), ("isa", "m=-1"),
                                  ("isa", "k=99999999999999999999"), ("example", "plugin=isa")):
            self.refused([parameter], "-p", plugin, "-P", parameter)

    def test_plans_that_do_not_fit_in_memory(self):
        self.refused(["patterns"], "-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=40", "-P", "m=12", "-s", "4K", "-w",
                     "decode", "-e", "12", "-E", "exhaustive")

    @unittest.skipIf(scene.is_sanitized(), "a sanitizer needs more address space than this test allows")
    def test_input_that_does_not_end(self):
        self.assert_refused(scene.ecbench("--input", "/dev/zero", around='ulimit -v 4000000; "$@"', timeout=60))

    def test_input(self):
        missing = self.folder / "missing"
        self.refused([str(missing)], "--input", missing)
        self.refused([str(self.folder), "directory"], "--input", self.folder)
        self.refused(["/proc/self/mem"], "--input", "/proc/self/mem")  # this file can be opened, but reading it fails
        (self.folder / "empty").touch()
        self.refused(["empty"], "--input", self.folder / "empty")
        (self.folder / "short").write_bytes(b"12345")
        self.refused(["short", "5"], "--input", self.folder / "short", "-s", "4K")

    def test_files_without_permission(self):
        unreadable, chunks = self.folder / "unreadable", self.folder / "chunks"
        unreadable.touch(mode=0)
        self.folder.chmod(0o500)
        for words, given in ((["--input", unreadable], unreadable), (["--chunks-out", chunks], chunks)):
            self.assert_refused(scene.run([*scene.AS_USER, scene.ECBENCH, *words]), str(given), "Permission denied")

    def test_a_file_of_limits(self):
        pipe, run, large = (self.folder / name for name in ("pipe", "run.jsonl", "large"))
        os.mkfifo(pipe)
        run.write_text('{"record":"run"}\n')
        with large.open("wb") as file:
            file.truncate(17 << 20)
        for path in (pipe, run, large, self.folder, "/dev/zero"):
            self.refused(["--limit-file", str(path)], "-s", "4K", "--limit-file", path)
        self.refused(["--limit-file"], "-s", "4K", "--limit-file", self.folder / "nowhere" / "file")
        self.assertEqual(run.read_text(), '{"record":"run"}\n')
        self.refused(["--limit-file"], "-s", "4K", "--output", self.folder / "one", "--limit-file", self.folder / "one")

    def test_standard_output_that_cannot_be_written(self):
        for command in ([scene.ECBENCH, "-i", "1"], scene.mode("tune", "--help"), scene.mode("help"),
                        scene.mode("compare", "--schema")):
            self.assert_refused(scene.run(command, around='"$@" >/dev/full'), "standard output")


class BadPlugins(scene.Scene):
    def refused(self, plugin, *words, directory=scene.TEST_PLUGINS):
        self.assert_refused(scene.ecbench("-p", plugin, "--erasure-code-dir", directory), *words)

    def test_missing(self):
        self.refused("isa", "/no/such/folder", "--erasure-code-dir", "ECBENCH_PLUGIN_DIR", directory="/no/such/folder")
        self.refused("nope", "nope", "isa", "jerasure", directory=scene.PLUGINS)
        self.refused("../plugins/isa", "../plugins/isa", directory=scene.PLUGINS)
        self.refused("isa", "the directory has no plugins", directory=self.folder)
        self.assert_refused(scene.ecbench("--list", "--erasure-code-dir", self.folder), str(self.folder), "no plugin")

    def test_each_fault_prints_one_line(self):
        for plugin, *words in (("text", "libec_text.so", "not a shared object"), ("no_entry", "entry point", "ecbench_plugin"),
                               ("old_version", "contract 0", "only 'ecbench plugin contract "), ("ceph", "Ceph"),
                               ("throws_at_load", "no such processor"), ("throws_at_make", "field 7"), ("throws_no_exception",),
                               ("throws_at_start", "not an exception"), ("throws_lines", "first line", "second line"),
                               ("no_technique", "no technique"), ("no_version", "contract")):
            self.refused(plugin, plugin, *words)

    def test_a_code_that_throws_an_int(self):
        for technique, words in (("chunk_size", ["not an exception"]), ("encode", ["not an exception"]),
                                 ("make_plan", ["not an exception"]), ("run_plan", ["not an exception"]),
                                 ("no_plan", ["no decode plan", "chunk"])):
            result = scene.ecbench("-p", "throws_later", "-P", f"technique={technique}", "-w", "decode", "-s", "4K",
                                   "--erasure-code-dir", scene.TEST_PLUGINS)
            self.assert_refused(result, "plugin", "failed", *words)

    def test_plugins_that_are_not_files(self):
        (self.folder / "libec_dangling.so").symlink_to("/no/such/file")
        (self.folder / "libec_folder.so").mkdir()
        os.mkfifo(self.folder / "libec_fifo.so")
        self.refused("dangling", "libec_dangling.so", "dangling link", "/no/such/file", directory=self.folder)
        self.refused("folder", "libec_folder.so", "not a file", directory=self.folder)
        self.refused("fifo", "libec_fifo.so", "not a file", directory=self.folder)
        result = scene.ecbench("--list", "--erasure-code-dir", self.folder)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 3), result.stderr)

    def test_a_folder_that_cannot_be_read(self):
        self.folder.chmod(0o100)
        result = scene.run([*scene.AS_USER, scene.ECBENCH, "-p", "isa", "--erasure-code-dir", self.folder])
        self.assert_refused(result, "cannot be read", "Permission denied")

    def test_a_program_without_its_plugins(self):
        program = shutil.copy(scene.ECBENCH, self.folder)
        self.assert_refused(scene.run([program, "-i", "1"]), str(self.folder), "--erasure-code-dir", "ECBENCH_PLUGIN_DIR")

    def test_list_skips_plugins_that_cannot_be_loaded(self):
        result = scene.ecbench("--list", "--erasure-code-dir", scene.TEST_PLUGINS)
        self.assertEqual(result.returncode, 1)
        self.assertIn("wrong_decode", result.stdout)
        self.assertEqual(len(result.stderr.splitlines()), 9, result.stderr)

    def test_long_values_are_shortened(self):
        word, words = "x" * 100_000, "é " * 40_000
        for value in (word, words):
            for option in ("-s", "-p", "-w", "--cpu", "--input", "--codec-lib", "--erasure-code-dir", "--chunks-in", "--describe"):
                result = scene.ecbench(option, value)
                self.assert_refused(result)
                self.assertLess(len(result.stderr.encode()), 6000)
        self.assert_refused(scene.ecbench("-w", "y" * 400), "y" * 400)

    def test_too_little_memory(self):
        if scene.is_sanitized():
            self.skipTest("a sanitizer needs terabytes of address space")
        for limit in (80_000, 120_000):
            for options in (["--background", "repair", "-s", "16M"], ["-i", "1", "-s", "64M"]):
                self.assert_refused(scene.ecbench(*options, around=f'ulimit -v {limit}; "$@"'), "not enough memory", "--size")

    @unittest.skipIf(scene.is_sanitized(), "without /proc, ASan does not find the stack")
    def test_without_proc(self):
        namespaces = ["--mount"] if os.geteuid() == 0 else ["--mount", "--map-root-user"]
        without = ["unshare", *namespaces, "sh", "-c", 'umount -l /proc && exec "$@"', "sh"]
        if scene.run([*without, "true"]).returncode != 0:
            self.skipTest("/proc cannot be unmounted here")
        for words in (["-i", "1"], ["run"]):
            self.assert_refused(scene.run([*without, scene.ECBENCH, *words]), "/proc")
        for words in ([], ["plan"], ["firefly", "--dry-run"]):
            self.assert_refused(scene.run([*without, scene.SOURCE / "bench.sh", *words]), "/dev/fd", "mount /proc")

    def test_the_option_replaces_the_plugin_directory_of_the_environment(self):
        env = {"ECBENCH_PLUGIN_DIR": scene.TEST_PLUGINS}
        self.assert_refused(scene.ecbench("-p", "isa", env=env), str(scene.TEST_PLUGINS))
        self.succeeded(scene.ecbench("-p", "isa", "--erasure-code-dir", scene.PLUGINS, "-i", "1", env=env))
