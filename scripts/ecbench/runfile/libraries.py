"""The codec libraries in a run: shared objects that rows or the environment name."""

from collections.abc import Iterable, Sequence

from ecbench.runfile.environment import LIBISAL, SharedObject
from ecbench.runfile.row import Row

# Names of points in old runs that are no libraries: the ways in which plugin simd can encode.
WAYS = "simd direct", "simd FFT", "simd Leopard"


def loaded_objects(rows: Sequence[Row]) -> list[SharedObject]:
    """The libraries that a point with a codec_lib loaded; the first row contains the list."""
    facts = (rows[0].codec_libraries or {}) if rows else {}
    return [SharedObject(name=name, version=of.get("version"), path=of.get("path"), build_id=of.get("build_id"))
            for name, of in facts.items() if isinstance(of, dict)]


def libisal_release(objects: Iterable[SharedObject]) -> str | None:
    return next((one.release for one in objects if one.name.startswith(LIBISAL) and one.version), None)
