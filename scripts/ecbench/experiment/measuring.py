"""Measures the points of an experiment: all cases in interleaved rounds; or, with stages, one case after another in the order of
the file, so that the first ones have a complete answer if the budget ends. In a case, the stages choose the candidates of the
rounds (successive halving); their own measurements are not results: a profile may have been the first of a stage by chance.

If the budget does not suffice for all rounds, the first round or stage is complete and short, with what is likely to lead first:
Ceph's defaults, then the middle and the ends. Later rounds measure the leaders of each case, and none begins that does not fit into
the time left. Then the rounds of the other points follow, also in a run that is resumed."""

import dataclasses
import math
import random
import statistics
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from ecbench.ceph.profile import DEFAULTS, default_rank
from ecbench.comparison.comparison import Comparison
from ecbench.comparison.figures import SELECT, Candidate, Rounds
from ecbench.experiment.cases import Case, Points, grouped
from ecbench.experiment.experiment import Experiment, Stage
from ecbench.measure.session import LEAST_SAMPLES, MARGIN, SECONDS_PER_PROCESS, Budget, Effort, Session, samples_in, seconds_of
from ecbench.point.point import Planned
from ecbench.process.process import Interrupted
from ecbench.runfile.run_file import Key, Run
from ecbench.runfile.summary import GB_PER_S
from ecbench.statistics.interval import FEWEST_VALUES, median
from ecbench.terminal.console import OutOfTime, say

FIRST_SHARE = 0.1  # of the budget, for the first round
SHARE_OF_A_STAGE, SHARE_OF_THE_FIRST = 0.25, 0.5  # of the time that is left for the case
LEAST_ROUNDS = 3  # so many further rounds of the leaders must fit
FEWEST_LEADERS, FIRST_OF_A_CASE = 2, 3  # in the first round, so many candidates of a case are measured before the next case
CEPHS_PACKETSIZE = "2048"
LONGEST_CALL = 0.1  # as a share of the time for a measurement, which makes at least 24 calls
Names = Sequence[str]  # of the candidates of a case


