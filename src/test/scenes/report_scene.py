"""bench.sh report, also without the library of the page."""

import json
import shutil
import sys
import unittest

import scene
import synthetic_run

RESULTS = scene.SOURCE / "results"


class ReportScene(scene.Scene):
    def setUp(self):
        super().setUp()
        self.run_file = self.folder / "some.jsonl"
        points = synthetic_run.points(sizes=(4096,), packetsizes=(512, 3072))
        synthetic_run.write_run(self.run_file, points)

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def succeeded(self, *arguments):
        return self.silent(scene.ask("report", *arguments)).stdout.splitlines()

    def assert_refused_untouched(self, arguments, *words):
        before = self.files()
        self.assert_refused(scene.ask("report", *arguments, cwd=self.folder), *words)
        self.assertEqual(self.files(), before)


class WithoutTheLibrary(ReportScene):
    """A copy of the scripts has no build directory, and thus no library of the page."""

    def setUp(self):
        super().setUp()
        scene.copy_scripts(self.folder / "clone")
        shutil.copy(scene.SOURCE / "CMakeLists.txt", self.folder / "clone")

    def mode(self, *words):
        return scene.run([sys.executable, "-E", "-s", self.folder / "clone/scripts/mode.py", *words])

    def test_the_summary_is_written_and_a_line_says_how_to_get_the_page(self):
        result = self.mode("report", self.run_file)
        self.assertEqual((result.returncode, result.stdout), (0, f"{self.folder / 'some.md'}\n"))
        self.assertRegex(result.stderr, "^ecbench: the page cannot be made: .*install-deps.sh report.*\n$")
        self.assertFalse((self.folder / "some.html").exists())
        self.assertEqual(self.mode("report", self.run_file, "--output", self.folder / "a.html").returncode, 1)  # it was asked for
        for form in ("text", "json"):
            result = self.mode("report", self.run_file, "--format", form)
            self.assertEqual((result.returncode, result.stderr, result.stdout),
                             (0, "", scene.ask("report", self.run_file, "--format", form).stdout))
        scene.validator("report").validate(json.loads(result.stdout))

    def test_a_broken_library_is_one_line(self):
        hosts = self.folder / "hosts/one"
        hosts.mkdir(parents=True)
        shutil.copy(RESULTS / "intel-xeon-family6-model207/share-2026-11-26-175820.jsonl.gz", hosts)
        words, page = ["fleet", "report", hosts.parent], self.folder / "page.html"
        whole = self.mode(*words)
        for content in ("", "def broken(:\n", "import ctypes; ctypes.CDLL('/no/such.so')"):
            (self.folder / "clone/scripts/vl_convert.py").write_text(content)
            broken = self.mode(*words, "--page", page)
            self.assertEqual((broken.returncode, broken.stdout), (whole.returncode, whole.stdout))
            self.assertEqual(broken.stderr.count("the page cannot be made: vl-convert-python fails"), 1, broken.stderr)
            self.assertNotIn("Traceback", broken.stderr)
            self.assertFalse(page.exists())


@unittest.skipUnless(scene.HAS_PAGE_LIBRARY, "scripts/install-deps.sh report installs what the page needs")
class Report(ReportScene):
    def test_a_directory_is_one_page(self):
        (self.folder / "runs").mkdir()
        self.assert_refused_untouched(["runs"], "has no run file")
        self.run_file.rename(self.folder / "runs/some.jsonl")
        self.succeeded(self.folder / "runs", "--output", self.folder / "index.html")
        self.assertIn('href="./runs/some.jsonl"', (self.folder / "index.html").read_text("utf-8"))

    def test_writes_the_page_and_the_summary_next_to_the_run_or_to_the_output(self):
        for name, words in (("some", ()), ("page", ("--output", self.folder / "page.html"))):
            self.assertEqual(self.succeeded(self.run_file, *words), [str(self.folder / f"{name}{end}") for end in (".html", ".md")])
        before = self.files()
        self.assertEqual(set(before), {"some.jsonl", "some.html", "some.md", "page.html", "page.md"})
        self.succeeded(self.run_file)
        self.assertEqual(self.files(), before)
        self.assertIn("## Which packetsize", (self.folder / "some.md").read_text("utf-8"))

    def test_what_an_unfinished_run_has_not_reached_is_no_failure(self):
        """Runs that end in their first round, of 36 points."""
        lines = self.run_file.read_text("utf-8").splitlines(keepends=True)
        for count in (8, 20, 30):
            path = self.folder / f"{count}.jsonl"
            path.write_text("".join(lines[:count]), "utf-8")
            text = "\n".join(self.succeeded(path, "--format", "text"))
            self.assertNotIn("failed", text)
            self.assertIn("continue the run with --resume", text)
            self.assertIn('"certainty": "not measured"', "\n".join(self.succeeded(path, "--format", "json")))

    def test_bad_arguments_are_refused_and_no_other_file_is_overwritten(self):
        for arguments, word in (([], "PATH"), ([self.run_file] * 2, "given twice"), (["absent.jsonl"], "absent.jsonl"),
                                ([self.run_file, "--format", "bmf", "--output", "a.html"], "prints to standard output"),
                                ([self.run_file, "--check", "--output", "a.html"], "--check prints to standard output"),
                                ([self.run_file, "--check", "--format", "json"], "not allowed with")):
            self.assert_refused_untouched(arguments, word)
        (self.folder / "page.html").write_text("<p>mine</p>")
        self.assert_refused_untouched([self.run_file, "--output", "page.html"], "page.html", "not overwritten")
        (self.folder / "some.md").write_text("# mine")
        self.assert_refused_untouched([self.run_file], "some.md", "not overwritten")
        self.assert_refused_untouched([self.run_file, "--output", self.run_file], "ends in .html")
        self.assert_refused_untouched([self.run_file, "--output", "nowhere/page.html"], "nowhere/page.html")

    def test_a_run_without_any_figure_is_a_page_that_says_so(self):
        points = list(synthetic_run.points(sizes=(4096,), packetsizes=(512,)))
        synthetic_run.write_run(self.run_file, points, failed=range(len(points)))
        result = scene.ask("report", self.run_file)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1))
        self.assertIn("No point has a figure", (self.folder / "some.html").read_text("utf-8"))


class Directories(ReportScene):
    def test_a_directory_that_cannot_be_read_is_named(self):
        (self.folder / "runs/closed").mkdir(parents=True, mode=0)
        self.run_file.rename(self.folder / "runs/some.jsonl")
        for option in ("--check", "--format=text"):
            result = scene.run([*scene.AS_USER, *scene.mode("report", self.folder / "runs", option)])
            self.assert_refused(result, str(self.folder / "runs/closed"), "cannot be read")
