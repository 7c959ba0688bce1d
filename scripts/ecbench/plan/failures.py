"""What happens if drives and hosts fail: which losses the data survives, where CRUSH puts the chunks, and what crushtool says."""

import math
from collections.abc import Mapping

from ecbench.ceph.crush import GROUPS, TRIES, Crushtool, map_text
from ecbench.plan import placement, rebuild
from ecbench.plan.outcomes import Outcome
from ecbench.plan.recommendation import keeps_hosts_in, rule_of
from ecbench.plan.request import HOST, OSD, Request, amount_text, duration_text, with_article

MORE_TRIES = 1000
MOST_DRIVES = 20_000  # in a map for crushtool
MOST_IN_RACK = 20  # hosts of two rack units
ARGUMENTS = {rebuild.DRIVE: "drive-rate=", rebuild.NETWORK: "net=", rebuild.CPU: "cores=", rebuild.OPERATIONS: "object="}


def notes(chosen: Outcome, request: Request, crushtool: Crushtool) -> list[str]:
    return [survival(chosen, request), *drive(chosen, request), *host(chosen, request), *racks(request),
            placed(chosen, request, crushtool)]


def survival(one: Outcome, request: Request) -> str:
    domain, layout, profile = request.cluster.failure_domain, one.layout, one.counted.profile
    where = f"{layout.per_domain} chunks on each of {layout.used} {domain}s. " if layout.per_domain > 1 else ""
    data = counted(one.domains_survived, domain) + (f" plus {counted(one.drives_survived, 'drive')}" if one.drives_survived else "")
    io = (f"goes on with {counted(one.domains_served, domain)} down" if one.domains_served
          else f"stops while {with_article(domain)} is down")
    if one.domains_served and one.drives_survived and profile.n - one.domains_served * layout.per_domain <= profile.k + 1:
        io += ", but stops where a drive is lost too"
    least = f" (min_size is {profile.k + 1}; do not lower it)" if profile.m > 1 else ""
    danger = (" One failed host can destroy data: it can store more chunks than the code can lose." if domain == OSD
              and request.cluster.drives > one.counted.survived else "")
    return f"{where}The data survives the loss of any {data}; I/O {io}{least}.{danger}"


def drive(one: Outcome, request: Request) -> list[str]:
    """The rebuild of a drive, with the rates that the network and Ceph's throttles allow a drive that writes."""
    cluster, found = request.cluster, one.drive
    targets = placement.targets_of_drive(one.layout, cluster, is_replicated=one.counted.is_replicated)
    if not found or not targets:
        return ["A failed drive is not rebuilt until it is replaced: no other drive can take its chunks."]
    where = "all drives" if targets.stay < 1 else f"the other {counted(targets.drives, 'drive')} of its {cluster.failure_domain}"
    chunk = cluster.chunk_of(request.objects[0], one.counted.profile.k)
    rates = {rebuild.SHARE: (f"recovery-share={100 * cluster.recovery_share:g}%", found.rate_of_drive(rebuild.SHARE)),
             rebuild.BACKFILLS: (f"osd_max_backfills={cluster.max_backfills}", cluster.most_backfilled(chunk)),
             rebuild.NETWORK: (f"net={amount_text(8 * cluster.net).replace(' ', '')}", found.rate_of_drive(rebuild.NETWORK))}
    limit = rates.pop(found.limit)[0] if found.limit in rates else f"the {found.limit} ({ARGUMENTS[found.limit]})"
    others = ", ".join(f"{name}: {amount_text(rate)}B/s" for name, rate in rates.values())
    return [f"A failed drive is rebuilt in {duration_text(found.seconds)} on {where}: "
            f"{amount_text(found.rate_of_drive(found.limit))}B/s each, limited by {limit} ({others}). Fill drives to at "
            f"most {math.floor(100 * one.full + 1e-9)} % on average."]


