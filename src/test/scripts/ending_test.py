"""If a program of bench.sh fails, it prints one line, also after an unexpected Python exception."""

import io
import subprocess
import sys
import unittest
from unittest import mock

from ecbench.installation.places import SCRIPTS
from ecbench.terminal import console
from ecbench.terminal.console import Progress
from synthetic_rows import Terminal


def end(body, **variables):
    """`body`: the body of the main function of a Python program."""
    text = f"import sys\nsys.path.insert(0, {str(SCRIPTS)!r})\n" \
           "from ecbench.process.process import run_to_the_end\nfrom ecbench.terminal.console import Refused\n" \
           "from ecbench.process.process import Interrupted\n" \
           f"def program(child):\n    {body}\nsys.exit(run_to_the_end(program, 'told'))\n"
    return subprocess.run([sys.executable, "-E", "-s", "-c", text], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, env=variables)


class Ending(unittest.TestCase):
    def test_each_way_prints_one_line(self):
        for body, code, said in (("raise Refused('no\\nsuch \\x1b[2Jgrid')", 1, "no\\nsuch \\u001b[2Jgrid"),
                                 ("raise Interrupted(15)", 143, "told"),
                                 ("open('/nowhere/file')", 1, "/nowhere/file: No such file"), ("return 3", 3, ""),
                                 ("return {}['key']", 1, "KeyError: 'key' (<string>, line 7)"),
                                 ("return int('x')", 1, "ValueError"),
                                 ("return 1 + None", 1, "TypeError"), ("return 1 / 0", 1, "ZeroDivisionError"),
                                 ("return 2.0 ** 5000", 1, "OverflowError"), ("return None.x", 1, "AttributeError"),
                                 ("return program(child)", 1, "RecursionError"), ("return bytes(1 << 60)", 1, "too little memory"),
                                 ("raise SystemError", 1, "too little memory"),
                                 ("raise PermissionError(1, 'refused')", 1, "a system call is refused (refused)"),
                                 ("raise OSError(38, 'none')", 1, "seccomp"),
                                 ("raise OSError(28, 'full')", 1, "standard output: full"),
                                 ("raise RuntimeError(\"can't start new thread\")", 1, "pids.max"),
                                 ("return '\\ud800'.encode()", 1, "UnicodeEncodeError")):
            result = end(body)
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (code, int(bool(said))), result.stderr)
            self.assertIn(said, result.stderr)

    def test_the_output_of_a_program_is_kept_up_to_a_limit(self):
        result = end("import ecbench.process.process as c; c.MOST_OUTPUT = 1 << 20; "
                     "print(len(child.run(['head', '-c', '5000000', '/dev/zero'])[1])); return 0")
        self.assertLessEqual(int(result.stdout), 2 << 20)
        self.assertGreaterEqual(int(result.stdout), 1 << 20)

    def test_programs_run_without_pidfd_open_as_well(self):
        for refuse in ("", "import os; os.pidfd_open = lambda number: os.open('/nowhere', 0); "):
            result = end(refuse + "print(child.run(['sh', '-c', 'echo out; echo err >&2; exit 3'])); return 0")
            self.assertEqual(result.stdout, "(3, 'out\\n', 'err\\n')\n", result.stderr)
            result = end(refuse + "child.run(['sleep', '9'], timeout=0.1)")
            self.assertIn("timed out", result.stderr)

    def test_a_full_standard_error_does_not_change_the_exit_code(self):
        for words, code in ((["--version"], 0), (["nosuch"], 1), (["run", "/nowhere/file.toml"], 1),
                            (["plan", "hosts=12", "drives=1x1"], 1)):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([sys.executable, "-E", "-s", SCRIPTS / "mode.py", *words], stdout=subprocess.DEVNULL,
                                        stderr=full, check=False)
                self.assertEqual(result.returncode, code)

    def test_a_long_value_is_not_printed_as_a_whole(self):
        result = end("raise Refused('x' * 100000 + ' is not allowed')")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1))
        self.assertLess(len(result.stderr), 3000)
        self.assertIn("is not allowed", result.stderr)

    def test_too_little_memory_for_a_module(self):
        """With a real limit, CPython itself may crash."""
        for error in ("MemoryError", "SystemError('error return without exception set')"):
            text = f"import importlib, runpy, sys\nsys.path.insert(0, {str(SCRIPTS)!r})\nsys.argv = ['mode.py', 'report', 'x']\n" \
                   f"def fail(*_): raise {error}\nimportlib.import_module = fail\n" \
                   f"runpy.run_path({str(SCRIPTS / 'mode.py')!r}, run_name='__main__')\n"
            result = subprocess.run([sys.executable, "-E", "-s", "-c", text], capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1), result.stderr)
            self.assertIn("too little memory", result.stderr)

    def test_warnings_come_after_the_result_and_before_how_to_continue(self):
        """`1`, `2`: lines of warnings; r: the result; e: the end of the budget."""
        warn = ("import ecbench.terminal.console as c; [c.warn(f'warning {number}') for number in warnings]; "
                "print('r', file=sys.stderr)")
        for warnings, verbose, ends, lines in (([], "", "return 0", "r"), ([1], "", "return 0", "r1"),
                                               ([1, 1], "", "return 0", "r1"),
                                               ([1, 2, 3], "", "return 0", "r3"), ([1, 2], "--verbose", "return 0", "r12"),
                                               ([1, 2], "", "raise c.OutOfTime('e')", "r2e")):
            result = end(f"warnings = {warnings}; sys.argv.append({verbose!r}); {warn}; {ends}")
            said = [line.removeprefix("ecbench: ").removeprefix("warning ")[0] for line in result.stderr.splitlines()]
            self.assertEqual((result.returncode, "".join(said)), (0, lines), result.stderr)


class Lines(unittest.TestCase):
    def test_on_a_terminal_every_output_erases_the_line(self):
        stdout = console.PlainOutput(io.BytesIO(), encoding="utf-8")
        for write, *given in ((console.say, "x"), (console.tell, "x"), (Progress.close,), (stdout.write, "x")):
            err = Terminal()
            with mock.patch.dict("os.environ", TERM="xterm"), mock.patch("sys.stderr", err):
                progress = Progress(err, 3)
                progress.show("packetsize=8")
                write(*(given or [progress]))
                self.assertRegex(err.getvalue(), r"^\r\[0/3\] begins: packetsize=8\x1b\[K\r\x1b\[K(ecbench: x\n|x\n)?$")
