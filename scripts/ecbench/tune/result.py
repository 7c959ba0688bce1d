"""The output of tune for a request: the candidates of the last stage with their intervals, and commands for the recommended
candidate. One command measures it, and another command creates its profile in Ceph."""

from collections.abc import Iterator

from ecbench.measure.ecbench import Ecbench, shown_command
from ecbench.statistics.interval import estimate
from ecbench.statistics.ranking import Ranking
from ecbench.statistics.rounds import Rounds
from ecbench.terminal.columns import aligned
from ecbench.tune import ceph_profile
from ecbench.tune.candidates import Candidate
from ecbench.tune.measurements import Measurements
from ecbench.tune.request import Request

APART = ("technique", "k", "m")
WHAT_TO_DO = "run tune again"


class Result:
    def __init__(self, request: Request, ranking: Ranking, rounds: Rounds, measurements: Measurements):
        self._request = request
        self._ranking = ranking
        self._rounds = rounds
        self._measurements = measurements
        self._first = ranking.first

    def lines(self, ecbench: Ecbench) -> Iterator[str]:
        points = self._first.points
        yield f"{self._request}: " + " and ".join(
            f"decode, {point.erasures} lost" if point.erasures else point.workload for point in points)
        yield from aligned([self._titles(), *map(self._cells, self._ranking.order)], left=4)
        yield ""
        yield self._legend()
        if self._ranking.inconclusive:
            yield f"{self._request}: {self._ranking.inconclusive.text(WHAT_TO_DO)}"
            return
        yield from self._conclusion(ecbench)

    def _conclusion(self, ecbench: Ecbench) -> Iterator[str]:
        chosen = ceph_profile.preferred([tie for tie in [self._first, *self._ranking.ties] if tie not in self._ranking.unclear])
        yield f"{self._request}: {self._first} is the fastest{self._sureness()}"
        if chosen != self._first:
            yield f"recommended: {chosen}; this is Ceph's default profile, and is not significantly slower than the fastest profile"
        kernels = " and ".join(dict.fromkeys(filter(None, self._measurements.found[chosen][0].kernels))) or "unknown"
        yield f"measured with the {chosen.plugin} plugin of ecbench, kernel {kernels}"
        yield ""
        yield "measure it:"
        for point in chosen.points:
            yield f"  {shown_command(ecbench.command(point.words()))}"
        if command := ceph_profile.command_of(chosen):
            yield "use it in Ceph:"
            yield f"  {command}"
        for note in ceph_profile.notes_of(chosen):
            yield f"note: {note}"

    def _titles(self) -> list[str]:
        own = [f"{point.workload} {point.erasures}" if point.erasures else point.workload for point in self._first.points]
        return ["", "plugin", "technique", "parameters", "GB/s", "±%", *(own if len(own) > 1 else []), "% of the first",
                "padding %"]

    def _cells(self, candidate: Candidate) -> list[str]:
        profile = candidate.profile()
        rest = " ".join(f"{key}={value}" for key, value in profile.items() if key not in APART and value not in ("", "false"))
        found = self._measurements.found[candidate]
        figure = estimate([one.combined for one in found])
        width = "-" if figure.width_percent is None else f"{figure.width_percent:.1f}"
        own = [estimate([one.rates[index] for one in found]).median for index in range(len(candidate.points))]
        mark = "=" if candidate in self._ranking.ties or (candidate == self._first and self._ranking.ties) else ""
        return [mark, candidate.plugin, profile.get("technique", ""), rest, f"{figure.median:.2f}", width,
                *([f"{rate:.2f}" for rate in own] if len(own) > 1 else []), self._ratio(candidate),
                f"{candidate.padding_percent:.1f}"]

    def _ratio(self, candidate: Candidate) -> str:
        if candidate == self._first:
            return "100"
        ratio = self._ranking.ratios[candidate]
        interval = "" if ratio.low is None or ratio.high is None else f" ({ratio.low * 100:.1f} to {ratio.high * 100:.1f})"
        return f"{ratio.median * 100:.1f}{interval}"

    def _legend(self) -> str:
        workloads = self._request.workloads
        what = f"GB/s of {workloads[0]}" if len(workloads) == 1 else "GB/s: the harmonic mean of encode and decode"
        return f"{what}; medians of {len(self._rounds.rounds)} interleaved rounds, 95 % intervals; =: not significantly different"

    def _sureness(self) -> str:
        count = len(self._ranking.ties)
        if count:
            return f", but {count} {'others are' if count > 1 else 'other is'} not significantly different (=)"
        return "; the others are significantly slower" if len(self._ranking.order) > 1 else "; no other candidate is left"
