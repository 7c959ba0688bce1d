"""What bench.sh conformance encodes, and the names of directories in Ceph's corpus of encoded objects: `plugin=P stripe-width=N
key=value ...`. The parameters are in the order in which ceph_erasure_code_non_regression received them. The stripe width is the
size of the object."""

import argparse
import collections
import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from typing import NoReturn, TypeVar

from ecbench.documents.document import Json
from ecbench.experiment.expansion import Dropped, profiles, report_dropped
from ecbench.experiment.experiment import read_experiment
from ecbench.files.inputs import AGAIN, PARAMETERS
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import OPTIONS, Language, split
from ecbench.point.description import Description, Plugins
from ecbench.point.point import Pairs, profile_words
from ecbench.terminal.console import Refused

WIDTH = "stripe-width"
OLD_WIDTH = "stipe-width"  # the spelling of Ceph 0.85, which Ceph's published corpus still contains


@dataclasses.dataclass(frozen=True)
class Encoding:
    """Describes the object in a directory: the profile with which it is encoded, and its size."""

    plugin: str
    parameters: Pairs  # in the same order as in the name of the directory
    width: int  # bytes of the object

    def __str__(self) -> str:
        return " ".join([f"plugin={self.plugin}", f"{WIDTH}={self.width}", *(f"{key}={value}" for key, value in self.parameters)])

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.parameters)

    def request(self) -> Json:
        """The request for ecbench describe."""
        return {"words": [*self.words(), "--size", str(self.width)]}


def make_encoding(plugin: str, parameters: Iterable[tuple[str, str]], width: int) -> Encoding:
    """Throws Refused if parse() would not read the same encoding from the directory's name."""
    encoding = Encoding(plugin, tuple(parameters), width)
    for key, value in (("plugin", plugin), *encoding.parameters):
        if "/" in value or "\0" in value:
            raise Refused(f"{key}={value} is not allowed: it becomes part of a directory's name, which cannot contain /")
    if parse(str(encoding)) != encoding:
        raise Refused(f"'{encoding}' is not allowed as a directory's name, because `conformance check` would read another profile "
                      "from it: put spaces in double quotes")
    if len(str(encoding).encode()) > 255:
        raise Refused(f"'{encoding}' is not allowed: a directory's name has at most 255 bytes")
    return encoding


def parse(name: str) -> Encoding:
    """Reads the encoding from the name of a directory. Throws Refused if a directory of a corpus cannot have this name."""
    def refuse(why: str) -> NoReturn:
        raise Refused(f"'{name}' is not a directory of a corpus: {why}")

    if any("\ud800" <= letter <= "\udfff" for letter in name):  # ecbench gets the words as JSON, which must be UTF-8
        refuse("its name is not UTF-8")
    pairs = [word.partition("=") for word in split_name(name)]
    for key, equals, _ in pairs:
        if not key or not equals:
            refuse(f"{key or 'an empty word'} is not key=value")
    keys = [key for key, _, _ in pairs]
    if named := [key for key in keys if key.removeprefix("erasure-code-") in PARAMETERS]:
        refuse(f"{named[0]} {AGAIN}")
    if keys[:1] != ["plugin"] or keys[1:2] not in ([WIDTH], [OLD_WIDTH]):
        refuse(f"its name must begin with plugin=... {WIDTH}=...")
    width = pairs[1][2]
    if not (width.isascii() and width.isdigit() and 0 < int(width[:19]) < 1 << 62 and len(width) < 19):
        refuse(f"{WIDTH}={width} is not a number of bytes from 1 to 10^18 - 1")
    if len(set(keys)) < len(keys):
        refuse(f"{next(key for key in keys if keys.count(key) > 1)} is given twice")
    return Encoding(pairs[0][2], tuple((key, value) for key, _, value in pairs[2:]), int(width))


def split_name(name: str) -> list[str]:
    """The words of a name. A space between double quotes separates none: lrc's parameter `layers` is JSON."""
    words: list[str] = []
    word, quoted = "", False
    for character in name:
        quoted ^= character == '"'
        if character == " " and not quoted:
            words.append(word)
            word = ""
        else:
            word += character
    return [*words, word]


# The encodings that bench.sh conformance makes: of one profile, with the options of ceph_erasure_code_non_regression, or of a grid.

# The other axes of OPTIONS, such as threads=, are settings of a measurement. conformance measures nothing.
AXES = {"size": OPTIONS["size"]}
MOST_FOLDERS = 10_000
T = TypeVar("T")


def read_profiles(words: list[str], plugins: Plugins) -> list[tuple[str, Pairs, int | None]]:
    """Plugin, parameters and size (None if not given) of every combination of the grids, without duplicates. Throws Refused."""
    grids = read_experiment(words, Language(plugins, AXES)).points
    found: dict[tuple[str, Pairs, int | None], None] = {}
    for axes in grids:
        for (plugin, pairs), size in itertools.product(profiles(axes, plugins, Dropped(), collections.Counter()),
                                                       axes.get("size", (None,))):
            found[plugin, pairs, size] = None
            if len(found) > MOST_FOLDERS:
                raise Refused(f"the grid has more than {MOST_FOLDERS} combinations of profile and size: give fewer values")
    if not found:
        raise Refused("the grid is empty: no plugin has the requested profiles")
    return list(found)


def encodings(options: argparse.Namespace, program: Ecbench) -> list[Encoding]:
    """Those of a grid that ecbench refuses are reported and left out. Throws Refused."""
    widths = options.stripe_width or [4096]
    parameters = [(key, value) for key, _, value in (word.partition("=") for word in options.parameter)]
    if options.plugin is not None:
        wanted = [make_encoding(options.plugin, parameters, width) for width in widths]
    else:
        wanted = [make_encoding(plugin, parameters, width)
                  for plugin, parameters, size in read_profiles(options.grid, program.list_plugins())
                  for width in (widths if size is None else [size])]
    return possible(wanted, program.describe([encoding.request() for encoding in wanted]), options.plugin is not None)


def possible(wanted: Sequence[T], answers: Sequence[Description], takes_all: bool = False) -> list[T]:
    """Those of `wanted` that ecbench does not refuse; reports the others. `answers`: of ecbench describe. Throws Refused if none
    remains or, with `takes_all`, if one is refused."""
    found, left = Dropped(), []
    for one, answer in zip(wanted, answers, strict=True):
        if answer.refused:
            found.add(answer.refused, one)
        else:
            left.append(one)
    dropped = found.all()
    if takes_all and dropped:
        raise Refused(dropped[0].why)
    report_dropped(dropped)
    if not left:
        raise Refused("ecbench refuses all these profiles; the messages above give the reasons")
    return left


def check(options: argparse.Namespace) -> None:
    """Checks the options of create without a call of ecbench. Throws Refused."""
    if options.plugin is not None and options.grid:
        raise Refused("--plugin is not allowed with a grid, because it is for a single profile; in a grid, give plugin=...")
    if options.parameter and options.plugin is None:
        raise Refused("--parameter is not allowed without --plugin; give --plugin NAME")
    if options.plugin is None and not options.grid:
        raise Refused("no profile is given; give --plugin and --parameter, or axes such as plugin=isa k=2,4 m=1")
    if options.stripe_width and any(word.startswith("size=") for word in split(options.grid)):
        raise Refused("--stripe-width is not allowed with size=: both are the size of the objects; leave one out")
    if options.grid:
        read_experiment(options.grid, Language(None, AXES))
