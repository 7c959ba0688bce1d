"""Reads the words that describe points. All modes use the same syntax: `plugin=jerasure technique=cauchy_good,liber8tion k=4,6 m=2
packetsize=64..65536*2 size=4K,1M`. Each word contains the name of an axis, and the values of this axis."""

import dataclasses
import difflib
import itertools
import re
from collections.abc import Iterable
from typing import Any

from ecbench.documents.document import CONTROLS
from ecbench.point.point import WORKLOADS, Plugins, size_word
from ecbench.terminal.arguments import bytes_of
from ecbench.terminal.console import Refused, did_you_mean, one_of

MOST_VALUES = 1_000_000
SIZE = r"([0-9]{1,18}(?:[KMGTkmgt](?:iB)?)?)"
RANGE = re.compile(rf"{SIZE}\.\.{SIZE}(?:([*+])([0-9]{{1,18}}))?")

Values = tuple[Any, ...]  # numbers are int, other values are str
Axes = dict[str, Values]  # key: name of the axis; value: its values in the given order, without duplicates


@dataclasses.dataclass(frozen=True)
class Axis:
    """The values that an axis can have: numbers, or text."""
    # For an axis of numbers: the words that are allowed in addition to numbers. For an axis of text: the allowed values, or () if
    # every text is allowed.
    words: tuple[str, ...] = ()
    default: Values = ()
    is_number: bool = False
    least: int = 1  # the smallest allowed number
    most: int | None = None  # the largest
    pattern: re.Pattern[str] | None = None  # of texts other than `words`
    allowed: str = ""  # for messages: the texts that match


def numbers(*default: int | str, words: tuple[str, ...] = (), least: int = 1, most: int | None = None) -> Axis:
    return Axis(words, default, True, least, most)


# Axes of a point that are not part of its profile.
OPTIONS = {
    "workload": Axis(WORKLOADS, ("encode", "decode")),
    "size": numbers(1 << 20),
    "erasures": numbers(1, words=("all",)),
    "changed": numbers(1, words=("1..k",)),
    "erased": numbers("none", words=("none",), least=0),
    "stripe-unit": numbers("none", words=("none",)),
    "cache": Axis(("warm", "cold"), ("warm",)),
    "threads": numbers(1),
    "timing": Axis(("kernel", "api"), ("kernel",)),
    "dispatch": Axis(("scalar", "ssse3", "avx2", "avx2-gfni", "avx512", "avx512-gfni", "neon", "native"), ("native",)),
    "codec-lib": Axis(default=("none",)),  # path of a directory
    "want": Axis(("none", "data"), ("none",)),  # data: a decode must rebuild only data chunks
    "pace": Axis(("none",), ("none",), pattern=re.compile(r"(?:100|[1-9]\d?)%|[1-9]\d{0,8}"),
                 allowed="operations per second such as 500, or a percentage of the greatest rate such as 80%"),
    "background": Axis(("none", *WORKLOADS), ("none",), pattern=re.compile(rf"(?:{'|'.join(WORKLOADS)})@[1-9]\d{{0,14}}[KMGT]?"),
                       allowed="a workload with its bytes per second, such as repair@50M"),
}
DEFAULTS: Axes = {key: axis.default for key, axis in OPTIONS.items() if axis.default}
# Numeric parameters of a profile. They can be checked before ecbench is built.
MOST_CHUNKS = 1 << 16
# Words that are functions of the rest of the point (experiment/expansion.py).
WORDS_OF = {"packetsize": ("ceph", "fit", "fit-odd"), "c": ("1..m-1",), "l": ("all",)}
PROFILE = {"k": numbers(most=MOST_CHUNKS), "m": numbers(most=MOST_CHUNKS), "w": numbers(most=64),
           "packetsize": numbers(words=WORDS_OF["packetsize"], most=1 << 30)}
BEST = "best"  # a technique, or several (experiment/expansion.py)
COPIES = "copies"
# Axes whose parameters have the name of another axis: copies of plugin replication, and the plugin that plugin ceph loads.
PARAMETERS = {COPIES: "size", "ceph-plugin": "plugin"}
LIBRARY = "library"  # an axis that only names an entry of an experiment
MAX_PADDING = {"max-padding": numbers(least=0)}
SHAPE = "k+m"  # an axis whose values are pairs; the word 8+3,4+2 is short for k+m=8+3,4+2
SHAPES = re.compile(r"(?:k\+m=)?([1-9]\d{0,4}\+\d{1,5}(?:,[1-9]\d{0,4}\+\d{1,5})*)")


