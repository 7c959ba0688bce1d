#!/usr/bin/env python3
"""mutations.py [CMAKE OPTION...]: checks whether the tests find bugs. Copies the last commit to a git worktree in a temporary
directory. For each mutation of mutations.toml, changes this copy, builds it, and runs those tests of `make test` that must fail.
If the environment variable MUTATIONS is set to TEXT, uses only the mutations whose file or description contains TEXT.

The exit code is 1 in these cases:
- The copy does not build with a mutation.
- A test that must fail passes with its mutation.
- A test fails without a mutation.
- The line that a mutation replaces does not occur in the file, or occurs more than once."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass

LIST = pathlib.Path(__file__).with_name("mutations.toml")
SECONDS_FOR_A_TEST = 300  # a bug may cause an endless loop
FOUND, MISSED, UNBUILT = "found", "NOT FOUND", "DOES NOT BUILD"


class Failure(Exception):
    pass


@dataclass(frozen=True)
class Mutation:
    bug: str
    file: str
    line: str
    instead: str
    tests: tuple[str, ...]

    def apply(self, tree: pathlib.Path) -> str:
        """Replaces `line` with `instead` in the file. Returns the text of the file before this change."""
        path = tree / self.file
        text = path.read_text("utf-8") if path.is_file() else ""
        pattern = re.compile(rf"^(\s*){re.escape(self.line)}$", re.MULTILINE)
        count = len(pattern.findall(text))
        if count != 1:
            raise Failure(f"the line '{self.line}' occurs {count} times in {self.file}, but must occur once; correct {LIST.name}")
        path.write_text(pattern.sub(lambda match: match[1] + self.instead, text), "utf-8")
        return text


def read_mutations() -> list[Mutation]:
    entries = tomllib.loads(LIST.read_text("utf-8"))["mutation"]
    mutations = [Mutation(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]
    text = os.environ.get("MUTATIONS", "")
    chosen = [mutation for mutation in mutations if text in mutation.file or text in mutation.bug]
    if not chosen:
        raise Failure(f"MUTATIONS={text} is not allowed; give a part of a file name or description in {LIST}")
    return chosen


class Copy:
    """Builds and tests a source tree."""

    def __init__(self, tree: pathlib.Path, cmake_options: list[str]) -> None:
        self.tree = tree
        self._build = [str(tree / "scripts" / "build.sh"), str(tree / "build"), "tests", *cmake_options]

    def build(self) -> str:
        """Builds the tests. Returns "" if this succeeds; otherwise, returns the messages of the build."""
        result = subprocess.run(self._build, cwd=self.tree, capture_output=True, text=True, errors="replace", check=False)
        return result.stdout + result.stderr if result.returncode else ""

    def passes(self, test: str) -> bool:
        if test.endswith(".py"):
            command = ["/usr/bin/python3", "-E", "-s", "-m", "pytest", "-x", "-q", "-m", "quick or test", f"src/test/{test}"]
        else:
            command = ["ctest", "--test-dir", "build", "--no-tests=error", "-L", "^(quick|test)$", "-R", f"^{test}(_slow)?$"]
        try:
            result = subprocess.run(command, cwd=self.tree, capture_output=True, text=True, errors="replace", check=False,
                                    env={**os.environ, "ECBENCH_SOURCE": str(self.tree), "ECBENCH_BUILD": str(self.tree / "build")},
                                    timeout=SECONDS_FOR_A_TEST)
        except subprocess.TimeoutExpired:
            return False
        if "No tests were found" in result.stderr or (result.returncode in (4, 5) and command[0] != "ctest"):
            raise Failure(f"there is no test {test}: correct {LIST.name}")
        return result.returncode == 0

    def judge(self, mutation: Mutation) -> str:
        if self.build():
            return UNBUILT
        survived = [test for test in mutation.tests if self.passes(test)]
        return f"{MISSED} by {', '.join(survived)}" if survived else FOUND


def check_lines(mutations: list[Mutation], tree: pathlib.Path) -> None:
    for mutation in mutations:
        (tree / mutation.file).write_text(mutation.apply(tree), "utf-8")


def run(copy: Copy, mutations: list[Mutation]) -> int:
    """Returns the number of mutations whose outcome is not FOUND."""
    check_lines(mutations, copy.tree)
    print("ecbench: building the tests without a mutation", flush=True)
    if messages := copy.build():
        raise Failure(f"the tests do not build without a mutation:\n{messages[-4000:]}")
    for test in sorted({test for mutation in mutations for test in mutation.tests}):
        if not copy.passes(test):
            raise Failure(f"{test} fails without a mutation")
    missed = 0
    for mutation in mutations:
        before = mutation.apply(copy.tree)
        outcome = copy.judge(mutation)
        (copy.tree / mutation.file).write_text(before, "utf-8")
        missed += outcome != FOUND
        print(f"{outcome}: {mutation.bug} ({mutation.file})", flush=True)
    print(f"{len(mutations) - missed} of {len(mutations)} mutations are found")
    return missed


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    source = LIST.parents[3]
    mutations = read_mutations()
    with tempfile.TemporaryDirectory(prefix="ecbench-mutations-") as folder:
        tree = pathlib.Path(folder) / "tree"
        subprocess.run(["git", "-C", source, "worktree", "add", "--quiet", "--detach", tree, "HEAD"], check=True)
        try:
            return 1 if run(Copy(tree, arguments), mutations) else 0
        finally:
            subprocess.run(["git", "-C", source, "worktree", "remove", "--force", tree], check=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"ecbench: {failure}")
