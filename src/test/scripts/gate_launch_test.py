"""Tests one launch of gate ab with simulated slice servers: what the launch measures, in which order, and how it handles a server
that computes wrong bytes, does not answer, or ends too early. A launch must never leave a process or an open descriptor."""

import os
import pathlib
import random
import tempfile
import unittest

from ecbench.gate.ab.launch import SECONDS_TO_ANSWER, Launcher, balanced_orders
from ecbench.gate.ab.verdicts import Plan
from ecbench.gate.sides.sides import Side
from ecbench.point.point import make_point
from ecbench.process import temporary
from ecbench.process.children import Child, Interrupted
from ecbench.terminal.console import Refused, WrongBytes
from slice_double import write_double

POINT = make_point("isa", {"k": 4, "m": 2}, "encode", 4096, 0)


class Calm:
    """Replaces children.Child. A launch calls only start() and check(). In this class, check() never raises Interrupted."""

    start = Child.start

    def check(self):
        pass


class Interrupting:
    """Simulates a signal: the first `after` calls of check() return, and the next call raises Interrupted."""

    start = Child.start

    def __init__(self, after):
        self._left = after

    def check(self):
        self._left -= 1
        if self._left < 0:
            raise Interrupted(15)


class LaunchTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench launch ")))
        self.log = self.folder / "log"
        temporary.own_folder()  # the process keeps its descriptor

    def side(self, name, **behaviour):
        folder = self.folder / (10 * name if name == "NEW" else name)
        folder.mkdir(exist_ok=True)
        program, plugins = write_double(folder, name, log=str(self.log), **behaviour)
        return Side(name, plugins, "plugins", program, plugins)

    def launch(self, old=None, new=None, number=0, child=None, timeout=SECONDS_TO_ANSWER):
        plan = Plan(10, 6, 1000, 0, min(os.sched_getaffinity(0)))
        before = set(os.listdir("/proc/self/fd"))
        try:
            return Launcher(self.side("OLD", **(old or {})), self.side("NEW", **(new or {})), plan,
                            child or Calm(), timeout).launch(POINT, number, 1)
        finally:
            self.assertEqual(set(os.listdir("/proc/self/fd")), before)
            for line in self.lines():
                self.assertFalse(os.path.exists(f"/proc/{line.split()[1]}"), f"left running: {line}")

    def lines(self):
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def commands(self, word):
        return [line.split()[0] for line in self.lines() if line.split()[2] == word]


class Figures(LaunchTest):
    def test_the_ratio_is_the_time_of_new_over_that_of_old(self):
        record = self.launch({"ns": 100}, {"ns": 150})
        self.assertEqual(record["median_ratio"], 1.5)
        self.assertEqual(record["ratios"], [1.5] * 6)
        self.assertEqual((record["old_ns_per_iteration"], record["new_ns_per_iteration"]), (100, 150))
        self.assertEqual((record["pairs"], record["first"], record["order_seed"]), (6, "old", 1))

    def test_slices_are_as_long_as_the_slower_side_allows(self):
        self.assertEqual(self.launch({"ns": 100}, {"ns": 500})["iterations"], 2)
        self.assertEqual(self.launch({"ns": 10000}, {"ns": 1})["iterations"], 1)

    def test_a_point_is_calibrated_once(self):
        launcher = Launcher(self.side("OLD"), self.side("NEW"), Plan(10, 2, 1000, 0, min(os.sched_getaffinity(0))), Calm())
        for number in range(2):
            launcher.launch(POINT, number, 1)
        self.assertEqual(sorted(self.commands("calibrate")), ["NEW", "OLD"])


class Order(LaunchTest):
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

    def test_the_sides_take_turns_at_starting(self):
        self.launch(number=0)
        self.launch(number=1)
        self.assertEqual(self.commands("start"), ["OLD", "NEW", "NEW", "OLD"])

    def test_pairs_are_balanced_by_fours(self):
        orders = balanced_orders(40, random.Random(3))
        self.assertEqual(len(orders), 40)
        for one, other in zip(orders[::2], orders[1::2]):
            self.assertEqual(one, other[::-1])
        self.assertEqual(len(set(orders[::2])), 2)
        self.assertEqual(orders, balanced_orders(40, random.Random(3)))


