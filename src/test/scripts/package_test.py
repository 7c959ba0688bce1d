"""The parts of ecbench in Python and C++ use only what is below them; studies print their help; all names of the version agree."""

import ast
import collections
import functools
import graphlib
import os
import pathlib
import re
import subprocess
import unittest

from ecbench.installation.places import SCRIPTS, SOURCE, version

PACKAGE = SCRIPTS / "ecbench"


def modes() -> list[str]:
    """The modes in the help of bench.sh that have a directory: bench has the program of fplot too."""
    listed = re.findall(r"^  bench\.sh ([a-z]+)  ", (SCRIPTS / "help.txt").read_text("utf-8"), re.MULTILINE)
    return [mode for mode in listed if mode not in ("fplot", "help")] + ["bench"]


@functools.cache
def imports() -> dict[str, set[str]]:
    """Module → modules of the package that it imports, also inside functions."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        name = ".".join(path.relative_to(SCRIPTS).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ecbench":
                folder = SCRIPTS.joinpath(*node.module.split(".")).is_dir()
                found[name] |= {f"{node.module}.{alias.name}" for alias in node.names} if folder else {node.module}
            elif isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names if alias.name.startswith("ecbench.")}
    return found


def folder_of(module: str) -> str:
    return module.rpartition(".")[0]


def modules_with(pattern: str) -> list[str]:
    return sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if re.search(pattern, path.read_text("utf-8")))


MOST_LINES = 18_500


class Package(unittest.TestCase):
    def test_it_stays_small(self) -> None:
        lines = {path: len(path.read_text("utf-8").splitlines()) for path in SCRIPTS.rglob("*.py")}
        self.assertLessEqual(len(lines), 110)
        self.assertLessEqual(sum(lines.values()), MOST_LINES)
        self.assertLessEqual(max(lines.values()), 400)
        self.assertLessEqual(len(modes()), 12)
        for path in (SCRIPTS / "experiments").glob("*.toml"):
            self.assertLessEqual(len(path.read_text("utf-8").splitlines()), 40, path)

    def test_every_mode_has_a_folder_of_its_name_with_a_program(self) -> None:
        self.assertIn("tune", modes())
        for mode in modes():
            self.assertTrue((PACKAGE / mode / "program.py").is_file(), mode)

    def test_folders_and_modules_import_each_other_without_a_cycle(self) -> None:
        graphlib.TopologicalSorter(imports()).prepare()  # raises CycleError
        graph: dict[str, set[str]] = collections.defaultdict(set)
        for module, imported in imports().items():
            graph[folder_of(module)] |= {folder_of(name) for name in imported} - {folder_of(module)}
        graphlib.TopologicalSorter(graph).prepare()

    def test_only_a_mode_imports_its_modules(self) -> None:
        for module, imported in imports().items():
            for name in imported:
                if name.split(".")[1] in modes():
                    self.assertEqual(module.split(".")[1], name.split(".")[1], f"{module} imports {name}")

    def test_programs_are_loaded_only_by_their_own_mode(self) -> None:
        """import_module() in a mode loads a part of this mode; mode.py loads the modes."""
        for path in PACKAGE.rglob("*.py"):
            for loaded in re.findall(r"import_module\(([^)]*)", path.read_text("utf-8")):
                self.assertRegex(loaded, f'^f?"ecbench\\.{path.relative_to(PACKAGE).parts[0]}\\.', path)

    def test_shared_parts_do_not_name_modes(self) -> None:
        """profile, plan, run and share also have other meanings. Run files of all versions name modes."""
        names = {*modes(), "fplot"} - {"profile", "plan", "run", "share"}
        for path in PACKAGE.rglob("*.py"):
            folder = path.relative_to(PACKAGE).parts[0]
            if folder not in modes() and path != PACKAGE / "runfile" / "header.py":
                found = {node.value for node in ast.walk(ast.parse(path.read_text("utf-8")))
                         if isinstance(node, ast.Constant) and isinstance(node.value, str)}
                self.assertFalse(found & names, path)

    def test_one_module_each(self) -> None:
        """Starts build/ecbench, defines argument types, ends a program, removes home directories."""
        for what in (r'ROOT\b.*"build" / "ecbench"', r"ArgumentTypeError\(", r"(?<!def )end_unwritten\(",
                     r'environ(\.get\(|\[)"HOME"'):
            self.assertEqual(len(modules_with(what)), 1, f"{what}: {modules_with(what)}")


SRC = SOURCE / "src"
# Maps each directory to the directories from which its files may include headers.
ALLOWED = {
    "erasure_code": set(),
    "foreign_code": {"erasure_code"},
    "plugins": {"erasure_code", "foreign_code", "plugins"},
    "benchmark": {"erasure_code", "benchmark"},
    "restore": {"erasure_code", "benchmark"},
    "report": {"erasure_code", "benchmark"},
    "cli": {"erasure_code", "benchmark", "restore", "report"},
}
FILES = sorted(path for path in SRC.rglob("*") if re.fullmatch(r".*\.(cc|h)(\.in)?", path.name)
               and path.relative_to(SRC).parts[0] != "test")


def room_of(file: pathlib.PurePath) -> str:
    """Such as "cli" or "benchmark/point"."""
    return "/".join(file.parts[:2] if file.parts[0] in ("benchmark", "plugins") else file.parts[:1])


def includes() -> dict[str, set[str]]:
    """Directory → others whose headers its files include. An #include without a directory names one in the same directory."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for path in FILES:
        folder = room_of(path.relative_to(SRC))
        names = re.findall(r'^#include "([^"]+)"', path.read_text("utf-8"), re.MULTILINE)
        found[folder] |= {room_of(pathlib.PurePath(name)) for name in names if "/" in name} - {folder}
    return found


