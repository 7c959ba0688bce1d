"""Prints a page of blocks as Markdown."""

import html
from collections.abc import Iterator, Sequence

from ecbench.page.block import Block, Page, cell

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
    for block in page.blocks:
        if block.in_text and block.rows:
            yield from of_block(block, most)
    if page.facts:
        yield from ("", "## Environment", "")
        heads = page.names if len(page.names) > 1 else ["value"]
        yield from table(["", *heads], [[name, *values] for name, values in page.facts])


def of_block(block: Block, most: int) -> Iterator[str]:
    columns = block.table
    yield from ("", f"## {escaped(block.title)}", "")
    if block.answer:
        yield from (escaped(block.answer), "")
    if block.how:
        yield from (escaped(block.how), "")
    yield from table([column.title for column in columns.values()],
                     [[cell(column, getattr(row, name)) for name, column in columns.items()] for row in block.rows[:most]],
                     [column.is_number for column in columns.values()])
    if block.rows[most:]:
        yield from ("", f"Rows that are only in the HTML page: {len(block.rows) - most}.")


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], to_the_right: Sequence[bool] = ()) -> Iterator[str]:
    right = to_the_right or [False] * len(titles)
    yield "| " + " | ".join(map(escaped, titles)) + " |"
    yield "| " + " | ".join("---:" if one else "---" for one in right) + " |"
    for row in rows:
        yield "| " + " | ".join(map(escaped, row)) + " |"


def escaped(value: object) -> str:
    return html.escape(str(value), quote=False).replace("|", "\\|").replace("\n", " ")
