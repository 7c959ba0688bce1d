"""Profiles: the names of functions (a function never gets the name of another), and the files of profilers."""

import collections
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

import synthetic_rows
from ecbench.measure.ecbench import Ecbench
from ecbench.process.process import Child
from ecbench.profile import one_profile
from ecbench.profile.one_profile import closing, new_files
from ecbench.profilers import formats, profilers
from ecbench.profilers.formats import Costs
from ecbench.profilers.subject import Broken, run_checked
from ecbench.runfile.header import Cgroup
from ecbench.symbols.elf import Elf, Function, NotElf, Resolver
from ecbench.terminal.console import Refused

SOURCE = """
extern "C" {
__attribute__((noinline)) int exported_before(int a) { return a * 3; }
static __attribute__((noinline, used)) int hidden(int a) { return a * 5 + 1; }
__attribute__((noinline)) int exported_after(int a) { return hidden(a) * 7; }
}
// Two functions as in assembler files: without a size and an entry in .eh_frame. local_label is inside the second function.
asm(".text\\n.globl without_end\\n.type without_end, @function\\nwithout_end: nop\\nnop\\nret\\n"
    ".globl also_without_end\\n.type also_without_end, @function\\nalso_without_end: nop\\nlocal_label: nop\\nret\\n");
"""


@unittest.skipUnless(shutil.which("g++") and shutil.which("strip"), "g++ or strip is not installed")
class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="ecbench names "))
        cls.whole = pathlib.Path(temporary) / "libwhole.so.1.0"
        cls.stripped = pathlib.Path(temporary) / "libstripped.so"
        subprocess.run(["g++", "-O1", "-shared", "-fPIC", "-fno-ipa-sra", "-fno-ipa-cp", "-x", "c++", "-", "-o", cls.whole,
                        "-Wl,-soname,libwhole.so.1"], input=SOURCE, text=True, check=True)
        subprocess.run(["strip", "-o", cls.stripped, cls.whole], check=True)
        symbols = Elf(cls.whole).symbols
        cls.address = {symbol.name: symbol.address for symbol in symbols}
        cls.hidden = next(symbol.address for symbol in symbols if "hidden" in symbol.name)

    def name(self, path, address, pointers=()):
        function = Resolver(pointers).function(str(path), address)
        return function.name, function.how

    def test_symbols_name_the_addresses_between_their_ends(self):
        for name in ("exported_before", "exported_after"):
            for path in (self.whole, self.stripped):
                self.assertEqual(self.name(path, self.address[name] + 1), (name, "symbol"))
        self.assertIn("hidden", self.name(self.whole, self.hidden + 1)[0])

    def test_a_stripped_function_never_gets_the_name_of_its_neighbour(self):
        for offset in (0, 1, 3):
            self.assertEqual(self.name(self.stripped, self.hidden + offset), (f"[libwhole.so.1+{self.hidden:#x}]", "unnamed"))

    def test_a_pointer_of_the_code_names_a_function_up_to_its_end(self):
        pointers = [(str(self.stripped), self.hidden, "the kernel")]
        for offset in (0, 3):
            self.assertEqual(self.name(self.stripped, self.hidden + offset, pointers), ("the kernel", "pointer of the field"))
        self.assertEqual(self.name(self.stripped, self.address["exported_after"] + 1, pointers), ("exported_after", "symbol"))

    def test_assemblers_symbols_end_where_the_next_begins(self):
        for path in (self.whole, self.stripped):
            for name in ("without_end", "also_without_end"):
                for offset in (0, 2):
                    self.assertEqual(self.name(path, self.address[name] + offset), (name, "assembler symbol"))

    def test_what_follows_a_function_that_ended_has_no_name(self):
        end, = (end for begin, end in Elf(self.whole).extents if begin == self.address["exported_before"])
        self.assertNotEqual(self.name(self.whole, end)[0], "exported_before")

    def test_stubs_are_recognised_by_their_section(self):
        address = Elf(self.whole).section(".plt")["sh_addr"]
        self.assertEqual(self.name(self.stripped, address + 1), ("[libwhole.so.1 .plt]", "section"))

    def test_objects_that_cannot_be_read_have_no_names(self):
        self.assertEqual(self.name("/nonexistent/libx.so", 0x10), ("[libx.so+0x10]", "unnamed"))
        self.assertEqual(self.name("", 0), ("[no object]", "unnamed"))
        self.assertEqual(self.name(__file__, 1)[1], "unnamed")
        with self.assertRaises(NotElf):
            Elf(__file__)


