"""The record of a gate ab run: JSON lines, whose key "record" has the type of the line. First "gate" (what is compared, and how),
then a "launch" for each launch, in the order of measurement, a "look" after each look, and at last "end" with the exit code, or
"broken_off" with the reason. If the last line has another type, the process was killed."""

import contextlib
import json
import os
from typing import Any, BinaryIO, NoReturn

from ecbench.runfile.run_file import now
from ecbench.terminal.console import Refused

FORMAT = "ecbench gate 1"


class Record:
    """Without a path, it writes nothing."""

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
        """Closes the file, after a line with the reason if there is one."""
        file, self._file = self._file, None
        if file is None:
            return
        with contextlib.suppress(OSError):  # append() has already written all other lines, or has reported an error
            if reason:
                file.write(json.dumps({"record": "broken_off", "at": now(), **reason}).encode() + b"\n")
            file.close()

    def _refuse(self, why: str) -> NoReturn:
        raise Refused(f"--output {self._path} {why}")
