"""bench.sh with programs that refuse points, crash, print wrong figures or are not ecbench, and interrupts."""

import os
import shlex
import signal
import subprocess

import scene
from bench_scene import BENCH, OURS, bench, copy_of_tree, rows_of
from process_end_scene import has_ended

TWO_ROWS = {"SIZE": 4096, "ITERATIONS": 1, "PLUGINS": "example"}
ISA = {"SIZE": 4096, "ITERATIONS": 1, "PLUGINS": "isa", "TECHNIQUES": "cauchy"}


class Trouble(scene.Scene):
    def test_a_refused_row_prints_a_line_and_the_table_continues(self):
        variables = {"PLUGINS": "jerasure", "TECHNIQUES": "liberation", "PARAMETERS": "--parameter w=5"}
        result = self.succeeded(bench(SIZE=4096, ITERATIONS=1, **variables))
        self.assertEqual({row["k"] for row in rows_of(result.stdout)}, {"3", "4"})  # k=6 is larger than w=5, so it is refused
        refused = [line for line in result.stderr.splitlines() if "refused" in line]
        self.assertEqual(len(refused), 2, result.stderr)  # the first refusal, and the total
        self.assertIn("6+2", refused[0])
        self.assertIn("in total, 6 rows were refused", refused[1])  # 2 packetsizes * 3 numbers of erasures (0, 1, 2)

    def test_a_wrong_word_is_reported_once(self):
        for word in ("--nosuch", "-h"):  # ecbench refuses --nosuch; for -h it prints its help instead of a row
            result = bench(SIZE=4096, PARAMETERS=word, PLUGINS="isa")
            self.assertEqual((result.returncode, rows_of(result.stdout)), (1, []))
            lines = result.stderr.splitlines()
            self.assertEqual(len(lines), 3, result.stderr)
            self.assertIn("in total, 66 rows ", lines[1])

    def test_wrong_bytes_end_the_table(self):
        self.invent({"if": {"k": "4"}, "fail": "wrong_bytes"})
        result = bench(**ISA)
        self.assertEqual(result.returncode, 2)
        self.assertEqual({row["k"] for row in rows_of(result.stdout)}, {"2", "3"})
        self.assertIn("wrong bytes", result.stderr.splitlines()[-1])

    def test_a_crash_prints_a_line_and_the_table_continues_and_fails(self):
        self.invent({"if": {"k": "4"}, "fail": "crash"})
        result = bench(**ISA)
        self.assertEqual(result.returncode, 1)
        self.assertEqual({row["k"] for row in rows_of(result.stdout)}, {"2", "3", "6", "10"})
        self.assertIn("signal 11", result.stderr)

    def test_a_foreign_program_is_called_as_ceph_calls_it(self):
        program = self.write_program("ceph_erasure_code_benchmark", "#!/bin/sh\necho noise\nprintf '0.250000\\t4000000\\n'\n")
        result = self.succeeded(bench(CEPH_ERASURE_CODE_BENCHMARK=program, SIZE=4096, TOTAL_SIZE=4096000000, PLUGINS="isa jerasure",
                                      TECHNIQUES="vandermonde cauchy", PLUGIN_DIRECTORY=self.folder))
        rows = rows_of(result.stdout)
        self.assertEqual(len(rows), 4 * 33)
        for row in rows:
            self.assertEqual((row["seconds"], row["KB"], row["iter."], row["GB/s"]), ("0.250000", "4000000", "1000000", "16.384"))
            self.assertEqual((row["±%"], row["%limit"], row["CPU s/GB"]), ("-", "-", "-"))
            for option in ("--timing", "--min-time"):
                self.assertNotIn(option, row["command."])
            self.assertIn("--parameter packetsize=", row["command."])
            self.assertIn("--parameter jerasure-per-chunk-alignment=true", row["command."])
            self.assertIn("--erasure-code-dir", row["command."])
            self.assertNotIn("--format", row["command."])
        self.assertIn("unknown", result.stderr)  # the compiler is known only for ecbench

    def test_a_foreign_program_gets_enough_iterations(self):
        # Simulates a program that needs 1 us for each iteration. With 512 or fewer iterations, it always needs 20 ms.
        program = self.write_program("ceph", """#!/bin/bash
all="$*"
i=${all#*--iterations } i=${i%% *}
us=$((i <= 512 ? 20000 : i))
printf '%d.%06d\\t%d\\n' $((us / 1000000)) $((us % 1000000)) $((i * 4))
""")
        result = self.succeeded(bench(CEPH_ERASURE_CODE_BENCHMARK=program, SIZE=4096, PLUGINS="example"))
        self.assertEqual(len(rows_of(result.stdout)), 2)
        for row in rows_of(result.stdout):
            self.assertGreaterEqual(float(row["seconds"]), 0.15)
            self.assertLess(float(row["seconds"]), 0.6)
            self.assertEqual(row["KB"], str(4 * int(row["iter."])))

    def test_a_foreign_program_that_reports_no_time_is_given_up(self):
        for seconds in ("0.000000", "0.100000"):
            program = self.write_program("stands", f"#!/bin/sh\nprintf '{seconds}\\t4\\n'\n")
            result = bench(CEPH_ERASURE_CODE_BENCHMARK=program, SIZE=4096, PLUGINS="example")
            self.assertEqual((result.returncode, rows_of(result.stdout)), (1, []))
            self.assertIn("the time that the program printed cannot be right", result.stderr)

    def test_a_foreign_program_that_fails_or_prints_other_text(self):
        refuses = self.write_program("refuses", "#!/bin/sh\necho 'no such plugin' >&2\nexit 234\n")
        result = bench(CEPH_ERASURE_CODE_BENCHMARK=refuses, **TWO_ROWS)
        self.assertEqual((result.returncode, rows_of(result.stdout)), (1, []))
        self.assertEqual(result.stderr.count("no such plugin"), 2)
        babbles = self.write_program("babbles", "#!/bin/sh\necho hello\n")
        result = bench(CEPH_ERASURE_CODE_BENCHMARK=babbles, **TWO_ROWS)
        self.assertEqual((result.returncode, rows_of(result.stdout)), (1, []))
        self.assertEqual(result.stderr.count("hello"), 2)

    def test_a_reader_that_ends_leaves_no_files(self):
        folders = [self.folder / name for name in ("data", "temporary")]
        for folder in folders:
            folder.mkdir()
        env = {**OURS, **ISA, "XDG_DATA_HOME": folders[0], "TMPDIR": folders[1]}
        result = scene.run(["bash", "-c", f"set -o pipefail; cd /; {shlex.quote(str(BENCH))} | head -1"], env=env)
        self.assertEqual((result.returncode, len(result.stdout.splitlines())), (141, 1), result.stderr)
        self.assertEqual([*folders[1].iterdir(), *folders[0].rglob("*.jsonl")], [])

    def test_interrupt_while_building(self):
        tree = copy_of_tree(self.folder / "a clone")
        pids = self.folder / "pids"
        self.write_program("bin/make", """#!/bin/bash
trap 'echo "make: *** Terminated"; exit 1' TERM
echo building; sleep 600 & echo $$ $! > "$PIDS"; wait
""")
        changes = {"PIDS": pids, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}
        for number, code, ignored in [(number, code, False) for number, code in scene.ENDS.items()] + [(signal.SIGINT, 130, True)]:
            pids.unlink(missing_ok=True)
            process = self.start([tree / "bench.sh"], changes, ignored)
            scene.wait_until(lambda: pids.exists() and len(pids.read_text().split()) == 2, "the build did not start")
            children = pids.read_text().split()
            self.addCleanup(subprocess.run, ["kill", "-KILL", *children], stderr=subprocess.DEVNULL, check=False)
            # After the interrupt, bench.sh prints no messages of make.
            self.assertEqual([process.stderr.readline() for _ in range(2)], ["installing\n", "building\n"])
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=60)
            self.assertEqual((process.returncode, stdout), (code, ""), stderr)
            self.assertEqual(stderr, "ecbench: interrupted while building\n")
            scene.wait_until(lambda: all(map(has_ended, children)), f"one of {children} has not ended")  # noqa: B023

    def start(self, args, changes, ignores_interrupts):
        """Starts a program. If `ignores_interrupts`, the program ignores SIGINT, like a background job of a shell."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignores_interrupts else signal.SIG_DFL)
        try:
            process = self.enterContext(scene.start(args, changes, start_new_session=True))
        finally:
            signal.signal(signal.SIGINT, before)
        self.addCleanup(process.kill)
        return process
