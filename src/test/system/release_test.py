"""Tests that `make release` fails if VERSION is missing, or if VERSION is not the version in CMakeLists.txt. Also tests the
software bill of materials of a bundle: it must list every Debian package in the bundle, and the licences of each package."""

import hashlib
import json
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import debian

PACKAGING = debian.SOURCE / "packaging"


class Release(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench-release-")))

    def check_refused(self, version: str, message: str) -> None:
        result = subprocess.run([PACKAGING / "build-release.sh", version, self.folder], capture_output=True, text=True, timeout=60,
                                check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_version_is_needed_and_must_be_that_of_the_sources(self) -> None:
        self.check_refused("", "make release needs a version: make release VERSION=")
        self.check_refused("99.0", "VERSION=99.0 is not allowed: CMakeLists.txt has ")

    def test_the_bill_of_materials_names_every_package_and_its_licences(self) -> None:
        subprocess.run([PACKAGING / "build-bundle.sh", debian.BUILD, self.folder], check=True, timeout=1800)
        bundle, = self.folder.iterdir()
        printed = subprocess.run(["/usr/bin/python3", "-E", "-s", PACKAGING / "sbom.py", bundle], check=True, text=True, timeout=99,
                                 stdout=subprocess.PIPE).stdout
        materials = json.loads(printed)
        with tarfile.open(bundle) as archive:
            documented = {path.parent.name for path in map(pathlib.PurePath, archive.getnames()) if path.name == "copyright"}
        names = {package["name"] for package in materials["packages"]}
        self.assertEqual(names, documented | {"ecbench"})
        self.assertLessEqual({"libc6", "libisal2", "libjerasure2", "python3.11-minimal", "nlohmann-json3-dev"}, names)
        texts = {entry["licenseId"]: entry["extractedText"] for entry in materials["hasExtractedLicensingInfos"]}
        for package in materials["packages"]:
            if package["name"] == "ecbench":
                self.assertEqual(package["checksums"][0]["checksumValue"], hashlib.sha256(bundle.read_bytes()).hexdigest())
            else:
                self.assertIn("opyright", texts[package["licenseDeclared"]], package["name"])
