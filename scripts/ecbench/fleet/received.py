"""Checks the file that a host sent. The file becomes a result only after these checks: a host may be broken, or may send another
host's file."""

import functools
import hashlib
import pathlib
from collections.abc import Iterator
from typing import Any

from ecbench.files.input_file import open_regular
from ecbench.fleet.campaign import Campaign
from ecbench.fleet.host_state import MOST_BYTES
from ecbench.runfile.run_file import read_run
from ecbench.runfile.shape import read_json
from ecbench.terminal.console import Refused, plain

GATE = "gate"


def check(path: pathlib.Path, host: str, campaign: Campaign) -> list[str]:
    """Returns the additional arguments of this host. Throws Refused with the reason, without the name of the host."""
    if path.is_symlink() or not path.is_file():
        raise Refused("the result is not a regular file")
    if (size := path.stat().st_size) > MOST_BYTES:
        raise Refused(f"the result has {size} bytes; allowed: {MOST_BYTES}")
    for other in campaign.hosts:
        if other != host and campaign.result(other).is_file() and digest(campaign.result(other)) == digest(path):
            raise Refused(f"the result is identical to that of {other}")
    return check_gate(path, campaign) if campaign.mode == GATE else check_run(path, host, campaign)


def check_run(path: pathlib.Path, host: str, campaign: Campaign) -> list[str]:
    try:
        run = read_run(path)
    except Refused as refused:
        raise Refused(f"the result is not a valid run: {str(refused).removeprefix(str(path)).lstrip(', ')}") from refused
    header = run.header
    if header["run"] != campaign.run_name(host):
        raise Refused(f"the result is the run {plain(header['run'])[:100]}, and not {campaign.run_name(host)}: it is of "
                      "another host, or of another measurement")
    words = header.get("words", [])
    asked = campaign.words[1:]
    if run.mode != campaign.mode or not same(words[:len(asked)], asked) or header["seed"] != campaign.seed:
        raise Refused(f"the result is a run of {plain(' '.join([run.mode, *words]))[:200]}, seed {header['seed']}, and not of "
                      f"{' '.join(campaign.words)}")
    if not run.finished:
        raise Refused("the run is not finished")
    return list(words[len(asked):])


def same(found: list[str], asked: list[str]) -> bool:
    """Whether the words are equal. Paths are not compared, since hosts write the home directory as ~."""
    return len(found) == len(asked) and all(one == other or "/" in other for one, other in zip(found, asked))


def check_gate(path: pathlib.Path, campaign: Campaign) -> list[str]:
    records = gate_records(path)
    if not records or records[0].get("record") != GATE or records[0].get("seed") != campaign.seed:
        raise Refused(f"the result is not a run of gate ab with seed {campaign.seed}")
    if records[-1].get("record") not in ("end", "broken_off") or type(records[-1].get("exit_code")) is not int:
        raise Refused("the run is not finished")
    return []


def gate_records(path: pathlib.Path) -> list[dict[str, Any]]:
    """Throws Refused."""
    records = []
    with open_regular(path) as file:
        for number, line in enumerate(file, 1):
            try:
                record = read_json(line)
            except ValueError as error:
                raise Refused(f"the result is not valid: line {number} is not JSON ({error})") from error
            if not isinstance(record, dict):
                raise Refused(f"the result is not valid: line {number} is not a JSON object")
            records.append(record)
    return records


@functools.cache  # a file is compared with the file of every other host; the digest stays valid, as no file changes during a call
def digest(path: pathlib.Path) -> str:
    """The digest of all lines except the header. The header differs, since it has the name of the run."""
    return hashlib.sha256(b"".join(lines_after_header(path))).hexdigest()


def lines_after_header(path: pathlib.Path) -> Iterator[bytes]:
    with open_regular(path) as file:
        next(file, None)
        yield from file
