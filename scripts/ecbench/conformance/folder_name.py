"""The names of directories in Ceph's corpus of encoded objects: `plugin=P stripe-width=N key=value ...`. The parameters are in the
order in which ceph_erasure_code_non_regression received them. The stripe width is the size of the object."""

import dataclasses
from collections.abc import Iterable
from typing import NoReturn

from ecbench.documents.document import Json
from ecbench.files.loading import AGAIN, PARAMETERS
from ecbench.point.point import Pairs, profile_words
from ecbench.terminal.console import Refused

WIDTH = "stripe-width"
OLD_WIDTH = "stipe-width"  # the spelling of Ceph 0.85, which Ceph's published corpus still contains


@dataclasses.dataclass(frozen=True)
class Encoding:
    """Describes the object in a directory: the profile with which it is encoded, and its size."""

    plugin: str
    parameters: Pairs  # in the same order as in the name of the directory
    width: int  # bytes of the object

    def __str__(self) -> str:
        return " ".join([f"plugin={self.plugin}", f"{WIDTH}={self.width}", *(f"{key}={value}" for key, value in self.parameters)])

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.parameters)

    def request(self) -> Json:
        """The request for ecbench --describe."""
        return {"words": [*self.words(), "--size", str(self.width)]}


def make_encoding(plugin: str, parameters: Iterable[tuple[str, str]], width: int) -> Encoding:
    """Throws Refused if parse() would not read the same encoding from the directory's name."""
    encoding = Encoding(plugin, tuple(parameters), width)
    for key, value in (("plugin", plugin), *encoding.parameters):
        if "/" in value or "\0" in value:
            raise Refused(f"{key}={value} is not allowed: it becomes part of a directory's name, which cannot contain /")
    try:
        read_back = parse(str(encoding))
    except Refused:
        read_back = None
    if read_back != encoding:
        raise Refused(f"'{encoding}' is not allowed as a directory's name, because `conformance check` would read "
                      "another profile from this name; possible causes: a space outside double quotes, or two equal keys")
    if len(str(encoding).encode()) > 255:
        raise Refused(f"'{encoding}' is not allowed: a directory's name has at most 255 bytes")
    return encoding


def parse(name: str) -> Encoding:
    """Reads the encoding from the name of a directory. Throws Refused if a directory of a corpus cannot have this name."""
    def refuse(why: str) -> NoReturn:
        raise Refused(f"'{name}' is not a directory of a corpus: {why}")

    if any("\ud800" <= letter <= "\udfff" for letter in name):  # ecbench gets the words as JSON, which must be UTF-8
        refuse("its name is not UTF-8")
    pairs = [word.partition("=") for word in split(name)]
    for key, equals, _ in pairs:
        if not key or not equals:
            refuse(f"{key or 'an empty word'} is not key=value")
    keys = [key for key, _, _ in pairs]
    if named := [key for key in keys if key.removeprefix("erasure-code-") in PARAMETERS]:
        refuse(f"{named[0]} {AGAIN}")
    if keys[:1] != ["plugin"] or keys[1:2] not in ([WIDTH], [OLD_WIDTH]):
        refuse(f"its name must begin with plugin=... {WIDTH}=...")
    width = pairs[1][2]
    if not (width.isascii() and width.isdigit() and 0 < int(width[:19]) < 1 << 62 and len(width) < 19):
        refuse(f"{WIDTH}={width} is not a number of bytes from 1 to 10^18 - 1")
    if len(set(keys)) < len(keys):
        refuse(f"{next(key for key in keys if keys.count(key) > 1)} is given twice")
    return Encoding(pairs[0][2], tuple((key, value) for key, _, value in pairs[2:]), int(width))


def split(name: str) -> list[str]:
    """The words of a name. A space between double quotes separates none: lrc's parameter `layers` is JSON."""
    words: list[str] = []
    word, quoted = "", False
    for character in name:
        quoted ^= character == '"'
        if character == " " and not quoted:
            words.append(word)
            word = ""
        else:
            word += character
    return [*words, word]
