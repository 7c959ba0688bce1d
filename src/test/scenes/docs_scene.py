"""README.md, CONTRIBUTING.md and docs/: each command has valid arguments, each link has a target, and samples are up to date."""

import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import manual
import scene
from ecbench.experiment.expansion import FUNCTIONS
from ecbench.experiment.experiment import CELLS, KEYS, QUESTIONS, named
from ecbench.point.axes import OPTIONS

PAGES = [scene.SOURCE / "README.md", scene.SOURCE / "CONTRIBUTING.md", *sorted((scene.SOURCE / "docs").glob("*.md"))]
MODES = sorted(path.parent.name for path in (scene.SOURCE / "scripts/ecbench").glob("*/program.py"))
EXPERIMENTS = scene.SOURCE / "docs/experiments.md"
PROGRAMS = re.compile(r"(\./bench\.sh|build/ecbench|build/ceph_erasure_code_benchmark|make)(?!\S)|scripts/")
# With these options, ecbench measures nothing, or measures only briefly.
SHORT = {"--help", "list", "--environment", "describe", "reads", "restore", "version", "schema", "chunks", "--iterations", "-i",
         "--pace"}


def code_lines(page: pathlib.Path) -> list[str]:
    """The lines of indented and fenced blocks except sample output (```text), and texts in backticks in tables."""
    lines, fenced = [], False
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            fenced = not fenced and line != "```text"
        elif fenced or line.startswith("    "):
            lines.append(line.strip())
        elif line.startswith("|"):
            lines += re.findall(r"`([^`]+)`", line)
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def commands() -> list[tuple[str, list[str]]]:
    """Name of the page, and the words of each command that needs no variable of the shell."""
    found = []
    for page in PAGES:
        for line in code_lines(page):
            if PROGRAMS.match(line) and "…" not in line and "$" not in line:
                words = shlex.split(line, comments=True)
                found.append((page.name, list(itertools.takewhile(lambda word: word not in ("|", ">"), words))))
    return found


