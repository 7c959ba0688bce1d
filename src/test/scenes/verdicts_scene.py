"""A verdict is the truth, or there is none, also if all measurements of a run or of one side fail. The times are invented."""

import dataclasses
import html
import itertools
import json
import platform
import re
import shutil
from typing import Any

import jsonschema
import scene
from ecbench.gate.program import schema as gate_schema

FAILURES = ("killed", "refused", "exit", "no_row")
ROUNDS = ["--rounds", "6", "--min-time", "0.001", "--seed", "1"]
SHAPE = ["k=4", "m=2", "size=4K"]
CODES = [*SHAPE, "plugin=isa,simd", "technique=reed_sol_van", "workload=encode"]


@dataclasses.dataclass(frozen=True)
class Mode:
    words: list[str]
    side: dict[str, Any]  # the facts of the measurements of one side
    environment: dict[str, Any] = dataclasses.field(default_factory=dict)
    has_verdict: bool = True  # False: the mode prints only a table


SIMD = {"plugin": "simd"}
CASE = ["4+2", "size=4K", "cache=warm", "workload=encode"]
MODES = {
    "run": Mode([*CODES, "--rounds", "6", "--min-time", "0.001"], SIMD, has_verdict=False),
    "tune": Mode([*CODES, "--rounds", "6", "--seed", "1"], SIMD),
    "libraries": Mode([*CASE, "library=isa,simd", *ROUNDS], SIMD),
    "libraries, several candidates": Mode([*CASE, "library=isa,jerasure-xor", *ROUNDS], {"plugin": "jerasure"}),
    "mixed": Mode(["4+2", "size=64K", "--min-time", "0.001", "--seed", "1"], {"background": "repair"}, has_verdict=False),
    "plan": Mode(["hosts=8", "drives=4x1T", "k=4", "m=2", "plugin=isa,clay", "object=64K", "--rounds", "1", "--min-time", "0.001"],
                 {"plugin": "clay"}, has_verdict=False),
    "bench": Mode(["k=6", "m=2"], {"plugin": "jerasure"}, {
        "SIZE": "4096", "ITERATIONS": "1", "PLUGINS": "isa jerasure", "TECHNIQUES": "reed_sol_van",
        "CEPH_ERASURE_CODE_BENCHMARK": scene.FAKE}),
}
GATES = {"ab": ["--launches", "7", "--pairs", "2"], "ir": ["--native=only"]}


class VerdictScene(scene.Scene):
    def run_mode(self, name, *rules, words=None, results="results"):
        one = MODES[name]
        mode = name.partition(",")[0]
        self.invent(*rules)
        return scene.ask(mode, *(words or one.words), *([] if mode == "bench" else ["--ecbench", scene.FAKE]), env={
            **one.environment, "ECBENCH_RESULTS_DIR": self.folder / results})


EQUAL = {"if": SIMD, "speed": 1 / 3}  # the usual speed of simd is three times that of isa
SLOWER = {"if": SIMD, "speed": 0.9}
DISTURBED = {"disturbed": 1}


class Truth(VerdictScene):
    def test_libraries(self):
        for rules, marks, said in (
                ((EQUAL,), ["*", "="], r"(sure|likely): (isa|simd) is the fastest \((isa|simd) ties\)"),
                ((EQUAL, SLOWER), ["*"], r"sure: isa is the fastest \(11 % faster than simd\)"),
                ((EQUAL, DISTURBED), None, r"(likely: (isa|simd) is the fastest|unsure: (isa|simd) is ahead).*")):
            text = self.run_mode("libraries", *rules).stdout
            self.assertRegex(text, rf"\n{said}\n$")
            self.assertIn(marks, (None, sorted(re.findall(r" ([*=])\d", text))))

    def test_an_experiment_of_a_user(self):
        path = self.folder / "mine.toml"
        path.write_text('question = "change"\ncandidate = ["plugin"]\nreference = { plugin = "isa" }\nrounds = 8\n'
                        'table = { rows = ["size"], columns = ["plugin"], cells = ["ratio", "verdict"] }\n'
                        'points = ["plugin=isa,simd technique=reed_sol_van 4+2 size=4K,64K workload=encode"]\n')
        for rules, verdict in (((EQUAL,), "no regression"), ((EQUAL, SLOWER), "slower"), ((), "faster")):
            result = self.run_mode("run", *rules, words=[path, "--min-time", "0.001", "--seed", "1"], results=verdict)
            self.assertEqual((result.returncode, result.stdout.count(f"  {verdict}\n")), (0, 2), result.stdout)

        for words, code, said in (("w=7", 1, "nothing can be compared with the reference plugin=isa, because"),
                                  ("w=8 k=4,40 m=2", 0, "2 of 4 cases have no comparison")):
            path.write_text(path.read_text().replace("isa,simd", "isa,jerasure"))
            result = self.run_mode("run", words=[path, *words.split(), "--dry-run"], results=words)
            self.assertEqual((result.returncode, said in result.stderr), (code, True), result.stderr)

    def test_mixed(self):
        """Unlimited repairs double the latencies, and others change nothing."""
        for rules, slower in (((), 0), (({"if": MODES["mixed"].side, "speed": 0.5},), 2)):
            result = self.succeeded(self.run_mode("mixed", *rules, results=f"{slower} slower"))
            found = re.findall(r"  (?:encode|decode) +repair +.* 2\.0\d .* slower ", result.stdout)
            self.assertEqual(len(found), slower, result.stdout)
            self.assertEqual(result.stdout.count("  no regression  "), 6 - slower, result.stdout)

    def test_gate(self):
        sides = self.side("old"), self.side("new")
        for speed, code, verdict in ((1, 0, "no"), (0.9, 3, "slower"), (1.1, 0, "faster")):
            self.invent({"if": {"program": "new"}, "speed": speed})
            words = ["--grid", " ".join(CODES), "--format", "json"]
            result = scene.ask("gate", "ab", *sides, *words)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual({point["verdict"].split()[0] for point in json.loads(result.stdout)["points"]}, {verdict})


