"""The version of `make release`, and the software bill of materials of a bundle."""

import hashlib
import json
import pathlib
import tarfile

import scene

PACKAGING = scene.SOURCE / "packaging"


class Release(scene.Scene):
    def test_a_version_is_needed_and_must_be_that_of_the_sources(self) -> None:
        for version, message in (("", "make release needs a version: make release VERSION="),
                                 ("99.0", "VERSION=99.0 is not allowed: CMakeLists.txt has ")):
            self.assert_refused(scene.run([PACKAGING / "build-release.sh", version, self.folder]), message)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_bill_of_materials_names_every_package_and_its_licences(self) -> None:
        self.succeeded(scene.run([PACKAGING / "build-bundle.sh", scene.BUILD, self.folder], timeout=1800))
        bundle, = self.folder.iterdir()
        materials = json.loads(self.succeeded(scene.run([*scene.PYTHON, PACKAGING / "sbom.py", bundle])).stdout)
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
