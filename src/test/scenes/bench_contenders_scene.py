"""Runs bench.sh contenders with the real ecbench and only a few cases. Checks the tables, the JSON lines, the page and the
messages. Also tests interrupts, and checks that another mode can read the run file."""

import json
import os
import re
import shutil
import signal
import unittest

import jsonschema
import scene

ONE_CASE = ["k=4", "m=2", "size=4k", "cache=warm", "workload=encode"]
SHORT = ["--rounds", "6", "--min-time", "0.001", "--seed", "1"]
ISA_AND_RS = ["library=isa,jerasure-rs"]


class Contenders(scene.Scene):
    def setUp(self):
        super().setUp()
        self.run_file, self.page = self.folder / "run.jsonl", self.folder / "run-page.html"
        self.environment = {"ECBENCH_PLUGIN_DIR": None}

    def command(self, *args, ecbench=scene.FAKE):
        return scene.mode("contenders", "--ecbench", ecbench, *args)

    def ask(self, *args, **more):
        return scene.run(self.command(*args, **more), env=self.environment, timeout=300)

    def printed(self, *args):
        result = self.ask(*args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def measured(self, *args):
        return self.printed(*ONE_CASE, *SHORT, *ISA_AND_RS, "--output", self.run_file, *args)


class Figures(Contenders):
    def test_the_tables_the_run_file_and_the_page_have_the_same_figures(self):
        result = self.measured()
        text = result.stdout
        self.assertRegex(text, r"(?m)^encode, warm: GB/s\n  k\+m  object +isa +jerasure RS +limit\n")
        (speeds,) = re.findall(r"^  4\+2  4 KiB +([*=?]?)([\d.]+)!? +([*=?]?)([\d.]+)!? +([\d.]+)!?$", text, re.MULTILINE)
        inconclusive = "\n1 of 1 cases are inconclusive: " in text
        self.assertEqual((speeds[0], speeds[2]).count("*"), 0 if inconclusive else 1, speeds)
        self.assertTrue(all(float(figure) > 0 for figure in (speeds[1], speeds[3], speeds[4])))
        self.assertRegex(text, r"\n  4\+2  4 KiB +inconclusive( +-){5}  .+\n" if inconclusive else
                         r"\n  4\+2  4 KiB +(isa|jerasure RS) +(isa|jerasure RS) +\d\S* +\S+\.\.\S+ +\d\S+ +\d+  ")
        self.assertRegex(text, r"^what was measured\n  isa: .*libisal\.so\.2 2\.\d+ .*build id [0-9a-f]{12}")
        self.assertRegex(result.stderr, r"1 cases, 2 libraries, 3 points, 6 rounds, 0\.001 s for each measurement: about ")
        if not scene.HAS_PAGES:
            self.assertIn(f"run: {self.run_file}\n", result.stderr)
            return
        self.assertIn(f"run: {self.run_file}; page: {self.page}\n", result.stderr)
        page = self.page.read_text("utf-8")
        self.assertRegex(page, rf">{re.escape(speeds[0] + speeds[1])}!?</td>")
        self.assertIn('role="img"', page)
        self.assertNotRegex(page, r"https?://")

    def test_json_has_a_line_for_each_case(self):
        result = self.printed("k=2,4", "m=1,2", "size=4K", "cache=warm", "workload=decode,encode", "erasures=2", *SHORT,
                              *ISA_AND_RS,
                               "--output", self.run_file, "--format", "json")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([(line["workload"], line["erasures"], line["k"]) for line in lines],
                         [("encode", 0, 2), ("encode", 0, 2), ("encode", 0, 4), ("encode", 0, 4), ("decode", 2, 2),
                          ("decode", 2, 4)])
        schema = jsonschema.Draft202012Validator(json.loads(scene.run(scene.mode("contenders", "--schema")).stdout))
        for line in lines:
            schema.validate(line)
            figures = {name: of["gb_per_s"] for name, of in line["libraries"].items()}
            self.assertEqual(set(figures), {"isa", "jerasure RS"})
            self.assertIn(line["fastest"], [None] if line["inconclusive"] else figures)
            self.assertGreater(line["limit_gb_per_s"], 0)

    def test_compare_reads_the_run_file(self):
        self.measured()
        lines = [json.loads(line) for line in self.run_file.read_text("utf-8").splitlines()]
        qualifying = [line for line in lines if line.get("stage") or line["record"] == "point"]
        self.assertEqual({line["id"] for line in qualifying if line["record"] == "row"}, {line["id"] for line in qualifying})
        self.assertEqual([line["record"] for line in lines if line not in qualifying and not line.get("again")],
                         ["run", "plan", *["row"] * 18, "end"])
        other = self.folder / "other.jsonl"
        other.write_bytes(self.run_file.read_bytes())
        compared = scene.run(scene.mode("compare", self.run_file, other))
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.assertIn("jerasure", compared.stdout)

    def test_a_finished_run_is_printed_again_without_the_program(self):
        first = self.measured().stdout
        self.page.unlink(missing_ok=True)
        again = self.ask("--resume", self.run_file, ecbench="/no/such/program")
        self.assertEqual((again.returncode, again.stdout), (0, first), again.stderr)
        self.assertEqual(self.page.exists(), scene.HAS_PAGES)

    def test_if_a_library_has_several_profiles_the_chosen_one_is_printed(self):
        text = self.printed(*ONE_CASE, *SHORT, "library=jerasure-xor", "--output", self.run_file).stdout
        self.assertRegex(text, r"\n  4\+2  4 KiB +\*[\d.]+!? +[\d.]+!? +(cg8|l8t|br6|lib7):\d+\n")
        records = [json.loads(line) for line in self.run_file.read_text("utf-8").splitlines()]
        (plan,) = (record for record in records if record["record"] == "plan")
        (tried,) = plan["tried"].values()
        self.assertGreater(len(tried), 4)

    def test_overwrites_are_cases_of_libraries_that_support_them(self):
        words = ["k=4", "m=2", "size=4k", "cache=warm", "workload=overwrite", "changed=1,2,9", "library=isa,simd"]
        text = self.printed(*words, *SHORT, "--output", self.run_file).stdout
        for changed in (1, 2):
            self.assertRegex(text, rf"(?m)^overwrite {changed}, warm: GB/s\n  k\+m  object +isa +simd +limit\n  4\+2  4 KiB .* -$")
        self.assertNotIn("overwrite 9", text)
        self.assert_refused(self.ask("k=4", "workload=overwrite", "changed=5"), "changed=5", "changed= must be at most k")

    def test_isal_adds_a_column(self):
        library = scene.libisal()
        (self.folder / "isal").mkdir()
        shutil.copy2(library, self.folder / "isal")
        (self.folder / "isal" / "libisal.so.2").symlink_to(library.name)
        text = self.measured("--isal", self.folder / "isal").stdout
        self.assertRegex(text, r"(?m)^encode, warm: GB/s\n  k\+m  object +isa +jerasure RS +isa \d+\.\d+ +limit\n")
        self.assertRegex(text, rf"\n  isa \d+\.\d+: .*{re.escape(str(self.folder))}/isal/")

    def test_plugins_that_are_not_built_are_left_out_with_one_line(self):
        plugins = self.folder / "plugins"
        plugins.mkdir()
        (plugins / "libec_isa.so").symlink_to(scene.PLUGINS / "libec_isa.so")
        self.environment["ECBENCH_PLUGIN_DIR"] = plugins
        result = self.printed(*ONE_CASE, *SHORT, "library=isa,rs-simd,rs-erasure", "--output", self.run_file)
        told = "not built and left out: rs-erasure, rs-simd; run make contenders"
        self.assertIn(told, result.stderr)
        self.assertIn(told, result.stdout)
        self.assert_refused(self.ask(*ONE_CASE, "library=klauspost"), "nothing is left to compare", "make contenders")


class BenchSh(Contenders):
    def test_it_continues_without_plugins_that_cannot_be_built(self):
        tree = self.folder / "a clone"
        (tree / "build").mkdir(parents=True)
        shutil.copy2(scene.SOURCE / "bench.sh", tree)
        scene.copy_scripts(tree)
        self.write_program("a clone/scripts/install-deps.sh", "#!/bin/sh\n")
        self.write_program("bin/make", '#!/bin/sh\necho "making $4"\n[ "$4" = all ]\n')
        words = ["contenders", "--ecbench", scene.FAKE, *ONE_CASE, *SHORT, *ISA_AND_RS, "--output", self.run_file]
        changes = {**self.environment, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        result = scene.run([tree / "bench.sh", *words], env=changes, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.splitlines()[:3], [
            "making all", "making contenders",
            "ecbench: the mode contenders continues without the plugins that could not be built"])
        self.assertIn("fastest, encode, warm", result.stdout)

    def test_help_builds_nothing(self):
        result = scene.run([scene.SOURCE / "bench.sh", "contenders", "--help"])
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("--isal DIR", result.stdout)


class Errors(Contenders):
    @unittest.skipUnless(scene.HAS_PAGES, "matplotlib or jinja2 is not installed")
    def test_a_page_of_another_program_is_not_overwritten(self):
        self.page.write_text("mine")
        self.assert_refused(self.ask(*ONE_CASE, *SHORT, "--output", self.run_file), "not overwritten")
        self.assertFalse(self.run_file.exists())

    def test_wrong_bytes_have_exit_code_2_and_no_figure(self):
        broken = self.write_program("ecbench", f"""#!/usr/bin/env bash
            if [[ "$*" == *"--plugin isa --workload encode"* ]]; then
              echo "ecbench: chunk 4 is wrong" >&2
              exit 2
            fi
            exec '{scene.FAKE}' "$@"
            """)
        result = self.ask(*ONE_CASE, *SHORT, *ISA_AND_RS, "--output", self.run_file, ecbench=broken)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("WRONG BYTES in 6 measurements", result.stderr)
        self.assertRegex(result.stdout, r"(?m)^encode, warm: GB/s\n  k\+m  object +jerasure RS +limit\n")

    def interrupt(self, *args):
        """Interrupts a run with one case after half of its measurements. Returns the stderr of the run."""
        self.invent({"at": 7, "signal": signal.SIGINT})
        result = self.ask(*ONE_CASE, *SHORT, "--output", self.run_file, *args)
        self.invent()
        self.assertEqual(result.returncode, 130, result.stderr)
        self.assertRegex(result.stdout, r"\Aprovisional: at most \d of 6 rounds, 1 of 1 cases\nencode, warm: GB/s\n")
        return result.stderr

    def test_an_interrupted_run_is_resumed(self):
        stderr = self.interrupt("library=isa")
        go_on = f"./bench.sh contenders --resume '{self.run_file}'"
        self.assertRegex(stderr, rf"interrupted after 6 of 12 measurements; continue with: {re.escape(go_on)}( --ecbench .*)?\n")
        kept = self.run_file.read_bytes()
        result = self.printed("--resume", self.run_file)
        self.assertTrue(self.run_file.read_bytes().startswith(kept))
        self.assertRegex(result.stdout, r"\n  4\+2  4 KiB +\*[\d.]+!? +[\d.]+!?\n")

    def test_an_interrupted_run_needs_its_codec_library(self):
        isal, elsewhere = self.folder / "isal", self.folder / "elsewhere"
        isal.mkdir()
        shutil.copy(scene.libisal(), isal / "libisal.so.2")
        self.interrupt("library=isa", "--isal", isal)
        kept = self.run_file.read_bytes()
        isal.rename(elsewhere)
        self.assert_refused(self.ask("--resume", self.run_file), "--isal", str(isal))
        self.assert_refused(self.ask("--resume", self.run_file, "--isal", elsewhere), "--isal", str(isal))
        self.assert_refused(self.ask("--resume", self.run_file, "--isal", isal), "is not a directory")
        self.assertEqual(self.run_file.read_bytes(), kept)
        elsewhere.rename(isal)
        self.assertNotIn("failed", self.printed("--resume", self.run_file, "--isal", isal).stderr)

    def test_other_modes_and_damaged_runs_are_refused(self):
        self.measured()
        header, plan, *rows, _ = self.run_file.read_text().splitlines(keepends=True)
        sweep = scene.mode("run", "--ecbench", scene.FAKE, "--resume", self.run_file)
        self.assert_refused(scene.run(sweep, env=self.environment), "bench.sh contenders")
        broken = json.loads(header)
        del broken["options"]["cpus"]
        self.run_file.write_text(json.dumps(broken) + "\n" + plan + "".join(rows))
        self.assert_refused(self.ask("--resume", self.run_file), "cannot be resumed", "cpus")


if __name__ == "__main__":
    scene.main()
