"""What happens if drives and hosts fail: which losses the data survives, where CRUSH puts the chunks, and what crushtool says."""

import math

from ecbench.ceph.crush import GROUPS, CrushTest, Crushtool, map_text
from ecbench.plan import placement, rebuild
from ecbench.plan.commands import keeps_hosts_in, rule_of
from ecbench.plan.outcomes import Outcome
from ecbench.plan.quantities import amount_text, duration_text
from ecbench.plan.request import HOST, OSD, Request

MOST_DRIVES = 20_000  # in a map for crushtool
ARGUMENTS = {rebuild.DRIVE: "drive-rate=", rebuild.NETWORK: "net=", rebuild.CPU: "cores=", rebuild.OPERATIONS: "object="}


def notes(chosen: Outcome, request: Request, crushtool: Crushtool) -> list[str]:
    return [survival(chosen, request), *drive(chosen, request), *host(chosen, request), placed(chosen, request, crushtool)]


def survival(one: Outcome, request: Request) -> str:
    domain, layout = request.cluster.failure_domain, one.layout
    lost, served = one.domains_survived, one.domains_served
    rest = one.counted.survived - lost * layout.per_domain
    where = f"{layout.per_domain} chunks on each of {layout.used} {domain}s. " if layout.per_domain > 1 else ""
    data = counted(lost, domain) + (f" plus {counted(rest, 'drive')}" if rest else "")
    profile = one.counted.profile
    stops = (f", but I/O then stops (min_size is {profile.k + 1}; do not lower it)"
             if one.counted.survived == profile.m > 1 or one.counted.is_replicated else "")
    io = f"I/O goes on with {counted(served, domain)} down" if served else (
        f"I/O stops while {counted(1, domain)} is down (fewer than min_size chunks)")
    danger = (" One failed host can destroy data: it can store more chunks than the code can lose." if domain == OSD
              and request.cluster.drives > one.counted.survived else "")
    return f"{where}The data survives the loss of any {data}{stops}. {io}.{danger}"


def drive(one: Outcome, request: Request) -> list[str]:
    """The rebuild of a drive, with the rates that Ceph's throttles allow a drive that writes."""
    cluster, found = request.cluster, one.drive
    targets = placement.targets_of_drive(one.layout, cluster, is_replicated=one.counted.is_replicated)
    if not found or not targets:
        return ["A failed drive is not rebuilt until it is replaced: no other drive can take its chunks."]
    where = "all drives" if targets.stay < 1 else f"the other {targets.drives} drives of its {cluster.failure_domain}"
    chunk = cluster.chunk_of(request.objects[0], one.counted.profile.k)
    rates = {rebuild.SHARE: (f"recovery-share={100 * cluster.recovery_share:g}%", found.rate_of_drive(rebuild.SHARE)),
             rebuild.BACKFILLS: (f"osd_max_backfills={cluster.max_backfills}", cluster.most_backfilled(chunk))}
    limit = rates.pop(found.limit)[0] if found.limit in rates else f"the {found.limit} ({ARGUMENTS[found.limit]})"
    others = ", ".join(f"{name} allows {amount_text(rate)}B/s" for name, rate in rates.values())
    full = placement.fullest(one.layout, cluster, is_replicated=one.counted.is_replicated)
    return [f"A failed drive is rebuilt in {duration_text(found.seconds)} on {where}. Each writes "
            f"{amount_text(found.rate_of_drive(found.limit))}B/s, limited by {limit}; {others}, mClock reserves "
            f"{amount_text(cluster.osd.reserved(chunk))}B/s. Fill the fullest drive to at most {math.floor(100 * full + 1e-9)} %."]


def host(one: Outcome, request: Request) -> list[str]:
    cluster, layout = request.cluster, one.layout
    if cluster.failure_domain != HOST:
        return []
    if layout.spare <= 0:
        return ["No host is free: marking a failed host out only moves other chunks and leaves some unplaced. "
                "mon_osd_down_out_subtree_limit=host prevents it."]
    if layout.per_domain > 1 and not request.release.has_msr:
        return ["A failed host is rebuilt after: ceph osd crush reweight-subtree HOST 0."]
    if keeps_hosts_in(layout, cluster):
        return [f"One host is free. Marking a host out moves {placement.moved_chunks(layout):.1f} other chunks per lost chunk and "
                "may leave some unplaced; mon_osd_down_out_subtree_limit=host prevents it."]
    return []


def placed(one: Outcome, request: Request, crushtool: Crushtool) -> str:
    """The result of crushtool for the recommended rule, on a map with the hosts and drives of the cluster."""
    cluster = request.cluster
    if not crushtool.program:
        return "CRUSH rule not tested: install crushtool (Debian: ceph-base)."
    if cluster.all_drives > MOST_DRIVES:
        return f"CRUSH rule not tested: the cluster has more than {MOST_DRIVES} drives."
    rule, n = rule_of(one, request), one.counted.profile.n
    text = map_text(cluster.hosts, cluster.drives, cluster.failure_domain, cluster.domains, rule)
    if tested := crushtool.test(text, n, cluster.drives):
        return f"crushtool: {verdict(tested, can_rebuild=one.drive is not None)}."
    return "The MSR rule was not tested: this crushtool is older than squid." if rule[0] == "msr_indep" else (
        "CRUSH rule not tested: crushtool failed.")


def verdict(test: CrushTest, *, can_rebuild: bool) -> str:
    text = f"{test.bad} of {GROUPS} PGs incomplete, drive out: {test.bad_without_drive}, host out: {test.bad_without_host}"
    return text + ("; raise set_choose_tries in the rule" if test.bad or (can_rebuild and test.bad_without_drive) else "")


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
