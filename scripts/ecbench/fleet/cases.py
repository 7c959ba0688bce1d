"""Cases and candidates of a report. A case is one comparison, such as encode of 1 MiB objects by 6+2 codes. A candidate is one of
the profiles that are compared, such as isa reed_sol_van. In runs of tune, one case contains all workloads. The figures of this case
are harmonic means over the workloads, as in the results of tune. In runs of contenders, the candidates are libraries and not
profiles, because two hosts may have chosen different profiles of the same library."""

import dataclasses
import sys
from collections.abc import Mapping
from typing import NamedTuple

from ecbench.point.point import NOT_SHOWN, Json, Point
from ecbench.point.wording import USUAL, option_text, size_text, workload_text

NATIVE = "native"
NOT_A_CODE = ("limit", "memcpy")  # workloads that run no erasure code
ALL_WORKLOADS = ""


class Case(NamedTuple):
    k: str
    m: str
    size: int
    workload: str  # ALL_WORKLOADS in runs of tune: the case contains all workloads
    erasures: int
    options: tuple[tuple[str, str], ...]  # (name, value) of each other option that does not have its default value

    @property
    def title(self) -> str:
        workload = workload_text(self.workload, self.erasures) if self.workload else "all workloads"
        return ", ".join([workload, f"{self.k}+{self.m}", size_text(self.size), *(option_text(*option) for option in self.options)])


class Candidate(NamedTuple):
    plugin: str
    profile: tuple[tuple[str, str], ...]  # without k and m
    codec_lib: str = ""
    library: str = ""  # only in runs of contenders; all other fields are then empty

    def __str__(self) -> str:
        if self.library:
            return self.library
        words = [self.plugin, dict(self.profile).get("technique", "")]
        words += [f"{key.removeprefix(self.plugin + '-')}={value}" for key, value in self.profile
                  if key != "technique" and value not in ("", "false") and (key, value) not in NOT_SHOWN]
        words += [f"codec-lib={self.codec_lib}"] if self.codec_lib else []
        return " ".join(word for word in words if word)

    @property
    def code(self) -> str:
        """Plugin and technique, without parameters."""
        return self.library or " ".join(word for word in (self.plugin, dict(self.profile).get("technique", "")) if word)

    def to_json(self) -> Json:
        if self.library:
            return {"name": str(self), "library": self.library}
        return {"name": str(self), "plugin": self.plugin, "profile": dict(self.profile), "codec_lib": self.codec_lib or None}


@dataclasses.dataclass(frozen=True)
class Question:
    """Converts the points of a run to cases and candidates."""

    mode: str
    has_one_level: bool  # whether all points have the same dispatch level; if so, the level is part of the host's class

    def case(self, point: Point) -> Case:
        values = point.to_json()
        options = tuple((name, str(value)) for name, value in sorted(values.items())
                        if name not in ("plugin", "profile", "workload", "size", "erasures", "codec_lib", "changed")
                        and value != USUAL.get(name) and not (name == "dispatch" and self.has_one_level))
        if point.changed is not None and self.mode != "tune":
            options = (("changed", str(point.changed)), *options)
        is_tune = self.mode == "tune"
        return Case(point.get("k", ""), point.get("m", ""), point.size, ALL_WORKLOADS if is_tune else point.workload,
                    0 if is_tune else point.erasures, options)

    def candidate(self, point: Point, entry: Mapping[str, object]) -> Candidate:
        library = entry.get("library")
        if isinstance(library, str):
            return Candidate("", (), library=sys.intern(library))
        profile = tuple((sys.intern(key), sys.intern(value)) for key, value in point.profile if key not in ("k", "m"))
        return Candidate(sys.intern(point.plugin), profile, point.codec_lib or "")
