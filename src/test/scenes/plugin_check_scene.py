"""plugin_check, for plugins of other source trees, finds the fault of each faulty plugin, and none in right plugins."""

import scene

LOADS, ENCODES = "Loads", "EncodesTheSameBytesInEveryCallAndChangesNoDataChunk"
FAULTS = {
    "no_entry": LOADS, "no_version": LOADS, "no_technique": LOADS, "old_version": LOADS, "throws_at_load": LOADS,
    "throws_at_make": LOADS, "throws_no_exception": LOADS, "exits_at_load": LOADS,
    "exits_later": ENCODES, "illegal_instruction": ENCODES, "throws_later": ENCODES, "wrong_encode": ENCODES,
    "crashes": ENCODES, "reads_after": ENCODES, "reads_before": ENCODES, "reads_page_after": ENCODES, "refuses_at_load": LOADS,
    "shares_a_buffer": "ServesTwoThreads", "throws_in_encode": ENCODES,
    "wrong_decode": "RecoversEveryLossThatItDoesNotRefuse", "allocates": "AllocatesNothing",
}
# Technique of plugin wrong_later → a test that must fail
LATE_FAULTS = {"encode": ENCODES, "decode": "RebuildsAChunkFromWhatItRequests", "repair": "RebuildsAChunkFromWhatItRequests",
               "update": "UpdatesCodingChunks"}
LARGE_FAULTS = {"encode": "RecoversEveryLossThatItDoesNotRefuse", "decode": "RecoversEveryLossThatItDoesNotRefuse",
                "decode_of_coding": "RecoversEveryLossThatItDoesNotRefuse", "repair": "RebuildsAChunkFromWhatItRequests",
                "update": "UpdatesCodingChunks", "update_of_last": "UpdatesCodingChunks"}


def verdicts(result):
    """Plugin → the tests that failed, from the last lines of the output."""
    lines = [line.split("\t") for line in result.stdout.splitlines() if line.count("\t") == 2]
    return {plugin: (verdict, failed.split()) for plugin, verdict, failed in lines}


class PluginCheck(scene.Scene):
    def check(self, *words, env=None):
        return scene.run([scene.BUILD / "plugin_check", *words], env)

    def test_faults_are_found(self):
        faulty = [next(scene.TEST_PLUGINS.rglob(f"libec_{name}.so")) for name in FAULTS]
        result = self.check(self.plugins_of(*faulty, scene.PLUGINS / "libec_example.so"))
        self.assertEqual(result.returncode, 1, result.stderr)
        found = verdicts(result)
        self.assertEqual(found.pop("example"), ("right", []))
        self.assertEqual(found.keys(), FAULTS.keys())
        for name, fault in FAULTS.items():
            verdict = "allocates" if name == "allocates" else "wrong"
            self.assertEqual((found[name][0], found[name][1][0]), (verdict, fault), result.stdout)

    def test_faults_of_later_calls_are_found(self):
        plugins = self.plugins_of(scene.TEST_PLUGINS / "libec_wrong_later.so")
        for technique, fault in LATE_FAULTS.items():
            result = self.check(plugins, f"technique={technique}")
            self.assertEqual(result.returncode, 1)
            self.assertIn(fault, verdicts(result)["wrong_later"][1])

    def test_faults_of_large_chunks_are_found(self):
        plugins = self.plugins_of(scene.TEST_PLUGINS / "libec_wrong_later.so")
        for above in (100_000, 2 << 20):
            for technique, fault in LARGE_FAULTS.items():
                result = self.check(plugins, f"technique={technique}", "from=1", f"above={above}")
                self.assertEqual(result.returncode, 1)
                self.assertEqual(verdicts(result)["wrong_later"][1][0], fault)

    def test_a_test_has_a_time_limit(self):
        result = self.check(self.plugins_of(scene.TEST_PLUGINS / "libec_hangs.so"), env={"ECBENCH_TEST_SECONDS": 1})
        self.assertEqual((result.returncode, verdicts(result)), (1, {"hangs": ("wrong", [ENCODES])}), result.stdout)

    def test_right_plugins(self):
        plugins = self.plugins_of(scene.PLUGINS / "libec_isa.so", scene.PLUGINS / "libec_simd.so")
        result = self.check(plugins, "k=6", "m=3", "technique=cauchy")
        self.assertEqual((result.returncode, verdicts(result)), (0, {"isa": ("right", []), "simd": ("right", [])}), result.stdout)

    def test_bad_input(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for words in ([], [empty], [self.folder / "missing"]):
            self.assertEqual(self.check(*words).returncode, 1)
        result = self.check(self.plugins_of(scene.PLUGINS / "libec_isa.so"), "k=6", "m=3", "unknown=1")
        self.assertEqual((result.returncode, verdicts(result)["isa"][0]), (1, "not tested"))
        self.assertEqual(self.check(self.folder / "plugins", "nosuch").returncode, 1)

    def test_a_plugin_that_needs_parameters_is_not_called_wrong(self):
        plugins = self.plugins_of(*(scene.PLUGINS / f"libec_{name}.so" for name in ("lrc", "isa", "jerasure")))
        result = self.check(plugins)
        found = verdicts(result)
        self.assertEqual((result.returncode, {name: verdict for name, (verdict, _) in found.items()}),
                         (0, {"lrc": "not tested", "isa": "right", "jerasure": "right"}), result.stdout)
        self.assertIn("layers", found["lrc"][1])
        for words, code, expected in ((["lrc", "k=4", "m=2", "l=3"], 0, {"lrc": ("right", [])}),
                                      (["isa"], 0, {"isa": ("right", [])}),
                                      (["lrc"], 1, {"lrc": ("not tested", found["lrc"][1])})):
            result = self.check(plugins, *words)
            self.assertEqual((result.returncode, verdicts(result)), (code, expected), result.stdout)

    def test_rust_libraries(self):
        for name, verdict in (("rs-simd", "right"), ("rusty_erasure", "allocates")):  # rusty_erasure makes a matrix in each decode
            if not (scene.PLUGINS / f"libec_{name}.so").exists():
                self.skipTest(f"{name} is not built")
            self.assertEqual(verdicts(self.check(scene.PLUGINS, name))[name][0], verdict)
