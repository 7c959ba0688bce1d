"""Error rates of the confidence words, of select() and of the experiment mixed. docs/statistics.md has the rates;
PYTHONPATH=scripts:src/test/scripts confidence_test.py prints its table."""

import math
import random
import unittest

import synthetic_rows
from ecbench.comparison.answer import (
    LATENCY_NOISE,
    LIKELY,
    PRIOR_NOISE,
    SURE,
    UNSURE,
    Change,
    answer,
    confidence,
    direction_risk,
    over_changes,
)
from ecbench.comparison.comparison import Candidate, Comparison
from ecbench.comparison.figures import FASTER, INCONCLUSIVE, NO_REGRESSION, SLOWER, Rounds
from ecbench.comparison.select import select
from ecbench.point.point import make_point
from ecbench.statistics.interval import at_most, upper_bound

RUNS = 2000
SHORT, MIDDLE, WHOLE = 1, 2, 8  # rounds in 10, 30 and 100 % of a budget


def student(draw):
    return draw.gauss(0, 1) / math.sqrt(draw.gammavariate(1.5, 2) / 3)  # 3 degrees of freedom


NOISE = {
    "0.5 %": lambda draw: draw.gauss(0, 0.005),
    "2 %": lambda draw: draw.gauss(0, 0.02),
    "4 %": lambda draw: draw.gauss(0, 0.04),
    "10 %": lambda draw: draw.gauss(0, 0.1),
    "2 %, t3": lambda draw: 0.02 * student(draw),
    "a third disturbed": lambda draw: draw.gauss(0, 0.01) - (draw.uniform(0.05, 0.4) if draw.random() < 1 / 3 else 0),
    "drift": lambda draw: draw.gauss(0, 0.01) - draw.uniform(0, 0.05),  # within a round, in random order
}


def speeds(draw, count, lead):
    """The logarithms of the candidates' speeds: the fastest leads by `lead`."""
    return [0.0, -lead, *(-draw.uniform(lead, 0.5) for _ in range(count - 2))]


def word_and_loss(draw, noise, count, rounds, lead):
    """The word, and by how much the named candidate is slower than the fastest."""
    truth = speeds(draw, count, lead)
    level = [draw.gauss(0, 0.1) for _ in range(rounds)]  # of the machine
    figures = Rounds([{name: truth[name] + level[number] + noise(draw) for name in range(count)} for number in range(rounds)])
    order = figures.ranked(list(range(count)))
    return confidence(figures, order), 1 - math.exp(truth[order[0]])


class Rates(unittest.TestCase):
    def test_sure_and_likely_are_rarely_wrong(self):
        draw, losses = random.Random(58), {SURE: [], LIKELY: [], UNSURE: []}
        for _ in range(RUNS):
            word, loss = word_and_loss(draw, draw.choice(list(NOISE.values())), draw.choice((2, 3, 5, 10, 20, 40)),
                                       draw.choice((SHORT, MIDDLE, WHOLE)), draw.choice((0.0, 0.02, 0.05, 0.1, 0.2)))
            losses[word].append(loss)
        self.assertLessEqual(share(losses[SURE], 0.015), 0.025)
        self.assertLessEqual(share(losses[LIKELY], 0.05), 0.15)
        self.assertGreater(min(map(len, losses.values())), RUNS / 20, "a word is hardly ever said")

    def test_a_clear_lead_is_named_early(self):
        for count in (2, 5, 10, 40):
            draw = random.Random(count)
            words = [word_and_loss(draw, NOISE["4 %"], count, MIDDLE, 0.1)[0] for _ in range(200)]
            self.assertGreaterEqual(1 - words.count(UNSURE) / len(words), 0.6, count)


def share(losses, margin):
    return sum(loss > margin for loss in losses) / len(losses)


