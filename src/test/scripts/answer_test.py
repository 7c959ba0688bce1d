"""The answer of bench.sh names the faster plugin only if the interleaved rounds show it. Its last lines name Ceph's default profile
if it is as fast as the best."""

import io
import pathlib
import tempfile
import unittest

import synthetic_rows
from ecbench.bench import table as table_module
from ecbench.bench.table import Table, closing_lines
from ecbench.measure.ecbench import failure
from ecbench.runfile.run_file import Key
from synthetic_libraries import ENCODE, write_run

WARNING = {"code": "few_clean_samples", "text": "other programs"}


class Session:
    """`speed(point, number)` is the GB/s in a round; None if the measurement fails."""

    def __init__(self, run, speed):
        self._run = run
        self._speed = speed

    def take_rounds(self, points, count, stage, *_):
        for point in points:
            for number in range(count):
                self._run.records[Key(point.id, number, stage)] = self.outcome(self._speed(point, number), number)

    def outcome(self, speed, number):
        if speed is None:
            return failure("failed", "ecbench", "no memory")
        return synthetic_rows.row(gb_per_s=speed, cpu_seconds_per_gb=1 / speed, repetition=number,
                                  warnings=[WARNING] if speed > 45 else [])


def lines_of(speed, m=2):
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(pathlib.Path(folder) / "run.jsonl", {(ENCODE, "isa"): [1.0]}, 1)
    run.records.clear()
    return list(table_module.lines(Session(run, speed), run, table_module.points_of(6, m, 1 << 20), 15))


class Answer(unittest.TestCase):
    def test_has_a_row_for_each_plugin_with_its_workloads(self):
        for m in (1, 2):
            lines = lines_of(lambda point, number: (20 if point.plugin == "isa" else 10) * (2 if point.erasures else 1), m)
            rows = [line.split() for line in lines[3:5]]
            self.assertEqual([row[0] for row in rows], ["isa", "jerasure"])
            self.assertEqual([row[4:5 + m] for row in rows], [["20.00", *["40.00"] * m], ["10.00", *["20.00"] * m]])

    def test_names_the_faster_plugin_with_the_ratio(self):
        # The speed of the machine changes from round to round, but not the ratio.
        lines = lines_of(lambda point, number: (20 if point.plugin == "isa" else 10) * (1 + number % 3))
        self.assertIn("sure: isa reed_sol_van is the fastest (2.0 times jerasure reed_sol_van)", lines)
        self.assertTrue(any(line.endswith("disturbed 12") for line in lines), lines)


def spread(gb_per_s, percent):
    """A row's samples, whose speeds are up to so many percent from the median; one sample if it is None."""
    around = [0] if percent is None else [percent / 100 * (number / 3.5 - 1) for number in range(8)]
    return [{"placement": number, "seconds": 1 / (gb_per_s * (1 + apart))} for number, apart in enumerate(around)]


class Closing(unittest.TestCase):
    def lines(self, speeds, left=()):
        """`speeds`: library → its GB/s and their spread; `left`: size and library of points that were not reached."""
        found = {(ENCODE, name): speed for name, speed in speeds.items()}
        waiting = {(ENCODE._replace(size=size), name): [] for size, name in left}
        with tempfile.TemporaryDirectory() as folder:
            figures = {**{key: [speed] for key, (speed, _) in found.items()}, **waiting}
            run = write_run(pathlib.Path(folder) / "run.jsonl", figures, 1,
                            {key: {"samples": spread(*speed)} for key, speed in found.items()}, finished=not left)
        return closing_lines(run, "g++")

    def test_the_best_profile_is_ceph_s_default_if_it_ties(self):
        for isa, jerasure, best, last in (((20.0, 2.0), (10.0, 2.0), "isa", "likely: isa reed_sol_van is the fastest (2.0 times j"),
                                          ((20.0, 3.0), (20.2, 3.0), "isa", "likely: jerasure reed_sol_van is the fastest (isa "),
                                          ((18.8, 3.0), (20.2, 3.0), "jerasure", "likely: jerasure reed_sol_van is the fastest ("),
                                          ((20.0, None), (19.9, None), "isa", "likely: isa reed_sol_van is the fastest ("),
                                          ((20.0, 40.0), (18.0, 2.0), "isa", "unsure: isa reed_sol_van is ahead of jerasure ")):
            with self.subTest(isa=isa, jerasure=jerasure):
                lines = self.lines({"isa": isa, "jerasure RS": jerasure})
                self.assertRegex(lines[0], rf"^Best profile for 6\+2, 128 KiB: +{best} reed_sol_van$")
                self.assertTrue(lines[-1].startswith(last), lines[-1])

    def test_a_point_that_was_not_reached_may_be_the_best(self):
        """Only the sizes that were measured count."""
        size = ENCODE.size
        for left, last in (((), r"^sure: isa reed_sol_van is the only candidate: 20\.00 GB/s"),
                           (((size, "jerasure RS"), (size, "jerasure XOR")), "^unsure: isa .*; 2 candidates are not measured"),
                           (((4 << 20, "isa"),), "^sure: isa"), (((4096, "isa"),), "^sure: isa")):
            with self.subTest(left=left):
                lines = self.lines({"isa": (20.0, 2.0)}, left)
                self.assertRegex(lines[-1], last)
                self.assertNotIn("fail", " ".join(lines))


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Rows(unittest.TestCase):
    def test_have_marks_on_a_terminal_unless_all_have_one(self):
        """w: a row with a warning. Lines: ! marks a row, and ( says that the rows above have a warning."""
        for out, rows, lines in ((Terminal(), "-w-", "-!-"), (Terminal(), "www", "---"), (Terminal(), "ww-w", "--(-!"),
                                 (Terminal(), "-", "-"), (io.StringIO(), "-w", "--")):
            table = Table(out)
            for kind in rows:
                table.add(table_module.points_of(6, 2, 1 << 20)[0], synthetic_rows.row(
                    command="ecbench", iterations=1, seconds=1.0, kb=1, gb_per_s=20.0,
                    warnings=[{"code": "drift", "text": "drift"}] * (kind == "w")))
            kinds = ["(" if line[0] == "(" else "!" if "20.000!" in line else "-" for line in out.getvalue().splitlines()[1:]]
            self.assertEqual("".join(kinds), lines)
