"""The workload overwrite with ISA-L 2.31, whose tables have other sizes on CPUs with GFNI than those of older versions. Downloads
ISA-L from Debian's archive. Takes about a minute."""

import scene

RELEASE = "trixie"  # this release of Debian has ISA-L 2.31


class IsalOverwrite(scene.Scene):
    def test_every_number_of_changed_chunks(self) -> None:
        library = self.folder / RELEASE
        fetched = scene.run([scene.SOURCE / "scripts" / "fetch-isal.sh", RELEASE, library], timeout=600)
        if fetched.returncode != 0:
            self.skipTest(fetched.stderr.strip())
        self.assertIn("libisal.so.2.0.31", fetched.stderr)
        for technique in ("reed_sol_van", "cauchy"):
            for coding in (1, 2, 4):
                for changed in range(1, 7):
                    words = ["-P", f"technique={technique}", "-P", "k=6", "-P", f"m={coding}", "-s", "24K", "-i", "13"]
                    words += ["-w", "overwrite", "--changed", changed, "--codec-lib", library]
                    self.succeeded(scene.ecbench("-p", "isa", *words))
