"""The symbols of an object file, where its functions begin and end, and the name of the function at an address. All addresses are
those in the file, not those in a process. pyelftools is imported only when a file is read: help texts do not need it."""

import bisect
import dataclasses
import functools
import io
import itertools
import math
import os
import pathlib
import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elftools.elf.sections import Section


# How linkers write .eh_frame_hdr: a pointer relative to its place, the number of entries, and entries relative to the section, all
# of 4 bytes.
HEADER_ENCODINGS = bytes((0x1b, 0x03, 0x3b))


class NotElf(Exception):
    """The file is not an object file that this module can read."""


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A function or a label in code."""

    address: int
    size: int  # 0 if the symbol has no size, as in assembler code
    name: str
    is_local: bool
    is_label: bool  # the symbol has no type


class Elf:
    """The constructor raises OSError and NotElf."""

    def __init__(self, path: str) -> None:
        from elftools.common.exceptions import ELFError
        from elftools.construct import ConstructError
        from elftools.elf.elffile import ELFFile

        # The exceptions that pyelftools raises for damaged files.
        damaged = (ELFError, ConstructError, AttributeError, IndexError, KeyError, TypeError, ValueError)
        try:
            self._file = ELFFile(io.BytesIO(pathlib.Path(path).read_bytes()))
            self._sections: list[Section] = list(self._file.iter_sections())
            self._segments = [segment for segment in self._file.iter_segments() if segment["p_type"] == "PT_LOAD"]
        except damaged as error:
            raise NotElf(path) from error

    @functools.cached_property
    def symbols(self) -> list[Symbol]:
        """The symbols of functions, and of labels in code. They are in .symtab and .dynsym."""
        from elftools.elf.sections import SymbolTableSection
        code = {index for index, section in enumerate(self._sections) if is_code(section)}
        return [Symbol(symbol["st_value"], symbol["st_size"], symbol.name, symbol["st_info"]["bind"] == "STB_LOCAL",
                       symbol["st_info"]["type"] == "STT_NOTYPE")
                for section in self._sections if isinstance(section, SymbolTableSection) for symbol in section.iter_symbols()
                if symbol["st_shndx"] in code and symbol["st_value"] and symbol.name
                and symbol["st_info"]["type"] in ("STT_NOTYPE", "STT_FUNC", "STT_GNU_IFUNC", "STT_LOOS")]

    @functools.cached_property
    def extents(self) -> list[tuple[int, int]]:
        """Begin and end of each function that a compiler has made, sorted; strip does not remove these sections. .eh_frame_hdr has
        the begin of each function and its entry in .eh_frame, which has the size. pyelftools decodes all entries, 11 s for libc."""
        header, frames = self.section(".eh_frame_hdr"), self.section(".eh_frame")
        if header is None or frames is None or header.data()[1:4] != HEADER_ENCODINGS:
            return []
        table, entries, base = header.data(), frames.data(), header["sh_addr"]
        count, = struct.unpack_from("<I", table, 8)
        found = []
        for begin, entry in struct.iter_unpack("<ii", table[12:12 + 8 * count]):
            place = base + entry - frames["sh_addr"] + 8
            relative, size = struct.unpack_from("<iI", entries, place)
            if frames["sh_addr"] + place + relative == base + begin and size:  # otherwise the entry has another encoding
                found.append((base + begin, base + begin + size))
        return found

    @functools.cached_property
    def soname(self) -> str | None:
        """The name by which programs load this library, such as libm.so.6; None if the file is a program."""
        section = self.section(".dynamic")
        return next((tag.soname for tag in section.iter_tags("DT_SONAME")), None) if section else None

    @functools.cached_property
    def build_id(self) -> str | None:
        section = self.section(".note.gnu.build-id")
        notes = section.iter_notes() if section else ()
        return next((note["n_desc"] for note in notes if note["n_type"] == "NT_GNU_BUILD_ID"), None)

    @functools.cached_property
    def code_parts(self) -> dict[tuple[int, int], str]:
        """Begin and end of each section with code → its name."""
        return {(section["sh_addr"], section["sh_addr"] + section["sh_size"]): section.name
                for section in self._sections if is_code(section)}

    def address_of(self, offset: int) -> int | None:
        """The virtual address of the byte at `offset` in the file; None if processes do not load this byte."""
        for segment in self._segments:
            if 0 <= offset - segment["p_offset"] < segment["p_filesz"]:
                return offset - segment["p_offset"] + segment["p_vaddr"]
        return None

    def section(self, name: str) -> "Section | None":
        """None if the file has no such section, or none with bytes, as in debug files."""
        found = self._file.get_section_by_name(name)
        return None if found is None or found["sh_type"] == "SHT_NOBITS" else found


def is_code(section: "Section") -> bool:
    from elftools.elf.constants import SH_FLAGS
    return bool(section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)


# Finds the name of the function at an address of an object file, for all profilers. A function never gets the name of the one
# before it; without a name, it is its object file and its first address (without an entry in .eh_frame: the given address), as in
# [libm.so.6+0x1230]. How the name was found: SYMBOL, a symbol with a size, in the object file or its debug file; ASSEMBLER, one
# without a size, as in ISA-L, whose function ends where the next symbol or function begins; POINTER, a Galois field of
# GF-Complete points to the function, which is stripped, and `ecbench --symbols` names the pointer; SECTION, the stubs of calls
# (.plt).

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
        for (begin, end), name in self._elf.code_parts.items():
            if begin <= address < end and name.startswith(".plt"):
                return f"[{self.short} {name}]", SECTION
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
