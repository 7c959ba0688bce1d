"""A section of a page: a table whose rows are HTML, and charts."""

import dataclasses
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup


@dataclasses.dataclass(frozen=True)
class Section:
    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    lead: str = ""
    charts: Sequence[tuple[str, Markup]] = ()
    folded: bool = False
    more: str = ""  # page that has the rows that were left out
    in_menu: bool = True
    jumps: bool = False  # whether links lead to the first row with each text in the first cell

    @property
    def anchor(self) -> str:
        return word_of(self.title)

    @functools.cached_property
    def lines(self) -> list[Markup]:
        """The rows as HTML; built here because a loop in a template is slow."""
        return [self._group(number) + Markup("<tr>") + Markup("").join(self._cells(row)) + "\n"
                for number, row in enumerate(self.rows)]

    def _cells(self, row: Sequence[str]) -> Iterator[Markup]:
        """The last cell of a short row fills the row. With jumps, narrow screens show each row as a list, whose labels are the
        heads of the columns."""
        for number, cell in enumerate(row, 1):
            if self.head[len(row):] and number == len(row):
                yield Markup('<td colspan="{}">{}').format(len(self.head) - number + 1, cell)
            elif self.jumps:
                yield Markup('<td data-head="{}">{}').format(self.head[number - 1], cell)
            else:
                yield Markup("<td>{}").format(cell)

    def _group(self, number: int) -> str:
        """Begins the group of rows with the same first cell."""
        first = self.rows[number][0]
        is_first = self.jumps and (not number or self.rows[number - 1][0] != first)
        return Markup('</tbody><tbody id="{}">').format(self.target(first)) if is_first else ""

    def target(self, first: str) -> str:
        return f"{self.anchor}-{first}"

    def link(self, first: str, text: str) -> Markup:
        """To the first row with this text in the first cell."""
        return link(f"#{self.target(first)}", text)

    def targets(self, shown: int) -> list[str]:
        """The texts to which links lead."""
        return list(dict.fromkeys(row[0] for row in self.rows[:shown])) if self.jumps else []

    @property
    def size(self) -> int:
        return sum(len(line.encode()) for line in self.lines)


def shown(lines: Sequence[Markup], most: int) -> list[Markup]:
    ends = itertools.accumulate(len(line.encode()) for line in lines)
    return [line for line, end in zip(lines, ends) if end <= most]


def link(target: str, text: str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(target, text)


def code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)


def joined(links: Iterable[Markup]) -> Markup:
    return Markup(", ").join(links)


def word_of(name: str) -> str:
    return re.sub(r"[^a-z0-9_.]+", "-", name.lower()).strip("-.") or "none"
