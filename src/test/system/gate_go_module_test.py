"""Compares two versions of github.com/klauspost/reedsolomon with `bench.sh gate ab --go-module`. Needs go and, unless Go's module
cache contains both versions, a network. Takes about two minutes."""

import json
import os
import pathlib
import re
import shutil
import unittest

import scene

MODULE = "github.com/klauspost/reedsolomon"
OLD, NEW = "v1.11.0", "v1.12.4"  # OLD does not support the technique leopard_gf8
GRID = "technique=vandermonde,leopard_gf8 k=6 m=2 size=4K workload=encode,decode erasures=1"


@unittest.skipIf(shutil.which("go") is None, "go is not installed")
class GoModule(scene.Scene):
    def gate(self, old: str, new: str, **environment: str) -> scene.Result:
        return scene.ask("gate", "ab", "--go-module", f"{MODULE}@{old}", f"{MODULE}@{new}", "--grid", GRID, "--ecbench",
                         scene.ECBENCH, "--launches", "7", "--pairs", "4", "--json", self.folder / "gate.json", "--markdown",
                         self.folder / "gate.md", env=environment, timeout=1800)

    def test_names_the_versions_and_the_points_that_only_one_version_has(self) -> None:
        result = self.gate(OLD, NEW)
        if result.returncode == 1 and "cannot be fetched" in result.stderr:
            self.skipTest(result.stderr.strip().splitlines()[-1])
        self.assertIn(result.returncode, (0, 3), result.stderr)
        self.assertIn("leopard_gf8", result.stderr, "points that OLD does not support must be reported")
        outcome = json.loads((self.folder / "gate.json").read_text("utf-8"))
        self.assertEqual([outcome[side]["versions"] for side in ("old", "new")],
                         [[f"klauspost/reedsolomon {OLD}"], [f"klauspost/reedsolomon {NEW}"]])
        self.assertEqual([outcome[side]["kind"] for side in ("old", "new")], ["module", "module"])
        files = {thing["path"] for side in ("old", "new") for thing in outcome[side]["shared_objects"]
                 if "klauspost" in thing["name"]}
        self.assertEqual(len(files), 2, "OLD and NEW must have separate plugins")
        self.assertEqual({point["name"] for point in outcome["points"]},
                         {f"klauspost vandermonde 6+2 {workload} of 4 KiB" for workload in ("encode", "decode 1")})
        slower = [point["name"] for point in outcome["points"] if point["verdict"] == "slower"]
        self.assertEqual(result.returncode, 3 if slower else 0)
        rows = {cells[1]: cells[0] for line in result.stdout.splitlines() if len(cells := re.split("  +", line)) > 1}
        for point in outcome["points"]:
            self.assertEqual(rows[point["name"]], point["verdict"])
        markdown = (self.folder / "gate.md").read_text("utf-8").replace("\\", "")
        for text in (result.stdout, markdown):
            self.assertIn(f"OLD: klauspost/reedsolomon {OLD}; NEW: klauspost/reedsolomon {NEW};", text)
        self.assertNotIn("build-gate", markdown)

    def test_refuses_in_one_line(self) -> None:
        no_network = {"GOPROXY": "off", "GOMODCACHE": str(self.folder / "empty"), "GOFLAGS": "-modcacherw"}
        no_go = {"PATH": ":".join(folder for folder in os.environ["PATH"].split(":") if not pathlib.Path(folder, "go").exists())}
        for old, environment, said in (("v1.99.0", {}, "v1.99.0 cannot be fetched"), (OLD, no_network, "cannot be fetched"),
                                       ("v1.9.3", {}, "v1.9.3 cannot be"), (OLD, no_go, "no go is on PATH")):
            if not shutil.which("bash", path=environment.get("PATH")):
                continue  # bash is in the same directory as go, and the gate needs bash
            result = self.gate(old, NEW, **environment)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            lines = [line for line in result.stderr.splitlines() if "building" not in line]
            self.assertEqual(len(lines), 1, result.stderr)
            self.assertIn(said, lines[0])
