"""A session measures each point exactly as often as planned, even if it was interrupted."""

import collections
import contextlib
import copy
import gzip
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

from ecbench.comparison.comparison import Comparison
from ecbench.documents.document import read
from ecbench.measure import resume
from ecbench.measure.ecbench import Ecbench, failure
from ecbench.measure.session import AS_LISTED, Budget, Session, by_ecbench
from ecbench.point import point as point_module
from ecbench.point.point import make_point
from ecbench.process.process import Interrupted
from ecbench.runfile.header import Environment, Options
from ecbench.runfile.row import Failure, Row
from ecbench.runfile.run_file import read_run
from ecbench.runfile.summary import summarize
from ecbench.terminal.console import OutOfTime, Refused, WrongBytes, say_warnings
from synthetic_libraries import ENVIRONMENT

GIVEN = read(Environment, ENVIRONMENT)

POINTS = [make_point("isa", {"k": k, "m": 2, "technique": "cauchy"}, "encode", 4096, 0) for k in (2, 3, 4, 6)]
ROW = {"gb_per_s": 2.0, "samples": [{"placement": 0, "seconds": 0.1}], "drift_percent": None, "drift_floor_percent": None,
       "limit_gb_per_s": None, "limit_percent": None, "cpu_seconds_per_gb": 0.5, "verified": True}
WARNING = {"code": "cpu_taken", "text": "another program had the CPU"}


class Program:
    """`answers`: point → result of each measurement: GB/s, a Failure, or warnings. After `most` measurements, a signal arrives."""

    def __init__(self, answers=None, most=10**6):
        self.measured = []
        self._answers = {point: list(found) for point, found in (answers or {}).items()}
        self._most = most

    def session_words(self, patience):
        return [] if patience is None else ["--patience", f"{patience:.2g}"]

    def measure(self, words, _timeout=None):
        if len(self.measured) >= self._most:
            raise Interrupted(2)
        self.measured.append(words)
        point = next(point for point in POINTS if words[:len(point.words())] == point.words())
        answer = self._answers.get(point, [])
        answer = answer.pop(0) if answer else 2.0
        if isinstance(answer, Failure):
            return answer
        more = {"gb_per_s": answer} if isinstance(answer, float) else {"warnings": answer}
        return Row.read({**ROW, **more})


