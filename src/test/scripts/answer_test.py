"""The last lines of bench.sh, and the marks of its rows."""

import io
import pathlib
import tempfile
import unittest

import synthetic_rows
from ecbench.bench.table import Table, closing_lines
from ecbench.point.point import make_point
from ecbench.runfile.row import CORE_SHARED
from synthetic_libraries import ENCODE, write_run


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
            lines = self.lines({"isa": isa, "jerasure RS": jerasure})
            self.assertRegex(lines[0], rf"^Best profile for 6\+2, 128 KiB: +{best} reed_sol_van$")
            self.assertRegex(lines[1], rf"^Encoding: +{(isa if best == 'isa' else jerasure)[0]} GB/s$")
            self.assertTrue(lines[-2].startswith("CPU and compiler: ") and lines[-2].endswith("; g++"), lines)
            self.assertTrue(lines[-1].startswith(last), lines[-1])

    def test_a_point_that_was_not_reached_may_be_the_best(self):
        """Only the sizes that were measured count."""
        size = ENCODE.size
        for left, last in (((), r"^sure: isa reed_sol_van is the only candidate: 20\.00 GB/s"),
                           (((size, "jerasure RS"), (size, "jerasure XOR")), "^unsure: isa .*; 2 candidates are not measured"),
                           (((4 << 20, "isa"),), "^sure: isa"), (((4096, "isa"),), "^sure: isa")):
            lines = self.lines({"isa": (20.0, 2.0)}, left)
            self.assertRegex(lines[-1], last)
            self.assertNotIn("fail", " ".join(lines))


class Rows(unittest.TestCase):
    def test_have_marks_on_a_terminal_for_warnings_other_than_a_state_of_the_machine(self):
        for out, marks in ((synthetic_rows.Terminal(), (False, True, False)), (io.StringIO(), (False, False, False))):
            table = Table(out)
            for code in ("", "drift", CORE_SHARED):
                table.add(make_point("isa", {"k": 6, "m": 2}, "encode", 1 << 20, 0), synthetic_rows.row(
                    command="ecbench", iterations=1, seconds=1.0, kb=1, gb_per_s=20.0,
                    warnings=[{"code": code, "text": ""}] * bool(code)))
            self.assertEqual(tuple("20.000!" in line for line in out.getvalue().splitlines()[1:]), marks)
