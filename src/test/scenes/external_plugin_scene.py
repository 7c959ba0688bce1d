"""A plugin that is built outside the source tree, with only an installed ecbench, works like any other."""

import json
import re

import scene
from install_scene import install

PROJECT = scene.SOURCE / "src" / "test" / "external_plugin"


def sanitizer_flags():
    """A plugin must be built with the sanitizers of the library that it is linked with."""
    sanitize = re.search(r"^ECBENCH_SANITIZE:STRING=(.+)$", (scene.BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return [f"-DCMAKE_CXX_FLAGS=-fsanitize={sanitize[1]}"] if sanitize else []


class ExternalPlugin(scene.Scene):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        install(self.prefix)
        build = self.folder / "build"
        for command in (["cmake", "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", *sanitizer_flags()],
                        ["cmake", "--build", build]):
            result = scene.run(command)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.plugins = build / "plugins"

    def ecbench(self, *arguments):
        return scene.run([self.prefix / "bin" / "ecbench", "--plugin", "single_parity", "--erasure-code-dir", self.plugins,
                          "--size", "100000", "--iterations", "2", *arguments])

    def test_is_measured_listed_and_refused_like_any_other(self):
        for workload in (["--workload", "encode"], ["--workload", "decode", "--erasures-generation", "exhaustive"]):
            result = self.ecbench("--parameter", "k=7", "--format", "json", *workload)
            self.assertEqual(result.returncode, 0, result.stderr)
            measured = json.loads(result.stdout)
            self.assertEqual((measured["k"], measured["m"], measured["verified"]), (7, 1, True))
        listing = scene.run([self.prefix / "bin" / "ecbench", "--list", "--erasure-code-dir", self.plugins])
        self.assertIn("single_parity", listing.stdout)
        self.assert_refused(self.ecbench("--parameter", "m=2"), "m=2", "XOR makes one coding chunk")


if __name__ == "__main__":
    scene.main()
