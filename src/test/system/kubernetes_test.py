"""Checks the manifest that `fleet --kubernetes` prints. kubernetes-validate (from PyPI) compares it with the API schema of
Kubernetes, and must find no error. If the manifest has a wrong value or a wrong key, kubernetes-validate must find an
error."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
VALIDATOR = "kubernetes-validate==1.37.0"  # this package contains the API schemas
OPTIONS = ("--nodes", "3", "--node-selector", "storage=true", "--toleration", "osd=yes:NoSchedule", "--toleration", "x")


class Manifest(unittest.TestCase):
    def test_it_is_valid(self) -> None:
        with tempfile.TemporaryDirectory(prefix="ecbench-kubernetes-") as name:
            folder = pathlib.Path(name)
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True, timeout=300)
            installed = subprocess.run([folder / "venv/bin/pip", "install", "--quiet", VALIDATOR], check=False, timeout=300)
            if installed.returncode:
                self.skipTest(f"{VALIDATOR} cannot be installed")
            printed = subprocess.run([sys.executable, "-E", "-s", SOURCE / "scripts/mode.py", "fleet", "--kubernetes", *OPTIONS,
                                      "tune", "k=4", "m=2"], check=True, text=True, stdout=subprocess.PIPE, timeout=60).stdout
            self.assertEqual(self.validated(folder, printed), 0)
            self.assertNotEqual(self.validated(folder, printed.replace("completions: 3", "completions: x")), 0)
            self.assertNotEqual(self.validated(folder, printed.replace("backoffLimit:", "backofLimit:")), 0)

    def validated(self, folder: pathlib.Path, manifest: str) -> int:
        path = folder / "job.yaml"
        path.write_text(manifest, "utf-8")
        return subprocess.run([folder / "venv/bin/kubernetes-validate", "--strict", path], check=False, timeout=60).returncode
