"""The part of a Markdown file that a script prints: between two comments, the first of which names the runs that it is from."""

import re

from ecbench.terminal.console import Refused

BEGIN, END = "<!-- findings of", "<!-- end of findings -->"
PART = re.compile(rf"^{BEGIN}(?P<runs>[^\n]*)-->\n(?P<text>.*?)^{END}$", re.MULTILINE | re.DOTALL)


def find(text, path):
    """The match, with the groups `runs` and `text`; throws Refused if there is not just one."""
    found = list(PART.finditer(text))
    if len(found) != 1 or text.count(BEGIN) != 1 or text.count(END) != 1:
        raise Refused(f"{path} has no place for the findings, or several: one line '{BEGIN} RUN... -->', and below it one '{END}'")
    return found[0]


def runs_of(match):
    """The run files that it names, by their paths from the Markdown file's folder."""
    return match["runs"].split()


def replaced(text, match, names, part):
    return f"{text[:match.start()]}{BEGIN} {' '.join(names)} -->\n{framed(part)}{END}{text[match.end():]}"


def framed(part):
    """With the empty lines that Markdown wants around comments."""
    return f"\n{part}\n\n"
