"""A column that is declared in one place is in the table, in CSV, in JSON, in the schema and in the table of the docs. The test
adds a declaration to a copy of src/report, and compiles the copy."""

import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys

import scene

REPORT = scene.SOURCE / "src" / "report"
BEFORE = '      {.name = "ns_per_op",'
ADDED = """      {.name = "toys",
       .type = whole(),
       .meaning = "Number of toys.",
       .value = [](const Row&) -> Json { return 7; },
       .table = {.place = 15, .title = "toys", .brief = "toys in a box"}},
"""
# The room report without the parts that do not print rows, and a program that prints a row in each format.
PROGRAM = """
#include <iostream>
#include "append.cc"
#include "ceph.cc"
#include "codec_libraries_json.cc"
#include "columns.cc"
#include "csv.cc"
#include "figure_columns.cc"
#include "home.cc"
#include "json.cc"
#include "point_columns.cc"
#include "read_cost_json.cc"
#include "reporter.cc"
#include "row_json.cc"
#include "table.cc"

int main() {
  ecbench::Row row;
  row.command = "ecbench";
  std::cout << ecbench::row_schema() << '\\n';
  for (const char* format : {"table", "csv", "json"}) ecbench::make_reporter(format, false)->print(row, std::cerr);
}
"""


class Column(scene.Scene):
    def test_a_new_column_is_one_declaration(self):
        copy = self.folder / "src" / "report"
        shutil.copytree(REPORT, copy)
        file = copy / "figure_columns.cc"
        before = file.read_text()
        self.assertEqual(before.count(BEFORE), 1)
        file.write_text(before.replace(BEFORE, ADDED + BEFORE))
        (copy / "program.cc").write_text(PROGRAM)
        program = self.folder / "build" / "ecbench"
        program.parent.mkdir()
        libraries = [str(path) for path in scene.BUILD.rglob("*.a") if path.name != "libreport.a"]
        folders = [word for folder in (self.folder, scene.SOURCE, scene.BUILD) for word in ("-I", folder / "src")]
        sanitizers = ["-fsanitize=address,undefined"] if scene.is_sanitized() else []
        subprocess.run(["g++", "-std=c++20", "-O0", *sanitizers, *folders, copy / "program.cc", "-o", program,
                        "-Wl,--start-group", *libraries, "-Wl,--end-group", "-ldl", "-lelf", "-lcrypto", "-rdynamic"], check=True)
        printed = scene.run([program])
        table, csv_lines, row = self.formats(printed.stderr)
        self.assertEqual(table["toys"], "7")
        self.assertEqual(csv_lines["toys"], "7")
        self.assertEqual(row["toys"], 7)
        schema = json.loads(printed.stdout)
        self.assertEqual(schema["properties"]["toys"], {"description": "Number of toys.", "type": "integer", "minimum": 0})
        self.assertIn("toys", schema["required"])
        self.assertIn("| `toys` | toys in a box |", self.page())

    def formats(self, text):
        lines = text.splitlines()
        table = dict(zip(lines[0].split("\t"), lines[1].split("\t"), strict=True))
        [values] = csv.DictReader(io.StringIO("\n".join(lines[2:4])))
        return table, values, json.loads(lines[4])

    def page(self):
        """docs/results.md of the copy, after its update."""
        scripts = self.folder / "scripts"
        shutil.copytree(scene.SOURCE / "scripts", scripts, ignore=shutil.ignore_patterns("__pycache__"))
        docs = self.folder / "results.md"
        docs.write_text("<!-- columns -->\n<!-- end -->\n")
        subprocess.run([sys.executable, scripts / "samples.py", docs], check=True)
        return pathlib.Path(docs).read_text().splitlines()


if __name__ == "__main__":
    scene.main()