class WithRun(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench session ")))
        self.path = self.folder / "a run.jsonl"

    def begin(self, points=POINTS, rounds=3, **more):
        entries = list(map(point_module.Planned, points))
        options = Options(0.1, 10, [0], limit=False)
        return resume.begin(GIVEN, "run", ["plugin=isa"], rounds, options, 7, entries, self.path, **more)

    def session(self, program, begun=None):
        """Without `begun`, the session continues the run in the file."""
        writer, run = begun or resume.go_on(self.path, GIVEN)
        return Session(run, writer, by_ecbench(program, run))

    def records(self, kind):
        return [record for record in map(json.loads, self.path.read_text().splitlines()) if record["record"] == kind]

    def keys(self):
        return collections.Counter((record["id"], record["repetition"], record.get("stage"), record.get("again"))
                                   for kind in ("row", "failure") for record in self.records(kind))


class Planned(WithRun):
    def measure(self, program, begun=None, **options):
        with contextlib.redirect_stderr(io.StringIO()) as err, self.session(program, begun) as session:
            session.measure_planned(**options)
            session.end()
            say_warnings(is_verbose=True)
        return err.getvalue()

    def test_each_point_is_measured_once_in_each_round_in_random_order(self):
        program, begun = Program(), self.begin()
        self.measure(program, begun)
        order = [record["id"] for record in self.records("row")]
        rounds = [order[begin:begin + 4] for begin in (0, 4, 8)]
        self.assertTrue(all(sorted(ids) == sorted(point.id for point in POINTS) for ids in rounds))
        self.assertGreater(len(set(map(tuple, rounds))), 1)
        self.assertEqual(program.measured[0][-6:], ["--min-time", "0.1", "--limit", "no", "--cpu", "0"])
        self.assertTrue(read_run(self.path).finished and begun[1].finished)

    def test_the_time_of_a_row_is_that_of_the_start(self):
        at, times = [], (f"2026-01-01T00:00:{second:02}Z" for second in range(60))
        program = Program()
        measure = program.measure
        with mock.patch("ecbench.measure.session.now", lambda: at.append(next(times)) or at[-1]):
            program.measure = lambda *words: at.append("measured") or measure(*words)
            self.measure(program, self.begin(POINTS[:1], 1))
        self.assertEqual(self.records("row")[0]["at"], at[at.index("measured") - 1])

    def test_after_an_interrupt_at_any_point_it_measures_only_the_rest(self):
        self.measure(Program(), self.begin())
        wanted = [(record["id"], record["repetition"]) for record in self.records("row")]
        for most in range(12):
            self.path.unlink()
            with self.assertRaises(Interrupted) as caught:
                self.measure(Program(most=most), self.begin())
            self.assertEqual(caught.exception.message,
                             f"interrupted after {most} of 12 measurements; continue with: ./bench.sh run --resume '{self.path}'")
            rest = Program()
            self.measure(rest)
            self.assertEqual(len(rest.measured), 12 - most)
            self.assertEqual([(record["id"], record["repetition"]) for record in self.records("row")], wanted)
            with self.assertRaisesRegex(Refused, "is finished"):
                self.session(Program())

    def test_a_failure_is_a_result_and_is_printed_once_for_each_reason(self):
        refused = failure("refused", "ecbench", "no such thing", 1)
        program = Program({POINTS[0]: [refused] * 3, POINTS[1]: [2.0, refused]})
        told = self.measure(program, self.begin())
        self.assertEqual((len(program.measured), len(self.records("failure"))), (12, 4))
        self.assertEqual(told.count("no such thing"), 2)
        self.assertIn("in total, 4 measurements were refused for this reason: no such thing", told)

    def test_a_row_of_another_point_is_a_failure(self):
        writer, run = self.begin(POINTS[:1], rounds=1)
        self.addCleanup(writer.close)
        for key, value in (("plugin", "jerasure"), ("workload", "decode"), ("size", 1), ("k", 77), ("threads", 2)):
            program = mock.Mock(**{"session_words.return_value": [], "measure.return_value": Row.read({**ROW, key: value})})
            outcome = by_ecbench(program, run)(POINTS[0], None)
            self.assertEqual(outcome.failure, "failed")
            self.assertIn(key, outcome.why)

    def test_a_point_that_failed_twice_may_be_left_out_also_of_a_run_that_continues(self):
        crash = failure("signal", "ecbench", "ended by signal 11", -11)
        for most in range(10):
            self.path.unlink(missing_ok=True)
            first = Program({POINTS[2]: [crash, crash, 2.0]}, most)
            with self.assertRaises(Interrupted):
                self.measure(first, self.begin(), drop_failed=True)
            crashed = sum(record["id"] == POINTS[2].id for record in self.records("failure"))
            self.measure(second := Program({POINTS[2]: [crash, crash, 2.0][crashed:]}), drop_failed=True)
            self.assertEqual(len(first.measured) + len(second.measured), 11)
            figures = Comparison.of_run(read_run(self.path), {str(point): [point] for point in POINTS})
            self.assertEqual(set(figures.candidates), {str(point) for point in POINTS} - {str(POINTS[2])})


class Warned(WithRun):
    measure = Planned.measure

    def test_a_point_is_measured_once_more_at_once(self):
        """The clean row counts; a point that has warnings again is marked."""
        for answers, measured, figures, marks, says in (
                ({POINTS[0]: [[WARNING], 3.0, 2.0, 2.0]}, 13, [3.0, 2.0, 2.0], [""] * 4, ""),
                ({POINTS[0]: [[WARNING]] * 3}, 14, [2.0] * 3, ["!", "", "", ""], "1 of 2 measurements that were repeated"),
                ({point: [[WARNING]] * 6 for point in POINTS}, 24, [2.0] * 3, ["!"] * 4, "12 of 12 measurements that were")):
            self.path.unlink(missing_ok=True)
            program = Program(answers)
            self.assertIn(says, told := self.measure(program, self.begin()))
            self.assertEqual("have warnings again" in told, bool(says))
            self.assertEqual(len(program.measured), measured)
            rows, run = self.records("row"), read_run(self.path)
            number = [bool(row.get("again")) for row in rows].index(True)
            self.assertEqual(*[(row["id"], row["repetition"]) for row in rows[number - 1:number + 1]])
            self.assertEqual([row.gb_per_s for row in run.rows[POINTS[0].id]], figures)
            compared = Comparison.of_run(run, {str(point): [point] for point in POINTS}).candidates.values()
            for found in (summarize(run), compared):
                self.assertEqual([one.mark for one in found], marks)

    def test_no_measurement_is_repeated_after_an_interrupt(self):
        answers = {POINTS[0]: [[WARNING]] * 6, POINTS[1]: [2.0, [WARNING]]}
        for most in range(16):
            self.path.unlink(missing_ok=True)
            first = Program(copy.deepcopy(answers), most)
            with self.assertRaises(Interrupted):
                self.measure(first, self.begin())
            self.measure(Program({POINTS[0]: [[WARNING]] * 6, POINTS[1]: [] if most > 8 else [[WARNING]]}))
            self.assertEqual(set(self.keys().values()), {1})
            again = {(identity, number) for identity, number, _, is_again in self.keys() if is_again}
            warned = {(row["id"], row["repetition"]) for row in self.records("row") if row.get("warnings") and not row.get("again")}
            self.assertEqual(again, warned)

    def test_a_run_that_continues_does_not_repeat_what_its_earlier_part_measured(self):
        for most in (5, 8, 11):
            self.path.unlink(missing_ok=True)
            with mock.patch.object(Budget, "allows_repeat", return_value=False), self.assertRaises(Interrupted):
                self.measure(Program({POINTS[0]: [[WARNING]] * 3}, most), self.begin(order=AS_LISTED))
            self.measure(rest := Program())
            self.assertEqual(len(rest.measured), 12 - most + (most == 5))  # the last measurement's repeat may have been interrupted

    def test_wrong_bytes_the_second_time_are_wrong_bytes(self):
        self.measure(Program({POINTS[0]: [[WARNING], failure("wrong_bytes", "ecbench", "chunk 1", 2)]}), self.begin())
        run = read_run(self.path)
        self.assertEqual([failure.kind for failure in run.failures[POINTS[0].id]], ["wrong_bytes"])
        self.assertEqual(Comparison.of_run(run, {"a": POINTS[:1]}).wrong, ["a"])

    def test_wrong_bytes_end_a_run_out_of_time_with_their_exit_code(self):
        for answer, error in ((failure("wrong_bytes", "ecbench", "chunk 1", 2), WrongBytes), (2.0, OutOfTime)):
            self.path.unlink(missing_ok=True)
            program = Program({point: [answer] for point in POINTS})
            writer, run = self.begin()
            budget = Budget(5, clock=lambda program=program: 3.0 * len(program.measured))
            with self.assertRaises(error), contextlib.redirect_stderr(io.StringIO()), \
                    Session(run, writer, by_ecbench(program, run), budget=budget) as session:
                session.measure_planned()
            self.assertEqual(len(program.measured), 2)


def add_options(parser):
    parser.add_argument("--format", default="table")
    parser.add_argument("--folder")


class Resumed(WithRun):
    def ask(self, *words, mode="run"):
        return resume.Mode(mode, "", "", "", (), mock.Mock(), add_options, also=("format",)).ask(words, mock.Mock())

    def start_with(self, *words):
        asked = self.ask(*words)
        self.assertIsNone(asked.run)
        options = Options(0.1, 10, [0])
        writer, _ = resume.begin(GIVEN, "run", asked.words, asked.arguments.rounds or 6, options, 1, [], self.path)
        writer.close()

    def test_its_file_has_no_home_directory(self):
        home = os.environ.get("HOME", "/root")
        self.start_with("k=2", "--rounds", "8", "m=3", "--output", str(self.path), f"--folder={home}/lib")
        self.assertNotIn(f"{home}/lib", self.path.read_text())
        found = self.ask("--resume", str(self.path), "--format", "json").arguments
        self.assertEqual((found.words, found.rounds, found.format, found.folder), (["k=2", "m=3"], 8, "json", f"{home}/lib"))

    def test_a_run_of_another_mode_is_refused_with_its_command(self):
        self.start_with("k=2")
        compressed = self.path.with_suffix(".jsonl.gz")
        compressed.write_bytes(gzip.compress(self.path.read_bytes()))
        with self.assertRaisesRegex(Refused, "is compressed .*; decompress it first: gunzip '.*a run.jsonl.gz'$"):
            self.ask("--resume", str(compressed), mode="tune")
        with self.assertRaisesRegex(Refused, "continue it with ./bench.sh run --resume"):
            self.ask("--resume", str(self.path), mode="tune")

    def test_another_machine_program_or_library_is_refused(self):
        """A plugin that was built later is no change if all points are planned."""
        objects = ENVIRONMENT["shared_objects"]
        stages = self.folder / "b run.jsonl"
        self.begin()[0].close()
        resume.begin(GIVEN, "tune", [], 1, Options(0.1, 10, [0]), 1, [], stages)[0].close()
        later = {"shared_objects": [*objects, {"name": "libec_clay.so", "build_id": "00"}]}
        for path, change, word in ((self.path, {"cpu": {**ENVIRONMENT["cpu"], "stepping": 9}}, "machine"),
                                   (self.path, {"ecbench": {"git_revision": "other"}}, "program"),
                                   (self.path, {"shared_objects": [{"name": "libisal.so.2", "build_id": "00"}]}, "program"),
                                   (stages, later, "program")):
            before = path.read_bytes()
            with self.assertRaisesRegex(Refused, f"the {word}.* has changed"):
                resume.go_on(path, read(Environment, {**ENVIRONMENT, **change}))
            self.assertEqual(path.read_bytes(), before)
        resume.go_on(self.path, read(Environment, {**ENVIRONMENT, **later}))[0].close()

    def test_the_newest_is_of_its_mode_and_unfinished(self):
        with mock.patch.dict(os.environ, ECBENCH_RESULTS_DIR=str(self.folder)):
            paths = []
            for name, mode in (("a", "tune"), ("b", "run"), ("c", "run"), ("d", "tune")):
                path = resume.folder_of(GIVEN) / f"{name}.jsonl"
                writer, _ = resume.begin(GIVEN, mode, [], 1, Options(0.1, 10, [0]), 1, [], path)
                if name == "c":
                    writer.append("end", at="")
                writer.close()
                os.utime(path, (len(paths), len(paths)))
                paths.append(path)
            self.assertEqual(resume.newest_unfinished("run", GIVEN), paths[1])
            with self.assertRaisesRegex(Refused, "no unfinished run of ./bench.sh plan"):
                resume.newest_unfinished("plan", GIVEN)


class Beginning(unittest.TestCase):
    def test_a_build_lists_its_options_and_another_program_has_none(self):
        def options(printed):
            return Ecbench("ecbench", mock.Mock(**{"run.return_value": (0, printed, "")})).options

        self.assertEqual(options('{"contract": "0123", "options": ["help"]}'), ["help"])
        self.assertEqual(options("ancient\n"), [])
        for wrong in ('{"options": "all"}', '{"contract": "1"}', "[]", "5"):
            self.assertRaisesRegex(Refused, "--version printed JSON that", options, wrong)

    def test_runs_that_begin_in_the_same_second_have_different_names(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(resume, "datetime") as clock, \
             mock.patch.dict(os.environ, ECBENCH_RESULTS_DIR=folder):
            clock.datetime.now.return_value.strftime.return_value = "2026-01-02-030405"
            for end in ("", "-2", "-3"):
                path = resume.path_of(None, "tune", GIVEN)
                self.assertEqual(path.name, f"tune-2026-01-02-030405{end}.jsonl")
                path.parent.mkdir(exist_ok=True)
                path.touch()