class Language:
    """The axes that a mode accepts: `axes`, and, if `takes_profiles` is true, also plugin, technique and the parameters of
    profiles. Before ecbench is built, `plugins` is None. Then the parameters of plugins are not known, so an axis with an unknown
    name is accepted if `takes_profiles` is true."""

    def __init__(self, plugins: Plugins | None, axes: dict[str, Axis] | None = None, takes_profiles: bool = True):
        self.known = dict(OPTIONS | MAX_PADDING if axes is None else axes)
        self._is_open = takes_profiles and plugins is None
        if takes_profiles:
            self.known = {**profile_axes(plugins), COPIES: numbers(), "ceph-plugin": Axis(), LIBRARY: Axis(), **self.known}

    def axis(self, key: str, word: str) -> Axis:
        """Throws Refused if the name is unknown."""
        if key in self.known:
            return self.known[key]
        if not key or "=" not in word:
            pairs = [f"{name}={value}" for name, axis in self.known.items() for value in axis.words if value == word.lower()]
            meant = f" (did you mean {pairs[0]}?)" if pairs else did_you_mean(word, self.known)
            raise Refused(f"'{word}' is not allowed; write each word as KEY=VALUES, such as k=6{meant}")
        if not self._is_open:
            raise Refused(f"{key}= is not an axis; choose {one_of(self.known)}{did_you_mean(key, self.known)}")
        # Found before the build, which takes a minute. A parameter of a plugin is rarely that similar to an axis.
        if difflib.get_close_matches(key, self.known, n=1, cutoff=0.75):
            raise Refused(f"{key}= is not an axis{did_you_mean(key, self.known)}")
        return Axis()


def profile_axes(plugins: Plugins | None) -> dict[str, Axis]:
    if plugins is None:
        return {"plugin": Axis(), "technique": Axis(), **PROFILE, "c": Axis(), "l": Axis()}
    techniques = [technique for plugin in plugins.values() for technique in plugin.techniques]
    names = tuple(dict.fromkeys(technique.name for technique in techniques if technique.name))
    found = {"plugin": Axis(tuple(plugins)), "technique": Axis(names), "k": PROFILE["k"], "m": PROFILE["m"]}
    for parameter in itertools.chain.from_iterable(technique.parameters for technique in techniques):
        if parameter.name not in found:
            words = ("true", "false", "yes", "no") if parameter.type == "flag" else WORDS_OF.get(parameter.name, ())
            found[parameter.name] = Axis(words, is_number=parameter.type == "count", least=0)
    return found


def split(words: list[str]) -> list[str]:
    """Splits arguments at spaces, because one argument may contain several words."""
    return [part for word in words for part in word.split()]


def read_axes(words: list[str], language: Language) -> Axes:
    """Throws Refused."""
    axes: Axes = {}
    for word in words:
        pairs = SHAPES.fullmatch(word) if SHAPE in language.known else None
        key, _, text = (SHAPE, "", pairs[1]) if pairs else word.partition("=")
        axis = language.axis(key, f"{key}={text}" if pairs else word)
        if "=" not in word and not pairs:
            raise Refused(f"'{word}' is not allowed; write {key}=VALUES")
        if key in axes:
            raise Refused(f"{key} is given twice; give it once (several values have commas between them)")
        if key == SHAPE and not pairs:
            raise Refused(f"{word} is not allowed; give pairs such as {SHAPE}=8+3,4+2")
        axes[key] = (tuple(dict.fromkeys(tuple(map(int, pair.split("+"))) for pair in text.split(","))) if key == SHAPE
                     else read_values(key, text, axis))
    if len(axes.get("max-padding", ())) > 1:
        raise Refused("max-padding has several values; give only one number: the largest allowed padding in percent of the object")
    return axes


