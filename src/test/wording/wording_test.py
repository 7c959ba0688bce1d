"""Searches the files of the project for the words of words.txt. Case does not matter."""

import pathlib
import re
import subprocess
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MOST_WORDS = {"README.md": 800, "docs/*.md": 14_000}
NOT_OURS = ("results/", "src/test/data/", "src/test/wording/", "packaging/debian/copyright", "LICENSE", ".gitignore", "go.sum",
            "Cargo.lock")


def tracked_files() -> list[pathlib.Path]:
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                           check=True)
    return [ROOT / name for name in names.stdout.splitlines() if not name.startswith(NOT_OURS) and (ROOT / name).is_file()]


class WordingTest(unittest.TestCase):
    def test_no_listed_word_is_used(self) -> None:
        listed = [line.split("\t") for line in (HERE / "words.txt").read_text().splitlines() if not line.startswith("#")]
        words = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in listed]
        one_of_all = re.compile("|".join(f"(?:{pattern})" for pattern, _ in listed), re.IGNORECASE)
        found = []
        for path in tracked_files():
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                if one_of_all.search(line):
                    found += [f"{path}:{number}: '{match[0]}' (write: {instead}): {line.strip()[:140]}"
                              for word, instead in words if (match := word.search(line))]
        self.assertEqual([], found, f"{len(found)} places\n" + "\n".join(found))

    def test_the_manual_is_short(self) -> None:
        for pattern, most in MOST_WORDS.items():
            self.assertLessEqual(sum(len(path.read_text().split()) for path in ROOT.glob(pattern)), most)
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 80)
