"""A gate's summary for a pull request: the verdict first, then what is worth looking at, and the rest folded away. GitHub takes
65,536 characters in a comment; rows that would not fit are left out, and counted."""

MOST_CHARACTERS = 65_000
SHOWN_OPEN = 40  # rows; more of them is more than a reader wants unfolded


def document(head, titles, open_rows, folded_rows, tail=()):
    """The text. `head` and `tail`: lines; rows: lists of cells under `titles`, of which all but the first are aligned right."""
    folded_rows = [*open_rows[SHOWN_OPEN:], *folded_rows]
    open_rows = open_rows[:SHOWN_OPEN]
    left_out = 0
    while True:
        text = composed(head, titles, open_rows, folded_rows, left_out, tail)
        if len(text) <= MOST_CHARACTERS or not folded_rows:
            return text[:MOST_CHARACTERS]
        drop = max(1, len(folded_rows) // 10)
        folded_rows = folded_rows[:-drop]
        left_out += drop


def composed(head, titles, open_rows, folded_rows, left_out, tail):
    parts = ["\n".join(head)]
    if open_rows:
        parts.append(table(titles, open_rows))
    if folded_rows:
        others = "others" if open_rows else "points"
        parts.append(f"<details><summary>{len(folded_rows)} {others}</summary>\n\n{table(titles, folded_rows)}\n\n</details>")
    if left_out:
        parts.append(f"{left_out} more are left out here: a comment holds no more. The JSON has all of them.")
    if tail:
        parts.append("\n".join(tail))
    return "\n\n".join(parts) + "\n"


def table(titles, rows):
    marks = ["---", *["---:"] * (len(titles) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [list(titles), marks, *rows])


def plain(text):
    """Text of somebody else's making (a path, a profile) as Markdown that shows just it, on one line."""
    escaped = "".join(f"\\{letter}" if letter in "\\`*_[]|~#" else letter for letter in " ".join(str(text).split()))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
