"""Lists the instructions of the hottest functions with their share of the function's cost, as objdump (binutils) disassembles them.
All profilers give the cost of each address, so perf annotate and callgrind_annotate are not needed."""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence

from ecbench.process.children import Child
from ecbench.profilers.profile_data import Costs
from ecbench.profilers.subject import Broken, run_checked
from ecbench.symbols.resolver import Function, Resolver
from ecbench.terminal.console import say

FUNCTIONS = 3
LONGEST_GAP = 4096  # bytes between two addresses with cost; after a longer gap, a new part of the function begins
LONGEST_INSTRUCTION = 15  # bytes, on x86
INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t(.*)")


def text_of(costs: Costs, resolver: Resolver, demangle: Callable[[Sequence[str]], list[str]], child: Child) -> str:
    """The text of annotated.txt. If objdump is not installed, prints a message and returns an empty text."""
    objdump = shutil.which("objdump")
    if not objdump:
        say("annotated.txt is not written, because objdump is not installed: install the package binutils")
        return ""
    by_function: dict[tuple[str, Function], dict[int, int]] = {}
    for (path, address), count in costs.at.items():
        if path and resolver.object(path):
            by_function.setdefault((path, resolver.function(path, address)), {})[address] = count
    hottest = sorted(by_function.items(), key=lambda item: -sum(item[1].values()))[:FUNCTIONS]
    names = demangle([function.name for (_, function), _ in hottest])
    parts = []
    for ((path, function), counts), name in zip(hottest, names, strict=True):
        own = sum(counts.values())
        lines = [f"{name} in {function.object}: {own} {costs.event}, {100 * own / costs.total:.2f} % of the profile",
                 f"{'self %':>7}  {'address':>8}  instruction"]
        try:
            parts.append("\n".join([*lines, *instructions(objdump, path, counts, own, child)]))
        except Broken as error:
            say(f"annotated.txt does not contain the function {name}: {error}")
    return "".join(f"{part}\n\n" for part in parts)


def instructions(objdump: str, path: str, counts: dict[int, int], own: int, child: Child) -> Iterator[str]:
    """Throws Broken."""
    for first, last in ranges(sorted(counts)):
        listing, _ = run_checked([objdump, "-d", "--no-show-raw-insn", f"--start-address={first:#x}",
                                  f"--stop-address={last + LONGEST_INSTRUCTION:#x}", path], child, False, "objdump")
        for line in listing.splitlines():
            if (found := INSTRUCTION.fullmatch(line)) and (address := int(found[1], 16)) <= last:
                share = f"{100 * counts[address] / own:.2f}" if address in counts else ""
                yield f"{share:>7}  {address:8x}  {' '.join(found[2].split())}"


def ranges(addresses: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last address of each part of a function (see LONGEST_GAP). `addresses` must be sorted."""
    parts: list[tuple[int, int]] = []
    for address in addresses:
        if parts and address - parts[-1][1] <= LONGEST_GAP:
            parts[-1] = parts[-1][0], address
        else:
            parts.append((address, address))
    return parts


