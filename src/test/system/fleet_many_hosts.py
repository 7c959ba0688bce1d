"""Calls `bench.sh fleet -i` twice with many hosts. In the first call, a quarter of the hosts have a fault. The second call must
complete the runs of all hosts. The program prints how many hosts had a result after each call. It also prints on how many hosts
every point was measured exactly once. It has the same requirements as fleet_test.py, and takes about ten minutes.

Usage: fleet_many_hosts.py [HOSTS] (default: 40 hosts)"""

import collections
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

import fleet_test
import namespaces

THROTTLE = 4  # how many hosts may measure at the same time
WORDS = ["run", "plugin=isa", "technique=reed_sol_van", "k=2..11", "m=1", "size=4K", "workload=encode", "--min-time", "0.05",
         "--repetitions", "1"]
MOST_HOSTS = 40
ROWS_BEFORE_FAULT = 2
AWAY, KILLED, CUT, FULL, NONE = "unreachable", "processes killed, lock deleted", "ssh killed", "no space left", "no fault"
FAULTS = (AWAY, KILLED, CUT, FULL)


class Faults:
    """Causes the fault of each host while this host measures. This class does not cause the fault AWAY: measure() disconnects the
    hosts with this fault before the first call."""

    def __init__(self, fleet: fleet_test.Faults, kinds: dict[namespaces.Host, str]):
        self._fleet = fleet
        self._stop = threading.Event()
        self.before: dict[str, bytes] = {}  # key: host name; value: content of the run file just before the fault
        self._threads = [threading.Thread(target=self._wait_and_cause, args=(host, kind), daemon=True)
                         for host, kind in kinds.items() if kind not in (AWAY, NONE)]
        for thread in self._threads:
            thread.start()

    def _wait_and_cause(self, host: namespaces.Host, kind: str) -> None:
        while not self._stop.wait(0.1):
            if self._fleet.rows_on(host) >= ROWS_BEFORE_FAULT:
                path = self._fleet.run_file(host)
                assert path
                self.before[host.name] = path.read_bytes()
                cause(host, kind, path.parent)
                return

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def kind_of(number: int, hosts: int) -> str:
    """Returns the fault of a host. `number` counts the hosts from 0. Only the first quarter of the hosts have faults."""
    return FAULTS[number % len(FAULTS)] if number < hosts // 4 else NONE


def cause(host: namespaces.Host, kind: str, folder: pathlib.Path) -> None:
    if kind == KILLED:
        host.kill_user()
        (folder / "lock").unlink()
    elif kind == CUT:
        host.kill("sshd: bench")
    else:
        host.run("cat /dev/zero > /home/bench/full 2>/dev/null || true")


def is_complete(fleet: fleet_test.Faults, host: namespaces.Host, before: bytes) -> bool:
    """Returns whether the result of the host passes fleet.check_complete(). If the check fails, prints the reason."""
    try:
        fleet.check_complete(host, before)
    except AssertionError as error:
        print(f"{host.name}: {str(error)[:300]}")
        return False
    return True


def measure(fleet: fleet_test.Faults, hosts: list[namespaces.Host]) -> bool:
    """Calls `bench.sh fleet` twice, and prints a table with one row per fault. Returns whether the runs of all hosts are
    complete."""
    kinds = {host: kind_of(number, len(hosts)) for number, host in enumerate(hosts)}

    def of(*wanted: str) -> list[namespaces.Host]:
        return [host for host in hosts if kinds[host] in wanted]

    def call() -> set[str]:
        done = subprocess.run(fleet.command(hosts, *WORDS), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              env=fleet.environment(), check=False)
        found = {host.name for host in hosts if fleet.result(host)}
        print(f"exit code {done.returncode}; {len(found)} of {len(hosts)} hosts have results", flush=True)
        return found

    for host in of(AWAY):
        host.disconnect()
    faults = Faults(fleet, kinds)
    first = call()
    faults.close()
    kept = {host.name: (fleet.result(host) or pathlib.Path()).read_bytes() for host in hosts if host.name in first}
    for host in of(AWAY):
        host.reconnect()
    for host in of(FULL):
        host.run("rm -f /home/bench/full")
    second = call()
    complete = {host.name for host in hosts if is_complete(fleet, host, kept.get(host.name) or faults.before.get(host.name, b""))}
    print(f"{'fault':<32}{'hosts':>6}{'faults caused':>15}{'after call 1':>14}{'after call 2':>14}{'each point once':>17}")
    for kind, count in collections.Counter(kinds.values()).items():
        names = {host.name for host in of(kind)}
        caused = 0 if kind == NONE else count if kind == AWAY else len(names & faults.before.keys())
        print(f"{kind:<32}{count:>6}{caused:>15}{len(names & first):>14}{len(names & second):>14}{len(names & complete):>17}")
    return len(complete) == len(hosts)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else MOST_HOSTS
    if not 4 <= count <= MOST_HOSTS:
        sys.exit(f"{count} hosts are not allowed; use 4 to {MOST_HOSTS}")
    if reason := namespaces.why_not():
        sys.exit(reason)
    namespaces.remove_leftovers()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # raises KeyboardInterrupt
    cpus = sorted(os.sched_getaffinity(0))
    fleet = fleet_test.Faults("test_ssh_is_killed")
    hosts: list[namespaces.Host] = []
    with tempfile.TemporaryDirectory(prefix="ecbench-many-hosts-") as name:
        fleet.folder = pathlib.Path(name)
        fleet.bundle = fleet_test.bundle_in(fleet.folder)
        fleet.setUp()
        fleet.common["ecbench_throttle"] = THROTTLE
        try:
            for number in range(count):
                home = fleet_test.SMALL_HOME if kind_of(number, count) == FULL else 0
                hosts.append(namespaces.Host(fleet.folder, number + 1, cpus[number % len(cpus)], home))
                hosts[-1].connect()
                hosts[-1].start()
            return 0 if measure(fleet, hosts) else 1
        finally:
            for host in hosts:
                host.remove()


if __name__ == "__main__":
    sys.exit(main())
