"""report --check and --contribute."""

import contextlib
import copy
import functools
import gzip
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from ecbench.documents.document import read
from ecbench.point.point import Point
from ecbench.report import check, program
from ecbench.runfile.header import Environment, machine_of
from ecbench.runfile.run_file import read_run
from ecbench.runfile.summary import shortened
from ecbench.terminal.console import Refused

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))

STORED = sorted((SOURCE / "results").glob("*/*.jsonl.gz"))


def rows(records):
    return [record for record in records if record["record"] == "row"]


def scale(row, factor, *keys):
    row |= {key: row[key] * factor for key in keys}


def first(records):
    return rows(records)[0]


def fail_instead(records):
    row = first(records)
    records[records.index(row)] = {"record": "failure", "id": row["id"], "repetition": row["repetition"], "at": row["at"],
                                   "kind": "timeout", "why": "it took too long"}


def go_above_the_roofline(records):
    for row in rows(records):
        if row["id"] == first(records)["id"]:
            row |= {"limit_gb_per_s": row["gb_per_s"] / 1.2, "limit_percent": 120}


def change_point(records, changed, **of_row):
    """Changes the point of the first row and its rows."""
    old = first(records)["id"]
    entry = next(entry for entry in records[0]["points"] if entry["id"] == old)
    entry["point"] |= changed
    entry["chunk_size"] = of_row.get("chunk_size", entry["chunk_size"])
    entry["id"] = Point.from_json(entry["point"]).id
    for row in rows(records):
        if row["id"] == old:
            plugin = row["plugin"]
            row |= changed | of_row | {"id": entry["id"]}
            row["command"] = row["command"].replace(f"--plugin {plugin}", f"--plugin {row['plugin']}")


def disturb(records):
    row = first(records)
    scale(row, 0.2, "cpu_seconds", "cpu_seconds_per_gb")
    for sample in row["samples"]:
        scale(sample, 0.2, "cpu_seconds")
    row["warnings"] = [{"code": "few_clean_samples", "text": "other programs ran"}]


def shorten(records, **of_header):
    records[:] = [{**records[0], "mode": "contenders", **of_header}, *map(shortened, rows(records)), records[-1]]


def count_each_pattern(records, **more):
    first(records).update(patterns=2, **more)
    scale(first(records), 2, "gb_per_s", "ci_low", "ci_high", "limit_percent", "objects_per_s")
    scale(first(records), 0.5, "ns_per_op", "minimum_ns_per_op", "cpu_seconds_per_gb")


def split_into_stripes(records):
    unit = first(records)["chunk_size"] // 2
    change_point(records, {"stripe_unit": unit}, chunk_size=unit)


def name_the_cpu(records):
    records[0]["environment"]["cpu"]["model_name"] = "AMD EPYC™ 7763 64-Core Processor"
    records[0]["machine"] = vars(machine_of(read(Environment, records[0]["environment"])))


HONEST = (
    ("as it is", lambda run: None),
    ("resumed", lambda run: run.insert(9, {"record": "resumed", "at": run[9]["at"], "environment": run[0]["environment"]})),
    ("stripes", split_into_stripes),
    ("local chunks", lambda run: change_point(run, {"plugin": "lrc"}, m=4, chunk_count=10)),
    ("disturbed", disturb),
    ("each pattern", lambda run: count_each_pattern(run, erasures_generation="exhaustive")),
    ("short rows until 1.0", shorten),
    ("name of a CPU", name_the_cpu),
    ("a version of four numbers", lambda run: run[0]["environment"]["shared_objects"].append(
        {"name": "libibverbs.so.1", "path": "/usr/lib/libibverbs.so.1.14.44.0", "version": "1.14.44.0", "build_id": "ab"})),
)


