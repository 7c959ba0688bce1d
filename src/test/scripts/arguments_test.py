"""The arguments of all modes. Their help begins with examples, has at most 40 lines in a pipe, and fits in 60 columns."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

import mode
from ecbench.installation.places import SCRIPTS
from ecbench.terminal import arguments
from ecbench.terminal.console import Refused, wrapped_lines

MODES = [[name] for name in mode.MODES] + [["gate", name] for name in ("ab", "ir")]


def parser(**options):
    made = arguments.Parser(prog="bench.sh mode", **options)
    made.add_argument("words", nargs="*")
    made.add_argument("--rounds", type=arguments.whole(1, 1000))
    made.add_argument("--format", choices=("table", "json"))
    return made


class Types(unittest.TestCase):
    def read(self, kind, text):
        made = arguments.Parser(prog="bench.sh mode")
        made.add_argument("--value", type=kind)
        return made.parse_args([f"--value={text}"]).value

    def test_accept_valid_values(self):
        for kind, text, value in ((arguments.whole(0, 5), "5", 5), (arguments.seed, "0", 0), (arguments.seconds, "0.5", 0.5),
                                  (arguments.seconds, "60s", 60), (arguments.seconds, "1m", 60), (arguments.seconds, "1.5min", 90),
                                  (arguments.seconds, "1h", 3600), (arguments.seconds, "10ms", 0.01),
                                  (arguments.percent, "3", 3.0), (arguments.size, "4k", 4096),
                                  (arguments.size, "1MiB", 1 << 20),
                                  (arguments.sizes, "4K,1,4096", [4096, 1])):
            self.assertEqual(self.read(kind, text), value, text)
        allowed = sorted(os.sched_getaffinity(0))
        self.assertEqual(self.read(arguments.cpu_list, str(allowed[0])), [allowed[0]])
        self.assertEqual(self.read(arguments.cpu, str(allowed[-1])), allowed[-1])

    def test_refuse_other_values_in_one_line(self):
        for kind, texts in ((arguments.whole(1, 5), ("0", "6", "x", "", "+1", "1.5", "٣", "9" * 30)),
                            (arguments.seconds, ("0", "nan", "x", "", "1e9", "1M", "m", "1.2.3s", "-1m", "25h", "0m", "1 m")),
                            (arguments.percent, ("0", "101", "nan")),
                            (arguments.size, ("0", "4X", "", "-1", "4KK", "9" * 18 + "T")), (arguments.sizes, ("4K,", "4K,x")),
                            (arguments.cpu_list, ("x", "1-0", "", "99999", "0-99999")), (arguments.cpu, ("99999", "a"))):
            for text in texts:
                with self.assertRaises(Refused) as refused:
                    self.read(kind, text)
                self.assertNotIn("\n", str(refused.exception))
                self.assertTrue(str(refused.exception).endswith("see bench.sh mode --help"), refused.exception)


class Options(unittest.TestCase):
    def refusal(self, *words, **options):
        with self.assertRaises(Refused) as refused:
            parser(**options).parse_intermixed_args(words)
        return str(refused.exception)

    def test_that_are_misspelt_get_a_suggestion(self):
        self.assertIn("--round is not an option (did you mean --rounds?)", self.refusal("--round", "4"))
        self.assertIn("'jsno' is not allowed; choose table or json (did you mean json?)", self.refusal("--format", "jsno"))
        self.assertNotIn("did you mean", self.refusal("--frobnicate"))

    def test_that_were_replaced_by_words_name_the_word(self):
        for option, word in (("--sizes", "size=4K,1M"), ("--size", "size=4K,1M"), ("--shapes", "k=6,8 m=2,4"), ("-k", "k=6,8"),
                             ("--caches=warm", "cache=warm,cold"), ("--contenders", "library="), ("--workloads", "workload="),
                             ("--backend", "backend=VALUE"), ("--parameter", "packetsize=")):
            self.assertIn(f"{option.partition('=')[0]} is not an option; write {word}",
                          self.refusal(option, "6", axes=("k", "m", "size", "cache", "workload", "backend")))

    def test_of_subcommands_are_suggested_too(self):
        made = arguments.Parser(prog="bench.sh mode")
        made.add_subparsers(dest="mode").add_parser("ab").add_argument("--threshold")
        with self.assertRaisesRegex(Refused, "did you mean --threshold?"):
            made.parse_args(["ab", "--thresold", "4"])
        with self.assertRaisesRegex(Refused, "'abc' is not allowed; choose ab"):
            made.parse_args(["abc"])


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
