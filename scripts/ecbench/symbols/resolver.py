"""Finds the name of the function at an address of an object file, for all profilers. A function never gets the name of the function
before it. If a function has no name, its object file and its first address are used, as in [libm.so.6+0x1230]. If .eh_frame does
not contain the function, the given address is used instead of the first address. `how` is the way in which the name was found:

  symbol                the address is inside a symbol that has a size. The symbol is in the object file or in its debug file
  assembler symbol      the symbol has no size, as in ISA-L. The function ends where the next symbol or function begins
  pointer of the field  the function has no symbol, because the object file is stripped. But a Galois field of GF-Complete
                        contains a pointer to the function, and `ecbench --symbols` writes a name for this pointer. .eh_frame
                        contains the end of the function
  section               the address is in the stubs through which the object file calls other object files (.plt)
  unnamed               no name was found"""

import bisect
import dataclasses
import functools
import itertools
import math
import os
from collections.abc import Iterable

from ecbench.symbols.elf import Elf, NotElf, Symbol

SYMBOL, ASSEMBLER, POINTER, SECTION, UNNAMED = "symbol", "assembler symbol", "pointer of the field", "section", "unnamed"
DEBUG_FOLDER = "/usr/lib/debug"


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    object: str
    how: str


class Resolver:
    """`pointers`: for each kernel to which the code has a pointer: (path of the object file, address, name)."""

    def __init__(self, pointers: Iterable[tuple[str, int, str]] = ()) -> None:
        self._pointers: dict[str, dict[int, str]] = {}
        for path, address, name in pointers:
            self._pointers.setdefault(os.path.realpath(path), {})[address] = name
        self._objects: dict[str, ObjectNames | None] = {}
        self.readable: dict[str, str] = {}  # name in the object file → the name that function() returns

    def function(self, path: str, address: int) -> Function:
        names = self.object(path)
        if names is None:
            short = os.path.basename(path) if path else "unknown"
            return Function(f"[{short}+{address:#x}]" if path else "[no object]", short, UNNAMED)
        name, how = names.name(address)
        return Function(self.readable.get(name, name), names.short, how)

    def object(self, path: str) -> "ObjectNames | None":
        """The names in an object file; None if the file cannot be read, for example for [vdso], which is not a file."""
        if path not in self._objects:
            try:
                self._objects[path] = ObjectNames(path, self._pointers.get(os.path.realpath(path), {})) if path else None
            except (OSError, NotElf):
                self._objects[path] = None
        return self._objects[path]


class ObjectNames:
    def __init__(self, path: str, pointers: dict[int, str]) -> None:
        self._elf = Elf(path)
        self._pointers = pointers
        self.short = self._elf.soname or os.path.basename(os.path.realpath(path))
        self.name = functools.cache(self._find_name)

    def address_of(self, offset: int) -> int | None:
        return self._elf.address_of(offset)

    def _find_name(self, address: int) -> tuple[str, str]:
        """The function's name, and how it was found."""
        if exact := self._exact(address):
            return exact, SYMBOL
        extents = self._elf.extents
        index = bisect.bisect_right(extents, (address, math.inf)) - 1
        extent = extents[index] if index >= 0 and extents[index][1] > address else None
        if extent and extent[0] in self._pointers:
            return self._pointers[extent[0]], POINTER
        if assembler := self._assembler(address):
            return assembler, ASSEMBLER
        if (section := self._elf.code_section(address)) and section.name.startswith(".plt"):
            return f"[{self.short} {section.name}]", SECTION
        return f"[{self.short}+{extent[0] if extent else address:#x}]", UNNAMED

    @functools.cached_property
    def _symbols(self) -> list[Symbol]:
        """The best symbol for each address and size, sorted. Local labels are excluded, because they are inside functions."""
        debug = debug_file(self._elf)
        best: dict[tuple[int, int], Symbol] = {}
        for symbol in sorted(self._elf.symbols + (debug.symbols if debug else []), key=preference):
            if symbol.size or not (symbol.is_label and symbol.is_local):
                best.setdefault((symbol.address, symbol.size), symbol)
        return sorted(best.values(), key=lambda symbol: (symbol.address, -symbol.size))

    @functools.cached_property
    def _sized(self) -> tuple[list[int], list[Symbol], list[int]]:
        """The symbols that have a size: their first addresses, the symbols, and the highest end address of each and all before
        it."""
        symbols = [symbol for symbol in self._symbols if symbol.size]
        ends = itertools.accumulate((symbol.address + symbol.size for symbol in symbols), max)
        return [symbol.address for symbol in symbols], symbols, list(ends)

    def _exact(self, address: int) -> str | None:
        begins, symbols, last_ends = self._sized
        index = bisect.bisect_right(begins, address) - 1
        while index >= 0 and last_ends[index] > address:
            if symbols[index].address + symbols[index].size > address:
                return symbols[index].name
            index -= 1
        return None

    @functools.cached_property
    def _endless(self) -> dict[int, str]:
        """The symbols that have no size, which can be the name of the code that follows: address → name, sorted."""
        return {symbol.address: symbol.name for symbol in self._symbols if not symbol.size}

    @functools.cached_property
    def _edges(self) -> list[int]:
        """Where a symbol with a size, a function or a section begins or ends."""
        sized = [(symbol.address, symbol.address + symbol.size) for symbol in self._symbols if symbol.size]
        return sorted({edge for part in (*sized, *self._elf.extents, *self._elf.code_parts) for edge in part})

    def _assembler(self, address: int) -> str | None:
        """The nearest symbol that has no size and is not above `address`; None if there is an edge between them."""
        addresses = list(self._endless)
        index = bisect.bisect_right(addresses, address) - 1
        if index < 0 or bisect.bisect_right(self._edges, addresses[index]) != bisect.bisect_right(self._edges, address):
            return None
        return self._endless[addresses[index]]


def preference(symbol: Symbol) -> tuple[bool, bool, int, str]:
    """Sort key for symbols at one address: global ones first, then names without a leading underscore, then short names."""
    return symbol.is_local, symbol.name.startswith("_"), len(symbol.name), symbol.name


def debug_file(elf: Elf) -> Elf | None:
    """The file with the symbols that were stripped; None if it is not installed (Debian: packages -dbg or -dbgsym)."""
    build_id = elf.build_id or ""
    try:
        debug = Elf(f"{DEBUG_FOLDER}/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
    except (OSError, NotElf):
        return None
    return debug if debug.build_id == build_id else None
