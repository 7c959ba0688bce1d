"""bench.sh compare of synthetic runs that have known ratios."""

import dataclasses
import json
import os

import scene
import synthetic_run


class CompareScene(scene.Scene):
    def write(self, name, factor=1.0, sizes=(4096, 131072), start=None, **options):
        """Writes a synthetic run. If `start` is given, the rows of repetition r get the time 05:MM with MM = 2 r + `start`."""
        path = self.folder / name
        synthetic_run.write_run(path, synthetic_run.points(sizes=sizes, packetsizes=(512, 3072)), factor=factor, **options)
        if start is not None:
            records = scene.records_of(path)
            for record in records:
                if "repetition" in record:
                    record["at"] = f"2026-11-21T05:{2 * record['repetition'] + start:02}:00Z"
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    def compared(self, *paths):
        """The rows of both blocks, and the warnings."""
        document = json.loads(self.succeeded(scene.ask("compare", *paths, "--format", "json")).stdout)
        scene.validator("compare").validate(document)
        self.assertEqual(document["files"], list(map(str, paths)))
        return *(block["rows"] for block in document["blocks"]), "\n".join(document["warnings"])

    def test_each_run_has_a_ratio_to_the_first_for_each_common_point(self):
        runs = [self.write("a.jsonl"), self.write("b.jsonl", factor=0.5), self.write("c.jsonl", factor=2, sizes=(4096,))]
        points, means, warnings = self.compared(*runs)
        for name, ratio, count, word in (("B", 0.5, 72, "slower"), ("C", 2, 36, "faster")):
            found = [row for row in points if row["run"] == name]
            self.assertEqual((len(found), {row["verdict"] for row in found}), (count, {word}))
            for row in found:
                self.assertAlmostEqual(row["ratio"], ratio, delta=0.05 * ratio)
                self.assertAlmostEqual(row["gb_per_s"] / row["first_gb_per_s"], row["ratio"])
            of_run = [row for row in means if row["run"] == name]
            self.assertEqual((sum(row["points"] for row in of_run), sum(row[word] for row in of_run)), (count, count))
        self.assertIn("36 of 72 points are only in A", warnings)
        self.assertEqual([row for row in points if row["run"] == "B"], self.compared(*runs[:2])[0])

    def test_the_table_has_each_point_and_ends_with_the_warnings_and_the_answer(self):
        result = self.succeeded(scene.ask("compare", self.write("a.jsonl"), self.write("b.jsonl", factor=0.5, cpu="Intel Xeon")))
        self.assertRegex(result.stdout, r"\nisa reed_sol_van 6\+2 encode of 4 KiB +B +[0-9.]+ +[0-9.]+ +0\.5.* slower +no\n")
        self.assertRegex(result.stdout, r"\njerasure cauchy_good +B +encode +4 KiB +2 +0\.5\d\d +0 +2 +0\n")
        self.assertIn("TWO MACHINES: A was measured on amd-epyc", result.stdout)
        self.assertRegex(result.stdout, r"\nB / A: 0\.5\d\d on average of 72 points; 0 faster, 72 slower, 0 not [a-z ]+\.\n$")

    def test_runs_that_were_not_interleaved_are_a_warning(self):
        for start, said in ((10, "no"), (1, "yes")):
            points, _, warnings = self.compared(self.write("a.jsonl", start=0), self.write("b.jsonl", factor=2, start=start))
            self.assertEqual({row["interleaved"] for row in points}, {said})
            self.assertEqual("72 of 72 points were not interleaved" in warnings, said == "no")

    def test_points_without_a_speed_are_counted(self):
        points, _, warnings = self.compared(self.write("a.jsonl"), self.write("b.jsonl", sizes=(4096,), failed=(0,)))
        self.assertIn("1 points are not compared, because A or B has no measured speed for them", warnings)
        self.assertEqual(len(points), 35)

    def test_a_pipe_is_read_and_a_fifo_without_a_writer_is_empty(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        a, b = self.write("a.jsonl"), self.write("b.jsonl", 0.5)
        self.assert_refused(scene.ask("compare", a, fifo), str(fifo), "empty")
        self.assert_refused(scene.ask("compare", a, "/dev/zero"), "neither a regular file nor a pipe")
        self.succeeded(scene.ask("compare", "/dev/fd/0", b, around=f"cat '{a}' | \"$@\""))

    def test_a_run_with_a_pace_is_neither_compared_nor_exported(self):
        """Its speed is the pace."""
        runs = [self.folder / "a.jsonl", self.folder / "b.jsonl"]
        for run in runs:
            synthetic_run.write_run(run, [dataclasses.replace(point, pace="2000") for point in synthetic_run.points(sizes=(4096,))])
        for words in (["compare", *runs], ["report", *runs, "--format", "text"], *(
                ["report", runs[0], "--format", form] for form in ("bmf", "customBiggerIsBetter", "customSmallerIsBetter"))):
            self.assert_refused(scene.ask(*words), f"run --resume {runs[0]}")
        self.succeeded(scene.ask("report", runs[0], "--format", "text"))

    def test_bad_arguments_are_refused(self):
        a, b, link = self.write("a.jsonl"), self.write("b.jsonl"), self.folder / "link.jsonl"
        link.symlink_to(b)
        for arguments, *said in (([a, b, link], "link.jsonl is given twice"), ([a], "compare", "--help"),
                                 ([a, b, "--format", "xml"], "xml"),
                                 ([a, b, self.write("d.jsonl", sizes=(8192,))], "d.jsonl have no measured point in common")):
            self.assert_refused(scene.ask("compare", *arguments), *said)
