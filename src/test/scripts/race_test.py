"""A race on simulated machines finds the fastest candidate, cheaply, whatever the noise; says who is not told apart from it; and
does without those who fail."""

import math
import pathlib
import random
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

# pylint: disable=wrong-import-position
from ecbench.terminal.console import Refused
from ecbench.measure.ecbench import Outcome
from ecbench.point.grid import Language
from ecbench.point.point import make_point
from ecbench.tune import ceph_profile
from ecbench.statistics import standing
from ecbench.tune.candidates import Candidate, enter
from ecbench.tune.contest import Contest, combined
from ecbench.tune.race import FINAL, MOST_ROUNDS, Effort, Race
from ecbench.tune.request import read_request

STARTING = 0.02  # seconds of a process that measure nothing


class Machine:
    """Speeds are logarithms. Placements, launches, and the hours disturb them, as was measured on real ones."""

    def __init__(self, truth, seed, placements=0.08, failing=()):
        self.truth = truth
        self.seconds = 0
        self.measured = []
        self._placements = placements
        self._failing = failing
        self._random = random.Random(seed)

    def measure(self, candidate, effort):
        self.seconds += STARTING + effort.min_time
        self.measured.append(candidate)
        if candidate in self._failing:
            return None
        draw = self._random
        noise = draw.gauss(0, self._placements / math.sqrt(effort.placements)) + draw.gauss(0, 0.02)
        noise += draw.gauss(0, 0.03 * math.sqrt(0.01 / effort.min_time)) + 0.05 * math.sin(self.seconds / 3)
        if draw.random() < 0.02:
            noise -= 0.09
        return self.truth[candidate] + noise

    def race(self, seed=1, aim_percent=3):
        race = Race(self.measure, lambda *_: None, seed, aim_percent)
        race.run(self.truth)
        return race

    def loss(self, race):
        return 1 - math.exp(self.truth[race.finalists[0]] - max(self.truth.values()))

    def share_of_exhaustive(self, race):
        return self.seconds / (len(self.truth) * len(race.final.rounds) * (STARTING + FINAL.min_time))


def speeds(count, seed, spread):
    """A plateau below the best and a long tail, as packetsizes make one."""
    draw = random.Random(seed)
    return {number: -abs(draw.gauss(0, spread)) for number in range(count)}


class Winner(unittest.TestCase):
    def test_is_within_three_percent_in_a_fifth_of_the_time(self):
        for seed in range(20):
            with self.subTest(seed):
                machine = Machine(speeds(300, seed, 0.4), seed)
                race = machine.race(seed)
                self.assertLess(machine.loss(race), 0.03)
                self.assertLess(machine.share_of_exhaustive(race), 0.2)

    def test_is_found_where_placements_move_speeds_by_half(self):
        for seed in range(20):
            with self.subTest(seed):
                machine = Machine(speeds(200, seed, 0.6), seed, placements=0.15)
                self.assertLess(machine.loss(machine.race(seed)), 0.05)

    def test_of_two_far_apart_is_shown(self):
        race = Machine({"slow": 0, "fast": 0.5}, 1).race()
        self.assertEqual(race.finalists, ["fast", "slow"])
        self.assertTrue(race.indistinguishable("fast"))
        self.assertFalse(race.indistinguishable("slow"))

    def test_alone_is_measured_and_wins(self):
        race = Machine({"alone": 1}, 1).race()
        self.assertEqual(race.finalists, ["alone"])
        self.assertGreaterEqual(len(race.final.speeds("alone")), 6)

    def test_depends_on_the_seed_alone(self):
        truth = speeds(50, 1, 0.3)
        runs = []
        for seed in (7, 7, 8):
            machine = Machine(truth, 1)
            machine.race(seed)
            runs.append(machine.measured)
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])


class Equals(unittest.TestCase):
    def test_are_reported_as_not_told_apart(self):
        told_apart = 0
        for seed in range(20):
            race = Machine({"one": 0, "two": 0, "slow": -0.6}, seed).race(seed)
            told_apart += not race.indistinguishable(race.finalists[1])
            self.assertFalse(race.indistinguishable("slow"))
        self.assertLessEqual(told_apart, 4)

    def test_do_not_race_for_ever(self):
        race = Machine(dict.fromkeys(range(5), 0.0), 1, placements=0.5).race(aim_percent=0.1)
        self.assertEqual(len(race.final.rounds), MOST_ROUNDS)

    def test_who_goes_for_lack_of_room_is_known(self):
        race = Machine(dict.fromkeys(range(200), 0.0), 1).race()
        self.assertGreater(len(race.by_rank), 100)


