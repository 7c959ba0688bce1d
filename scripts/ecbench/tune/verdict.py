"""What a race ends with, on standard output: the finalists with their intervals, and the lines that measure and use the fastest."""

import math

from ecbench.measure.ecbench import shown_command
from ecbench.point.point import bytes_text
from ecbench.tune import ceph_profile
from ecbench.statistics import standing
from ecbench.tune.contest import combined

HEADER = ("", "plugin", "technique", "parameters", "GB/s", "±%", "of the best, %", "padding %")
MUCH = 3  # intervals as wide as so many times the aim are worth a warning
APART = ("technique", "k", "m")
RIGHT = ("GB/s", "±%", "padding %")


class Verdict:
    def __init__(self, race, contest, request, effort):
        self._race = race
        self._request = request
        self._rates = {candidate: contest.figures[candidate, effort] for candidate in race.finalists}

    def lines(self, ecbench, defaults):
        """`defaults` says of a candidate whether nothing but k, m and technique is to be given to have it."""
        yield from aligned([self._header(), *map(self._row, self._race.finalists)])
        yield ""
        yield self._legend()
        best = self._race.finalists[0]
        yield f"{self._shape()}: {best} is the fastest, {self._sureness()}"
        simple = next((other for other in self._equals() if defaults(other) and self._is_close(other)), None)
        if simple and not defaults(best):
            yield f"not told apart from it, and with defaults alone: {simple}"
        yield ""
        yield "measure it:"
        for point in best.points:
            yield f"  {shown_command(ecbench.command(point.words()))}"
        if command := ceph_profile.command_of(best):
            yield "use it in Ceph:"
            yield f"  {command}"
        for note in ceph_profile.notes_of(best):
            yield f"note: {note}"

    def _header(self):
        points = self._race.finalists[0].points
        own = [f"{point.workload} {point.erasures}" if point.erasures else point.workload for point in points]
        return [*HEADER[:6], *(own if len(own) > 1 else []), *HEADER[6:]]

    def _row(self, candidate):
        profile = candidate.profile()
        rest = " ".join(f"{key}={value}" for key, value in profile.items() if key not in APART and value not in ("", "false"))
        rates = self._rates[candidate]
        figure, low, high = standing.figure_of([math.log(combined(rate)) for rate in rates])
        width = "-" if low is None else f"{(high - low) / 2 / figure * 100:.1f}"
        own = [standing.figure_of([math.log(rate[index]) for rate in rates])[0] for index in range(len(candidate.points))]
        return ["=" if self._race.indistinguishable(candidate) else "", candidate.plugin, profile.get("technique", ""), rest,
                f"{figure:.2f}", width, *([f"{rate:.2f}" for rate in own] if len(own) > 1 else []), self._ratio(candidate),
                f"{candidate.padding_percent:.1f}"]

    def _ratio(self, candidate):
        if candidate == self._race.finalists[0]:
            return "100"
        ratio, low, high = standing.ratio_interval(self._race.final, candidate, self._race.finalists[0])
        ends = "" if low is None else f" ({low * 100:.1f} to {high * 100:.1f})"
        return f"{ratio * 100:.1f}{ends}"

    def _equals(self):
        return [other for other in self._race.finalists[1:] if self._race.indistinguishable(other)]

    def _is_close(self, candidate):
        """Not only not told apart, for which a noisy machine is enough, but surely no slower than by the aim."""
        _, low, _ = standing.ratio_interval(self._race.final, candidate, self._race.finalists[0])
        return low is not None and low >= 1 - self._race.aim

    def is_noisy(self):
        """Whether the best itself is known far worse than the race aimed at: the machine was not quiet."""
        best = self._race.finalists[0]
        figure, low, high = standing.figure_of([math.log(combined(rates)) for rates in self._rates[best]])
        return low is None or (high - low) / 2 / figure > MUCH * self._race.aim

    def _legend(self):
        best = self._race.finalists[0]
        workloads = [point.workload for point in best.points]
        what = f"GB/s: {workloads[0]}s of the object" if len(workloads) == 1 else "GB/s: each object once encoded and once decoded"
        lost = f", {self._request.erasures} of its {self._request.k + self._request.m} chunks lost" if "decode" in workloads else ""
        rounds = len(self._race.final.rounds)
        return f"{what}{lost}; medians of {rounds} interleaved rounds, 95 % intervals; =: not told apart from the best"

    def _shape(self):
        return f"{self._request.k}+{self._request.m}, {bytes_text(self._request.size)}"

    def _sureness(self):
        others = self._equals()
        if not others:
            alone = len(self._race.finalists) == 1
            return "the only one that was left" if alone else "told apart from all others by its interval"
        return f"but {len(others)} other{'s are' if len(others) > 1 else ' is'} not told apart from it (=)"


def aligned(rows):
    """Columns as wide as need be; numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    numeric = [is_numeric(name) for name in rows[0]]
    for row in rows:
        cells = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric)]
        yield "  ".join(cells).rstrip()


def is_numeric(name):
    return name in RIGHT or name.split(" ")[0] in ("encode", "decode")
