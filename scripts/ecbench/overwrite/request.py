"""Reads the words of overwrite."""

import dataclasses
import itertools

from ecbench.comparison.case import Case
from ecbench.point.axes import OPTIONS, PROFILE, Axes, Axis, Language, numbers, read_axes, shapes, single, split
from ecbench.point.description import Plugins
from ecbench.point.point import Point, bytes_text, make_point
from ecbench.terminal.console import Refused

# Both plugins compute the same bytes. isa calls the library for each pair of a changed chunk and a coding chunk. If at most 3
# chunks are changed, simd updates all coding chunks in one pass. If more chunks are changed, simd needs several passes.
CEPH, FUSED = WAYS = ("isa", "simd")
AXES = {"k": PROFILE["k"], "m": PROFILE["m"], "size": OPTIONS["size"], "changed": numbers(), "cache": OPTIONS["cache"],
        "dispatch": OPTIONS["dispatch"], "codec-lib": OPTIONS["codec-lib"], "technique": Axis(("reed_sol_van", "cauchy"))}
CHUNK_UNIT = 64  # bytes; the plugins do not pad chunks whose size is a multiple of this number
DEFAULT_SHAPES = ((6, 2), (10, 4))
DEFAULT_SIZES = (4096, 65536)


@dataclasses.dataclass(frozen=True)
class Request:
    cases: list[Case]
    changed: tuple[int, ...]  # numbers of changed chunks, one number for each line of a table; (): 1 to k
    technique: str
    codec_lib: str | None

    def counts(self, case: Case) -> list[int]:
        return sorted(self.changed or range(1, case.k + 1))

    def point(self, case: Case, plugin: str, changed: int) -> Point:
        """If `changed` is 0, the point encodes the object."""
        return make_point(plugin, {"technique": self.technique, "k": case.k, "m": case.m}, "overwrite" if changed else "encode",
                          case.size, 0, cache=case.cache, dispatch=case.option("dispatch"), changed=changed or None,
                          codec_lib=self.codec_lib if plugin == CEPH else None)

    def points(self) -> dict[str, Point]:
        return {name_of(case, plugin, changed): self.point(case, plugin, changed)
                for case in self.cases for changed in (*self.counts(case), 0) for plugin in WAYS}


def title_of(case: Case) -> str:
    return f"{case.shape}, chunks of {bytes_text(case.size // case.k)}, {case.cache}, dispatch={case.option('dispatch')}"


def name_of(case: Case, plugin: str, changed: int) -> str:
    return f"{title_of(case)}: {plugin}, " + (f"{changed} changed" if changed else "re-encoding")


def read_request(words: list[str]) -> Request:
    """Throws Refused."""
    axes = read_axes(split(words), Language(None, AXES, takes_profiles=False))
    if unpadded := [size for size in axes.get("size", ()) if int(size) % CHUNK_UNIT]:
        raise Refused(f"size={unpadded[0]} is not allowed; give the size of a chunk as a multiple of {CHUNK_UNIT} bytes")
    found = cases(axes)
    changed = tuple(int(count) for count in axes.get("changed", ()))
    most = min(case.k for case in found)
    if any(count > most for count in changed):
        raise Refused(f"changed={','.join(map(str, changed))} is not allowed; give numbers of changed chunks from 1 to k={most}")
    codec_lib = single(axes, "codec-lib", "none")
    return Request(found, changed, str(single(axes, "technique", "reed_sol_van")), None if codec_lib == "none" else str(codec_lib))


def cases(axes: Axes) -> list[Case]:
    found = shapes(axes, DEFAULT_SHAPES) if "k" in axes or "m" in axes else list(DEFAULT_SHAPES)
    return [Case("overwrite", 0, str(cache), k, m, k * int(size), options=(("dispatch", str(dispatch)),))
            for (k, m), size, cache, dispatch in itertools.product(
                found, axes.get("size", DEFAULT_SIZES), axes.get("cache", ("warm",)), axes.get("dispatch", ("native",)))]


def default_dispatch(words: list[str], plugins: Plugins) -> list[str]:
    """The argument dispatch= with the highest level of both plugins, so that both use the same instructions, unless `words`
    contains dispatch=."""
    if any(word.startswith("dispatch=") for word in split(words)) or any(plugin not in plugins for plugin in WAYS):
        return []
    isa, simd = (plugins[plugin].dispatch_levels for plugin in WAYS)
    levels = [level for level in isa if level in simd and level != "native"]
    return [f"dispatch={levels[-1]}"] if levels else []