def read_values(key: str, text: str, axis: Axis) -> Values:
    """Returns the values in the given order, without duplicates."""
    values: list[int | str] = []
    for part in text.split(","):
        if not part:
            raise Refused(f"{key}={text} has an empty value; give values with commas between them")
        if axis.is_number and part not in axis.words:
            values += read_numbers(key, part, axis)
        elif CONTROLS.search(part):
            raise Refused(f"{key}={part} is not allowed; give text without control characters")
        elif axis.words and part not in axis.words and not (axis.pattern and axis.pattern.fullmatch(part)):
            more = f", or give {axis.allowed}" if axis.allowed else ""
            raise Refused(f"{key}={part} is not allowed; choose {one_of(axis.words)}{more}{did_you_mean(part, axis.words)}")
        elif axis.pattern and "@" in part:  # repair@51200K becomes repair@50M, because both are the same point
            name, _, rate = part.partition("@")
            values.append(f"{name}@{size_word(bytes_of(rate) or 0)}")
        else:
            values.append({"yes": "true", "no": "false"}.get(part, part) if "yes" in axis.words else part)
    return tuple(dict.fromkeys(values))


def read_numbers(key: str, part: str, axis: Axis) -> Values:
    if (value := bytes_of(part)) is not None:
        values: Values = (value,)
    elif match := RANGE.fullmatch(part):
        values = read_range(key, part, match)
    else:
        more = "".join(f", or {word}" for word in axis.words)
        raise Refused(f"{key}={part} is not allowed; give numbers such as 6 or 4K, or ranges such as 2..10, 2..10+2 or "
                      f"64..65536*2{more}{did_you_mean(part, axis.words)}")
    if any(isinstance(value, int) and value < axis.least for value in values):
        why = "; if no chunk is lost in the workload, leave out erasures=" if key == "erasures" else ""
        raise Refused(f"{key}={part} is out of range; allowed: at least {axis.least}{why}")
    if axis.most is not None and max(values) > axis.most:
        raise Refused(f"{key}={part} is out of range; allowed: {axis.least} to {axis.most}")
    return values


def read_range(key: str, part: str, match: re.Match[str]) -> Values:
    begin, end = bytes_of(match[1]) or 0, bytes_of(match[2]) or 0
    operator, step = match[3] or "+", int(match[4] or 1)
    if end < begin:
        raise Refused(f"{key}={part} is not allowed: the end of the range is less than its start")
    if (operator, step) in (("+", 0), ("*", 0), ("*", 1)) or (operator == "*" and begin == 0):
        raise Refused(f"{key}={part} is not allowed: the range does not end; use a step of at least +1 or *2; a "
                      "range with * must begin at 1 or more")
    if operator == "+":
        if (count := len(range(begin, end + 1, step))) > MOST_VALUES:
            raise Refused(f"{key}={part} has {count} values; at most {MOST_VALUES} are allowed")
        return tuple(range(begin, end + 1, step))
    powers = [begin]
    while powers[-1] * step <= end:
        powers.append(powers[-1] * step)
    return tuple(powers)


def single(axes: Axes, key: str, default: int | str | None = None) -> int | str | None:
    """The value of an axis that may have only one value. Throws Refused if several values are given."""
    values = axes.get(key, (default,))
    if len(values) > 1:
        raise Refused(f"{key}={','.join(map(str, values))} is not allowed; give one value")
    return values[0]


def shapes_of(entries: Iterable[Axes], own: Axes) -> list[Axes]:
    """The entries with k and m instead of k+m, one for each pair. `own`: the axes of the user; k and m replace the pairs of an
    entry, and one of them selects the pairs that have it. Throws Refused."""
    if SHAPE in own and ("k" in own or "m" in own):
        raise Refused(f"{SHAPE} is not allowed with k or m; give one of them")
    found: list[Axes] = []
    for axes in entries:
        rest = {key: values for key, values in axes.items() if key != SHAPE}
        if SHAPE not in axes or (SHAPE not in own and "k" in own and "m" in own):
            found.append(rest)
        else:
            found += ({**rest, "k": (k,), "m": (m,)} for k, m in axes[SHAPE] if k in own.get("k", (k,)) and m in own.get("m", (m,)))
    if not found:
        given, missing = ("k", "m") if "k" in own else ("m", "k")
        raise Refused(f"{missing} is missing: no default k+m has {given}={','.join(map(str, own[given]))}; give {missing} too")
    return found
