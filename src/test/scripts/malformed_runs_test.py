"""Changes each value of a run file, one at a time. Each mode that reads the file must accept it or refuse it with a message."""

import contextlib
import io
import json
import math
import pathlib
import pickle
import random
import sys
import tempfile
import unittest
from unittest import mock

import synthetic_fleet
import synthetic_run
from ecbench.experiment.running import print_summary
from ecbench.fleet.collection import collect
from ecbench.fleet.report import page_of
from ecbench.page import ratios
from ecbench.page.block import markdown, print_page
from ecbench.page.html import data_of
from ecbench.page.points import Runs
from ecbench.point.point import Point
from ecbench.process.process import UNEXPECTED
from ecbench.report import check
from ecbench.runfile.run_file import read_run
from ecbench.terminal.console import Refused
from synthetic_libraries import ENCODE, times, write_run

WRONG = [None, True, [1], {"a": 1}, "", "a\x1b[2Jb\n\ud800", 0, -5.5, 1e-300, 10**400, math.nan, math.inf]
MISSING = object()  # with this value, changed() removes the key


def places(value, path=()):
    """The paths of `value` and of all values in it; only of the first item of a list."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def copy_of(value):
    """Several times as fast as copy.deepcopy."""
    return pickle.loads(pickle.dumps(value))


def changed(record, path, value):
    record = copy_of(record)
    if not path:
        return value
    at = record
    for key in path[:-1]:
        at = at[key]
    if value is MISSING:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return record


def with_ids(records):
    """Updates the ids, which are computed from the points: a wrong id would be refused before all other checks."""
    lists = [record["points"] for record in records if isinstance(record, dict) and isinstance(record.get("points"), list)]
    for entry in (entry for entries in lists for entry in entries):
        try:
            identity = Point.from_json(entry["point"]).id
        except UNEXPECTED:
            continue
        for record in records:
            if isinstance(record, dict) and record.get("id") == entry["id"]:
                record["id"] = identity
        entry["id"] = identity
    return records


OPTIONS = {"size": 4096, "stripe_unit": None, "cache": "warm", "threads": 1, "timing": "kernel", "dispatch": "native"}
OTHER_POINT = synthetic_run.make_point("isa", {"k": "4", "m": "2"}, {**OPTIONS, "workload": "encode", "erasures": 0})


class Malformed(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench malformed ")))
        self.path = self.folder / "run.jsonl"
        self.enterContext(mock.patch("os.fsync"))  # fsync is slow, and thousands of runs are resumed

    def each_change(self, records):
        """Writes a file for each change, and yields a description. Of several records of a kind, only the first is changed."""
        kinds = [(record["record"], *(key for key in ("stage", "again") if key in record)) for record in records]
        for number in sorted(map(kinds.index, set(kinds))):
            for path in places(records[number]):
                for value in [*WRONG, *([MISSING] if path and isinstance(path[-1], str) else [])]:
                    new = [*records[:number], changed(records[number], path, value), *records[number + 1:]]
                    if isinstance(new[number], dict) and path[-1:] != ("id",):
                        new = with_ids(copy_of(new))
                    self.path.unlink(missing_ok=True)  # ext4 waits for the disk if a file is truncated and written again
                    self.path.write_text("\n".join(map(json.dumps, new)) + "\n", encoding="utf-8")
                    yield f"line {number + 1}, {path} = {str(value)[:40]}"

    def take_or_refuse(self, what, read):
        """Whether the reader accepted the run."""
        try:
            with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")), \
                 contextlib.redirect_stderr(io.StringIO()):
                read()
        except Refused as refusal:
            self.assertTrue(str(refusal), what)
            return False
        except UNEXPECTED as error:
            raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
        return True

    def test_of_a_run(self):
        profile = {"k": "4", "m": "2", "technique": "cauchy_good", "w": "8"}
        wanted = [synthetic_run.make_point("jerasure", {**profile, "packetsize": size},
                                           {**OPTIONS, "workload": "decode", "erasures": 1}) for size in ("512", "3072")]
        good = self.folder / "good.jsonl"
        synthetic_run.write_run(good, wanted, 2)
        records = [json.loads(line) for line in good.read_text().splitlines()]
        for record in records:
            if record["record"] == "row":
                record["samples"] = record["samples"][::8]
        environment = synthetic_run.environment()
        records[0]["options"] |= {"timeout": 120.0, "cpus": [0]}
        records[0]["dropped"] = [{"why": "k=9 is not allowed", "count": 1, "example": "isa k=9"}]
        failure = {"record": "failure", "id": records[-2]["id"], "repetition": records[-2]["repetition"],
                   "at": synthetic_run.STARTED, "kind": "failed", "why": "exit code 3", "exit_code": 3, "command": "ecbench"}
        resumed = {"record": "resumed", "at": synthetic_run.STARTED, "environment": environment}
        stage = {**records[1], "id": OTHER_POINT.id, "stage": "first"}
        again = {**records[1], "again": True, "warnings": [{"code": "cpu_taken", "text": "another program had the CPU"}]}
        point = {"record": "point", "id": stage["id"], "point": OTHER_POINT.to_json()}
        records = [*records[:2], *records[3:-2], resumed, failure, point, stage, again]
        other = read_run(good)
        taken = 0
        for what in self.each_change(records):
            taken += self.take_or_refuse(what, lambda: self.read_a_run(other))
        self.assertGreater(taken, 100)

    def read_a_run(self, other):
        run = read_run(self.path)
        print_summary(run)
        found = Runs([run, other]).page("report", ratios.page_of("report", [run, other], "AB"))
        print_page(found, sys.stdout)
        markdown(found, "")
        json.dumps(found.document())
        data_of(found)
        self.assertIsInstance(check.problems_of(self.path), list)

    def test_of_a_fleet(self):
        """Only the environment is changed. If the file cannot be used, only this file is rejected."""
        stored = synthetic_fleet.Stored()
        for host in ("good", "bad"):
            synthetic_fleet.write_host(self.folder, host, stored.records(host, stored.ids(1), random.Random(host)))
        path = self.folder / "bad" / "run.jsonl"
        header, *rest = path.read_bytes().splitlines(keepends=True)
        record = json.loads(header)
        for place in places(record["environment"]):
            for value in (1e308, ["a\x1b"]):
                path.write_bytes(b"".join([json.dumps(changed(record, ("environment", *place), value)).encode() + b"\n", *rest]))
                self.assertTrue(self.take_or_refuse(place, self.report_fleet))

    def report_fleet(self):
        page = page_of(*collect(self.folder))
        self.assertIn("good", page.blocks[4].rows[0].hosts)
        json.dumps(page.document())
        print_page(page, io.StringIO())
        data_of(page)

    def test_of_libraries(self):
        good = self.folder / "good.jsonl"
        speeds = {"isa": 10.0, "jerasure XOR": 8.0, "limit": 20.0}
        write_run(good, {(ENCODE, name): times(speed, 2) for name, speed in speeds.items()}, 2)
        records = [json.loads(line) for line in good.read_text().splitlines()]
        records = [records[0], *records[1:4:2], *records[2:5:2], *records[5:]]
        plan = {"record": "plan", **{key: records[0].pop(key) for key in ("points", "tried")}}
        records = [{**records[0], "mode": "contenders", "words": ["--shapes", "6+2"], "points": []}, plan, *records[1:]]
        taken = 0
        for what in self.each_change(records):
            taken += self.take_or_refuse(what, lambda: print_summary(read_run(self.path)))
        self.assertGreater(taken, 100)
