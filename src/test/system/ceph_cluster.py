"""Starts a small Ceph cluster on the loopback interface: one monitor, one manager, and OSDs with BlueStore on files. Must be called
in the namespaces that `enter` creates: the cluster then has its own network, processes and /var/lib/ceph, and all of it ends with
the process that called `enter`."""

import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from typing import Any

PROGRAMS = ("ceph-mon", "ceph-mgr", "ceph-osd", "ceph-objectstore-tool", "monmaptool", "osdmaptool", "jq", "ip", "unshare")
NAMESPACES = ("unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc", "--")
INSIDE = "ECBENCH_CEPH_FOLDER"
SECONDS_TO_WAIT = 1200  # on a busy machine, a state can take minutes
DATA = pathlib.Path("/var/lib/ceph")

CONFIG = """[global]
fsid = {fsid}
mon_host = v1:127.0.0.1:6789
public_network = 127.0.0.0/8
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_bind_msgr2 = false
ms_async_op_threads = 1
run_dir = {folder}
osd_crush_chooseleaf_type = 0
osd_crush_update_on_start = false
osd_class_update_on_start = false
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_delete = true
mon_max_pg_per_osd = 2000
mon_data_avail_crit = 1
mon_osd_down_out_interval = 0
osd_max_backfills = 8
osd_recovery_max_active = 8
osd_recovery_sleep = 0
osd_heartbeat_grace = 120
osd_heartbeat_min_size = 0
osd_memory_target = 536870912
osd_op_num_shards = 1
osd_op_num_threads_per_shard = 2
osd_scrub_begin_hour = 0
osd_scrub_end_hour = 0
osd_max_scrubs = 0
osd_op_queue = wpq
bluestore_cache_autotune = false
bluestore_cache_size = 33554432
bluestore_block_create = true
bluestore_block_size = 4294967296
bluestore_block_db_create = false
bluestore_block_wal_create = false
mgr_initial_modules =
[mon]
{daemon}
[mgr]
{daemon}
[osd]
{daemon}
"""
DAEMON = """admin_socket = {folder}/$name.asok
pid_file = {folder}/$name.pid
log_file = {folder}/$name.log"""


def why_not() -> str:
    """Why this machine cannot run a cluster; "" if it can."""
    if os.geteuid() != 0:
        return "only root can create namespaces"
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        return f"not installed: {', '.join(missing)}; run scripts/install-deps.sh system-test"
    if subprocess.run([sys.executable, "-E", "-s", "-c", "import rados"], capture_output=True, check=False).returncode != 0:
        return "not installed: python3-rados; run scripts/install-deps.sh system-test"
    if subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False).returncode != 0:
        return "no permission to create network, mount and PID namespaces"
    return ""


def enter(script: str, seconds: int) -> int:
    """Runs the Python file `script` with the arguments of this process in namespaces of its own, and returns its exit code. Kills
    all its processes after `seconds`, and removes its files."""
    with tempfile.TemporaryDirectory(prefix="ecbench-ceph-") as folder:
        command = [*NAMESPACES, sys.executable, "-E", "-s", script, *sys.argv[1:]]
        with subprocess.Popen(command, env={**os.environ, INSIDE: folder}) as process:
            try:
                return process.wait(seconds)
            except subprocess.TimeoutExpired:
                print(f"ecbench: the cluster was stopped after {seconds} s", file=sys.stderr)
                return 1
            finally:
                process.kill()  # with --kill-child, this also kills process 1 of the namespace, and so every process in it


