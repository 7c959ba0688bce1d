"""bench.sh report reads run files, and writes a page and a summary. It refuses input files that are not run files. It never
overwrites a file that it did not write."""

import gzip
import importlib.util
import json
import pathlib
import sys
import unittest

import scene

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "page"))

import synthetic_run

MISSING = [name for name in ("matplotlib", "jinja2") if importlib.util.find_spec(name) is None]


def report(*arguments, cwd=None):
    return scene.run(scene.mode("report", *arguments), cwd=cwd)


class ReportScene(scene.Scene):
    def setUp(self):
        super().setUp()
        self.run_file = self.folder / "some.jsonl"
        points = synthetic_run.points(sizes=(4096,), packetsizes=(512, 3072))
        synthetic_run.write_run(self.run_file, points)

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def assert_refused_untouched(self, arguments, *words):
        before = self.files()
        self.assert_refused(report(*arguments, cwd=self.folder), *words)
        self.assertEqual(self.files(), before)


class Help(scene.Scene):
    def test_help_needs_neither_a_build_nor_matplotlib(self):
        result = report("--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("--output", result.stdout)


@unittest.skipIf(MISSING, f"{' and '.join(MISSING)} missing: scripts/install-deps.sh report installs what the page needs")
class Report(ReportScene):
    def test_writes_the_page_and_the_summary_next_to_the_run(self):
        result = report(self.run_file)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(set(self.files()), {"some.jsonl", "some.html", "some.md"})
        self.assertEqual(result.stdout.split("\n")[:2], [str(self.folder / "some.html"), str(self.folder / "some.md")])
        self.assertIn("## Which packetsize", (self.folder / "some.md").read_text("utf-8"))

    def test_what_an_unfinished_run_has_not_reached_is_no_failure(self):
        """Runs that end in their first round, of 36 points."""
        lines = self.run_file.read_text("utf-8").splitlines(keepends=True)
        for count in (8, 20, 30):
            path = self.folder / f"{count}.jsonl"
            path.write_text("".join(lines[:count]), "utf-8")
            result = report(path)
            texts = [path.with_suffix(suffix).read_text("utf-8") for suffix in (".html", ".md")]
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("<td>not measured", texts[0])
            for text in texts:
                self.assertNotIn("cause of the failures", text)
            self.assertIn("continue the run with --resume", texts[1])

    def test_the_page_of_a_compressed_run_is_the_same(self):
        report(self.run_file)
        plain = self.files()
        compressed = self.run_file.with_name("other.jsonl.gz")
        compressed.write_bytes(gzip.compress(self.run_file.read_bytes()))
        result = report(compressed)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.files().keys() - plain.keys(), {"other.jsonl.gz", "other.html", "other.md"})
        self.assertEqual(self.files()["other.md"], plain["some.md"])
        compressed.write_bytes(compressed.read_bytes()[:-30])
        self.assert_refused_untouched([compressed], "other.jsonl.gz", "cut off")

    def test_overwrites_its_own_page(self):
        report(self.run_file)
        first = self.files()
        result = report(self.run_file)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.files(), first)

    def test_writes_to_the_output(self):
        result = report(self.run_file, "--output", self.folder / "page.html")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(set(self.files()), {"some.jsonl", "page.html", "page.md"})

    def test_overwrites_no_other_files(self):
        (self.folder / "page.html").write_text("<p>mine</p>")
        self.assert_refused_untouched([self.run_file, "--output", "page.html"], "page.html", "not overwritten")
        (self.folder / "some.md").write_text("# mine")
        self.assert_refused_untouched([self.run_file], "some.md", "not overwritten")
        self.assert_refused_untouched([self.run_file, "--output", self.run_file], "must end in .html")

    def test_refuses_what_cannot_be_written(self):
        self.assert_refused_untouched([self.run_file, "--output", "nowhere/page.html"], "nowhere/page.html")

    def test_refuses_what_is_no_run(self):
        lines = self.run_file.read_text("utf-8").splitlines(keepends=True)
        other = json.loads(lines[1])
        bad = {"empty.jsonl": "", "foreign.jsonl": '{"some": "thing"}\n', "text.jsonl": "no JSON\n",
               "cut.jsonl": "".join(lines)[:-30],
               "mixed.jsonl": "".join(lines[:1]) + json.dumps({**other, "id": "0" * 12}) + "\n"}
        for name, text in bad.items():
            with self.subTest(name):
                (self.folder / name).write_text(text, encoding="utf-8")
                self.assert_refused_untouched([name], name)
        self.assert_refused_untouched(["absent.jsonl"], "absent.jsonl")

    def test_refuses_unknown_options(self):
        self.assert_refused_untouched([], "RUN")
        self.assert_refused_untouched([self.run_file, "--colour"], "--colour")
        self.assert_refused_untouched([self.run_file, self.run_file], "given twice")

    def test_a_run_without_any_figure_is_a_page_that_says_so(self):
        points = list(synthetic_run.points(sizes=(4096,), packetsizes=(512,)))
        synthetic_run.write_run(self.run_file, points, failed=range(len(points)))
        result = report(self.run_file)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1))
        self.assertIn("No point has a figure", (self.folder / "some.html").read_text("utf-8"))

    def test_the_summary_of_many_points_is_short_enough_to_paste(self):
        from ecbench.report.pages import Report as Drawn
        from ecbench.runfile.run_file import read_run
        from ecbench.runfile.summary import summarize
        synthetic_run.write_run(self.run_file, synthetic_run.many_points(6000), repetitions=1)
        run = read_run(self.run_file)
        text = Drawn([run], [summarize(run)]).summary()
        self.assertLess(len(text), 65000)
        self.assertTrue("only in the HTML page" in text)


if __name__ == "__main__":
    scene.main()
