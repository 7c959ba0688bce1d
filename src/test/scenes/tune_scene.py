"""bench.sh tune races real codes: the table, the lines that measure and use the winner, who is left out, and what is refused."""

import json
import shlex
import signal
import subprocess
import sys

import scene

TUNE = [sys.executable, "-E", "-s", scene.SOURCE / "scripts" / "mode.py", "tune", "--ecbench", scene.ECBENCH]


class Race(scene.Scene):
    def tune(self, *arguments, program=None, timeout=120):
        command = TUNE if program is None else [*TUNE[:-1], program]
        return scene.run([*command, *arguments], env={"ECBENCH_LOCK_DIR": self.folder}, timeout=timeout)

    def test_ends_with_a_table_and_lines_that_run(self):
        result = self.tune("k=4", "m=2", "size=4K", "plugin=jerasure", "technique=reed_sol_van,blaum_roth", "w=8,6,7",
                           "packetsize=64", "max-padding=100", "--seed", "5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("cannot recover 1 of 15 losses of 2 chunks (jerasure blaum_roth packetsize=64 w=7)", result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0].split()[:4], ["plugin", "technique", "parameters", "GB/s"])
        self.assertTrue(lines[1].startswith("=  jerasure"), lines[1])
        measured = [line.strip() for line in lines if " --workload " in line]
        self.assertEqual(len(measured), 2)
        for line in measured:
            again = scene.run(["sh", "-c", f"{line} --iterations 1 --format json"])  # as a user pastes it, with ~
            self.assertEqual(again.returncode, 0, again.stderr)
            row = json.loads(again.stdout)
            self.assertEqual((row["k"], row["m"], row["size"]), (4, 2, 4096))
            self.assertEqual(row["erasures"], 2 if row["workload"] == "decode" else 0)
        profile = next(line.split() for line in lines if line.startswith("  ceph osd erasure-code-profile set "))
        self.assertEqual(profile[5:8], ["plugin=jerasure", "k=4", "m=2"])

    def test_every_plugin_takes_part_and_nothing_is_measured(self):
        result = self.tune("k=2", "m=1", "size=4K", "--dry-run")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual({line.split()[0] for line in result.stdout.splitlines()} & {"example", "isa", "jerasure"},
                         {"example", "isa", "jerasure"})

    def test_a_candidate_that_crashes_leaves_and_the_others_race_on(self):
        program = self.write_program("ecbench", f"""#!/bin/sh
case "$*" in
  *--min-time*technique=cauchy*|*technique=cauchy*--min-time*) kill -SEGV $$ ;;
  *) exec {shlex.quote(str(scene.ECBENCH))} "$@" ;;
esac
""")
        result = self.tune("k=2", "m=2", "size=4K", "plugin=isa", "workload=encode", program=program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len([line for line in result.stderr.splitlines() if "ended by signal 11" in line]), 1, result.stderr)
        self.assertIn("isa reed_sol_van is the fastest", result.stdout)

    def test_bad_input_is_refused(self):
        for arguments, said in (([], "k is missing"), (["k=4"], "m is missing"), (["k=4", "m=2", "size=0"], "size=0"),
                                (["k=0", "m=2"], "k=0"), (["k=4", "m=2", "--target-ci", "x"], "x is not allowed"),
                                (["k=4", "m=2", "colour=red"], "colour"), (["k=4", "m=2", "plugin=nosuch"], "plugin=nosuch"),
                                (["k=4", "m=2", "--target-ci", "0"], "--target-ci"), (["k=4", "m=2", "--frob"], "--frob")):
            with self.subTest(arguments):
                self.assert_refused(self.tune(*arguments), said)

    def test_a_full_disk_is_told(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([*map(str, TUNE), "k=2", "m=1", "plugin=example", "--dry-run"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (1, "ecbench: standard output: No space left on device\n"))

    def test_nobody_left_says_why(self):
        result = self.tune("k=3", "m=2", "plugin=jerasure", "technique=blaum_roth", "w=7", "packetsize=64")
        self.assert_refused(result, "no profile is left to race", "cannot recover")

    def test_an_interrupt_ends_it_in_one_line_and_two_do_not_race_at_once(self):
        command = [str(word) for word in [*TUNE, "k=4", "m=2", "plugin=jerasure"]]
        with subprocess.Popen(command, env=scene.environment({"ECBENCH_LOCK_DIR": self.folder}), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                for line in process.stderr:
                    if "profiles race" in line:
                        break
                second = self.tune("k=2", "m=1", "plugin=example")
                self.assertEqual((second.returncode, second.stdout), (1, ""))
                self.assertIn("another one measures on this machine", second.stderr)
                process.send_signal(signal.SIGINT)
                stdout, stderr = process.communicate(timeout=60)
            finally:
                process.kill()
        self.assertEqual((process.returncode, stdout), (130, ""))
        self.assertEqual(stderr.splitlines()[-1], "ecbench: interrupted: a race that is not over has no winner")


if __name__ == "__main__":
    scene.main()
