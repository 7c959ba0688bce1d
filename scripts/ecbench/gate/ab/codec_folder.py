"""Makes both sides load their codec libraries in the same way. A process that loads them from a directory allocates more memory at
its start, which moves a code's tables (same_layout.py) and would make it up to 4 % faster or slower at points with many chunks."""

import contextlib
import dataclasses
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from ecbench.gate.sides.sides import CODEC_LIBRARIES, Side
from ecbench.process import temporary


@contextlib.contextmanager
def loaded_alike(old: Side, new: Side, shared_objects: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[Side, Side]]:
    """If only one side loads its codec libraries from a directory, the other gets a directory with links to its own libraries.
    `shared_objects`: name of a side → the shared objects in ecbench --environment."""
    without = [side for side in (old, new) if side.codec_lib is None]
    if len(without) != 1:
        yield old, new
        return
    named = pathlib.Path(str((new if without[0] is old else old).codec_lib))
    with temporary.new_folder() as folder:
        for thing in shared_objects[without[0].name]:
            if thing["name"] in CODEC_LIBRARIES and (named / thing["name"]).exists():
                (folder / thing["name"]).symlink_to(os.path.expanduser(thing["path"]))
        linked = {without[0].name: dataclasses.replace(without[0], codec_lib=str(folder))} if os.listdir(folder) else {}
        yield linked.get("OLD", old), linked.get("NEW", new)
