#!/usr/bin/python3 -Es
"""pictures.py: writes the pictures of README.md and docs/ from stored runs, with the specifications of the page. --check only
compares their texts and bars with those that are stored."""

import pathlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import launch
from ecbench.documents.document import Json
from ecbench.page import charts
from ecbench.page.block import Chart
from ecbench.page.points import BARS, Runs
from ecbench.process.process import Child
from ecbench.runfile.run_file import read_run
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"
EPYC, XEON = (ROOT / "results" / name for name in ("amd-epyc-family25-model17", "intel-xeon-family6-model207"))
WIDTH = 800  # pixels
ENCODE = {"size": 131072, "workload": "encode", "cache": "warm", "options": ""}


def panel(path: pathlib.Path, title: str, chosen: Mapping[str, Any], block: str = "points", chart: Chart = BARS) -> Json:
    """A chart of a run, without configuration. `chosen`: the filters."""
    found = getattr(Runs([read_run(path)]), block)()
    made = charts.picture(found, chart, found.shown(chosen), WIDTH - 330 if chart is BARS else WIDTH)
    return {**{key: value for key, value in made.items() if key not in ("config", "autosize")},
            "title": {"text": title, "anchor": "start"}}


def libraries() -> Json:
    """Each library of the EPYC's runs, and each code of a share run."""
    return {"vconcat": [
        panel(EPYC / "libraries-small.jsonl.gz", "AMD EPYC 9004: 8+3", {**ENCODE, "shape": "8+3"}),
        panel(EPYC / "wide.jsonl.gz", "AMD EPYC 9004: 16+4", {**ENCODE, "shape": "16+4"}),
        panel(XEON / "share-2026-11-26-175820.jsonl.gz", "Intel Xeon (Emerald Rapids): 8+3", {**ENCODE, "shape": "8+3"})],
        "resolve": {"scale": {"x": "independent", "y": "independent"}}}


def packetsizes() -> Json:
    found = Runs([read_run(XEON / "packetsize-2026-11-22-022228.jsonl.gz")]).sweep()
    return panel(XEON / "packetsize-2026-11-22-022228.jsonl.gz", "Intel Xeon (Emerald Rapids): 6+2, encode of 1 MiB, warm",
                 {"size": 1 << 20, "workload": "encode"}, "sweep", found.charts[0])


PICTURES: Mapping[str, Callable[[], Json]] = {"libraries.svg": libraries, "report.svg": packetsizes}


def drawn(make: Callable[[], Json]) -> str:
    return charts.svg({**make(), "config": charts.config(is_dark=False), "background": "white", "padding": 10}) + "\n"


def facts(svg: str) -> list[str]:
    """The texts of a picture. Fonts change positions, not texts."""
    return sorted(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def program(parser: Parser, _child: Child) -> int:
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a picture is not current")
    arguments = parser.parse_args()
    for name, make in PICTURES.items():
        path, found = IMAGES / name, drawn(make)
        if not arguments.check:
            path.write_text(found, "utf-8")
        elif not path.is_file() or facts(path.read_text("utf-8")) != facts(found):
            raise Refused(f"{path} is not current; write it with make pictures")
    return 0


if __name__ == "__main__":
    launch.run(__doc__, program, runs_others=False)
