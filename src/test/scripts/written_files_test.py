"""A mode refuses a command that would write to one of its input files, by whatever path, and does not change the file."""

import errno
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import synthetic_run
from ecbench.files.files import check_apart, check_writable, write
from ecbench.installation.places import SCRIPTS, SOURCE
from ecbench.terminal.console import Refused

BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench files ")))
        self.file = self.folder / "file"
        self.file.write_text("text")

    def names_of(self, file):
        """Paths that all lead to `file`: its own path, another path, and two symbolic links."""
        symbolic, twice = (self.folder / f"{file.name} {kind}" for kind in ("symbolic", "twice"))
        symbolic.symlink_to(file)
        twice.symlink_to(symbolic)
        return [file, file.parent / ".." / file.parent.name / file.name, symbolic, twice]


class Written(WithFolder):
    def test_a_file_is_replaced_and_truncated(self):
        for text in ("longer than before\n", "short\n", ""):
            write("--json", self.file, text)
            self.assertEqual(self.file.read_text(), text)

    def test_a_full_disk_changes_no_file_and_leaves_none(self):
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with mock.patch("os.posix_fallocate", side_effect=full):
            for path in (self.file, self.folder / "new"):
                with self.assertRaisesRegex(Refused, "--json .* cannot be written: No space"):
                    write("--json", path, "longer than before")
        self.assertEqual(self.file.read_text(), "text")
        self.assertFalse((self.folder / "new").exists())


class Apart(WithFolder):
    def test_a_file_has_many_names(self):
        for path in self.names_of(self.file):
            for pair in ((self.file, path), (path, self.file)):
                with self.assertRaisesRegex(Refused, "--json .* is not allowed"):
                    check_apart([("--json", pair[0])], [("--grid", pair[1])])

    def test_different_files_are_allowed(self):
        copy = shutil.copy(self.file, self.folder / "copy")
        check_apart([("--json", copy), ("--svg", None), ("--output", self.folder / "new")],
                    [("--grid", self.file), ("--other", None)])
        check_apart([("--json", "/dev/null")], [("--grid", "/dev/null")])

    def test_two_outputs_cannot_be_one_file(self):
        for path in self.names_of(self.file)[1:]:
            with self.assertRaisesRegex(Refused, "already uses this file"):
                check_writable({"--json": str(self.file), "--markdown": str(path)})


class Modes(WithFolder):
    def assert_refused(self, read, mode, *words, stdout=subprocess.PIPE):
        """`words` name the file `read` as an input and also as an output."""
        before = read.read_bytes()
        result = subprocess.run([sys.executable, "-E", "-s", SCRIPTS / "mode.py", mode, *map(str, words)], stdout=stdout, text=True,
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                                env={**os.environ, "ECBENCH_LOCK_DIR": str(self.folder)})
        self.assertEqual((result.returncode, result.stdout or ""), (1, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertRegex(result.stderr, "not allowed|not overwritten|not possible")
        self.assertEqual(read.read_bytes(), before)

    def run_file(self, name):
        path = self.folder / name
        synthetic_run.write_run(path, list(synthetic_run.points(sizes=[4096]))[:2])
        return path

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_gate(self):
        grid = self.folder / "grid"
        grid.write_text('points = ["plugin=example size=4K workload=encode"]')
        link = self.names_of(grid)[-1]
        build = self.folder / "build"
        (build / "plugins").mkdir(parents=True)
        shutil.copy2(BUILD / "ecbench", build)
        plugin = pathlib.Path(shutil.copy2(BUILD / "plugins" / "libec_example.so", build / "plugins"))
        for read, given, output in ((grid, grid, link), (grid, link, grid), (build / "ecbench", grid, build / "ecbench"),
                                    (plugin, grid, plugin)):
            for kind, option in (("ab", "--json"), ("ab", "--svg"), ("ir", "--markdown")):
                self.assert_refused(read, "gate", kind, BUILD, build, "--grid", given, option, output)

    def test_report(self):
        run = self.run_file("run.html")
        run.write_text('{"generator":"<meta name=\\"generator\\" content=\\"ecbench report\\">"}\n' + run.read_text())
        self.assert_refused(run, "report", run)
        page = self.names_of(run)[2].rename(self.folder / "page.html")
        self.assert_refused(run, "report", run, "--output", page)

    def test_compare_and_sweep(self):
        a, b = self.run_file("a.jsonl"), self.run_file("b.jsonl")
        self.assert_refused(b, "run", "--from", b, "--output", b, "--ecbench", BUILD / "ecbench")
        with open(self.names_of(a)[-1], "a", encoding="utf-8") as out:
            self.assert_refused(a, "compare", a, b, stdout=out)
            self.assert_refused(a, "run", "--resume", a, "--ecbench", BUILD / "ecbench", stdout=out)

    @unittest.skipUnless(shutil.which("perf") and shutil.which("valgrind"), "perf or valgrind is not installed")
    def test_profile(self):
        out = self.folder / "out"
        out.mkdir()
        read = out / "hotspots.txt"
        read.write_text("text\n")
        link = self.names_of(read)[-1]
        self.assert_refused(read, "profile", "perf", "--output", out, "--", "cat", link)
        self.assert_refused(read, "profile", "callgrind", "--output", out, "--ecbench", BUILD / "ecbench", "--",
                            "-p", "example", f"--input={link}")

    def test_conformance(self):
        plugins = self.folder / "plugin=example stripe-width=4096"
        plugins.mkdir()
        plugin = pathlib.Path(shutil.copy2(BUILD / "plugins" / "libec_example.so", plugins))
        self.assert_refused(plugin, "conformance", "create", self.folder, "-p", "example", "--force", "--plugin-dir", plugins,
                            "--ecbench", BUILD / "ecbench")
