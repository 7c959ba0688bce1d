"""One launch of gate ab with simulated slice servers. It never leaves a process or an open descriptor."""

import os
import pathlib
import random
import tempfile
import unittest
from unittest import mock

from ecbench.files import files
from ecbench.gate.ab import launch
from ecbench.gate.ab.launch import SECONDS_TO_ANSWER, Launcher, balanced_orders, libraries_to_link, names_of_one_length
from ecbench.gate.ab.verdicts import Plan
from ecbench.gate.sides.sides import Side
from ecbench.measure.session import Budget
from ecbench.point.point import make_point
from ecbench.process.process import Child, Interrupted
from ecbench.runfile.header import SharedObject
from ecbench.terminal.console import Refused, WrongBytes
from slice_double import write_double

POINT = make_point("isa", {"k": 4, "m": 2}, "encode", 4096, 0)


class Interrupting(Child):
    """Simulates a signal: the first `after` calls of check() return, and the next call raises Interrupted."""

    def __init__(self, after):
        super().__init__()
        self._left = after

    def check(self):
        self._left -= 1
        if self._left < 0:
            raise Interrupted(15)


class Launch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench launch ")))
        self.log = self.folder / "log"
        files.own_folder()  # the process keeps its descriptor

    def side(self, name, **behaviour):
        folder = self.folder / (10 * name if name == "NEW" else name)
        folder.mkdir(exist_ok=True)
        program, plugins = write_double(folder, name, log=str(self.log), **behaviour)
        return Side(name, plugins, "plugins", program, plugins)

    def launch(self, old=None, new=None, child=None, timeout=SECONDS_TO_ANSWER, budget=None):
        plan = Plan(10, 6, 1000, 0, min(os.sched_getaffinity(0)))
        before = set(os.listdir("/proc/self/fd"))
        try:
            return Launcher(self.side("OLD", **(old or {})), self.side("NEW", **(new or {})), plan,
                            child or Child(), timeout, budget=budget).launch(POINT, 0, 1)
        finally:
            self.assertEqual(set(os.listdir("/proc/self/fd")), before)
            for line in self.lines():
                self.assertFalse(os.path.exists(f"/proc/{line.split()[1]}"), f"left running: {line}")

    def lines(self):
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def commands(self, word):
        return [line.split()[0] for line in self.lines() if line.split()[2] == word]

    def test_the_ratio_is_the_time_of_new_over_that_of_old(self):
        record = self.launch({"ns": 100}, {"ns": 150})
        self.assertEqual((record["median_ratio"], record["ratios"]), (1.5, [1.5] * 6))
        self.assertEqual((record["old_ns_per_iteration"], record["new_ns_per_iteration"]), (100, 150))
        self.assertEqual((record["pairs"], record["first"], record["order_seed"]), (6, "old", 1))

    def test_slices_are_as_long_as_the_slower_side_allows(self):
        for old, new, iterations in ((100, 500, 2), (10000, 1, 1)):
            self.assertEqual(self.launch({"ns": old}, {"ns": new})["iterations"], iterations)

    def test_both_sides_share_one_arena_have_names_of_one_length_and_are_checked_before_and_after(self):
        self.launch()
        starts = {tuple(line.split()[3:]) for line in self.lines() if line.split()[2] == "start"}
        self.assertEqual(len(starts), 1, starts)
        words = [line.split()[2] for line in self.lines()]
        self.assertEqual(sorted(self.commands("check")), ["NEW", "NEW", "OLD", "OLD"])
        timed = [number for number, word in enumerate(words) if word == "time"]
        checked = [number for number, word in enumerate(words) if word == "check"]
        self.assertEqual(len(timed), 12)
        self.assertTrue(max(checked[:2]) < timed[0] and min(checked[2:]) > timed[-1], words)

    def test_the_sides_take_turns_at_starting_and_a_point_is_calibrated_once(self):
        launcher = Launcher(self.side("OLD"), self.side("NEW"), Plan(10, 2, 1000, 0, min(os.sched_getaffinity(0))), Child())
        for number in range(2):
            launcher.launch(POINT, number, 1)
        self.assertEqual(self.commands("start"), ["OLD", "NEW", "NEW", "OLD"])
        self.assertEqual(sorted(self.commands("calibrate")), ["NEW", "OLD"])

    def test_pairs_are_balanced_by_fours(self):
        orders = balanced_orders(40, random.Random(3))
        self.assertEqual(len(orders), 40)
        for one, other in zip(orders[::2], orders[1::2]):
            self.assertEqual(one, other[::-1])
        self.assertEqual(len(set(orders[::2])), 2)
        self.assertEqual(orders, balanced_orders(40, random.Random(3)))

    def assert_fails(self, kind, *said, **launch):
        with self.assertRaises(kind) as caught:
            self.launch(**launch)
        for words in said:
            self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_wrong_bytes_are_reported(self):
        wrong = {"on": {"check": "say wrong chunk 3 differs from the correct bytes"}}
        for said, sides in ((("NEW, ", "chunk 3 differs"), {"new": wrong}), (("OLD, ", "chunk 3 differs"), {"old": wrong}),
                            (("NEW, ", "wrong bytes after encoding twice"),
                             {"new": {"on": {"start": "exit 2 wrong bytes after encoding twice"}}}),
                            (("OLD and NEW encode the same object to different chunks",),
                             {"new": {"hello": {"chunks_digest": "d2"}}})):
            self.assert_fails(WrongBytes, *said, **sides)

    def test_one_that_crashes_is_reported_with_its_signal_and_sigkill_with_the_limit_of_memory(self):
        for command in ("start", "check", "time"):
            for name, said in (("SIGSEGV", ""), ("SIGKILL", "300 MiB")):
                self.assert_fails(Refused, "NEW, ", name, command, said,
                                  new={"on": {command: f"die {name}"}, "limit": 300 << 20})

    def test_the_message_of_a_refusal_is_reported(self):
        self.assert_fails(Refused, "OLD, ", "k=4 is not allowed", old={"on": {"start": "exit 1 k=4 is not allowed"}})
        self.assert_fails(Refused, "exit code 7", old={"on": {"start": "exit 7 what"}})

    def test_one_that_prints_nothing_is_ended(self):
        self.assert_fails(Refused, "NEW, ", "printed nothing within 4 s after the command 'check'", timeout=4,
                          new={"on": {"check": "hang"}})
        self.assert_fails(Refused, "printed nothing within 1 s after its start", timeout=1, old={"on": {"start": "hang"}})
        with mock.patch.object(launch, "LEAST_SECONDS_TO_ANSWER", 1):
            self.assert_fails(Refused, "printed nothing within 1 s after", budget=Budget(0.001), new={"on": {"check": "hang"}})

    def test_unknown_output_is_refused(self):
        for command, words in (("start", "hello"), ("start", "{}"), ("start", "[" * 100000), ("time", "ns 0 0"), ("time", "ns x 1"),
                               ("time", "ok"), ("time", ""), ("calibrate", "iterations 0"), ("calibrate", "iterations -1"),
                               ("check", "fine"), ("warm", "no")):
            self.assert_fails(Refused, "OLD, ", old={"on": {command: f"say {words}"}})

    def test_another_protocol_and_different_chunks_are_refused(self):
        for said, hello in ((["ecbench slices 1"], {"protocol": "ecbench slices 2"}), (["k is 4 for OLD and 5 for NEW"], {"k": 5}),
                            (["chunk_size_bytes is 1024 for OLD and 2048 for NEW"], {"chunk_size_bytes": 2048}),
                            (["NEW, ", "chunks_digest"], {"chunks_digest": None})):
            self.assert_fails(Refused, *said, new={"hello": hello})

    def test_a_program_that_cannot_be_started_is_refused(self):
        side = Side("OLD", "none", "plugins", str(self.folder / "none"), str(self.folder))
        with self.assertRaises(Refused):
            Launcher(side, side, Plan(10, 2, 1000, 0, 0), Child()).launch(POINT, 0, 1)

    def test_an_interrupt_ends_both(self):
        for after in (0, 1, 2, 6):
            with self.assertRaises(Interrupted):
                self.launch(child=Interrupting(after))
        self.assertTrue(self.lines())


