"""Run files."""

import gzip
import json
import pathlib
import tempfile
import unittest
from unittest import mock

from ecbench.point.point import make_point
from ecbench.runfile import header as header_module
from ecbench.runfile import run_file
from ecbench.runfile.header import paths_of, slug_of, stem_of
from ecbench.runfile.run_file import RunWriter, read_mode, read_run
from ecbench.terminal.console import Refused
from synthetic_libraries import ENVIRONMENT, MACHINE

POINTS = [make_point("isa", {"k": str(k), "m": "2"}, "encode", 4096, 0) for k in (4, 6)]


def header():
    entries = [{"id": point.id, "point": point.to_json(), "chunk_size": 1024, "padding_percent": 0.0} for point in POINTS]
    return {"run": "test", "grid": "", "seed": 1, "repetitions": 2, "order": "random", "options": {"min_time": 0.1},
            "started": "2026-11-21T05:00:00Z", "environment": ENVIRONMENT, "machine": MACHINE, "points": entries, "dropped": [],
            "merged": 0}


class RunFile(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "folder" / "run.jsonl"

    def write(self, *records):
        writer = RunWriter.create(self.path, header())
        self.addCleanup(writer.close)
        for record in records:
            writer.append(**record)
        return writer

    def row(self, point=0, repetition=0, **more):
        return {"record": "row", "id": POINTS[point].id, "repetition": repetition, "at": "2026-11-21T05:00:00Z", "gb_per_s": 1.5,
                "drift_percent": None, "drift_floor_percent": None, "limit_gb_per_s": None, "limit_percent": None,
                "cpu_seconds_per_gb": 0.1, "samples": [{"placement": 0, "seconds": 0.01}], **more}

    def failure(self, point=0, repetition=0, kind="signal"):
        return {"record": "failure", "id": POINTS[point].id, "repetition": repetition, "kind": kind, "why": "it ended",
                "at": "2026-11-21T05:00:00Z"}

    def assert_refused(self, *words, path=None):
        with self.assertRaises(Refused) as caught:
            read_run(path or self.path)
        for word in (str(path or self.path), *words):
            self.assertIn(word, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_what_is_written_is_read(self):
        self.write(self.row(0), self.failure(1), self.row(0, 1), self.row(1, 1), {"record": "end"})
        run = read_run(self.path)
        self.assertEqual(list(run.points.values()), POINTS)
        self.assertEqual([row.repetition for row in run.rows[POINTS[0].id]], [0, 1])
        self.assertEqual(run.failures[POINTS[1].id][0].kind, "signal")
        self.assertEqual((run.finished, len(run.done()), run.total()), (True, 4, 4))

    def test_no_text_has_control_characters(self):
        """One could forge lines of YAML, of a table or on a terminal; the JSON can also contain it without an escape."""
        self.write(self.row(host="node", codec_libraries={"lib": {}}))
        good = self.path.read_text()
        for text in ("reed_sol_van\n---\nkind: Pod", "a\x1b[2J", "a\tb", "a\x7f", "a\x9b1m", "a\u2028b", "a\u202eb"):
            for place in ('"encode"', '"k"', '"isa"', '"AMD EPYC"', '"random"', '"node"', '"lib"'):
                for plain in (True, False):
                    self.path.write_text(good.replace(place, json.dumps(text, ensure_ascii=plain), 1), "utf-8")
                    self.assert_refused("without control characters")

    def test_a_line_that_could_not_be_read_is_not_written(self):
        with mock.patch.object(run_file, "MOST_BYTES_OF_LINE", 100), self.assertRaisesRegex(Refused, "the limit for a line"):
            self.write()

    def test_a_cut_off_last_line_is_refused_or_dropped(self):
        self.write(self.row(0), self.row(1))
        text = self.path.read_bytes()
        for cut in (1, 2, 20):
            self.path.write_bytes(text[:-cut])
            if cut > 1:  # with cut=1, only the newline is missing
                self.assert_refused("line 3", "cut off", "--resume")
            run = read_run(self.path, drop_cut_off=True)
            writer = RunWriter.resume(self.path)
            if (POINTS[1].id, 0) not in run.done():
                writer.append(**self.row(1))
            writer.append("end")
            writer.close()
            self.assertEqual((len(read_run(self.path).done()), read_run(self.path).finished), (2, True))

    def compressed(self, data, name="run.jsonl.gz"):
        path = self.path.with_name(name)
        path.write_bytes(data)
        return path

    def test_a_compressed_run_is_read_whatever_its_name(self):
        self.write(self.row(), self.row(1))
        plain = read_run(self.path)
        data = gzip.compress(self.path.read_bytes())
        for path in (self.compressed(data), self.compressed(data, "other.jsonl"), self.compressed(gzip.decompress(data))):
            self.assertEqual((read_run(path).header, read_run(path).rows), (plain.header, plain.rows))
            self.assertEqual(read_mode(path), "run")
        two_parts = self.compressed(b"".join(map(gzip.compress, self.path.read_bytes().splitlines(keepends=True))))
        self.assertEqual(read_run(two_parts).rows, plain.rows)

    def test_a_damaged_compressed_run_is_refused(self):
        self.write(self.row(), self.row(1))
        data = gzip.compress(self.path.read_bytes())
        wrong_sum, wrong_data = data[:-8] + bytes(8), data[:40] + bytes(byte ^ 255 for byte in data[40:80]) + data[80:]
        for bad, words in ((data[:-20], "cut off"), (data[:5], "cut off"), (wrong_sum, "cannot be decompressed"),
                           (wrong_data, "cannot be decompressed"), (data + b"more", "cannot be decompressed"), (b"", "empty"),
                           (gzip.compress(b""), "empty")):
            self.assert_refused("run.jsonl.gz", words, path=self.compressed(bad))

    def test_a_large_file_is_refused_before_it_is_read_completely(self):
        self.write({**self.row(), "text": "x" * 1000}).append("end")
        header_size = len(self.path.read_bytes().splitlines(keepends=True)[0])
        data = self.path.read_bytes() + b'{"record":"resumed"}' * 100000
        for name, content in (("run.jsonl", data), ("run.jsonl.gz", gzip.compress(data))):
            for limit, value, words in (("MOST_BYTES", header_size + 100, "the limit for a run file"),
                                        ("MOST_BYTES_OF_LINE", header_size, "the limit for a line"),
                                        ("MOST_VALUES", 1000, "JSON values")):
                with mock.patch.object(header_module, limit, value):
                    self.assert_refused(name, words, path=self.compressed(content, name))
        run = self.path.read_bytes()
        for content in (b"\n" * 10**7, run + b"\n" * 10**7, run + b'{"record":"end"}\n' * 10**6):
            with mock.patch.object(run_file, "read_json", side_effect=run_file.read_json) as parsed:
                self.assert_refused("run.jsonl", "", path=self.compressed(content))
            self.assertLessEqual(parsed.call_count, 4)

    def test_the_results_of_stages_are_no_figures(self):
        writer = RunWriter.create(self.path, {**header(), "mode": "tune", "points": []})
        writer.append("end", at="2026-11-21T05:00:00Z")
        writer.close()
        self.assertRaisesRegex(Refused, "no planned points", run_file.read_planned_run, self.path)

    def test_a_run_is_written_uncompressed(self):
        self.assertRaisesRegex(Refused, r"run.jsonl.gz is not allowed: .*/run[.]jsonl$", RunWriter.create,
                               self.path.with_name("run.jsonl.gz"), header())
        self.assertFalse(self.path.parent.exists())

    def test_the_runs_of_a_folder_are_named_once(self):
        self.write(self.row())
        compressed = self.compressed(gzip.compress(self.path.read_bytes()), "other.jsonl.gz")
        self.compressed(compressed.read_bytes())
        self.assertEqual(paths_of([self.path.parent.parent]), [compressed, self.path])
        self.assertEqual([stem_of(path) for path in paths_of([self.path.parent])], ["other", "run"])

    def test_what_is_no_run_is_refused(self):
        self.assert_refused("No such file", path=self.path.parent / "absent")
        self.write()
        first = self.path.read_text()
        other = json.dumps({"record": "resumed", "environment": {**ENVIRONMENT, "cpu": {**ENVIRONMENT["cpu"], "model": 2}}}) + "\n"
        moved = first.replace(POINTS[0].id, "0" * 12)
        for text, *words in (("", "empty"), ("no\n", "line 1", "not JSON"), ("[]\n", "line 1", "not a run"),
                             ('{"a":1}\n', "line 1", "not a run"), (first[:-9], "line 1"),
                             (first + "no\n" + first, "line 2", "not JSON"),
                             (first.replace("ecbench run 2", "ecbench run 9"), "format"), (first + first, "line 2", "second run"),
                             (first + other, "line 2", "two machines"), (moved, "line 1", "id"),
                             (first + '{"record":"x"}\n', "'x'"), (first.replace('"run":"test"', '"run":"a/../x"'), "line 1", "/"),
                             (first.replace('"seed":1,', ""), "line 1"), (first + "[]\n", "line 2"), ("\x00" * 9, "line 1")):
            self.path.write_text(text)
            self.assert_refused(*words)

    def test_rows_that_are_not_of_this_run_are_refused(self):
        for record, words in (({**self.row(), "id": "x"}, "must not be mixed"), (self.row(repetition=2), "repetition"),
                              (self.row(gb_per_s="1"), "gb_per_s"), (self.row(samples=[]), "samples"),
                              (self.row(at=None), "time"), (self.failure(kind="odd"), "odd")):
            self.write(record)
            self.assert_refused("line 2", words)
            self.path.unlink()
        self.write(self.row(), self.failure())
        self.assert_refused("line 3", "twice")


class Machine(unittest.TestCase):
    def test_slugs(self):
        for name, family, model, slug in (("AMD EPYC", 25, 1, "amd-epyc-family25-model1"), ("../..", None, None, "machine"),
                                          ("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", 6, 106,
                                           "intel-xeon-platinum-8375c-family6-model106")):
            self.assertEqual(slug_of(name, family, model), slug)
