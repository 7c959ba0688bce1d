"""Tests bench.sh compare with rows that ecbench measured, and with synthetic rows that have known ratios."""

import json
import os
import subprocess

import jsonschema
import scene
import synthetic_run


def compare(*arguments, cwd=None):
    return scene.run(scene.mode("compare", *arguments), cwd=cwd)


def cells(result):
    return [line.split("\t") for line in result.stdout.splitlines()]


class CompareScene(scene.Scene):
    def write(self, name, factor=1.0, sizes=(4096, 131072), packetsizes=(512, 3072), start=None, **options):
        """Writes a synthetic run. If `start` is given, the rows of repetition r get the time 05:MM with MM = 2 r + `start`."""
        path = self.folder / name
        synthetic_run.write_run(path, synthetic_run.points(sizes=sizes, packetsizes=packetsizes), factor=factor, **options)
        if start is not None:
            records = [json.loads(line) for line in path.read_text().splitlines()]
            for record in records:
                if "repetition" in record:
                    record["at"] = f"2026-11-21T05:{2 * record['repetition'] + start:02}:00Z"
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path


class Ratios(CompareScene):
    def test_a_run_half_as_fast_is_slower_everywhere(self):
        result = self.succeeded(compare(self.write("a.jsonl"), self.write("b.jsonl", factor=0.5)))
        titles, *rows = cells(result)
        self.assertEqual(titles, ["point", "A GB/s", "B GB/s", "ratio", "95 % interval", "verdict"])
        self.assertEqual(len(rows), 2 * 3 * 12)
        for row in rows:
            self.assertAlmostEqual(float(row[3]), 0.5, delta=0.002, msg=row)
            self.assertEqual(row[5], "slower?", row)
        self.assertIn("jerasure cauchy_good of 4 KiB: ratio 0.500 (geometric mean of 2 points), 0 faster, 2 slower", result.stderr)

    def test_warns_where_the_runs_were_not_interleaved(self):
        result = compare(self.write("a.jsonl", start=0), self.write("b.jsonl", factor=2, start=10))
        self.assertIn("72 of 72 points were not interleaved", result.stderr)
        interleaved = compare(self.write("c.jsonl", start=0), self.write("d.jsonl", factor=2, start=1))
        self.assertNotIn("interleaved", interleaved.stderr)
        self.assertEqual({row[5] for row in cells(interleaved)[1:]}, {"faster"})

    def test_the_worst_ratio_of_a_group_comes_first(self):
        a, b = self.write("a.jsonl"), self.write("b.jsonl")
        records = [json.loads(line) for line in b.read_text().splitlines()]
        for record in records:
            if record["record"] == "row" and record["profile"].get("packetsize") == "3072":
                record["gb_per_s"] *= 0.8
        b.write_text("".join(json.dumps(record) + "\n" for record in records))
        rows = [row for row in cells(compare(a, b))[1:] if "cauchy_good" in row[0] and "encode of 4 KiB" in row[0]]
        self.assertEqual(["packetsize=3072" in row[0] for row in rows], [True, False])


