"""Outliers in a fleet: a host that differs by 5 % from its class is named, and none among equals."""

import array
import collections
import dataclasses
import math
import pathlib
import random
import unittest
from types import SimpleNamespace

import synthetic_fleet
from ecbench.comparison.figures import NOISE_FLOOR
from ecbench.comparison.outlier import FOR_ALL, Value, outliers, standings
from ecbench.fleet.classes import AXES, classes_of
from ecbench.fleet.collection import Host
from ecbench.fleet.figures import figure_keys, figures_of
from ecbench.point.point import Planned, make_point
from ecbench.runfile.run_file import add_record, begun
from ecbench.runfile.summary import shortened

STORED = synthetic_fleet.Stored()
FLEETS = 500
CLASSES = (3, 5, 12, 40)
HOST_NOISE = 0.004  # standard deviation of the logarithm of the speed of equal hosts
SIZES = (2, 3, 4, 6, 8, 10)


def host_of(name, generator, points, **options):
    header, *records = STORED.records(name, STORED.ids(points), generator, host_noise=HOST_NOISE, **options)
    run = begun(pathlib.Path(f"{name}.jsonl"), header)
    for record in records:
        add_record(run, record, shortened)
    return Host(name, run=figures_of([run]))


def fleet_of(seed, count, points, factors=None):
    """`factors`: number of a host → factor of its speed."""
    generator = random.Random(seed)
    return [host_of(f"osd-{number}", generator, points, factor=(factors or {}).get(number, 1.0)) for number in range(count)]


def named(hosts):
    found = standings([{host: run.figures for host, run in one.counted.items()} for one in classes_of(hosts)], AXES)
    return {host: standing for host, standing in found.items() if standing.part}


normal = random.Random.gauss  # the mean 0, the standard deviation 1


def heavy_tailed(generator):
    """A value from Student's distribution with 3 degrees of freedom, with the standard deviation 1."""
    return normal(generator) / math.sqrt(sum(normal(generator) ** 2 for _ in range(3)))


def simulated(count, noise, draw, slow=1.0):
    """For each of FLEETS classes of `count` hosts: the outliers. Host 0 has the factor `slow`, the others are equal."""
    generator = random.Random(1)  # one generator for all classes, because the values of generators with successive seeds correlate
    for _ in range(FLEETS):
        values = {host: Value(noise * draw(generator) + (math.log(slow) if host == 0 else 0)) for host in range(count)}
        yield {one.member for one in outliers(values, count / FOR_ALL)}


class Cases(unittest.TestCase):
    def test_points_of_stages_are_candidates(self):
        point = make_point("isa", {"k": 6, "m": 2}, "encode", 4096, 0)
        run = SimpleNamespace(points={point.id: point}, mode="tune", header=SimpleNamespace(points=[]))
        self.assertEqual([candidate.code for _, candidate in figure_keys(run).values()], ["isa"])

    def test_the_title_has_unusual_options(self):
        point = make_point("isa", {"k": 6, "m": 2}, "decode", 4096, 1, stripe_unit=1024, threads=2)
        run = SimpleNamespace(points={point.id: point}, mode="run", header=SimpleNamespace(points=[Planned(point)]))
        case, _ = figure_keys(run)[point.id]
        self.assertEqual((case.title, dict(case.options)), ("decode, 1 lost, 6+2, 4 KiB, stripe unit 1 KiB, 2 threads",
                                                            {"stripe_unit": 1024, "threads": 2}))


