"""`tune` with simulated machines."""

import itertools
import math
import random
import unittest

import synthetic_rows
from ecbench.ceph.profile import command_of, notes_of
from ecbench.comparison.comparison import by_round, mean
from ecbench.comparison.figures import Rounds, Unpaired
from ecbench.comparison.select import select
from ecbench.experiment.measuring import clearly_below, survivors
from ecbench.measure.session import Effort
from ecbench.point.point import Description, Losses, Parameter, Plugin, Technique, make_point
from ecbench.runfile.summary import is_disturbed
from ecbench.statistics.interval import Estimate, estimate
from ecbench.terminal.console import Refused
from ecbench.tune.program import FINAL_ROUNDS, MIN_TIME, STAGES, Dropped, choose, least_padded, read_requests, short
from synthetic_rows import changed

FINAL = Effort(MIN_TIME, 8)
STARTING = 0.02  # seconds that each process needs in addition to the measurement


class Machine:
    """Simulates a machine. Speeds are logarithms. Their noise depends on placements, launches and time, as on real machines."""

    def __init__(self, truth, seed, placements=0.08, failing=()):
        self.truth = truth
        self.seconds = 0
        self.measured = []
        self._placements = placements
        self._failing = failing
        self._random = random.Random(seed)

    def measure(self, candidate, _title, _number, effort):
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

    def run(self, seed=1, keep=lambda _: False):
        """The rounds of the candidates that the stages leave."""
        self.left = survivors(STAGES, list(self.truth), lambda _, stage, names: (stage, names), self.measure, seed, keep=keep)
        rounds = Rounds()
        for number in range(FINAL_ROUNDS):
            speeds = {candidate: self.measure(candidate, "", number, FINAL) for candidate in self.left}
            self.left = [candidate for candidate in self.left if speeds[candidate] is not None]
            rounds.rounds.append({candidate: speeds[candidate] for candidate in self.left})
        return rounds

    def loss(self, rounds):
        return 1 - math.exp(self.truth[select(rounds).order[0]] - max(self.truth.values()))

    def share_of_exhaustive(self, rounds):
        return self.seconds / (len(self.truth) * len(rounds.rounds) * (STARTING + FINAL.min_time))


def speeds(count, seed, spread):
    """Logarithms. Many candidates are slightly slower than the fastest, and some much slower, as packetsizes are."""
    draw = random.Random(seed)
    return {number: -abs(draw.gauss(0, spread)) for number in range(count)}


class Winner(unittest.TestCase):
    def test_is_within_three_percent_in_a_fifth_of_the_time(self):
        """Within 5 % where buffer placements change speeds by half."""
        kinds = (300, 0.4, 0.08, 0.03), (200, 0.6, 0.15, 0.05)
        for seed, (count, spread, placements, loss) in itertools.product(range(20), kinds):
            machine = Machine(speeds(count, seed, spread), seed, placements)
            rounds = machine.run(seed)
            self.assertLess(machine.loss(rounds), loss)
            self.assertLess(machine.share_of_exhaustive(rounds), 0.2)

    def test_a_single_candidate_is_measured_and_wins(self):
        self.assertEqual(select(Machine({"only": 1}, 1).run()).order, ["only"])


class Ties(unittest.TestCase):
    def test_are_not_significantly_different(self):
        different = 0
        for seed in range(20):
            found = select(Machine({"one": 0, "two": 0, "slow": -0.6}, seed).run(seed))
            different += not found.ties
            self.assertNotIn("slow", found.ties)
        self.assertLessEqual(different, 4)

    def test_a_candidate_to_keep_reaches_the_rounds(self):
        machine = Machine({**speeds(100, 1, 0.1), "default": -2}, 1)
        machine.run(keep=lambda candidate: candidate == "default")
        self.assertIn("default", machine.left)


def unpaired(**figures):
    return Unpaired({name: of if isinstance(of, Estimate) else estimate(of) for name, of in figures.items()})


