"""What bench.sh installs and builds before it starts a mode. A mode that needs something else than MEASURING has a function
needs(words) in its program. It returns steps: `install [PURPOSE]` (scripts/install-deps.sh), `build TARGET` (make), or
`try TARGET` if the mode can run without what cannot be built. `wait` is the wait for other measurements, which a build would
disturb."""

import os
from collections.abc import Sequence

INSTALL, CHARTS, WAIT, BUILD = "install", "install report", "wait", "build all"
MEASURING = (INSTALL, WAIT, BUILD)
MEASURES_NOTHING = ("--dry-run", "--counts-only", "--runs")  # a mode with one of these options does not wait


def given(words: Sequence[str], *options: str) -> bool:
    """Whether one of the options is among the words before `--`."""
    own = words[:words.index("--")] if "--" in words else words
    return any(word == option or word.startswith(f"{option}=") for word in own for option in options)


def charts() -> list[str]:
    """The step of a mode that writes a page."""
    return [] if os.environ.get("ECBENCH_INSTALL") == "no" else [CHARTS]


def with_charts(words: Sequence[str], option: str) -> list[str]:
    """The needs of a measuring mode that draws charts only with this option."""
    return [INSTALL, *(charts() if given(words, option) else []), WAIT, BUILD]