class Outliers(unittest.TestCase):
    def test_none_among_equals(self):
        alarms = {}
        for seed in range(200):
            found = named(fleet_of(seed, SIZES[seed % len(SIZES)], points=6))
            if found:
                alarms[seed] = list(map(str, found.values()))
        self.assertEqual(alarms, {})

    def test_a_host_five_percent_off_its_class_is_named(self):
        for seed, (count, factor) in enumerate((count, factor) for count in (4, 8, 16) for factor in (0.95, 1.05)):
            odd = seed % count
            found = named(fleet_of(seed, count, points=16, factors={odd: factor}))
            self.assertEqual(list(found), [f"osd-{odd}"])
            self.assertAlmostEqual(found[f"osd-{odd}"].ratio, factor, delta=0.02)

    def test_several_slow_hosts_do_not_hide_each_other(self):
        found = named(fleet_of(1, 12, points=16, factors={3: 0.94, 7: 0.93, 8: 0.9}))
        self.assertEqual(set(found), {"osd-3", "osd-7", "osd-8"})

    def test_of_two_members_only_the_slower_one_is_named(self):
        generator = random.Random(5)
        for _ in range(200):
            speeds = sorted(generator.gauss(0, 0.2) for _ in range(2))
            if speeds[1] - speeds[0] < 0.15:
                continue
            variances = [generator.choice((0.0, 0.0001, 0.001)) for _ in range(2)]
            found = outliers({name: Value(*pair) for name, pair in zip(("slow", "fast"), zip(speeds, variances))}, 1)
            self.assertLessEqual({one.member for one in found}, {"slow"})
            if max(variances) == 0:
                self.assertEqual([one.member for one in found], ["slow"])

    def test_a_host_that_is_slow_with_large_objects_is_named_with_them(self):
        generator = random.Random(3)
        hosts = [host_of(f"osd-{number}", generator, 36) for number in range(6)]
        run = hosts[5].run
        sizes = collections.Counter(case.size for case, _ in run.figures)
        size = min((size for size in sizes if sizes[size] >= 6), key=lambda one: sizes[one])
        # Fewer than half of the 36 points have this size. So the host is not slow in the median of all points.
        self.assertLess(sizes[size], 18)
        for key, figure in run.figures.items():
            if key[0].size == size:
                rounds = array.array("d", [0.85 * speed for speed in figure.rounds])
                run.figures[key] = dataclasses.replace(figure, rounds=rounds, gb_per_s=0.85 * figure.gb_per_s)
        found = named(hosts)
        self.assertEqual(list(found), ["osd-5"])
        self.assertTrue(found["osd-5"].part.startswith("objects of"), found["osd-5"].part)


class Distribution(unittest.TestCase):
    def test_error_rates(self):
        """docs/statistics.md has the rates of larger simulations."""
        for noise in (0.008, 0.012):
            for count in CLASSES:
                alarms = sum(map(bool, simulated(count, noise, normal)))
                self.assertLessEqual(alarms, 0.01 * FLEETS)
                found = sum(0 in named for named in simulated(count, noise, normal, slow=0.8))
                self.assertGreaterEqual(found, 0.95 * FLEETS)

    def test_a_host_that_is_twice_as_slow_is_always_named(self):
        for draw in (normal, heavy_tailed):
            for count in (2, *CLASSES):
                self.assertTrue(all(0 in named for named in simulated(count, 0.02, draw, slow=0.5)))
        values = {number: Value(0.0) for number in range(3)}
        self.assertEqual([one.member for one in outliers({**values, 0: Value(math.log(0.5))}, 1e9, between_rounds=1.0)], [0])

    def test_a_difference_below_the_noise_floor_is_not_named(self):
        values = {number: Value(0.0) for number in range(40)}
        self.assertEqual(outliers({**values, 0: Value(-0.9 * NOISE_FLOOR)}, 40), [])
        self.assertEqual([one.member for one in outliers({**values, 0: Value(-0.05)}, 40)], [0])

    def test_the_distance_is_that_from_the_equal_members(self):
        values = {name: Value(math.log(speed)) for name, speed in (("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 0.8))}
        only, = outliers(values, 4)
        self.assertEqual(only.member, "d")
        self.assertAlmostEqual(only.ratio, 0.8)

    def test_one_member_and_none_have_no_outliers(self):
        self.assertEqual(outliers({}, 1), [])
        self.assertEqual(outliers({"a": Value(0.0)}, 1), [])