class Failing(unittest.TestCase):
    def test_leaves_and_is_not_measured_again(self):
        truth = speeds(40, 3, 0.3)
        fastest = max(truth, key=truth.get)
        machine = Machine(truth, 3, failing=(fastest,))
        race = machine.race()
        self.assertNotIn(fastest, race.finalists)
        self.assertEqual(machine.measured.count(fastest), 1)

    def test_all_leave_nobody(self):
        self.assertEqual(Machine({1: 0, 2: 0}, 1, failing=(1, 2)).race().finalists, [])

    def test_in_a_contest_is_told_and_names_no_figure(self):
        point = make_point("isa", {"k": "6", "m": "2", "technique": "cauchy"}, "encode", 1 << 20, 0)
        outcome = Outcome("signal", "ecbench", why="ended by signal 11", exit_code=-11)
        contest = Contest(types.SimpleNamespace(measure=lambda *_: outcome))
        contest.watch("rung 1", [0], 1)
        candidate = Candidate((point,), 0)
        self.assertIsNone(contest.measure(candidate, Effort(0.01, 1)))
        self.assertEqual(contest.failed, {candidate: outcome})


class Standing(unittest.TestCase):
    def test_one_round_sends_home_only_who_is_far_below(self):
        rounds = standing.Rounds()
        rounds.add({"best": 0, "near": -0.15, "far": -1.5})
        self.assertEqual(standing.clearly_below(rounds.relative(["best", "near", "far"])), {"far"})

    def test_rounds_of_a_slow_machine_are_no_slower_candidate(self):
        rounds = standing.Rounds()
        for level in (0, -0.7, 0, -0.7, 0, -0.7):
            rounds.add({"best": level, "next": level - 0.1})
        ratio, low, high = standing.ratio_interval(rounds, "next", "best")
        for value in (ratio, low, high):
            self.assertAlmostEqual(value, math.exp(-0.1))

    def test_five_rounds_have_no_interval(self):
        self.assertEqual(standing.figure_of([0] * 5), (1, None, None))

    def test_both_workloads_count_by_their_time(self):
        self.assertAlmostEqual(combined([10, 2.5]), 4)
        self.assertAlmostEqual(combined([7]), 7)


def parameter(name, kind, default, minimum=None, maximum=None, choices=None):
    return {"name": name, "type": kind, "default": default, "minimum": minimum, "maximum": maximum, "choices": choices}


SHAPE = [parameter("k", "count", "2", 2, 32), parameter("m", "count", "1", 1, 8)]
PLUGINS = {
    "plain": {"name": "plain", "techniques": [{"name": "", "parameters": SHAPE}]},
    "packets": {"name": "packets", "techniques": [{"name": "xor", "parameters": [
        *SHAPE, parameter("w", "count", "8", 2, 32), parameter("packetsize", "count", "2048", 1)]}]},
}


def describe(requests):
    """Of a machine where w=3 is not allowed, w=7 loses some, w=9 hears of no k, and packets of 64 KiB pad much."""
    for request in requests:
        words = request["words"]
        profile = dict(words[index + 1].split("=") for index, word in enumerate(words) if word == "--parameter")
        if profile.get("w") == "3":
            yield {"refused": "w=3 is not allowed: because"}
        else:
            k = 1 if profile.get("w") == "9" else int(profile["k"])
            yield {"profile": profile, "k": k, "m": int(profile["m"]), "erasures": 2,
                   "padding_percent": 40 if profile.get("packetsize") == "65536" else 0,
                   "losses": {"chunks": 2, "patterns": 28, "checked": 20, "unrecoverable": 6 if profile.get("w") == "7" else 0}}


