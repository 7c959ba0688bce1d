"""The symbols of an object file, where its functions begin and end, and the name of the function at an address. All addresses are
those in the file, not those in a process. pyelftools is imported only when a file is read: help texts do not need it."""

import bisect
import dataclasses
import functools
import io
import os
import pathlib
import struct
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elftools.elf.sections import Section


# How linkers write .eh_frame_hdr: a pointer relative to its place, the number of entries, and entries relative to the section, all
# of 4 bytes.
HEADER_ENCODINGS = bytes((0x1b, 0x03, 0x3b))
DEBUG_FOLDER = "/usr/lib/debug"

# How a name was found: SYMBOL, a symbol with a size, in the object file or its debug file; ASSEMBLER, one without a size, as in
# ISA-L, whose function ends where the next symbol or function begins; POINTER, a Galois field of GF-Complete points to the
# function, which is stripped, and `ecbench --symbols` names the pointer; SECTION, the stubs of calls (.plt).
SYMBOL, ASSEMBLER, POINTER, SECTION, UNNAMED = "symbol", "assembler symbol", "pointer of the field", "section", "unnamed"


class NotElf(Exception):
    """The file is not an object file that this module can read."""


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A function or a label in code."""

    address: int
    size: int  # 0 if the symbol has no size, as in assembler code
    name: str
    is_local: bool


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    object: str
    how: str


class Elf:
    """`pointers`: address → name of each kernel to which the code has a pointer. The constructor raises OSError and NotElf."""

    def __init__(self, path: str, pointers: Mapping[int, str] | None = None) -> None:
        from elftools.common.exceptions import ELFError
        from elftools.construct import ConstructError
        from elftools.elf.elffile import ELFFile

        self._pointers = pointers or {}
        # The exceptions that pyelftools raises for damaged files.
        damaged = (ELFError, ConstructError, AttributeError, IndexError, KeyError, TypeError, ValueError)
        try:
            self._file = ELFFile(io.BytesIO(pathlib.Path(path).read_bytes()))
            self._sections: list[Section] = list(self._file.iter_sections())
            self._segments = [segment for segment in self._file.iter_segments() if segment["p_type"] == "PT_LOAD"]
        except damaged as error:
            raise NotElf(path) from error
        dynamic, notes = self.section(".dynamic"), self.section(".note.gnu.build-id")
        # The name by which programs load this library, such as libm.so.6.
        soname = next((tag.soname for tag in dynamic.iter_tags("DT_SONAME")), None) if dynamic else None
        self.short: str = soname or os.path.basename(os.path.realpath(path))
        self.build_id = next((note["n_desc"] for note in notes.iter_notes() if note["n_type"] == "NT_GNU_BUILD_ID"),
                             "") if notes else ""
        self._name_from = functools.cache(self._find_name)

    @functools.cached_property
    def symbols(self) -> list[Symbol]:
        """The symbols of functions, and of labels in code, in .symtab and .dynsym. Local labels without a size are left out: they
        are inside functions."""
        from elftools.elf.sections import SymbolTableSection
        code = {index for index, section in enumerate(self._sections) if is_code(section)}
        return [Symbol(symbol["st_value"], symbol["st_size"], symbol.name, info["bind"] == "STB_LOCAL")
                for section in self._sections if isinstance(section, SymbolTableSection) for symbol in section.iter_symbols()
                for info in [symbol["st_info"]] if symbol["st_shndx"] in code and symbol["st_value"] and symbol.name
                and info["type"] in ("STT_NOTYPE", "STT_FUNC", "STT_GNU_IFUNC", "STT_LOOS")
                and (symbol["st_size"] or (info["type"], info["bind"]) != ("STT_NOTYPE", "STB_LOCAL"))]

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
    def _code_parts(self) -> dict[tuple[int, int], str]:
        """Begin and end of each section with code → its name."""
        return {(section["sh_addr"], section["sh_addr"] + section["sh_size"]): section.name
                for section in self._sections if is_code(section)}

    @functools.cached_property
    def _best_symbols(self) -> list[Symbol]:
        """One for each address and size, also of the debug file: global ones are preferred, then names without a leading
        underscore, then short names. Of those around an address, the innermost is the last."""
        found = sorted(self.symbols + symbols_of_debug_file(self.build_id), reverse=True,
                       key=lambda one: (one.is_local, one.name.startswith("_"), len(one.name), one.name))
        best = {(one.address, one.size): one for one in found}
        return sorted(best.values(), key=lambda one: (one.address, -one.size))

    @functools.cached_property
    def _edges(self) -> list[int]:
        """Where a symbol, a function or a section begins or ends: all addresses between two edges have the same name."""
        symbols = ((one.address, one.address + one.size) for one in self._best_symbols)
        return sorted({0, *(edge for part in (*symbols, *self.extents, *self._code_parts) for edge in part)})

    def name(self, address: int) -> tuple[str, str]:
        """The name of the function, and how it was found. A function never gets the name of the one before it; without a name, it
        is its object file and its first address (without an entry in .eh_frame: `address`), as in [libm.so.6+0x1230]."""
        name, how = self._name_from(self._edges[bisect.bisect_right(self._edges, address) - 1])
        return name or f"[{self.short}+{address:#x}]", how

    def _find_name(self, edge: int) -> tuple[str, str]:
        """For the addresses from `edge` to the next one. An empty name: none is known."""
        symbols = [one for one in self._best_symbols if one.address <= edge < one.address + max(1, one.size)]
        if sized := [one.name for one in symbols if one.size]:
            return sized[-1], SYMBOL
        first = next((begin for begin, end in self.extents if begin <= edge < end), None)
        if first is not None and first in self._pointers:
            return self._pointers[first], POINTER
        if symbols:
            return symbols[-1].name, ASSEMBLER
        for (begin, end), name in self._code_parts.items():
            if begin <= edge < end and name.startswith(".plt"):
                return f"[{self.short} {name}]", SECTION
        return f"[{self.short}+{first:#x}]" if first is not None else "", UNNAMED

    def address_of(self, offset: int) -> int | None:
        """The virtual address of the byte at `offset` in the file; None if processes do not load this byte."""
        return next((offset - segment["p_offset"] + segment["p_vaddr"] for segment in self._segments
                     if 0 <= offset - segment["p_offset"] < segment["p_filesz"]), None)

    def section(self, name: str) -> "Section | None":
        """None if the file has no such section, or none with bytes, as in debug files."""
        found = self._file.get_section_by_name(name)
        return None if found is None or found["sh_type"] == "SHT_NOBITS" else found


def is_code(section: "Section") -> bool:
    from elftools.elf.constants import SH_FLAGS
    return bool(section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)


def symbols_of_debug_file(build_id: str) -> list[Symbol]:
    """The symbols that were stripped, if their file is installed (Debian: packages -dbg or -dbgsym)."""
    try:
        debug = Elf(f"{DEBUG_FOLDER}/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
    except (OSError, NotElf):
        return []
    return debug.symbols if debug.build_id == build_id else []


class Resolver:
    """Names the function at an address, for all profilers. `pointers`: for each kernel to which the code has a pointer: (path of
    the object file, address, name)."""

    def __init__(self, pointers: Iterable[tuple[str, int, str]] = ()) -> None:
        self._pointers: dict[str, dict[int, str]] = {}
        for path, address, name in pointers:
            self._pointers.setdefault(os.path.realpath(path), {})[address] = name
        self._objects: dict[str, Elf | None] = {}
        self.readable: dict[str, str] = {}  # name in the object file → the name that function() returns

    def function(self, path: str, address: int) -> Function:
        names = self.object(path)
        if names is None:
            short = os.path.basename(path) if path else "unknown"
            return Function(f"[{short}+{address:#x}]" if path else "[no object]", short, UNNAMED)
        name, how = names.name(address)
        return Function(self.readable.get(name, name), names.short, how)

    def object(self, path: str) -> Elf | None:
        """None if the file cannot be read, for example for [vdso], which is not a file."""
        if path not in self._objects:
            try:
                self._objects[path] = Elf(path, self._pointers.get(os.path.realpath(path))) if path else None
            except (OSError, NotElf):
                self._objects[path] = None
        return self._objects[path]