class Samples:
    """Sample files. Their paths replace placeholders in the commands of the pages, such as RUN."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.runs = [str(next((scene.SOURCE / "results").glob(f"*/{name}-*.jsonl*"))) for name in ("packetsize", "ceph")]
        self.chunks = folder / "chunks"
        subprocess.run([scene.ECBENCH, "-p", "clay", "-P", "k=4", "-P", "m=2", "-P", "d=5", "--stripe-unit", "4K", "-s",
                        "1000000", "-i", "1", "--chunks-out", self.chunks], check=True, capture_output=True)
        subprocess.run([*scene.PYTHON, "scripts/mode.py", "conformance", "create", folder / "corpus", "plugin=isa", "k=2", "m=1",
                        "size=4K", "--ecbench", scene.ECBENCH], check=True, capture_output=True, cwd=scene.SOURCE)
        self.experiment = folder / "my.toml"
        self.experiment.write_text(re.findall(r"^```toml\n(.*?)^```", EXPERIMENTS.read_text(), re.MULTILINE | re.DOTALL)[0])
        self.libraries = folder / "libraries"
        self.libraries.mkdir()
        installed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
        isal = next(line.split()[-1] for line in installed.splitlines() if "libisal.so.2" in line)
        (self.libraries / "libisal.so.2").symlink_to(isal)
        self.count = 0

    def replaced(self, word: str) -> str:
        self.count += 1
        for words, replacement in (
                (r"(results/MACHINE/.*|RUN|run|FILE|A)\.jsonl", self.runs[0]), (r"B\.jsonl", self.runs[1]),
                ("INVENTORY|inventory", "node1,"), (r"DIRECTORY|DIR|d|isal-2\.32", self.chunks),
                (r"FILE|object|page\.html", self.folder / f"file{self.count}{pathlib.Path(word).suffix}"),
                (r"OLD_DIR|NEW_DIR|\.\./isa-l/\.libs", self.libraries),
                ("corpus|CORPUS|ceph-erasure-code-corpus", self.folder / "corpus"), (r"my\.toml", self.experiment),
                ("mine", "example"), ("OLD|NEW|main|build", scene.BUILD)):
            if re.fullmatch(words, word):
                return str(replacement)
        return str(shutil.copy(self.runs[0], self.folder / word)) if word == "C.jsonl" else word


class DocsTest(unittest.TestCase):
    def test_every_mode_has_a_page_that_begins_with_a_command(self) -> None:
        for mode in MODES:
            if mode == "bench":  # described in README and on the page about Ceph
                continue
            lines = [line for line in manual.page_of(mode).read_text().splitlines() if line]
            first = itertools.takewhile(lambda line: line.startswith("    "), lines[1:])
            self.assertTrue([line for line in first if re.match(rf"    (make|\./bench\.sh) {mode}\b", line)], lines[:2])

    def test_links_have_targets(self) -> None:
        for page in PAGES:
            text = page.read_text()
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                path, _, anchor = target.partition("#")
                if path.startswith("http"):
                    continue
                linked = (page.parent / path).resolve() if path else page
                self.assertTrue(linked.exists(), f"{page.name}: {target}")
                if anchor:
                    heads = [re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-")
                             for head in re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)]
                    self.assertIn(anchor, heads, f"{page.name}: {target}")

    def test_every_word_of_experiments_is_described(self) -> None:
        words = [*KEYS, *CELLS, *QUESTIONS, *OPTIONS, *(f"{axis}={value}" for axis, value in FUNCTIONS), *named()]
        text = EXPERIMENTS.read_text()
        self.assertEqual([], [word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)])

    def test_commands_are_accepted(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "ECBENCH_INSTALL": "no", "XDG_STATE_HOME": folder, "ECBENCH_RESULTS_DIR": folder}
            samples, tried = Samples(pathlib.Path(folder)), 0
            for page, words in commands():
                command = self.runnable([word if before == "--output" else samples.replaced(word)  # a run is not overwritten
                                         for before, word in zip(["", *words], words)])
                if "chunks" in command:
                    command[command.index("chunks") + 1] = f"{folder}/new chunks {tried}"
                    command[command.index("--input") + 1] = str(scene.SOURCE / "LICENSE")
                if not command:
                    continue
                tried += 1
                ran = subprocess.run(command, cwd=scene.SOURCE, env=environment, capture_output=True, text=True, timeout=100,
                                     check=False)
                self.assertEqual(0, ran.returncode, (page, shlex.join(words), (ran.stdout + ran.stderr)[-2000:]))
        self.assertGreater(tried, 60)

    def runnable(self, words: list[str]) -> list[str]:
        """The command `words`, but fast, and it still fails if its arguments are wrong: most commands only parse their arguments or
        print their help, and ecbench gets --iterations 1. Empty for directories and shell scripts, which are not run."""
        program, rest = words[0], words[1:]
        if program == "make":
            return ["make", "-n", *rest]
        if program == "./bench.sh":
            if rest and (scene.SOURCE / "scripts/experiments" / f"{rest[0]}.toml").exists() and rest[0] not in MODES:
                rest = ["run", *rest]
            if not rest or rest[0] in ("help", "MODE", "fplot", "--resume"):
                return ["./bench.sh", "help"]
            self.assertIn(rest[0], MODES)
            if rest[:2] == ["conformance", "create"]:
                return [*scene.PYTHON, "scripts/mode.py", "--check", *rest]
            is_short = "--counts-only" in rest and (scene.HAS_PAGE_LIBRARY or "--page" not in rest)
            if rest[0] == "conformance" or is_short or rest[0] == "compare":
                program_of_mode = [] if rest[0] == "compare" else ["--ecbench", str(scene.ECBENCH)]
                return [*scene.PYTHON, "scripts/mode.py", *rest, *program_of_mode]
            return [*scene.PYTHON, "scripts/mode.py", "--check", *rest]
        if program.startswith("scripts/"):
            if program.endswith(("/", "/NAME")):  # a directory
                return []
            self.assertTrue((scene.SOURCE / program).exists(), program)
            return [*scene.PYTHON, program, "--help"] if program.endswith(".py") else []
        program = str(scene.BUILD / pathlib.Path(program).name)
        return [program, *rest, *([] if SHORT & set(rest) else ["--iterations", "1"])]

    @unittest.skipUnless((scene.SOURCE / "results/docs").exists(), "no stored samples")
    def test_sample_output_is_that_of_the_stored_runs(self) -> None:
        if scene.BUILD.resolve() != (scene.SOURCE / "build").resolve():
            self.skipTest("the samples' commands use build/")
        ran = subprocess.run([*scene.PYTHON, "scripts/samples.py", "--check"], cwd=scene.SOURCE, capture_output=True, text=True,
                             check=False)
        self.assertEqual(0, ran.returncode, ran.stderr)
