"""What happens if drives and hosts fail: which losses the data survives, where CRUSH puts the chunks, and what crushtool says."""

import math

from ecbench.ceph import placement
from ecbench.ceph.placement import HOST, OSD, Crushtool, keeps_hosts_in, tested
from ecbench.plan import rebuild
from ecbench.plan.outcomes import Outcome
from ecbench.plan.request import Request, amount_text, duration_text, with_article

MOST_IN_RACK = 20  # hosts of two rack units
ARGUMENTS = {rebuild.DRIVE: "drive-rate=", rebuild.NETWORK: "net=", rebuild.CPU: "cores=", rebuild.OPERATIONS: "object="}


def notes(chosen: Outcome, request: Request, crushtool: Crushtool) -> list[str]:
    return [survival(chosen, request), *drive(chosen, request), *host(chosen, request), *racks(request),
            tested(chosen.layout, request.cluster, crushtool, is_replicated=chosen.counted.is_replicated)]


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
    keeps_in = ("mon_osd_down_out_subtree_limit=host keeps Ceph from doing it by itself"
                if keeps_hosts_in(layout, cluster, is_replicated=one.counted.is_replicated) else "")
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


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
