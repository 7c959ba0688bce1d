"""Draws a flame graph with inferno-flamegraph, if the profile has call stacks. perf's own flame graph script is not used: its HTML
loads d3 from the network, and it has no names for the functions of stripped libraries."""

import collections
import os
import shutil

from ecbench.process.children import Child
from ecbench.profile.folder import Folder
from ecbench.profilers.subject import Broken, run_checked
from ecbench.terminal.console import say

INFERNO = "0.11.21"
STACKS, SVG = "stacks.folded", "flame.svg"


def draw(stacks: collections.Counter[tuple[str, ...]], tool: str, title: str, folder: Folder, child: Child) -> None:
    """Writes the call stacks and the flame graph. Each stack is one line with the outermost function first. If no flame graph can
    be drawn, prints the reason in one line."""
    if not stacks:
        say(f"no flame graph: {tool} recorded no call stacks; use perf")
        return
    folder.write(STACKS, "".join(f"{';'.join(stack)} {count}\n" for stack, count in sorted(stacks.items())))
    program = shutil.which("inferno-flamegraph") or shutil.which(os.path.expanduser("~/.cargo/bin/inferno-flamegraph"))
    if not program:
        say(f"no flame graph: inferno-flamegraph is not installed; install it with 'cargo install inferno --version {INFERNO} "
            "--locked'")
        return
    try:
        drawing, _ = run_checked([program, "--title", title, "--countname", "samples", folder.file(STACKS)], child, False,
                                 "inferno-flamegraph")
    except Broken as error:
        say(f"no flame graph: {error}")
        return
    folder.write(SVG, drawing)
