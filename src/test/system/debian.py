"""The shared part of the system tests: a minimal Debian in a chroot. Needs root, debootstrap and the Debian archive.

ECBENCH_DEBIAN_MIRROR=URL selects another mirror of the archive."""

import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
BUILD = pathlib.Path(os.environ.get("ECBENCH_BUILD", SOURCE / "build"))
MIRROR = os.environ.get("ECBENCH_DEBIAN_MIRROR", "http://deb.debian.org/debian")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PRIVATE_MOUNTS = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--")
USER = 1234  # a user id that no user of the system has


def why_not(release: str) -> str:
    """The reason why this machine cannot run a test of this release. Empty if it can."""
    if os.geteuid() != 0:
        return "only root can make a chroot"
    missing = [program for program in ("debootstrap", "unshare", "git") if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} not installed: scripts/install-deps.sh system-test installs it"
    if subprocess.run([*PRIVATE_MOUNTS, "true"], capture_output=True, check=False).returncode != 0:
        return "no permission for a mount namespace"
    try:
        urllib.request.urlopen(f"{MIRROR}/dists/{release}/Release", timeout=20).close()
    except OSError as error:
        return f"{MIRROR} cannot be reached: {error}"
    return ""


class Debian(unittest.TestCase):
    """A test case with the minimal base system of a Debian release. self.root is the directory of that system."""

    root: pathlib.Path
    folder: pathlib.Path  # a temporary directory, which contains root

    def make_system(self, release: str) -> None:
        """Installs the base system. Skips the test if this machine cannot do this."""
        if reason := why_not(release):
            self.skipTest(reason)
        folder = tempfile.TemporaryDirectory(prefix="ecbench-debian-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / release
        self.outside("debootstrap", "--variant=minbase", release, str(self.root), MIRROR)
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")

    def finish(self, command: list[str], timeout_seconds: int, exit_code: int = 0) -> str:
        """Runs the command and returns its stdout and stderr. If the exit code is not `exit_code`, the test fails and shows the end
        of the output."""
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                timeout=timeout_seconds, check=False)
        self.assertEqual(result.returncode, exit_code, f"{shlex.join(command)}\n{(result.stdout + result.stderr)[-6000:]}")
        return result.stdout + result.stderr

    def outside(self, *command: str) -> str:
        return self.finish(list(command), 1800)

    def inside(self, command: str, folder: str = "/root", user: int = 0, exit_code: int = 0) -> str:
        """Runs a shell command in the system, without a terminal. Only HOME and PATH are set in the environment of the command.
        When the command ends, all its processes are killed, and all its mounts are removed."""
        root = shlex.quote(str(self.root))
        script = f"""mount -t proc proc {root}/proc
mount -t tmpfs -o mode=1777 tmpfs {root}/dev/shm 2>/dev/null || true
exec chroot --userspec={user}:{user} {root} env -i HOME={shlex.quote(folder)} PATH={PATH} \
  sh -c {shlex.quote(f"cd {folder} || exit{chr(10)}{command}")}"""
        return self.finish([*PRIVATE_MOUNTS, "sh", "-e", "-c", script], 3600, exit_code)

    def home_of_user(self) -> str:
        """Creates a home directory for USER. Returns its path inside the system."""
        home = self.root / "home" / "user"
        home.mkdir()
        os.chown(home, USER, USER)
        return "/home/user"
