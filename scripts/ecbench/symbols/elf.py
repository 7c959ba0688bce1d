"""Reads an object file: its symbols, where its functions begin and end, and the virtual address of each byte. All addresses are
those in the file, not those in a process. pyelftools is imported only when a file is read: help texts do not need it."""

import dataclasses
import functools
import io
import pathlib
import struct
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

    def code_section(self, address: int) -> "Section | None":
        return next((section for section in self._sections
                     if is_code(section) and 0 <= address - section["sh_addr"] < section["sh_size"]), None)

    @functools.cached_property
    def code_parts(self) -> list[tuple[int, int]]:
        """Begin and end of each section with code."""
        return [(section["sh_addr"], section["sh_addr"] + section["sh_size"]) for section in self._sections if is_code(section)]

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
