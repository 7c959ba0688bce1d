"""Makes both sides load their codec libraries in the same way. A process that loads codec libraries from a directory allocates
slightly more memory at its start than a process that loads the system's libraries. If only one side used a directory, the addresses
of a code's tables would differ between the sides (same_layout.py). At points with many chunks, this would make one side 4 % faster
or slower. Therefore the side without a directory gets a directory with links to the system's libraries."""

import contextlib
import dataclasses
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Any

from ecbench.gate.sides.sides import CODEC_LIBRARIES, Side


@contextlib.contextmanager
def loaded_alike(old: Side, new: Side, shared_objects: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[Side, Side]]:
    """Yields both sides. If only one side loads its codec libraries from a directory, the other side gets a directory with links to
    its own libraries. `shared_objects`: name of a side → the shared objects that its program loads, from ecbench --environment."""
    without = [side for side in (old, new) if side.codec_lib is None]
    if len(without) != 1:
        yield old, new
        return
    named = pathlib.Path(str((new if without[0] is old else old).codec_lib))
    with tempfile.TemporaryDirectory(prefix="ecbench-gate-") as folder:
        for thing in shared_objects[without[0].name]:
            if thing["name"] in CODEC_LIBRARIES and (named / thing["name"]).exists():
                pathlib.Path(folder, thing["name"]).symlink_to(os.path.expanduser(thing["path"]))
        linked = {without[0].name: dataclasses.replace(without[0], codec_lib=folder)} if os.listdir(folder) else {}
        yield linked.get("OLD", old), linked.get("NEW", new)