class Measuring:
    """`entries`: all candidates of an experiment with stages; otherwise the planned points. `least`: the shortest duration of the
    samples of a measurement in the rounds, in seconds."""

    def __init__(self, experiment: Experiment, entries: Sequence[Planned], budget: Budget, least: float = LEAST_SAMPLES):
        self._experiment = experiment
        self._least = least
        self._budget = budget
        self._is_limited = budget.seconds is not None
        self._entries = {entry.id: entry for entry in entries}
        self._points = Points(entries, experiment)
        self.cases = self._points.cases

    def seconds(self, case: Case, rounds: int, min_time: float) -> float:
        """The estimated duration, if the budget does not end it."""
        left, seconds, each = len(case.ids), 0.0, self._points_of_each(case)
        for stage in self._experiment.stages:
            sizes = [len(found) for found in grouped(list(case.ids), self._group(case, stage.of))]
            contested = min(left, sum(size for size in sizes if size > stage.keep))
            seconds += seconds_of(each * contested * stage.rounds, stage.effort.min_time)
            left = min(left, sum(min(size, max(stage.keep, math.ceil(len(case.ids) * stage.share))) for size in sizes))
        return seconds + seconds_of(each * left * rounds, min_time)

    def _points_of_each(self, case: Case) -> int:
        return max(map(len, case.points.values()))

    def _group(self, case: Case, of: str) -> Callable[[str], str]:
        return lambda name: self._points.properties[case.ids[name]].get(of, "") if of else ""

    def measure(self, session: Session, run: Run) -> None:
        """Throws Refused, Interrupted and OutOfTime."""
        if self._experiment.stages:
            self._measure_cases(session, run)
            return
        if self._is_limited and seconds_of(run.total() - len(run.done()), run.header.options.min_time) > self._budget.left():
            self._measure_rounds(session, run, {number: list(case.ids) for number, case in enumerate(self.cases)})
        session.measure_planned()  # all others, in the time that is left

    def _measure_cases(self, session: Session, run: Run) -> None:
        rounds, min_time = run.header.repetitions, run.header.options.min_time
        needed = [MARGIN * self.seconds(case, rounds, min_time) for case in self.cases]
        fitting = self._fitting(needed)
        lacks = False
        for number, case in enumerate(self.cases):
            try:
                if number >= fitting:
                    self._budget.end()
                share = needed[number] / sum(needed[number:max(fitting, number + 1)])
                end = self._budget.elapsed() + share * self._budget.left(in_all=True) if self._is_limited else math.inf
                left, is_complete = self._choose(session, case, run, end)
                lacks |= not is_complete
                entries = [dataclasses.replace(self._entries[identity], group=case.title) for identity in case.all_ids(left)]
                if new := [one for one in entries if one.id not in {planned.id for planned in run.header.points}]:
                    session.plan(new)
                if seconds_of(rounds * len(entries), min_time) > end - self._budget.elapsed():
                    self._measure_rounds(session, run, {number: left}, end)
                else:
                    seconds = MARGIN * seconds_of(rounds * len(entries), min_time)
                    session.measure_planned(drop_failed=True, points=entries, seconds=seconds)
            except (Interrupted, OutOfTime):
                if len(self.cases) > 1:
                    say(f"{number} of {len(self.cases)} cases are complete")
                raise
        session.measure_planned(drop_failed=True)  # the rounds of candidates that were no leaders, in the time that is left
        if lacks:
            self._budget.end()

    def _fitting(self, needed: Sequence[float]) -> int:
        """So many cases are measured: all, or as many as the budget allows with short stages and rounds; at least one."""
        left = self._budget.left(in_all=True)
        if not self._is_limited or sum(needed) <= left:
            return len(needed)
        for number, case in enumerate(self.cases):
            kept = sum(min(len(found), stage.keep) for stage in self._experiment.stages[-1:]
                       for found in grouped(list(case.ids), self._group(case, stage.of)))
            left -= seconds_of(self._points_of_each(case) * (len(case.ids) + kept * FEWEST_VALUES), LEAST_SAMPLES)
            if left < 0:
                return max(1, number)
        return len(needed)

    def _choose(self, session: Session, case: Case, run: Run, end: float) -> tuple[Names, bool]:
        """The candidates that the stages leave, as many as some rounds fit for, and whether the stages measured all. Of a group in
        which all fail, the first: the run must show the failure."""
        is_complete, each = True, self._points_of_each(case)
        deadline: float | None = None  # of the first stage, which may be slower than estimated
        has_groups = any(stage.of for stage in self._experiment.stages)

        def begin(title: str, stage: Stage, names: Names) -> tuple[Stage, list[str]]:
            nonlocal deadline, is_complete
            seconds = (end - self._budget.elapsed()) * (SHARE_OF_THE_FIRST if deadline is None else SHARE_OF_A_STAGE)
            deadline = self._budget.elapsed() + seconds if deadline is None else math.inf
            most = max(FEWEST_LEADERS, int(seconds / seconds_of(each, LEAST_SAMPLES))) if math.isfinite(seconds) else len(names)
            order = coarse(case, names)
            done = [name for name in order if Key(case.points[name][0].id, 0, title) in run.records]
            names = [*done, *[name for name in order if name not in done][:most]]
            is_complete &= len(names) == len(order)
            stage = stage.fitting(each * len(names), seconds)
            count = each * len(names) * stage.rounds
            session.begin_stage(f"{case.title}, {title}", count, min(seconds, MARGIN * seconds_of(count, stage.effort.min_time)))
            return stage, names

        def measure(name: str, title: str, number: int, effort: Effort) -> float | None:
            nonlocal is_complete
            if number == 0 and deadline is not None and self._budget.elapsed() > deadline and self._budget.has_measured:
                is_complete = False
                return None
            speeds = []
            for point in case.points[name]:
                outcome = session.take(point, number, title, effort)
                if outcome.failure or outcome.gb_per_s <= 0:
                    return None
                speeds.append(outcome.gb_per_s)
            return math.log(statistics.harmonic_mean(speeds))

        chosen, stages = list(case.ids), self._experiment.stages
        left = survivors(stages, chosen, begin, measure, f"{run.header.seed} {case.title}", lambda of: self._group(case, of),
                         lambda name: not has_groups and default_rank(case.points[name][0]) < len(DEFAULTS))
        failed = [found[0] for found in grouped(chosen, self._group(case, stages[-1].of)) if not set(found) & set(left)]
        most = math.inf if has_groups else (end - self._budget.elapsed()) / seconds_of(LEAST_ROUNDS * each, LEAST_SAMPLES)
        kept = {*left[:int(max(FEWEST_LEADERS, min(most, len(left))))], *failed}
        return [name for name in chosen if name in kept], is_complete

    def _measure_rounds(self, session: Session, run: Run, names: dict[int, Names], end: float = math.inf) -> None:
        """Measures the rounds that fit. `names`: number of a case → the candidates of its next round."""
        header, draw = run.header, random.Random(run.header.seed)
        first_share = 0.0 if self._experiment.stages else FIRST_SHARE
        names_a_fastest = self._experiment.question == SELECT and self._experiment.figure == GB_PER_S
        for repetition in range(header.repetitions):
            left = min(end - self._budget.elapsed(), self._budget.left(in_all=True))
            points = sum(len(self.cases[number].all_ids(of)) for number, of in names.items())
            is_short = seconds_of(points * max(1, FEWEST_VALUES - repetition), self._least) > left
            if (is_short if self._experiment.stages else repetition) and names_a_fastest:
                most = int(left / (LEAST_ROUNDS * SECONDS_PER_PROCESS)) // len(names)
                names = {number: self._leaders(run, self.cases[number], of, most) for number, of in names.items()}
            if repetition:
                order = [identity for number, of in names.items() for identity in self.cases[number].all_ids(of)]
                draw.shuffle(order)
            else:
                fitting = left * SHARE_OF_THE_FIRST / seconds_of(1, self._least) if first_share else math.inf
                first = FIRST_OF_A_CASE if fitting >= FIRST_OF_A_CASE * len(names) else FEWEST_LEADERS
                order = in_turn([self.cases[number].all_ids(coarse(self.cases[number], of)) for number, of in names.items()], first)
                order = order[:max(FEWEST_LEADERS * len(names), int(min(fitting, len(order))))]
                names = {number: begun for number, of in names.items() if (begun := [
                    name for name in of if set(self.cases[number].all_ids([name])) <= set(order)])}
            seconds = left * (first_share if first_share and not repetition else 1 / (header.repetitions - repetition))
            min_time = min(max(self._least, samples_in(seconds / len(order))), header.options.min_time)
            if repetition and seconds_of(len(order), min_time) > left:
                if math.isfinite(end):
                    return
                self._budget.end()
            effort = Effort(min_time, limit=bool(header.options.limit) and (repetition > 0 or not first_share))
            session.begin_stage("", len(order), max(seconds, seconds_of(len(order), min_time)))
            longest = max(SECONDS_PER_PROCESS, seconds / len(order)) * LONGEST_CALL * 1e9
            slow: dict[Hashable, int] = {}  # profile → least object size with which it takes the time of many others
            for point in map(run.points.__getitem__, order):
                if point.size < slow.get((point.plugin, point.profile), math.inf):
                    outcome = session.take(point, repetition, effort=effort)
                    if first_share and not repetition and names_a_fastest and (outcome.json.get("ns_per_op") or 0) > longest:
                        slow[point.plugin, point.profile] = point.size

    def _leaders(self, run: Run, case: Case, names: Names, most: int) -> Names:
        """The candidates that may be the fastest, at most so many that `most` points are measured. Those without a row failed."""
        rounds = Comparison.of_run(run, {name: case.points[name] for name in names}).rounds
        most = max(FEWEST_LEADERS, most // self._points_of_each(case))
        if len(rounds.candidates) < FEWEST_LEADERS:
            return (rounds.candidates or list(names))[:most]
        count = len(rounds.candidates) - len(clearly_below(rounds.relative(rounds.candidates)))
        return rounds.ranked(rounds.candidates)[:min(most, max(FEWEST_LEADERS, count))]

    def provisional(self, run: Run) -> Run:
        """A run that has ended early, with what its cases lack: without rows, the rows of the newest stage of each point are the
        figures of its case; otherwise, candidates that the stages did not reach are points without a figure."""
        if not self._experiment.stages:
            return run
        ids = {key.id for key in run.records}
        begun = [case for case in self.cases if ids & set(case.all_ids(case.ids))] or self.cases[:1]
        planned = {one.id for one in run.header.points} if run.rows else set()
        more = [self._entries[identity] for case in begun if not run.rows or planned & set(case.all_ids(case.ids))
                for identity in case.all_ids(case.ids) if identity not in planned and not (run.rows and identity in ids)]
        header = dataclasses.replace(run.header, points=[*(run.header.points if run.rows else ()), *more])
        found = Run(run.path, header, {one.id: run.points.get(one.id, one.point) for one in header.points})
        newest = {key.id: key.stage for key in run.records}
        for key, record in run.records.items():
            if key.stage == ("" if run.rows else newest[key.id]):
                found.add(key._replace(stage=""), record)
        return found


def coarse(case: Case, names: Names) -> list[str]:
    """Ceph's defaults, then of each technique in turn Ceph's packetsize, its middle, its ends, the middles between and so on."""
    ranks = {name: default_rank(case.points[name][0]) for name in names}
    defaults = [name for name in sorted(names, key=ranks.__getitem__) if ranks[name] < len(DEFAULTS)]
    points = {name: of[0] for name, of in case.points.items()}
    rest = grouped(sorted((name for name in names if name not in defaults), key=lambda name: [
        int(value) for _, value in points[name].profile if value.isdecimal()]),
                   lambda name: (points[name].plugin, points[name].get("technique", "")))
    return [*defaults, *in_turn([sorted((found[number] for number in bisected(len(found))), key=lambda name: points[name].get(
        "packetsize") != CEPHS_PACKETSIZE) for found in rest])]


def in_turn(groups: Sequence[Names], count: int = 1) -> list[str]:
    """`count` of each group, then as many again."""
    return [one for number in range(0, max(map(len, groups), default=0), count) for group in groups
            for one in group[number:number + count]]


def bisected(count: int) -> list[int]:
    """0 to count - 1: the middle, the ends, the middles of the halves and so on."""
    found, spans = [(count - 1) // 2, count - 1, 0], [(0, count - 1)]
    for low, high in spans:
        middle = (low + high) // 2
        if low < middle:
            found.append(middle)
            spans += [(low, middle), (middle, high)]  # the loop continues with these
    return list(dict.fromkeys(found))[:count]


# Bounds of the standard deviation of one measurement, as shares of the speed. If the object is as large as a cache, a measurement
# may be wrong by a fifth or more: the speed differs by 15 % between buffer placements, and by 9 % between launches.
LOUDEST, QUIETEST = 0.12, 0.005
# Half the width of a candidate's interval, in standard errors of its median. Intervals that do not overlap are at least three
# standard errors of the difference apart: with normal noise, one of two equal candidates is dropped with a probability of 0.13 %.
STANDARD_ERRORS = 3 / math.sqrt(2)


def survivors(stages: Sequence[Stage], candidates: Sequence[Candidate],
              begin: Callable[[str, Stage, list], tuple[Stage, list]],
              measure: Callable[[Candidate, str, int, Effort], float | None], seed: int | str,
              group: Callable[[str], Callable[[Any], Hashable]] = lambda _: lambda _: None,
              keep: Callable[[Any], bool] = lambda _: False) -> list:
    """The candidates that the stages leave; none if all fail. `begin(title, stage, candidates)` returns the stage and the
    candidates that fit into the time left; `measure(candidate, title, round, effort)` the logarithm of the speed, or None, which
    drops it. `keep`: whether a candidate passes all stages. After a stage, those are dropped that are significantly slower than the
    fastest of their group, and those with the lowest ranks if too many remain. A group with few candidates is not measured."""
    draw, left, has_begun = random.Random(seed), list(candidates), False
    failed: set = set()
    for count, stage in enumerate(stages, 1):
        title, of_group, room = f"stage {count}", group(stage.of), max(stage.keep, math.ceil(len(candidates) * stage.share))
        contested = [one for found in grouped(left, of_group) if len(found) > stage.keep for one in found]
        if not contested:
            continue
        fitting, able = begin(title, stage, contested)
        rounds = Rounds()
        for number in range(fitting.rounds):
            order = draw.sample(able, len(able))
            if not has_begun:  # if the budget ends in this round, the user knows Ceph's defaults
                order.sort(key=lambda one: not keep(one))
            has_begun = True
            speeds = {one: measure(one, title, number, fitting.effort) for one in order}
            failed |= {one for one, speed in speeds.items() if speed is None}
            able = [one for one in able if one not in failed]
            rounds.rounds.append({one: speed for one, speed in speeds.items() if speed is not None})
        left = [one for one in left if one not in contested]
        for found in grouped(able, of_group):
            relative = rounds.relative(found)
            slower = clearly_below(relative)
            left += sorted((one for one in found if one not in slower), key=lambda one: -median(relative[one]))[:room]
    return [*left, *(one for one in candidates if keep(one) and one not in left and one not in failed)]


def noise(relative: Mapping[Any, Sequence[float]]) -> float:
    """The standard deviation of one measurement, from the differences between the rounds of the same candidate. It must be robust,
    because some launches have much larger errors than usual. With one round, the largest known noise."""
    deviations = sorted(abs(value - median(values)) * math.sqrt(len(values) / (len(values) - 1))
                        for values in relative.values() if len(values) > 1 for value in values)
    if not deviations:
        return LOUDEST
    # 68 % of normally distributed values are within one standard deviation. A median would be too small: of three values, one is
    # the median and has the deviation 0.
    return min(max(deviations[int(len(deviations) * 0.68)], QUIETEST), 2 * LOUDEST)


def clearly_below(relative: Mapping[Candidate, Sequence[float]]) -> set[Candidate]:
    one = noise(relative)
    # The standard error of a median is 25 % larger than the standard error of a mean.
    errors = {candidate: STANDARD_ERRORS * 1.25 * one / math.sqrt(len(values)) for candidate, values in relative.items()}
    # The highest of many measured speeds is too high by chance, so candidates are compared with the highest lower end.
    floor = max(median(values) - errors[candidate] for candidate, values in relative.items())
    return {candidate for candidate, values in relative.items() if median(values) + errors[candidate] < floor}
