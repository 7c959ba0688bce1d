"""Starts both sides of a launch through symbolic links with paths of the same length. A program allocates memory for the paths with
which it was started, so their length moves the tables of a code in the heap, and determines which sets of the L1 cache hold both
tables and chunks: a copy of a build with a path 15 characters longer seemed to be 3 % slower or faster at points with many chunks,
in every launch. The number of slashes in the paths is random, so that the bias of sides that allocate differently averages out."""

import contextlib
import dataclasses
import pathlib
import random
from collections.abc import Iterator

from ecbench.gate.sides.sides import Side
from ecbench.process import temporary
from ecbench.terminal.console import Refused, WrongBytes

Sides = dict[str, Side]  # "old" and "new"

MOST_SLASHES = 1500  # so many slashes can change the addresses of later allocations by up to a page


@contextlib.contextmanager
def names_of_one_length(sides: Sides, random_order: random.Random) -> Iterator[Sides]:
    slashes = "/" * random_order.randint(1, MOST_SLASHES)
    with temporary.new_folder() as folder:
        linked_sides = {name: linked(side, folder / name, slashes) for name, side in sides.items()}
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
    """Replaces the paths of links by those to which they point."""
    for name, real in sides.items():
        link = linked_sides[name]
        for path, known in ((link.plugin_directory, real.plugin_directory), (link.program, real.program),
                            (link.codec_lib, real.codec_lib)):
            if path is not None and known is not None:
                text = text.replace(path, known)
    return text
