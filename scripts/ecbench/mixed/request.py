"""Reads the words of mixed."""

import argparse
import dataclasses

from ecbench.measure.cpus import quiet_cpus
from ecbench.point.axes import OPTIONS, Axes, Axis, Language, numbers, read_axes, single, split
from ecbench.point.description import Plugins
from ecbench.terminal.arguments import cpu_list
from ecbench.terminal.console import Refused
from ecbench.terminal.suggestion import did_you_mean, one_of

KINDS = ("read", "degraded-read", "encode", "overwrite")
DEFAULT_SHARES = "read=40,degraded-read=20,encode=40"
UNLIMITED = "unlimited"
REPAIR, DEEP_SCRUB = "repair", "deep-scrub"
STEPS = (0.0, 1 / 8, 1 / 4, 1 / 2, 3 / 4)  # shares of the unlimited repair rate. The last step, unlimited, is not in this list
OWN = {"background": Axis((REPAIR, DEEP_SCRUB)), "shares": Axis(), "load": numbers(80),
       "repair": numbers(words=(UNLIMITED,), least=0), "foreground-cpu": Axis(), "repair-cpu": Axis(),
       "foreground-threads": numbers(), "repair-threads": numbers(), "pool": numbers()}
OF_THE_CODE = {key: OPTIONS[key] for key in ("size", "stripe-unit", "dispatch", "codec-lib")}
AXES = {**OF_THE_CODE, **OWN}
# Without plugin=: the erasure code and the replicated pool of "Firefly Erasure Coding CPU Tests", with its object sizes. Ceph's
# default for the stripe unit is 4K.
DEFAULTS: Axes = {"k": (6,), "m": (2,), "size": (4 << 20, 128 << 10, 4 << 10), "workload": ("encode",)}
DEFAULT_CODE: Axes = {"plugin": ("isa",), "technique": ("reed_sol_van",), "stripe-unit": (4096,)}
THREE_COPIES: Axes = {"plugin": ("replication",)}
MOST_THREADS = 1024
MOST_LOAD = 1000


@dataclasses.dataclass(frozen=True)
class Request:
    grids: tuple[Axes, ...]  # the axes that select the codes
    background: str
    shares: str
    load: int  # rate of the foreground, in percent of its maximum rate without repairs
    repair: tuple[int | str, ...]  # rebuilt bytes per second, or UNLIMITED; (): the rates of STEPS
    foreground_cpus: list[int]
    repair_cpus: list[int]
    foreground_threads: int
    repair_threads: int
    pool: int | None  # bytes; None: ecbench's default

    @property
    def shares_cpus(self) -> bool:
        return bool(set(self.foreground_cpus) & set(self.repair_cpus))


def grids(axes: Axes, plugins: Plugins | None) -> tuple[Axes, ...]:
    """The given codes. Without plugin=, DEFAULT_CODE and three copies."""
    given = {key: values for key, values in axes.items() if key not in OWN}
    if "plugin" not in given:
        sizes = {key: given[key] for key in ("size",) if key in given}
        return {**DEFAULTS, **DEFAULT_CODE, **given}, {**DEFAULTS, **THREE_COPIES, **sizes}
    technique = {"technique": DEFAULT_CODE["technique"]} if all(has_default_technique(str(name), plugins)
                                                                for name in given["plugin"]) else {}
    return {**DEFAULTS, **technique, **given},


def has_default_technique(plugin: str, plugins: Plugins | None) -> bool:
    techniques = plugins[plugin].techniques if plugins and plugin in plugins else []
    return plugin == "clay" or any(technique.name in DEFAULT_CODE["technique"] for technique in techniques)


def read_request(words: list[str], plugins: Plugins | None) -> Request:
    """`plugins`: None if ecbench is not built yet. Throws Refused."""
    axes = read_axes(split(words), Language(plugins, AXES))
    load = number(axes, "load", 80, MOST_LOAD)
    foreground, repair = default_cpus()
    foreground_cpus, repair_cpus = cpus(axes, "foreground-cpu", foreground), cpus(axes, "repair-cpu", repair)
    pool = single(axes, "pool")
    return Request(grids(axes, plugins), str(single(axes, "background", REPAIR)), shares(axes), load, rates(axes), foreground_cpus,
                   repair_cpus, number(axes, "foreground-threads", len(foreground_cpus), MOST_THREADS),
                   number(axes, "repair-threads", len(repair_cpus), MOST_THREADS), None if pool is None else int(pool))


def number(axes: Axes, key: str, default: int, most: int) -> int:
    value = int(single(axes, key, default) or 0)
    if value > most:
        raise Refused(f"{key}={value} is out of range; allowed: 1 to {most}")
    return value


def rates(axes: Axes) -> tuple[int | str, ...]:
    """Returns the given repair rates in ascending order, and the rate 0. The p99 at each repair rate is compared with the p99 at
    rate 0."""
    given = axes.get("repair")
    if given is None:
        return ()
    limited = sorted({0, *(int(rate) for rate in given if rate != UNLIMITED)})
    found: tuple[int | str, ...] = (*limited, *([UNLIMITED] if UNLIMITED in given else []))
    if len(found) == 1:
        raise Refused("repair=0 is not allowed; give at least one rate above 0, such as repair=100M,unlimited")
    return found


def shares(axes: Axes) -> str:
    given = axes.get("shares")
    if given is None:
        return DEFAULT_SHARES
    refused = f"shares={','.join(map(str, given))} is not allowed"
    found: dict[str, int] = {}
    for item in map(str, given):
        kind, _, percent = item.partition("=")
        if kind not in KINDS:
            raise Refused(f"{refused}: '{kind}' is not a kind of operation; choose {one_of(KINDS)}{did_you_mean(kind, KINDS)}")
        if not percent.isascii() or not percent.isdigit() or int(percent) > 100 or kind in found:
            raise Refused(f"{refused}; give each kind once, with a whole percentage: for example, shares=read=60,encode=40")
        found[kind] = int(percent)
    if sum(found.values()) != 100:
        raise Refused(f"{refused}: the shares sum to {sum(found.values())}; give shares that sum to 100")
    return ",".join(f"{kind}={found[kind]}" for kind in KINDS if found.get(kind))


def default_cpus() -> tuple[list[int], list[int]]:
    """Two CPUs, of two cores if possible; the same CPU twice if this process may use only one."""
    chosen = sorted(quiet_cpus(2))
    return [chosen[0]], [chosen[-1]]


def cpus(axes: Axes, key: str, default: list[int]) -> list[int]:
    if key not in axes:
        return default
    try:
        return cpu_list(",".join(map(str, axes[key])))
    except argparse.ArgumentTypeError as error:
        raise Refused(f"{key}={error}") from error