# A mutation of a run → part of the reason for which it is refused.
DAMAGED = (
    ("a faster sample", lambda run: scale(first(run)["samples"][7], 0.7, "seconds"), "has seconds"),
    ("kernel for other CPUs", lambda run: first(run).update(kernel="XOR AVX512"), "avx512bw"),
    ("no environment", lambda run: run[0].pop("environment"), "environment"),
    ("no CPU flags", lambda run: run[0]["environment"]["cpu"].update(flags=[]), "instruction sets"),
    ("kernel of another plugin", lambda run: first(run).update(kernel="ec_encode_data_avx2"), "not a kernel of plugin jerasure"),
    ("path as a name", lambda run: run[0].update(run="../../evil"), "evil"),
    ("row twice", lambda run: run.insert(2, dict(first(run))), "given twice"),
    ("not a number", lambda run: first(run).update(ci_low=float("nan")), "NaN"),
    ("text in a column", lambda run: first(run).update(sample_iterations="x"), "sample_iterations"),
    ("list in a column", lambda run: first(run).update(ci_confidence_percent=[1]), "ci_confidence_percent"),
    ("kernel in the environment", lambda run: run[0]["environment"]["kernels"].update(isa="quantum"), "not a kernel of plugin isa"),
    ("host in kernel_release", lambda run: run[0]["environment"]["system"].update(kernel_release="6.1-db07.corp"), "identifies"),
    ("path after a colon", lambda run: run[0]["environment"]["argv"].append("PATH=/bin:/home/alice/bin"), "/home/alice"),
    ("user in a key", lambda run: run[0].update({"alice@db07.corp": 1}), "alice@db07.corp"),
    ("user in the environment", lambda run: run[0]["environment"]["system"].update(user="erika"), "user: erika"),
    ("round missing", lambda run: [run.remove(row) for row in rows(run) if row["repetition"] == 1], "fewer rows"),
    ("failure for a row", fail_instead, "measurement failed"),
    ("number for a flag", lambda run: first(run)["samples"][0].update(clean=1), "must be true or false"),
    ("zero", lambda run: first(run).update(gb_per_s=0), "has gb_per_s 0"),
    ("k and m swapped", lambda run: first(run).update(k=first(run)["m"], m=first(run)["k"]), "its point has k="),
    ("above the roofline", go_above_the_roofline, "of the roofline"),
    ("no roofline", lambda run: [row.update(limit_gb_per_s=None, limit_percent=None) for row in rows(run)], "no roofline"),
    ("slug of another CPU", lambda run: run[0]["machine"].update(slug="intel-xeon-family6-model207"), "contradicts"),
    ("not verified", lambda run: first(run).update(verified=False), "not verified"),
    ("missing end", lambda run: run.pop(), "not finished"),
    ("host", lambda run: run[0].update(host="storage17"), "storage17"),
    ("path in a command", lambda run: first(run).update(command=f"/home/alice/ecbench {first(run)['command']}"), "/home/alice"),
    ("another time zone", lambda run: run[0].update(started="2026-11-21 07:00:21+14:00"), "must be a time"),
    ("row after the end", lambda run: run.append(run.pop(-2)), "after the record 'end'"),
    ("unknown workload", lambda run: change_point(run, {"workload": "NAME"}), "'NAME' is not a workload"),
    ("constant bytes", lambda run: first(run).update(fill=88), "constant bytes"),
    ("before the start", lambda run: first(run).update(at="2026-11-21T06:00:00Z"), "before the run"),
    ("nested", lambda run: run[0].update(nested=functools.reduce(lambda inside, _: [inside], range(300))), "nested too deeply"),
    ("chunk size of the header", lambda run: ([one.update(chunk_size=64) for one in run[0]["points"]],
                                              go_above_the_roofline(run)), "of the roofline"),
    ("each pattern counted", count_each_pattern, "has gb_per_s"),
    ("short rows of a new run", lambda run: shorten(run, started="2026-11-27T00:00:00Z"), "has no"),
    ("debug build", lambda run: run[0]["environment"]["ecbench"].update(optimised=False), "optimisation"),
)


