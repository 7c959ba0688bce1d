"""The differences between the environment of a host and the environment of most hosts of its class."""

import collections
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated

from ecbench.documents.document import Key
from ecbench.fleet.host_figures import HostFigures
from ecbench.statistics.interval import median

OF_CPU = ("governor", "turbo", "frequency_min_khz", "frequency_max_khz", "microcode", "stepping", "online_cpu_count", "smt",
          "hypervisor")
OF_SYSTEM = ("kernel_release", "libc", "clocksource", "transparent_hugepages", "aslr")
FEWER_CLEAN = 0.1  # how far the share of clean samples of a host must be below the median of the others to be reported


@dataclasses.dataclass(frozen=True)
class Difference:
    """A part of the JSON document."""

    name: str
    here: str
    others: Annotated[str, Key("The value that more than half of the other hosts of the class have.")]

    def __str__(self) -> str:
        return f"{self.name} {self.here} (others: {self.others})"


def facts_of(figures: HostFigures) -> dict[str, str]:
    """The facts about the environment that can affect the speed, as texts."""
    given = figures.environment
    facts: dict[str, object] = {name: given.cpu.json.get(name) for name in OF_CPU}
    facts["caches"] = " ".join(f"L{cache.level}:{cache.size_bytes}" for cache in given.cpu.caches)
    facts |= {name: given.system.json.get(name) for name in OF_SYSTEM}
    facts["numa_nodes"] = len(given.system.numa_nodes)
    facts["quota_cpus"] = (given.cgroup or {}).get("quota_cpus")
    facts |= {f"ecbench {name}": getattr(given.ecbench, name) for name in ("git_revision", "compiler", "compiler_flags")}
    facts |= {one.name: f"{one.version or ''} {(one.build_id or 'unknown')[:12]}".strip() for one in given.shared_objects}
    return {name: "unknown" if value is None else str(value) for name, value in facts.items()}


def differences(figures: HostFigures, others: Sequence[HostFigures]) -> list[Difference]:
    own = facts_of(figures)
    usual = usual_facts([facts_of(other) for other in others])
    found = [Difference(name, own.get(name, "absent"), usual[name]) for name in usual if own.get(name, "absent") != usual[name]]
    shares = [share for other in others if (share := other.clean_share) is not None]
    if figures.clean_share is not None and shares and median(shares) - figures.clean_share > FEWER_CLEAN:
        found.append(Difference("clean samples", f"{figures.clean_share * 100:.0f} %", f"{median(shares) * 100:.0f} %"))
    return found


def usual_facts(all_facts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The facts that more than half of the hosts share."""
    usual = {}
    for name in dict.fromkeys(name for facts in all_facts for name in facts):
        value, count = collections.Counter(facts.get(name, "absent") for facts in all_facts).most_common(1)[0]
        if count * 2 > len(all_facts):
            usual[name] = value
    return usual
