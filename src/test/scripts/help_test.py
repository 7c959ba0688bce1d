"""The help of every mode begins with examples, has at most 40 lines in a pipe, and fits in 60 columns."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

import mode
from ecbench.installation.places import SCRIPTS
from ecbench.terminal.console import wrapped_lines

MODES = [[name] for name in mode.MODES] + [["gate", name] for name in ("ab", "ir")]


def help_of(words, columns):
    with (mock.patch.object(sys, "argv", ["mode.py", *words, "--help"]), mock.patch.dict(os.environ, {"COLUMNS": columns}),
          contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit)):
        mode.importlib.import_module(f"ecbench.{mode.PACKAGES.get(words[0], words[0])}.program").read_arguments(
            [*words[1:], "--help"])
    return out.getvalue().splitlines()


class Help(unittest.TestCase):
    def test_has_at_most_40_lines_and_begins_with_an_example(self):
        for words in MODES:
            lines = help_of(words, "")
            self.assertTrue(8 < len(lines) <= 40, "\n".join(lines))
            command = " ".join(["  bench.sh", *(words if words[0] not in ("bench", "fplot") else [])])
            examples = lines[:lines.index("")]
            self.assertTrue(all(line.startswith("  bench.sh") for line in examples), examples)
            self.assertTrue(any(line.startswith(command) for line in examples), examples)

    def test_fits_in_60_columns(self):
        for words in MODES:
            self.assertEqual([line for line in help_of(words, "60") if len(line) > 60 and " " in line.strip()], [])
        general = (SCRIPTS / "help.txt").read_text("utf-8")
        self.assertLessEqual(max(map(len, wrapped_lines(general, 60))), 60)
