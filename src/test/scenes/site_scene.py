"""Writes the site about the stored runs. Its links must have targets, its pages must be small and request nothing, and its figures
must be those of experiments and report."""

import collections
import gzip
import itertools
import json
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import unittest
from urllib.parse import urldefrag

import scene

sys.path[:0] = [str(scene.SOURCE / "scripts"), str(scene.SOURCE / "src/test/scripts")]

import stored_rows
from ecbench.point.point import bytes_text
from ecbench.point.wording import figure_text

RUNS = scene.SOURCE / "results"
MOST_BYTES = 1 << 20
EXTERNAL = re.compile(r"""(?:src|href|action|data|poster)\s*=\s*["']?\s*(?:[a-z]+:)?//|@import|url\(\s*["']?(?!#|data:)""", re.I)
COPIES = 40


@unittest.skipUnless(scene.HAS_PAGES and any(RUNS.glob("*/*.jsonl.gz")), "needs matplotlib, jinja2 and results/")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="ecbench site ")
        cls.addClassCleanup(temporary.cleanup)
        cls.temporary = pathlib.Path(temporary.name)
        cls.folder = cls.temporary / "site"
        cls.done = scene.run(scene.mode("site", cls.folder, "--runs", RUNS))
        cls.pages = {path.name: path.read_text("utf-8") for path in cls.folder.glob("*.html")}

    def test_ends_with_success(self):
        self.assertEqual((self.done.returncode, self.done.stdout), (0, f"{self.folder}/index.html\n"), self.done.stderr)
        kinds = collections.Counter(name.partition("-")[0] for name in self.pages)
        self.assertEqual(kinds["index.html"], 1)
        for kind in ("cpu", "library", "code", "run"):
            self.assertGreaterEqual(kinds[kind], 2, kind)

    def test_links_have_targets_and_every_page_is_linked(self):
        linked = {"index.html"}
        for name, text in self.pages.items():
            ids = set(re.findall(r'id="([^"]+)"', text))
            for target in re.findall(r'href="([^"]*)"', text):
                if target.startswith("data:"):
                    continue
                path, anchor = urldefrag(target)
                self.assertTrue((self.folder / path).is_file() if path else anchor in ids, f"{name}: {target}")
                linked.add(path)
        self.assertLessEqual(self.pages.keys(), linked)

    def test_pages_are_small_and_request_nothing(self):
        for name, text in self.pages.items():
            self.assertLessEqual(len(text.encode()), MOST_BYTES, name)
            self.assertIsNone(EXTERNAL.search(text), name)
            self.assertNotIn("<script", text)

    def test_the_first_page_has_each_k_and_m_for_each_cpu(self):
        """Measured, with the fastest of Ceph's plugins, or with links to k+m that were measured."""
        rows = re.findall(r'<tbody id="([^"]+)-(\d+\+\d+)">(.*?)</tbody>', self.pages["index.html"], re.DOTALL)
        rows, details = ([row for row in rows if row[0].endswith("-object-sizes") == of_size] for of_size in (False, True))
        cpus, shapes = ({row[number] for row in rows} for number in (0, 1))
        self.assertEqual({row[:2] for row in rows}, set(itertools.product(cpus, shapes)))
        self.assertGreaterEqual(len(cpus), 2)
        for cpu, shape, text in rows:
            if "not measured on this CPU" in text:
                self.assertRegex(text, rf'href="#[^"]+-{re.escape(shape)}"')
                self.assertNotIn("±", text)
                continue
            by_size = next(row[2] for row in details if row[:2] == (f"{cpu}-object-sizes", shape))
            if all(plugin in by_size for plugin in ("isa ", "jerasure")):
                self.assertRegex(text, r"<b>(isa|jerasure) [ \w]+</b>: <b>\w+</b>, fastest in \d+ of \d+ cases", (cpu, shape))
            for fastest, cases, rest in re.findall(r"fastest in (\d+) of (\d+) cases(.*?)<small>", text):
                others = sum(int(number) for number in re.findall(r"(?:tied|unclear|slower|inconclusive) in (\d+)", rest))
                self.assertEqual(int(fastest) + others, int(cases), rest)

    def test_raw_files_are_the_stored_runs(self):
        raw = [path.read_bytes() for path in self.folder.glob("runs/*/*.jsonl.gz")]
        stored = [path.read_bytes() for path in RUNS.glob("*/*.jsonl.gz")]
        stored += [gzip.compress(path.read_bytes(), mtime=0) for path in RUNS.glob("*/*.jsonl")]  # of the user
        self.assertGreaterEqual(len(raw), 3)
        self.assertTrue(all(content in stored for content in raw))

    def test_figures_are_those_of_the_runs(self):
        """On the page of simd, each figure is the median of the rounds of a point."""
        expected, found = set(), set()
        for path in self.folder.glob("runs/*/*.jsonl.gz"):
            rows = stored_rows.rows_by_point(path)
            for entry in stored_rows.points_of(path):
                point = entry["point"]
                if point["plugin"] == "simd" and entry["id"] in rows:
                    lost = f", {point['erasures']} lost" if point["workload"] == "decode" else ""
                    figure = figure_text(statistics.median(row["gb_per_s"] for row in rows[entry["id"]]))
                    expected.add((f"{point['profile']['k']}+{point['profile']['m']}", bytes_text(point["size"]),
                                  f"{point['workload']}{lost}, {point['cache']}", figure))
        for line in re.findall(r"<tr>(<td>\d+\+.*)", self.pages["library-simd.html"]):
            shape, size, case, _, speed, *_ = line.removeprefix("<td>").split("<td>")
            found.add((shape, size, case, re.split(r"[!\s]", speed)[0]))
        self.assertGreater(len(found), 100)
        self.assertLessEqual(found, expected)

    def test_many_cpus_make_no_large_page(self):
        """The run of one CPU is copied to COPIES CPUs."""
        source = next(RUNS.glob("*/packetsize-*.jsonl.gz"))
        header, *rest = gzip.decompress(source.read_bytes()).splitlines(keepends=True)
        folder = self.temporary / "many"
        folder.mkdir()
        for number in range(COPIES):
            record = json.loads(header)
            record["environment"]["cpu"]["model"] = number
            record["machine"]["slug"] = re.sub(r"model\d+", f"model{number}", record["machine"]["slug"])
            (folder / f"{number}.jsonl").write_bytes(json.dumps(record).encode() + b"\n" + b"".join(rest[:60]))
        site = self.temporary / "site of many"
        done = scene.run(scene.mode("site", site, "--runs", folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(site.glob("cpu-*.html"))), COPIES)
        for page in site.glob("*.html"):
            self.assertLessEqual(page.stat().st_size, MOST_BYTES, page.name)

    def test_writes_again_but_not_into_directories_of_others(self):
        folder = self.temporary / "again"
        runs = self.temporary / "one"
        runs.mkdir(exist_ok=True)
        shutil.copy(next(RUNS.glob("*/packetsize-*.jsonl.gz")), runs)
        for _ in range(2):
            self.assertEqual(scene.run(scene.mode("site", folder, "--runs", runs)).returncode, 0)
        other = self.temporary / "other"
        other.mkdir()
        (other / "index.html").write_text("mine")
        self.assertEqual(scene.run(scene.mode("site", other, "--runs", runs)).returncode, 1)
        self.assertEqual((other / "index.html").read_text(), "mine")
        empty = self.temporary / "empty"
        empty.mkdir()
        self.assertEqual(scene.run(scene.mode("site", self.temporary / "new", "--runs", empty)).returncode, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
