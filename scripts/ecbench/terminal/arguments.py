"""Reads the command line of every mode. Contains types for options, and a parser whose error messages have one line."""

import argparse
import math
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from ecbench.installation.places import FRONT, as_called
from ecbench.terminal.console import HelpFormatter, Refused, did_you_mean, one_of

# The arguments in the usage; all others can be left out or repeated.
FORMS: dict[int | str | None, str] = {None: "{}", argparse.OPTIONAL: "[{}]", argparse.ONE_OR_MORE: "{} ...",
                                      argparse.PARSER: "{} ..."}
TIME_UNITS = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600}
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# A mode accepts its axes as words (workload=encode), not as options (--workload encode). If a user gives such an option to a mode,
# the error message shows the word that is allowed instead. Each key is an option of build/ecbench, or an option that the modes had
# in earlier versions. Each value is the word for the message. If an axis has no key here, the message shows the name of the axis
# and VALUE, as in technique=VALUE.
SPELLINGS = {"k": "k=6,8", "m": "m=2,4", "p": "plugin=isa", "shape": "k=6,8 m=2,4", "s": "size=4K,1M", "size": "size=4K,1M",
             "w": "workload=encode,decode", "workload": "workload=encode,decode erasures=1,2", "e": "erasures=1,2",
             "contender": "library=isa,simd", "P": "packetsize=2048", "parameter": "packetsize=2048", "cache": "cache=warm,cold"}


class Parser(argparse.ArgumentParser):
    """`mode`: the name of the mode, for messages. The parser of a subcommand gets `prog` instead of `mode`. `axes`: the axes that
    the mode accepts as words. If the user gives an axis as an option, the error message shows the word that is allowed instead."""

    examples = ""  # commands, one a line; the help begins with them

    def __init__(self, *, mode: str | None = None, axes: Iterable[str] = (), examples: str = "", **options: Any):
        self.examples = examples
        if mode is not None:
            options["prog"] = f"{FRONT} {mode}".rstrip()
        super().__init__(**{"allow_abbrev": False, "formatter_class": HelpFormatter, **options})
        self._axes = tuple(axes)

    def format_help(self) -> str:
        """The help text, in which bench.sh is replaced by the command of this installation."""
        formatter = self._get_formatter()
        if self.examples:
            formatter.add_text("\n".join(f"  {line}" for line in self.examples.strip().splitlines()))
        formatter.add_text(f"usage: {self.usage}" if self.usage else self.format_usage())
        formatter.add_text(self.description)
        formatter.add_text(self.epilog)
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_arguments([action for action in group._group_actions
                                     if (action.help or action.choices) and action.dest != "help"])
            formatter.end_section()
        return as_called(formatter.format_help())

    def format_usage(self) -> str:
        names = [FORMS.get(action.nargs, "[{} ...]").format(action.metavar or action.dest)
                 for action in self._actions if not action.option_strings]
        return " ".join([f"usage: {self.prog}", *names, "[options]"])

    def error(self, message: str) -> NoReturn:
        unknown = message.removeprefix("unrecognized arguments: ")
        raise Refused(f"{message if unknown == message else self._refusal(unknown.split()[0])}; see {self.prog} --help")

    def _refusal(self, word: str) -> str:
        if not word.startswith("-"):
            return f"'{word}' is one argument too many"
        word = word.partition("=")[0]
        name = word.lstrip("-")
        singular = name.removesuffix("s") if name not in self._axes else name
        if self._axes and (singular in self._axes or singular in SPELLINGS):
            return f"{word} is not an option; write {SPELLINGS.get(singular, f'{singular}=VALUE')}"
        names = [option.removeprefix("--") for option in self._options() if option.startswith("--")]
        return f"{word} is not an option{did_you_mean(name, names).replace('mean ', 'mean --')}"

    def _options(self) -> list[str]:
        """The options of this parser and of its subcommands."""
        choices = [action.choices.values() for action in self._actions if isinstance(action, argparse._SubParsersAction)]
        return [*self._option_string_actions, *(name for parsers in choices for parser in parsers for name in parser._options())]

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        if action.option_strings and not arg_string and "" not in (action.default, action.const):
            raise argparse.ArgumentError(action, "'' is not allowed; give a value")
        return super()._get_value(action, arg_string)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, f"'{value}' is not allowed; choose {one_of(action.choices)}"
                                                 f"{did_you_mean(str(value), action.choices)}")


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number from `least` to `most`."""
    def read(text: str) -> int:
        if not re.fullmatch("-?[0-9]+", text):
            raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give a whole number from {least} to {most}")
        if len(text) > 19 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is out of range; allowed: whole numbers from {least} to {most}")
        return int(text)
    return read


seed = whole(0, 2**63 - 1)


def matching(pattern: re.Pattern[str], allowed: str) -> Callable[[str], str]:
    """Text that matches the pattern. `allowed` describes the allowed text; the error message contains it."""
    def read(text: str) -> str:
        if not pattern.fullmatch(text):
            raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give {allowed}")
        return text
    return read


def number(least: float, most: float, unit: str) -> Callable[[str], float]:
    """A number from `least` to `most` in `unit`. For seconds, the number may have one of the TIME_UNITS."""
    def read(text: str) -> float:
        duration = duration_of(text) if unit == "seconds" else None
        try:
            value = float(text) if duration is None else duration
        except ValueError:
            value = math.nan
        if math.isnan(value):
            such = ", such as 90, 90s, 2m or 1h" if unit == "seconds" else ""
            raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give a number from {least:g} to {most:.7g} {unit}{such}")
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is out of range; allowed: {least:g} to {most:.7g} {unit}")
        return value
    return read


def duration_of(text: str) -> float | None:
    """Seconds: 90, 90s, 100ms, 1m, 3min or 1h. None if `text` is no duration."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|min|h)?", text)
    return float(match[1]) * TIME_UNITS[match[2] or "s"] if match else None


