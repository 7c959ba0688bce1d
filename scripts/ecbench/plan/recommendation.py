"""Recommends a profile. Gives the reason, and the conditions under which another profile would be recommended."""

import dataclasses
from collections.abc import Sequence

from ecbench.plan import outcomes
from ecbench.plan.outcomes import Outcome
from ecbench.plan.quantities import nines_text
from ecbench.plan.rebuild import DRIVE, THROTTLE
from ecbench.plan.request import Request

MOST_AFR = 1.0
STEPS = 60  # steps of a bisection
NEAR = 10  # the result of largest_afr() is printed only if it is at most NEAR times the assumed AFR
MUCH_LESS = 0.75  # a profile that sends less is printed only if it sends at most this share of the recommended profile's traffic


@dataclasses.dataclass(frozen=True)
class Recommendation:
    chosen: Outcome
    sentence: str
    changes: list[str]  # the lines after the sentence: when another profile would be recommended, and the limits of this profile


def recommend(found: Sequence[Outcome], request: Request) -> Recommendation:
    """Applies these rules one after another:

    1. Ceph keeps the profile.
    2. The profile leaves a free host for a rebuild.
    3. The profile stores at most most_space bytes per byte of the object.
    4. The profile reaches the required nines.

    Each rule removes the profiles that do not fulfil it. A rule that would remove all remaining profiles is ignored. At the end,
    the remaining profile that stores the fewest bytes is recommended. There is one exception: if rule 4 is ignored and rule 3 is
    not, the most durable of the remaining profiles is recommended."""
    kept = [one for one in found if not one.status] or list(found)
    spare = [one for one in kept if one.hosts_left > 0] or kept
    small = [one for one in spare if request.most_space is None or one.space <= request.most_space]
    durable = [one for one in small if reaches(one, request)]
    if durable:
        chosen = min(durable, key=cost)
    elif small:
        chosen = max(small, key=lambda one: one.object_nines or 0)
    else:
        chosen = min([one for one in spare if reaches(one, request)] or spare, key=cost)
    return Recommendation(chosen, sentence(chosen, found, len(durable), bool(small), request),
                          [*changes(chosen, found, durable, request)])


def reaches(one: Outcome, request: Request) -> bool:
    return one.object_nines is not None and one.object_nines >= request.least_nines


def cost(one: Outcome) -> tuple[float, float, float]:
    """Sort key: space, then network traffic, then durability."""
    return round(one.space, 9), round(one.counted.repair.network, 9), -(one.object_nines or 0)


def sentence(chosen: Outcome, found: Sequence[Outcome], durable: int, is_small: bool, request: Request) -> str:
    """`durable`: number of profiles that fulfil all rules of recommend(), except rules 1 and 2 if these were ignored. `is_small`:
    whether at least one profile that fulfils rules 1 and 2 also fulfils rule 3."""
    per_year = f", {nines_text(chosen.object_nines)} nines per year" if chosen.object_nines is not None else ""
    take = f"Take {chosen.name} ({chosen.space:.3g} bytes stored per byte of the object{per_year})"
    nines = f"{request.least_nines:g} nines"
    space = f"{request.most_space:g} bytes per byte of the object" if request.most_space is not None else ""
    kept = [*(["that Ceph keeps"] if not chosen.status and any(one.status for one in found) else []),
            "that leaves a free host for a rebuild"]
    small = [*kept, *([f"that stores at most {space}"] if space else [])]
    if chosen.hosts_left <= 0:
        both = f"both stores at most {space} and reaches {nines}" if space else f"reaches {nines}"
        reason = f"None of these profiles {both}." if is_small else f"All of these profiles store more than {space}."
        missed = "" if durable else f" {reason}"
        kept_by_ceph = " that Ceph keeps" * (len(kept) > 1)
        return (f"{take} only with more hosts: every profile{kept_by_ceph} has a chunk on every host, so no host is free for a "
                f"rebuild.{missed}")
    if durable == 1:
        return f"{take}: it is the only profile {joined([*small, f'that reaches {nines}'])}."
    if durable:
        return f"{take}: no other profile {joined([*kept, f'that reaches {nines}'])} stores fewer bytes."
    if is_small:
        return f"{take}: no profile {joined(small)} reaches {nines}, and {chosen.name} is the most durable of these profiles."
    least = (f"Of these profiles, {chosen.name} reaches {nines} with the fewest stored bytes." if reaches(chosen, request) else
             f"None of these profiles reaches {nines}, and {chosen.name} stores the fewest bytes.")
    return f"{take}: every profile {joined(kept)} stores more than {space}. {least}"


