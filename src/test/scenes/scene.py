"""What every scene needs: a scene runs the real programs as a user does and looks at what they print, leave behind and return."""

import atexit
import importlib.util
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest

# Runs that are not told where their file goes leave it there, not among those of the source tree.
RESULTS = tempfile.mkdtemp(prefix="ecbench results ")
atexit.register(shutil.rmtree, RESULTS, ignore_errors=True)
os.environ["ECBENCH_RESULTS_DIR"] = RESULTS

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))
ECBENCH = BUILD / "ecbench"
PLUGINS = BUILD / "plugins"


# The program keeps a reference of its probe: tests leave nothing in the user's home.
STATE = tempfile.TemporaryDirectory(prefix="ecbench state ")
os.environ["XDG_STATE_HOME"] = STATE.name
REMARK = re.compile(r"ecbench: (warning: |note: |! marks |\d+ of \d+ measurements with warnings )")


# make test does not install it.
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def is_sanitized():
    """Whether the programs were built with a sanitizer, which needs terabytes of address space and brings libraries of its own."""
    cache = BUILD / "CMakeCache.txt"
    return cache.exists() and re.search(r"^ECBENCH_SANITIZE:[A-Z]+=.", cache.read_text(), re.MULTILINE) is not None


def run(args, env=None, cwd=None, timeout=120):
    """Runs a program without a terminal; `env` adds to the environment, a value of None removes. What it says of a figure depends
    on what else the machine does, so that these lines are in `remarks` and not in `stderr`."""
    result = subprocess.run([str(arg) for arg in args], env=environment(env), cwd=cwd, timeout=timeout, text=True,
                            stdin=subprocess.DEVNULL, capture_output=True, check=False)
    lines = result.stderr.splitlines(keepends=True)
    result.remarks = [line.rstrip("\n") for line in lines if REMARK.match(line)]
    result.stderr = "".join(line for line in lines if not REMARK.match(line))
    return result


def environment(changes=None):
    """This process's environment with `changes`: a value of None removes a variable."""
    merged = {**os.environ, **{name: str(value) for name, value in (changes or {}).items() if value is not None}}
    return {name: value for name, value in merged.items() if (changes or {}).get(name, "") is not None}


def libraries_of(plugin, *args):
    """The shared objects that --environment says are loaded with a plugin, by name, but for plugins."""
    result = run([ECBENCH, "--environment", "-p", plugin, *args])
    found = {library["name"]: library for library in json.loads(result.stdout)["shared_objects"]}
    return {name: library for name, library in found.items() if not name.startswith("libec_")}


def libisal():
    """The file that plugin isa computes by. A path below the home directory is printed as ~."""
    return pathlib.Path(libraries_of("isa")["libisal.so.2"]["path"]).expanduser()


def open_terminal():
    """The two ends of a terminal, ours and the program's. Skips the test where there are none, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal to be had: {error}") from error


class Scene(unittest.TestCase):
    """A test with an empty folder of its own, self.folder."""

    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="ecbench scene ")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write_program(self, name, text):
        """An executable script in self.folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def counting_program(self):
        """ecbench, with time to interrupt it until there is a file self.folder / "hurry"; self.measured() counts its
        measurements."""
        return self.write_program("counting", f"""#!/bin/sh
case "$*" in *--min-time*)
  echo >> {shlex.quote(str(self.folder / "measurements"))}
  [ -e {shlex.quote(str(self.folder / "hurry"))} ] || sleep 0.1 ;;
esac
exec {shlex.quote(str(ECBENCH))} --erasure-code-dir {shlex.quote(str(PLUGINS))} "$@"
""")

    def measured(self):
        return (self.folder / "measurements").read_text().count("\n")

    def wait_for_lines(self, path, count):
        """Until a run file has more lines than that."""
        deadline = time.monotonic() + 60
        while not path.exists() or path.read_bytes().count(b"\n") <= count:
            self.assertLess(time.monotonic(), deadline, f"{path} gets no lines")
            time.sleep(0.01)

    def assert_refused(self, result, *words):
        """Exit code 1, nothing on stdout, and one line on stderr that has all the words."""
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)


def main():
    unittest.main(verbosity=2)
