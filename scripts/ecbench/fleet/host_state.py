"""Two optional files in a results directory. DIR/HOST/host.json has the state of a host, DIR/fleet.json the list of all hosts. The
tool that runs ecbench on the hosts (Ansible, Kubernetes, Slurm, a script) may write them."""

import dataclasses
import pathlib
import re
from collections.abc import Callable
from typing import TypeVar

from ecbench.documents.shape import column, fields, list_of, matching, or_null, read, read_json, required, text, whole, words
from ecbench.files.input_file import open_regular
from ecbench.point.point import Json
from ecbench.terminal.console import Refused

HOST_FORMAT = "ecbench fleet host 1"
FLEET_FORMAT = "ecbench fleet 1"
STATE_FILE, FLEET_FILE = "host.json", "fleet.json"
STATES = ("done", "running", "failed", "unreachable", "refused", "new")
HOST_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,252}")
# Ansible would run the commands of a template in the names that fleet.json has.
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
BUNDLE_NAME = re.compile(r"ecbench-[A-Za-z0-9._+~-]{1,99}-[a-z0-9_]{1,99}\.tar\.gz")
MOST_STATE_BYTES = 1 << 20
Value = TypeVar("Value")

host_name = matching(HOST_NAME, "the name of a host, such as osd-1")
run_name = matching(RUN_NAME, "the name of a run, such as tune-0a1b2c3d")
bundle_name = matching(BUNDLE_NAME, "the name of a bundle, ecbench-VERSION-ARCHITECTURE.tar.gz")
FLEET = fields({"hosts": list_of(host_name)}, {"words": list_of(text), "run": run_name, "bundle": bundle_name})


@dataclasses.dataclass(frozen=True)
class HostState:
    host: str = required(host_name)  # in the inventory, or the name of the Kubernetes node; also the name of the host's directory
    state: str = required(words(*STATES))
    reason: str = column(text, "")  # why the state is not done, in one line
    exit_code: int | None = column(or_null(whole()))  # exit code of the mode on the host; None if the mode did not end
    hostname: str = column(text, "")  # the host's name in rows; "" if the rows contain `host`, up to its first dot


def read_state(folder: pathlib.Path) -> HostState | None:
    """None if there is no host.json."""
    path = folder / STATE_FILE
    state = read_small(path, HOST_FORMAT, lambda value: read(HostState, value))
    if state and state.host != folder.name:
        raise Refused(f"{path} cannot be used: host is '{state.host}', but must be '{folder.name}', the name of the directory")
    return state


def read_fleet(folder: pathlib.Path) -> Json | None:
    """None if there is no fleet.json."""
    def checked(value: Json) -> Json:
        FLEET(value)
        return value
    return read_small(folder / FLEET_FILE, FLEET_FORMAT, checked)


def read_small(path: pathlib.Path, form: str, read_value: Callable[[Json], Value]) -> Value | None:
    if path.is_symlink():
        raise Refused(f"{path} is a symbolic link; give a regular file")
    try:
        with open_regular(path) as file:
            content = file.read(MOST_STATE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error
    try:
        value = read_json(content) if len(content) <= MOST_STATE_BYTES else None
        if not isinstance(value, dict) or value.get("format") != form:
            raise Refused(f"{path} has another format; allowed: at most 1 MiB of JSON with \"format\": \"{form}\"")
        return read_value(value)
    except ValueError as error:
        raise Refused(f"{path} cannot be used: {error}") from error
