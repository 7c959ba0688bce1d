"""Draws the call stacks of a profile as a flame graph (Gregg, ACM Queue 14(2), 2016): each box is a function, as wide as its share,
above its caller. The SVG has no script and loads nothing; a tooltip names each function."""

import collections
import html
import zlib

from ecbench.profile.folder import Folder
from ecbench.terminal.console import say

STACKS, SVG = "stacks.folded", "flame.svg"
WIDTH, ROW, LETTER, HEAD = 1200, 18, 7.0, 40  # pixels
NARROWEST = 0.5  # pixels of a box that is drawn
Stacks = collections.Counter[tuple[str, ...]]


def draw(stacks: Stacks, tool: str, title: str, folder: Folder) -> None:
    """Writes the call stacks and the flame graph. Each stack is one line with the outermost function first."""
    stacks = collections.Counter({stack: count for stack, count in stacks.items() if stack and count > 0})
    if not stacks:
        say(f"no flame graph: {tool} recorded no call stacks; use perf")
        return
    folder.write(STACKS, "".join(f"{';'.join(stack)} {count}\n" for stack, count in sorted(stacks.items())))
    folder.write(SVG, svg(stacks, f"{tool} of {title}"))


def svg(stacks: Stacks, title: str) -> str:
    total, boxes = stacks.total(), list(boxes_of(stacks))
    height = HEAD + ROW * (1 + max(depth for depth, *_ in boxes))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="monospace" font-size="12">',
             f'<text x="8" y="24" font-size="15">{html.escape(title)}</text>']
    for depth, begin, count, name in boxes:
        left, width = WIDTH * begin / total, WIDTH * count / total
        if width < NARROWEST:
            continue
        top = height - ROW * (depth + 1)
        letters = int((width - 4) / LETTER)
        text = name if len(name) <= letters else f"{name[:letters - 2]}.." if letters > 3 else ""
        lines.append(f'<g><title>{html.escape(name)}: {100 * count / total:.2f} %</title><rect x="{left:.1f}" y="{top}" '
                     f'width="{width:.1f}" height="{ROW - 1}" fill="{colour(name)}"/>'
                     + (f'<text x="{left + 3:.1f}" y="{top + 13}">{html.escape(text)}</text>' if text else "") + "</g>")
    return "\n".join([*lines, "</svg>\n"])


def boxes_of(stacks: Stacks) -> list[tuple[int, int, int, str]]:
    """Depth, begin, cost and name of each box. Stacks with the same begin are next to each other, since they are sorted."""
    found: list[tuple[int, int, int, str]] = []
    open_boxes: list[int] = []  # of each function of the stack before: the index of its box
    begin, before = 0, tuple[str, ...]()
    for stack, count in sorted(stacks.items()):
        common = next((depth for depth, (one, other) in enumerate(zip(before, stack)) if one != other),
                      min(len(before), len(stack)))
        del open_boxes[common:]
        for depth in range(common, len(stack)):
            open_boxes.append(len(found))
            found.append((depth, begin, 0, stack[depth]))
        for index in open_boxes:
            depth, left, cost, name = found[index]
            found[index] = depth, left, cost + count, name
        begin, before = begin + count, stack
    return found


def colour(name: str) -> str:
    """A warm colour that a function has in every profile."""
    return f"hsl({zlib.crc32(name.encode(errors='replace')) % 50} 80% 70%)"
