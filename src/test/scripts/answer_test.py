"""The answer of bench.sh names the faster plugin only if the interleaved rounds show it. Its last lines name Ceph's default profile
if it is as fast as the best."""

import io
import unittest

import synthetic_rows
from ecbench.bench import answer
from ecbench.bench.runner import Row
from ecbench.bench.table import Table, closing_lines
from ecbench.measure.ecbench import failure

WARNING = {"code": "few_clean_samples", "text": "other programs"}


class Session:
    """`speed(point, number)` is the GB/s in a round; None if the measurement fails."""

    def __init__(self, speed):
        self._speed = speed

    def take_rounds(self, points, count, *_):
        return {point.id: [self.outcome(self._speed(point, number)) for number in range(count)] for point in points}

    def outcome(self, speed):
        if speed is None:
            return failure("failed", "ecbench", "no memory")
        return synthetic_rows.row(gb_per_s=speed, cpu_seconds_per_gb=1 / speed, warnings=[WARNING] if speed > 45 else [])


def lines_of(speed, m=2):
    return list(answer.lines(Session(speed), answer.points_of(6, m, 1 << 20), 15))


class Answer(unittest.TestCase):
    def test_has_six_rows_with_their_cores(self):
        lines = lines_of(lambda point, number: (20 if point.plugin == "isa" else 10) + number / 100)
        rows = [line.split() for line in lines[2:8]]
        self.assertEqual([row[0] for row in rows], ["isa"] * 3 + ["jerasure"] * 3)
        self.assertEqual({(row[0], row[-1]) for row in rows}, {("isa", "0.62"), ("jerasure", "1.24")})  # 12.5 GB/s / speed
        self.assertEqual(len(lines_of(lambda point, number: 20.0, m=1)), len(lines) - 2)

    def test_names_the_faster_plugin_with_the_ratio(self):
        # The speed of the machine changes from round to round, but not the ratio.
        lines = lines_of(lambda point, number: (20 if point.plugin == "isa" else 10) * (1 + number % 3))
        self.assertIn("sure: isa is the fastest (2.0 times jerasure)", lines)
        self.assertTrue(any(line.endswith("other programs disturbed 12 of 72 measurements") for line in lines), lines)

    def test_a_disturbed_plugin_is_never_sure(self):
        lines = lines_of(lambda point, number: 50 if point.plugin == "isa" else 40)
        self.assertTrue(any(line.startswith("likely: isa is the fastest") for line in lines), lines)

    def test_a_tie_and_failures_have_no_winner(self):
        lines = lines_of(lambda point, number: 20 + ((number % 2) if point.plugin == "isa" else 1 - number % 2) / 10)
        self.assertTrue(any(line.endswith(" ties)") for line in lines), lines)
        lines = lines_of(lambda point, number: None if point.plugin == "isa" else 10.0)
        self.assertRegex("\n".join(lines), r"unsure: jerasure has 10.00 GB/s .*; isa failed: remove the cause")


def row_of(plugin, gb_per_s, ci_percent, warnings=()):
    row = Row.read({"command": "ecbench", "iterations": 1, "seconds": 1.0, "kb": 1, "gb_per_s": gb_per_s, "packetsize": "-",
                    "w": {"isa": "-", "jerasure": "8"}[plugin], "limit_percent": None, "cpu_seconds_per_gb": None,
                    "ci_percent": ci_percent, "warnings": [{"code": code, "text": code} for code in warnings]})
    row.point = answer.points_of(6, 2, 1 << 20)[0 if plugin == "isa" else 3]
    return row


class Closing(unittest.TestCase):
    """`speeds`: plugin → its GB/s and the half width of its interval in percent."""

    def lines(self, speeds, warnings=()):
        rows = []
        for plugin, (gb_per_s, ci_percent) in speeds.items():
            rows.append(row_of(plugin, gb_per_s, ci_percent, warnings))
        return closing_lines(rows, [], "g++")

    def test_the_best_profile_is_ceph_s_default_if_it_ties(self):
        for isa, jerasure, best, last in (((20.0, 2.0), (10.0, 2.0), "isa", "likely: isa reed_sol_van is the fastest (2.0 times j"),
                                          ((20.0, 3.0), (20.2, 3.0), "isa", "likely: jerasure reed_sol_van is the fastest (isa "),
                                          ((18.8, 5.0), (20.2, 5.0), "jerasure", "likely: jerasure reed_sol_van is the fastest ("),
                                          ((20.0, None), (19.9, None), "isa", "likely: isa reed_sol_van is the fastest ("),
                                          ((20.0, 40.0), (18.0, 2.0), "isa", "unsure: isa reed_sol_van is ahead of jerasure ")):
            with self.subTest(isa=isa, jerasure=jerasure):
                lines = self.lines({"isa": isa, "jerasure": jerasure})
                self.assertRegex(lines[0], rf"^Best profile for 6\+2, 1 MiB: +{best} reed_sol_van$")
                self.assertTrue(lines[-1].startswith(last), lines[-1])

    def test_a_point_that_was_not_reached_may_be_the_best(self):
        """Points of 6+2 that are left, and sizes: only the sizes that were measured count."""
        for left, size, last in (((), 1 << 20, r"^sure: isa reed_sol_van is the only candidate: 20\.00 GB/s"),
                                 (("jerasure", "jerasure"), 1 << 20, r"^unsure: isa .*; 2 candidates are not measured: a lar"),
                                 (("isa",), 4 << 20, "^sure: isa"), (("isa",), 4096, "^sure: isa")):
            with self.subTest(left=left, size=size):
                waiting = [answer.points_of(6, 2, size)[0 if plugin == "isa" else 3] for plugin in left]
                lines = closing_lines([row_of("isa", 20.0, 2.0, ())], [], "g++", waiting)
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
                table.add(row_of("isa", 20.0, 2.0, ["drift"] * (kind == "w")))
            kinds = ["(" if line[0] == "(" else "!" if "20.000!" in line else "-" for line in out.getvalue().splitlines()[1:]]
            self.assertEqual("".join(kinds), lines)