class Classes(unittest.TestCase):
    def test_kernels_are_recognised_by_their_names(self):
        gf, isal = "libgf_complete.so.1", "libisal.so.2"
        for library, name, kind in (
                (gf, "GF-Complete w=8 multiply_region (split table 4,8 SSSE3)", "shuffle-multiply"),
                (gf, "GF-Complete w=8 multiply_region (full table)", "table-lookup"),
                (gf, "GF-Complete w=32 multiply_region (split table 8,32)", "table-lookup"),
                (gf, "GF-Complete w=32 multiply_region (by one)", "region-set-up"),
                (gf, "GF-Complete w=8 multiply_region (times two SSE2)", "multiply-by-two"),
                (gf, "gf_multby_one", "xor-region"), (gf, "[libgf_complete.so.1+0xa61e]", "other"),
                (isal, "gf_2vect_dot_prod_avx2", "shuffle-multiply"), (isal, "gf_2vect_dot_prod_avx512_gfni", "affine-multiply"),
                (isal, "gf_vect_mul_base", "table-lookup"), (isal, "xor_gen_avx", "xor-region"),
                (isal, "gf_invert_matrix", "matrix-inversion"), (isal, "ec_encode_data_avx2", "region-set-up"),
                ("libJerasure.so.2", "jerasure_do_scheduled_operations", "schedule"),
                ("libJerasure.so.2", "jerasure_invert_bitmatrix", "matrix-inversion"),
                ("libc.so.6", "__memmove_avx_unaligned_erms", "memcpy"), ("libc.so.6", "malloc", "allocation"),
                (gf, "gf_w16_split_4_16_lazy_sse_multiply_region", "shuffle-multiply"),
                (gf, "gf_w8_table_multiply_region", "table-lookup"), (gf, "gf_w32_split_8_32_lazy_multiply_region", "table-lookup"),
                ("ecbench", "ecbench::Profilers::enter", "harness"), ("libec_isa.so", "ecbench::isa::IsaCode::encode", "plugin"),
                *((library, "gf_region", "plugin") for library in ("libec_mine.so", "libec_mine-2.so", "libec_mine.so.1.0")),
                *((library, "xor_chunks", "plugin") for library in ("libec_example.so", "libec_copy_of_example.so")),
                ("libfoo.so", "gf_multby_one", "other"),
                *((library, "a_function_that_nobody_knows", "other") for library in (gf, isal, "libJerasure.so.2", "libc.so.6"))):
            self.assertEqual(one_profile.class_of(Function(name, library, "")), kind)

    def test_every_class_has_a_phrase(self):
        self.assertEqual({name for name, _, _ in one_profile.RULES} | {"other"}, set(one_profile.PHRASES))


class Table(unittest.TestCase):
    def test_rows_are_in_order_and_add_up(self):
        costs = Costs("Ir")
        costs.at.update({("/n/liba.so", 1): 30, ("/n/liba.so", 2): 10, ("", 0): 60})
        rows = one_profile.make_rows(costs, Resolver())
        self.assertEqual([(row.rank, row.self_percent, row.cumulative_percent, row.count) for row in rows],
                         [(1, 60, 60, 60), (2, 30, 90, 30), (3, 10, 100, 10)])
        lines = one_profile.table_lines(rows, "Ir", 2)
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[-1].startswith("functions not shown: 1, 10.00 % together"))
        self.assertAlmostEqual(sum(one_profile.shares(rows).values()), 100)

    def test_classes_have_sentences(self):
        percents = {"other": 2.9, "table-lookup": 97.1, "harness": 0.0, "memcpy": 0.0}
        self.assertEqual(one_profile.sentences(percents, "Ir"),
                         ["2.9 % of Ir in other functions", "97.1 % of Ir in table lookups", "0.0 % of Ir in the harness"])


