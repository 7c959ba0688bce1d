"""Compares the durability that plan computes with a simulation that uses nothing of plan's model. The AFR is raised until data is
lost often enough to be counted."""

import dataclasses
import heapq
import math
import random
import sys
import unittest

from ecbench.ceph.placement import Layout
from ecbench.plan.outcomes import outcome
from ecbench.plan.profiles import Counted, copies
from ecbench.plan.request import Request, read_request
from synthetic_plan import mds_profile

LOSSES = 400  # simulated until so many losses have occurred; the standard error is then about 5 %
HOURS_PER_YEAR = 365 * 24


@dataclasses.dataclass(frozen=True)
class Case:
    hosts: int
    drives: int
    k: int  # 1: copies
    m: int
    failed: float  # mean number of drives that are failed at the same time. The AFR is chosen so that it has this value
    per_host: int = 1
    racks: int = 0  # failure domains, if these are not the hosts; a host of a rack holds at most one chunk

    @property
    def request(self) -> Request:
        words = ["failure-domain=rack", f"racks={self.racks}"] if self.racks else []
        request = read_request([f"hosts={self.hosts}", f"drives={self.drives}x20T", *words])
        found = outcome(counted_of(self, request), request).drive
        afr = self.failed / (self.hosts * self.drives) * HOURS_PER_YEAR * 3600 / (600 + found.seconds)
        return dataclasses.replace(request, cluster=dataclasses.replace(request.cluster, afr=afr))


CASES = (Case(12, 4, 4, 2, 0.15), Case(8, 12, 6, 1, 0.05), Case(20, 3, 4, 1, 0.05), Case(14, 6, 8, 3, 0.3),
         Case(4, 8, 4, 2, 0.15, 2), Case(10, 4, 1, 2, 0.15), Case(3, 12, 1, 2, 0.15), Case(12, 4, 4, 2, 0.15, racks=3))


class Cluster:
    """One drive holds at most one chunk of a placement group; a host holds at most `per_host`."""

    def __init__(self, case: Case, groups: int, generator: random.Random):
        self.case, self.generator = case, generator
        self.of_drive: list[set[int]] = [set() for _ in range(case.hosts * case.drives)]
        n, racks = case.k + case.m, max(1, case.racks)
        own = case.hosts // racks  # hosts of a rack
        for group in range(groups):
            hosts = [host for each in range(racks) for host in generator.sample(range(each * own, (each + 1) * own),
                                                                                math.ceil(n / case.per_host / racks))]
            drives = [host * case.drives + drive for host in hosts for drive in generator.sample(range(case.drives), case.per_host)]
            for drive in drives[:n]:
                self.of_drive[drive].add(group)

    def hours(self, drive: int, failed: set[int]) -> float:
        """The hours until the chunks of the drive are written again: 600 s until the drive is out, then 20 TB at 60 MB/s per drive.
        The rule of an erasure-coded pool leaves them on the host, whose drives are also read if it stores several chunks. Copies
        go everywhere, but each is written by one drive; with as many hosts as copies, they stay on the host."""
        case, host = self.case, drive // self.case.drives
        own = max(1, case.drives - sum(each // case.drives == host for each in failed))
        others = (case.hosts - 1) * case.drives
        if case.k == 1 and case.hosts > case.m + 1:
            writers = case.hosts * case.drives - len(failed)
            share = max(2 * 20e12 / writers, 20e12 / max(1, len(self.of_drive[drive])))
        else:
            own_reads = case.k * (case.per_host - 1) / (case.k + case.m - 1)
            share = max(20e12 * (1 + own_reads) / own, 20e12 * (case.k - own_reads) / others)
        return (600 + share / 60e6) / 3600

    def run(self, afr: float) -> tuple[float, int, int]:
        """Returns the years, the placement groups that lost data, and the events in which any did."""
        case, generator = self.case, self.generator
        events = losses = 0
        time = 0.0
        failed: set[int] = set()
        ends: list[tuple[float, int]] = []
        rate = afr / HOURS_PER_YEAR * case.hosts * case.drives
        while events < LOSSES:
            time += generator.expovariate(rate)
            while ends and ends[0][0] <= time:
                _, drive = heapq.heappop(ends)
                failed.discard(drive)
            drive = generator.randrange(case.hosts * case.drives)
            if drive in failed:
                continue
            failed.add(drive)
            heapq.heappush(ends, (time + self.hours(drive, failed), drive))
            fatal = 0
            if len(failed) > case.m:
                fatal = sum(sum(group in self.of_drive[each] for each in failed) == case.m + 1 for group in self.of_drive[drive])
            events, losses = events + (fatal > 0), losses + fatal
        return time / HOURS_PER_YEAR, losses, events


def counted_of(case: Case, request: Request) -> Counted:
    return copies(request) if case.k == 1 else mds_profile(case.k, case.m)


class Simulation(unittest.TestCase):
    def test_each_cluster(self) -> None:
        for number, case in enumerate(CASES):
            request = case.request
            found = outcome(counted_of(case, request), request)
            groups = Layout(case.k + case.m, request.cluster).placement_groups
            years, losses, events = Cluster(case, groups, random.Random(number)).run(request.cluster.afr)
            print(f"{case}: groups per year {losses / years:.3g}, plan {groups * found.object_losses.drives:.3g}; "
                  f"events per year {events / years:.3g}, plan {found.pool_losses.drives:.3g}", file=sys.stderr)
            self.assertEqual(found.layout.per_host, case.per_host)
            self.assertAlmostEqual(groups * found.object_losses.drives / (losses / years), 1, delta=0.2)
            self.assertAlmostEqual(found.pool_losses.drives / (events / years), 1, delta=0.2)