class Inconclusive(unittest.TestCase):
    def test_has_a_reason(self):
        varying = [10, 5, 11, 5.5, 10, 5, 11]
        disturbed, clear = (Machine({"fast": lead, "slow": 0}, 1).run().rounds for lead in (0.3, 0.5))
        for figures, why in (
                (Rounds([{"one": 0, "two": two} for two in (-0.3, 0.25, -0.25, 0.3, -0.2, 0.2, -0.1)]), "either may be faster"),
                (unpaired(first=varying, slow=[5] * 7), "interval of first is ±[0-9]+ %; it must be ±10 % or narrower"),
                (Rounds([{"first": math.log(speed), "slow": math.log(speed / 2)} for speed in varying]), "^None$"),
                (unpaired(first=[9.2, 10, 10.1, 10.2, 10.3, 10.4, 10.5, 10.6], wide=[5, 9, 9, 9, 9, 9, 9, 15], slow=[1, 2] * 4),
                 "wide has [0-9]+ to 1[0-9]+ % of the speed of first"),
                (Rounds([{"first": 1}] * 5 + [{"first": 1, "tie": 1}] * 3 + [{"tie": 1}] * 5),
                 "tie was measured together with first in 3 rounds"),
                (unpaired(first=[10] * 8, other=Estimate(5, 0, 9, 8)), "reaches 0"),
                (Rounds(disturbed, {"fast": 0.5}), "disturbed 50 %"), (Rounds(clear, {"fast": 0.5}), "^None$"),
                # Noise in a slower candidate does not hide the fastest one.
                (Rounds(disturbed, {"fast": 0.2, "slow": 1}), "^None$")):
            self.assertRegex(str(select(figures).inconclusive), why)

    def test_a_disturbed_row_is_known_by_its_warnings_or_its_cpu_time(self):
        quiet = synthetic_rows.row(seconds=0.2, cpu_seconds=0.199, threads=1)
        self.assertFalse(is_disturbed(quiet))
        self.assertTrue(is_disturbed(changed(quiet, cpu_seconds=0.1)))
        self.assertTrue(is_disturbed(changed(quiet, threads=2)), "the CPU time of all threads")
        self.assertTrue(is_disturbed(changed(quiet, warnings=[{"code": "few_clean_samples", "text": ""}])))
        self.assertFalse(is_disturbed(changed(quiet, cpu_seconds=0.1, warnings=[{"code": "unoptimised_build", "text": ""}])))


class Failing(unittest.TestCase):
    def test_is_dropped_and_not_measured_again(self):
        truth = speeds(40, 3, 0.3)
        fastest = max(truth, key=truth.get)
        machine = Machine(truth, 3, failing=(fastest,))
        machine.run(keep=lambda candidate: candidate == fastest)
        self.assertNotIn(fastest, machine.left)
        self.assertEqual(machine.measured.count(fastest), 1)

    def test_of_points_that_differ_in_alignment_the_one_with_less_padding_is_kept(self):
        plain, aligned = (make_point("jerasure", {"k": "4", "m": "2", **more}, "encode", 1 << 20, 0)
                          for more in ({}, {"jerasure-per-chunk-alignment": "true"}))
        for padding, kept in (((1, 2), plain), ((2, 1), aligned), ((2, 2), plain)):
            self.assertEqual(least_padded(dict(zip((plain, aligned), padding)), Dropped()), [kept])


class Standing(unittest.TestCase):
    def test_one_round_drops_only_candidates_far_below_the_best(self):
        rounds = Rounds()
        rounds.rounds.append({"best": 0, "near": -0.15, "far": -1.5})
        self.assertEqual(clearly_below(rounds.relative(["best", "near", "far"])), {"far"})

    def test_both_workloads_count_by_their_time(self):
        for rates, combined in (([10.0, 2.5], 4), ([7.0], 7)):
            rows = [[synthetic_rows.row(gb_per_s=rate, warnings=[], repetition=0)] for rate in rates]
            self.assertAlmostEqual(mean(*by_round(rows)).gb_per_s, combined)