OF_RANKINGS = {
    "sd 1 %": lambda draw: draw.gauss(0, 0.01),
    "sd 4 %": NOISE["4 %"],
    "t3, 1 %": lambda draw: 0.01 * student(draw),
    "t3, 4 %": lambda draw: 0.04 * student(draw),
    "two placement modes, 15 % apart": lambda draw: draw.gauss(0, 0.005) - 0.15 * (draw.random() < 0.3),
    "two placement modes, 5 % apart": lambda draw: draw.gauss(0, 0.002) - 0.05 * (draw.random() < 0.5),
    "disturbed": lambda draw: draw.gauss(0, 0.01) - (draw.uniform(0.05, 0.4) if draw.random() < 0.03 else 0),
}
RANKED_RUNS = 200


def ranking(draw, noise, truth, rounds):
    """`truth`: the logarithm of each candidate's speed."""
    level = [draw.gauss(0, 0.1) for _ in range(rounds)]  # of the machine
    return select(Rounds([{name: value + one + noise(draw) for name, value in truth.items()} for one in level]))


class Ranking(unittest.TestCase):
    def test_equal_candidates_are_rarely_called_slower(self):
        # If the rate were 5 %, more alarms than this would occur with a probability below 0.1 %.
        most = next(count for count in range(RANKED_RUNS) if at_most(count, RANKED_RUNS, 0.05) > 0.999)
        for name, noise in OF_RANKINGS.items():
            for candidates, rounds in ((19, 12), (6, 12), (9, 8), (2, 6)) if name != "disturbed" else ():
                draw = random.Random(f"{name} {candidates}")
                found = [ranking(draw, noise, dict.fromkeys(range(candidates), 0.0), rounds) for _ in range(RANKED_RUNS)]
                alarms = sum(len(one.ties) < candidates - 1 for one in found)
                self.assertLessEqual(alarms, most, f"{name}, {candidates}: rate at most {upper_bound(alarms, RANKED_RUNS):.3f}")

    def test_a_candidate_that_is_ten_percent_slower_is_found(self):
        for name in ("sd 1 %", "disturbed"):
            draw, truth = random.Random(name), {"slow": math.log(0.9), **dict.fromkeys(range(9), 0.0)}
            found = [ranking(draw, OF_RANKINGS[name], truth, 12) for _ in range(RANKED_RUNS)]
            right = sum(one.order[-1] == "slow" and "slow" not in one.ties for one in found)
            self.assertGreaterEqual(right, 0.9 * RANKED_RUNS, name)


POINT = make_point("isa", {"k": 6, "m": 2}, "encode", 4 << 20, 0, pace="50%", background="repair@50M")
BACKGROUNDS, WORKLOADS, ROUNDS, MIXED_RUNS = ("repair@50M", "repair@200M", "repair"), 2, 8, 200
# p99 in ms of twelve measurements without a background on a busy virtual machine with two CPUs.
RECORDED = (24.12, 100.73, 39.26, 18.8, 45.2, 28.37, 34.1, 31.61, 33.01, 26.3, 25.18, 425.35)


def candidate(p99s):
    return Candidate(POINT, [synthetic_rows.row(repetition=number, p99=p99) for number, p99 in enumerate(p99s)])


def verdicts(latency, factor=1.0):
    """The words for the backgrounds of a run. Each p99 is latency(), times `factor` with a background."""
    for _ in range(WORKLOADS):
        found = Comparison({name: candidate([latency() * (1 if name == "none" else factor) for _ in range(ROUNDS)])
                            for name in ("none", *BACKGROUNDS)}, figure="p99")
        for name in BACKGROUNDS:
            yield found.change(name, "none", WORKLOADS * len(BACKGROUNDS)).word


