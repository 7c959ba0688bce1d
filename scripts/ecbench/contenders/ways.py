"""The crossover between plugin simd's two ways to encode: multiplications by the matrix, and an additive FFT. They do not compete
with the libraries, because simd uses the faster way by itself."""

from collections.abc import Iterator, Mapping

from ecbench.comparison.case import Case
from ecbench.comparison.comparison import Comparison
from ecbench.comparison.questions import FASTER, direction
from ecbench.comparison.text import NONE, interval_text
from ecbench.contenders.candidates import Candidate, Candidates, candidate_of, describe
from ecbench.contenders.libraries import DIRECT, SIMD, WAYS
from ecbench.contenders.results import CaseResult, Results
from ecbench.contenders.tables import Table, middle_text, speed_cell
from ecbench.measure.ecbench import Ecbench
from ecbench.point.point import bytes_text, make_point

FEWEST_CODING_CHUNKS = 4  # smaller m are left out to save time, although the FFT can be faster there too
OTHER = "other library"


def candidates(ecbench: Ecbench, found: Candidates) -> list[Candidate]:
    """Ways that are not possible, such as an FFT for an odd k, are left out."""
    cases = dict.fromkeys(one.case for one in found.all
                          if one.library == SIMD and one.case.workload == "encode" and one.case.m >= FEWEST_CODING_CHUNKS)
    asked = [(case, name, make_point(SIMD, {**profile, "k": case.k, "m": case.m}, case.workload, case.size, 0, cache=case.cache))
             for case in cases for name, profile in WAYS.items()]
    return [candidate_of(case, name, point, answer)
            for (case, name, point), answer in zip(asked, describe(ecbench, [point for *_, point in asked]), strict=True)
            if not answer.refused]


def compared(result: CaseResult) -> tuple[Comparison, str] | None:
    """The ways and the fastest library that is not simd, and the title of this library. None if the case does not have both
    ways."""
    ways, libraries = result.ways.candidates, result.libraries.candidates
    if DIRECT not in ways or len(ways) < 2:
        return None
    other = next((name for name in result.selection.order if libraries[name].point.plugin != SIMD), NONE)
    return Comparison({**ways, **({} if other == NONE else {OTHER: libraries[other]})}), other


def comparisons(results: Results) -> Iterator[tuple[str, list[tuple[Case, Comparison, str]]]]:
    """Yields the title of a table and its comparisons, by object size and m."""
    for title, cases in results.by_table().items():
        if found := [(result.case, *pair) for result in cases if (pair := compared(result))]:
            yield title, sorted(found, key=lambda one: (one[0].size, one[0].m, one[0].k))


def tables(results: Results) -> Iterator[Table]:
    for title, found in comparisons(results):
        names = [*WAYS, OTHER]
        rows = [["k+m", "m/k", "object", *names, "which is", "FFT / direct", "interval", "Leopard / direct", "interval"]]
        for case, ways, other in found:
            ratios = [ways.ratio(name, DIRECT) for name in WAYS if name != DIRECT]
            rows.append([case.shape, f"{case.m / case.k:.2f}", bytes_text(case.size),
                         *(speed_cell(ways, name) if name in ways.candidates else NONE for name in names), other,
                         *(text for ratio in ratios for text in (middle_text(ratio), interval_text(ratio)))])
        yield Table(f"simd's ways, {title}: GB/s", rows, (0, 2, 7))


def crossovers(results: Results) -> Iterator[str]:
    """Yields a line for each table and object size: the m from which on an FFT is the faster way."""
    for title, found in comparisons(results):
        for size in dict.fromkeys(case.size for case, *_ in found):
            of_size = {case: ways for case, ways, _ in found if case.size == size}
            yield (f"{title}, {bytes_text(size)}: an FFT is faster than multiplications {beaten_from(of_size, DIRECT)}, and faster "
                   f"than all other libraries {beaten_from(of_size, OTHER)}.")


def beaten_from(found: Mapping[Case, Comparison], slower: str) -> str:
    """The m from which on an FFT is significantly faster than `slower` in all cases."""
    is_beaten = {case: any(name in WAYS and name != DIRECT and (ratio := ways.ratio(name, slower, len(found)))
                           and direction(ratio) == FASTER for name in ways.candidates)
                 for case, ways in found.items() if slower in ways.candidates}
    if not is_beaten:
        return "(none was measured)"
    lost = max((case.m for case, beaten in is_beaten.items() if not beaten), default=0)
    won = [case.m for case in is_beaten if case.m > lost]
    return f"from m={min(won)} on" if won else "for no m"
