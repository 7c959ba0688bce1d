"""Gives both sides of a launch names of one length.

Where a code's tables come to lie in the heap, and so which lines of the L1 cache they share with the chunks, depends on what was
allocated before them: on the lengths of the paths that the program was started with, for one. That is no noise but a bias, the same
in each launch: a copy of a build under a path that was 15 letters longer was 3 % slower or faster at points with many chunks, in
every launch of every run. So both sides are started by links of one length; and by paths that get longer by as many slashes, drawn
anew for each launch: where OLD and NEW allocate differently by themselves, the launches then scatter around the truth, and do not
all miss it on the same side."""

import contextlib
import dataclasses
import pathlib
import tempfile

from ecbench.gate.ab.slice_server import WrongBytes
from ecbench.terminal.console import Refused

MOST_SLASHES = 1500  # moves what is allocated later by up to a page


@contextlib.contextmanager
def names_of_one_length(sides, random_order):
    """`sides`: "old" and "new" → Side. Yields the same with other paths to the same files."""
    slashes = "/" * random_order.randint(1, MOST_SLASHES)
    with tempfile.TemporaryDirectory(prefix="ecbench-gate-") as folder:
        linked_sides = {name: linked(side, pathlib.Path(folder, name), slashes) for name, side in sides.items()}
        try:
            yield linked_sides
        except (Refused, WrongBytes) as error:
            raise type(error)(with_real_names(str(error), sides, linked_sides)) from error


def linked(side, folder, slashes):
    folder.mkdir()
    links = {"ecbench": side.program, "plugins": side.plugin_directory, "codecs": side.codec_lib}
    for link, target in links.items():
        if target is not None:
            (folder / link).symlink_to(target)
    return dataclasses.replace(side, program=str(folder / "ecbench"), plugin_directory=f"{folder}{slashes}plugins",
                               codec_lib=None if side.codec_lib is None else str(folder / "codecs"))


def with_real_names(text, sides, linked_sides):
    """What a program says of its files names them as the user knows them."""
    for name, real in sides.items():
        link = linked_sides[name]
        for path, known in ((link.plugin_directory, real.plugin_directory), (link.program, real.program),
                            (link.codec_lib, real.codec_lib)):
            if path is not None:
                text = text.replace(path, known)
    return text