class Changes(unittest.TestCase):
    """The question change, with too few rounds for verdicts. Wrong: any direction is, by more than 5 %."""

    def word_and_error(self, draw, noise, prior, rounds):
        changes, is_wrong = [], False
        for _ in range(draw.choice((1, 2, 6, 12))):
            truth = draw.choice((0, 0.03, 0.1, 0.3, 0.7)) * draw.choice((1, -1))
            found = Rounds([{"a": truth + noise(draw), "b": noise(draw)} for _ in range(rounds)])
            ratio = found.ratio("a", "b", 0.025)
            changes.append(Change("a", "b", "speed", INCONCLUSIVE, ratio, direction_risk(found, "a", "b", prior)))
            is_wrong |= truth * math.log(ratio.median) < 0 and abs(truth) > 0.05
        return over_changes(changes, 0, [], "").word, is_wrong

    def test_likely_is_rarely_wrong_with_few_rounds(self):
        latencies = {"recorded": lambda draw: math.log(draw.choice(RECORDED)), "10 %": NOISE["10 %"]}
        for prior, noises in ((PRIOR_NOISE, NOISE), (LATENCY_NOISE, latencies)):
            for name, noise in noises.items():
                draw, most = random.Random(name), 0.02 if name in ("0.5 %", "2 %", "4 %", "2 %, t3", "drift") else 0.1
                for rounds in (1, 2, 3):
                    found = [self.word_and_error(draw, noise, prior, rounds) for _ in range(400)]
                    likely = [is_wrong for word, is_wrong in found if word != UNSURE]
                    self.assertLessEqual(sum(likely), max(2, most * len(likely)), (prior, name, rounds, len(likely)))
                    self.assertGreater(len(likely), 0.1 * len(found) if prior == PRIOR_NOISE else -1, (name, rounds))

    def test_one_round_of_latencies_is_unsure_even_if_one_is_half_as_long_again(self):
        for prior, word in ((PRIOR_NOISE, LIKELY), (LATENCY_NOISE, UNSURE)):
            found = Rounds([{"a": math.log(1.5), "b": 0.0}], power=1 if word == LIKELY else -1)
            one = Change("a", "b", "p99", INCONCLUSIVE, found.ratio("a", "b", 0.025), direction_risk(found, "a", "b", prior))
            self.assertEqual(over_changes([one], 0, [], "").word, word)
            self.assertEqual(answer(found, select(found), "", "GB/s" if word == LIKELY else "p99 µs").word, word)


class ErrorRates(unittest.TestCase):
    def distributions(self):
        generator = random.Random(1)
        yield lambda: generator.choice(RECORDED)
        yield lambda: math.exp(generator.gauss(0, 0.1))
        yield lambda: math.exp(generator.gauss(0, 0.02)) * generator.choice((1, 1, 1, 1, 4))

    def test_a_background_that_costs_nothing_is_called_slower_in_at_most_5_percent_of_runs(self):
        for number, latency in enumerate(self.distributions()):
            slower = sum(SLOWER in verdicts(latency) for _ in range(MIXED_RUNS))
            self.assertLessEqual(slower, 0.05 * MIXED_RUNS, number)

    def test_a_background_that_doubles_the_p99_is_slower(self):
        latency = list(self.distributions())[1]
        found = [word for _ in range(MIXED_RUNS) for word in verdicts(latency, 2)]
        self.assertGreaterEqual(found.count(SLOWER), 0.95 * len(found))

    def test_a_shorter_latency_is_faster(self):
        self.assertEqual(set(verdicts(lambda: 10.0, 0.5)), {FASTER})
        self.assertEqual(set(verdicts(lambda: 10.0)), {NO_REGRESSION})

    def test_rounds_without_a_percentile_do_not_count(self):
        found = Comparison({"none": candidate([10.0] * 8), "repair": candidate([None] * 8)}, figure="p99")
        self.assertIsNone(found.ratio("repair", "none"))
        self.assertEqual(found.change("repair", "none").word, "inconclusive")


if __name__ == "__main__":
    for name, noise in NOISE.items():
        for rounds in (SHORT, MIDDLE, WHOLE):
            draw, counts = random.Random(name), {SURE: [], LIKELY: [], UNSURE: []}
            for _ in range(600):
                word, loss = word_and_loss(draw, noise, draw.choice((2, 3, 5, 10, 20, 40)), rounds,
                                           draw.choice((0.0, 0.02, 0.05, 0.1, 0.2)))
                counts[word].append(loss)
            print(f"| {name} | {rounds} |", " | ".join(
                f"{len(counts[word]) / 6:.0f}" + (f" ({100 * share(counts[word], margin):.1f})" if counts[word] else "")
                for word, margin in ((SURE, 0.015), (LIKELY, 0.05))), "|")
