"""Blocks: what a mode shows. A block has a title, an answer, typed rows and charts. Its rows are dataclasses, whose fields are
annotated with Column. A page of blocks is printed as text, JSON and Markdown here, and as HTML by html.py."""

import collections
import dataclasses
import enum
import functools
import html
import json
import math
import operator
import pathlib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TextIO

from ecbench.documents.document import Json, Key, keys_of, schema_of, to_json
from ecbench.point.point import figure_text, number_text, size_text
from ecbench.terminal.console import plain, print_columns

FORMULA = ("=", "+", "-", "@", "\t")  # a spreadsheet computes a cell that begins so


class Form(enum.StrEnum):
    """How a value is written."""

    TEXT = "text"
    WHOLE = "whole"
    FIGURE = "figure"  # about three significant digits
    PERCENT = "percent"  # one decimal
    RATIO = "ratio"  # three decimals
    BYTES = "bytes"


@dataclasses.dataclass(frozen=True)
class Column(Key):
    title: str = ""
    form: Form = Form.TEXT
    is_filter: bool = False  # readers choose one of its values
    is_detail: bool = False  # shown in the tooltip, not in the table
    is_hidden: bool = False  # only for charts
    is_early: bool = False  # on the page, next to the name of the row
    wraps: bool = False  # a sentence

    @property
    def is_number(self) -> bool:
        return self.form != Form.TEXT

    @property
    def style(self) -> str:
        """The class of its cells on the page."""
        return "number" if self.is_number else "sentence" if self.wraps else ""


class Kind(enum.StrEnum):
    BARS = "bars"
    LINES = "lines"
    HEAT = "heat"
    RATIOS = "ratios"
    SCATTER = "scatter"


@dataclasses.dataclass(frozen=True)
class Chart:
    """The other fields name columns."""

    kind: Kind
    name: str  # in the list of views
    value: str
    low: str = ""
    high: str = ""
    limit: str = ""  # the roofline
    text: str = ""  # the value and its interval as text
    x: str = ""  # axis of lines, heat maps and scatter
    y: str = ""  # of heat maps
    inside: str = ""  # of heat maps: what a cell shows in addition to the value
    colour: str = ""
    colours: Sequence[str] = ()  # the values that get the first colours
    # Ratios to a row that the reader chooses: the column of the value; that of its interval are low and high.
    of: str = ""
    lowest_first: bool = False
    most: int = 60  # rows of bars and ratios, series of lines


@dataclasses.dataclass(frozen=True)
class Block:
    title: str
    answer: str
    row: type
    rows: Sequence[Any]
    charts: Sequence[Chart] = ()
    label: str = "code"  # the column with the name of a row; a chart adds the columns of `cases` in which its rows differ
    start: Mapping[str, Any] = dataclasses.field(default_factory=dict)  # filter → value at first
    cases: Sequence[str] = ()  # columns that are equal in rows that can be compared
    reference: str = ""  # the label to which ratios refer at first
    how: str = ""  # how to read it
    in_text: bool = True
    most: int | None = None  # rows of each case on a terminal; None: all

    @property
    def columns(self) -> dict[str, Column]:
        return {name: key for name, (_, key) in keys_of(self.row).items() if isinstance(key, Column)}

    @property
    def table(self) -> dict[str, Column]:
        """The columns of the table: without those that are empty in all rows."""
        return {name: column for name, column in self.columns.items() if not column.is_detail and not column.is_hidden
                and any(getattr(row, name) not in (None, "") for row in self.rows)}

    @property
    def right(self) -> list[bool]:
        """Whether each column of the table is aligned right."""
        return [column.is_number for column in self.table.values()]

    def lines(self, rows: Iterable[Any]) -> list[list[str]]:
        """The table as texts: its titles, then the rows."""
        columns = self.table
        return [[column.title for column in columns.values()],
                *([cell(column, getattr(row, name)) for name, column in columns.items()] for row in rows)]

    @property
    def first_rows(self) -> Iterator[Any]:
        """The rows on a terminal: at most `most` of each case."""
        counts = collections.Counter[tuple[Any, ...]]()
        for row in self.rows:
            counts[case := tuple(getattr(row, name) for name in self.cases)] += 1
            if self.most is None or counts[case] <= self.most:
                yield row

    def shown(self, start: Mapping[str, Any] | None = None) -> list[Any]:
        """The rows that pass the filters, the highest value first, as page.js shows them at first."""
        chosen = [row for row in self.rows if all(getattr(row, key) == value for key, value in
                                                  (self.start if start is None else start).items())]
        if not self.charts:
            return chosen
        first = self.charts[0]
        empty = math.inf if first.lowest_first else 0
        return sorted(chosen, key=lambda row: getattr(row, first.value) or empty, reverse=not first.lowest_first)

    def labels(self, rows: Sequence[Any]) -> list[str]:
        varying = [name for name in self.cases if len({getattr(row, name) for row in rows}) > 1]
        return [", ".join([str(getattr(row, self.label)), *(cell(self.columns[name], getattr(row, name)) for name in varying)])
                for row in rows]


