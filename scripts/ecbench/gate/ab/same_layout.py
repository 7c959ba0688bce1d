"""Starts both sides of a launch with paths of the same length. The addresses of a code's tables in the heap decide which sets of
the L1 cache the tables share with the chunks. These addresses depend on earlier allocations, such as those of the paths with which
the program was started. If the paths of the two sides have different lengths, all launches have the same bias. For example, a build
was compared with its copy, and the path of the copy was 15 letters longer. The copy was 3 % slower or faster at points with many
chunks, in every launch of every run. Therefore both sides are started through symbolic links. The paths of the links have the same
length and the same number of slashes. The number of slashes is random in each launch. It changes the addresses of the tables. Thus,
if OLD and NEW allocate different amounts of memory, the bias also changes from launch to launch and averages out."""

import contextlib
import dataclasses
import pathlib
import random
import tempfile
from collections.abc import Iterator

from ecbench.gate.sides.sides import Side
from ecbench.terminal.console import Refused, WrongBytes

Sides = dict[str, Side]  # "old" and "new"

MOST_SLASHES = 1500  # this number of slashes can change the addresses of later allocations by up to a page


@contextlib.contextmanager
def names_of_one_length(sides: Sides, random_order: random.Random) -> Iterator[Sides]:
    """Yields the sides with other paths, which are links to the same files."""
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
    """The text with the file names that the user gave."""
    for name, real in sides.items():
        link = linked_sides[name]
        for path, known in ((link.plugin_directory, real.plugin_directory), (link.program, real.program),
                            (link.codec_lib, real.codec_lib)):
            if path is not None and known is not None:
                text = text.replace(path, known)
    return text