class Failures(VerdictScene):
    def test_without_any_figure_the_exit_code_is_1_and_without_those_of_one_side_the_answer_is_unsure(self):
        for number, (name, one) in enumerate(MODES.items()):
            kind = FAILURES[number % len(FAILURES)]
            result = self.run_mode(name, {"fail": kind})
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertNotIn("Traceback", result.stderr)
            self.assertNotIn("fastest", result.stdout)
            self.forget()
            # In bench, as in Ceph, rows for which the program ends with an exit code are left out.
            result = self.run_mode(name, {"if": one.side, "fail": "killed" if name == "bench" else kind})
            self.assertIn(result.returncode, (0, 1), result.stderr)
            if one.has_verdict and result.returncode == 0:
                self.assertRegex(result.stdout + result.stderr, "unsure|inconclusive")  # bench: on standard error

    def test_a_gate_without_figures_of_one_side_or_both_names_it_and_its_files_say_so(self):
        old, new = self.side("old"), self.side("new")
        sides = (["new"], ["old"], ["old", "new"], ["new"], ["old"])
        files = {name: self.folder / f"gate.{name}" for name in ("json", "markdown")}
        for gate, (kind, failing) in itertools.product(GATES, zip([*FAILURES, "wrong_bytes"], sides, strict=True)):
            if gate == "ir" and scene.is_sanitized():  # single-stepping takes too long
                continue
            self.invent({"if": {"program": failing}, "fail": kind})
            words = ["--grid", "plugin=isa technique=reed_sol_van k=4 m=2 size=1K workload=encode"]
            for name, path in files.items():
                path.write_text("no regression in an earlier run")
                words += [f"--{name}", path]
            result = scene.ask("gate", gate, old, new, *words, *GATES[gate])
            self.assertEqual(result.returncode, 2 if kind == "wrong_bytes" else 1, result.stderr)
            self.assertNotIn("Traceback", result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertRegex(result.stderr, rf"reed_sol_van 4\+2 encode of 1 KiB: ({'|'.join(failing).upper()}), {self.folder}")
            document = json.loads(files["json"].read_text())
            jsonschema.validate(document, gate_schema())
            self.assertEqual(document["exit_code"], result.returncode)
            self.assertIn(document["why"], result.stderr)
            self.assertIn(document["why"], html.unescape(files["markdown"].read_text()))

    def test_runs_without_figures_are_not_compared(self):
        """Modes that only read runs: a run in which one side failed, and a run in which everything failed."""
        runs = {}
        for name, rules in (("all", [{"fail": "killed"}]), ("one", [{"if": SIMD, "fail": "killed"}]), ("none", [])):
            result = self.run_mode("run", *rules, results=name)
            self.assertEqual(result.returncode, int(name == "all"), result.stderr)
            runs[name], = (self.folder / name).rglob("*.jsonl")
            target = self.folder / f"fleet {name}" / platform.node().partition(".")[0] / "run.jsonl"
            target.parent.mkdir(parents=True)
            shutil.copy(runs[name], target)
        for words, code in ((["compare", runs["all"], runs["none"]], 1), (["compare", runs["all"], runs["all"]], 1),
                            (["fleet", "report", self.folder / "fleet all"], 1),
                            (["fleet", "report", self.folder / "fleet one"], 0)):
            result = scene.ask(*words)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertTrue(code == 1 or "inconclusive" in result.stdout, result.stdout)
        for name, code in (("all", 1), ("one", 0)):
            result = scene.ask("report", runs[name], "--format", "text")
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertTrue(code == 1 or "inconclusive" in result.stdout, result.stdout)
