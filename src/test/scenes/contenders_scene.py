"""`make contenders` names the plugins that it does not build, and Ctrl-C ends those that it builds."""

import os
import pathlib
import shutil
import signal
import time
import unittest

import scene

FOLDERS = scene.SOURCE / "src" / "plugins"
NEED_GO = {path.parent.name for path in FOLDERS.glob("*/go.mod")}
NEED_CARGO = {path.parent.name for path in FOLDERS.glob("*/Cargo.toml")}
NEED_PACKAGES = {path.parent.name for path in FOLDERS.glob("*/needs.txt")}


def built():
    return sorted(name for name in NEED_GO | NEED_CARGO if (scene.PLUGINS / f"libec_{name}.so").exists())


class WithoutTools(scene.Scene):
    def test_all_are_skipped_without_the_tools(self):
        path = self.folder / "bin"
        path.mkdir()
        for program in ("bash", "dirname"):  # what build.sh needs
            (path / program).symlink_to(shutil.which(program))
        result = scene.run([scene.SOURCE / "scripts" / "build.sh", self.folder / "build", "contenders"],
                           env={"PATH": path, "ECBENCH_SYSROOT": self.folder})
        self.assertEqual(result.returncode, 3, result.stderr)
        lines = result.stderr.splitlines()
        for names, why in ((NEED_GO, r"it needs go 1\.\d+ or later, but no go is on PATH"),
                           (NEED_CARGO, r"it needs cargo 1\.\d+ or later, but no cargo is on PATH"),
                           (NEED_PACKAGES, "it needs files of Debian packages")):
            for name in names:
                [line] = [line for line in lines if line.startswith(f"ecbench: skipping {name}: ")]
                self.assertRegex(line, why)
                self.assertIn("; install ", line)
        self.assertEqual(lines[-1], "ecbench: no plugin of contenders can be built here: tools or packages are missing, see above")
        self.assertEqual(len(lines), len(NEED_GO | NEED_CARGO | NEED_PACKAGES) + 1)
        self.assertFalse((self.folder / "build").exists())


def has_loaded(pid, name):
    """Whether the process or one of its children has loaded the library."""
    processes = [pid, *pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return any(name in pathlib.Path(f"/proc/{process}/maps").read_text() for process in processes)


class Built(scene.Scene):
    def setUp(self):
        super().setUp()
        if not built():
            raise unittest.SkipTest("no contender is built; `make contenders` builds them, and needs go and cargo")

    def test_interrupt_ends_them(self):
        for name in built():
            process = scene.start([scene.ECBENCH, "-p", name, "-P", "k=4", "-P", "m=2", "-s", "4096", "-i", "1000000000"],
                                  preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, ()))
            scene.wait_until(lambda: has_loaded(process.pid, f"libec_{name}.so") or process.poll() is not None,  # noqa: B023
                             f"{name} is not loaded")
            time.sleep(0.2)
            os.kill(process.pid, signal.SIGINT)
            stdout, _ = process.communicate(timeout=60)
            self.assertIn(process.returncode, (-signal.SIGINT, 128 + signal.SIGINT))
            self.assertEqual(stdout, "")
