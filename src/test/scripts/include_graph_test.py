"""The structure of src/. Files include headers only from allowed directories. There is no include cycle between directories, and
also none between the subdirectories of src/benchmark and src/plugins."""

import collections
import graphlib
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
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
FILES = sorted(path for path in SOURCE.rglob("*") if re.fullmatch(r".*\.(cc|h)(\.in)?", path.name)
               and path.relative_to(SOURCE).parts[0] != "test")


def folder_of(file: pathlib.PurePath) -> str:
    """The directory of the file, such as "cli". If this directory is benchmark or plugins, the result includes its subdirectory,
    such as "benchmark/point"."""
    return "/".join(file.parts[:2] if file.parts[0] in ("benchmark", "plugins") else file.parts[:1])


def includes() -> dict[str, set[str]]:
    """Maps each directory to the other directories from which its files include headers. An #include without a directory names a
    header in the same directory."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for path in FILES:
        folder = folder_of(path.relative_to(SOURCE))
        names = re.findall(r'^#include "([^"]+)"', path.read_text("utf-8"), re.MULTILINE)
        found[folder] |= {folder_of(pathlib.PurePath(name)) for name in names if "/" in name} - {folder}
    return found


class IncludeGraph(unittest.TestCase):
    def test_every_file_is_in_a_known_folder(self) -> None:
        self.assertGreater(len(FILES), 100)
        self.assertEqual({path.relative_to(SOURCE).parts[0] for path in FILES}, set(ALLOWED))
        flat = [str(path) for path in FILES if path.parent == SOURCE / "benchmark"]
        self.assertFalse(flat, "files of src/benchmark must be in one of its subdirectories")

    def test_folders_include_only_what_is_below_them(self) -> None:
        for folder, included in includes().items():
            wrong = {name for name in included if name.split("/")[0] not in ALLOWED[folder.split("/")[0]]}
            self.assertFalse(wrong, f"{folder} includes {wrong}")

    def test_folders_include_each_other_without_a_cycle(self) -> None:
        graphlib.TopologicalSorter(includes()).prepare()  # raises CycleError
