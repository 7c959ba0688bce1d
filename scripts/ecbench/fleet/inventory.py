"""Inventories of Ansible. A host list of cephadm (the output of ceph orch host ls --format json) is converted to an inventory."""

import json
import os
import pathlib
import re
from typing import Any

from ecbench.fleet.host_state import HOST_NAME
from ecbench.runfile.shape import Unlike, fields, list_of, read_json, text
from ecbench.terminal.console import Refused

CEPH_HOSTS = list_of(fields({"hostname": text}, {"addr": text, "labels": list_of(text)}), 1)
MOST_BYTES = 1 << 24


def check_name(name: str) -> None:
    """Throws Refused if the name of a host is not allowed."""
    if not HOST_NAME.fullmatch(name):
        raise Refused(f"the host name {name!r} of the inventory is not allowed: a host name must begin with a letter or digit, "
                      "and may have only letters, digits, '.', '_', ':' and '-'")


def check(inventory: str) -> None:
    """Throws Refused if the inventory is neither a path that exists nor a list of hosts. As in Ansible, a list
    has at least one comma."""
    if not inventory or ("," not in inventory and not os.path.exists(inventory)):
        raise Refused(f"-i {inventory or repr('')} is not allowed: it does not exist; give an inventory of Ansible, a file with "
                      "the output of ceph orch host ls --format json, or host names separated by commas (a single name also "
                      "needs a comma after it)")


def usable(inventory: str, folder: pathlib.Path) -> str:
    """Returns an inventory that Ansible can read. If `inventory` is a host list of cephadm, writes the converted list to a file in
    `folder`, and returns the path of this file. Otherwise returns `inventory`; a relative path is made absolute. Throws
    Refused."""
    hosts = ceph_hosts(inventory)
    if hosts is None:
        return inventory if "," in inventory and not os.path.exists(inventory) else os.path.abspath(inventory)
    path = folder / "inventory.json"
    path.write_text(json.dumps(converted(hosts, inventory)), "utf-8")
    return str(path)


def ceph_hosts(inventory: str) -> list[Any] | None:
    """The JSON list in the file `inventory`. Returns None if the file does not contain a JSON list. It is then not an output of
    cephadm."""
    if not os.path.isfile(inventory) or os.path.getsize(inventory) > MOST_BYTES:
        return None
    try:
        found = read_json(pathlib.Path(inventory).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, list) else None


def converted(hosts: list[Any], inventory: str) -> dict[str, Any]:
    """Converts a host list of cephadm to an inventory of Ansible. Each label of cephadm becomes a group. Throws Refused."""
    try:
        CEPH_HOSTS(hosts)
    except Unlike as unlike:
        raise Refused(f"-i {inventory} is not a host list of cephadm: {unlike}") from unlike
    groups: dict[str, Any] = {}
    for host in hosts:
        check_name(host["hostname"])
        if host["hostname"] in groups.get("ceph", {}).get("hosts", {}):
            raise Refused(f"-i {inventory} has the host {host['hostname']} twice")
        for label in ["ceph", *host.get("labels", [])]:
            group = re.sub(r"[^A-Za-z0-9_]", "_", label)
            group = group if re.match(r"[A-Za-z_]", group) and group != "all" else f"label_{group}"
            groups.setdefault(group, {"hosts": {}})["hosts"][host["hostname"]] = {}
        groups["ceph"]["hosts"][host["hostname"]] = {"ansible_host": checked_address(host.get("addr") or host["hostname"])}
    return {"all": {"children": groups}}


def checked_address(address: str) -> str:
    """Throws Refused for an address that Ansible would read as a template, or that ssh would read as an option."""
    if not re.fullmatch(r"[A-Za-z0-9:][A-Za-z0-9._:%-]{0,252}", address):
        raise Refused(f"the address {address!r} of the inventory is not allowed: give an IP address or a host name")
    return address
