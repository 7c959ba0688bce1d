"""Starts both sides of a launch with paths of the same length. A code's tables are in the heap. Their addresses determine which
sets of the L1 cache contain both tables and chunks. These addresses depend on earlier allocations, and the program allocates memory
for the paths with which it was started. If the paths of the two sides have different lengths, all launches have the same bias. For
example, a build was compared with its copy, whose path was 15 characters longer. At points with many chunks, the copy seemed to be
3 % slower or 3 % faster, in every launch of every run. Therefore both sides are started through symbolic links. The paths of the
links have the same length and the same number of slashes. The number of slashes is chosen at random for each launch, and changes
the addresses of the tables. Thus, if OLD and NEW allocate different amounts of memory, the bias also changes from launch to launch,
and averages out."""

import contextlib
import dataclasses
import pathlib
import random
import tempfile
from collections.abc import Iterator

from ecbench.gate.sides.sides import Side
from ecbench.terminal.console import Refused, WrongBytes

Sides = dict[str, Side]  # "old" and "new"

MOST_SLASHES = 1500  # so many slashes can change the addresses of later allocations by up to a page


@contextlib.contextmanager
def names_of_one_length(sides: Sides, random_order: random.Random) -> Iterator[Sides]:
    """Yields the sides with new paths. These are links to the original paths, and have the same length on both sides."""
    slashes = "/" * random_order.randint(1, MOST_SLASHES)
    with tempfile.TemporaryDirectory(prefix="ecbench-gate-") as folder:
        linked_sides = {name: linked(side, pathlib.Path(folder, name), slashes) for name, side in sides.items()}
        try:
            yield linked_sides
        except (Refused, WrongBytes) as error:
            raise type(error)(with_real_names(str(error), sides, linked_sides)) from error


def linked(side: Side, folder: pathlib.Path, slashes: str) -> Side:
    folder.mkdir()
    links = {"ecbench": side.program, "plugins": side.plugin_directory, "codecs": side.codec_lib}
    for link, target in links.items():
        if target is not None:
            (folder / link).symlink_to(target)
    return dataclasses.replace(side, program=str(folder / "ecbench"), plugin_directory=f"{folder}{slashes}plugins",
                               codec_lib=None if side.codec_lib is None else str(folder / "codecs"))


def with_real_names(text: str, sides: Sides, linked_sides: Sides) -> str:
    """The text, with each path of a link replaced by the path to which the link points."""
    for name, real in sides.items():
        link = linked_sides[name]
        for path, known in ((link.plugin_directory, real.plugin_directory), (link.program, real.program),
                            (link.codec_lib, real.codec_lib)):
            if path is not None and known is not None:
                text = text.replace(path, known)
    return text
