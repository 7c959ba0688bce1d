"""Measures candidates in a session, and keeps the rows of the current stage (experiment/stages.py). Each workload of a candidate
has its own process."""

import collections
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from ecbench.ceph.profile import command_of, notes_of
from ecbench.comparison.answer import Answer
from ecbench.comparison.figures import SELECT, UNCLEAR, Rounds, ratio_in_percent
from ecbench.comparison.select import Selection
from ecbench.experiment.stages import LAST_STAGE
from ecbench.measure.ecbench import Ecbench, shown_command
from ecbench.measure.session import Effort, Session
from ecbench.point.point import number_text
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import WRONG_BYTES
from ecbench.runfile.summary import is_disturbed
from ecbench.statistics.interval import median
from ecbench.terminal.console import aligned
from ecbench.tune.candidates import Candidate, Request

SHARE_OF_A_STAGE = 0.25  # of the time left, for each stage before the last


class Measurements:
    def __init__(self, session: Session):
        self.found: dict[Candidate, list[list[Row]]] = {}  # for each round of the current stage, a row of each workload
        self.wrong_bytes = 0
        self.failed: dict[Candidate, None] = {}  # candidates of all stages that failed, except those that returned wrong bytes
        self._session = session
        self._stage = ""
        self._rounds: collections.Counter[Candidate] = collections.Counter()

    def watch(self, stage: str, candidates: list[Candidate], rounds: int) -> None:
        self._stage = stage
        self._rounds.clear()
        self.found = {candidate: [] for candidate in candidates}
        points = sum(len(candidate.points) for candidate in candidates)
        self._session.begin_stage(f"{stage}, {len(candidates)} candidates", points * rounds,
                                  share=1 if stage == LAST_STAGE else SHARE_OF_A_STAGE)

    def measure(self, candidate: Candidate, effort: Effort) -> float | None:
        """The logarithm of the harmonic mean of the candidate's GB/s: the speed if each workload processes each object once. None
        if a workload failed. Throws Interrupted and Refused."""
        rows = []
        for point in candidate.points:
            outcome = self._session.take(point, self._rounds[candidate], self._stage, effort)
            if outcome.failure or outcome.gb_per_s <= 0:
                if outcome.failure == WRONG_BYTES:
                    self.wrong_bytes += 1
                else:
                    self.failed[candidate] = None
                return None
            rows.append(outcome)
        self._rounds[candidate] += 1
        self.found[candidate].append(rows)
        return math.log(statistics.harmonic_mean([row.gb_per_s for row in rows]))

    def with_disturbances(self, rounds: Rounds) -> Rounds:
        """The rounds of the current stage. A round of a candidate is disturbed if one of its workloads is."""
        return Rounds(rounds.rounds, {candidate: sum(any(map(is_disturbed, rows)) for rows in found) / len(found)
                                      for candidate, found in self.found.items() if found})


# The output of tune for a request: the candidates of the last stage with their intervals, and commands for the recommended
# candidate.

APART = ("technique", "k", "m")


class Result:
    def __init__(self, request: Request, found: Selection, rounds: Rounds, measurements: Measurements,
                 dropped: Mapping[Candidate, float], last: Answer):
        self._dropped = dropped  # not pursued; they have no verdict
        self._request = request
        self._found = found
        self._rounds = rounds
        self._measurements = measurements
        self._answer = last

    def lines(self, ecbench: Ecbench) -> Iterator[str]:
        workloads = [f"decode, {point.erasures} lost" if point.erasures else point.workload for point in self._found.first.points]
        yield f"{self._request}: {' and '.join(workloads)}"
        yield from aligned([self._titles(), *map(self._cells, self._found.order)], left=4)
        yield ""
        yield from self._best_dropped()
        yield self._legend()
        if not self._found.inconclusive:
            yield from self._commands(ecbench)
        yield str(self._answer)

    def _commands(self, ecbench: Ecbench) -> Iterator[str]:
        first, unclear = self._found.first, self._found.having(UNCLEAR)
        chosen = preferred([first, *(tie for tie in self._found.ties if tie not in unclear)])
        if chosen != first:
            yield f"recommended: {chosen}; this is Ceph's default profile, and is not significantly slower than the fastest profile"
        kernels = [row.kernel for row in self._measurements.found[chosen][0] if row.kernel]
        yield f"measured with the {chosen.plugin} plugin of ecbench, kernel {' and '.join(dict.fromkeys(kernels)) or 'unknown'}"
        yield ""
        yield "measure it:"
        for point in chosen.points:
            yield f"  {shown_command(ecbench.command(point.words()))}"
        if command := command_of(chosen.points[0]):
            yield "use it in Ceph:"
            yield f"  {command}"
        for note in notes_of(chosen.points[0]):
            yield f"note: {note}"

    def _best_dropped(self) -> Iterator[str]:
        """For each plugin that has no candidate in the table, the fastest of those that were dropped."""
        shown = {candidate.plugin for candidate in self._found.order}
        for plugin in dict.fromkeys(candidate.plugin for candidate in self._dropped if candidate.plugin not in shown):
            best = max((one for one in self._dropped if one.plugin == plugin), key=self._dropped.__getitem__)
            yield f"best of {plugin}, not pursued: {best}, about {self._dropped[best] * 100:.0f} % of the fastest"

    def _titles(self) -> list[str]:
        own = [f"{point.workload} {point.erasures}" if point.erasures else point.workload for point in self._found.first.points]
        return ["", "plugin", "technique", "parameters", "GB/s", "±%", *(own if len(own) > 1 else []), "% of the first",
                "padding %"]

    def _cells(self, candidate: Candidate) -> list[str]:
        profile, ties = candidate.profile(), self._found.ties
        rest = " ".join(f"{key}={value}" for key, value in profile.items() if key not in APART and value not in ("", "false"))
        figure = self._rounds.figure(candidate)
        own = [median(row.gb_per_s for row in rows) for rows in zip(*self._measurements.found[candidate])]
        mark = "=" if ties and candidate in (self._found.first, *ties) else ""
        ratio = ratio_in_percent(self._found.ratios[candidate]) if candidate != self._found.first else "100"
        return [mark, candidate.plugin, profile.get("technique", ""), rest, f"{figure.median:.2f}",
                number_text(figure.width_percent), *([f"{rate:.2f}" for rate in own] if len(own) > 1 else []), ratio,
                f"{candidate.padding_percent:.1f}"]

    def _legend(self) -> str:
        workloads = self._request.workloads
        what = f"GB/s of {workloads[0]}" if len(workloads) == 1 else "GB/s: the harmonic mean of encode and decode"
        return (f"{what}; medians of {len(self._rounds.rounds)} interleaved rounds; =: not significantly slower. "
                f"{SELECT.condition.format('all')}")


def preferred(ties: Sequence[Candidate]) -> Candidate:
    """Ceph's default profile if it is among them, otherwise the first."""
    return min(ties, key=lambda tie: tie.default_rank)
