"""The names of the folders in Ceph's corpus of encoded objects: `plugin=P stripe-width=N key=value ...`, with the parameters of the
profile in the order in which ceph_erasure_code_non_regression was given them. The stripe width is the size of the object."""

import dataclasses

from ecbench.terminal.console import Refused

WIDTH = "stripe-width"
OLD_WIDTH = "stipe-width"  # as Ceph 0.85 spelled it, in folders that are still published


@dataclasses.dataclass(frozen=True)
class Encoding:
    """What a folder holds: an object, encoded by a profile."""

    plugin: str
    parameters: tuple  # of (key, value), in their order
    width: int  # bytes of the object

    def __str__(self):
        return " ".join([f"plugin={self.plugin}", f"{WIDTH}={self.width}", *(f"{key}={value}" for key, value in self.parameters)])

    def words(self):
        """The arguments with which ecbench makes the code."""
        words = ["--plugin", self.plugin]
        for key, value in self.parameters:
            words += ["--parameter", f"{key}={value}"]
        return words


def make_encoding(plugin, parameters, width):
    """Throws Refused for what cannot be the name of a folder, or would be read back as something else."""
    encoding = Encoding(plugin, tuple(parameters), width)
    for key, value in (("plugin", plugin), *parameters):
        if "/" in value or "\0" in value:
            raise Refused(f"{key}={value} is not allowed: it becomes part of a folder's name, which has no /")
    try:
        read_back = parse(str(encoding))
    except Refused:
        read_back = None
    if read_back != encoding:
        raise Refused(f"'{encoding}' is not allowed: as a folder's name it would be read as another profile")
    if len(str(encoding).encode()) > 255:
        raise Refused(f"'{encoding}' is not allowed: a folder's name has at most 255 bytes")
    return encoding


def parse(name):
    """The Encoding of a folder's name. Throws Refused if it is none."""
    pairs = [word.partition("=") for word in split(name)]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise Refused(f"'{name}' is no folder of a corpus: {key or 'an empty word'} is not key=value")
    keys = [key for key, _, _ in pairs]
    if keys[:1] != ["plugin"] or keys[1:2] not in ([WIDTH], [OLD_WIDTH]):
        raise Refused(f"'{name}' is no folder of a corpus: its name begins with plugin=... {WIDTH}=...")
    width = pairs[1][2]
    if not (width.isascii() and width.isdigit() and 0 < int(width[:19]) < 1 << 62 and len(width) < 19):
        raise Refused(f"'{name}' is no folder of a corpus: {WIDTH}={width} is no number of bytes")
    if len(set(keys)) < len(keys):
        raise Refused(f"'{name}' is no folder of a corpus: {next(key for key in keys if keys.count(key) > 1)} is given twice")
    return Encoding(pairs[0][2], tuple((key, value) for key, _, value in pairs[2:]), int(width))


def split(name):
    """The words of a name. A blank inside of quotes is part of a word: lrc's layers are JSON, with profiles of several words."""
    words, word, quoted = [], "", False
    for character in name:
        quoted ^= character == '"'
        if character == " " and not quoted:
            words.append(word)
            word = ""
        else:
            word += character
    return [*words, word]
