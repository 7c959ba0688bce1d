"""Tests a fresh machine: Debian 12's minimal base system in a chroot, with a clone of the last commit. bench.sh installs what it
needs, builds and measures a point, and make test-quick passes. Needs root, debootstrap and the Debian archive; takes about 15
minutes on two cores. ECBENCH_DEBIAN_MIRROR=URL sets another mirror."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

SOURCE = pathlib.Path(os.environ.get("ECBENCH_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
MIRROR = os.environ.get("ECBENCH_DEBIAN_MIRROR", "http://deb.debian.org/debian")
RELEASE = "bookworm"
CLONE = "/root/ecbench"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PRIVATE_MOUNTS = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--")


def why_not() -> str:
    """The reason why this machine cannot run the test; "" if it can."""
    if os.geteuid() != 0:
        return "only root can make a chroot"
    missing = [program for program in ("debootstrap", "unshare", "git") if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} not installed: scripts/install-deps.sh system-test installs it"
    if subprocess.run([*PRIVATE_MOUNTS, "true"], capture_output=True, check=False).returncode != 0:
        return "no permission for a mount namespace"
    try:
        urllib.request.urlopen(f"{MIRROR}/dists/{RELEASE}/Release", timeout=20).close()
    except OSError as error:
        return f"{MIRROR} cannot be reached: {error}"
    return ""


class FreshMachine(unittest.TestCase):
    root: pathlib.Path

    def setUp(self) -> None:
        if reason := why_not():
            self.skipTest(reason)
        folder = tempfile.TemporaryDirectory(prefix="ecbench-fresh-machine-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "root"
        self.outside("debootstrap", "--variant=minbase", RELEASE, str(self.root), MIRROR)
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")
        self.outside("git", "clone", "--quiet", "--no-hardlinks", str(SOURCE), f"{self.root}{CLONE}")

    def finish(self, command: list[str], timeout_seconds: int) -> str:
        """The command's output on stdout. If it fails, the end of its output is shown."""
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                timeout=timeout_seconds, check=False)
        self.assertEqual(result.returncode, 0, f"{shlex.join(command)}\n{(result.stdout + result.stderr)[-6000:]}")
        return result.stdout

    def outside(self, *command: str) -> str:
        return self.finish(list(command), 1200)

    def inside(self, command: str) -> str:
        """Runs a shell command in the clone, as root, without a terminal, in an empty environment. All its processes and mounts end
        with it."""
        script = f"""mount -t proc proc {shlex.quote(str(self.root))}/proc
exec chroot {shlex.quote(str(self.root))} env -i HOME=/root PATH={PATH} sh -c {shlex.quote(f"cd {CLONE} && {command}")}"""
        return self.finish([*PRIVATE_MOUNTS, "sh", "-e", "-c", script], 3600)

    def test_measures_a_point_and_passes_the_quick_tests(self) -> None:
        has_compiler = "command -v g++ make git python3 || true"
        self.assertEqual(self.inside(has_compiler), "", "the base system is not minimal")
        self.inside("./bench.sh sweep plugin=isa k=4 m=2 size=4K workload=encode --repetitions 1 --output run.jsonl")
        records = [json.loads(line) for line in pathlib.Path(f"{self.root}{CLONE}/run.jsonl").read_text("utf-8").splitlines()]
        rows = [record for record in records if record["record"] == "row"]
        self.assertTrue(rows, records)
        self.assertTrue(all(row["verified"] for row in rows), rows)
        summary = self.inside("make test-quick")
        self.assertIn("100% tests passed", summary)
        print(summary[-600:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
