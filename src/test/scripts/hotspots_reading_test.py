"""Tests the parsers for the files of profilers. They must assign each cost to an address in a program or in a shared library. The
cost of a function must not include the functions that it calls. Files in other formats must be refused."""

import collections
import os
import pathlib
import struct
import unittest
import xml.etree.ElementTree

import synthetic_rows
from ecbench.profile import hotspot_table, one_profile
from ecbench.profilers import formats, profilers
from ecbench.profilers.formats import Unreadable
from ecbench.symbols.elf import Resolver

TEST = pathlib.Path(__file__).resolve().parents[1]

NO_NAMES = Resolver()
HEADER = ["version: 1\n", "positions: instr line\n", "events: Ir\n", "\n"]


class FlameGraph(unittest.TestCase):
    def test_a_box_is_as_wide_as_its_cost_and_above_its_caller(self):
        stacks = collections.Counter({("main", "f", "g"): 6, ("main", "f"): 2, ("main", "h"): 1, ("other<&",): 1})
        self.assertEqual([(depth, begin, cost, name) for depth, begin, cost, name in one_profile.boxes_of(stacks)],
                         [(0, 0, 9, "main"), (1, 0, 8, "f"), (2, 2, 6, "g"), (1, 8, 1, "h"), (0, 9, 1, "other<&")])
        drawn = xml.etree.ElementTree.fromstring(one_profile.svg(stacks, "<title>"))
        titles = [node.text for node in drawn.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(titles, ["main: 90.00 %", "f: 80.00 %", "g: 60.00 %", "h: 10.00 %", "other<&: 10.00 %"])


class Callgrind(unittest.TestCase):
    def costs(self, *lines, header=HEADER):
        return formats.parse([*header, *(f"{line}\n" for line in lines)], "x")

    def test_an_address_belongs_to_its_object(self):
        at = self.costs("ob=/lib/a.so", "fl=???", "fn=f", "0x10 0 5", "0x13 0 7", "0x13 0 1", "0x10 0 2", "ob=/lib/b.so", "fn=g",
                        "0x10 0 100", "ob=/lib/a.so", "fn=f", "0x20 0 9", "ob=???", "0x30 0 1").at
        self.assertEqual(at, {("/lib/a.so", 0x10): 7, ("/lib/a.so", 0x13): 8, ("/lib/b.so", 0x10): 100, ("/lib/a.so", 0x20): 9,
                              ("", 0x30): 1})

    def test_the_cost_of_a_called_function_is_not_added_to_its_caller(self):
        at = self.costs("ob=/lib/a.so", "fn=f", "0x10 0 5", "cob=/lib/b.so", "cfn=g", "calls=3 0x77 0", "0x10 0 1000", "0x13 0 4",
                        "ob=/lib/b.so", "fn=g", "0x77 0 1000").at
        self.assertEqual(at, {("/lib/a.so", 0x10): 5, ("/lib/a.so", 0x13): 4, ("/lib/b.so", 0x77): 1000})

    def test_jumps_cost_nothing(self):
        at = self.costs("ob=/lib/a.so", "fn=f", "0x10 0 5", "jcnd=1/2 0x14 0", "0x10 0", "0x11 0 6").at
        self.assertEqual(at, {("/lib/a.so", 0x10): 5, ("/lib/a.so", 0x11): 6})

    def test_instructions_are_found_among_other_events(self):
        header = ["positions: instr line\n", "events: Dr Ir Dw\n"]
        self.assertEqual(self.costs("ob=/a", "0x10 0 1 22 3", "0x11 0 4", header=header).at, {("/a", 0x10): 22, ("/a", 0x11): 0})

    def test_call_stacks_have_the_cost_of_each_call(self):
        """f (1) calls g (10) and h (100); g calls h once in four calls."""
        lines = ["ob=/a", "fn=f", "0x10 0 1", "cfn=g", "calls=1 0x20 0", "0x10 0 35", "cfn=h", "calls=3 0x30 0", "0x10 0 75",
                 "fn=g", "0x20 0 10", "cfn=h", "calls=1 0x30 0", "0x20 0 25", "fn=h", "0x30 0 100"]
        costs = self.costs(*lines)
        self.assertEqual([(len(stack), cost) for stack, cost in sorted(costs.stacks.items(), key=lambda one: one[1])],
                         [(1, 1), (2, 10), (3, 25), (2, 75)])
        self.assertEqual(costs.stacks.total(), costs.total)

    def test_recursion_ends(self):
        lines = ["ob=/a", "fn=f", "0x10 0 5", "cfn=f", "calls=9 0x10 0", "0x10 0 500", "fn=main", "0x20 0 1", "cfn=f",
                 "calls=1 0x10 0", "0x20 0 505"]
        costs = self.costs(*lines)
        self.assertEqual(sorted(map(len, costs.stacks)), [1, 2])

    def test_a_recorded_profile(self):
        costs = formats.read(TEST / "data" / "profiles" / "isa.callgrind.out")
        self.assertEqual(costs.total, 8030422)  # the same as in callgrind's own line "totals:"
        kernel = sum(cost for (path, address), cost in costs.at.items() if "libisal" in path and 0x1BF80 <= address < 0x1C100)
        self.assertEqual(kernel, 8029310)

    def test_other_files_are_reported(self):
        for lines in (["hello\n"], ["positions: line\n", "events: Ir\n"], [*HEADER, "0xzz 0 1\n"], []):
            with self.subTest(lines), self.assertRaises(Unreadable):
                formats.parse(lines, "x")


def profile(records, maps="", trailer=(0, 1, 0), header=(0, 3, 0, 1000, 0)):
    words = [*header]
    for count, *stack in records:
        words += [count, len(stack), *stack]
    return struct.pack(f"<{len(words) + len(trailer)}Q", *words, *trailer) + maps.encode()


class Pprof(unittest.TestCase):
    MAPS = ("1000-3000 r-xp 00000000 08:01 12                         /nowhere/a program\n"
            "5000-6000 rw-p 00000000 08:01 12                         /nowhere/data\n"
            "7000-8000 r-xp 00002000 08:01 13                         /nowhere/lib.so (deleted)\n")

    def test_samples_belong_to_the_leaf(self):
        sampled = profile([(3, 0x1010, 0x7001), (2, 0x7004, 0x1010), (4, 0x1010)], self.MAPS)
        costs, notes = formats.parse_pprof(sampled, "x", NO_NAMES)
        self.assertEqual(notes, [])
        self.assertEqual(costs.at, {("/nowhere/a program", 0x10): 7, ("/nowhere/lib.so", 4): 2})

    def test_samples_outside_of_all_objects_are_kept_and_explained(self):
        for outside, explained in ((3, True), (20, True), (1, False)):
            sampled = profile([(outside, 0x9999), (100, 0x1010)], self.MAPS)
            costs, notes = formats.parse_pprof(sampled, "x", NO_NAMES)
            self.assertEqual(costs.at, {("", 0): outside, ("/nowhere/a program", 0x10): 100})
            self.assertEqual(len(notes), explained)

    def test_empty_profile_has_no_samples(self):
        self.assertEqual(formats.parse_pprof(profile([], self.MAPS), "x", NO_NAMES)[0].total, 0)

    def test_a_file_that_a_forked_child_wrote_too_is_refused(self):
        of_child = profile([(3, 0x1010)], self.MAPS)
        with self.assertRaisesRegex(Unreadable, "forks"):
            formats.parse_pprof(of_child + profile([(700, 0x1010)], self.MAPS), "x", NO_NAMES)

    def test_other_files_are_reported(self):
        for content in (b"", b"hello", b"\0" * 64, profile([(1, 0x10)], trailer=()), profile([(1, 0x10)])[:60],
                        profile([], header=(0, 3, 1, 1000, 0))):
            with self.subTest(content), self.assertRaises(Unreadable):
                formats.parse_pprof(content, "x", NO_NAMES)


class Perf(unittest.TestCase):
    def test_other_lines_are_reported(self):
        with self.assertRaises(Unreadable):
            formats.parse_perf("hello\n", NO_NAMES)

    def test_a_sample_with_frames_counts_for_the_innermost(self):
        text = "\n\t 10 ([vdso])\n\t 20 ([unknown])\n\n\n\t 10 ([vdso])\n\n"
        costs = formats.parse_perf(text, Resolver())
        self.assertEqual(dict(costs.at), {("[vdso]", 0): 2})
        self.assertEqual(costs.stacks.total(), 2)

    def test_the_frames_of_an_object_have_its_names_the_outermost_first(self):
        libc = os.path.realpath(libc_path())
        names = Resolver().object(libc)
        begin = next(offset for offset in range(0x30000, 0x40000, 16)
                     if (address := names.address_of(offset)) and not names.name(address)[0].startswith("["))
        name = names.name(names.address_of(begin))[0]
        resolver = Resolver()
        costs = formats.parse_perf(f"\n\t {begin:x} ({libc})\n\t {begin:x} ({libc})\n\t ffffffffffffffff ([unknown])\n\n", resolver)
        self.assertEqual(dict(costs.at), {(libc, names.address_of(begin)): 1})
        self.assertEqual(one_profile.named(costs.stacks, resolver), {(name, name): 1})


def libc_path():
    maps = pathlib.Path("/proc/self/maps").read_text("utf-8")
    return next(line.split()[-1] for line in maps.splitlines() if "libc.so" in line)


class Counters(unittest.TestCase):
    def test_counts_of_perf_stat(self):
        text = "3000;;cycles:u;1;100.00;;\n6000;;instructions:u;1;100.00;2;insn per cycle\n<not supported>;;cache-misses:u;0;0;;\n"
        self.assertEqual(profilers.counted(text), {"cycles": 3000, "instructions": 6000})
        self.assertEqual(profilers.described(profilers.counted(text), None), ["2.00 instructions per cycle"])
        both = {"cycles": 1.0, "instructions": 3.0, "cache-references": 400.0, "cache-misses": 100.0}
        line, = profilers.described(both, synthetic_rows.row(seconds=1e-6))
        self.assertEqual(line, "3.00 instructions per cycle; 25.0 % of 400 cache references miss; about 6.40 GB/s from memory (64 "
                               "bytes per miss)")
        self.assertEqual(profilers.described({}, None), [])


class Annotation(unittest.TestCase):
    def test_parts_far_apart_are_disassembled_separately(self):
        self.assertEqual(hotspot_table.ranges([16, 20, 4000, 90000]), [(16, 4000), (90000, 90000)])
        self.assertEqual(hotspot_table.ranges([]), [])
