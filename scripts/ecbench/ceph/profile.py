"""Profiles as Ceph accepts them: limits, defaults, the profile with the same bytes as a profile of ecbench, and the command that
creates a profile in a cluster."""

import shlex
from collections.abc import Mapping

from ecbench.ceph.releases import PLUGINS, RELEASES
from ecbench.ceph.stored_size import PAGE
from ecbench.point.point import Point

# Ceph's default profiles for new pools, without k and m. Tentacle (20.2) and later releases use the first profile, and earlier
# releases use the second profile.
DEFAULTS = ({"plugin": "isa", "technique": "reed_sol_van"}, {"plugin": "jerasure", "technique": "reed_sol_van", "w": "8"})
DEFAULT_STRIPE_UNIT = 4096
UNDER_CLAY = ("jerasure", "isa", "shec")
FIRST = ("k", "m", "technique")
NOT_CEPHS = ("backend", "matrix", "store")  # parameters that only ecbench has
ISAS_MOST_DATA, ISAS_MOST_CODING = 32, {"reed_sol_van": 4, "cauchy": 32}
ISAS_MOST_DATA_FOR_FOUR = 21  # with k=22 m=4, reed_sol_van cannot recover every loss of 4 chunks


def isa_allows(technique: str, k: int, m: int) -> bool:
    if m > ISAS_MOST_CODING[technique]:
        return False
    return technique == "cauchy" or k <= (ISAS_MOST_DATA_FOR_FOUR if m == 4 else ISAS_MOST_DATA)


def isa_technique(k: int, m: int) -> str:
    """reed_sol_van, or cauchy if Ceph does not allow reed_sol_van for this k and m (docs/codes.md)."""
    return "reed_sol_van" if isa_allows("reed_sol_van", k, m) else "cauchy"


def default_rank(plugin: str, profile: Mapping[str, str]) -> int:
    """The index of the profile in DEFAULTS; len(DEFAULTS) if it is not a default profile."""
    given = {key: value for key, value in profile.items() if value not in ("", "false") and key not in ("k", "m")}
    given["plugin"] = plugin
    return DEFAULTS.index(given) if given in DEFAULTS else len(DEFAULTS)


def in_ceph(point: Point) -> tuple[str, dict[str, str]] | None:
    """The plugin and the profile with which Ceph computes the same bytes; None if Ceph does not have the code. Ceph does not have
    the plugin simd. simd computes the same bytes as isa or as jerasure. Its parameter `matrix` selects one."""
    profile = {key: value for key, value in point.profile if key not in NOT_CEPHS}
    if profile.get("scalar_mds", UNDER_CLAY[0]) not in UNDER_CLAY:
        return None
    if point.plugin in PLUGINS:
        return point.plugin, profile
    if point.plugin != "simd":
        return None
    plugin = point.get("matrix")
    if plugin == "isa":
        profile = {key: value for key, value in profile.items() if key in (*FIRST, "mapping")}
        if not isa_allows(profile["technique"], int(profile["k"]), int(profile["m"])):
            return None
    return plugin, profile


def set_command(name: str, plugin: str, parameters: Mapping[str, str], stripe_unit: int | None,
                failure_domain: str = "host", device_class: str = "") -> str:
    """The command that creates the profile. Parameters with the value "" or "false" are left out, since these values are Ceph's
    defaults. Ceph refuses a stripe unit that is not a multiple of 4 KiB, unless --force is given."""
    values = [f"{key}={value}" for key, value in parameters.items() if value not in ("", "false") and key not in NOT_CEPHS]
    striped = [f"stripe_unit={stripe_unit}"] if stripe_unit else []
    force = ["--force"] if stripe_unit and stripe_unit % PAGE else []
    return shlex.join(["ceph", "osd", "erasure-code-profile", "set", name, f"plugin={plugin}", *values, *striped,
                       f"crush-failure-domain={failure_domain}",
                       *([f"crush-device-class={device_class}"] if device_class else []), *force])


def command_of(point: Point) -> str | None:
    """The command that creates a profile with the same bytes in Ceph; None if Ceph does not have the code."""
    if not (found := in_ceph(point)):
        return None
    plugin, profile = found
    first = "fastest" if plugin == point.plugin else f"like-{point.plugin}"
    words = (first, plugin, profile.get("technique"), profile["k"], profile["m"], point.stripe_unit)
    ordered = {key: profile[key] for key in (*FIRST, *profile) if key in profile}
    return set_command("-".join(str(word) for word in words if word), plugin, ordered, point.stripe_unit)


def notes_of(point: Point) -> list[str]:
    """Facts that an engineer should know before using the profile."""
    if not (found := in_ceph(point)):
        return []
    plugin, profile = found
    notes = []
    if plugin != point.plugin:
        notes.append(f"Ceph has no plugin {point.plugin}. With this profile, Ceph's plugin {plugin} computes the same "
                     "bytes, but the speed differs. for=ceph compares only plugins that Ceph can load")
    if backend := point.get("backend", ""):
        notes.append(f"Ceph's plugin {plugin} has no backend={backend}. Ceph computes the same bytes, but the speed differs")
    technique = profile.get("technique", "")
    if RELEASES["umbrella"].status_of(plugin, technique):
        what = plugin if plugin in ("shec", "clay") else f"{plugin}'s {technique}"
        notes.append(f"Ceph deprecates {what} in its Umbrella release and removes it in the next (ceph.io, 2025-12-16, "
                     "\"Ending Support for some Erasure Code Plugins\")")
    return notes
