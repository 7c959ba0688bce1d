"""A function must get its own name or no name, but never the name of another function. The name comes from a symbol with a size,
from an assembler symbol without a size, or from a function pointer in the code's gf_t (structure of a Galois field)."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from ecbench.profile import hotspot_table
from ecbench.profilers.formats import Costs
from ecbench.symbols.elf import Elf, Function, NotElf, Resolver

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
        resolver = Resolver()
        extents = [end for begin, end in Elf(self.whole).extents if begin == self.address["exported_before"]]
        self.assertEqual(len(extents), 1)
        function = resolver.function(str(self.whole), extents[0])
        self.assertNotEqual(function.name, "exported_before")

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
    def classify(self, library, name):
        return hotspot_table.class_of(Function(name, library, ""), hotspot_table.read_rules())

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
                ("ecbench", "ecbench::Profilers::enter", "harness"), ("libec_isa.so", "ecbench::isa::IsaCode::encode", "harness"),
                ("libfoo.so", "gf_multby_one", "other")):
            with self.subTest(name):
                self.assertEqual(self.classify(library, name), kind)

    def test_unknown_functions_of_libraries_have_the_class_other(self):
        for library in ("libgf_complete.so.1", "libJerasure.so.2", "libisal.so.2", "libc.so.6"):
            self.assertEqual(self.classify(library, "a_function_that_nobody_knows"), "other")

    def test_every_class_has_a_phrase(self):
        with open(hotspot_table.RULES, encoding="utf-8") as rules:
            named = {line.split()[0] for line in rules if line.strip() and not line.startswith("#")}
        self.assertEqual(named | {"other"}, set(hotspot_table.PHRASES))


class Table(unittest.TestCase):
    def setUp(self):
        costs = Costs("Ir")
        costs.at.update({("/n/liba.so", 1): 30, ("/n/liba.so", 2): 10, ("", 0): 60})
        self.costs = costs
        self.rows = hotspot_table.make_rows(costs, Resolver(), hotspot_table.read_rules())

    def test_rows_are_in_order_and_add_up(self):
        self.assertEqual([(row.rank, row.self_percent, row.cumulative_percent, row.count) for row in self.rows],
                         [(1, 60, 60, 60), (2, 30, 90, 30), (3, 10, 100, 10)])

    def test_text_says_what_it_leaves_out(self):
        lines = hotspot_table.table_lines(self.rows, "Ir", 2)
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[-1].startswith("functions not shown: 1, 10.00 % together"))

    def test_classes_add_up_and_have_sentences(self):
        percents = {"other": 2.9, "table-lookup": 97.1, "harness": 0.0, "memcpy": 0.0}
        self.assertEqual(hotspot_table.sentences(percents, "Ir"),
                         ["2.9 % of Ir in other functions", "97.1 % of Ir in table lookups", "0.0 % of Ir in the harness"])
        self.assertAlmostEqual(sum(hotspot_table.shares(self.rows).values()), 100)
