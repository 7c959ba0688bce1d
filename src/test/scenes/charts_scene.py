"""Modes that draw pages, on a machine on which the library of the page is missing or half installed: the text is the same, one
line says that the page cannot be made, and the exit code is that without a page."""

import shutil
import sys

import scene

# Runs mode.py with a directory of broken modules before all others.
FIRST = """
import runpy, sys
sys.argv = sys.argv[2:]
sys.path[:0] = [{folder!r}, sys.argv[0].rpartition("/")[0]]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
# The content of vl_convert.py.
BROKEN = {"missing": "raise ModuleNotFoundError(\"No module named 'vl_convert'\", name='vl_convert')", "empty": "",
          "half written": "def broken(:\n", "links": "import ctypes; ctypes.CDLL('/no/such.so')"}
RESULTS = scene.SOURCE / "results"


class Charts(scene.Scene):
    def setUp(self):
        super().setUp()
        (self.folder / "hosts" / "one").mkdir(parents=True)
        shutil.copy(RESULTS / "intel-xeon-family6-model207" / "share-2026-11-26-175820.jsonl.gz", self.folder / "hosts" / "one")

    def ask(self, kind, words):
        """The mode's result with the modules of BROKEN[kind]; `kind` "": without broken modules and without a page."""
        folder = self.folder / kind  # also the path of programs, so that plan does not find crushtool
        if kind:
            folder.mkdir(exist_ok=True)
            (folder / "vl_convert.py").write_text(BROKEN[kind])
        start = [sys.executable, "-E", "-s", "-c", FIRST.format(folder=str(folder)), "-"] if kind else [sys.executable, "-E", "-s"]
        return scene.run([*start, scene.SOURCE / "scripts" / "mode.py", *words], env={"ECBENCH_PLUGIN_DIR": None, "PATH": folder})

    def test_the_text_is_the_same_and_the_page_is_one_line(self):
        page = self.folder / "page.html"
        cluster = ["plan", "hosts=12", "drives=4x8T", "k=4", "m=2", "plugin=isa", "--counts-only", "--ecbench", scene.ECBENCH]
        for words, option, kinds in (
                (cluster, ["--page", page], ("missing", "empty")),
                (["fleet", "report", self.folder / "hosts"], ["--page", page], ("half written", "links"))):
            whole = self.ask("", words)
            for kind in kinds:
                broken = self.ask(kind, [*words, *option])
                self.assertEqual((broken.returncode, broken.stdout), (whole.returncode, whole.stdout), (kind, broken.stderr))
                said = [line for line in broken.stderr.splitlines() if "the page cannot be made" in line]
                self.assertEqual(len(said), 1, broken.stderr)
                self.assertNotIn("Traceback", broken.stderr)
                self.assertFalse(page.exists())
