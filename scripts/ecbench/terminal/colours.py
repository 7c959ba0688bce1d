"""A table for people: aligned columns, and colours on a terminal that wants them."""

import os
import unicodedata

RED, GREEN, YELLOW = "31", "32", "33"


def wants_colours(out):
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def print_columns(titles, rows, out, right=(), colour_of=None):
    """`right`: the titles whose cells are aligned right. `colour_of(row)`: a colour for the row's first cell, or None; it counts
    only on a terminal."""
    widths = [max(map(shown_width, column)) for column in zip(titles, *rows)]
    coloured = colour_of is not None and wants_colours(out)
    for number, cells in enumerate([titles, *rows]):
        padded = [pad(cell, width, title in right) for cell, width, title in zip(cells, widths, titles)]
        if coloured and number and (colour := colour_of(cells)):
            padded[0] = f"\x1b[{colour}m{padded[0]}\x1b[0m"
        out.write("  ".join(padded).rstrip() + "\n")


def pad(cell, width, to_the_right):
    space = " " * (width - shown_width(cell))
    return space + cell if to_the_right else cell + space


def shown_width(text):
    return sum(0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