class WrongOnes(LaunchTest):
    def assert_wrong(self, said, old=None, new=None):
        with self.assertRaises(WrongBytes) as caught:
            self.launch(old, new)
        self.assertIn(said, str(caught.exception))

    def test_wrong_bytes_of_either_side_name_it(self):
        self.assert_wrong("NEW, ", new={"on": {"check": "say wrong chunk 3 differs from the correct bytes"}})
        self.assert_wrong("chunk 3 differs", old={"on": {"check": "say wrong chunk 3 differs from the correct bytes"}})

    def test_wrong_bytes_at_the_start_have_the_message_of_the_program(self):
        self.assert_wrong("wrong bytes after encoding twice", new={"on": {"start": "exit 2 wrong bytes after encoding twice"}})

    def test_different_chunks_are_wrong_bytes_even_if_both_checks_pass(self):
        self.assert_wrong("OLD and NEW encode the same object to different chunks", new={"hello": {"chunks_digest": "d2"}})


class BrokenOnes(LaunchTest):
    def assert_broken(self, *said, **launch):
        with self.assertRaises(Refused) as caught:
            self.launch(**launch)
        for words in said:
            self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_one_that_crashes_is_reported_with_its_signal(self):
        for command in ("start", "check", "time"):
            self.assert_broken("NEW, ", "SIGSEGV", command, new={"on": {command: "die SIGSEGV"}, "limit": 300 << 20})

    def test_one_that_a_limit_of_memory_ends_names_the_limit(self):
        for command in ("start", "check", "time"):
            self.assert_broken("NEW, ", "SIGKILL", command, "300 MiB", child=Child(),
                               new={"on": {command: "die SIGKILL"}, "limit": 300 << 20})

    def test_the_message_of_a_refusal_is_reported(self):
        self.assert_broken("OLD, ", "k=4 is not allowed", old={"on": {"start": "exit 1 k=4 is not allowed"}})
        self.assert_broken("exit code 7", old={"on": {"start": "exit 7 what"}})

    def test_one_that_prints_nothing_is_ended(self):
        self.assert_broken("NEW, ", "printed nothing within 4 s after the command 'check'", timeout=4,
                           new={"on": {"check": "hang"}})
        self.assert_broken("printed nothing within 1 s after its start", timeout=1, old={"on": {"start": "hang"}})

    def test_unknown_output_is_refused(self):
        for command, words in (("start", "hello"), ("start", "{}"), ("start", "[" * 100000), ("time", "ns 0 0"), ("time", "ns x 1"),
                               ("time", "ok"), ("time", ""), ("calibrate", "iterations 0"), ("calibrate", "iterations -1"),
                               ("check", "fine"), ("warm", "no")):
            with self.subTest(command=command, words=words[:20]):
                self.assert_broken("OLD, ", old={"on": {command: f"say {words}"}})

    def test_another_protocol_and_different_chunks_are_refused(self):
        self.assert_broken("ecbench slices 1", new={"hello": {"protocol": "ecbench slices 2"}})
        self.assert_broken("chunk_size_bytes is 1024 for OLD and 2048 for NEW", new={"hello": {"chunk_size_bytes": 2048}})
        self.assert_broken("k is 4 for OLD and 5 for NEW", new={"hello": {"k": 5}})
        self.assert_broken("NEW, ", "chunks_digest", new={"hello": {"chunks_digest": None}})

    def test_a_program_that_cannot_be_started_is_refused(self):
        side = Side("OLD", "none", "plugins", str(self.folder / "none"), str(self.folder))
        with self.assertRaises(Refused):
            Launcher(side, side, Plan(10, 2, 1000, 0, 0), Calm()).launch(POINT, 0, 1)

    def test_an_interrupt_ends_both(self):
        for after in (0, 1, 2, 6):
            with self.assertRaises(Interrupted):
                self.launch(child=Interrupting(after))
        self.assertTrue(self.lines())
