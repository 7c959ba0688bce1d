"""bench.sh fleet unpack DIR LOG...: reads runs from logs of pods, and writes them to a results directory for fleet report.
Exit code 0: success. Exit code 1: a file cannot be read or contains no run (then nothing is written), or a run is refused (then the
other runs are written)."""

import argparse
import contextlib
import pathlib
import re
import sys

from ecbench.files.input_file import open_input
from ecbench.files.written_files import write_all
from ecbench.fleet.host_state import HOST_NAME, STATES, HostState, read_fleet, read_state, write_fleet, write_state
from ecbench.fleet.log_frames import PodLog, read_log
from ecbench.process.children import Child
from ecbench.runfile.shape import read_json
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, plain, say

DESCRIPTION = """Reads logs of pods (the output of kubectl logs), and writes each run to the directory of its node, DIR/NODE/.
fleet report can then read DIR. A run is refused if a part of it is missing in the log. The command can be used again with other
logs."""


def read_arguments(words: list[str]) -> argparse.Namespace:
    """The first word is `unpack`. Throws Refused."""
    parser = Parser(mode="fleet unpack", description=DESCRIPTION)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="the results directory; it is created if it is missing")
    parser.add_argument("logs", metavar="LOG", nargs="+", help="a file with the log of one or more pods; -: standard input")
    return parser.parse_args(words[1:])


def run(_child: Child) -> int:
    arguments = read_arguments(sys.argv[1:])
    logs: dict[str, PodLog] = {}
    for path in arguments.logs:
        found = logs_in(path)
        if not found:
            raise Refused(f"{path} contains no run; give a file with the output of kubectl logs for the pods of the Job")
        logs |= found
    try:
        arguments.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"{arguments.folder} cannot be made: {error.strerror}") from error
    troubles = [trouble for log in logs.values() if (trouble := unpack(log, arguments.folder))]
    missing = note_hosts(arguments.folder, [log for log in logs.values() if log.host])
    for trouble in [*troubles, *missing]:
        say(trouble)
    print(f"{len(logs) - len(troubles)} of {len(logs)} runs are in {plain(arguments.folder)}")
    return 1 if troubles else 0


def logs_in(path: str) -> dict[str, PodLog]:
    """Throws Refused."""
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if path == "-" else open_input(path) as file:
            return read_log(file)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from error


def unpack(log: PodLog, folder: pathlib.Path) -> str:
    """Writes the run and the state of the host. Returns the reason if the run is refused, otherwise ""."""
    if log.host is None:
        return (f"refused: run {log.identity} has no node name, because the beginning of its log is missing; collect the log "
                "again")
    name = log.host["host"]
    if not HOST_NAME.fullmatch(name):
        return f"refused: '{plain(name)}' is not the name of a node"
    directory = folder / name
    try:
        content = log.run()
    except Refused as refusal:
        if not is_done(directory):
            make(directory)
            write_state(directory, HostState(name, "failed", str(refusal)))
        return f"refused: {name}: {refusal}"
    assert log.end
    make(directory)
    if content:
        write_all({directory / f"run-{log.identity}.jsonl": content.decode("utf-8", "surrogateescape")})
    state = log.end["state"] if log.end["state"] in STATES else "failed"
    if state == "done" or not is_done(directory):
        write_state(directory, HostState(name, state, log.end.get("reason", ""), log.end.get("exit_code"), host_in(content)))
    return ""


def make(directory: pathlib.Path) -> None:
    if directory.is_symlink():
        raise Refused(f"{directory} is a symbolic link; remove the link")
    try:
        directory.mkdir(exist_ok=True)
    except OSError as error:
        raise Refused(f"{directory} cannot be made: {error.strerror}") from error


def is_done(directory: pathlib.Path) -> bool:
    state = read_state(directory)
    return state is not None and state.state == "done"


def host_in(content: bytes) -> str:
    """The host name in the rows of the run. In a pod, the host name is the name of the pod."""
    for line in content.splitlines()[1:]:
        with contextlib.suppress(ValueError):
            record = read_json(line)
            if isinstance(record, dict) and record.get("record") == "row":
                return record["host"] if isinstance(record.get("host"), str) else ""
    return ""


def note_hosts(folder: pathlib.Path, logs: list[PodLog]) -> list[str]:
    """Adds the names of the nodes to fleet.json. For a pod without a log, the node is unknown, and a name such as pod-3 is
    added. Returns one message about all pods without a log, or an empty list."""
    before = read_fleet(folder) or {"hosts": []}
    nodes = {str(log.host["index"]): log.host["host"] for log in logs if log.host and HOST_NAME.fullmatch(log.host["host"])}
    nodes = {**before.get("nodes", {}), **nodes}
    pods = max((log.host["pods"] for log in logs if log.host), default=0)
    missing = [f"pod-{index}" for index in range(pods) if str(index) not in nodes]
    known = [host for host in before["hosts"] if not re.fullmatch(r"pod-[0-9]+", host)]
    write_fleet(folder, [*sorted({*known, *nodes.values()}), *missing], nodes=nodes)
    return [f"no log is given for {len(missing)} of {pods} pods: {', '.join(missing[:20])}"] if missing else []
