"""words.txt lists words that the project does not use. This test fails if one of these words is in a document, comment, docstring
or string. exceptions.txt lists the places where such a word is allowed."""

import io
import pathlib
import re
import subprocess
import tokenize
import unittest
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
MOST_WORDS = {"README.md": 800, "docs/*.md": 14_000}
NOT_OURS = ("results/", "src/test/data/", "src/test/wording/", "LICENSE", ".gitignore", "go.sum", "Cargo.lock")


def tracked_files() -> list[str]:
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True,
                           check=True)
    return [name for name in names.stdout.splitlines() if not name.startswith(NOT_OURS) and (ROOT / name).is_file()]


def python_texts(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield from enumerate(token.string.splitlines(), token.start[0])


def c_texts(source: str) -> Iterator[tuple[int, str]]:
    for found in COMMENT_OR_STRING.finditer(source):
        yield from enumerate(found.group().splitlines(), source.count("\n", 0, found.start()) + 1)


def texts_of(name: str, source: str) -> Iterator[tuple[int, str]]:
    """Yields lines of a file with their line numbers. For files in Python, C++, Rust and Go, yields only the lines of comments and
    strings. For other files, yields all lines."""
    if name.endswith(".py"):
        yield from python_texts(source)
    elif name.endswith((".cc", ".h", ".in", ".rs", ".go")):
        yield from c_texts(source)
    else:
        yield from enumerate(source.splitlines(), 1)


def table(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


class WordingTest(unittest.TestCase):
    def test_no_listed_word_is_used(self) -> None:
        words = [(re.compile(word.removeprefix("code "), re.IGNORECASE), word.startswith("code "), instead)
                 for word, instead in table("words.txt")]
        one_of_all = re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _, _ in words), re.IGNORECASE)
        exceptions, used, found = table("exceptions.txt"), set(), []
        for name in tracked_files():
            try:
                source = (ROOT / name).read_text()
            except UnicodeDecodeError:
                continue
            lines = [(number, line) for number, line in enumerate(source.splitlines(), 1) if one_of_all.search(line)]
            texts = [(number, line) for number, line in texts_of(name, source) if one_of_all.search(line)]
            for pattern, in_code, instead in words:
                for number, line in lines if in_code else texts:
                    if not (match := pattern.search(line)):
                        continue
                    allowed = [tuple(entry) for entry in exceptions if entry[0] == name and entry[1] in line]
                    used.update(allowed)
                    if not allowed:
                        found.append(f"{name}:{number}: '{match.group()}' (write: {instead}): {line.strip()[:140]}")
        self.assertEqual([], sorted(set(found)), f"{len(set(found))} places\n" + "\n".join(sorted(set(found))))
        unused = [entry for entry in exceptions if tuple(entry) not in used]
        self.assertEqual([], unused, "these exceptions match no line with a listed word")

    def test_the_manual_is_short(self) -> None:
        for pattern, most in MOST_WORDS.items():
            self.assertLessEqual(sum(len(path.read_text().split()) for path in ROOT.glob(pattern)), most)
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 80)
