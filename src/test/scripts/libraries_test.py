"""Runs that compare libraries."""

import pathlib
import random
import tempfile
import types
import unittest
from unittest import mock

import synthetic_libraries as synthetic
from ecbench.experiment import expansion
from ecbench.experiment.experiment import Stage
from ecbench.experiment.measuring import survivors
from ecbench.experiment.results import Results
from ecbench.measure.session import BY_CASE, Effort, order_of
from ecbench.terminal.console import Refused
from synthetic_libraries import ENCODE, times

ISAL = f"isa in {synthetic.LIBISAL}"


class OfRuns(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench libraries "))) / "run.jsonl"

    def results(self, speeds, **more):
        self.path.unlink(missing_ok=True)
        return Results.of_run(synthetic.write_run(self.path, {(ENCODE, name): times(speed) for name, speed in speeds.items()}, 8,
                                                  **more))

    def test_a_library_from_a_directory_is_called_by_its_version(self):
        def loaded(version):
            return {"codec_libraries": {"libisal.so.2": {"path": "~/libisal.so.2", "version": version, "build_id": "a1"}}}

        for version, name in (("2.0.31", "isa 2.31"), (None, ISAL)):
            results = self.results({"isa": 20, ISAL: 30, "limit": 40}, more={(ENCODE, ISAL): loaded(version)})
            self.assertRegex(list(results.tables())[-1], r" 20\.0 +\*30\.0 +40\.0$")
            self.assertEqual(list(results.cases[0][1].candidates), ["isa", name])

    def test_another_library_in_the_same_directory_is_refused(self):
        library = {"path": "~/a/libisal.so.2", "version": "2.0.31", "build_id": "a1"}
        run = synthetic.write_run(self.path, {(ENCODE, ISAL): times(20)}, 8,
                                  more={(ENCODE, ISAL): {"codec_libraries": {"libisal.so.2": library}}})
        ecbench = mock.Mock()
        for change, is_it in (({}, True), ({"path": "/b/libisal.so.2"}, True), ({"build_id": "b2"}, False),
                              ({"version": None}, False)):
            loaded = types.SimpleNamespace(**{"name": "libisal.so.2", **library, **change})
            ecbench.environment.return_value = types.SimpleNamespace(shared_objects=[loaded])
            if is_it:
                expansion.check_libraries(run, ecbench)
            else:
                with self.assertRaisesRegex(Refused, "libisal.so.2 in /opt/isal is not the library with which the run began"):
                    expansion.check_libraries(run, ecbench)


class Order(unittest.TestCase):
    def header(self, order):
        planned = [types.SimpleNamespace(id=f"{group}{number}", group=group) for number in range(4) for group in "abc"]
        return types.SimpleNamespace(seed=7, repetitions=3, order=order, points=planned)

    def test_the_points_of_a_group_are_measured_one_after_another_in_each_round(self):
        measured = order_of(self.header("random"))
        self.assertEqual(len(set(measured)), 36)
        for begin in range(0, 36, 4):
            self.assertEqual(len({(identity[0], number) for identity, number in measured[begin:begin + 4]}), 1)

    def test_case_by_case(self):
        header = self.header(BY_CASE)
        measured = order_of(header)
        self.assertEqual([identity[0] for identity, _ in measured], [*"a" * 12, *"b" * 12, *"c" * 12])
        self.assertEqual([number for _, number in measured], [number for number in (0, 1, 2) for _ in range(4)] * 3)
        of_b = order_of(header, [one for one in header.points if one.group == "b"])
        self.assertEqual(of_b, measured[12:24], "a case has the same order alone")


class Groups(unittest.TestCase):
    """A candidate is a pair of its group and the logarithm of its speed."""

    def chosen(self, candidates, keep, noise=0.0):
        draw, self.measured = random.Random(1), []

        def measure(candidate, *_):
            self.measured.append(candidate)
            return None if candidate[1] is None else candidate[1] + draw.gauss(0, noise)

        return survivors([Stage(Effort(0.01), 2, keep, of="library")], candidates, lambda _, stage, names: (stage, names),
                         measure, 1, lambda _: lambda one: one[0])

    def test_each_group_keeps_its_fastest(self):
        candidates = [("a", 1.48), ("a", 1.5), ("b", 9.0), ("b", 8.999), ("b", 8.0), ("c", 5.0)]
        self.assertEqual(set(self.chosen(candidates, 1)), {("a", 1.5), ("b", 9.0), ("c", 5.0)})
        self.assertNotIn(("c", 5.0), self.measured, "a group with one candidate is not measured")
        self.assertEqual(set(self.chosen(candidates, 2)), {("a", 1.5), ("a", 1.48), ("b", 9.0), ("b", 8.999), ("c", 5.0)})
