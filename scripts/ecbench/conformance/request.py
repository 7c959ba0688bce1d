"""The encodings that bench.sh conformance makes. The user requests one profile or a grid. The options for one profile are those of
ceph_erasure_code_non_regression. Axes are written as for bench.sh run."""

import argparse
import collections
import itertools
from collections.abc import Sequence
from typing import TypeVar

from ecbench.conformance.folder_name import Encoding, make_encoding
from ecbench.experiment.expansion import Dropped, profiles, report_dropped
from ecbench.experiment.experiment import read_experiment
from ecbench.measure.ecbench import Ecbench
from ecbench.point.axes import OPTIONS, Language, split
from ecbench.point.description import Description, Plugins
from ecbench.point.point import Pairs
from ecbench.terminal.console import Refused

# The other axes of OPTIONS, such as threads=, are settings of a measurement. conformance measures nothing.
AXES = {"size": OPTIONS["size"]}
MOST_FOLDERS = 10_000
T = TypeVar("T")


def read_parameters(words: Sequence[str]) -> list[tuple[str, str]]:
    """Key and value of each -P, in the given order. Throws Refused."""
    parameters: list[tuple[str, str]] = []
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise Refused(f"--parameter {word} is not allowed; give key=value, such as k=4")
        if key in (known for known, _ in parameters):
            raise Refused(f"--parameter {word} is not allowed: {key} is given twice")
        parameters.append((key, value))
    return parameters


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
    """The encodings of a request. If ecbench refuses encodings of a grid, these are reported and left out. Throws Refused."""
    widths = options.stripe_width or [4096]
    if options.plugin is not None:
        wanted = [make_encoding(options.plugin, read_parameters(options.parameter), width) for width in widths]
    else:
        wanted = [make_encoding(plugin, parameters, width)
                  for plugin, parameters, size in read_profiles(options.grid, program.list_plugins())
                  for width in (widths if size is None else [size])]
    return possible(wanted, program.describe([encoding.request() for encoding in wanted]), options.plugin is not None)


def possible(wanted: Sequence[T], answers: Sequence[Description], takes_all: bool = False) -> list[T]:
    """Those of `wanted` that ecbench does not refuse; reports the others. `answers`: of ecbench --describe. Throws Refused if none
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
    read_parameters(options.parameter)
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
