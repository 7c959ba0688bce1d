"""Each column of a row is declared in one place. The schema, JSON, CSV and the table are made from this declaration."""

import collections
import csv
import json
import re

import scene

COMMAND = [scene.ECBENCH, "--plugin", "example", "--parameter", "k=2", "--size", "4K", "--min-time", "0.001", "--limit", "no"]


class Column(scene.Scene):
    def test_is_one_declaration(self):
        declared = collections.Counter(name for path in (scene.SOURCE / "src" / "report").glob("*.cc")
                                       for name in re.findall(r'\.name = "(\w+)"', path.read_text()))
        schema = set(scene.row_schema()["properties"])
        self.assertEqual(declared, collections.Counter(schema))
        row = json.loads(scene.run([*COMMAND, "--format", "json"]).stdout)
        self.assertLessEqual(set(row), schema)
        [line] = csv.DictReader(scene.run([*COMMAND, "--format", "csv"]).stdout.splitlines())
        self.assertLessEqual(set(line), schema)