class Check(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        source = next(path for path in STORED if path.name.startswith("packetsize") and "amd" in path.parent.name)
        records = [json.loads(line) for line in gzip.decompress(source.read_bytes()).splitlines()]
        points = [*records[0]["points"][:12], next(one for one in records[0]["points"] if one["point"]["plugin"] == "isa")]
        records[0]["points"] = points
        for one in records[0]["environment"]["shared_objects"]:
            one["path"] = pathlib.Path(one["path"]).name
        ids = [one["id"] for one in points]
        cls.records = [records[0], *(row for row in rows(records) if row["id"] in ids), records[-1]]

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench share ")))
        self.path = self.folder / "run.jsonl"

    def write(self, records):
        self.path.write_text("".join(json.dumps(record) + "\n" for record in records))

    def problems(self, records):
        self.write(records)
        return check.problems_of(self.path)

    def test_stored_runs_pass(self):
        self.assertGreaterEqual(len(STORED), 6)
        for path in STORED:
            self.assertEqual(check.problems_of(path), [], path)

    def test_honest_runs_pass(self):
        for name, change in HONEST:
            records = copy.deepcopy(self.records)
            change(records)
            self.assertEqual(self.problems(records), [], name)

    def test_every_column_of_a_row_is_needed(self):
        source = next(path for path in STORED if path.name.startswith("isa-levels"))
        header, row, *_, end = (json.loads(line) for line in gzip.decompress(source.read_bytes()).splitlines())
        header |= {"points": [one for one in header["points"] if one["id"] == row["id"]], "repetitions": 1}
        self.assertEqual(self.problems([header, row, end]), [])
        apart = {"sub_chunk_count", "erasures_generation", "patterns", "unrecoverable", "seed", "call_overhead_ns", "plan_ns"}
        for key, value in row.items():
            changes = [{name: one for name, one in row.items() if name != key}, *([{**row, key: None}] * (value is not None))]
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                changes += [{**row, key: value * 1.01 + 1}, {**row, key: -value - 1}]
            is_needed = value is not None or key in ("fill", "codec_lib", "stripe_unit")
            for changed in changes if is_needed and key not in apart else ():
                self.assertTrue(self.problems([header, changed, end]), (key, changed.get(key)))

    def test_a_row_that_a_second_measurement_replaced_is_checked(self):
        records = copy.deepcopy(self.records)
        first = next(row for row in rows(records))
        again = {**copy.deepcopy(first), "again": True}
        records.insert(records.index(first) + 1, again)
        first["warnings"] = [{"code": "load_average", "text": "busy"}]
        first["k"] = 99
        self.assertTrue(any("99" in problem for problem in self.problems(records)))

    def contribute(self, host="storage17", user="somebody", folder="out"):
        with contextlib.redirect_stdout(io.StringIO()) as said, mock.patch.object(check.platform, "node", lambda: host), \
                mock.patch.object(check.getpass, "getuser", lambda: user), \
                mock.patch.object(sys, "argv", ["report", "--contribute", str(self.path), "--output", str(self.folder / folder)]):
            self.assertEqual(program.report(mock.Mock()), 0)
        return said.getvalue()

    def test_a_host_or_user_with_the_name_of_a_code_or_cpu(self):
        for host, user in (("epyc.lab", "jerasure"), ("encode", "alice"), ("seconds", "ecbench")):
            self.write(self.records)
            self.contribute(host, user, host)
            (written,) = (self.folder / host).rglob("*.gz")
            self.assertEqual(read_run(written).points, read_run(self.path).points)
            self.assertEqual(vars(read_run(written).header.machine), self.records[0]["machine"])

    def test_damaged_runs(self):
        for name, change, words in DAMAGED:
            records = copy.deepcopy(self.records)
            change(records)
            problems = self.problems(records)
            self.assertTrue(any(words in problem for problem in problems), (name, problems))

    def test_private_names_are_removed(self):
        records = copy.deepcopy(self.records)
        records[0] |= {"host": "storage17.example.org", "mode": "sweep",
                       "words": ["grid", "--isal=/home/alice/isa-l", "--repetitions", "2"]}
        records[0]["environment"]["argv"] = ["/home/alice/build/ecbench", "on storage17", "alice@example.org"]
        self.write(records)
        said = self.contribute()
        target = self.folder / "out/amd-epyc-family25-model1" / f"{records[0]['run']}.jsonl.gz"
        text = gzip.decompress(target.read_bytes()).decode()
        for name in ("storage17", "alice", "/home", "example.org"):
            self.assertNotIn(name, text)
            self.assertNotIn(name, said)
        self.assertEqual(check.problems_of(target), [])
        self.assertEqual({key: [row.gb_per_s for row in of] for key, of in read_run(target).rows.items()},
                         {key: [row.gb_per_s for row in of] for key, of in read_run(self.path).rows.items()})
        self.assertIn("--rounds 2`", said)
        self.assertIn(f"results/{target.parent.name}/{target.name}", said)
        self.assertRaises(Refused, self.contribute)  # results are not overwritten

    def test_a_result_has_the_name_of_its_run_and_machine(self):
        name = self.records[0]["run"]
        for place, is_good in ((f"amd-epyc-family25-model1/{name}", True), ("amd-epyc-family25-model1/other", False),
                               (f"intel-xeon-family6-model207/{name}", False)):
            self.path = self.folder / "results" / f"{place}.jsonl"
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.assertEqual(not self.problems(self.records), is_good, place)

    def test_no_run_with_problems_is_written(self):
        records = copy.deepcopy(self.records)
        rows(records)[3]["gb_per_s"] *= 1.02
        self.write(records)
        self.assertRaises(Refused, self.contribute)
        self.assertEqual([path for path in (self.folder / "out").rglob("*") if path.is_file()], [])

    def test_a_path_of_a_library_is_removed_from_the_ids_too(self):
        source = next(path for path in STORED if path.name.startswith("wide"))
        records = [json.loads(line) for line in gzip.decompress(source.read_bytes()).splitlines()[:40]]
        points = [entry for record in records for entry in [*record.get("points", ()), record] if "point" in entry]
        ids: dict[str, str] = {}
        new = {}
        for entry in points:
            if entry["point"].get("codec_lib"):
                entry["point"]["codec_lib"] = f"/root/{entry['point']['codec_lib']}"
                old, entry["id"] = entry["id"], Point.from_json(entry["point"]).id
                new[old] = entry["id"]
        records = [{**record, "id": new.get(record["id"], record["id"])} if "id" in record else record for record in records]
        cleaned = [check.cleaned_record(record, [], ids) for record in records]
        self.assertTrue(ids)
        self.write(cleaned)
        self.assertEqual(len(read_run(self.path).points), len({entry["id"] for entry in points}))
        self.assertEqual([text for text in check.texts_in(cleaned) if check.PRIVATE.search(text)], [])

    def test_kernels(self):
        for plugin, kernel, flags, is_good in (
                ("isa", "ec_encode_data_avx2, xor_gen_avx", ["avx2", "avx"], True),
                ("isa", "ec_encode_data_avx2, xor_gen_avx", ["sse2"], False),
                ("isa", "ec_encode_data_fast", ["avx2"], False),
                ("jerasure", "encode: GF-Complete w=8 times two SSE2, XOR SSE2; decode: GF-Complete w=8 split table 4,8 SSSE3, "
                 "XOR SSE2", ["ssse3"], True),
                ("klauspost", "fftDIT48_gfni, ifftDIT48_gfni, galMulAVX2", ["gfni", "avx2"], True),
                ("klauspost", "fftDIT48_gfni, ifftDIT48_gfni, galMulAVX2", ["avx2"], False),
                ("simd", "GFNI AVX-512", ["gfni", "avx512bw"], True), ("simd", "GFNI AVX-512", ["gfni"], False),
                ("simd", "quantum", ["avx2"], False)):
            self.assertEqual(not list(check.kernel_problems(plugin, kernel, flags)), is_good, kernel)
