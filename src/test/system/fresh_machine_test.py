"""bench.sh on a minimal base system with a clone of the last commit installs missing packages, builds and measures; then
`make test-quick` passes. Takes about 15 minutes for each release of Debian on two cores."""

import pathlib

import debian
import scene

CLONE = "/root/ecbench"


class FreshMachine(debian.Debian):
    def check(self, release: str) -> None:
        self.make_system(release)
        self.outside("git", "clone", "--quiet", "--no-hardlinks", str(debian.SOURCE), f"{self.root}{CLONE}")
        self.assertEqual(self.inside("command -v g++ make git python3 || true", CLONE), "", "the base system is not minimal")
        self.inside("./bench.sh run plugin=isa k=4 m=2 size=4K workload=encode --repetitions 1 --output run.jsonl", CLONE)
        rows = scene.records_of(pathlib.Path(f"{self.root}{CLONE}/run.jsonl"), "row")
        self.assertTrue(rows and all(row["verified"] for row in rows), rows)
        summary = self.inside("make test-quick", CLONE)
        self.assertIn("100% tests passed", summary)
        print(summary[-600:])

    def test_debian_12(self) -> None:
        self.check("bookworm")

    def test_debian_13(self) -> None:
        self.check("trixie")
