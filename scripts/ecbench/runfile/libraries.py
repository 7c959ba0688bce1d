"""The codec libraries in a run: shared objects that rows or the environment name."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ecbench.runfile.row import Row

LIBISAL = "libisal.so"
SYSTEM_LIBRARIES = {"isa": ("libisal",), "jerasure": ("libJerasure", "libgf_complete")}  # plugin → how their names begin
# Names of points in runs of contenders that are no libraries: the ways in which plugin simd can encode.
WAYS = DIRECT, FFT, LEOPARD = "simd direct", "simd FFT", "simd Leopard"


@dataclasses.dataclass(frozen=True)
class SharedObject:
    name: str
    version: str | None
    path: str | None
    build_id: str | None

    @property
    def release(self) -> str | None:
        """The release number. It can differ from the version of the file: the libisal of ISA-L 2.31 has the version 2.0.31."""
        match = re.fullmatch(r"2\.0\.([0-9]+)", self.version or "") if self.name.startswith(LIBISAL) else None
        return f"2.{match[1]}" if match else self.version

    def __str__(self) -> str:
        words = [self.name, self.release, self.path and f"({self.path})",
                 f"build id {self.build_id[:12]}" if self.build_id else "without a build id"]
        return " ".join(word for word in words if word)


def shared_object(name: str, facts: dict[str, Any]) -> SharedObject:
    return SharedObject(name, facts.get("version"), facts.get("path"), facts.get("build_id"))


def loaded_objects(rows: Sequence[Row]) -> list[SharedObject]:
    """The libraries that a point with a codec_lib loaded; the first row contains the list."""
    facts = (rows[0].codec_libraries or {}) if rows else {}
    return [shared_object(name, of) for name, of in facts.items() if isinstance(of, dict)]


def libisal_release(objects: Iterable[SharedObject]) -> str | None:
    return next((one.release for one in objects if one.name.startswith(LIBISAL) and one.version), None)
