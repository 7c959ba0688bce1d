"""The capabilities of a build of ecbench. ecbench --version --format json prints them. Builds of commit 004239d and older print no
list of capabilities. For these builds, the capabilities are derived from the contract version in the program file."""

import dataclasses
import re
from collections.abc import Collection, Sequence

from ecbench.documents.shape import Unlike, list_of, read, read_json, required, text
from ecbench.point.levels import old_level, runs_gfni_kernels
from ecbench.terminal.console import Refused

OLD_CONTRACT = re.compile(rb"ecbench plugin contract ([1-5])\0")  # the program file of an old build contains this text
FIRST_WITH_SLICES = 3  # builds with this contract version, or a newer version, have OPTIONS_OF_SLICES
OLD_OPTIONS = frozenset({"help", "version", "list", "describe", "environment", "plugin", "workload", "parameter", "dispatch",
                         "format", "erasure-code-dir", "codec-lib", "iterations", "size"})
OPTIONS_OF_SLICES = frozenset({"serve-slices", "arena", "count-instructions", "instructions-out", "symbols"})


@dataclasses.dataclass(frozen=True)
class Capabilities:
    options: Collection[str] = required(list_of(text))  # without --; if has_list is False, only the options that modes use
    has_list: bool = True  # False: the build prints no list of capabilities

    def has(self, option: str) -> bool:
        return option.removeprefix("--") in self.options

    def words(self, words: Sequence[str]) -> list[str]:
        """Returns the arguments of a point as this build expects them. Old builds have other names for dispatch levels. Throws
        LevelUnknown."""
        if self.has_list or "--dispatch" not in words:
            return list(words)
        place = words.index("--dispatch") + 1
        return [*words[:place], old_level(words[place], runs_gfni_kernels(*profile_of(words))), *words[place + 1:]]


def capabilities_of(printed: str, program: str) -> Capabilities:
    """`printed` is the output of --version --format json; `program` is the path of the program that printed it. Throws Refused."""
    try:
        listed = read_json(printed)
    except ValueError:
        return capabilities_without_list(program)
    try:
        return read(Capabilities, listed)
    except Unlike as unlike:
        raise Refused(f"{program} --version printed JSON that cannot be used: {unlike}") from unlike


def capabilities_without_list(program: str) -> Capabilities:
    """The capabilities of an old build. If the program file contains no contract version of an old build, it has no options."""
    try:
        with open(program, "rb") as file:
            found = OLD_CONTRACT.search(file.read())
    except OSError:
        found = None
    if not found:
        return Capabilities((), has_list=False)
    has_slices = int(found[1]) >= FIRST_WITH_SLICES
    return Capabilities(OLD_OPTIONS | OPTIONS_OF_SLICES if has_slices else OLD_OPTIONS, has_list=False)


def profile_of(words: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The plugin and the parameters in the arguments of a point."""
    pairs = [(words[i], words[i + 1]) for i in range(len(words) - 1)]
    plugin = next((value for option, value in pairs if option == "--plugin"), "")
    parameters = [value.partition("=") for option, value in pairs if option == "--parameter"]
    return plugin, {key: value for key, _, value in parameters}
