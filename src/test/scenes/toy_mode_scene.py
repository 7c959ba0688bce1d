"""A mode needs at most three files. The test adds a toy mode to a copy of the tree: its program and its line in the help. The mode
then measures, ranks, refuses bad input, and resumes; the rules of the package hold."""

import json
import shutil
import sys

import scene

LINE = "bench.sh toy          compares two plugins\n"
PROGRAM = '''"""bench.sh toy: compares two plugins. Exit code 0; 1 for bad input; 2 if a code returned wrong bytes."""

import argparse

from ecbench.comparison.comparison import Comparison, exit_code
from ecbench.comparison.questions import SELECT
from ecbench.comparison.text import ratio_text
from ecbench.measure import rounds
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.mode import Mode
from ecbench.point.axes import PROFILE, Language, read_axes, single, split
from ecbench.point.point import Point, make_point
from ecbench.process.children import Child

AXES = {"k": PROFILE["k"]}


def points_of(arguments: argparse.Namespace) -> dict[str, Point]:
    k = single(read_axes(split(arguments.words), Language(None, AXES, takes_profiles=False)), "k", 4)
    return {plugin: make_point(plugin, {"technique": "reed_sol_van", "k": k, "m": 2}, "encode", 65536, 0)
            for plugin in ("isa", "jerasure")}


MODE = Mode("toy", SELECT, "bench.sh toy k=4", "Compares two plugins.", "words: k=4", AXES, points_of)
read_arguments = MODE.check


def toy(child: Child) -> int:
    asked = MODE.ask(child)
    points = points_of(asked.arguments)
    run = rounds.measure(MODE.name, asked, Ecbench(find_program(asked.arguments.ecbench), child), points)
    found = Comparison.of_run(run, points)
    for name in found.selection.order:
        verdict = found.selection.verdict(name)
        print(name, f"{found.candidates[name].speed.median:.2f}", verdict.word, ratio_text(verdict.ratio), sep="\\t")
    return exit_code(run, len(found.wrong), len(found.candidates))


def main() -> int:
    return MODE.run(toy)
'''


class Toy(scene.Scene):
    def setUp(self):
        super().setUp()
        self.scripts = self.folder / "scripts"
        shutil.copytree(scene.SOURCE / "scripts", self.scripts, ignore=shutil.ignore_patterns("__pycache__"))
        facts = self.folder / "src" / "benchmark" / "workloads"
        facts.mkdir(parents=True)
        shutil.copy(scene.SOURCE / "src" / "benchmark" / "workloads" / "workloads.inc", facts)
        written = {"ecbench/toy/program.py": PROGRAM, "help.txt": LINE + (self.scripts / "help.txt").read_text("utf-8")}
        self.assertLessEqual(len(written), 3)
        for name, text in written.items():
            path = self.scripts / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")

    def toy(self, *words):
        return scene.run([sys.executable, "-E", "-s", self.scripts / "mode.py", "toy", *words])

    def test_it_measures_ranks_and_resumes(self):
        run = self.folder / "run.jsonl"
        words = ["--ecbench", scene.FAKE, "--min-time", "0.01", "--rounds", "6"]
        first = self.toy("k=6", *words, "--output", run)
        self.assertEqual(first.returncode, 0, first.stderr)
        lines = [line.split("\t") for line in first.stdout.splitlines()]
        self.assertEqual({line[0] for line in lines}, {"isa", "jerasure"})
        self.assertEqual(lines[0][3].partition(" ")[0], "1.00")
        self.assertEqual(json.loads(run.read_text("utf-8").splitlines()[0])["mode"], "toy")
        self.assertEqual(self.toy("--resume", run).stdout, first.stdout)

    def test_it_refuses_bad_input_in_one_line(self):
        result = self.toy("k=x")
        self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (1, "", 1))

    def test_the_rules_of_the_package_hold(self):
        copy = self.folder / "src" / "test" / "scripts" / "package_test.py"
        copy.parent.mkdir(parents=True)
        shutil.copy(scene.SOURCE / "src" / "test" / "scripts" / "package_test.py", copy)
        result = scene.run([sys.executable, "-E", "-s", copy])
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    scene.main()