class SeveralRuns(CompareScene):
    def setUp(self):
        super().setUp()
        self.runs = [self.write("a.jsonl"), self.write("b.jsonl", factor=0.5), self.write("c.jsonl", factor=2, sizes=(4096,))]

    def test_each_later_run_has_a_column_of_ratios_to_the_first(self):
        result = self.succeeded(compare(*self.runs))
        titles, *rows = cells(result)
        self.assertEqual(titles, ["point", "A GB/s", "B / A", "C / A"])
        self.assertEqual(len(rows), 72)
        of_two = {row[0]: row for row in cells(compare(*self.runs[:2]))[1:]}
        for point, a, b, c in rows:
            self.assertEqual([a, b], [of_two[point][1], "{3} ({4}) {5}".format(*of_two[point])])
            if "of 4 KiB" in point:
                self.assertAlmostEqual(float(c.split()[0]), 2, delta=0.1)
                self.assertTrue(c.endswith(" faster?"), c)
            else:
                self.assertEqual(c, "-")
        self.assertIn("B: encode jerasure cauchy_good of 4 KiB: ratio 0.500 (geometric mean of ", result.stderr)
        self.assertIn("C: encode jerasure cauchy_good of 4 KiB: ratio ", result.stderr)
        self.assertIn("C: 36 of 72 points are only in A", result.stderr)

    def test_json_has_the_figures_of_two_runs(self):
        lines = [json.loads(line) for line in compare(*self.runs, "--format", "json").stdout.splitlines()]
        of_two = {line["id"]: line for line in map(json.loads, compare(*self.runs[:2], "--format", "json").stdout.splitlines())}
        self.assertEqual(len(lines), 72)
        schema = jsonschema.Draft202012Validator(json.loads(compare("--schema").stdout))
        for line in [*lines, *of_two.values()]:
            schema.validate(line)
            self.assertIn(line.get("verdict", "~"), ("~", "slower", "faster"))
        for line in lines:
            b, *c = line.pop("runs")
            self.assertEqual((b.pop("run"), b.pop("path")), ("B", str(self.runs[1])))
            self.assertEqual({**line, "b_gb_per_s": b.pop("gb_per_s"), **b}, of_two[line["id"]])
            self.assertEqual([one["run"] for one in c], ["C"] if line["point"]["size"] == 4096 else [])

    def test_bad_arguments_are_refused(self):
        a, b, c = self.runs
        link = self.folder / "link.jsonl"
        link.symlink_to(b)
        self.assert_refused(compare(a, b, link), "link.jsonl is given twice")
        self.assert_refused(compare(a, b, c, a), "a.jsonl is given twice")
        self.assert_refused(compare(a, b, self.write("d.jsonl", sizes=(8192,))), "d.jsonl have no measured point in common")
        self.assert_refused(compare(*(self.folder / f"{number}.jsonl" for number in range(27))), "27 runs", "26")


class Circumstances(CompareScene):
    def test_points_of_only_one_run_are_counted(self):
        result = compare(self.write("a.jsonl"), self.write("b.jsonl", sizes=(4096,), failed=(0,)))
        self.assertIn("36 of 72 points are only in A", result.stderr)
        self.assertIn("points that are left out, because A or B has no measured speed for them: 1", result.stderr)
        self.assertEqual(len(cells(result)), 1 + 35)

    def test_two_machines_are_a_warning(self):
        result = compare(self.write("a.jsonl"), self.write("b.jsonl", cpu="Intel Xeon"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("TWO MACHINES: A was measured on amd-epyc", result.stderr)


class BadInput(CompareScene):
    def test_a_pipe_is_read_and_a_fifo_without_a_writer_is_empty(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        a, b = self.write("a.jsonl"), self.write("b.jsonl", 0.5)
        self.assert_refused(compare(a, fifo), str(fifo), "empty")
        self.assert_refused(compare(a, "/dev/zero"), "neither a regular file nor a pipe")
        words = scene.mode("compare", "/dev/fd/0", b)
        with subprocess.Popen(["cat", a], stdout=subprocess.PIPE) as cat:
            result = subprocess.run(words, stdin=cat.stdout, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_it_is_refused_with_one_line(self):
        a = self.write("a.jsonl")
        foreign, empty = self.folder / "foreign.jsonl", self.folder / "empty.jsonl"
        foreign.write_text('{"name": "other"}\n')
        empty.write_text("")
        self.assert_refused(compare(a, self.folder / "none.jsonl"), "none.jsonl")
        self.assert_refused(compare(a, foreign), "foreign.jsonl, line 1")
        self.assert_refused(compare(a, empty), "empty")
        self.assert_refused(compare(a, a), "twice")
        self.assert_refused(compare(a), "compare", "--help")
        self.assert_refused(compare(a, a, "--format", "xml"), "xml")
        self.assert_refused(compare(a, self.write("c.jsonl", sizes=(8192,))), "no measured point in common")
        cut = self.write("cut.jsonl")
        cut.write_bytes(cut.read_bytes()[:-40])
        self.assert_refused(compare(a, cut), "cut off", "--resume")
