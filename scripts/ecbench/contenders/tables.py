"""What a run of contenders prints: a table for each kind of work and cache state, who is fastest where, and what a call of nothing
costs."""

from ecbench.contenders.contestants import short_code
from ecbench.point.point import bytes_text
from ecbench.point.wording import figure_text
from ecbench.runfile.summary import MARKED
from ecbench.statistics.interval import median
from ecbench.terminal.columns import aligned

NONE = "-"
SMALL = 4096  # bytes of an object; where the cost of a call is named
FASTEST, EQUAL, UNKNOWN = "*", "=", "?"
XOR = "jerasure XOR"


def lines(results):
    """All that is printed of the figures, line by line."""
    for title, standings in results.tables().items():
        yield f"{title}: GB/s"
        yield from indented(speeds(results, standings))
        yield ""
    yield legend(results)
    yield ""
    for title, standings in results.tables().items():
        yield f"fastest, {title}"
        yield from indented(fastest(standings), 4)
        yield ""
    yield from wins(results)


def indented(cells, left=2):
    return ("  " + line for line in aligned(cells, left))


def speeds(results, standings):
    """Lines of cells, the titles first."""
    names = [name for name in results.contestants if any(name in standing.cells for standing in standings)]
    codes = [XOR] if XOR in names else []
    rows = [["k+m", "object", *names, "limit", *(f"{name} is" for name in codes)]]
    for standing in standings:
        limit = NONE if standing.limit is None else figure_text(standing.limit.gb_per_s) + standing.limit.mark
        rows.append([standing.case.shape, bytes_text(standing.case.size), *(cell(standing, name) for name in names), limit,
                     *(code(standing, name) for name in codes)])
    return rows


def cell(standing, name):
    if name not in standing.cells:
        return NONE
    return mark(standing, name) + figure_text(standing.cells[name].gb_per_s) + standing.cells[name].mark


def mark(standing, name):
    if name == standing.fastest:
        return FASTEST
    return EQUAL if name in standing.equals else UNKNOWN if name in standing.unknown else ""


def code(standing, name):
    return short_code(standing.cells[name].point) if name in standing.cells else NONE


def fastest(standings):
    rows = [["k+m", "object", "fastest", "runner-up", "ratio", "interval", "of isa", "of the limit", "told apart from"]]
    for standing in standings:
        ratio = standing.of_runner_up()
        percent = standing.percent_of_limit(standing.fastest)
        rows.append([standing.case.shape, bytes_text(standing.case.size), standing.fastest, standing.runner_up or NONE,
                     NONE if ratio is None else f"{ratio.middle:.2f}", interval_text(ratio), ratio_text(standing.of_isa()),
                     NONE if percent is None else f"{percent:.0f} %", apart(standing)])
    return rows


def interval_text(ratio):
    return NONE if ratio is None or ratio.low is None else f"{ratio.low:.2f}..{ratio.high:.2f}"


def ratio_text(ratio):
    return NONE if ratio is None else f"x{ratio.middle:.2f}"


def apart(standing):
    others = len(standing.cells) - 1
    if not others:
        return "nobody else ran"
    if not standing.undecided:
        return "all" if others > 1 else "it"
    return f"{others - len(standing.undecided)} of {others}, not from {', '.join(standing.undecided)}"


def legend(results):
    few = "" if not results.too_few_rounds else "; too few rounds for intervals, so that nothing is told apart"
    any_unknown = any(standing.unknown for standing in results.standings)
    unknown = f", {UNKNOWN} failed in too many rounds to be compared with it" if any_unknown else ""
    return ("GB/s: 10^9 bytes of object a second by one core, padding not counted, medians of "
            f"{results.rounds} interleaved rounds. {FASTEST} the fastest, {EQUAL} not told apart from it{few}{unknown}. "
            f"limit: reading k chunks and writing as many as a call computes.{f' {MARKED}.' if results.marked else ''}")


def wins(results):
    """Who is the fastest in how many cases, and how sure all of that is. A case with unknown ones has nobody alone."""
    yield f"fastest of {len(results.standings)} cases, or not told apart from it"
    yield from indented(win_rows(results), 1)
    if text := certainty_text(results):
        yield text


def win_rows(results):
    alone, shared = {}, {}
    for standing in results.standings:
        for name in (standing.fastest, *standing.equals):
            of = shared if standing.undecided else alone
            of[name] = of.get(name, 0) + 1
    return [["", "fastest alone", "with others"],
            *([name, str(alone.get(name, 0)), str(shared.get(name, 0))] for name in results.contestants)]


def certainty_text(results):
    if results.certainty is None:
        return ""
    cases = sum(standing.certainty is not None for standing in results.standings)
    chance = (1 - results.certainty) * cases
    return (f"In each case whoever is really the fastest is marked so, or as not told apart, with at least "
            f"{100 * results.certainty:.1f} %: chance leaves it out in {chance:.1f} of the {cases} cases at most.")


def call_lines(results):
    """What a call of nothing costs, and its share of a call at 4 KiB, warm encode. Nothing if no row tells."""
    rows = call_rows(results)
    return [call_title(results), *indented(rows, 1)] if len(rows) > 1 else []


def call_title(results):
    if not small_encodes(results):
        return "a call of nothing"
    return f"a call of nothing, and its share of a call that encodes {bytes_text(SMALL)}, warm, of which it is a part"


def call_rows(results):
    """The titles alone if no row tells."""
    cells = {}
    for standing in results.standings:
        for name, of in standing.cells.items():
            cells.setdefault(name, {})[standing.case] = of
    small = small_encodes(results)
    rows = [["", "ns", *(case.shape for case in small)]]
    for name in results.contestants:
        if (nanoseconds := call_overhead(cells[name].values())) is not None:
            rows.append([name, f"{nanoseconds:.1f}", *(share(nanoseconds, cells[name].get(case)) for case in small)])
    return rows


def small_encodes(results):
    return [standing.case for standing in results.standings if is_small_encode(standing.case)]


def is_small_encode(case):
    return case.size == SMALL and case.workload == "encode" and case.cache == "warm"


def call_overhead(cells):
    """Of a contestant; None if its rows tell none."""
    found = [row["call_overhead_ns"] for cell_ in cells for row in cell_.rows if row.get("call_overhead_ns") is not None]
    return median(found) if found else None


def share(nanoseconds, of):
    return NONE if of is None else f"{100 * nanoseconds / median([row['ns_per_op'] for row in of.rows]):.0f} %"
