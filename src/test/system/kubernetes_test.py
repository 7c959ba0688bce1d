"""docs/kubernetes.yaml follows the API of Kubernetes."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from debian import SOURCE

VALIDATOR = "kubernetes-validate==1.37.0"  # this package contains the API schemas


class Manifest(unittest.TestCase):
    def test_it_is_valid(self) -> None:
        with tempfile.TemporaryDirectory(prefix="ecbench-kubernetes-") as name:
            folder = pathlib.Path(name)
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True, timeout=300)
            installed = subprocess.run([folder / "venv/bin/pip", "install", "--quiet", VALIDATOR], check=False, timeout=300)
            if installed.returncode:
                self.skipTest(f"{VALIDATOR} cannot be installed")
            manifest = (SOURCE / "docs" / "kubernetes.yaml").read_text("utf-8")
            self.assertEqual(self.validated(folder, manifest), 0)
            self.assertNotEqual(self.validated(folder, manifest.replace("completions: 12", "completions: x")), 0)
            self.assertNotEqual(self.validated(folder, manifest.replace("backoffLimit:", "backofLimit:")), 0)

    def validated(self, folder: pathlib.Path, manifest: str) -> int:
        path = folder / "job.yaml"
        path.write_text(manifest, "utf-8")
        return subprocess.run([folder / "venv/bin/kubernetes-validate", "--strict", path], check=False, timeout=60).returncode
