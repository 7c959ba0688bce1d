"""Blocks: what a mode shows. A block has a title, an answer, typed rows and charts. Its rows are dataclasses, whose fields are
annotated with Column. A page of blocks is printed as text, JSON and Markdown here, and as HTML by html.py."""

import dataclasses
import enum
import functools
import html
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
    colour: str = ""
    colours: Sequence[str] = ()  # the values that get the first colours
    # Ratios to a row that the reader chooses: the columns of the value and of its interval.
    of: str = ""
    low_of: str = ""
    high_of: str = ""
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
    on_page: bool = True

    @property
    def columns(self) -> dict[str, Column]:
        return {name: key for name, (_, key) in keys_of(self.row).items() if isinstance(key, Column)}

    @property
    def table(self) -> dict[str, Column]:
        """The columns of the table: without those that are empty in all rows."""
        return {name: column for name, column in self.columns.items() if not column.is_detail and not column.is_hidden
                and any(getattr(row, name) not in (None, "") for row in self.rows)}

    @property
    def titles(self) -> list[str]:
        return [column.title for column in self.table.values()]

    @property
    def numbers(self) -> list[str]:
        """The titles of the columns that are aligned right."""
        return [column.title for column in self.table.values() if column.is_number]

    def cells(self, most: int | None = None) -> list[list[str]]:
        """The rows of the table as texts."""
        columns = self.table
        return [[cell(column, getattr(row, name)) for name, column in columns.items()] for row in self.rows[:most]]

    def shown(self, start: Mapping[str, Any] | None = None) -> list[Any]:
        """The rows that pass the filters, the highest value first, as page.js shows them at first."""
        chosen = [row for row in self.rows if all(getattr(row, key) == value for key, value in
                                                  (self.start if start is None else start).items())]
        if not self.charts:
            return chosen
        first = self.charts[0]
        return sorted(chosen, key=lambda row: getattr(row, first.value) or 0, reverse=not first.lowest_first)

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

    @property
    def environment(self) -> Block:
        """The facts as a table."""
        heads = self.names if len(self.names) > 1 else ["value"]
        return block_of_lines("Environment", [["", *heads], *([name, *values] for name, values in self.facts)])

    def document(self) -> Json:
        return {"mode": self.mode, "title": self.title, "answers": list(self.answers),
                "blocks": [{"title": one.title, "answer": one.answer, "rows": to_json(list(one.rows))} for one in self.blocks],
                "warnings": [line for _, lines in self.troubles for line in lines]}


def schema_of_pages(rows: Iterable[type], title: str, description: str) -> Json:
    """The JSON schema of document(). `rows`: the types of rows."""
    def list_of(kind: object) -> Any:
        return types.GenericAlias(list, (kind,))

    of_rows = list_of(functools.reduce(operator.or_, rows))
    block = dataclasses.make_dataclass("Block", [("title", str), ("answer", str), ("rows", of_rows)])
    names = [("mode", str), ("title", str), ("answers", list[str]), ("blocks", list_of(block)), ("warnings", list[str])]
    return schema_of(dataclasses.make_dataclass("Page", names), title, description)


def block_of_lines(title: str, lines: Sequence[Sequence[str]], how: str = "") -> Block:
    """A table of texts. `lines`: its titles, then its rows."""
    fields = [(f"column{number}", Annotated[str, Column(title=name)]) for number, name in enumerate(lines[0])]
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


def print_tables(page: Page, out: TextIO, colours: Mapping[str, str] | None = None) -> None:
    """The blocks, and below them the warnings and answers. `colours`: of the first cell of a row."""
    for block in filter(lambda one: one.rows and one.in_text, page.blocks):
        print_columns(block.titles, block.cells(), out, block.numbers, lambda row: (colours or {}).get(row[0]))
        out.write("\n")
    warnings = [f"{heading}: {line}" if heading else line for heading, lines in page.troubles for line in lines]
    out.writelines(f"{plain(line)}\n" for line in [*warnings, *page.answers])


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
    yield from (mark, f"# {escaped(page.title)}", "", escaped(" ".join(page.answers)))
    for heading, troubles in page.troubles:
        yield from ("", *([f"**{escaped(heading)}**", ""] if heading else []), *(f"- {escaped(line)}" for line in troubles))
    for block in [*filter(lambda one: one.in_text, page.blocks), page.environment]:
        if block.rows:
            yield from of_block(block, most)


def of_block(block: Block, most: int) -> Iterator[str]:
    yield from ("", f"## {escaped(block.title)}", "")
    if block.answer:
        yield from (escaped(block.answer), "")
    if block.how:
        yield from (escaped(block.how), "")
    yield from table(block.titles, block.cells(most), [title in block.numbers for title in block.titles])
    if block.rows[most:]:
        yield from ("", f"Rows that are left out: {len(block.rows) - most}.")


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], to_the_right: Sequence[bool] = ()) -> Iterator[str]:
    right = to_the_right or [False] * len(titles)
    yield "| " + " | ".join(map(escaped, titles)) + " |"
    yield "| " + " | ".join("---:" if one else "---" for one in right) + " |"
    for row in rows:
        yield "| " + " | ".join(map(escaped, row)) + " |"


def escaped(value: object) -> str:
    return html.escape(str(value), quote=False).replace("|", "\\|").replace("\n", " ")
