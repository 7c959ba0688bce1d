"""The answer of bench.sh names the faster plugin only if the interleaved rounds show it. Its last lines name Ceph's default profile
if it is as fast as the best."""

import io
import os
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(SOURCE / "scripts"))

import synthetic_rows
from ecbench.bench import answer, closing
from ecbench.bench.output import Table
from ecbench.bench.runner import Row
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
        self.assertIn("verdict: isa is 2.00 times as fast as jerasure (95 %: 2.00 to 2.00)", lines)
        self.assertTrue(any(line.endswith("other programs disturbed 12 of 72 measurements") for line in lines), lines)

    def test_a_disturbed_plugin_has_no_winner(self):
        lines = lines_of(lambda point, number: 50 if point.plugin == "isa" else 40)
        self.assertTrue(any(line.startswith("verdict: inconclusive: other programs disturbed 100 %") for line in lines), lines)

    def test_a_tie_and_failures_have_no_winner(self):
        lines = lines_of(lambda point, number: 20 + ((number % 2) if point.plugin == "isa" else 1 - number % 2) / 10)
        self.assertTrue(any(line.startswith("verdict: tie") for line in lines), lines)
        lines = lines_of(lambda point, number: None if point.plugin == "isa" else 10.0)
        self.assertIn("verdict: none: isa could not be measured", lines)


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
        return closing.closing_lines(rows, [], "g++")

    def test_the_best_profile_follows_the_rule(self):
        for isa, jerasure, words in (((20.0, 2.0), (10.0, 2.0), "6+2, 1 MiB: +isa reed_sol_van$"),
                                     # A tie with Ceph's default, and one that may be over 10 % slower.
                                     ((20.0, 3.0), (20.2, 3.0), "6+2, 1 MiB: +isa reed_sol_van, tied with 1 other$"),
                                     ((18.8, 5.0), (20.2, 5.0), "6+2, 1 MiB: +jerasure reed_sol_van, tied with 1 other$"),
                                     ((20.0, None), (10.0, None), "6+2: +inconclusive: .*; highest: isa reed_sol_van$"),
                                     ((20.0, 40.0), (10.0, 2.0), "6+2: +inconclusive")):
            with self.subTest(isa=isa, jerasure=jerasure):
                self.assertRegex(self.lines({"isa": isa, "jerasure": jerasure})[0],
                                 words.replace("6+2", r"^Best profile for 6\+2"))

    def test_a_point_that_was_not_reached_may_be_the_best(self):
        """Points of 6+2 that are left, and sizes: the largest size counts, also if none of it was measured."""
        for left, size, head in (((), 1 << 20, "6+2, 1 MiB: +isa reed_sol_van$"),
                                 (("jerasure", "jerasure"), 1 << 20, r"6+2: +inconclusive: jerasure reed_sol_van \(and 1 more\) "
                                                                     "was not measured; highest so far: isa "),
                                 (("isa",), 4 << 20, "6+2, 4 MiB: +not measured$"),
                                 (("isa",), 4096, "6+2, 1 MiB: +isa reed_sol_van$")):
            with self.subTest(left=left, size=size):
                waiting = [answer.points_of(6, 2, size)[0 if plugin == "isa" else 3] for plugin in left]
                lines = closing.closing_lines([row_of("isa", 20.0, 2.0, ())], [], "g++", waiting)
                self.assertRegex(lines[0], head.replace("6+2", r"^Best profile for 6\+2", 1))
                self.assertNotIn("fail", " ".join(lines))

    def test_a_disturbed_measurement_names_no_best_profile(self):
        for code, disturbed in (("few_clean_samples", True), ("drift", False)):
            head = self.lines({"isa": (20.0, 2.0), "jerasure": (15.0, 2.0)}, [code])[0]
            self.assertEqual("inconclusive" in head, disturbed)


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


if __name__ == "__main__":
    unittest.main()
