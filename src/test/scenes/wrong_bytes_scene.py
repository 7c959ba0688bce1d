"""If an erasure code begins to compute wrong bytes while it is measured, ecbench prints no figure and has exit code 2."""

import itertools
import re

import scene

MEASUREMENTS = {
    **{workload: ["-w", workload, "-i", "2000"]
       for workload in ("encode", "decode", "repair", "overwrite", "scrub", "limit", "memcpy")},
    **{f"{workload}, api": ["-w", workload, "-i", "2000", "--timing", "api"] for workload in ("encode", "decode")},
    "samples": ["-w", "encode", "--min-time", "0.01"],
    "threads": ["-w", "encode", "-i", "2000", "--threads", "2"],
    "paced": ["-w", "encode", "--pace", "20000", "--min-time", "0.5"],
    **{f"background {workload}": ["-w", "memcpy", "--pace", "2000", "--min-time", "0.3", "--background", workload]
       for workload in ("encode", "decode", "repair", "overwrite")},
}
ENCODES = {"encode", "encode, api", "samples", "threads", "scrub", "paced", "background encode"}
DECODES = {"decode", "decode, api", "repair", "background decode", "background repair"}
OVERWRITES = {"overwrite", "background overwrite"}

# Technique of plugin wrong_later → measurements that call its faulty functions.
CALLS = {
    "encode": ENCODES,
    "encode_without_delta": ENCODES,
    "encode_of_other_data": set(),
    "encode_and_update": ENCODES | OVERWRITES,
    "update": OVERWRITES,
    "update_of_last": {"overwrite"},  # only if data chunk 1 changes
    "decode": DECODES,
    "decode_of_coding": DECODES,
    "repair": {"repair", "background repair"},
}
FIRST_WRONG_CALLS = (1, 50, 500)  # ecbench makes fewer than 500 calls before it measures
FOREGROUND, BACKGROUND = re.compile("(?!background)"), re.compile("background")


class WrongBytes(scene.Scene):
    def assert_found(self, measurement: str, plugin: str, *parameters: str) -> None:
        result = self.measure(measurement, plugin, *parameters)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def measure(self, measurement: str, plugin: str, *parameters: str) -> scene.Result:
        profile = [word for parameter in parameters for word in ("-P", parameter)]
        words = ["--erasure-code-dir", scene.TEST_PLUGINS, "-p", plugin, *profile, "-s", "4K"]
        return scene.ecbench(*words, *MEASUREMENTS[measurement])

    def assert_all_found(self, measured: re.Pattern[str], firsts: tuple[int, ...], *parameters: str) -> None:
        for technique, measurements in CALLS.items():
            for measurement, first in itertools.product(sorted(filter(measured.match, measurements)), firsts):
                self.assert_found(measurement, "wrong_later", f"technique={technique}", f"from={first}", *parameters)

    def test_a_function_that_becomes_wrong(self):
        self.assert_all_found(FOREGROUND, FIRST_WRONG_CALLS)
        self.assert_all_found(BACKGROUND, FIRST_WRONG_CALLS[-1:])

    def test_a_function_that_stops_writing(self):
        self.assert_all_found(FOREGROUND, FIRST_WRONG_CALLS, "writes_nothing=yes")

    def test_a_background_from_its_first_calls_or_that_stops_writing(self):
        self.assert_all_found(BACKGROUND, FIRST_WRONG_CALLS[:-1])
        self.assert_all_found(BACKGROUND, FIRST_WRONG_CALLS, "writes_nothing=yes")

    def test_measurements_to_which_a_fault_does_not_apply(self):
        """The fault begins after the verification before the measurement, so no call has it."""
        for technique, measurements in CALLS.items():
            for measurement in sorted(MEASUREMENTS.keys() - measurements):
                if (technique, measurement) == ("update_of_last", "background overwrite"):
                    continue  # on a fast machine, the background also changes data chunk 1
                result = self.measure(measurement, "wrong_later", f"technique={technique}", "from=500")
                # The plugin has no parity delta with these techniques.
                refused = measurement in OVERWRITES and technique in ("encode_without_delta", "encode_of_other_data", "repair")
                self.assertEqual(result.returncode, 1 if refused else 0, result.stderr)

    def test_the_other_faulty_plugins(self):
        for measurement in MEASUREMENTS:
            if measurement not in OVERWRITES:  # these plugins have no parity delta
                self.assert_found(measurement, "wrong_decode")  # all measurements verify the coding chunks by decoding
        for measurement in sorted(ENCODES):
            self.assert_found(measurement, "wrong_encode")
            self.assert_found(measurement, "exits_later", "technique=wrong_bytes")
