"""The structure of the Python package: one directory per mode, shared parts without import cycles, and only one module for each
task that all modes share."""

import ast
import collections
import graphlib
import pathlib
import re
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
PACKAGE = SCRIPTS / "ecbench"
HELP = SCRIPTS / "help.txt"


def modes() -> list[str]:
    """The modes in the help of bench.sh that have a directory: bench has the program of fplot too."""
    listed = re.findall(r"^  bench\.sh ([a-z]+)  ", HELP.read_text("utf-8"), re.MULTILINE)
    return [mode for mode in listed if mode not in ("fplot", "help")] + ["bench"]


def imports() -> dict[str, set[str]]:
    """Maps each module to the modules of the package that it imports. Imports inside functions are included."""
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


class Package(unittest.TestCase):
    def test_every_mode_has_a_folder_of_its_name_with_a_program(self) -> None:
        self.assertIn("tune", modes())
        for mode in modes():
            self.assertTrue((PACKAGE / mode / "program.py").is_file(), mode)

    def test_every_import_names_a_module(self) -> None:
        for module, imported in imports().items():
            for name in imported:
                self.assertTrue(SCRIPTS.joinpath(*name.split(".")).with_suffix(".py").is_file(), f"{module} imports {name}")

    def test_folders_import_each_other_without_a_cycle(self) -> None:
        graph: dict[str, set[str]] = collections.defaultdict(set)
        for module, imported in imports().items():
            graph[folder_of(module)] |= {folder_of(name) for name in imported} - {folder_of(module)}
        graphlib.TopologicalSorter(graph).prepare()  # raises CycleError

    def test_modes_do_not_import_each_other(self) -> None:
        for module, imported in imports().items():
            for name in imported:
                if name.split(".")[1] in modes():
                    self.assertEqual(module.split(".")[1], name.split(".")[1], f"{module} imports {name}")

    def test_shared_parts_do_not_import_modes(self) -> None:
        for module, imported in imports().items():
            if module.split(".")[1] not in modes():
                self.assertFalse([name for name in imported if name.split(".")[1] in modes()], module)

    def test_programs_are_loaded_only_by_their_own_mode(self) -> None:
        """import_module() in a mode loads a part of this mode; mode.py loads the modes."""
        for path in PACKAGE.rglob("*.py"):
            for loaded in re.findall(r"import_module\(([^)]*)", path.read_text("utf-8")):
                self.assertRegex(loaded, f'^f?"ecbench\\.{path.relative_to(PACKAGE).parts[0]}\\.', path)

    def test_shared_parts_do_not_name_modes(self) -> None:
        """A profile is also a part of a point, a run a file, a plan a record of a run file, and share a directory of the system.
        Run files of all versions name modes."""
        names = {*modes(), "fplot"} - {"profile", "plan", "run", "share"}
        for path in PACKAGE.rglob("*.py"):
            folder = path.relative_to(PACKAGE).parts[0]
            if folder not in modes() and path != PACKAGE / "runfile" / "header.py":
                found = {node.value for node in ast.walk(ast.parse(path.read_text("utf-8")))
                         if isinstance(node, ast.Constant) and isinstance(node.value, str)}
                self.assertFalse(found & names, path)

    def test_modules_import_each_other_without_a_cycle(self) -> None:
        graphlib.TopologicalSorter(imports()).prepare()  # raises CycleError

    def test_one_module_each(self) -> None:
        """Each of these tasks has only one module: starting build/ecbench, defining argument types, ending a program, and removing
        home directories."""
        for what in (r'ROOT\b.*"build" / "ecbench"', r"ArgumentTypeError\(", r"(?<!def )end_unwritten\(",
                     r'environ(\.get\(|\[)"HOME"'):
            self.assertEqual(len(modules_with(what)), 1, f"{what}: {modules_with(what)}")
