"""Runs `make test-arm64`, then the ecbench that was cross-compiled for arm64 with qemu-user. The first run downloads packages from
Debian's archive. Takes less than ten minutes on two cores."""

import pathlib
import unittest

import scene

ARM64 = pathlib.Path(f"{scene.BUILD}-arm64")


def ecbench(*words: str) -> scene.Result:
    return scene.run(["qemu-aarch64", "-L", ARM64 / "sysroot", ARM64 / "ecbench", *words])


class Arm64(scene.Scene):
    @classmethod
    def setUpClass(cls) -> None:
        made = scene.run(["make", "-C", scene.SOURCE, "test-arm64", f"BUILD={scene.BUILD}"], timeout=3600)
        if "arm64-sysroot.sh: apt-get failed" in made.stderr:
            raise unittest.SkipTest(made.stderr.strip())
        if made.returncode != 0:
            raise AssertionError(f"make test-arm64 failed:\n{made.stdout[-5000:]}\n{made.stderr[-5000:]}")

    def test_levels_of_x86_are_refused(self) -> None:
        for plugin in ("isa", "simd"):
            for level in ("ssse3", "avx2", "avx2-gfni", "avx512", "avx512-gfni"):
                self.assert_refused(ecbench("-p", plugin, "--dispatch", level, "-i", "1"), f"--dispatch {level} is not allowed")

    def test_counters_that_qemu_lacks_are_refused(self) -> None:
        self.assert_refused(ecbench("-p", "simd", "-s", "4K", "--count-instructions"), "--count-instructions is not possible here")

    def test_the_kernel_is_that_of_arm64(self) -> None:
        for level, kernel in (("neon", "NEON"), ("native", "NEON"), ("scalar", "scalar")):
            result = ecbench("-p", "simd", "-s", "4K", "-i", "2", "--dispatch", level, "--format", "json")
            self.assertIn(kernel, self.succeeded(result).stdout)
