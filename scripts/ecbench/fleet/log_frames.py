"""The format of a run in the log of a pod. A pod has no volume. Therefore it prints the compressed run to its log, in lines that
begin with a mark:

    ecbench-run ID host JSON             first line: the name of the node, the number of the pod in its Job, and the number of pods
    ecbench-run ID NUMBER BASE64         one part of the run, which is compressed by gzip; the first part has the NUMBER 0
    ecbench-run ID end JSON              last line: the number of parts, the SHA-256 of the compressed run, and how the mode ended

The JSON text is encoded in base64. ID is random, so the lines of several pods may be mixed. A line may begin with a prefix, such as
the prefixes that kubectl logs prints with --prefix or --timestamps. A log is refused if the end line or a part is missing, or if
the SHA-256 does not match."""

import base64
import binascii
import dataclasses
import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from ecbench.fleet.host_state import MOST_BYTES
from ecbench.point.point import Json
from ecbench.runfile.shape import Shape, Unlike, fields, or_null, read_json, text, whole
from ecbench.terminal.console import Refused

MARK = "ecbench-run"
LINE = re.compile(rb"(?:^|[\s\]])ecbench-run ([0-9a-f]{16}) (host|end|[0-9]{1,6}) ([A-Za-z0-9+/=]*)\s*$")
PART = 6000  # characters of base64 per line; the kubelet splits lines of more than 16 KiB
MOST_IN_LOG = 7 << 20  # bytes of all parts; the kubelet rotates a log at 10 MiB, and the log also has prefixes and messages
MOST_LINE = 1 << 16

HOST = fields({"host": text, "index": whole(), "pods": whole(1)})
END = fields({"parts": whole(), "sha256": text, "state": text}, {"reason": text, "exit_code": or_null(whole())})


def encode_json(value: Json) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def host_line(identity: str, host: Json) -> str:
    return f"{MARK} {identity} host {encode_json(host)}"


def run_lines(identity: str, run: bytes, end: Json) -> Iterator[str]:
    """Yields the lines of a run except the first line. `run` is the content of the run file. Throws Refused if the compressed run
    is too large for a log."""
    packed = gzip.compress(run, mtime=0) if run else b""
    encoded = base64.b64encode(packed).decode()
    if len(encoded) > MOST_IN_LOG:
        raise Refused(f"the run is too large for the log of a pod: {-(-len(encoded) >> 20)} MiB after compression and "
                      f"base64; allowed: {MOST_IN_LOG >> 20} MiB; measure fewer points")
    parts = [encoded[start:start + PART] for start in range(0, len(encoded), PART)]
    yield from (f"{MARK} {identity} {number} {part}" for number, part in enumerate(parts))
    yield f"{MARK} {identity} end {encode_json({**end, 'parts': len(parts), 'sha256': hashlib.sha256(packed).hexdigest()})}"


@dataclasses.dataclass
class PodLog:
    """The content of the lines of one run, which were read from the log of a pod."""

    identity: str
    host: Json | None = None
    end: Json | None = None
    parts: dict[int, bytes] = dataclasses.field(default_factory=dict)

    def run(self) -> bytes:
        """The content of the run file. Throws Refused if the log is incomplete or damaged."""
        if self.end is None:
            raise Refused("the log has no end: the pod is still running or was killed, or the log is cut off; collect the "
                          "log again after the pod has ended")
        missing = next((number for number in range(self.end["parts"]) if number not in self.parts), None)
        if missing is not None or len(self.parts) != self.end["parts"]:
            raise Refused(f"the log is cut off: it has {len(self.parts)} of {self.end['parts']} parts of the run; collect the "
                          "log again")
        try:
            packed = base64.b64decode(b"".join(self.parts[number] for number in range(len(self.parts))), validate=True)
        except binascii.Error as error:
            raise Refused(f"the log is damaged: {error}; collect the log again") from error
        if hashlib.sha256(packed).hexdigest() != self.end["sha256"]:
            raise Refused("the log is damaged: the SHA-256 of the run does not match; collect the log again")
        return unpacked(packed) if packed else b""


def unpacked(packed: bytes) -> bytes:
    """Decompresses a run. Throws Refused if the data is damaged, or if the run is larger than MOST_BYTES."""
    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(packed)).read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(f"the run in the log cannot be decompressed: {error}") from error
    if len(content) > MOST_BYTES:
        raise Refused(f"the run in the log is larger than {MOST_BYTES >> 20} MiB, the limit for a run file")
    return content


def read_log(lines: Iterable[bytes]) -> dict[str, PodLog]:
    """Reads log lines, and returns the PodLog of each ID. Lines without the mark are ignored."""
    logs: dict[str, PodLog] = {}
    for line in lines:
        found = LINE.search(line[:MOST_LINE])
        if not found:
            continue
        identity, kind, content = found[1].decode(), found[2].decode(), found[3]
        log = logs.setdefault(identity, PodLog(identity))
        if kind == "host":
            log.host = decoded(content, HOST)
        elif kind == "end":
            log.end = decoded(content, END)
        else:
            log.parts[int(kind)] = content
    return logs


def decoded(content: bytes, shape: Shape) -> Any:
    """Decodes the JSON value of a line. Returns None if `content` is not valid, or if the value does not
    have this shape."""
    try:
        value = read_json(base64.b64decode(content, validate=True))
        shape(value)
    except (binascii.Error, ValueError, Unlike):
        return None
    return value
