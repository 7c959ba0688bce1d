"""scripts/lint.sh runs all linters even if one of them fails, and chooses the files that clang-tidy checks. In these tests, scripts
that record their calls replace the linters."""

import shutil

import scene

LINTERS = ("clang-format-14", "clang-tidy-19", "shellcheck")


class Lint(scene.Scene):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "tree"
        (self.tree / "scripts").mkdir(parents=True)
        for name in ("lint.sh", "lint-requirements.txt"):
            shutil.copy(scene.SOURCE / "scripts" / name, self.tree / "scripts")
        self.write_program("tree/scripts/install-deps.sh", "#!/bin/sh\nexit 0\n")
        for name in ("src/one.cc", "src/two.cc", "src/header.h"):
            path = self.tree / name
            path.parent.mkdir(exist_ok=True)
            path.write_text('#include "header.h"\n' if name == "src/two.cc" else "\n")
        venv = self.tree / "build" / "lint" / "venv"
        (venv / "bin").mkdir(parents=True)
        shutil.copy(self.tree / "scripts" / "lint-requirements.txt", venv / "requirements.txt")
        database = self.tree / "build" / "lint" / "cmake" / "compile_commands.json"
        database.parent.mkdir()
        database.write_text("".join(f'"file": "{self.tree}/src/{name}.cc"\n' for name in ("one", "two")))
        for name in LINTERS:
            self.write_program(f"bin/{name}", f'#!/bin/sh\necho "{name} $*" >> "$LOG"\n[ "$FAIL" != {name} ]\n')
        for name in ("ruff", "mypy"):
            self.write_program(f"tree/build/lint/venv/bin/{name}",
                               f'#!/bin/sh\necho "{name} $*" >> "$LOG"\n[ "$FAIL" != {name} ]\n')
        self.write_program("bin/cmake", "#!/bin/sh\nexit 0\n")
        for words in (["init", "-q"], ["add", "src", "scripts"], ["commit", "-qm", "first"]):
            self.git(*words)

    def git(self, *words):
        result = scene.run(["git", "-C", self.tree, "-c", "user.name=x", "-c", "user.email=x@localhost", *words])
        self.assertEqual(result.returncode, 0, result.stderr)

    def lint(self, *words, fail="", **changes):
        """Runs lint.sh. Returns the finished process, and the recorded calls. Each line has the name and arguments of one call."""
        log = self.folder / "log"
        log.write_text("")
        result = scene.run([self.tree / "scripts" / "lint.sh", self.tree / "build", *words],
                           env={"LOG": log, "FAIL": fail, "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "LINT_BASE": None,
                                **changes})
        return result, log.read_text()

    def test_all_linters_run_and_the_failed_ones_are_named(self):
        for fail in ("", "ruff", "clang-format-14", "clang-tidy-19"):
            result, calls = self.lint(fail=fail)
            self.assertEqual(result.returncode, 1 if fail else 0, result.stderr)
            self.assertEqual({line.split()[0] for line in calls.splitlines()}, {*LINTERS, "ruff", "mypy"})
            if fail:
                self.assert_refused(result, "reported errors: ", fail.rstrip("-0123456789"))

    def test_clang_tidy_checks_changed_files_and_files_that_include_a_changed_header(self):
        (self.tree / "src" / "header.h").write_text("// changed\n")
        self.git("commit", "-qam", "second")
        for words, one, two in (((), True, True), (("changed",), False, True)):
            calls = self.lint(*words)[1]
            self.assertEqual("src/one.cc" in calls.partition("clang-tidy-19")[2], one, calls)
            self.assertEqual("src/two.cc" in calls.partition("clang-tidy-19")[2], two, calls)

    def test_bad_arguments_are_refused(self):
        self.assert_refused(self.lint("some")[0], "'some' is not allowed")
        self.assert_refused(self.lint("changed", LINT_BASE="nothing")[0], "LINT_BASE=nothing")

    def test_without_permission_it_prints_the_commands(self):
        (self.tree / "build" / "lint" / "venv" / "requirements.txt").unlink()
        self.assert_refused(self.lint(ECBENCH_INSTALL="no")[0], "pip install", "lint-requirements.txt")


if __name__ == "__main__":
    scene.main()
