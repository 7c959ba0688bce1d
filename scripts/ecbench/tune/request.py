"""Reads the requests of tune from words KEY=VALUES. Each combination of values of the axes in HEADINGS is a separate request."""

import dataclasses
import itertools
import math

from ecbench.point.axes import MAX_PADDING, OPTIONS, Axes, Axis, Language, read_axes, single, split
from ecbench.point.point import bytes_text
from ecbench.point.wording import option_text
from ecbench.terminal.console import Refused

FOR_CEPH, FOR_ANY = "ceph", "any"
DEFAULT_SIZE = 1 << 20
# Largest padding, in percent of the object. A profile with more padding is not a candidate, because a higher speed does not
# compensate for the storage space that the padding needs.
MOST_PADDING = 25
MOST_REQUESTS = 100
AXES = {**{key: axis for key, axis in OPTIONS.items() if key != "erased"}, **MAX_PADDING,
        "workload": Axis(("encode", "decode"), ("encode", "decode")), "for": Axis((FOR_CEPH, FOR_ANY), (FOR_CEPH,))}
# The heading of a table contains the values of these axes. A table compares only profiles with the same values of these axes.
HEADINGS = ("k", "m", "size", "erasures", "stripe-unit", "cache", "threads", "timing", "dispatch", "codec-lib")


@dataclasses.dataclass(frozen=True)
class Request:
    k: int
    m: int
    size: int
    erasures: int
    workloads: tuple[str, ...]
    most_padding: int
    options: dict[str, int | str | None]  # options of the point: stripe_unit, cache, ...
    lists: Axes  # values to try for plugin, technique and parameters of profiles
    is_for_ceph: bool  # if True and the words do not contain plugin=: only plugins that Ceph can load

    def __str__(self) -> str:
        shown = [option_text(key, value) if key in ("stripe_unit", "cache", "threads") else f"{key.replace('_', '-')}={value}"
                 for key, value in self.options.items() if value != DEFAULT_OPTIONS[key]]
        lost = [f"{self.erasures} lost"] if "decode" in self.workloads and self.erasures != self.m else []
        return ", ".join([f"{self.k}+{self.m}", bytes_text(self.size), *shown, *lost])


def option_values(axes: Axes) -> dict[str, tuple]:
    return {key.replace("-", "_"): tuple(None if value == "none" else value for value in axes.get(key, OPTIONS[key].default))
            for key in HEADINGS[4:]}


DEFAULT_OPTIONS = {key: values[0] for key, values in option_values({}).items()}


def read_requests(words: list[str], plugins: dict | None) -> list[Request]:
    """One request for each combination. `plugins`: the result of --list, or None before ecbench is built. Throws Refused."""
    axes = read_axes(split(words), Language(plugins, AXES))
    for key in ("k", "m"):
        if key not in axes:
            raise Refused(f"{key} is missing; give k and m, such as k=6 m=2 size=1M")
    lost = axes.get("erasures", ())
    least_m = min(map(int, axes["m"]))
    if "all" in lost or any(int(erasures) > least_m for erasures in lost):
        raise Refused(f"erasures={','.join(map(str, lost))} is not allowed; give the number of lost chunks for decode, from 1 to "
                      f"m={least_m}")
    lists = {key: values for key, values in axes.items() if key not in AXES and key not in ("k", "m")}
    options = option_values(axes)
    count = math.prod(len(axes.get(key, ("default",))) for key in HEADINGS)
    if count > MOST_REQUESTS:
        raise Refused(f"these arguments give {count} combinations of {', '.join(HEADINGS)}; at most {MOST_REQUESTS} are allowed; "
                      "give fewer values")
    workloads = tuple(map(str, axes.get("workload", AXES["workload"].default)))
    most_padding = int(single(axes, "max-padding", MOST_PADDING) or 0)
    is_for_ceph = single(axes, "for", FOR_CEPH) == FOR_CEPH
    return [
        Request(int(k), int(m), int(size), int(erasures), workloads, most_padding, dict(zip(options, values, strict=True)), lists,
                is_for_ceph)
        for k, m, size, *values in itertools.product(axes["k"], axes["m"], axes.get("size", (DEFAULT_SIZE,)), *options.values())
        for erasures in lost or (m,)]
