"""What bench.sh conformance is asked to encode: one profile, as Ceph's tool takes it, or a grid in the language of the sweep."""

import itertools

from ecbench.conformance.folder_name import make_encoding
from ecbench.point.axes import OPTIONS, Language, split
from ecbench.point.expansion import DEFAULT_PLUGINS, Dropped
from ecbench.point.grid import read_grids
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


def read_profiles(words, plugins):
    """(plugin, parameters, size or None) of every combination of the grids, each once. A parameter that a technique lacks is left
    out there. Throws Refused."""
    grids, _ = read_grids(words, Language(plugins, AXES))
    profiles = {}
    for axes in grids:
        for profile in itertools.chain.from_iterable(combinations(axes, plugins)):
            profiles[profile] = None
            if len(profiles) > MOST_FOLDERS:
                raise Refused(f"the grid has more than {MOST_FOLDERS} profiles: shorten an axis")
    if not profiles:
        raise Refused("the grid is empty: no plugin has what is named")
    return list(profiles)


def combinations(axes, plugins):
    for name in axes.get("plugin", [name for name in DEFAULT_PLUGINS if name in plugins]):
        techniques = {technique["name"]: technique for technique in plugins[name]["techniques"]}
        for technique in technique_names(techniques, axes):
            yield combinations_of(name, techniques[technique], axes)


def technique_names(techniques, axes):
    """Those that the axes ask for. That of clay has no name, and a parameter `technique`, which is that of the code underneath."""
    if "technique" not in axes or ("" in techniques and "technique" in parameter_names(techniques[""])):
        return list(techniques)
    return [name for name in axes["technique"] if name in techniques]


def parameter_names(technique):
    return {parameter["name"] for parameter in technique["parameters"]}


def combinations_of(plugin, technique, axes):
    has = parameter_names(technique)
    keys = [key for key in axes if key == "technique" or key in has]
    if technique["name"] and "technique" not in keys:
        keys.insert(0, "technique")
    values = [[technique["name"]] if key == "technique" and technique["name"] else axes[key] for key in keys]
    for combination in itertools.product(*values):
        parameters = tuple((key, str(value)) for key, value in zip(keys, combination, strict=True))
        for size in axes.get("size", (None,)):
            yield plugin, parameters, size


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