def host(one: Outcome, request: Request) -> list[str]:
    """What happens if a host fails, and what the operator has to do."""
    cluster, layout = request.cluster, one.layout
    keeps_in = "mon_osd_down_out_subtree_limit=host keeps Ceph from doing it by itself" if keeps_hosts_in(one, cluster) else ""
    if not one.host:
        if cluster.failure_domain != HOST:
            return ["A failed host is not rebuilt until it is replaced: too few other drives can take its chunks."]
        moves = f" Marking it out only moves other chunks and leaves some unplaced; {keeps_in}." if keeps_in else ""
        return [f"No host is free: a failed host is rebuilt only when it is replaced.{moves}"]
    text = f"A failed host is rebuilt in {duration_text(one.host.seconds)}"
    if layout.per_domain > 1 and cluster.failure_domain == HOST:
        return [f"{text} if you run ceph osd crush reweight-subtree HOST 0; marking it out moves nothing."]
    if keeps_in:
        moved = placement.moved_chunks(layout)
        return [f"{text} if you mark it out (ceph osd out $(ceph osd ls-tree HOST)). "
                f"This also moves {moved:.1f} other chunks per lost chunk and may leave some unplaced; "
                f"{keeps_in}."]
    targets = placement.targets_of_host(layout, cluster, is_replicated=one.counted.is_replicated)
    return [f"{text}, from 10 min after it fails, "
            f"on the other hosts{f' of its {cluster.failure_domain}' if targets and targets.stay == 1 else ''}."]


def racks(request: Request) -> list[str]:
    cluster = request.cluster
    if cluster.failure_domain != HOST or cluster.hosts <= MOST_IN_RACK:
        return []
    return [f"A failed rack stops I/O and can destroy data: {cluster.hosts} hosts fill several. Before you create the pool, repeat "
            "with failure-domain=rack racks=N."]


def placed(one: Outcome, request: Request, crushtool: Crushtool) -> str:
    """The result of crushtool for the recommended rule, on a map with the hosts and drives of the cluster."""
    cluster = request.cluster
    if not crushtool.program:
        return "CRUSH rule not tested: install crushtool (Debian: ceph-base)."
    if cluster.all_drives > MOST_DRIVES:
        return f"CRUSH rule not tested: the cluster has more than {MOST_DRIVES} drives."
    found = incomplete(one, request, crushtool, TRIES)
    if None in found.values():
        return "CRUSH rule not tested: crushtool failed."
    has_tries = rule_of(one, request) != rule_of(one, request, MORE_TRIES)
    again = incomplete(one, request, crushtool, MORE_TRIES) if has_tries and any(found.values()) else found
    return f"crushtool, {verdict(found, again)}."


def incomplete(one: Outcome, request: Request, crushtool: Crushtool, tries: int) -> dict[str, int | None]:
    """Placement groups without a drive for some chunk, in the situations in which the rule should find drives for all."""
    cluster, n, host = request.cluster, one.counted.profile.n, range(request.cluster.drives)
    by_weight = one.layout.per_domain > 1 and cluster.failure_domain == HOST  # the host is rebuilt if its CRUSH weight is 0
    text, without_host = (map_text(cluster.hosts, cluster.drives, cluster.failure_domain, cluster.domains,
                                   rule_of(one, request, tries), has_host=has_host, device_class=cluster.device_class)
                          for has_host in (True, not by_weight))
    found = {"all in": crushtool.incomplete(text, n)}
    if one.drive:
        found["drive out"] = crushtool.incomplete(text, n, host[:1])
    if one.host:
        found["host out"] = crushtool.incomplete(without_host, n, host)
    return found


def verdict(found: Mapping[str, int | None], again: Mapping[str, int | None]) -> str:
    """`again`: the same with MORE_TRIES."""
    def text(counts: Mapping[str, int | None]) -> str:
        return ", ".join(f"{name} {count}" for name, count in counts.items())

    better = {name: fewer for name, count in found.items() if (fewer := again[name]) is not None and fewer < (count or 0)}
    more = f"; with set_choose_tries {MORE_TRIES}: {text(better)}" if better else ""
    return f"incomplete PGs of {GROUPS}: {text(found)}{more}"


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
