"""What an object file says of its functions: symbols, where functions begin and end, and which bytes of the file lie at which
address. Addresses are the file's own (virtual) ones, the same in every process. ELF of 64 bits, little-endian: what ecbench
runs on."""

import dataclasses
import functools
import struct

from ecbench.symbols import eh_frame

SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM = 2, 8, 11
SHF_EXECINSTR = 4
PT_LOAD = 1
STT_NOTYPE, STT_FUNC, STT_GNU_IFUNC = 0, 2, 10
STB_LOCAL = 0
DT_STRTAB, DT_SONAME = 5, 14
NT_GNU_BUILD_ID = 3


class NotElf(Exception):
    """The file is no object that can be read here."""


@dataclasses.dataclass(frozen=True)
class Section:
    name: str
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    entry_size: int

    def holds(self, address):
        return self.address <= address < self.address + self.size


@dataclasses.dataclass(frozen=True)
class Symbol:
    address: int
    size: int
    name: str
    type: int
    binding: int


class Elf:
    """Throws NotElf, and OSError where the file cannot be read."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self._bytes = file.read()
        self.path = path
        if self._bytes[:6] != b"\x7fELF\x02\x01":
            raise NotElf(path)
        try:
            self.sections = self._read_sections()
            self._segments = self._read_segments()
        except (struct.error, IndexError) as error:
            raise NotElf(path) from error

    @functools.cached_property
    def symbols(self):
        """The functions and labels in code that .symtab and .dynsym name."""
        executable = {index for index, section in enumerate(self.sections) if section.flags & SHF_EXECINSTR}
        return [symbol for section in self.sections if section.type in (SHT_SYMTAB, SHT_DYNSYM)
                for index, symbol in self._symbols_of(section) if index in executable]

    @functools.cached_property
    def extents(self):
        """(begin, end) of the functions that .eh_frame knows, in order; no names."""
        section = self.section(".eh_frame")
        if section is None or section.type == SHT_NOBITS:
            return []
        return eh_frame.extents(self._content(section), section.address)

    @functools.cached_property
    def soname(self):
        """The name that programs ask for, libm.so.6; None for programs."""
        section = self.section(".dynamic")
        if section is None or section.type == SHT_NOBITS:
            return None
        entries = dict(struct.iter_unpack("<qQ", self._whole_entries(section, 16)))
        if DT_SONAME not in entries:
            return None
        return self._text(self.sections[section.link], entries[DT_SONAME])

    @functools.cached_property
    def build_id(self):
        section = self.section(".note.gnu.build-id")
        if section is None or section.type == SHT_NOBITS:
            return None
        note = self._content(section)
        name_size, size, kind = struct.unpack_from("<III", note)
        start = 12 + (name_size + 3) // 4 * 4
        return note[start:start + size].hex() if kind == NT_GNU_BUILD_ID else None

    @functools.cached_property
    def debug_link(self):
        """The name of the file with the symbols that were stripped from this one."""
        section = self.section(".gnu_debuglink")
        return None if section is None or section.type == SHT_NOBITS else self._text(section, 0)

    def section(self, name):
        return next((section for section in self.sections if section.name == name), None)

    def code_section(self, address):
        return next((section for section in self.sections if section.flags & SHF_EXECINSTR and section.holds(address)), None)

    def address_of(self, offset):
        """The address of a byte of the file, by which processes map it; None if it is not loaded."""
        for start, size, address in self._segments:
            if start <= offset < start + size:
                return offset - start + address
        return None

    def _read_sections(self):
        start, = struct.unpack_from("<Q", self._bytes, 0x28)
        entry_size, count, names = struct.unpack_from("<HHH", self._bytes, 0x3A)
        raw = [struct.unpack_from("<IIQQQQIIQQ", self._bytes, start + index * entry_size) for index in range(count)]
        sections = [Section("", type_, flags, address, offset, size, link, entry)
                    for _, type_, flags, address, offset, size, link, _, _, entry in raw]
        if not sections:
            return []
        return [dataclasses.replace(section, name=self._text(sections[names], entry[0]))
                for section, entry in zip(sections, raw, strict=True)]

    def _read_segments(self):
        start, = struct.unpack_from("<Q", self._bytes, 0x20)
        entry_size, count = struct.unpack_from("<HH", self._bytes, 0x36)
        raw = [struct.unpack_from("<IIQQQQ", self._bytes, start + index * entry_size) for index in range(count)]
        return [(offset, size, address) for type_, _, offset, address, _, size in raw if type_ == PT_LOAD]

    def _symbols_of(self, section):
        names = self.sections[section.link]
        for name, info, _, index, address, size in struct.iter_unpack("<IBBHQQ", self._whole_entries(section, 24)):
            if info & 15 in (STT_NOTYPE, STT_FUNC, STT_GNU_IFUNC) and address and name:
                yield index, Symbol(address, size, self._text(names, name), info & 15, info >> 4)

    def _whole_entries(self, section, size):
        content = self._content(section)
        return content[:len(content) // size * size]

    def _content(self, section):
        return self._bytes[section.offset:section.offset + section.size]

    def _text(self, section, offset):
        start = section.offset + offset
        return self._bytes[start:self._bytes.index(b"\0", start)].decode(errors="replace")
