"""Ceph's commands that create a pool with a profile."""

import shlex

from ecbench.ceph.stored_size import PAGE
from ecbench.plan.outcomes import Outcome, placement_groups
from ecbench.plan.request import Request

NOT_CEPHS = ("backend",)


def commands(chosen: Outcome, request: Request) -> list[str]:
    """The commands for the chosen profile. If the stripe unit is not a multiple of 4 KiB, Ceph refuses it without --force. Only
    profiles of clay may need such a stripe unit."""
    profile = chosen.counted.profile
    name = f"ec-{profile.name.replace(' ', '-').replace('/', '-').replace('+', '-')}"
    pool = f"{name}-pool"
    groups = placement_groups(chosen.counted, request.cluster)
    parameters = [f"{key}={value}" for key, value in profile.parameters if key not in NOT_CEPHS]
    unit = chosen.counted.stripe_units[0]
    lines = [
        ["ceph", "osd", "erasure-code-profile", "set", name, f"plugin={profile.plugin}", *parameters,
         f"stripe_unit={unit}", "crush-failure-domain=host", *(["--force"] if unit % PAGE else [])],
        ["ceph", "osd", "pool", "create", pool, str(groups), str(groups), "erasure", name]]
    if chosen.counted.fast_ec:
        lines.append(["ceph", "osd", "pool", "set", pool, "allow_ec_optimizations", "true"])
    return [*map(shlex.join, lines), f"{shlex.join(['ceph', 'osd', 'pool', 'set', pool, 'allow_ec_overwrites', 'true'])}  "
            "# only for RBD and CephFS"]