class Names(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench layout ")))
        self.sides = {}
        for name, length, codec_lib in (("old", 1, None), ("new", 40, "codecs")):
            build = folder / ("b" * length)
            (build / "plugins").mkdir(parents=True)
            (build / "codecs").mkdir()
            for file in ("plugins/libec_isa.so", "ecbench", "codecs/libisal.so.2"):
                (build / file).write_text(name)
            self.sides[name] = Side(name.upper(), str(build), "build", str(build / "ecbench"), str(build / "plugins"),
                                    codec_lib and str(build / codec_lib))

    def test_have_one_length_and_lead_to_the_same_files(self):
        of_system = {"libisal.so.2": str(pathlib.Path(self.sides["old"].given) / "codecs" / "libisal.so.2")}
        with names_of_one_length(self.sides, {"old": of_system}, random.Random(1)) as linked:
            for key in ("program", "plugin_directory", "codec_lib"):
                self.assertEqual(*(len(getattr(side, key)) for side in linked.values()))
            for name, side in linked.items():
                for file in (side.program, f"{side.plugin_directory}/libec_isa.so", f"{side.codec_lib}/libisal.so.2"):
                    self.assertEqual(pathlib.Path(file).read_text(), name)
        self.assertFalse(pathlib.Path(linked["old"].program).parent.exists())

    def test_change_their_length_from_launch_to_launch_as_the_seed_says(self):
        def length(seed):
            with names_of_one_length(self.sides, {}, random.Random(seed)) as linked:
                self.assertIsNone(linked["old"].codec_lib)
                return len(linked["old"].plugin_directory)
        lengths = {length(seed) for seed in range(20)}
        self.assertGreater(len(lengths), 15)
        self.assertLess(max(lengths), 2500)  # PATH_MAX is 4096
        self.assertEqual(length(7), length(7))

    def test_are_not_in_messages(self):
        for kind in (Refused, WrongBytes):
            with self.assertRaises(kind) as raised, names_of_one_length(self.sides, {}, random.Random(1)) as linked:
                raise kind(f"{linked['new'].plugin_directory}/libec_isa.so is no plugin of {linked['old'].program}")
            self.assertEqual(str(raised.exception), f"{self.sides['new'].plugin_directory}/libec_isa.so is no plugin of "
                                                    f"{self.sides['old'].program}")

    def test_the_systems_libraries_are_linked_if_the_other_side_has_them(self):
        with_libraries, without = self.sides["new"], self.sides["old"]
        loads = [SharedObject(name=name, path=path) for name, path in (
            ("libisal.so.2", "/usr/lib/libisal.so.2.0.30"), ("libJerasure.so.2", "/usr/lib/libJerasure.so.2.0.0"),
            ("libec_isa.so", "/build/plugins/libec_isa.so"))]
        linked = {"libisal.so.2": "/usr/lib/libisal.so.2.0.30"}
        for old, new, loaded, expected in ((without, with_libraries, loads, {"old": linked}),
                                           (with_libraries, without, loads, {"new": linked}), (without, without, loads, {}),
                                           (with_libraries, with_libraries, loads, {}), (without, with_libraries, [], {"old": {}})):
            self.assertEqual(libraries_to_link(old, new, {"OLD": loaded, "NEW": loaded}), expected)
