"""The field of a run: for each case the points of its contestants, as ecbench itself completes them, and a word for each that is
left out."""

import dataclasses
import re

from ecbench.contenders.cases import Case
from ecbench.contenders.contestants import BUILT_APART, LIMIT
from ecbench.point.expansion import completed
from ecbench.point.point import make_point
from ecbench.terminal.console import Refused


@dataclasses.dataclass
class Entry:
    """A candidate of a contestant in a case."""
    case: Case
    contestant: str
    point: object
    chunk_size: int
    padding_percent: float

    def header(self):
        """What the run's header says of it."""
        return {"id": self.point.id, "point": self.point, "chunk_size": self.chunk_size,
                "padding_percent": round(self.padding_percent, 4), "group": str(self.case), "contestant": self.contestant}


@dataclasses.dataclass
class Field:
    entries: list = dataclasses.field(default_factory=list)  # in the order of the cases
    left_out: list = dataclasses.field(default_factory=list)  # lines
    plugins: dict = dataclasses.field(default_factory=dict)  # as --list says, of those that compete

    def candidates(self):
        """(case, contestant) → its entries."""
        found = {}
        for entry in self.entries:
            found.setdefault((entry.case, entry.contestant), []).append(entry)
        return found


def gather(ecbench, contestants, cases):
    """Throws Refused if nobody is left, or if a folder with codec libraries that was named cannot be used."""
    plugins = ecbench.list_plugins()
    present = [contestant for contestant in contestants if contestant.plugin in plugins]
    field = Field(plugins={contestant.plugin: plugins[contestant.plugin] for contestant in present})
    field.left_out += missing_lines([contestant.plugin for contestant in contestants if contestant.plugin not in plugins])
    asked = [asked_of for contestant in present for asked_of in requests(contestant, plugins[contestant.plugin], cases)]
    answers = ecbench.describe([{"words": point.words()} for _, _, point in asked])
    refusals = {}
    for (contestant, case, point), answer in zip(asked, answers, strict=True):
        if "refused" in answer:
            refusals.setdefault((contestant, re.sub(r"\d+", "N", answer["refused"])), []).append((point, answer["refused"]))
        else:
            field.entries.append(Entry(case, contestant.name, completed(point, answer), answer["chunk_size"],
                                       answer["padding_percent"]))
    check_folders(refusals, field)
    field.left_out += refusal_lines(refusals)
    if not field.entries:
        raise Refused(f"nothing is left to compare: {'; '.join(field.left_out[:3])}")
    order = {case: number for number, case in enumerate(cases)}
    field.entries = sorted(unique(field.entries), key=lambda entry: order[entry.case])
    return field


def requests(contestant, plugin, cases):
    techniques = [technique["name"] for technique in plugin["techniques"]]
    for case in cases:
        for profile in contestant.candidates(case, techniques):
            yield contestant, case, make_point(contestant.plugin, {**profile, "k": case.k, "m": case.m}, case.workload, case.size,
                                               case.erasures, cache=case.cache, codec_lib=contestant.codec_lib)


def unique(entries):
    return list({entry.point.id: entry for entry in entries}.values())


def missing_lines(plugins):
    names = list(dict.fromkeys(plugins))
    apart = [name for name in names if name in BUILT_APART]
    lines = [f"{name} is left out: there is no such plugin" for name in names if name not in BUILT_APART]
    if apart:
        lines.append(f"{' and '.join(apart)} {'are' if len(apart) > 1 else 'is'} left out, not built: make contenders builds "
                     f"{'them' if len(apart) > 1 else 'it'}, given go and cargo")
    return lines


def refusal_lines(refusals):
    for (contestant, _), refused in refusals.items():
        point, why = refused[0]
        others = f" (and {len(refused) - 1} others)" if len(refused) > 1 else ""
        yield f"{contestant.name}: {point}{others} is left out: {why}"


def check_folders(refusals, field):
    """A folder that was named and gives nothing is bad input, not a contestant that happens to be away."""
    running = {entry.contestant for entry in field.entries}
    for (contestant, _), refused in refusals.items():
        if contestant.codec_lib is not None and contestant.name not in running:
            raise Refused(f"--isal {contestant.codec_lib} is not allowed: {refused[0][1]}")


def limits(ecbench, cases):
    """The yardstick of each case: reading k chunks, XORing them and writing as many as a call computes. Cases that do the same have
    one in common. Nothing where plugin isa, which gives the chunks their size, is not there."""
    wanted = {}
    for case in cases:
        point = limit_point(case)
        wanted.setdefault(point.id, (case, point))
    answers = ecbench.describe([{"words": point.words()} for _, point in wanted.values()])
    return unique([Entry(case, LIMIT, completed(point, answer), answer["chunk_size"], answer["padding_percent"])
                   for (case, point), answer in zip(wanted.values(), answers, strict=True) if "refused" not in answer])


def limit_point(case):
    profile = {"technique": "reed_sol_van", "k": case.k, "m": case.written}
    return make_point("isa", profile, LIMIT, case.size, 0, cache=case.cache)


def limit_key(point):
    """What a case's limit is found by."""
    return int(point.get("k")), int(point.get("m")), point.size, point.cache


def limit_key_of(case):
    return case.k, case.written, case.size, case.cache