class Field(unittest.TestCase):
    def field(self, words):
        request = read_request(words.split(), Language(PLUGINS))
        return enter(request, PLUGINS, lambda requests: list(describe(requests)))

    def test_takes_every_plugin_and_technique(self):
        field = self.field("k=6 m=2")
        self.assertEqual({candidate.plugin for candidate in field.candidates}, {"plain", "packets"})
        tried = {candidate.profile()["w"] for candidate in field.candidates if candidate.plugin == "packets"}
        self.assertEqual(tried, {str(w) for w in range(2, 17)} - {"3", "7", "9"})
        for candidate in field.candidates:
            self.assertEqual([(point.workload, point.erasures) for point in candidate.points], [("encode", 0), ("decode", 2)])

    def test_says_who_is_left_out(self):
        field = self.field("k=6 m=2 w=3,7,8 packetsize=1024,65536 plugin=packets")
        self.assertEqual([str(candidate) for candidate in field.candidates], ["packets xor packetsize=1024 w=8"])
        self.assertEqual({reason["count"]: reason["why"] for reason in field.left_out if reason["count"] == 1},
                         {1: "cannot recover 6 of 20 losses of 2 chunks"})
        self.assertEqual(sum(reason["count"] for reason in field.left_out), 5)
        self.assertEqual(field.checked, (20, 28))

    def test_packets_may_divide_a_chunk(self):
        sizes = {int(candidate.profile()["packetsize"]) for candidate in self.field("k=6 m=2 w=8 plugin=packets").candidates}
        chunk = -(-(1 << 20) // 6)
        self.assertIn(3072, sizes)
        self.assertTrue(any(0 <= 8 * size - chunk < 8 * 64 for size in sizes), sizes)

    def test_bad_requests_are_refused(self):
        for words, said in (("m=2", "k is missing"), ("k=6", "m is missing"), ("k=6 m=2 size=0", "size=0"), ("k=6 m=2 x=1", "x is"),
                            ("k=6 m=2 fast", "'fast'"), ("k=6,8 m=2", "k=6,8"), ("k=6 m=2 erasures=3", "erasures=3"),
                            ("k=6 m=2 workload=limit", "workload=limit"), ("k=6 m=2 plugin=packets w=3", "w=3 is not allowed")):
            with self.subTest(words), self.assertRaisesRegex(Refused, said):
                self.field(words)


class Ceph(unittest.TestCase):
    def candidate(self, plugin, **profile):
        return Candidate((make_point(plugin, profile, "encode", 1 << 20, 0),), 0)

    def test_gets_what_is_not_off_or_empty(self):
        candidate = self.candidate("jerasure", k="6", m="2", technique="cauchy_good", w="4", packetsize="3072", mapping="",
                                   **{"jerasure-per-chunk-alignment": "true"})
        self.assertEqual(ceph_profile.command_of(candidate),
                         "ceph osd erasure-code-profile set fastest-jerasure-cauchy_good-6-2 plugin=jerasure k=6 m=2 "
                         "technique=cauchy_good jerasure-per-chunk-alignment=true packetsize=3072 w=4")
        [note] = ceph_profile.notes_of(candidate)
        self.assertIn("deprecates jerasure's cauchy_good", note)

    def test_keeps_what_it_keeps_and_lacks_what_it_lacks(self):
        self.assertEqual(ceph_profile.notes_of(self.candidate("isa", k="6", m="2", technique="cauchy")), [])
        self.assertIsNone(ceph_profile.command_of(self.candidate("mine", k="6", m="2")))
        self.assertEqual(ceph_profile.notes_of(self.candidate("mine", k="6", m="2")), [])

    def test_gets_no_parameter_that_it_lacks(self):
        candidate = self.candidate("shec", k="4", m="3", c="2", technique="multiple", w="8", backend="jerasure")
        self.assertEqual(ceph_profile.command_of(candidate),
                         "ceph osd erasure-code-profile set fastest-shec-multiple-4-3 plugin=shec k=4 m=3 technique=multiple c=2 "
                         "w=8")

    def simd(self, technique, k, m, matrix):
        more = {"w": "8", "jerasure-per-chunk-alignment": "false"} if technique == "reed_sol_van" else {}
        return self.candidate("simd", k=k, m=m, technique=technique, matrix=matrix, store="auto", mapping="", **more)

    def test_makes_the_bytes_of_simd_by_its_own_plugins(self):
        for technique, matrix, values in (("reed_sol_van", "isa", ""), ("cauchy", "isa", ""), ("reed_sol_van", "jerasure", " w=8"),
                                          ("reed_sol_r6_op", "jerasure", "")):
            candidate = self.simd(technique, "6", "2", matrix)
            self.assertEqual(ceph_profile.command_of(candidate),
                             f"ceph osd erasure-code-profile set like-simd-{matrix}-{technique}-6-2 plugin={matrix} k=6 m=2 "
                             f"technique={technique}{values}")
            self.assertIn(f"the same bytes by Ceph's plugin {matrix}", ceph_profile.notes_of(candidate)[0])
        [_, note] = ceph_profile.notes_of(self.simd("reed_sol_r6_op", "6", "2", "jerasure"))
        self.assertIn("deprecates jerasure's reed_sol_r6_op", note)

    def test_says_what_another_backend_means_for_ceph(self):
        lrc = self.candidate("lrc", k="4", m="2", l="3", backend="simd")
        self.assertEqual(ceph_profile.command_of(lrc),
                         "ceph osd erasure-code-profile set fastest-lrc-4-2 plugin=lrc k=4 m=2 l=3")
        self.assertEqual(ceph_profile.notes_of(lrc),
                         ["Ceph's plugin lrc has no backend=simd: it makes the same bytes at its own speed"])
        self.assertIsNone(ceph_profile.command_of(self.candidate("clay", k="4", m="2", d="5", scalar_mds="simd", technique="")))

    def test_is_given_nothing_that_its_isa_refuses(self):
        for technique, k, m, is_allowed in (("reed_sol_van", "32", "3", True), ("reed_sol_van", "33", "3", False),
                                            ("reed_sol_van", "21", "4", True), ("reed_sol_van", "4", "5", False),
                                            ("cauchy", "100", "32", True), ("cauchy", "100", "33", False)):
            with self.subTest(technique=technique, k=k, m=m):
                self.assertEqual(ceph_profile.command_of(self.simd(technique, k, m, "isa")) is not None, is_allowed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
