"""bench.sh recovery and firefly, with the real program: figures that are counted are the article's; speeds are there for what is
there."""

import re

import scene

PYTHON = ["/usr/bin/python3", "-E", "-s"]
SHORT = ["--rounds", "1", "--min-time", "0.001", "--seed", "1"]


class Program(scene.Scene):
    def ask(self, mode, *args):
        command = [*PYTHON, scene.SOURCE / "scripts" / "mode.py", mode, "--ecbench", scene.ECBENCH, *args]
        return scene.run(command, env={"ECBENCH_LOCK_DIR": self.folder, "ECBENCH_PLUGIN_DIR": None}, timeout=300)

    def printed(self, mode, *args):
        result = self.ask(mode, *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def row(self, text, *cells):
        pattern = r"^ +" + r" +".join(map(re.escape, cells)) + r"( |$)"
        self.assertRegex(text, re.compile(pattern, re.MULTILINE))


class Recovery(Program):
    def test_counts_what_the_article_printed(self):
        for backend in ("isa", "jerasure"):
            result = self.printed("recovery", "--counts-only", "--backend", backend)
            text = result.stdout
            self.row(text, "4", "2", "4", "4", "2.500", "3.000")
            self.row(text, "9", "3", "9", "9", "3.667", "4.333")
            self.row(text, "16", "4", "16", "16", "4.750", "5.500")
            self.row(text, "6", "4", "3", "2", "60 %", "0.500/0.748", "0.50/0.74", "all", "all", "91.7 %")
            self.assertIn("70 of 70 figures are the article's", text)
            self.assertEqual(result.stderr, "")

    def test_local_codes_that_break_cephs_rules_are_refused_with_the_nearest(self):
        text = self.printed("recovery", "--counts-only").stdout
        unwrapped = " ".join(text.split())
        self.assertRegex(unwrapped, r"k=8 m=4 l=4 is refused: l=4 .*; the nearest that are sound: 8/4/3, 8/4/6 ")
        self.assertRegex(unwrapped, r"k=16 m=4 l=4 is refused: l=4 .*; the nearest that are sound: 16/4/5, 16/4/10 ")
        self.row(text, "LRC 8/4/4 by layers", "15", "1.875")

    def test_measures_each_code(self):
        result = self.printed("recovery", "--size", "64K", "--cache", "warm", *SHORT)
        self.assertRegex(result.stdout, r"\n +16 +4 +16 +16 +4\.750 +5\.500 +[\d.]+ +\d+\.\d\d +\d+\.\d\d +\d\.\d\d\n")
        self.assertRegex(result.stderr, r"^ecbench: \d+ points are measured in 1 rounds; --seed 1 repeats their order\n$")

    def test_bad_input_is_one_line(self):
        for args, word in ((["--size", "0"], "size=0"), (["--rounds", "0"], "--rounds"), (["--backend", "nosuch"], "nosuch"),
                           (["--nosuch"], "--nosuch"), (["--seed", "-1"], "--seed")):
            self.assert_refused(self.ask("recovery", *args), word)


class Firefly(Program):
    def test_compares_codes_with_copies_at_three_sizes(self):
        text = self.printed("firefly", *SHORT).stdout
        self.assertEqual(re.findall(r"^(.*) objects; EC: jerasure reed_sol_van, stripe unit 4 KiB; warm$", text, re.MULTILINE),
                         ["4 MiB", "128 KiB", "4 KiB"])
        self.row(text, "EC 4+1", "EC 6+2", "EC 10+3", "2x", "3x")
        self.row(text, "stored / object", "5", "8", "13", "2", "3")
        self.row(text, "healthy read", *["no code"] * 5)
        self.assertRegex(text, r"\n +degraded read GB/s( +[\d.]+){3}  +no code +no code\n")

    def test_what_cannot_be_compared_is_refused(self):
        for args, word in ((["--plugin", "nosuch"], "nosuch"), (["--technique", "cauchy_good"], "padding"),
                           (["--parameter", "k=3"], "k=3"), (["--min-time", "x"], "--min-time")):
            self.assert_refused(self.ask("firefly", *args), word)


if __name__ == "__main__":
    scene.main()
