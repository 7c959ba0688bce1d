"""Whether the order of the contestants is the one of a measurement elsewhere, whose figures lie beside in
granite_rapids_2026_11_20.json: pair by pair, as far as both measurements tell a pair apart."""

import dataclasses
import itertools
import json
import pathlib

from ecbench.contenders.libraries import ISA
from ecbench.contenders.versions import by_library, libisal_release, own_objects, titles_of
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.statistics.rounds import Rounds

FILE = pathlib.Path(__file__).with_name("granite_rapids_2026_11_20.json")
NEAR = 1.1  # there: closer figures are no order, as launches alone differ by nearly so much


@dataclasses.dataclass
class Order:
    """Of one case: pairs (faster there, slower there, ratio there, ratio here)."""
    case: str
    agreed: list
    unlike: list
    open: list  # not told apart here

    @property
    def count(self):
        return len(self.agreed) + len(self.unlike) + len(self.open)


def expected():
    return json.loads(FILE.read_text("utf-8"))


def columns_of(results):
    """Name of the column here → contestant there. Plugin isa is ISA-L 2.30 there, or new from 2.31 on."""
    there = {name: name for name in ("jerasure RS", "jerasure XOR", "klauspost", "rs-erasure", "rs-simd")}
    for library, title in titles_of(results.entries).items():
        if library == ISA or title.startswith("isa "):
            there[title] = "isa new" if is_new(isal_version(results, library)) else "isa 2.30"
    return there


def isal_version(results, library):
    """Such as 2.30; None where it is not known."""
    if library != ISA:
        return libisal_release(own_objects(by_library(results.entries)[library]))
    of_system = next((library.get("version") for library in results.run.header["environment"].get("shared_objects", [])
                      if library["name"].startswith("libisal.so")), None)
    return None if of_system is None else of_system.replace("2.0.", "2.", 1)


def is_new(version):
    numbers = tuple(int(part) for part in (version or "2.30").split(".") if part.isdigit())
    return numbers > (2, 30)


def orders(results):
    """An Order for each case that was measured there and here."""
    there = columns_of(results)
    wanted = expected()["gb_per_s"]
    for standing in results.cases:
        figures = wanted.get(str(standing.case))
        if figures is None:
            continue
        order = Order(str(standing.case), [], [], [])
        for one, other in itertools.combinations(standing.ranking.order, 2):
            compare(order, standing, figures, there, one, other)
        yield order


def compare(order, standing, figures, there, one, other):
    known = figures.get(there.get(one)), figures.get(there.get(other))
    if None in known or there[one] == there[other]:
        return
    if known[0] < known[1]:
        one, other, known = other, one, known[::-1]
    if known[0] / known[1] < NEAR:
        return
    here = Rounds(standing.rounds.rounds).ratio(one, other)
    pair = (one, other, known[0] / known[1], here.median)
    is_open = here.low is None or here.low <= 1 <= here.high
    kind = order.open if is_open else order.agreed if here.median > 1 else order.unlike
    kind.append(pair)


def lines(results):
    """What is printed; nothing where no case was measured there."""
    found = list(orders(results))
    if not found:
        return
    source = expected()
    yield f"the order beside that of {source['machine']}, {source['date']} ({source['source']})"
    if not sum(order.count for order in found):
        yield "  no pair of them stands in both"
        return
    if results.rounds < FEWEST_VALUES:
        yield "  too few rounds to tell a pair apart"
        return
    for order in found:
        unlike = "" if not order.unlike else f", {len(order.unlike)} the other way round"
        opened = "" if not order.open else f", {len(order.open)} not told apart here"
        yield f"  {order.case}: {len(order.agreed)} of {order.count} pairs as there{unlike}{opened}"
        for one, other, there, here in order.unlike:
            yield f"    {one} over {other}: x{there:.2f} there, x{here:.2f} here"
        for one, other, there, here in order.open:
            yield f"    {one} over {other}: x{there:.2f} there, x{here:.2f} here, which may be none"
    if not any(order.unlike or order.open for order in found):
        yield "  agreed: every pair that is told apart there is in the same order here"
        return
    yield "  not agreed in all; what the environment tells of why:"
    yield from ("    " + reason for reason in reasons(results, source, found))


def reasons(results, source, found):
    there = columns_of(results)
    other_way = [(order, pair) for order in found for pair in (*order.unlike, *order.open)]
    flags = results.run.header["environment"].get("cpu", {}).get("flags", [])
    cpu = results.run.header["machine"]["cpu"]
    lacking = {name: [source["flags"][flag] for flag in source["ran_by"].get(there[name], ()) if flag not in flags]
               for _, pair in other_way for name in pair[:2]}
    narrower = {name: words for name, words in lacking.items() if words}
    wide = [pair for _, pair in other_way if pair[0] in narrower or pair[1] in narrower]
    if wide:
        had = "; ".join(f"{name} by {' and '.join(words)}" for name, words in narrower.items())
        yield f"{len(wide)} of these pairs: this CPU ({cpu}) has not what ran there ({had}); what ran here stands below"
    if any("decode" in order.case for order, _ in other_way):
        yield ("decodes: there data chunks alone were lost, which jerasure RS rebuilds by XOR where it is one; here any chunk is, "
               "coding chunks too")
    if rest := len(other_way) - len(wide):
        is_other = any(results.run.header["machine"].get(key) != value for key, value in source["cpu"].items())
        another = (f"the CPU is another ({cpu}), so that what a shuffle, a load and a store cost is another too; nothing more"
                   if is_other else "nothing")
        yield f"{rest} of these pairs: {another} is known of them"
