#!/usr/bin/env python3
"""sbom.py BUNDLE.tar.gz: prints the software bill of materials of a bundle as SPDX 2.3 JSON. The bill lists ecbench and
every Debian package in the bundle's share/doc/packages. For each Debian package, it contains the version and the licence text.
The format is described in https://spdx.github.io/spdx-spec/v2.3/"""

import datetime
import hashlib
import json
import pathlib
import re
import sys
import tarfile
import urllib.parse


def identifier(text: str) -> str:
    """Replaces each character that SPDX does not allow in an identifier by "-"."""
    return re.sub(r"[^A-Za-z0-9.-]", "-", text)


def text_of(bundle: tarfile.TarFile, path: str) -> str:
    file = bundle.extractfile(path)
    assert file is not None  # extractfile raises KeyError if the member is missing
    return file.read().decode("utf-8", "replace")


def package(name: str, version: str, supplier: str, license_id: str, copyright_text: str) -> dict[str, object]:
    return {"SPDXID": f"SPDXRef-{identifier(name)}", "name": name, "versionInfo": version, "supplier": supplier,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": license_id, "copyrightText": copyright_text}


def sbom(path: pathlib.Path) -> dict[str, object]:
    name = path.name.removesuffix(".tar.gz")
    version = name.split("-")[1]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with tarfile.open(path) as bundle:
        created = bundle.getmember(name).mtime
        packages = [package("ecbench", version, "NOASSERTION", "BSD-3-Clause", "NOASSERTION")]
        packages[0]["packageFileName"] = path.name
        packages[0]["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
        licenses = []
        for line in text_of(bundle, f"{name}/share/doc/packages").splitlines():
            binary, binary_version, source, source_version = line.split()
            license_id = f"LicenseRef-{identifier(binary)}"
            licenses.append({"licenseId": license_id, "name": f"licences of Debian's package {binary}",
                             "extractedText": text_of(bundle, f"{name}/share/doc/{binary}/copyright")})
            entry = package(binary, binary_version, "Organization: Debian", license_id, "NOASSERTION")
            entry["sourceInfo"] = f"built from the Debian source package {source} {source_version}"
            purl = f"pkg:deb/debian/{urllib.parse.quote(binary, safe='')}@{urllib.parse.quote(binary_version, safe='')}?arch=amd64"
            entry["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
            packages.append(entry)
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-ecbench"}]
    relations += [{"spdxElementId": "SPDXRef-ecbench", "relationshipType": "CONTAINS", "relatedSpdxElement": str(entry["SPDXID"])}
                  for entry in packages[1:]]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
            "creationInfo": {"created": datetime.datetime.fromtimestamp(created, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Tool: ecbench-sbom.py"]},
            "packages": packages, "hasExtractedLicensingInfos": licenses, "relationships": relations}


if __name__ == "__main__":
    json.dump(sbom(pathlib.Path(sys.argv[1])), sys.stdout, indent=1)
    print()
