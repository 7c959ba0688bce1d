"""Reads and writes the baseline file. For each known fingerprint and each point, the file contains the accepted instruction count
of each function. The file is in the repository, so its diffs must be small. Therefore equal counts give equal text, and each point
has one line."""

import json
import os
import pathlib
import tempfile
from typing import Any

from ecbench.files.input_file import read_text
from ecbench.files.results_folder import results_folder
from ecbench.gate.ir.counting import Count
from ecbench.gate.ir.fingerprint import Facts, differences, key_of
from ecbench.installation.places import SOURCE
from ecbench.runfile.shape import read_json
from ecbench.terminal.console import Refused

Entries = dict[str, dict[str, Any]]  # key of a fingerprint → {"fingerprint": facts, "points": {id: point as JSON}}

FORMAT = "ecbench gate ir baseline 1"
LARGEST = 1 << 63  # every valid count is smaller than this number; a damaged file may contain larger numbers


def default_path() -> pathlib.Path:
    return (SOURCE / "results" if SOURCE else results_folder()) / "gate" / "ir-baseline.json"


class Baseline:
    def __init__(self, path: str | os.PathLike, entries: Entries) -> None:
        self.path = path
        self._entries = entries

    def find(self, facts: Facts) -> dict[str, tuple[Count, str]] | None:
        """id → (Count, name of the point) for a fingerprint; None if the fingerprint is unknown."""
        entry = self._entries.get(key_of(facts))
        if entry is None:
            return None
        return {identity: (count_of(point), point["point"]) for identity, point in entry["points"].items()}

    def nearest(self, facts: Facts) -> list[str] | None:
        """How `facts` differ from the most similar known fingerprint of the same counter; None if there is no such fingerprint."""
        known = [entry["fingerprint"] for entry in self._entries.values() if entry["fingerprint"]["counter"] == facts["counter"]]
        return min((differences(other, facts) for other in known), key=len, default=None)

    def put(self, facts: Facts, points: dict[str, tuple[Count, str]], keep_others: bool) -> None:
        """`points`: id → (Count, name). Replaces these points of the fingerprint. If `keep_others` is false, removes the
        other points of the fingerprint."""
        entry = self._entries.setdefault(key_of(facts), {"fingerprint": facts, "points": {}})
        before = entry["points"] if keep_others else {}
        entry["points"] = before | {identity: json_of(count, name) for identity, (count, name) in points.items()}

    def write(self) -> None:
        """Writes the file. If this fails, the old file is unchanged. Throws Refused."""
        folder = os.path.dirname(os.path.abspath(self.path))
        partial = None
        try:
            os.makedirs(folder, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".ir-baseline-", delete=False, encoding="utf-8") as file:
                partial = file.name
                file.write(as_text(self._entries))
                file.flush()
                os.fsync(file.fileno())
            os.chmod(partial, mode_of(self.path))
            os.replace(partial, self.path)
        except OSError as error:
            if partial and os.path.exists(partial):
                os.remove(partial)
            raise Refused(f"--baseline {self.path} cannot be written: {error.strerror}") from error


def read_baseline(path: str | os.PathLike, may_be_missing: bool) -> Baseline:
    """Throws Refused if the file cannot be read or is not a baseline."""
    try:
        document = read_json(read_text(path))
    except FileNotFoundError:
        if may_be_missing:
            return Baseline(path, {})
        raise Refused(f"--baseline {path} does not exist; --update creates it") from None
    except OSError as error:
        raise Refused(f"--baseline {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise corrupt(path, f"it is not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise corrupt(path, f"its format is not '{FORMAT}'")
    check_entries(path, document.get("entries"))
    return Baseline(path, document["entries"])


def check_entries(path: str | os.PathLike, entries: Any) -> None:
    if not isinstance(entries, dict):
        raise corrupt(path, "it has no entries")
    for key, entry in entries.items():
        try:
            if not all(isinstance(text, str) for text in entry["fingerprint"].values()) or key_of(entry["fingerprint"]) != key:
                raise corrupt(path, f"the name of entry {key} is not the digest of its fingerprint")
            entry["fingerprint"]["counter"]
            for identity, point in entry["points"].items():
                check_point(path, identity, point)
        except (KeyError, TypeError, AttributeError) as error:
            raise corrupt(path, f"entry {key} has no valid fingerprint or no valid points") from error


def check_point(path: str | os.PathLike, identity: str, point: Any) -> None:
    try:
        count = count_of(point)
        numbers = (count.instructions, count.iterations, count.size, *count.functions.values())
        whole = all(type(value) is int and abs(value) < LARGEST for value in numbers)
        named = all(isinstance(text, str) and text.isprintable() for text in (point["point"], point["kernel"]))
        right = whole and named and count.instructions > 0 and count.iterations > 0 and count.size > 0
    except (KeyError, TypeError, AttributeError):
        right = False
    if not right:
        raise corrupt(path, f"the count of point {identity} is not valid")


def corrupt(path: str | os.PathLike, why: str) -> Refused:
    return Refused(f"--baseline {path} is not a baseline of gate ir: {why}; restore the file from git, or remove it and create a "
                   "new one with --update")


def count_of(point: dict[str, Any]) -> Count:
    functions = {(file, function): count for file, named in point["functions"].items() for function, count in named.items()}
    return Count(point["instructions"], point["iterations"], point["size"], point["kernel"], functions)


def json_of(count: Count, name: str) -> dict[str, Any]:
    functions: dict[str, dict[str, int]] = {}
    for (file, function), instructions in sorted(count.functions.items()):
        functions.setdefault(file, {})[function] = instructions
    return {"point": name, "kernel": count.kernel, "size": count.size, "iterations": count.iterations,
            "instructions": count.instructions, "functions": functions}


def as_text(entries: Entries) -> str:
    """The text of the file. It has one line for each fact and each point, and the lines are sorted, so that diffs are small."""
    lines = ["{", f' "format": {json.dumps(FORMAT)},', ' "entries": {']
    blocks = []
    for key, entry in sorted(entries.items()):
        facts = [f"    {json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(entry["fingerprint"].items())]
        points = [f"    {json.dumps(identity)}: {json.dumps(point, ensure_ascii=False)}"
                  for identity, point in sorted(entry["points"].items(), key=lambda item: (item[1]["point"], item[0]))]
        blocks.append("\n".join([f"  {json.dumps(key)}: {{", '   "fingerprint": {', ",\n".join(facts), "   },", '   "points": {',
                                 ",\n".join(points), "   }", "  }"]))
    lines += [",\n".join(blocks), " }", "}"]
    return "\n".join(line for line in lines if line) + "\n"


def mode_of(path: str | os.PathLike) -> int:
    """The permissions of the file that is replaced. If no file is replaced: the permissions that follow from the umask."""
    try:
        return os.stat(path).st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
