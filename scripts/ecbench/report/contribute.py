"""What identifies a host: its name, the name of the user, and paths. Paths of the system, such as /usr/lib, do not."""

import dataclasses
import getpass
import gzip
import json
import os
import pathlib
import platform
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from ecbench.documents.document import Json
from ecbench.point.point import Point
from ecbench.report import check
from ecbench.runfile.header import read_lines
from ecbench.runfile.row import Row
from ecbench.runfile.run_file import Run, read_run
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.console import Refused, plain

PATH = re.compile(r"(?:(?<![\w.:/])(?:~|/(?!usr/|lib|proc/|sys/|dev/))|/(?=(?:home|root|Users)/))[\w.+@~-]*(?:/[\w.+@~-]+)+/?")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|"
                     r"(?<![\w.-])(?:[\w-]+\.)+(?:com|org|net|edu|gov|local|lan|internal|corp|intra)(?![\w.-])")
KEYS = {"host", "hostname", "fqdn", "domain", "user", "username", "login"}
PLAIN = ("root", "user", "localhost", "ubuntu", "debian", "admin", "build", "test")


def private_names(run: Run) -> list[str]:
    """The names of this host and user; without names that say nothing, such as that of the user "clay" in a run of plugin clay."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = ""
    names = [platform.node(), platform.node().partition(".")[0], user, os.path.basename(os.path.expanduser("~"))]
    plain = {*PLAIN, *words_of(run)}
    return sorted({name for name in names if len(name) > 3 and name.lower() not in plain}, key=len, reverse=True)


def words_of(run: Run) -> list[str]:
    """The words in the run's points, CPU, format and keys, without those of paths."""
    header, points = run.header, map(Point.to_json, run.points.values())
    values = [run.mode, vars(header.machine), header.environment.cpu.json, header.environment.kernels, *points,
              header.format, *keys_in(header.json), *(field.name for field in dataclasses.fields(Row))]
    return re.findall(r"\w+", json.dumps(mapped(values, lambda text: without_names(text, []))).lower())


def keys_in(value: Any) -> Iterator[str]:
    for key, one in value.items() if isinstance(value, dict) else ():
        yield from (key, *keys_in(one))


def cleaned_record(record: Json, names: list[str], ids: dict[str, str]) -> Json:
    """The record without private names. `ids`: old → new ids of points, whose codec_lib was a path; this function adds to it."""
    found = mapped(record, lambda text: without_names(text, names))
    for old, new in [*zip(record.get("points", ()), found.get("points", ())), *([(record, found)] if "point" in record else ())]:
        if old["point"] != new["point"]:
            new["id"] = ids[old["id"]] = Point.from_json(new["point"]).id
    if found.get("id") in ids:
        found["id"] = ids[found["id"]]
    if isinstance(found.get("tried"), dict):
        found["tried"] = {ids.get(key, key): value for key, value in found["tried"].items()}
    return found


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): one if is_version(key, one) else mapped(one, change) for key, one in value.items() if key not in KEYS}
    return [mapped(one, change) for one in value] if isinstance(value, list) else value


def is_version(key: str, value: Any) -> bool:
    """Whether this is a version in numbers. One with four numbers is no address, such as that of libibverbs 1.14.44.0."""
    return key == "version" and isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)*", value) is not None


def without_names(text: str, names: list[str]) -> str:
    text = PATH.sub(lambda found: os.path.basename(found[0].rstrip("/")), text)
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text)
    return ADDRESS.sub("NAME", text)


def private_texts(value: Any) -> Iterator[str]:
    """The texts in a record that identify a host."""
    if isinstance(value, str):
        yield from (found[0] for found in (*PATH.finditer(value), *ADDRESS.finditer(value)))
    elif isinstance(value, dict):
        yield from (f"{key}: {value[key]}" for key in sorted(KEYS & value.keys()))
        for one in (*value, *(one for key, one in value.items() if not is_version(key, one))):
            yield from private_texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from private_texts(one)


# report --contribute: prepares a finished run for results/. It removes the names of the host and user and private paths, checks
# the run, and prints the text of a pull request.

def contribute(path: pathlib.Path, results: pathlib.Path) -> str:
    """Writes the run to the directory of its CPU in `results`. Returns the text of a pull request."""
    source = read_run(path)
    folder = results / source.header.machine.slug
    target = folder / f"{source.name}.jsonl.gz"
    try:
        if target.exists():
            raise Refused(f"{target} exists, and results are not overwritten; remove it, or give --output DIRECTORY")
        existing = next(one for one in (folder, *folder.absolute().parents) if one.is_dir())
        with tempfile.TemporaryDirectory(dir=existing, prefix=".contribute-") as temporary:
            draft = pathlib.Path(temporary, target.name)
            changed = write_cleaned(source, draft)
            if problems := check.problems_of(draft):
                raise Refused(f"{source.path} cannot be shared: {'; '.join(map(plain, problems))}")
            folder.mkdir(parents=True, exist_ok=True)
            draft.rename(target)
    except OSError as error:
        raise Refused(f"{target} cannot be written: {error.strerror}") from error
    return request_text(read_run(target), target, changed)


def write_cleaned(source: Run, target: pathlib.Path) -> int:
    """Returns the number of records that were changed."""
    names, changed, ids = private_names(source), 0, dict[str, str]()
    with gzip.GzipFile(target, "wb", mtime=0) as file:
        for line in read_lines(source.path):
            record = json.loads(line)
            cleaned = cleaned_record(record, names, ids)
            changed += cleaned != record
            file.write(json.dumps(cleaned, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
    return changed


def request_text(run: Run, target: pathlib.Path, changed: int) -> str:
    """Markdown."""
    header = run.header
    environment, points = header.environment, list(run.points.values())
    cpu, build = environment.cpu, environment.ecbench
    shapes = sorted({(int(point.get("k") or 0), int(point.get("m") or 0)) for point in points})
    codes = sorted({f"{point.plugin} {point.get('technique', '')}".strip() for point in points})
    lines = [
        f"Results: {header.machine.cpu} (family {cpu.family} model {cpu.model})", "",
        f"- file: `results/{header.machine.slug}/{target.name}`",
        f"- command: `./bench.sh {' '.join([run.mode, *header.words])}`, {header.started}",
        f"- {len(points)} points, {header.repetitions} rounds, seed {header.seed}",
        f"- codes: {', '.join(codes)}",
        f"- k+m: {', '.join(f'{k}+{m}' for k, m in shapes)}",
        f"- ecbench {build.version}, revision {str(build.git_revision)[:12]}, {build.compiler}",
        f"- instruction sets: {' '.join(cpu.flags)}", f"- virtual machine: {'yes' if cpu.hypervisor else 'no'}",
        f"- problems of the machine: {'; '.join(environment.unfit) or 'none found'}",
        f"- the host, the user or private paths were removed from {changed} records; `report --check` found no problem"]
    if header.repetitions < FEWEST_VALUES:
        lines.append(f"- with fewer than {FEWEST_VALUES} rounds, codes are compared by their intervals only")
    return "\n".join(map(plain, lines))
