"""The time to rebuild a drive or a host, and the resource that limits the rebuild."""

import dataclasses

from ecbench.plan.profiles import Counted
from ecbench.plan.request import Cluster

DRIVE, NETWORK, CPU, THROTTLE = "drive", "network", "CPU", "throttle"


@dataclasses.dataclass(frozen=True)
class Rebuild:
    """The rebuild of all chunks of a drive or a host."""

    lost_bytes: float
    seconds: float
    limit: str  # the slowest resource, or THROTTLE
    # Key: name of a resource. Value: the seconds that the rebuild would take if only this resource limited it. For THROTTLE, only
    # the drives limit the rebuild, and the rebuild uses only recovery_share of their rate.
    resources: dict[str, float]

    @property
    def rate(self) -> float:
        """Lost bytes that are rebuilt per second."""
        return self.lost_bytes / self.seconds


def of_drive(counted: Counted, cluster: Cluster, rebuilt_per_core: float | None) -> Rebuild | None:
    """The rebuild of a lost drive; None if no drive can store the rebuilt chunks. `rebuilt_per_core`: bytes of lost chunks that one
    core rebuilds per second; None: not known.

    If there are more hosts than chunks of an object, all remaining drives of the cluster read and write. If every host has a chunk
    of each object, only the remaining drives in the host of the lost drive can store the rebuilt chunks. Then all rebuilt chunks
    are sent to this host, and only the drives of the other hosts are read."""
    lost = cluster.drive_bytes
    network = lost * counted.repair.network / (cluster.hosts * cluster.net)
    if cluster.hosts > counted.profile.n:
        drives = lost * (counted.repair.drive + 1) / ((cluster.all_drives - 1) * cluster.drive_rate)
    elif cluster.drives > 1:
        drives = max(lost / ((cluster.drives - 1) * cluster.drive_rate),
                     lost * counted.repair.drive / ((cluster.hosts - 1) * cluster.drives * cluster.drive_rate))
        network = max(network, lost / cluster.net)
    else:
        return None
    return slowest(lost, drives, network, cluster.hosts, cluster, rebuilt_per_core)


def of_host(counted: Counted, cluster: Cluster, rebuilt_per_core: float | None) -> Rebuild | None:
    """The rebuild of a host; None if every host has a chunk of each object. `rebuilt_per_core`: as in of_drive()."""
    if cluster.hosts <= counted.profile.n:
        return None
    lost = cluster.drive_bytes * cluster.drives
    drives = lost * (counted.repair.drive + 1) / ((cluster.hosts - 1) * cluster.drives * cluster.drive_rate)
    network = lost * counted.repair.network / ((cluster.hosts - 1) * cluster.net)
    return slowest(lost, drives, network, cluster.hosts - 1, cluster, rebuilt_per_core)


def slowest(lost: float, drives: float, network: float, hosts: int, cluster: Cluster, rebuilt_per_core: float | None) -> Rebuild:
    """The rebuild of `lost` bytes by `hosts` hosts. It takes as long as the slowest resource needs. `drives`: the seconds that the
    drives need at their full rate. `network`: the seconds that the network needs."""
    resources = {DRIVE: drives, NETWORK: network}
    if rebuilt_per_core:
        resources[CPU] = lost / (hosts * cluster.cores * rebuilt_per_core)
    throttled = drives / cluster.recovery_share
    limit = max(resources, key=lambda name: resources[name])
    if throttled > resources[limit]:
        limit = DRIVE if limit == DRIVE else THROTTLE
    resources[THROTTLE] = throttled
    return Rebuild(lost, max(resources.values()), limit, resources)
