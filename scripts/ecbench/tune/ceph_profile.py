"""The command that creates a profile in a Ceph cluster, Ceph's default profiles, and notes about the use of a profile in Ceph."""

import shlex
from collections.abc import Sequence

from ecbench.ceph.releases import RELEASES
from ecbench.tune.candidates import Candidate
from ecbench.tune.request import CEPHS

# Ceph's default profiles for new pools, without k and m. Tentacle (20.2) and later releases use the first profile, and earlier
# releases use the second profile.
DEFAULTS = ({"plugin": "isa", "technique": "reed_sol_van"}, {"plugin": "jerasure", "technique": "reed_sol_van", "w": "8"})
UNDER_CLAY = ("jerasure", "isa", "shec")
FIRST = ("k", "m", "technique")
NOT_CEPHS = ("backend", "matrix", "store")  # parameters that only ecbench has
ISAS_MOST_DATA, ISAS_MOST_CODING = 32, {"reed_sol_van": 4, "cauchy": 32}
ISAS_MOST_DATA_FOR_FOUR = 21


def in_ceph(candidate: Candidate) -> tuple[str, dict[str, str]] | None:
    """The plugin and the profile with which Ceph computes the same bytes as `candidate`; None if Ceph does not have the code. Ceph
    does not have the plugin simd. simd computes the same bytes as isa or as jerasure. Its parameter `matrix` selects one."""
    profile = {key: value for key, value in candidate.profile().items() if key not in NOT_CEPHS}
    if profile.get("scalar_mds", UNDER_CLAY[0]) not in UNDER_CLAY:
        return None
    if candidate.plugin in CEPHS:
        return candidate.plugin, profile
    if candidate.plugin != "simd":
        return None
    plugin = candidate.profile()["matrix"]
    if plugin == "isa":
        profile = {key: value for key, value in profile.items() if key in (*FIRST, "mapping")}
        if not isa_allows(profile["technique"], int(profile["k"]), int(profile["m"])):
            return None
    return plugin, profile


def isa_allows(technique: str, k: int, m: int) -> bool:
    if m > ISAS_MOST_CODING[technique]:
        return False
    return technique == "cauchy" or k <= (ISAS_MOST_DATA_FOR_FOUR if m == 4 else ISAS_MOST_DATA)


def command_of(candidate: Candidate) -> str | None:
    """The command that creates the profile in Ceph; None if Ceph does not have the code. Parameters with the value "" or "false"
    are left out, since these values are Ceph's defaults."""
    found = in_ceph(candidate)
    if not found:
        return None
    plugin, profile = found
    keys = [key for key in FIRST if key in profile] + [key for key in profile if key not in FIRST]
    values = [f"{key}={profile[key]}" for key in keys if profile[key] not in ("", "false")]
    unit = candidate.points[0].stripe_unit
    first = "fastest" if plugin == candidate.plugin else f"like-{candidate.plugin}"
    name = "-".join(str(word) for word in (first, plugin, profile.get("technique"), profile["k"], profile["m"], unit) if word)
    striped = [f"stripe_unit={unit}"] if unit else []
    return shlex.join(["ceph", "osd", "erasure-code-profile", "set", name, f"plugin={plugin}", *values, *striped,
                       "crush-failure-domain=host"])


def preferred(candidates: Sequence[Candidate]) -> Candidate:
    """Chooses one of several candidates that are not significantly different. If one of them is Ceph's default profile, chooses
    this candidate, otherwise the first candidate."""
    for default in DEFAULTS:
        for candidate in candidates:
            profile = {key: value for key, value in candidate.profile().items() if value not in ("", "false")}
            if {"k": profile["k"], "m": profile["m"], **default} == {"plugin": candidate.plugin, **profile}:
                return candidate
    return candidates[0]


def notes_of(candidate: Candidate) -> list[str]:
    """Facts that an engineer should know before using the profile."""
    found = in_ceph(candidate)
    if not found:
        return []
    plugin, profile = found
    notes = []
    if plugin != candidate.plugin:
        notes.append(f"Ceph has no plugin {candidate.plugin}. With this profile, Ceph's plugin {plugin} computes the same "
                     "bytes, but the speed differs. for=ceph compares only plugins that Ceph can load")
    if backend := candidate.profile().get("backend"):
        notes.append(f"Ceph's plugin {plugin} has no backend={backend}. Ceph computes the same bytes, but the speed differs")
    technique = profile.get("technique", "")
    if RELEASES["umbrella"].status_of(plugin, technique):
        what = plugin if plugin in ("shec", "clay") else f"{plugin}'s {technique}"
        notes.append(f"Ceph deprecates {what} in its Umbrella release and removes it in the next (ceph.io, 2025-12-16, "
                     "\"Ending Support for some Erasure Code Plugins\")")
    return notes
