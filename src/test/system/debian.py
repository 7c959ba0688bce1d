"""Installs a minimal Debian system in a chroot, for the system tests. Needs root, debootstrap and the Debian archive.

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
USER = 1234  # a user id that does not exist in the base system


def why_not(release: str) -> str:
    """Why this machine cannot run a test in the Debian release `release`; "" if it can."""
    if os.geteuid() != 0:
        return "only root can make a chroot"
    missing = [program for program in ("debootstrap", "unshare", "git") if shutil.which(program) is None]
    if missing:
        return f"not installed: {', '.join(missing)}; run scripts/install-deps.sh system-test"
    if subprocess.run([*PRIVATE_MOUNTS, "true"], capture_output=True, check=False).returncode != 0:
        return "no permission to create mount and PID namespaces"
    try:
        urllib.request.urlopen(f"{MIRROR}/dists/{release}/Release", timeout=20).close()
    except OSError as error:
        return f"{MIRROR} cannot be reached: {error}"
    return ""


class Debian(unittest.TestCase):
    """Runs commands in the minimal base system of a Debian release."""

    root: pathlib.Path  # of the base system
    folder: pathlib.Path  # the temporary directory that contains `root`

    def make_system(self, release: str) -> None:
        """Installs the base system of `release`. Skips the test if why_not() returns a reason."""
        if reason := why_not(release):
            self.skipTest(reason)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ecbench-debian-")))
        self.root = self.folder / release
        self.outside("debootstrap", "--variant=minbase", release, str(self.root), MIRROR)
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")

    def finish(self, command: list[str], timeout_seconds: int, exit_code: int = 0) -> str:
        """Returns stdout and stderr."""
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                timeout=timeout_seconds, check=False)
        self.assertEqual(result.returncode, exit_code, f"{shlex.join(command)}\n{(result.stdout + result.stderr)[-6000:]}")
        return result.stdout + result.stderr

    def outside(self, *command: str) -> str:
        return self.finish(list(command), 1800)

    def inside(self, command: str, folder: str = "/root", user: int = 0, exit_code: int = 0) -> str:
        """Runs a shell command in the base system, in an environment with only HOME and PATH. Kills its processes when it ends."""
        root = shlex.quote(str(self.root))
        script = f"""mount -t proc proc {root}/proc
mount -t tmpfs -o mode=1777 tmpfs {root}/dev/shm 2>/dev/null || true
exec chroot --userspec={user}:{user} {root} env -i HOME={shlex.quote(folder)} PATH={PATH} \
  sh -c {shlex.quote(f"cd {folder} || exit{chr(10)}{command}")}"""
        return self.finish([*PRIVATE_MOUNTS, "sh", "-e", "-c", script], 3600, exit_code)

    def home_of_user(self) -> str:
        """Creates a home directory for USER. Returns the path of the directory in the base system."""
        home = self.root / "home" / "user"
        home.mkdir()
        os.chown(home, USER, USER)
        return "/home/user"
