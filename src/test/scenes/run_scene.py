"""A run of bench.sh run has a row or a failure for each planned measurement."""

import collections
import contextlib
import json
import os
import shlex
import shutil
import signal

import scene

SMALL = "plugin=example size=4K"
TINY = ("--min-time", "0.001")


class Run(scene.Scene):
    def setUp(self):
        super().setUp()
        self.run_file = self.folder / "a run.jsonl"

    def measure(self, *arguments, program=scene.FAKE):
        return scene.ask("run", "--ecbench", program, *arguments)

    def assert_once_each(self, repetitions):
        """An end record, and each repetition of each point once. Second measurements because of warnings do not count."""
        records = [record for record in scene.records_of(self.run_file) if not record.get("again")]
        found = collections.Counter((record["id"], record["repetition"]) for record in records
                                    if record["record"] in ("row", "failure"))
        wanted = {(point["id"], repetition) for point in records[0]["points"] for repetition in range(repetitions)}
        self.assertEqual(found, collections.Counter(wanted))
        self.assertEqual(records[-1]["record"], "end")
        return records

    def test_run_has_every_point_in_a_random_order_that_the_seed_repeats(self):
        arguments = ("plugin=isa technique=cauchy k=2,3 m=2 size=1K,4K erasures=1,2", *TINY, "--seed", "7")
        result = self.succeeded(self.measure(*arguments, "--output", self.run_file))
        self.assertRegex(result.stdout, r"12 points, \d+ rows, 0 failures")
        self.assertIn("95 % intervals at 4 KiB: ±", result.stdout)
        records = self.assert_once_each(2)
        header, rows = records[0], records[1:-1]
        self.assertEqual((header["format"], header["seed"], header["repetitions"]), ("ecbench run 2", 7, 2))
        self.assertEqual(len(header["points"]), 12)
        for row in rows:
            self.assertEqual(row["cpus"], header["options"]["cpus"])
            point = next(entry["point"] for entry in header["points"] if entry["id"] == row["id"])
            self.assertEqual({key: row[key] for key in ("plugin", "profile", "workload", "size", "erasures", "cache", "timing")},
                             {key: point[key] for key in ("plugin", "profile", "workload", "size", "erasures", "cache", "timing")})
        order = [row["id"] for row in rows]
        self.assertNotEqual(order[:12], [entry["id"] for entry in header["points"]])
        self.run_file = self.folder / "again.jsonl"
        self.assertEqual(self.measure(*arguments, "--output", self.run_file).returncode, 0)
        self.assertEqual([row["id"] for row in self.assert_once_each(2)[1:-1]], order)

    def test_dry_run_prints_the_points_and_measures_nothing(self):
        result = self.succeeded(self.measure("plugin=jerasure technique=cauchy_good,liber8tion k=4 m=2,3 packetsize=64..256*2",
                                             "size=4K", "--dry-run", "--output", self.run_file))
        lines = [line.split("\t") for line in result.stdout.splitlines()]
        self.assertEqual(lines[0], ["id", "chunk size", "padding %", "point"])
        self.assertEqual(len({line[0] for line in lines[1:]}), 18)
        self.assertIn("dropped 6 combinations, such as ", result.stderr)
        self.assertIn("18 points, 2 times each", result.stderr)
        self.assertFalse(self.run_file.exists())

    def faulty(self, cases):
        """FAKE, except for commands with these words."""
        lines = "".join(f"  *{words}*) {action} ;;\n" for words, action in cases.items())
        return self.write_program("faulty", f"""#!/bin/sh
set -- {shlex.quote(str(scene.FAKE))} --erasure-code-dir {shlex.quote(str(scene.PLUGINS))} "$@"
case "$*" in
{lines}esac
exec "$@"
""")

    def kill_what_is_left(self):
        for pid in (self.folder / "left").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    def test_a_crash_a_hang_and_a_refusal_lose_one_point_each(self):
        """A child process in another session may keep the pipes open. It does not block the run."""
        self.addCleanup(self.kill_what_is_left)
        leave = f"setsid sleep 300 & echo $! >> {shlex.quote(str(self.folder / 'left'))}"
        actions = {1024: "kill -SEGV $$", 3072: "echo 'ecbench: no such thing' >&2; exit 1", 5120: "echo nonsense; exit 0",
                   6144: f"{leave}; sleep 300", 7168: leave}
        program = self.faulty({f'"--size {size} "*--min-time': action for size, action in actions.items()})
        timeout = "4" if not scene.is_sanitized() else "20"
        result = self.succeeded(self.measure("plugin=isa technique=cauchy k=2 m=1 size=1K..7K+1024 workload=encode", *TINY,
                                             "--rounds", "1", "--timeout", timeout, "--output", self.run_file, program=program))
        kinds = {record["kind"]: record for record in self.assert_once_each(1) if record["record"] == "failure"}
        self.assertEqual(kinds.keys(), {"signal", "timeout", "refused", "failed"})
        self.assertIn("no such thing", kinds["refused"]["why"])
        self.assertIn("signal 11", kinds["signal"]["why"])
        self.assertIn("3 rows, 4 failures", result.stdout)

    def test_rows_that_cannot_be_used_are_failures_and_leave_the_run_readable(self):
        changes = ['"gb_per_s":-5', '"gb_per_s":1e999', '"gb_per_s":NaN', '"id":"x"', '"samples":[]', '"verified":false',
                   '"drift_percent":"\\u001b[2J"']
        program = self.faulty({f'"--size {4096 * number} "*--min-time':
                               f"""row=$("$@"); printf '%s\\n' "${{row%?}}"',{change}}}'; exit"""
                               for number, change in enumerate(changes, 1)})
        result = self.succeeded(self.measure("plugin=example workload=encode size=4K..32K+4096", *TINY, "--rounds", "1", "--output",
                                             self.run_file, program=program))
        self.assertIn(f"1 rows, {len(changes)} failures", result.stdout)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        failures = [record for record in self.assert_once_each(1) if record["record"] == "failure"]
        self.assertEqual({failure["kind"] for failure in failures}, {"failed"})
        for name in ("gb_per_s must be", "id must be missing", "samples must be", "verified must be", "drift_percent must be"):
            self.assertTrue(any(name in failure["why"] for failure in failures), (name, failures))
        self.succeeded(scene.ask("compare", self.run_file, shutil.copy(self.run_file, self.folder / "copy.jsonl")))

    def test_unusable_output_of_the_program_prints_one_line(self):
        for option, answer in (("--list", '{"plugins":[{"path":1}]}'), ("--environment", '{"cpu":[],"unfit":[1]}'),
                               ("--describe", '{"profile":{}}'), ("--list", "[" * 100000)):
            (self.folder / "answer").write_text(answer + "\n")
            program = self.faulty({option: f"exec cat {shlex.quote(str(self.folder / 'answer'))}"})
            result = self.measure("plugin=example size=4K workload=encode", *TINY, "--output", self.run_file, program=program)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertIn(f"{option}", result.stderr.splitlines()[-1])
            self.assertNotIn("Traceback", result.stderr)

    def test_a_program_that_does_not_answer_is_ended_by_the_timeout(self):
        timeout = "1" if not scene.is_sanitized() else "5"  # the other commands must end before it
        for option, action in (("--list", "sleep 300"), ("--describe", "exec yes")):
            result = self.measure(SMALL, "--timeout", timeout, "--output", self.run_file, program=self.faulty({option: action}))
            self.assert_refused(result, option, f"within {timeout} s")

    def test_points_with_too_few_operations_for_the_figure_have_none(self):
        path = self.folder / "p99.toml"
        path.write_text('figure = "p99"\npoints = ["plugin=example size=4K workload=encode,decode pace=100"]\n')
        for p99, told in (("2000.0", r"sure: .* 2000\.00 to 2000\.00 p99 µs"), ("null", "unsure: .*")):
            program = self.faulty({"--min-time": f"\"$@\" | sed 's/\"p99\":[^,}}]*/\"p99\":{p99}/'; exit"})
            self.run_file.unlink(missing_ok=True)
            result = self.succeeded(self.measure(path, *TINY, "--output", self.run_file, program=program))
            self.assertRegex(result.stdout, rf"\n{told}\n$")
        self.assertRegex(result.stdout, r"2 points, 4 rows, 0 failures(.*\n)*too few operations for a p99: 2 of 2 points")
        self.succeeded(scene.ask("report", self.run_file))

    def test_wrong_bytes_are_reported_and_the_run_continues(self):
        self.invent({"if": {"plugin": "simd"}, "fail": "wrong_bytes"})
        result = self.measure("plugin=isa,simd k=4 m=2 technique=reed_sol_van size=4K workload=decode erasures=1", *TINY,
                              "--plugin-dir", scene.PLUGINS, "--output", self.run_file)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("WRONG BYTES in 2 of 4", result.stderr.splitlines()[-1])
        failures = [record for record in self.assert_once_each(2) if record["record"] == "failure"]
        self.assertEqual({failure["kind"] for failure in failures}, {"wrong_bytes"})

    def test_a_run_that_does_not_say_how_it_measured_is_not_resumed(self):
        self.assertEqual(self.measure(SMALL, *TINY, "--output", self.run_file).returncode, 0)
        header, *rest = self.run_file.read_text().splitlines()
        header = json.loads(header)
        del header["options"]["cpus"]
        self.run_file.write_text("\n".join([json.dumps(header), *rest[:1]]) + "\n")
        self.assert_refused(self.measure("--resume", self.run_file), str(self.run_file), "lack cpus")

    def test_a_measurement_that_a_limit_of_memory_ends_names_the_limit(self):
        program = self.faulty({"--min-time": "kill -9 $$", "--environment":
                               """"$@" | sed 's/"memory_limit_bytes": *null/"memory_limit_bytes":314572800/'; exit"""})
        self.assertIn("limited to 300 MiB", self.measure(SMALL, *TINY, "--output", self.run_file, program=program).stderr)

    def test_the_points_of_another_run(self):
        self.assertEqual(self.measure(SMALL, *TINY, "--rounds", "3", "--output", self.run_file).returncode, 0)
        first = scene.records_of(self.run_file)[0]
        source, self.run_file = self.run_file, self.folder / "elsewhere.jsonl"
        self.succeeded(self.measure("--from", source, "--output", self.run_file))
        again = self.assert_once_each(3)[0]
        self.assertEqual(again["points"], first["points"])
        self.assert_refused(self.measure("--from", "a\nb\x1b[2J"), "a\\nb\\u001b[2J cannot be read")
        self.assertEqual(again["options"]["min_time"], first["options"]["min_time"])