TEST = pathlib.Path(__file__).resolve().parents[1]

NO_NAMES = Resolver()
HEADER = ["version: 1\n", "positions: instr line\n", "events: Ir\n", "\n"]


class FlameGraph(unittest.TestCase):
    def test_a_box_is_as_wide_as_its_cost_and_above_its_caller(self):
        stacks = collections.Counter({("main", "f", "g"): 6, ("main", "f"): 2, ("main", "h"): 1, ("other<&",): 1})
        self.assertEqual(list(one_profile.boxes_of(stacks)),
                         [(0, 0, 9, "main"), (1, 0, 8, "f"), (2, 2, 6, "g"), (1, 8, 1, "h"), (0, 9, 1, "other<&")])
        drawn = xml.etree.ElementTree.fromstring(one_profile.svg(stacks, "<title>"))
        titles = [node.text for node in drawn.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(titles, ["main: 90.00 %", "f: 80.00 %", "g: 60.00 %", "h: 10.00 %", "other<&: 10.00 %"])


class Callgrind(unittest.TestCase):
    def costs(self, *lines, header=HEADER):
        return formats.parse_callgrind([*header, *(f"{line}\n" for line in lines)], "x")

    def test_the_own_cost_of_an_address_belongs_to_its_object(self):
        """The cost of a called function is not added to its caller, and jumps cost nothing."""
        for lines, expected in (
                (["ob=/lib/a.so", "fl=???", "fn=f", "0x10 0 5", "0x13 0 7", "0x13 0 1", "0x10 0 2", "ob=/lib/b.so", "fn=g",
                  "0x10 0 100", "ob=/lib/a.so", "fn=f", "0x20 0 9", "ob=???", "0x30 0 1"],
                 {("/lib/a.so", 0x10): 7, ("/lib/a.so", 0x13): 8, ("/lib/b.so", 0x10): 100, ("/lib/a.so", 0x20): 9, ("", 0x30): 1}),
                (["ob=/lib/a.so", "fn=f", "0x10 0 5", "cob=/lib/b.so", "cfn=g", "calls=3 0x77 0", "0x10 0 1000", "0x13 0 4",
                  "ob=/lib/b.so", "fn=g", "0x77 0 1000"],
                 {("/lib/a.so", 0x10): 5, ("/lib/a.so", 0x13): 4, ("/lib/b.so", 0x77): 1000}),
                (["ob=/lib/a.so", "fn=f", "0x10 0 5", "jcnd=1/2 0x14 0", "0x10 0", "0x11 0 6"],
                 {("/lib/a.so", 0x10): 5, ("/lib/a.so", 0x11): 6})):
            self.assertEqual(self.costs(*lines).at, expected)
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
        costs = self.costs(*(TEST / "data" / "profiles" / "isa.callgrind.out").read_text().splitlines(), header=[])
        self.assertEqual(costs.total, 8030422)  # the same as in callgrind's own line "totals:"
        kernel = sum(cost for (path, address), cost in costs.at.items() if "libisal" in path and 0x1BF80 <= address < 0x1C100)
        self.assertEqual(kernel, 8029310)

    def test_other_files_are_reported(self):
        for lines in (["hello\n"], ["positions: line\n", "events: Ir\n"], [*HEADER, "0xzz 0 1\n"], []):
            with self.assertRaises(Refused):
                formats.parse_callgrind(lines, "x")


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

    def test_a_file_that_a_forked_child_wrote_too_is_refused(self):
        of_child = profile([(3, 0x1010)], self.MAPS)
        with self.assertRaisesRegex(Refused, "forks"):
            formats.parse_pprof(of_child + profile([(700, 0x1010)], self.MAPS), "x", NO_NAMES)

    def test_other_files_are_reported(self):
        for content in (b"", b"hello", b"\0" * 64, profile([(1, 0x10)], trailer=()), profile([(1, 0x10)])[:60],
                        profile([], header=(0, 3, 1, 1000, 0))):
            with self.assertRaises(Refused):
                formats.parse_pprof(content, "x", NO_NAMES)


class Perf(unittest.TestCase):
    def test_a_sample_with_frames_counts_for_the_innermost(self):
        text = "\n\t 10 ([vdso])\n\t 20 ([unknown])\n\n\n\t 10 ([vdso])\n\n"
        costs = formats.parse_perf(text, NO_NAMES)
        self.assertEqual(dict(costs.at), {("[vdso]", 0): 2})
        self.assertEqual(costs.stacks.total(), 2)
        self.assertRaises(Refused, formats.parse_perf, "hello\n", NO_NAMES)

    def test_the_frames_of_an_object_have_its_names_the_outermost_first(self):
        maps = pathlib.Path("/proc/self/maps").read_text("utf-8")
        libc = os.path.realpath(next(line.split()[-1] for line in maps.splitlines() if "libc.so" in line))
        names = Resolver().object(libc)
        begin = next(offset for offset in range(0x30000, 0x40000, 16)
                     if (address := names.address_of(offset)) and not names.name(address)[0].startswith("["))
        name = names.name(names.address_of(begin))[0]
        resolver = Resolver()
        costs = formats.parse_perf(f"\n\t {begin:x} ({libc})\n\t {begin:x} ({libc})\n\t ffffffffffffffff ([unknown])\n\n", resolver)
        self.assertEqual(dict(costs.at), {(libc, names.address_of(begin)): 1})
        self.assertEqual(one_profile.named(costs.stacks, resolver), {(name, name): 1})


class Profile(unittest.TestCase):
    def test_counts_of_perf_stat(self):
        text = "3000;;cycles:u;1;100.00;;\n6000;;instructions:u;1;100.00;2;insn per cycle\n<not supported>;;cache-misses:u;0;0;;\n"
        self.assertEqual(profilers.counted(text), {"cycles": 3000, "instructions": 6000})
        self.assertEqual(profilers.described(profilers.counted(text), None), ["2.00 instructions per cycle"])
        both = {"cycles": 1.0, "instructions": 3.0, "cache-references": 400.0, "cache-misses": 100.0}
        line, = profilers.described(both, synthetic_rows.row(seconds=1e-6))
        self.assertEqual(line, "3.00 instructions per cycle; 25.0 % of 400 cache references miss; about 6.40 GB/s from memory (64 "
                               "bytes per miss)")
        self.assertEqual(profilers.described({}, None), [])

    def test_parts_far_apart_are_disassembled_separately(self):
        self.assertEqual(one_profile.ranges([16, 20, 4000, 90000]), [(16, 4000), (90000, 90000)])
        self.assertEqual(one_profile.ranges([]), [])

    def test_files_of_an_earlier_profile_are_kept_but_not_listed(self) -> None:
        with tempfile.TemporaryDirectory() as path:
            for names in (("hotspots.json", "flame.svg"), ("hotspots.json", "callgrind.out")):
                with new_files(pathlib.Path(path)) as working:
                    for name in names:
                        (working / name).write_text(name)
                    lines = closing(working, pathlib.Path(path))
                self.assertEqual({line.split()[0] for line in lines}, set(names))
            self.assertEqual(set(os.listdir(path)), {"hotspots.json", "flame.svg", "callgrind.out"})

    def test_only_sigkill_names_the_limit_of_memory(self) -> None:
        for limit, signal, named in ((300 << 20, "KILL", True), (None, "KILL", False), (300 << 20, "SEGV", False)):
            for script in (f"kill -{signal} $$", f"sh -c 'kill -{signal} $$'; exit $?"):  # the shell's exit code is 128 + signal
                environment = mock.Mock(cgroup=Cgroup(memory_limit_bytes=limit))
                with mock.patch.object(Ecbench, "environment", return_value=environment), \
                        self.assertRaises(Broken) as caught:
                    run_checked(["sh", "-c", script], Child(), is_ours=False)
                self.assertIn(f"SIG{signal}", str(caught.exception))
                self.assertEqual("300 MiB" in str(caught.exception), named)
