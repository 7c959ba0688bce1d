"""Help texts, wrapped to the width of the terminal. In a description or an epilog, a line `  TERM  text` is an entry of a table,
and deeper lines continue it. Other indented lines, such as commands, keep their beginning. Lines without indent are joined."""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator

from ecbench.terminal.console import columns_of

WIDTH_IN_A_PIPE = 120
WIDEST_TERM = 26
ENTRY = re.compile(r"( {2,})(\S+(?: \S+)*) {2,}(\S.*)")


def width() -> int:
    return min(columns_of(sys.stdout, WIDTH_IN_A_PIPE), 132)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=min(26, width() // 3), width=width())

    def _fill_text(self, text: str, _width: int, _indent: str) -> str:
        return "\n".join(wrapped_lines(text, width()))


def wrapped_lines(text: str, columns: int) -> Iterator[str]:
    parts: list[list[str]] = []  # indent, term, text
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        entry = ENTRY.fullmatch(line)
        before = parts[-1] if parts else None
        if before and before[1] and depth > len(before[0]) + 2:
            before[2] += f" {line.strip()}"
        elif entry:
            parts.append(list(entry.groups()))
        elif before and line and not depth and before[2] and not before[0] and not before[2].endswith(":"):
            before[2] += f" {line}"
        else:
            parts.append([line[:depth], "", line.strip()])
    terms = [len(term) for _, term, _ in parts if 0 < len(term) <= WIDEST_TERM]
    column = min(max(terms, default=0) + 4, columns // 2)
    for indent, term, rest in parts:
        if not term:
            yield from textwrap.wrap(rest, columns, initial_indent=indent, subsequent_indent=f"{indent}    " if indent else "",
                                     break_long_words=False, break_on_hyphens=False) or [""]
            continue
        lines = textwrap.wrap(rest, max(columns - column, 20), break_long_words=False, break_on_hyphens=False)
        begin = f"{indent}{term}"
        if len(begin) + 2 > column:
            yield from textwrap.wrap(begin, columns, subsequent_indent=indent + "  ", break_long_words=False)
        else:
            yield f"{begin:<{column}}{lines.pop(0)}"
        yield from (" " * column + line for line in lines)
