"""The table of bench.sh has the rows of Ceph's bench.sh, which its environment variables choose."""

import json
import os
import re
import shutil

import scene

BENCH = scene.SOURCE / "bench.sh"
OURS = {"CEPH_ERASURE_CODE_BENCHMARK": scene.FAKE}
# The pairs (k, m) of Ceph's bench.sh. For each pair, encode loses no chunk, and decode loses 1 to m chunks.
SHAPES = [(2, 1), (3, 2), (4, 2), (4, 3), (6, 2), (6, 3), (6, 4), (10, 3), (10, 4)]
GRID = {(k, m, lost) for k, m in SHAPES for lost in range(m + 1)}


def bench(*arguments, cwd=None, program=None, **variables):
    """Runs the mode bench, or `program`: bench.sh, which starts this mode if no other is named."""
    return scene.run([program, *arguments] if program else scene.mode("bench", *arguments), env={**OURS, **variables}, cwd=cwd)


def rows_of(stdout):
    lines = stdout.splitlines()
    return [dict(zip(scene.HEADER, line.split("\t"), strict=True)) for line in lines[1:]]


class Table(scene.Scene):
    def rows(self, *words, **variables):
        result = self.succeeded(bench(*words, **variables))
        self.assertEqual(result.stdout.splitlines()[0].split("\t"), scene.HEADER)
        return rows_of(result.stdout)

    def test_the_rows_are_cephs_grid(self):
        rows = self.rows(SIZE=4096, ITERATIONS=1, PLUGINS="isa", TECHNIQUES="vandermonde")
        self.assertEqual({(int(row["k"]), int(row["m"]), int(row["eras."])) for row in rows}, GRID)
        self.assertEqual(len(rows), len(GRID))
        for row in rows:
            self.assertRegex(row["seconds"], r"^\d+\.\d{6}$")
            self.assertEqual((row["KB"], row["iter."], row["size"], row["technique"]), ("4", "1", "4096", "reed_sol_van"))
            self.assertEqual(row["work."], "encode" if row["eras."] == "0" else "decode")
            self.assertEqual((row["w"], row["packetsize"]), ("-", "-"))

    def test_command_repeats_the_row(self):
        row = self.rows("k=2", SIZE=4096, ITERATIONS=3, PLUGINS="jerasure", TECHNIQUES="cauchy_orig")[1]
        measured = json.loads(self.succeeded(scene.run(["bash", "-c", row["command."] + " --format json"])).stdout)
        self.assertEqual([str(measured[key]) for key in ("plugin", "k", "m", "workload", "iterations", "size", "erasures")],
                         [row[key] for key in ("plugin", "k", "m", "work.", "iter.", "size", "eras.")])
        self.assertEqual(measured["profile"]["packetsize"], row["packetsize"])

    def test_relative_paths_of_program_and_plugins_as_in_the_article_of_2013(self):
        result = self.succeeded(bench(cwd=scene.BUILD, SIZE=4096, ITERATIONS=1, PLUGINS="example", PLUGIN_DIRECTORY="plugins",
                                      CEPH_ERASURE_CODE_BENCHMARK="./ceph_erasure_code_benchmark"))
        self.assertIn("--erasure-code-dir plugins", rows_of(result.stdout)[0]["command."])

    def test_old_names_of_jerasure(self):
        rows = self.rows("k=2", SIZE=4096, ITERATIONS=1, PLUGINS="isa jerasure_generic", TECHNIQUES="cauchy")
        self.assertEqual({(row["plugin"], row["technique"], row["w"]) for row in rows},
                         {("isa", "cauchy", "-"), ("jerasure_generic", "cauchy_good", "8")})

    def test_report_and_compare_read_its_runs(self):
        foreign = self.write_program("ceph", "#!/bin/sh\nprintf '0.250000\\t4000000\\n'\n")
        for name, program, more in (("ours", scene.FAKE, {"PARAMETERS": "--timing api"}), ("other", foreign, {"ITERATIONS": 9})):
            paths = [self.folder / f"{name}{number}.jsonl" for number in (1, 2)]
            for path in paths:
                rows = self.rows("--output", path, "k=4", SIZE=4096, CEPH_ERASURE_CODE_BENCHMARK=program, **more)
            points = json.loads(self.succeeded(scene.ask("compare", *paths, "--format", "json")).stdout)["blocks"][0]["rows"]
            self.assertEqual((len(points), {one["shape"][0] for one in points}), (len(rows), {"4"}))
            self.assertEqual("timing=api" in points[0]["code"], name == "ours")
            shown = self.succeeded(scene.ask("report", paths[1], "--format", "customBiggerIsBetter"))
            self.assertEqual(sorted(f"{one['value']:.3f}" for one in json.loads(shown.stdout)), sorted(row["GB/s"] for row in rows))
            self.assertIn("4+2", scene.ask("report", paths[0], "--format", "text").stdout)

    def test_on_a_terminal_columns_are_aligned(self):
        output = scene.run_on_terminal(
            [BENCH], {**OURS, "SIZE": "4096", "ITERATIONS": "1", "PLUGINS": "example", "TERM": "xterm"}).stdout
        # The progress line is also shown for rows that are measured again. It is erased before other output is printed.
        self.assertRegex(output, r"\[1/[234]\]")
        lines = [re.sub(r"^.*\x1b\[K", "", line) for line in output.splitlines()]
        table = [line for line in lines if line.startswith(("plugin ", "example "))]
        self.assertEqual(len(table), 3, output)
        self.assertNotIn("command.", table[0])
        starts = [match.start() for match in re.finditer(r"\S+", table[0])]
        self.assertEqual(table[0].split()[-2:], ["cores/100G", "%code"])
        for line in table[1:]:
            self.assertNotIn("\t", line)
            self.assertEqual([match.start() for match in re.finditer(r"\S+", line)], starts)


