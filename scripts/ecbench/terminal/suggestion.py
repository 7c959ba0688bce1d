"""Lists allowed words, and suggests the one that the user probably meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns text for the end of a message, such as ` (did you mean tune?)`. Returns "" if no known word is similar to `word`."""
    spelling = {name.lower(): name for name in known if name}
    close = difflib.get_close_matches(word.lower(), spelling, n=1)
    return f" (did you mean {spelling[close[0]]}?)" if close else ""


def one_of(known: Iterable[str]) -> str:
    """`A, B or C`."""
    *names, last = known
    return f"{', '.join(names)} or {last}" if names else last
