"""The error rates of the confidence words, from 2,000 simulated runs with all kinds of noise, numbers of rounds and candidates.
docs/statistics.md has the rates."""

import math
import os
import pathlib
import random
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(SOURCE / "scripts"))

from ecbench.comparison.figures import Rounds
from ecbench.comparison.select import LIKELY, SURE, UNSURE, confidence

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

    def test_what_has_no_figure_may_be_the_fastest(self):
        rounds = [{"a": 0.0, "b": -1.0} for _ in range(8)]
        self.assertEqual(confidence(Rounds(rounds), ["a", "b"]), SURE)
        self.assertEqual(confidence(Rounds(rounds), ["a", "b"], is_complete=False), UNSURE)
        self.assertEqual(confidence(Rounds(rounds), ["a"]), SURE)


def share(losses, margin):
    return sum(loss > margin for loss in losses) / len(losses)


if __name__ == "__main__":
    if "--table" in sys.argv:  # for docs/statistics.md
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
    else:
        unittest.main()