class IncludeGraph(unittest.TestCase):
    def test_every_file_is_in_a_known_folder(self) -> None:
        self.assertGreater(len(FILES), 100)
        self.assertEqual({path.relative_to(SRC).parts[0] for path in FILES}, set(ALLOWED))
        flat = [str(path) for path in FILES if path.parent == SRC / "benchmark"]
        self.assertFalse(flat, "files of src/benchmark must be in one of its subdirectories")

    def test_folders_include_only_what_is_below_them_without_a_cycle(self) -> None:
        for folder, included in includes().items():
            wrong = {name for name in included if name.split("/")[0] not in ALLOWED[folder.split("/")[0]]}
            self.assertFalse(wrong, f"{folder} includes {wrong}")
        graphlib.TopologicalSorter(includes()).prepare()  # raises CycleError


STUDIES = SCRIPTS / "studies"


class Studies(unittest.TestCase):
    def test_each_prints_its_help_and_is_in_the_readme(self) -> None:
        programs = [path for path in STUDIES.glob("*.py") if path.stat().st_mode & 0o111]
        self.assertIn(STUDIES / "busy_cpu.py", programs)
        readme = (STUDIES / "README.md").read_text("utf-8")
        for program in programs:
            result = subprocess.run([program, "--help"], capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertTrue(result.stdout.startswith(f"usage: {program.name}"), result.stdout)
            self.assertRegex(readme, rf"\| `{program.name}[ `]")


BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))
LONGEST_CHANGELOG = 40  # lines of a release


class Version(unittest.TestCase):
    def setUp(self):
        declared = re.search(r"^project\(ecbench VERSION (\d+\.\d+\.\d+) ", (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
        self.version = declared[1]

    def test_the_changelog_begins_with_it(self):
        releases = re.split(r"^## ", (SOURCE / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
        first = next(release for release in releases if not release.startswith("Unreleased"))
        self.assertRegex(first.splitlines()[0], rf"^{re.escape(self.version)} - \d{{4}}-\d\d-\d\d$")
        self.assertLessEqual(len(first.splitlines()), LONGEST_CHANGELOG)

    @unittest.skipUnless((BUILD / "ecbench").exists(), "needs a build")
    def test_the_program_and_the_installed_modes_know_it(self):
        printed = subprocess.run([BUILD / "ecbench", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed.splitlines()[0], f"ecbench {self.version}")
        self.assertIn(f'"version": "{self.version}"', (BUILD / "installed.json").read_text())

    def test_the_modes_and_the_readme_name_it(self):
        self.assertEqual(version(), self.version)
        self.assertEqual(re.findall(r"^Version (\d+\.\d+\.\d+) ", (SOURCE / "README.md").read_text(), re.MULTILINE), [self.version])

    def test_no_page_names_another(self):
        for page in (*SOURCE.glob("docs/*.md"), SOURCE / "README.md", SOURCE / "action.yml"):
            for found in re.findall(r"ecbench[- _](\d+\.\d+\.\d+)", page.read_text()):
                self.assertEqual(found, self.version, page)
