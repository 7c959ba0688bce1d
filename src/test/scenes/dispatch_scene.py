"""At every level of --dispatch, a code computes the same bytes, and the output names the kernels that ran."""

import json
import re

import scene

PROFILES = {
    "isa": ["k=6 m=2", "k=4 m=1", "k=5 m=4 technique=cauchy"],
    "shec": ["k=5 m=3 c=3 technique=single backend=isa"],
    "jerasure": ["k=6 m=2 technique=reed_sol_van", "k=4 m=3 w=16 technique=reed_sol_van", "k=4 m=3 w=32 technique=reed_sol_van",
                 "k=5 m=2 technique=reed_sol_r6_op", "k=4 m=2 w=32 technique=reed_sol_r6_op",
                 "k=5 m=3 packetsize=8 technique=cauchy_good", "k=4 m=2 packetsize=12 technique=liberation"],
}
if (scene.PLUGINS / "libec_simd.so").exists():  # a build with -DSIMD=OFF does not contain this plugin
    PROFILES["simd"] = ["k=6 m=2", "k=4 m=1 store=streaming", "k=5 m=4 technique=cauchy", "k=7 m=3 matrix=jerasure"]


def ecbench(plugin, parameters, *args, env=None):
    profile = [word for parameter in parameters.split() for word in ("-P", parameter)]
    return scene.ecbench("-p", plugin, *profile, "-s", "40001", "-i", "1", "--format", "json", *args, env=env)


def offered(plugin):
    listed = scene.ecbench("--list").stdout
    return re.search(rf"^{plugin}: .*\n.*\n  dispatch levels: (.*)$", listed, re.MULTILINE).group(1)


def levels(plugin):
    """shec accepts every level of the CPU, but its backend isa may have no kernels for a level."""
    return offered("isa" if plugin == "shec" else plugin).split()


class Dispatch(scene.Scene):
    def row(self, *args, **kwargs):
        return json.loads(self.silent(ecbench(*args, **kwargs)).stdout)

    def need_ssse3(self):
        if "ssse3" not in levels("jerasure"):
            self.skipTest("this CPU has no SSSE3")

    def test_every_level_gives_the_bytes_of_native(self):
        for plugin, profiles in PROFILES.items():
            for number, parameters in enumerate(profiles):
                chunks = {}
                for level in levels(plugin):
                    folder = self.folder / f"{plugin}{number}{level}"
                    row = self.row(plugin, parameters, "--dispatch", level, "--chunks-out", folder)
                    self.assertEqual(row["dispatch"], level)
                    chunks[level] = [path.read_bytes() for path in sorted(folder.glob("[0-9]*"))]
                    self.assertEqual(len(chunks[level]), row["chunk_count"])
                self.assertEqual(set(chunks), set(levels(plugin)))
                for level, bytes_of_level in chunks.items():
                    self.assertTrue(bytes_of_level == chunks["native"], f"{plugin} {parameters}: {level} differs from native")

    def test_every_loss_is_recovered_at_every_level(self):
        for plugin, profiles in PROFILES.items():
            for parameters in profiles:
                m = int(re.search(r"m=(\d)", parameters).group(1))
                for level in levels(plugin):
                    for erasures in range(1, m + 1):
                        row = self.row(plugin, parameters, "--dispatch", level, "-w", "decode", "-e", str(erasures),
                                       "-E", "exhaustive")
                        self.assertEqual((row["verified"], row["unrecoverable"]), (True, 0))

    def test_the_command_repeats_the_level(self):
        row = self.row("jerasure", "technique=reed_sol_van", "--dispatch", "scalar")
        self.assertIn("--dispatch scalar", row["command"])
        again = scene.run(["sh", "-c", row["command"] + " --format json"])
        self.assertEqual(json.loads(again.stdout)["kernel"], row["kernel"])

    def test_jerasure_names_the_kernels_of_the_level(self):
        self.need_ssse3()
        for w, scalar, ssse3 in ((8, "full table", "split table 4,8 SSSE3"), (16, "split table 8,16", "split table 4,16 SSSE3"),
                                 (32, "split table 8,32", "split table 4,32 SSSE3")):
            def kernel(level, w=w):
                return self.row("jerasure", f"technique=reed_sol_van w={w}", "--dispatch", level)["kernel"]
            self.assertEqual(kernel("scalar"), f"GF-Complete w={w} {scalar}, XOR")
            for level in ("ssse3", "native"):
                self.assertEqual(kernel(level), f"GF-Complete w={w} {ssse3}, XOR SSE2")
        doubling = self.row("jerasure", "technique=reed_sol_r6_op")["kernel"]
        self.assertIn("encode: GF-Complete w=8 times two SSE2, XOR SSE2;", doubling)
        by_packets = self.row("jerasure", "technique=cauchy_good packetsize=8", "--dispatch", "scalar")["kernel"]
        self.assertEqual(by_packets, "GF-Complete XOR")

    def test_a_level_that_the_environment_disables(self):
        self.need_ssse3()
        env = {"GF_COMPLETE_DISABLE_SSSE3": "1"}
        self.assert_refused(ecbench("jerasure", "technique=reed_sol_van", "--dispatch", "ssse3", env=env), "--dispatch ssse3",
                            "GF_COMPLETE_DISABLE_SSSE3")
        self.assertEqual(self.row("jerasure", "technique=reed_sol_van", "--dispatch", "scalar", env=env)["kernel"],
                         "GF-Complete w=8 full table, XOR")

    def test_a_library_that_cannot_be_limited_says_so(self):
        self.assertEqual(offered("example"), "native (the plugin cannot select kernels by level)")
        self.assert_refused(ecbench("example", "", "--dispatch", "scalar"), "--dispatch scalar", "plugin example",
                            "cannot select kernels by level", "native")