def joined(rules: Sequence[str]) -> str:
    return " and ".join([", ".join(rules[:-1]), rules[-1]] if len(rules) > 1 else rules)


def changes(chosen: Outcome, found: Sequence[Outcome], durable: Sequence[Outcome], request: Request) -> list[str]:
    lines = []
    nines = chosen.object_nines or 0
    kept = [one for one in found if not one.status and one.hosts_left > 0]
    if higher := sorted((one for one in kept if (one.object_nines or 0) > nines), key=cost):
        lines.append(f"If you need more than {nines_text(nines)} nines, take {named(higher[0])}.")
    if sends_less := sorted((one for one in durable if one.counted.repair.network <= MUCH_LESS * chosen.counted.repair.network),
                            key=cost):
        one = sends_less[0]
        lines.append(f"If network traffic is more important than space, take {one.name}. To rebuild one lost byte, it sends "
                     f"{one.counted.repair.network:.3g} bytes ({chosen.name}: {chosen.counted.repair.network:.3g}). It stores "
                     f"{one.space:.3g} bytes per byte of the object ({chosen.name}: {chosen.space:.3g}).")
    if leaves_none := sorted((one for one in found if not one.status and one.hosts_left <= 0 and reaches(one, request)
                              and one.space < chosen.space), key=cost):
        one = leaves_none[0]
        lines.append(f"If you add hosts, take {named(one)}. With {request.cluster.hosts} hosts, {one.name} has a chunk on every "
                     "host, so the chunks of a failed host cannot be rebuilt.")
    afr = largest_afr(chosen, request)
    if reaches(chosen, request) and afr <= NEAR * request.cluster.afr:
        lines.append(f"{chosen.name} has at least {request.least_nines:g} nines if the AFR is at most {100 * afr:.3g} %.")
    if chosen.drive:
        limit = chosen.drive.limit
        can_share = request.cluster.recovery_share < 1
        faster = {THROTTLE: "A larger recovery-share", DRIVE: f"Faster drives{' or a larger recovery-share' if can_share else ''}",
                  "network": "A faster network", "CPU": "More cores"}[limit]
        lines.append(f"The rebuild of a drive is limited by the {limit}. {faster} would shorten the rebuild.")
    if chosen.status:
        lines.append(f"Ceph deprecates {chosen.counted.profile.plugin}, and the release vampire cannot load it.")
    if chosen.counted.profile.m == 1:
        lines.append("With m=1, min_size is k: clients can write while a host is down, but if one more chunk is lost, this new "
                     "data is lost.")
    return lines


def named(one: Outcome) -> str:
    nines = "-" if one.object_nines is None else nines_text(one.object_nines)
    return f"{one.name} ({one.space:.3g} bytes stored per byte of the object, {nines} nines per year)"


def largest_afr(chosen: Outcome, request: Request) -> float:
    """The largest AFR at which the profile still reaches the required nines."""
    low, high = request.cluster.afr, MOST_AFR
    for _ in range(STEPS):
        middle = (low * high) ** 0.5
        cluster = dataclasses.replace(request.cluster, afr=middle)
        again = outcomes.outcome(chosen.counted, dataclasses.replace(request, cluster=cluster), chosen.speeds)
        low, high = (middle, high) if reaches(again, request) else (low, middle)
    return low