@dataclasses.dataclass(frozen=True)
class Page:
    mode: str
    title: str
    answers: Sequence[str]  # sentences, the most important first
    blocks: Sequence[Block]
    troubles: Sequence[tuple[str, Sequence[str]]] = ()  # heading, which may be empty, and warnings
    names: Sequence[str] = ()  # the heads of the columns of `facts`
    facts: Sequence[tuple[str, Sequence[str]]] = ()  # how it was measured: name, and a value for each run
    files: Sequence[pathlib.Path] = ()  # of the runs
    is_void: bool = False  # whether the warnings make the answers invalid; then they come first
    note: str = ""  # how noisy the figures are; on the page only
    is_list: bool = False  # on a terminal: only tables, and the answer as the last line

    @property
    def environment(self) -> Block:
        """The facts as a table."""
        heads = self.names if len(self.names) > 1 else ["value"]
        return block_of_lines("Environment", [["", *heads], *([name, *values] for name, values in self.facts)])

    @property
    def in_text(self) -> list[Block]:
        return [block for block in self.blocks if block.in_text and block.rows]

    @property
    def warnings(self) -> list[str]:
        return [f"{heading}: {line}" if heading else line for heading, lines in self.troubles for line in lines]

    def document(self) -> Json:
        return {"mode": self.mode, "title": self.title, "answers": list(self.answers), "files": list(map(str, self.files)),
                "blocks": [{"title": one.title, "answer": one.answer, "rows": to_json(list(one.rows))} for one in self.blocks],
                "warnings": self.warnings}


def schema_of_pages(rows: Iterable[type], title: str, description: str) -> Json:
    """The JSON schema of document(). `rows`: the types of rows."""
    def list_of(kind: object) -> Any:
        return types.GenericAlias(list, (kind,))

    of_rows = list_of(functools.reduce(operator.or_, rows))
    block = dataclasses.make_dataclass("Block", [("title", str), ("answer", str), ("rows", of_rows)])
    names = [("mode", str), ("title", str), ("blocks", list_of(block)),
             *((name, list[str]) for name in ("answers", "files", "warnings"))]
    return schema_of(dataclasses.make_dataclass("Page", names), title, description)


def block_of_lines(title: str, lines: Sequence[Sequence[str]], how: str = "", early: str = "") -> Block:
    """A table of texts. `lines`: its titles, then its rows. `early`: the title of a column."""
    fields = [(f"column{place}", Annotated[str, Column(title=name, is_early=name == early)]) for place, name in enumerate(lines[0])]
    row = dataclasses.make_dataclass("Line", fields, frozen=True)
    return Block(title, "", row, [row(*line) for line in lines[1:]], how=how, label="column0")


def cell(column: Column, value: Any) -> str:
    """The value as text. A text that a spreadsheet would compute begins with an apostrophe."""
    if value is None or value == "":
        return "-"
    if column.form == Form.TEXT:
        text = str(value)
        return f"'{text}" if text.startswith(FORMULA) and len(text) > 1 else text
    return WRITTEN[column.form](value)


WRITTEN: Mapping[Form, Callable[[Any], str]] = {
    Form.WHOLE: str, Form.FIGURE: figure_text, Form.PERCENT: number_text, Form.BYTES: size_text,
    Form.RATIO: lambda value: number_text(value, 3)}


# Prints a page of blocks as Markdown.

LENGTH = 65000  # characters; GitHub limits the length of comments on pull requests
ROWS = 200  # of a block


def markdown(page: Page, mark: str) -> str:
    """`mark`: the first line. If the text is too long, its tables get fewer rows."""
    most = ROWS
    while len(text := "\n".join(lines(page, mark, most)) + "\n") >= LENGTH and most:
        most //= 2
    return text[:LENGTH - 1]


def lines(page: Page, mark: str, most: int) -> Iterator[str]:
    yield from (mark, f"# {escaped(page.title)}", *(text for answer in page.answers for text in ("", escaped(answer))))
    for heading, troubles in page.troubles:
        yield from ("", *([f"**{escaped(heading)}**", ""] if heading else []), *(f"- {escaped(line)}" for line in troubles))
    for block in [*page.in_text, *([page.environment] if page.facts else [])]:
        for text in filter(None, (f"## {block.title}", block.answer, block.how)):
            yield from ("", escaped(text))
        yield from ("", *table(block.lines(block.rows[:most]), block.right))
        if block.rows[most:]:
            yield from ("", f"Rows that are left out: {len(block.rows) - most}.")


def table(texts: Sequence[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    """`texts`: the titles, then the rows."""
    for line in (texts[0], None, *texts[1:]):
        yield f"| {' | '.join(map(escaped, line) if line else ('---:' if one else '---' for one in right))} |"


def escaped(value: object) -> str:
    return html.escape(str(value), quote=False).replace("|", "\\|").replace("\n", " ")


# Prints a page of blocks on a terminal.

def print_page(page: Page, out: TextIO, form: str = "", colours: Mapping[str, str] | None = None) -> None:
    """`form`: json, or any other. `colours`: of the first cell of a row."""
    if form == "json":
        out.write(json.dumps(page.document(), indent=1, ensure_ascii=False) + "\n")
        return

    def put(texts: Iterable[str]) -> None:
        out.writelines(f"{plain(text)}\n" for text in texts)

    sentences = [*page.warnings, *page.answers] if page.is_void or page.is_list else [*page.answers, *page.warnings]
    if not page.is_list:
        put(sentences)
    for block in page.in_text:
        if not page.is_list:
            put(["", block.title, *filter(None, [block.answer])])
        rows = list(block.first_rows)
        print_columns(block.lines(rows), block.right, out, lambda row: (colours or {}).get(row[0]))
        more = len(block.rows) - len(rows)
        put([""] if page.is_list else filter(None, [f"{more} more rows: --format json" if more else "", block.how]))
    if page.is_list:
        put(sentences)
