"""Makes the HTML page of blocks: one file that needs no other."""

import base64
import dataclasses
import gzip
import json
import os
import pathlib
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from ecbench.documents.document import Json, to_json
from ecbench.files.files import check_apart, check_replaceable, write
from ecbench.installation.places import FRONT
from ecbench.page import charts
from ecbench.page.block import Block, Kind, Page
from ecbench.page.charts import NoPage
from ecbench.terminal.console import Refused, say

FOLDER = pathlib.Path(__file__).parent
STATIC_ROWS = 150  # of the tables, if the reader has no scripts
STATIC_WIDTH = 350  # pixels; the chart for phones, which larger screens enlarge
DIGITS = 6  # significant
# The parts of each chart. A part is named below the chart if a drawn row has a value in this column; x: has none.
LEGENDS = {
    Kind.BARS: {"Bar: the median.": "", "Thin line: its 95 % interval.": "low", "Thick mark: the roofline.": "limit"},
    Kind.RATIOS: {"Point: the ratio of the speeds.": "", "Line: its 95 % interval.": "low", "Dashed: equal speed.": ""},
    Kind.LINES: {"Band: 95 % intervals.": "low", "Dashed level: a code without this parameter.": "x",
                 "Dotted: the roofline.": "limit"},
    Kind.HEAT: {"Brighter is faster. If several rows share a cell, it shows the fastest.": ""},
    Kind.SCATTER: {"Filled: no other is better in everything. Ring: the recommendation.": ""}}


def text_of(page: Page, path: pathlib.Path | None = None) -> str:
    """`path`: of the page; links to the runs are relative to it. Throws charts.NoPage."""
    parts = {
        "mode": escaped(page.mode), "title": escaped(f"{page.mode}: {page.title}"), "css": part("page.css"),
        "script": part("page.js"), "answer": escaped(page.answers[0] if page.answers else page.title),
        "verdicts": "".join(map(paragraph, page.answers[1:])), "note": paragraph(page.note, "how"), "contents": contents(page),
        "void": troubles(page) if page.is_void else "", "troubles": "" if page.is_void else troubles(page),
        "blocks": "\n".join(section(number, block) for number, block in enumerate(shown(page))),
        "facts": table(page.environment, page.environment.rows, "Environment"), "files": files(page, path),
        "data": packed(gzip.compress(json.dumps(data_of(page), separators=(",", ":")).encode(), mtime=0)),
        "library": packed(charts.javascript())}
    return re.sub("@([a-z]+)@", lambda found: parts[found[1]], part("page.html"))


def shown(page: Page) -> list[Block]:
    return [block for block in page.blocks if block.rows]


def contents(page: Page) -> str:
    """Links to the sections."""
    warnings = len(page.warnings)
    names = [*((f"block{number}", block.title) for number, block in enumerate(shown(page))),
             *([("warnings", f"Warnings ({warnings})")] if warnings else []), ("made", "How it was made")]
    return " ".join(f'<a href="#{name}">{escaped(title)}</a>' for name, title in names)


