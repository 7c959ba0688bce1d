"""The grid language: `plugin=jerasure technique=cauchy_good,liber8tion k=4,6 m=2 packetsize=64..65536*2 size=4K,1M`, words that
each name an axis and its values. A word without = names a file of scripts/grids/, whose lines are grids, joined; axes given beside
it replace its own."""

import dataclasses
import pathlib
import re

from ecbench.terminal.console import Refused

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "grids"
MOST_COMBINATIONS = 1_000_000
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
NUMBER = r"([0-9]{1,18})([KMGkmg]?)(?:[iI][bB])?"
RANGE = re.compile(rf"{NUMBER}\.\.{NUMBER}(?:([*+])([0-9]{{1,18}}))?")

# The axes that are not of a profile: the values that are allowed, or what kind of number, and the default.
CHOICES = {"workload": ("encode", "decode", "repair", "limit", "memcpy"), "cache": ("warm", "cold"), "timing": ("kernel", "api"),
           "dispatch": ("scalar", "ssse3", "avx2", "avx512", "native")}
TEXTS = ("codec-lib",)  # "none" is none
NUMBERS = ("erasures", "erased", "size", "stripe-unit", "threads", "max-padding")
FROM_ZERO = ("erased", "max-padding")
WORDS_FOR_NUMBERS = {"erasures": ("all",), "erased": ("none",), "stripe-unit": ("none",)}
DEFAULTS = {"workload": ("encode", "decode"), "size": (1 << 20,), "erasures": (1,), "erased": ("none",), "stripe-unit": ("none",),
            "cache": ("warm",), "threads": (1,), "timing": ("kernel",), "dispatch": ("native",), "codec-lib": ("none",)}


@dataclasses.dataclass(frozen=True)
class Language:
    """What keys there are: those of the point, and every parameter that a plugin has."""

    plugins: dict  # name → what --list says of it

    def parameters(self):
        """Name → type of every parameter of every technique, but the technique itself."""
        return {parameter["name"]: parameter["type"] for plugin in self.plugins.values() for technique in plugin["techniques"]
                for parameter in technique["parameters"]}

    def techniques(self):
        return list(dict.fromkeys(technique["name"] for plugin in self.plugins.values() for technique in plugin["techniques"]
                                  if technique["name"]))

    def keys(self):
        return ["plugin", "technique", *self.parameters(), *CHOICES, *NUMBERS, *TEXTS]


def read_grids(words, language):
    """The grids, each a dict from key to the tuple of its values, and the name of the named one, "" if there is none. Throws
    Refused with what was given, what is allowed, and why."""
    words = [part for word in words for part in word.split()]
    names = [word for word in words if "=" not in word]
    own = read_axes([word for word in words if "=" in word], language)
    if not words:
        raise Refused(f"no grid is given: name one ({', '.join(named_grids())}), or give axes such as 'plugin=isa k=4,6 m=2'")
    named = [axes for name in dict.fromkeys(names) for axes in read_named(name, language)]
    grids = [check_together({**axes, **own}) for axes in named or [{}]]
    count = sum(combinations(axes) for axes in grids)
    if count > MOST_COMBINATIONS:
        raise Refused(f"the grid has {count} combinations, and at most {MOST_COMBINATIONS} are allowed: shorten an axis")
    return grids, "-".join(dict.fromkeys(names))


def named_grids():
    return sorted(path.name for path in FOLDER.iterdir() if path.is_file() and not path.name.startswith("."))


def read_named(name, language):
    if name not in named_grids():
        raise Refused(f"'{name}' is neither key=values nor a named grid: there is {', '.join(named_grids())}")
    grids = []
    for number, words in grid_lines((FOLDER / name).read_text(encoding="utf-8")):
        try:
            grids.append(read_axes(words, language))
        except Refused as refusal:
            raise Refused(f"{FOLDER / name}, line {number}: {refusal}") from refusal
    if not grids:
        raise Refused(f"{FOLDER / name} has no grid in it: give a line of key=values")
    return grids


def grid_lines(text):
    """The number of the line at which each grid begins, and its words: an indented line goes on with the grid above."""
    grids = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words and line[0].isspace() and grids:
            grids[-1][1].extend(words)
        elif words:
            grids.append((number, words))
    return grids


def read_axes(words, language):
    axes = {}
    for word in words:
        key, _, text = word.partition("=")
        if key not in language.keys():
            raise Refused(f"{key or word} is no key of a grid: choose of {', '.join(language.keys())}")
        if key in axes:
            raise Refused(f"{key} is given twice: give all its values at once, {key}=A,B")
        axes[key] = read_values(key, text, language)
    return axes


def read_values(key, text, language):
    """The values of an axis, each once, in the order given: numbers as int, all else as text."""
    kind = "count" if key in NUMBERS else language.parameters().get(key, "choice")
    values = []
    for part in text.split(","):
        if not part:
            raise Refused(f"{key}={text} has an empty value: give values with commas between them")
        if part in WORDS_FOR_NUMBERS.get(key, ()):
            values.append(part)
        elif kind == "count":
            values += read_numbers(key, part)
        else:
            values.append(read_word(key, part, kind, language))
    return tuple(dict.fromkeys(values))


def read_word(key, part, kind, language):
    if kind == "flag":
        part = {"yes": "true", "no": "false"}.get(part, part)
    allowed = {"plugin": list(language.plugins), "technique": language.techniques()}.get(key) or CHOICES.get(key)
    allowed = ("true", "false") if kind == "flag" else allowed
    if allowed and part not in allowed:
        raise Refused(f"{key}={part} is not allowed: choose of {', '.join(allowed)}")
    return part


def read_numbers(key, part):
    if match := re.fullmatch(NUMBER, part):
        values = (number(match[1], match[2]),)
    elif match := RANGE.fullmatch(part):
        values = read_range(key, part, match)
    else:
        more = "".join(f", or {word}" for word in WORDS_FOR_NUMBERS.get(key, ()))
        raise Refused(f"{key}={part} is not allowed: give numbers such as 6 or 4K, or ranges 2..10, 2..10+2 or 64..65536*2{more}")
    if min(values) < 1 and key in NUMBERS and key not in FROM_ZERO:
        why = ", which decode and repair alone have" if key == "erasures" else ""
        raise Refused(f"{key}={part} is not allowed: at least 1{why}")
    return values


def number(digits, unit):
    return int(digits) * UNITS[unit.upper()]


def read_range(key, part, match):
    begin, end = number(match[1], match[2]), number(match[3], match[4])
    operator, step = match[5] or "+", int(match[6] or 1)
    if end < begin:
        raise Refused(f"{key}={part} is not allowed: the range ends below its begin")
    if (operator, step) in (("+", 0), ("*", 0), ("*", 1)) or (operator == "*" and begin == 0):
        raise Refused(f"{key}={part} is not allowed: a range that does not end; the step is at least +1 or *2, from 1 on")
    if operator == "+":
        values = range(begin, end + 1, step)
        if len(values) > MOST_COMBINATIONS:
            raise Refused(f"{key}={part} has {len(values)} values, and at most {MOST_COMBINATIONS} are allowed")
        return tuple(values)
    values = [begin]
    while values[-1] * step <= end:
        values.append(values[-1] * step)
    return tuple(values)


def check_together(axes):
    if len(axes.get("max-padding", ())) > 1:
        raise Refused("max-padding is one number: points that pad the object by more percent are dropped")
    return axes


def combinations(axes):
    count = 1
    for key, values in axes.items():
        if key != "max-padding":
            count *= len(values)
    for key in DEFAULTS.keys() - axes.keys():
        count *= len(DEFAULTS[key])
    return count
