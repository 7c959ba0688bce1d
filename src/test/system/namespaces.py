"""Simulates hosts for the tests of fleet. Each host is a network namespace in which sshd runs. Each host has its own processes,
mounts, home directory and host name, and all its processes run on one CPU. The user `bench` of a host has no privileges. Needs
root, iproute2 and openssh-server."""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time

USER = 4321  # the user id of `bench`; no user of this machine has this id
NEEDED = ("ip", "unshare", "nsenter", "ssh", "ssh-keygen", "/usr/sbin/sshd", "taskset")
SECONDS_TO_START = 300
FIRST_SUBNET = os.getpid() % 5 * 40  # if two tests run at the same time, they usually have different subnets

# Process 1 of a host runs this script, then sshd. With its own /run/lock, a host does not exclude measurements on others.
BOOT = """set -e
hostname {name}
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/sshd /run/lock
chmod 1777 /run/lock
mount -t proc proc /proc
mount --bind {folder}/loadavg /proc/loadavg
mount --bind {folder}/passwd /etc/passwd
mount -t tmpfs tmpfs /home
mkdir /home/bench
{home}
mount --bind {folder}/{mounted} /home/bench
exec {sshd} -D -e -f {folder}/sshd_config
"""

SSHD = """ListenAddress {address}
HostKey {key}
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
MaxStartups 100
Subsystem sftp internal-sftp
"""


