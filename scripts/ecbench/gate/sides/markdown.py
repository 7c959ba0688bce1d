"""Markdown for a comment on a pull request: the important rows in a table, the others folded. A comment on GitHub can have at most
65,536 characters; rows that do not fit are left out and counted."""

from collections.abc import Sequence

from ecbench.terminal import console

MOST_CHARACTERS = 65_000
SHOWN_OPEN = 40  # maximum number of rows that are not folded

Rows = Sequence[Sequence[str]]


def document(head: Sequence[str], titles: Sequence[str], open_rows: Rows, folded_rows: Rows, tail: Sequence[str]) -> str:
    """`head`, `tail`: the lines before and after the tables. All columns except the first are right-aligned."""
    folded_rows = [*open_rows[SHOWN_OPEN:], *folded_rows]
    open_rows = open_rows[:SHOWN_OPEN]
    left_out = 0
    while True:
        parts = ["\n".join(head), *([table(titles, open_rows)] if open_rows else [])]
        if folded_rows:
            parts.append(f"<details><summary>{'Other points' if open_rows else 'Points'}: {len(folded_rows)}</summary>\n\n"
                         f"{table(titles, folded_rows)}\n\n</details>")
        if left_out:
            parts.append(f"{left_out} more rows do not fit in a comment and are left out. The JSON file has all rows.")
        text = "\n\n".join([*parts, *(["\n".join(tail)] if tail else [])]) + "\n"
        if len(text) <= MOST_CHARACTERS or not folded_rows:
            return text[:MOST_CHARACTERS]
        drop = max(1, len(folded_rows) // 10)
        folded_rows = folded_rows[:-drop]
        left_out += drop


def table(titles: Sequence[str], rows: Rows) -> str:
    marks = ["---", *["---:"] * (len(titles) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [list(titles), marks, *rows])


def plain(text: object) -> str:
    """`text` on one line, with the special characters of Markdown escaped."""
    escaped = "".join(f"\\{letter}" if letter in "\\`*_[]|~#" else letter for letter in console.plain(" ".join(str(text).split())))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