def copy_of_tree(folder):
    """Copies the files that bench.sh needs. In the copy, bench.sh installs no packages."""
    scene.copy_scripts(folder)
    shutil.copy2(BENCH, folder)
    (folder / "scripts" / "install-deps.sh").write_text("#!/bin/sh\necho installing\n")
    return folder


class Program(scene.Scene):
    def test_help_and_unknown_mode(self):
        self.assertIn("ITERATIONS", bench("--help", program=BENCH).stdout)
        for mode in ("frobnicate", ""):
            self.assert_refused(bench(mode, program=BENCH), f"'{mode}' is not a mode", "fplot")

    def test_bad_variables_print_one_line(self):
        for variables in ({"SIZE": "0"}, {"SIZE": "-4096"}, {"SIZE": "4 apples"}, {"SIZE": "4kB"}, {"ITERATIONS": "0"},
                          {"ITERATIONS": "many"}, {"TOTAL_SIZE": "x"}, {"TOTAL_SIZE": "4095", "SIZE": "4096"},
                          {"TOTAL_SIZE": "1M", "ITERATIONS": "2"}, {"PLUGINS": "nosuch"}, {"TECHNIQUES": "nosuch"},
                          {"PLUGINS": "isa", "TECHNIQUES": "liberation"}, {"PARAMETERS": "'open"},
                          {"PARAMETERS": "--parameter k=4"},
                          {"PLUGIN_DIRECTORY": "/nonexistent",
                           "CEPH_ERASURE_CODE_BENCHMARK": scene.BUILD / "ceph_erasure_code_benchmark"},
                          {"CEPH_ERASURE_CODE_BENCHMARK": "/nonexistent"}):
            self.assert_refused(bench(**variables), next(iter(variables)) if len(variables) == 1 else "")
        self.assert_refused(bench("size=4K", SIZE="4K"), "size= and SIZE=4K")
        self.assert_refused(bench("kk=8"), "kk= is not an axis", "did you mean k?")

    def test_a_plugin_directory_that_does_not_exist_means_the_own_plugins_with_one_note(self):
        for missing in (".libs", "/usr/lib/none", str(self.folder / "src/.libs")):
            result = bench(SIZE=4096, ITERATIONS=1, PLUGINS="example", PLUGIN_DIRECTORY=missing)
            self.assertEqual((result.returncode, len(rows_of(result.stdout))), (0, 2), result.stderr)
            self.assertEqual([missing in line for line in result.remarks if "PLUGIN_DIRECTORY" in line], [True])

    def test_python_settings_of_the_user_are_ignored(self):
        for variables in ({"PYTHONSAFEPATH": 1}, {"PYTHONHOME": "/nonexistent"}, {"PYTHONPATH": self.folder}):
            (self.folder / "json.py").write_text("raise SystemExit('not the real json')")
            result = bench(program=BENCH, SIZE=4096, ITERATIONS=1, PLUGINS="example", **variables)
            self.assertEqual((result.returncode, len(rows_of(result.stdout))), (0, 2), result.stderr)

    def test_it_builds_from_any_directory_and_prints_only_the_table(self):
        tree = copy_of_tree(self.folder / "a clone")
        self.write_program("bin/make", f'#!/bin/sh\necho building\nmkdir "$2/build"\nln -s "{scene.ECBENCH}" "$2/build/ecbench"\n')
        link = self.folder / "link to bench.sh"
        link.symlink_to(tree / "bench.sh")
        result = self.succeeded(bench(program=link, cwd="/", SIZE=4096, ITERATIONS=1, PLUGINS="example",
                                      CEPH_ERASURE_CODE_BENCHMARK=None, PATH=f"{self.folder}/bin:{os.environ['PATH']}"))
        self.assertEqual(len(rows_of(result.stdout)), 2, result.stdout)
        self.assertEqual(result.stderr.splitlines()[:2], ["installing", "building"])
