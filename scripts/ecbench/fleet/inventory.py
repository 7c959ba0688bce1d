"""Converts a host list of cephadm (the output of ceph orch host ls --format json) to an inventory of Ansible."""

import collections
import json
import os
import pathlib
import re
from typing import Any

from ecbench.documents.shape import Unlike, fields, list_of, read_json, text
from ecbench.fleet.host_state import host_name
from ecbench.terminal.console import Refused

CEPH_HOSTS = list_of(fields({"hostname": host_name}, {"addr": text, "labels": list_of(text)}), 1)
# Ansible could read another address as a template, and ssh could read it as an option.
ADDRESS = re.compile(r"[A-Za-z0-9:][A-Za-z0-9._:%-]{0,252}")
MOST_BYTES = 1 << 24


def converted(inventory: str) -> str | None:
    """The inventory, as JSON; None if the file `inventory` is not a host list of cephadm."""
    if not os.path.isfile(inventory) or os.path.getsize(inventory) > MOST_BYTES:
        return None
    try:
        hosts = read_json(pathlib.Path(inventory).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(hosts, list):
        return None
    try:
        CEPH_HOSTS(hosts)
    except Unlike as unlike:
        raise Refused(f"-i {inventory} is not a host list of cephadm: {unlike}") from unlike
    groups: dict[str, Any] = collections.defaultdict(lambda: {"hosts": {}})
    for host in hosts:
        name, address = host["hostname"], host.get("addr") or host["hostname"]
        if not ADDRESS.fullmatch(address) or name in groups["ceph"]["hosts"]:
            raise Refused(f"-i {inventory} has the host {name!r} with the address {address!r}; each host needs another name, and "
                          "an IP address or a name as its address")
        groups["ceph"]["hosts"][name] = {"ansible_host": address}
        for label in host.get("labels", []):
            group = re.sub(r"[^A-Za-z0-9_]", "_", label)
            group = group if re.match(r"[A-Za-z_]", group) and group not in ("all", "ceph") else f"label_{group}"
            groups[group]["hosts"][name] = {}
    return json.dumps({"all": {"children": groups}})
