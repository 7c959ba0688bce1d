"""Runs bench.sh recovery and bench.sh firefly with the real program. Figures that are counted, such as the chunks
that a repair reads, must be equal to the figures in the article "Erasure Code in Ceph: costs and benefits". Speeds must be printed
for all codes that ecbench can create."""

import collections
import json
import re
import signal

import scene

SHORT = ["--rounds", "1", "--min-time", "0.001", "--seed", "1"]


class Program(scene.Scene):
    def ask(self, mode, *args):
        return scene.run(scene.mode(mode, "--ecbench", scene.ECBENCH, *args),
                         env={"ECBENCH_PLUGIN_DIR": None}, timeout=300)

    def printed(self, mode, *args):
        result = self.ask(mode, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def row(self, text, *cells):
        pattern = r"^ +" + r" +".join(map(re.escape, cells)) + r"( |$)"
        self.assertRegex(text, re.compile(pattern, re.MULTILINE))


class Interrupted(Program):
    """A run that was killed or interrupted can be continued. After that, the run file contains each measurement exactly once."""

    def setUp(self):
        super().setUp()
        self.run_file = self.folder / "a run.jsonl"
        self.environment = {"ECBENCH_PLUGIN_DIR": None}

    def begin(self, mode, number, *args):
        """Starts a run, and sends signal `number` to it after a few measurements. Returns its exit code and stderr."""
        command = scene.mode(mode, *args, "--ecbench", self.counting_program(), "--output", self.run_file)
        process = scene.start(command, self.environment)
        self.wait_for_lines(self.run_file, 5)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(stdout, "")
        return process.returncode, stderr

    def resume(self, mode, *args):
        (self.folder / "hurry").touch()
        result = scene.run(scene.mode(mode, "--resume", self.run_file, *args), env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def assert_each_once(self, rounds):
        records = [json.loads(line) for line in self.run_file.read_text().splitlines()]
        found = collections.Counter((record["id"], record["repetition"], record.get("again", False)) for record in records
                                    if record["record"] == "row")
        wanted = {(point["id"], number, False) for point in records[0]["points"] for number in range(rounds)}
        self.assertEqual({key for key in found if not key[2]}, wanted)
        self.assertEqual(set(found.values()), {1})
        self.assertEqual(records[-1]["record"], "end")
        self.assertLessEqual(self.measured(), len(found) + 1)  # + 1: the interrupted measurement is counted twice

    def test_recovery_killed(self):
        args = ["size=4K", "cache=warm", "--rounds", "1", "--min-time", "0.001"]
        self.begin("recovery", signal.SIGKILL, *args)
        stdout = self.resume("recovery").stdout
        self.assertRegex(stdout, r"\n +16 +4 +16 +16 +4\.750 +5\.500 +[\d.]+ +[\d.]+ +\d+\.\d\d!? +\d+\.\d\d!? +\d\.\d\d\n")
        self.assertIn("4 KiB objects, warm", stdout)
        self.assert_each_once(1)
        self.assertEqual(self.resume("recovery").stdout, stdout, "--resume printed other tables for the finished run")

    def test_an_interrupt_says_how_to_continue(self):
        code, stderr = self.begin("recovery", signal.SIGINT, "size=4K", "cache=warm", "--rounds", "1", "--min-time", "0.001")
        self.assertEqual(code, 130)
        self.assertIn("continue with: ./bench.sh recovery --resume", stderr.splitlines()[-1])
        for mode, args, words in (("recovery", ["cache=cold"], ["key=values"]), ("run", [], ["bench.sh recovery --resume"]),
                                  ("contenders", [], ["bench.sh recovery --resume"])):
            with self.subTest(mode=mode):
                self.assert_refused(self.ask(mode, "--resume", self.run_file, *args), *words)
        self.resume("recovery")
        self.assert_each_once(1)


class Recovery(Program):
    def test_counts_are_those_of_the_article(self):
        for backend in ("isa", "jerasure"):
            result = self.printed("recovery", "--counts-only", f"backend={backend}")
            text = result.stdout
            self.row(text, "4", "2", "4", "4", "2.500", "3.000")
            self.row(text, "9", "3", "9", "9", "3.667", "4.333")
            self.row(text, "16", "4", "16", "16", "4.750", "5.500")
            self.row(text, "6", "4", "3", "2", "60 %", "0.500/0.748", "0.50/0.74", "all", "all", "91.7 %")
            self.assertIn("70 of 70 figures are equal to those of the article", text)
            self.assertEqual(result.stderr, "")

    def test_local_codes_that_break_cephs_rules_are_refused_with_the_nearest(self):
        text = self.printed("recovery", "--counts-only").stdout
        unwrapped = " ".join(text.split())
        self.assertRegex(unwrapped, r"k=8 m=4 l=4 is refused: l=4 .*; the nearest valid profiles: 8/4/3, 8/4/6 ")
        self.assertRegex(unwrapped, r"k=16 m=4 l=4 is refused: l=4 .*; the nearest valid profiles: 16/4/5, 16/4/10 ")
        self.row(text, "LRC 8/4/4 by layers", "15", "1.875")

    def test_measures_each_code(self):
        result = self.printed("recovery", "size=64k", "cache=warm", *SHORT)
        self.assertRegex(result.stdout, r"\n +16 +4 +16 +16 +4\.750 +5\.500 +[\d.]+ +[\d.]+ +\d+\.\d\d!? +\d+\.\d\d!? +\d\.\d\d\n")
        self.assertRegex(result.stderr,
                         r"^ecbench: \d+ points are measured in 1 rounds; this takes about .*; --seed 1 repeats the order of "
                         r"measurements\n$")

    def test_accepts_any_k_and_m(self):
        result = self.printed("recovery", "k=8", "m=1,3", "--counts-only")
        self.row(result.stdout, "8", "3", "8", "8", "3.333", "4.000")
        self.row(result.stdout, "8", "3", "5.33", "2", "73 %")
        self.assertIn("k=8 m=1 has no LRC with l < k+m: l=3 is not allowed", result.stdout)
        self.assertIn("k=8 m=3 has no LRC with l < k+m: k+m=11 is not a multiple of any l from 2 to 10", result.stdout)
        self.assertIn("SHEC 8+1 is left out: no c is below m=1; give c=1 to include it", result.stderr)
        self.assertNotIn("article", result.stdout)
        text = self.printed("recovery", "k=6", "m=3", "c=2", "l=3", "size=4K,8k", "cache=warm", *SHORT).stdout
        self.row(text, "6", "3", "3", "1.5", "67 %")
        self.row(text, "LRC 6/3/3", "12", "2.000", "3.000", "3.667")
        self.assertEqual(re.findall(r"^(.*) objects, warm$", text, re.MULTILINE), ["4 KiB", "8 KiB"])

    def test_bad_input_prints_one_line(self):
        for args, word in ((["size=0"], "size=0"), (["--rounds", "0"], "--rounds"), (["backend=nosuch"], "nosuch"),
                           (["--size", "4K"], "write size="), (["l=4"], "k and m are missing"), (["k=7"], "m is missing"),
                           (["--nosuch"], "--nosuch"), (["--seed", "-1"], "--seed")):
            self.assert_refused(self.ask("recovery", *args), word)


class Firefly(Program):
    def test_compares_codes_with_copies(self):
        text = self.printed("firefly", "size=4K,64K", *SHORT).stdout
        self.assertEqual(re.findall(r"^size (.*)$", text, re.MULTILINE), ["4 KiB", "64 KiB"])
        self.row(text, "workload", "4+1", "6+2", "10+3", "2x", "3x")
        self.row(text, "stored / object", "5.00", "8.00", "13.0", "2.00", "3.00")
        self.row(text, "stored / object (Tentacle)", "2.00", "3.00", "4.00", "2.00", "3.00")
        self.assertRegex(text, r"\n +decode +GB/s( +[\d.]+!?){3} +- +-\n")
        self.assertRegex(text, r"\n +scrub +GB/s( +[\d.]+!?){5}\n +objects/s( +\d+){5}\n")

    def test_takes_other_codes_and_keeps_the_copies(self):
        text = self.printed("firefly", "8+3", "plugin=isa", "size=64K", "stripe-unit=4k", *SHORT).stdout
        self.row(text, "workload", "8+3", "2x", "3x")


if __name__ == "__main__":
    scene.main()
