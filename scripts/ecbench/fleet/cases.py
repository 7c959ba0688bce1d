"""Cases and candidates of a report. A candidate is a profile. In runs of tune, one case contains all workloads, and its figures are
harmonic means over them, as in the results of tune. In runs of libraries, the candidates are libraries, because two hosts may have
chosen different profiles of one."""

import sys
from typing import NamedTuple

from ecbench.comparison.case import Case
from ecbench.point.point import NOT_SHOWN, Json
from ecbench.point.wording import USUAL, option_text
from ecbench.runfile.libraries import WAYS
from ecbench.runfile.run_file import Run

NATIVE = "native"
NOT_A_CODE = ("limit", "memcpy")  # workloads that run no erasure code
ALL_WORKLOADS = "all workloads"


class Candidate(NamedTuple):
    """What competes on all hosts; comparison.Candidate has the rows of one run."""

    plugin: str
    profile: tuple[tuple[str, str], ...]  # without k and m
    codec_lib: str = ""
    library: str = ""  # only in runs of libraries; all other fields are then empty

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


class RunCases:
    """Converts the points of a run to cases and candidates."""

    def __init__(self, run: Run):
        levels = {point.dispatch for point in run.points.values()}
        self.level = levels.pop() if len(levels) == 1 else NATIVE  # of all points; then the level is part of the host's class
        self._is_tune = run.mode == "tune"
        self._libraries = {entry.id: entry.library for entry in run.header.points}
        # Points of stages are not planned, so they have no library.
        self.points = {identity: point for identity, point in run.points.items()
                       if point.workload not in NOT_A_CODE and self._libraries.get(identity) not in WAYS}

    def case(self, identity: str) -> Case:
        """`options`: those that do not have their usual value."""
        point = self.points[identity]
        options = {name: value for name, value in sorted(point.to_json().items())
                   if name not in ("plugin", "profile", "workload", "size", "erasures", "codec_lib", "changed")
                   and value != USUAL.get(name) and not (name == "dispatch" and value == self.level)}
        if point.changed is not None and not self._is_tune:
            options = {"changed": point.changed, **options}
        workload, lost, changed = ((ALL_WORKLOADS, 0, 0) if self._is_tune else
                                   (point.workload, point.erasures, point.changed or 0))
        return Case(workload, lost, point.cache, int(point.get("k") or 0), int(point.get("m") or 0), point.size, changed,
                    tuple((name, str(value)) for name, value in options.items()),
                    tuple((name, option_text(name, value)) for name, value in options.items()))

    def candidate(self, identity: str) -> Candidate:
        library, point = self._libraries.get(identity, ""), self.points[identity]
        if library:
            return Candidate("", (), library=sys.intern(library))
        profile = tuple((sys.intern(key), sys.intern(value)) for key, value in point.profile if key not in ("k", "m"))
        return Candidate(sys.intern(point.plugin), profile, point.codec_lib or "")
