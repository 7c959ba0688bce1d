"""Checks the file that a host sent. fleet stores the file as a result only after these checks, because a defective host may send
wrong data, or the file of another host."""

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
    """Returns the additional arguments of this host. Throws Refused. Its message has the reason, but not the name of the host."""
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
        raise Refused(f"the result is the run {plain(header['run'])[:100]} of another host or another measurement; expected: "
                      f"the run {campaign.run_name(host)}")
    words = header.get("words", [])
    asked = campaign.words[1:]
    if run.mode != campaign.mode or not same(words[:len(asked)], asked) or header["seed"] != campaign.seed:
        raise Refused(f"the result is from another command: {plain(' '.join([run.mode, *words]))[:200]}, seed {header['seed']}; "
                      f"expected: {' '.join(campaign.words)}")
    if not run.finished:
        raise Refused("the run is not finished")
    return list(words[len(asked):])


def same(found: list[str], asked: list[str]) -> bool:
    """Whether two lists of arguments are equal. Paths are not compared, because hosts write ~ for the home directory."""
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


@functools.cache  # the file of a host is compared with the files of all other hosts; no file changes while fleet runs
def digest(path: pathlib.Path) -> str:
    """The digest of all lines except the header. Thus a copy of a run has the same digest, even if its header has
    another run name."""
    return hashlib.sha256(b"".join(lines_after_header(path))).hexdigest()


def lines_after_header(path: pathlib.Path) -> Iterator[bytes]:
    with open_regular(path) as file:
        next(file, None)
        yield from file