def why_not() -> str:
    """Why this machine cannot simulate hosts; "" if it can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    if missing := [program for program in NEEDED if shutil.which(program) is None]:
        return f"not installed: {', '.join(missing)}; run scripts/install-deps.sh system-test"
    probe = f"ecb{os.getpid()}x"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode == 0
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    if not made or subprocess.run(["unshare", "--mount", "--uts", "--pid", "--fork", "true"], capture_output=True,
                                  check=False).returncode != 0:
        return "no permission to create namespaces"
    return ""


def remove_leftovers() -> None:
    """Removes hosts that still exist because their test was killed."""
    listed = subprocess.run(["ip", "netns", "list"], text=True, capture_output=True, check=False).stdout
    for name in re.findall(r"^ecb\d+-\d+\b", listed, re.MULTILINE):
        if "python" in command_line(int(re.findall(r"\d+", name)[0])):
            continue  # the test that created this host still runs
        pids = subprocess.run(["ip", "netns", "pids", name], text=True, capture_output=True, check=False).stdout.split()
        for pid in map(int, pids):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)  # also removes the network devices


class Host:
    """A simulated host. The hosts of one test must have different numbers, from 1 to 40."""

    def __init__(self, folder: pathlib.Path, number: int, cpu: int, home_bytes: int = 0):
        """`home_bytes`: the size of the file system of the home directory; 0: not limited."""
        self.name = f"host{number}"
        self._subnet = FIRST_SUBNET + number
        self.address = f"10.83.{self._subnet}.2"
        self.folder = folder / self.name
        self.home = self.folder / "home"
        self._key = folder / "key"
        self._namespace = f"ecb{os.getpid()}-{number}"
        self._cpu = cpu
        self._home_bytes = home_bytes
        self._process: subprocess.Popen[bytes] | None = None
        self._write_files()
        self._log = open(self.folder / "sshd.log", "ab")

    def _write_files(self) -> None:
        if not self._key.exists():
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._key)
        (self.home / ".ssh").mkdir(parents=True)
        shutil.copy(f"{self._key}.pub", self.home / ".ssh" / "authorized_keys")
        run("chown", "-R", f"{USER}:{USER}", self.home)
        self.set_load(0)
        users = pathlib.Path("/etc/passwd").read_text()
        (self.folder / "passwd").write_text(f"{users.rstrip()}\nbench:*:{USER}:{USER}::/home/bench:/bin/sh\n")
        (self.folder / "sshd_config").write_text(SSHD.format(address=self.address, key=self._key))
        self._key.chmod(0o600)

    def set_load(self, load: float) -> None:
        (self.folder / "loadavg").write_text(f"{load:.2f} {load:.2f} {load:.2f} 1/100 100\n")

    def connect(self) -> None:
        """Creates the network namespace, and a network that connects it."""
        ours, theirs = f"ecb{self._subnet}a", f"ecb{self._subnet}b"
        run("ip", "netns", "add", self._namespace)
        run("ip", "link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", self._namespace)
        run("ip", "addr", "add", f"10.83.{self._subnet}.1/24", "dev", ours)
        run("ip", "link", "set", ours, "up")
        run("ip", "-n", self._namespace, "addr", "add", f"{self.address}/24", "dev", theirs)
        for device in (theirs, "lo"):
            run("ip", "-n", self._namespace, "link", "set", device, "up")

    def start(self) -> None:
        """Waits until sshd accepts connections."""
        home = ""
        if self._home_bytes:
            folder = shlex.quote(str(self.folder))
            home = f"mount -t tmpfs -o size={self._home_bytes} tmpfs {folder}/limited && cp -a {folder}/home/. {folder}/limited"
            (self.folder / "limited").mkdir(exist_ok=True)
        script = BOOT.format(name=self.name, folder=shlex.quote(str(self.folder)), home=home, sshd="/usr/sbin/sshd",
                             mounted="limited" if self._home_bytes else "home")
        self._process = subprocess.Popen(
            ["ip", "netns", "exec", self._namespace, "taskset", "-c", str(self._cpu), "unshare", "--mount", "--uts", "--pid",
             "--fork", "--kill-child", "sh", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self._log)
        deadline = time.monotonic() + SECONDS_TO_START
        while subprocess.run(self.ssh("true"), capture_output=True, check=False).returncode != 0:
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise AssertionError(f"{self.name} does not start: {(self.folder / 'sshd.log').read_text()[-2000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Kills all processes, as a reboot does. The files in the home directory are kept, unless `home_bytes` limits its size."""
        if self._process:
            self._process.kill()  # with --kill-child, this also kills process 1 of the host, and so every process in it
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        self.stop()
        self._log.close()
        subprocess.run(["ip", "link", "del", f"ecb{self._subnet}a"], capture_output=True, check=False)
        subprocess.run(["ip", "netns", "del", self._namespace], capture_output=True, check=False)

    def ssh(self, command: str) -> list[str]:
        return ["ssh", *shlex.split(self.options), "-i", str(self._key), f"bench@{self.address}", command]

    options = ("-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes -o LogLevel=ERROR "
               "-o ConnectTimeout=30")

    def inventory(self, **variables: object) -> dict[str, object]:
        """The variables of this host in an Ansible inventory."""
        return {"ansible_host": self.address, "ansible_user": "bench", "ansible_ssh_private_key_file": str(self._key),
                "ansible_ssh_common_args": self.options, "ansible_python_interpreter": "/usr/bin/python3", **variables}

    @property
    def files(self) -> pathlib.Path:
        """The home directory, for processes outside of the running host."""
        return pathlib.Path(f"/proc/{self.first_process()}/root/home/bench")

    def entering(self, command: str) -> list[str]:
        """A command that runs a shell command in the host, as the user `bench`, on the CPU of the host."""
        return ["taskset", "-c", str(self._cpu), "nsenter", "-t", str(self.first_process()), "-m", "-n", "-u", "-p", "--setuid",
                str(USER), "--setgid", str(USER), "sh", "-c", command]

    def run(self, command: str) -> str:
        done = subprocess.run(self.entering(command), text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{self.name}: {command}: {done.stdout}{done.stderr}")
        return done.stdout

    def first_process(self) -> int:
        """The PID of process 1 outside of the host."""
        assert self._process
        children = pathlib.Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return int(children[0])

    def processes(self) -> list[int]:
        """The PIDs outside of the host."""
        namespace = os.readlink(f"/proc/{self.first_process()}/ns/pid")
        return [pid for pid in all_processes() if link(f"/proc/{pid}/ns/pid") == namespace]

    def disconnect(self) -> None:
        run("ip", "link", "set", f"ecb{self._subnet}a", "down")

    def reconnect(self) -> None:
        run("ip", "link", "set", f"ecb{self._subnet}a", "up")

    def kill_user(self) -> int:
        """Kills all processes of the user `bench`. Returns their number."""
        found = []
        for pid in self.processes():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if os.stat(f"/proc/{pid}").st_uid == USER:
                    os.kill(pid, signal.SIGKILL)
                    found.append(pid)
        return len(found)

    def kill(self, word: str) -> int:
        return self.signal(word, signal.SIGKILL)

    def signal(self, word: str, number: int) -> int:
        """Sends a signal to each process whose command line contains `word`. Returns their number."""
        found = [pid for pid in self.processes() if word in command_line(pid)]
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(found)


def all_processes() -> list[int]:
    return [int(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit()]


def link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def command_line(pid: int) -> str:
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True, timeout=60)
