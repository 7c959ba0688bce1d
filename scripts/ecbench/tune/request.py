"""What a race is asked for: the words of `tune k=6 m=2 size=1M ...`, in the grid language, but with one shape and size."""

import dataclasses

from ecbench.terminal.console import Refused
from ecbench.point.grid import read_axes

WORKLOADS = ("encode", "decode")
OPTIONS = {"stripe-unit": "none", "cache": "warm", "threads": 1, "timing": "kernel", "dispatch": "native",
           "codec-lib": "none"}
# A profile that pads by more stores that much more than it must, which no speed is worth.
MOST_PADDING = 25


@dataclasses.dataclass(frozen=True)
class Request:
    k: int
    m: int
    size: int
    erasures: int
    workloads: tuple
    most_padding: int
    options: dict  # a point's own: stripe_unit, cache, ...
    lists: dict  # plugin, technique and parameters of profiles → the values to race


def read_request(words, language):
    """Throws Refused with what was given, what is allowed, and why."""
    words = [part for word in words for part in word.split()]
    for word in words:
        if "=" not in word:
            raise Refused(f"'{word}' is no key=value: a race takes words such as k=6 m=2 size=1M plugin=jerasure")
    axes = read_axes(words, language)
    if "erased" in axes:
        raise Refused("erased is not allowed: a race loses any erasures=N chunks, so that no profile is luckier than another")
    for key in ("k", "m"):
        if key not in axes:
            raise Refused(f"{key} is missing: say for which shape to find the fastest profile, such as k=6 m=2 size=1M")
        if min(axes[key]) < 1:
            raise Refused(f"{key}={min(axes[key])} is not allowed: at least 1")
    single = {key: one(key, axes.pop(key)) for key in ("k", "m", "size", "erasures", "max-padding", *OPTIONS) if key in axes}
    erasures = single.get("erasures", single["m"])
    if erasures == "all" or erasures > single["m"]:
        raise Refused(f"erasures={erasures} is not allowed: one number up to m={single['m']}, how many chunks decode has lost")
    workloads = axes.pop("workload", WORKLOADS)
    if odd := [workload for workload in workloads if workload not in WORKLOADS]:
        raise Refused(f"workload={odd[0]} is not allowed: a race is for encode, decode or encode,decode")
    options = {key.replace("-", "_"): single.get(key, default) for key, default in OPTIONS.items()}
    options = {key: None if value == "none" else value for key, value in options.items()}
    return Request(single["k"], single["m"], single.get("size", 1 << 20), erasures, workloads,
                   single.get("max-padding", MOST_PADDING), options, axes)


def one(key, values):
    if len(values) > 1:
        given = ",".join(map(str, values))
        raise Refused(f"{key}={given} is not allowed: one value, as profiles of different {key} do not compete")
    return values[0]
