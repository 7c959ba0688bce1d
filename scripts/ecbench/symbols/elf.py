"""Reads from the section .eh_frame where functions begin and end. Compilers write an entry for every function into this section,
and strip does not remove the section. pyelftools can also read .eh_frame, but pyelftools decodes each call frame instruction. This
takes 11 s for libc and 19 s for libstdc++. This module takes 6 ms."""

import dataclasses
import functools
import io
import pathlib
import struct
from typing import TYPE_CHECKING

# The encoding of a pointer in .eh_frame is one byte (DW_EH_PE_* of the Linux Standard Base). The low four bits contain the format
# of the pointer. The next three bits define the base to which the pointer is added.
FORMATS = {0x00: "<Q", 0x02: "<H", 0x03: "<I", 0x04: "<Q", 0x0A: "<h", 0x0B: "<i", 0x0C: "<q"}
PC_RELATIVE = 0x10
OMITTED = 0xFF


def extents(content: bytes, address: int) -> list[tuple[int, int]]:
    """For each function: (begin, end), sorted by address. `content`: the bytes of .eh_frame. `address`: the section's address."""
    found = set()
    encodings: dict[int, int] = {}  # offset of the entry that declares the encoding → encoding of pointers
    place = 0
    while place + 4 <= len(content):
        length, = struct.unpack_from("<I", content, place)
        start = place + 4
        if length == 0:
            place = start  # the end of the entries of one object file; the entries of other object files may follow
            continue
        if length == 0xFFFFFFFF:
            length, = struct.unpack_from("<Q", content, start)
            start += 8
        identity, = struct.unpack_from("<I", content, start)
        if identity == 0:
            encodings[place] = pointer_encoding(content, start + 4)
        else:
            extent = read_extent(content, start + 4, address, encodings.get(start - identity, OMITTED))
            if extent:
                found.add(extent)
        place = start + length
    return sorted(found)


def read_extent(content: bytes, place: int, address: int, encoding: int) -> tuple[int, int] | None:
    form = FORMATS.get(encoding & 0x0F)
    if encoding == OMITTED or form is None or encoding & 0x70 not in (0, PC_RELATIVE):
        return None
    begin, = struct.unpack_from(form, content, place)
    if encoding & PC_RELATIVE:
        begin += address + place
    size, = struct.unpack_from(form.upper(), content, place + struct.calcsize(form))  # sizes are unsigned
    return (begin, begin + size) if size else None


def pointer_encoding(content: bytes, place: int) -> int:
    """The pointer encoding that a common information entry (CIE) declares. `place`: the position of the version in this entry."""
    version = content[place]
    end = content.index(b"\0", place + 1)
    augmentation = content[place + 1:end].decode(errors="replace")
    place = end + 1
    place = after_number(content, place)  # skip the code alignment factor
    place = after_number(content, place)  # skip the data alignment factor
    place = place + 1 if version == 1 else after_number(content, place)  # skip the return address register
    if not augmentation.startswith("z"):
        return 0
    place = after_number(content, place)  # skip the length of the augmentation data
    for letter in augmentation[1:]:
        if letter == "R":
            return content[place]
        if letter == "P":  # skip the encoding and the pointer of the personality routine
            form = FORMATS.get(content[place] & 0x0F)
            if form is None:
                return OMITTED
            place += 1 + struct.calcsize(form)
        elif letter == "L":
            place += 1
        elif letter not in "SB":  # S and B have no data
            return OMITTED
    return 0


def after_number(content: bytes, place: int) -> int:
    """The position after the LEB128 number at `place`. Such a number has a variable length."""
    while content[place] & 0x80:
        place += 1
    return place + 1


# Reads an object file: its symbols, where its functions begin and end, and the virtual address of each byte. All addresses are
# those in the file, not those in a process. pyelftools is imported only when a file is read: help texts do not need it.

if TYPE_CHECKING:
    from elftools.elf.sections import Section


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
        """For each function in .eh_frame: (begin, end), sorted by address. .eh_frame does not contain the names of functions."""
        section = self.section(".eh_frame")
        return extents(section.data(), section["sh_addr"]) if section else []

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