def part(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def escaped(value: object) -> str:
    return escape(str(value))


def paragraph(text: str, style: str = "") -> str:
    return f'<p class="{style}">{escaped(text)}</p>\n' if text else ""


def packed(content: bytes) -> str:
    return base64.b64encode(content).decode()


def section(number: int, block: Block) -> str:
    return (f'<section class="block" id="block{number}">\n<h2>{escaped(block.title)}</h2>\n{paragraph(block.answer, "answer")}'
            f'{paragraph(block.how, "how")}<noscript>{static(block)}</noscript>\n</section>')


def static(block: Block) -> str:
    """A chart and a table for readers without scripts, with the rows that page.js would show at first."""
    rows, found = block.shown(), ""
    if block.charts and rows:
        drawn = charts.svg(charts.picture(block, block.charts[0], rows, STATIC_WIDTH, is_narrow=True))
        found = f"<figure>{drawn}</figure>"
    rows += [row for row in block.rows if row not in rows] if len(block.rows) <= STATIC_ROWS else []
    more = len(block.rows) - len(rows[:STATIC_ROWS])
    return found + table(block, rows[:STATIC_ROWS]) + paragraph(f"{more} more rows are shown with JavaScript." * bool(more))


def table(block: Block, rows: Sequence[Any], name: str = "") -> str:
    """`name`: for screen readers, if page.js does not replace it."""
    def line(tag: str, texts: Sequence[str]) -> str:
        return "<tr>" + "".join(f'<{tag} class="{style}">{escaped(text)}' for style, text in zip(styles, texts, strict=True))

    styles = [column.style for column in block.table.values()]
    heads, *lines = block.lines(rows)
    label = f' tabindex="0" role="region" aria-label="{name}"' if name else ""
    return (f'<div class="box"{label}><table><thead>{line("th", heads)}</thead><tbody>'
            f'{"".join(line("td", one) for one in lines)}</tbody></table></div>') if lines else ""


def troubles(page: Page) -> str:
    lists = [(f"<h3>{escaped(heading)}</h3>" if heading else "") + "<ul>" + "".join(f"<li>{escaped(line)}</li>" for line in found)
             + "</ul>" for heading, found in page.troubles if found]
    head = '<section class="troubles" id="warnings" aria-label="Warnings"><h2>Warnings</h2>'
    return f'{head}{"".join(lists)}</section>' if lists else ""


def files(page: Page, path: pathlib.Path | None) -> str:
    if not page.files:
        return ""
    folder = path.resolve().parent if path else pathlib.Path.cwd()
    relative = ((file, os.path.relpath(file.resolve(), folder).encode(errors="surrogateescape")) for file in page.files)
    links = (f'<a href="./{escaped(quote(place))}">{escaped(file.name)}</a>' for file, place in relative)
    return f'<p>Raw data: {", ".join(links)}</p>'


def data_of(page: Page) -> Json:
    return {"configs": [charts.config(is_dark) for is_dark in (False, True)], "blocks": list(map(data_of_block, shown(page)))}


def data_of_block(block: Block) -> Json:
    names = block.columns
    in_table = [name for name, column in block.table.items()
                if not column.is_filter or len({getattr(row, name) for row in block.rows}) > 1]
    first = [block.label, *(name for name in in_table if names[name].is_early), *(one.x for one in block.charts if one.x)]
    return {
        "columns": [{"key": name, "title": column.title, "what": column.what, "form": column.form, "style": column.style,
                     "filter": column.is_filter, "tip": not column.is_hidden,
                     "of": [shortened(getattr(row, name)) for row in block.rows]} for name, column in names.items()],
        "charts": [{**to_json(chart), "far": charts.FAR.get(chart.kind), "legend": list(LEGENDS[chart.kind].items()),
                    "wide": charts.spec(chart, names), "narrow": charts.spec(chart, names, is_narrow=True)}
                   for chart in block.charts],
        "label": block.label, "start": dict(block.start), "reference": block.reference, "cases": list(block.cases),
        "title": block.title, "table": sorted(in_table, key=lambda name: first.index(name) if name in first else len(first))}


def shortened(value: Any) -> Any:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


@dataclasses.dataclass(frozen=True)
class PageFile:
    """The page that a mode writes in addition to its text: to the path that the user gave, else next to the run file."""

    mode: str
    given: str | os.PathLike[str] | None
    option: str = "--page"

    def path(self, run_path: str | os.PathLike[str] | None = None) -> pathlib.Path | None:
        """None: no page is written. Throws Refused if the given path does not end in .html, or if the page would overwrite the run
        file, or a file that is not a page of this mode."""
        if not (given := self.given or run_path):
            return None
        path = pathlib.Path(given)
        if self.given:
            if path.suffix != ".html":
                raise Refused(f"{self.option} {path} is not allowed; give a name that ends in .html")
            check_apart([(self.option, path)], [("the run", run_path)])
        else:
            path = path.with_name(f"{path.stem}-page.html")
        check_replaceable(path, f'<meta name="generator" content="ecbench {self.mode}">', f"{FRONT} {self.mode}", self.option)
        return path

    def write(self, run_path: pathlib.Path | None, make: Callable[[], Page],
              more: Mapping[str | os.PathLike[str], str] | None = None) -> pathlib.Path | None:
        """Writes the page and `more` (path → text), and returns the path of the page; None if it has no path or, after
        one line, if it cannot be made. Throws Refused if they cannot be written."""
        path, texts = self.path(run_path), dict(more or {})
        try:
            if path:
                texts = {path: text_of(make(), path), **texts}
        except NoPage as no_page:
            say(no_page)
            path = None
        for each, text in texts.items():
            write("the page" if each == path else "its summary", each, text)
        return path