SHAPE = [Parameter("k", "count", minimum=2, maximum=32), Parameter("m", "count", minimum=1, maximum=8)]
PACKETS = [*SHAPE, Parameter("w", "count", minimum=2, maximum=32), Parameter("packetsize", "count", minimum=1)]
PLUGINS = {"plain": Plugin("plain", [Technique("", SHAPE)]), "packets": Plugin("packets", [Technique("xor", PACKETS)])}


def describe(requests):
    """w=3 is not allowed, w=7 cannot recover some losses, and a code with w=9 always has k=1."""
    for request in requests:
        words = request["words"]
        profile = dict(words[index + 1].split("=") for index, word in enumerate(words) if word == "--parameter")
        if profile.get("w") == "3":
            yield Description(refused="w=3 is not allowed: because")
        else:
            k = 1 if profile.get("w") == "9" else int(profile["k"])
            losses = Losses(2, None if profile["m"] == "20" else 28, 20, 6 if profile.get("w") == "7" else 0)
            yield Description(profile=profile, k=k, m=int(profile["m"]), erasures=2, losses=losses,
                              padding_percent=40 if profile.get("packetsize") == "65536" else 0)


class Candidates(unittest.TestCase):
    def choice(self, words, plugins=None):
        [request] = read_requests(words.split(), plugins or PLUGINS)
        return choose(request, plugins or PLUGINS, lambda requests: list(describe(requests)))

    def test_are_by_default_of_the_plugins_that_ceph_can_load(self):
        plugins = dict.fromkeys(("isa", "jerasure", "simd", "mine"), PLUGINS["plain"])
        for words, expected in (("", {"isa", "jerasure"}), ("for=any", set(plugins)), ("for=ceph", {"isa", "jerasure"}),
                                ("plugin=simd,isa", {"simd", "isa"})):
            choice = self.choice(f"k=6 m=2 {words}", plugins)
            self.assertEqual({entry.point.plugin for entry in choice.entries}, expected, words)

    def test_are_all_techniques(self):
        choice = self.choice("k=6 m=2 for=any")
        self.assertEqual({entry.point.plugin for entry in choice.entries}, {"plain", "packets"})
        tried = {entry.point.get("w") for entry in choice.entries if entry.point.plugin == "packets"}
        self.assertEqual(tried, {str(w) for w in range(2, 17)} - {"3", "7", "9"})
        workloads = [(entry.point.workload, entry.point.erasures) for entry in choice.entries]
        self.assertEqual(workloads, [("encode", 0), ("decode", 2)] * (len(workloads) // 2))

    def test_that_are_left_out_have_a_reason(self):
        choice = self.choice("k=6 m=2 w=3,7,8 packetsize=1024,65536 plugin=packets")
        self.assertEqual([short(entry.point) for entry in choice.entries], ["packets xor packetsize=1024 w=8"] * 2)
        self.assertEqual({reason.count: reason.why for reason in choice.left_out if reason.count == 1},
                         {1: "the code cannot recover 6 of 20 erasure patterns with 2 lost chunks"})
        self.assertEqual(sum(reason.count for reason in choice.left_out), 5)
        self.assertIn("only 20 of 28 erasure patterns", choice.note)

    def test_of_too_many_patterns_to_count_only_some_are_checked(self):
        choice = self.choice("k=100 m=20 w=8 plugin=packets")
        self.assertRegex(choice.note, "only 20 of more than 10.19 erasure patterns")

    def test_next_to_an_even_multiple_of_64_an_odd_one_is_added(self):
        sizes = {int(entry.point.get("packetsize")) for entry in self.choice("k=6 m=2 w=8 plugin=packets").entries}
        evens = {size for size in sizes if size % 128 == 0 and size != 3072}
        self.assertTrue(evens)
        for size in evens:
            self.assertTrue({size - 64, size + 64} & sizes)

    def test_each_k_m_and_size_is_a_request_and_each_cache_is_measured(self):
        requests = read_requests(["k=6,8 m=2,3 size=4k,1M stripe-unit=none,4K cache=warm,cold plugin=plain"], PLUGINS)
        self.assertEqual(len(requests), 16)
        found = choose(requests[1], PLUGINS, lambda requests: list(describe(requests))).entries
        self.assertEqual([(one.point.workload, one.point.cache, one.point.size, one.point.stripe_unit) for one in found],
                         [(workload, cache, 4096, 4096) for cache in ("warm", "cold") for workload in ("encode", "decode")])

    def test_bad_requests_are_refused(self):
        for words, said in (("k=6", "m is missing"), ("k=6 m=2 fast", "'fast'"), ("k=6 m=2 erasures=3", "erasures=3"),
                            ("k=6 m=2 workload=limit", "workload=limit"), ("k=6 m=2 plugin=packets w=3", "w=3 is not allowed")):
            with self.assertRaisesRegex(Refused, said):
                self.choice(words)


SIMD = {"k": "6", "m": "2", "store": "auto", "mapping": ""}
OF_VAN = {"w": "8", "jerasure-per-chunk-alignment": "false"}


class Ceph(unittest.TestCase):
    def test_gets_commands_and_notes(self):
        """Plugin, profile, stripe unit → the command without its beginning and end, and words of each note."""
        for plugin, profile, unit, command, notes in (
                ("jerasure", {"k": "6", "m": "2", "technique": "cauchy_good", "w": "4", "packetsize": "3072", "mapping": "",
                              "jerasure-per-chunk-alignment": "true"}, None,
                 "fastest-jerasure-cauchy_good-6-2 plugin=jerasure k=6 m=2 technique=cauchy_good jerasure-per-chunk-alignment=true "
                 "packetsize=3072 w=4", ["deprecates jerasure's cauchy_good"]),
                ("isa", {"k": "8", "m": "3", "technique": "reed_sol_van"}, 4096,
                 "fastest-isa-reed_sol_van-8-3-4096 plugin=isa k=8 m=3 technique=reed_sol_van stripe_unit=4096", []),
                ("mine", {"k": "6", "m": "2"}, None, None, []),
                *(("simd", {**SIMD, "technique": technique, "matrix": matrix, **(OF_VAN if "van" in technique else {})}, None,
                   f"like-simd-{matrix}-{technique}-6-2 plugin={matrix} k=6 m=2 technique={technique}{values}",
                   [f"Ceph's plugin {matrix} computes the same bytes", *(f"deprecates jerasure's {old}" for old in deprecated)])
                  for technique, matrix, values, deprecated in (
                      ("reed_sol_van", "isa", "", ()), ("cauchy", "isa", "", ()), ("reed_sol_van", "jerasure", " w=8", ()),
                      ("reed_sol_r6_op", "jerasure", "", ("reed_sol_r6_op",)))),
                ("lrc", {"k": "4", "m": "2", "l": "3", "backend": "simd"}, None, "fastest-lrc-4-2 plugin=lrc k=4 m=2 l=3",
                 ["Ceph's plugin lrc has no backend=simd. Ceph computes the same bytes, but the speed differs"]),
                ("clay", {"k": "4", "m": "2", "d": "5", "scalar_mds": "simd", "technique": ""}, None, None, [])):
            point = make_point(plugin, profile, "encode", 1 << 20, 0, stripe_unit=unit)
            whole = f"ceph osd erasure-code-profile set {command} crush-failure-domain=host" if command else None
            self.assertEqual(command_of(point), whole)
            for note, words in zip(notes_of(point), notes, strict=True):
                self.assertIn(words, note)

    def test_gets_no_profile_that_its_isa_refuses(self):
        for technique, k, m, is_allowed in (("reed_sol_van", "32", "3", True), ("reed_sol_van", "33", "3", False),
                                            ("reed_sol_van", "21", "4", True), ("reed_sol_van", "4", "5", False),
                                            ("cauchy", "100", "32", True), ("cauchy", "100", "33", False)):
            point = make_point("simd", {**SIMD, "k": k, "m": m, "technique": technique, "matrix": "isa"}, "encode", 1 << 20, 0)
            self.assertEqual(command_of(point) is not None, is_allowed)
