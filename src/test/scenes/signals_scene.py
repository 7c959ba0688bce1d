"""After one or two signals at any moment, each mode ends with exit code 130 or 143 and one line about the interruption. It leaves
no temporary files. If the mode has already finished, the signals change nothing."""

import pathlib
import random
import shutil
import signal
import sys
import time

import scene

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "page"))

import synthetic_run

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
TIMES = 6
LONGEST_DELAY = 0.4  # seconds
DELAYS_BETWEEN = (0, 0, 0.0005, 0.01)


class Signals(scene.Scene):
    def check(self, *words, times=TIMES, longest=LONGEST_DELAY):
        generator = random.Random()
        temporary = self.folder / "temporary files"
        temporary.mkdir(exist_ok=True)
        for _ in range(times):
            delay, between = generator.uniform(0, longest), generator.choice(DELAYS_BETWEEN)
            numbers = generator.choices(list(EXIT_CODES), k=2)
            # bench.sh and an installed ecbench start Python in the same way, with blocked signals.
            signal.pthread_sigmask(signal.SIG_BLOCK, EXIT_CODES)
            process = scene.start(scene.mode(*words), {"TMPDIR": temporary})
            signal.pthread_sigmask(signal.SIG_UNBLOCK, EXIT_CODES)
            time.sleep(delay)
            for number in numbers:
                process.send_signal(number)
                time.sleep(between)
            _, stderr = process.communicate(timeout=60)
            with self.subTest(words=words, delay=delay, between=between, numbers=numbers):
                self.assertNotRegex(stderr, "Traceback|Exception ignored|Fatal")
                self.assertEqual(list(temporary.iterdir()), [])
                told = [line for line in stderr.splitlines() if line.startswith("ecbench: interrupted")]
                if process.returncode != 0:
                    self.assertIn(process.returncode, {EXIT_CODES[number] for number in numbers}, stderr)
                    self.assertEqual(len(told), 1, stderr)

    def runs(self):
        paths = [self.folder / "a.jsonl", self.folder / "b.jsonl"]
        for path in paths:
            synthetic_run.write_run(path, synthetic_run.points(sizes=(4096, 131072), packetsizes=(512, 3072)))
        return paths

    def test_modes_that_only_read_runs(self):
        a, b = self.runs()
        self.check("compare", a, b, times=4 * TIMES)
        (self.folder / "fleet" / "synthetic").mkdir(parents=True)
        a.rename(self.folder / "fleet" / "synthetic" / "run.jsonl")
        self.check("fleet", "report", self.folder / "fleet")
        if scene.HAS_PAGES:
            self.check("report", b, "--output", self.folder / "b.html", longest=1.5)
            known = {"fleet", "b.jsonl", "b.html", "b.md", "measuring.lock", "temporary files"}
            self.assertEqual({path.name for path in self.folder.iterdir()} - known, set())

    def test_modes_that_measure(self):
        for words in (["run", "plugin=isa", "k=4", "m=2", "size=4K", "--repetitions", "3", "--min-time", "0.05"],
                      ["tune", "k=4", "m=2", "size=4K", "plugin=isa"],
                      ["plan", "hosts=8", "drives=4x1T", "k=4", "m=2", "plugin=isa", "--min-time", "0.05"],
                      ["conformance", "hashes", "k=4", "m=2", "plugin=isa"],
                      ["gate", "ab", scene.BUILD, scene.BUILD, "--grid", "plugin=isa k=4 m=2 size=4K workload=encode"]):
            self.check(*words, *([] if words[0] == "gate" else ["--ecbench", scene.ECBENCH]))
        if shutil.which("valgrind"):
            self.check("profile", "callgrind", "--ecbench", scene.ECBENCH, "--", "-p", "isa", "-s", "4K", longest=1)


if __name__ == "__main__":
    scene.main()