def run(*words: object) -> str:
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, timeout=SECONDS_TO_WAIT, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: exit code {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {SECONDS_TO_WAIT} s until {what}")
        time.sleep(0.5)


class Cluster:
    def __init__(self, osd_count: int) -> None:
        self.folder = pathlib.Path(os.environ[INSIDE])
        self.osds = range(osd_count)
        self._mount()
        self._make_monitor()
        for osd in self.osds:
            self.make_osd(osd)

    def _mount(self) -> None:
        os.nice(10)
        run("ip", "link", "set", "lo", "up")
        for name, target in (("lib", DATA), ("etc", pathlib.Path("/etc/ceph"))):
            (self.folder / name).mkdir()
            target.mkdir(parents=True, exist_ok=True)
            run("mount", "--bind", self.folder / name, target)
        self.fsid = str(uuid.uuid4())
        pathlib.Path("/etc/ceph/ceph.conf").write_text(CONFIG.format(fsid=self.fsid, folder=self.folder,
                                                                              daemon=DAEMON.format(folder=self.folder)))

    def _make_monitor(self) -> None:
        for name in ("mon/ceph-a", "mgr/ceph-x", "osd"):
            (DATA / name).mkdir(parents=True)
        monmap = self.folder / "monmap"
        run("monmaptool", "--create", "--addv", "a", "[v1:127.0.0.1:6789]", "--fsid", self.fsid, monmap)
        run("ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap)
        self.start_monitor()
        self.command("osd crush add-bucket", name="host0", type="host")
        self.command("osd crush move", name="host0", args=["root=default"])

    def start_monitor(self) -> None:
        """Starts the monitor and the manager, and connects to them."""
        run("ceph-mon", "-i", "a")
        run("ceph-mgr", "-i", "x")
        import rados
        self.client = rados.Rados(conffile="/etc/ceph/ceph.conf")
        self.client.connect(timeout=SECONDS_TO_WAIT)
        # Before the monitor map arrives, Ceph 18.2 and 20.2 refuse commands ("wrong fsid").
        wait_for(lambda: self.client.get_fsid() == self.fsid, "the client has the monitor map")

    def command(self, prefix: str, **values: object) -> Any:
        """Sends a command to the monitors and returns its output: a JSON value, or a text."""
        request = json.dumps({"prefix": prefix, "format": "json", **values})
        code, output, message = self.client.mon_command(request, b"")
        if code != 0:
            raise AssertionError(f"{prefix} {values}: {code} {message}")
        try:
            return json.loads(output)
        except ValueError:
            return output.decode()

    def make_osd(self, osd: int) -> None:
        """Creates an OSD with an empty store, and starts it. If the OSD existed, its data is lost."""
        shutil.rmtree(DATA / f"osd/ceph-{osd}", ignore_errors=True)
        (DATA / f"osd/ceph-{osd}").mkdir()
        is_new = osd not in self.command("osd ls")
        if not is_new:
            self.command("osd destroy-actual", id=osd, yes_i_really_mean_it=True)
        name = str(uuid.uuid4())
        self.command("osd new", uuid=name, id=osd)
        run("ceph-osd", "-i", osd, "--mkfs", "--osd-uuid", name)
        if is_new:
            self.command("osd crush add", id=osd, weight=1.0, args=["host=host0"])
        self.start_osd(osd)

    def start_osd(self, osd: int) -> None:
        run("ceph-osd", "-i", osd)

    def pid(self, daemon: str) -> int:
        return int((self.folder / f"{daemon}.pid").read_text())

    def stop(self, daemon: str, how: int = signal.SIGTERM) -> None:
        """Ends a daemon. This process is process 1 of the namespace, so it is the parent of every daemon."""
        pid = self.pid(daemon)
        os.kill(pid, how)
        deadline = time.monotonic() + SECONDS_TO_WAIT
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                raise AssertionError(f"{daemon} does not end")
            time.sleep(0.1)

    def make_pool(self, name: str, profile: dict[str, str], pg_count: int = 4, overwrites: bool = False) -> int:
        """Creates an erasure-coded pool and returns its id."""
        words = [f"{key}={value}" for key, value in profile.items()]
        self.command("osd erasure-code-profile set", name=name, profile=[*words, "crush-failure-domain=osd"])
        self.command("osd pool create", pool=name, pg_num=pg_count, pgp_num=pg_count, pool_type="erasure",
                     erasure_code_profile=name)
        if overwrites:
            self.command("osd pool set", pool=name, var="allow_ec_overwrites", val="true")
        return int(self.client.pool_lookup(name))

    def wait_until_down(self, osd: int) -> None:
        wait_for(lambda: not self.command("osd dump")["osds"][osd]["up"], f"osd.{osd} is down")

    def wait_until_clean(self) -> None:
        """Waits until all OSDs are up and every placement group is active+clean."""
        def is_clean() -> bool:
            dump = self.command("osd dump")
            states = {state["state_name"]: state["count"] for state in self.command("status")["pgmap"]["pgs_by_state"]}
            return all(osd["up"] for osd in dump["osds"]) and states == {"active+clean": sum(p["pg_num"] for p in dump["pools"])}
        wait_for(is_clean, "all placement groups are clean")

    def counters(self, daemon: str) -> dict[str, Any]:
        """The performance counters of a daemon."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.folder / f"{daemon}.asok"))
            connection.sendall(b'{"prefix": "perf dump"}\0')
            size = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))[0]
            found: dict[str, Any] = json.loads(connection.recv(size, socket.MSG_WAITALL))
            return found
