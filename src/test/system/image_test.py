"""Tests the OCI image and the GitHub Action. The image contains only the bundle, and has no base image. The Action runs the command
gate of the ecbench in the bundle. The test of the image needs buildah. The tests take about three minutes."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import debian

GRID = "plugin=isa technique=reed_sol_van k=4 m=2 size=4K workload=encode"


class Image(unittest.TestCase):
    folder: pathlib.Path
    bundle: str

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="ecbench-image-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.bundle = cls.run_program(debian.SOURCE / "packaging" / "build-bundle.sh", debian.BUILD, cls.folder).strip()

    @classmethod
    def run_program(cls, *command: str | os.PathLike[str], **variables: str) -> str:
        """With a umask that build-bundle.sh and build-image.sh must change: every user of a container reads the files."""
        return subprocess.run(command, check=True, text=True, timeout=1800, stdout=subprocess.PIPE, umask=0o077,
                              env={**os.environ, **variables}).stdout

    @unittest.skipUnless(shutil.which("buildah"), "buildah is not installed: scripts/install-deps.sh image installs it")
    def test_the_image_measures(self) -> None:
        archive = self.run_program(debian.SOURCE / "packaging" / "build-image.sh", self.bundle, self.folder).strip()
        buildah = ["buildah", "--storage-driver", "vfs", "--root", str(self.folder / "storage"),
                   "--runroot", str(self.folder / "run")]
        image = self.run_program(*buildah, "pull", "--quiet", f"oci-archive:{archive}").strip()
        container = self.run_program(*buildah, "from", image).strip()
        for user in ("1234:1234", "0:0"):
            printed = self.run_program(*buildah, "run", "--isolation", "chroot", "--user", user, container, "--",
                                       "/opt/ecbench/bin/ecbench", "run", *GRID.split(), "--repetitions", "1")
            self.assertRegex(printed, r"/runs/ecbench/\S+\.jsonl")

    def test_the_action_runs_the_gate(self) -> None:
        """On the bundle and itself. The Action splits its input `arguments` into words as a shell does."""
        self.assertIn("packaging/action/gate.sh", (debian.SOURCE / "action.yml").read_text("utf-8"))
        prefix = self.folder / "a prefix"
        prefix.mkdir()
        self.run_program("tar", "-xzf", self.bundle, "-C", prefix, "--strip-components", "1")
        summary = self.folder / "summary.md"
        arguments = f"ab '{prefix}' '{prefix}' --grid '{GRID}' --launches 3"
        printed = self.run_program(debian.SOURCE / "packaging" / "action" / "gate.sh", ECBENCH_BUNDLE=self.bundle,
                                   ECBENCH_ARGUMENTS=arguments, GITHUB_STEP_SUMMARY=str(summary), RUNNER_TEMP=str(self.folder))
        self.assertIn("isa", printed)
        self.assertIn("isa", summary.read_text("utf-8"))
