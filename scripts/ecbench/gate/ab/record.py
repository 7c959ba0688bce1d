"""The record of a gate ab run is a file of JSON lines. In each line, the key "record" contains the type of the line. The first line
has the type "gate", and describes what is compared and how. Then each launch has a line of the type "launch", in the order of
measurement. After each look, a line of the type "look" is written. The last line has the type "end" and the exit code, or the type
"broken_off" and the reason. If the last line has another type, the process was killed."""

import datetime
import json
import os
from typing import Any, BinaryIO, NoReturn

from ecbench.terminal.console import Refused

FORMAT = "ecbench gate 1"


class Record:
    """Writes the record. Without a path it writes nothing. Throws Refused if the file already exists or cannot be written."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        if path is None:
            return
        folder = os.path.dirname(path) or "."
        if os.path.lexists(path) or not path:
            self._refuse("exists, and runs are not overwritten; choose another name" if path else "needs a path")
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
            self._refuse(f"cannot be written: {folder} is not a writable directory")

    def begin(self, **header: Any) -> None:
        if self._path is None:
            return
        try:
            self._file = open(self._path, "xb")
        except OSError as error:
            self._refuse(f"cannot be written: {error.strerror}")
        self.append("gate", format=FORMAT, **header)

    def append(self, record: str, **values: Any) -> None:
        if self._file is None:
            return
        line = json.dumps({"record": record, **values}, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._file.write(line.encode("utf-8", "backslashreplace"))
            self._file.flush()
        except OSError as error:
            self._refuse(f"cannot be written: {error.strerror}")

    def end(self, **values: Any) -> None:
        self.append("end", at=now(), **values)
        self.break_off()

    def break_off(self, **reason: Any) -> None:
        """Closes the file. If there is a `reason`, first writes a line of the type "broken_off"."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if reason:
                file.write(json.dumps({"record": "broken_off", "at": now(), **reason}).encode() + b"\n")
            file.close()
        except OSError:  # ignored: append() has already written all other lines, or has reported an error
            pass

    def _refuse(self, why: str) -> NoReturn:
        raise Refused(f"--output {self._path} {why}")


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
