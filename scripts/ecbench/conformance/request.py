"""What bench.sh conformance is asked to encode: one profile, as Ceph's tool takes it, or a grid in the language of the sweep."""

import collections
import itertools

from ecbench.conformance.folder_name import make_encoding
from ecbench.point.axes import OPTIONS, Language, Plugins, split
from ecbench.point.expansion import Dropped, profiles
from ecbench.point.grid import read_grids
from ecbench.point.point import Pairs
from ecbench.terminal.console import Refused, say

AXES = {"size": OPTIONS["size"]}  # an object is encoded, and nothing is measured
MOST_FOLDERS = 10_000


def read_parameters(words):
    """(key, value) of each -P, in the order given. Throws Refused."""
    parameters = []
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise Refused(f"--parameter {word} is not allowed: give key=value, such as k=4")
        if key in (known for known, _ in parameters):
            raise Refused(f"--parameter {word} is not allowed: {key} is given twice")
        parameters.append((key, value))
    return parameters


def read_profiles(words: list[str], plugins: Plugins) -> list[tuple[str, Pairs, int | None]]:
    """Plugin, parameters and size, if it is given, of every combination of the grids, each once. Throws Refused."""
    grids, _ = read_grids(words, Language(plugins, AXES))
    found: dict[tuple[str, Pairs, int | None], None] = {}
    for axes in grids:
        for (plugin, pairs), size in itertools.product(profiles(axes, plugins, Dropped(), collections.Counter()),
                                                       axes.get("size", (None,))):
            found[plugin, pairs, size] = None
            if len(found) > MOST_FOLDERS:
                raise Refused(f"the grid has more than {MOST_FOLDERS} profiles: shorten an axis")
    if not found:
        raise Refused("the grid is empty: no plugin has the requested profiles")
    return list(found)


def encodings(options, program):
    """What create is to make: Encodings. Of a grid, what the code refuses is told and left out. Throws Refused."""
    wanted = wanted_encodings(options, program)
    answers = program.describe([{"words": [*encoding.words(), "--size", str(encoding.width)]} for encoding in wanted])
    left, refused = left_over(wanted, answers)
    if refused and options.plugin is not None:
        raise Refused(refused[0]["why"])
    tell_left_out(refused)
    if not left:
        raise Refused("no code takes any of these profiles")
    return left


def left_over(wanted, answers):
    """Those that --describe has not refused, and the reasons for which the others were, as points.expansion.Dropped has them."""
    dropped, left = Dropped(), []
    for one, answer in zip(wanted, answers, strict=True):
        if "refused" in answer:
            dropped.add(answer["refused"], one)
        else:
            left.append(one)
    return left, dropped.all()


def tell_left_out(refused):
    for reason in refused:
        say(f"{reason['count']} left out, such as {reason['example']}: {reason['why']}")


def check(options):
    """What can be checked of a request to create before the program is there. Throws Refused."""
    read_parameters(options.parameter)
    if options.plugin is not None and options.grid:
        raise Refused("--plugin is not allowed with a grid: --plugin names a single profile, a grid has plugin=...")
    if options.parameter and options.plugin is None:
        raise Refused("--parameter is not allowed without --plugin")
    if options.plugin is None and not options.grid:
        raise Refused("no profile is given; give --plugin and --parameter, or words such as plugin=isa k=2,4 m=1")
    if options.stripe_width and any(word.startswith("size=") for word in split(options.grid)):
        raise Refused("--stripe-width is not allowed with size=: both are the size of the objects")
    if options.grid:
        read_grids(options.grid, Language(None, AXES))


def wanted_encodings(options, program):
    widths = options.stripe_width or [4096]
    if options.plugin is not None:
        return [make_encoding(options.plugin, read_parameters(options.parameter), width) for width in widths]
    profiles = read_profiles(options.grid, program.list_plugins())
    return [make_encoding(plugin, parameters, width) for plugin, parameters, size in profiles
            for width in (widths if size is None else [size])]
