"""bench.sh 8+3 4M with invented times: one screen with a bar for each code, the answer, and the commands that follow."""

import re
import signal

import scene

WORDS = ["4+2", "64K", "--ecbench", scene.FAKE, "--min-time", "0.001", "--seed", "1"]
ANSWER = r"^(sure|likely|unsure): "


class Screen(scene.Scene):
    def show(self, *words, **environment):
        return scene.ask(*WORDS, *words, env=environment)

    def test_a_pipe_gets_24_plain_lines_that_end_with_the_answer(self):
        self.invent({"if": {"technique": "reed_sol_van", "plugin": "isa"}, "speed": 1.2})
        for language in ("C.UTF-8", "C"):
            result = self.succeeded(self.show(LANG=language, LC_ALL=language))
            lines = result.stdout.splitlines()
            self.assertLessEqual(len(lines), 24)
            self.assertLessEqual(max(map(len, lines)), 80)
            self.assertNotIn("\x1b", result.stdout)
            self.assertRegex(lines[0], r"^4\+2, 64 KiB, stripe unit 16 KiB: \d+ s, 6 rounds, noise ±\d+ %$")
            self.assertRegex(result.stdout, r"\nisa reed_sol_van +[\d.]+ ±\d+% +[█-▏]+ +[\d.]+ +[\d.]+ +default\n")
            self.assertRegex(result.stdout, r"\nother libraries, same work:\nsimd reed_sol_van ")
            self.assertRegex(result.stdout, r"\nroofline +\d+ +█+\n")
            self.assertRegex(result.stdout, r"\nset: +ceph osd erasure-code-profile set fastest-isa-reed_sol_van-4-2-16384\s")
            self.assertRegex(result.stdout, r"\nnext: ./bench.sh tune k=4 m=2 size=64K stripe-unit=16K\n")
            self.assertRegex(result.stdout, r"\nsure: isa reed_sol_van is the fastest to encode\s+\(2\d % faster than isa\s+"
                             r"cauchy\)\n$")

    def test_no_line_wraps(self):
        self.invent()
        self.show("--output", self.folder / "run.jsonl")
        for width in (60, 80, 120):
            result = scene.ask("run", "--resume", self.folder / "run.jsonl", env={"COLUMNS": width})
            lines = result.stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), max(width, max(map(len, result.stdout.split()))), result.stdout)
            self.assertLessEqual(len(lines), 24)
            self.assertEqual("cores/100G" in lines[1], width > 60)

    def test_colours_only_on_a_terminal(self):
        self.invent()
        self.show("--output", self.folder / "run.jsonl")
        command = scene.mode("run", "--resume", self.folder / "run.jsonl")
        for name, coloured in (("NO_COLOR", False), ("OTHER", True)):
            output = scene.run_on_terminal(command, {"TERM": "xterm", name: "1"}).stdout
            self.assertEqual("\x1b[1msure: " in output or "\x1b[1mlikely: " in output, coloured, output)

    def test_the_answer_comes_at_any_time(self):
        for at in (1, 2, 9, 20):
            self.forget()
            self.invent({"at": at, "signal": signal.SIGINT}, {"if": {"plugin": "isa", "technique": "cauchy"}, "speed": 1.03})
            result = self.show()
            self.assertEqual(result.returncode, 130, result.stderr)
            last = [line for line in result.stdout.splitlines() if re.match(ANSWER, line)]
            self.assertEqual(len(last), 1, result.stdout)
            self.assertNotIn("failed", result.stdout)
            self.assertIn("set fastest-isa-reed_sol_van-" if at > 2 else "", result.stdout, "the default, on a tie")
            self.assertIn("--resume ", result.stdout if at < 9 else result.stderr)

    def test_a_code_that_failed_is_named(self):
        self.invent({"if": {"plugin": "isa", "technique": "cauchy"}, "fail": "killed"})
        self.assertRegex(self.succeeded(self.show()).stdout, r"\nunsure: .*\n? *.*isa cauchy.*\s+failed")