seconds = number(0.001, 86400, "seconds")
budget_seconds = number(0.001, 30 * 86400, "seconds")
percent = number(0.1, 100, "percent")


def bytes_of(text: str) -> int | None:
    """Converts a size such as 4096, 4K, 4k, 4KiB or 1M to a number of bytes. Returns None if `text` is not a size."""
    match = re.fullmatch(r"([0-9]{1,18})(?:([KMGTkmgt])(?:[iI][bB])?)?", text)
    return int(match[1]) * UNITS[(match[2] or "").upper()] if match else None


def size(text: str) -> int:
    """A number of bytes from 1 to 1T."""
    value = bytes_of(text)
    if not value or value > 1 << 40:
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give a number of bytes from 1 to 1T, such as 4096, 4K or 1M")
    return value


def sizes(text: str) -> list[int]:
    """Sizes separated by commas, without duplicates."""
    return list(dict.fromkeys(size(part) for part in text.split(",")))


def listed_cpus(text: str) -> list[int]:
    """A list of CPUs in the notation of ecbench and the kernel: 1 or 0,2-3."""
    cpus: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not all(end.isascii() and end.isdigit() and len(end) < 6 for end in (first, last)) or int(last) < int(first):
            raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give CPUs such as 1 or 0,2-3")
        cpus += range(int(first), int(last) + 1)
    return list(dict.fromkeys(cpus))


def cpu_list(text: str) -> list[int]:
    """CPUs that this process is allowed to use."""
    cpus = listed_cpus(text)
    if absent := sorted(set(cpus) - os.sched_getaffinity(0)):
        allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed: CPU {absent[0]} cannot be used; choose from {allowed}")
    return cpus


def cpu(text: str) -> int:
    cpus = cpu_list(text)
    if len(cpus) > 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not allowed; give one CPU")
    return cpus[0]
