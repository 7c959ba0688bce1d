"""A plugin that was built outside the source tree works like any other plugin. The build needs only an installed ecbench."""

import json
import re

import scene
from install_scene import install

PROJECT = scene.SOURCE / "src" / "test" / "external_plugin"


def sanitizer_flags():
    """The plugin must be built with the same sanitizers as the library with which it is linked."""
    sanitize = re.search(r"^ECBENCH_SANITIZE:STRING=(.+)$", (scene.BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    return [f"-DCMAKE_CXX_FLAGS=-fsanitize={sanitize[1]}"] if sanitize else []


class ExternalPlugin(scene.Scene):
    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        install(self.prefix)
        self.plugins = self.folder / "build" / "plugins"
        self.build()

    def build(self):
        """Builds the plugin with the installed ecbench. A second call builds only what has changed."""
        build = self.folder / "build"
        for command in (["cmake", "-S", PROJECT, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", *sanitizer_flags()],
                        ["cmake", "--build", build]):
            self.succeeded(scene.run(command))

    def ecbench(self, *arguments):
        return scene.run([self.prefix / "bin" / "ecbench", "--plugin", "single_parity", "--erasure-code-dir", self.plugins,
                          "--size", "100000", "--iterations", "2", *arguments])

    def test_is_measured_listed_and_refused_like_other_plugins(self):
        for workload in (["--workload", "encode"], ["--workload", "decode", "--erasures-generation", "exhaustive"]):
            measured = json.loads(self.succeeded(self.ecbench("--parameter", "k=7", "--format", "json", *workload)).stdout)
            self.assertEqual((measured["k"], measured["m"], measured["verified"]), (7, 1, True))
        listing = scene.run([self.prefix / "bin" / "ecbench", "--list", "--erasure-code-dir", self.plugins])
        self.assertIn("single_parity", listing.stdout)
        self.assert_refused(self.ecbench("--parameter", "m=2"), "m=2", "XOR makes one coding chunk")
        self.succeeded(scene.run([scene.BUILD / "plugin_check", self.plugins, "k=7"]))

    def test_is_refused_by_version_if_it_was_built_against_changed_headers(self):
        [header] = self.prefix.rglob("erasure_code/erasure_code.h")
        original = header.read_text()
        own = json.loads(scene.run([self.prefix / "bin" / "ecbench", "--version", "--format", "json"]).stdout)["contract"]
        place = "  virtual const ParityDelta* parity_delta()"
        self.assertIn(place, original)
        for text, is_refused in ((original.replace(place, f"  virtual void added() const {{}}\n{place}"), True), (original, False)):
            header.write_text(text)
            self.build()
            result = self.ecbench("--parameter", "k=4")
            if is_refused:
                self.assert_refused(result, "libec_single_parity.so was built for 'ecbench plugin contract ",
                                    f"only '{own}' is allowed", "build the plugin again")
            else:
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_compiler_without_cmake_takes_the_version_of_the_installed_headers(self):
        plugins = self.folder / "by_hand"
        plugins.mkdir()
        [library] = self.prefix.rglob("liberasure_code.a")
        flags = [flag.removeprefix("-DCMAKE_CXX_FLAGS=") for flag in sanitizer_flags()]
        self.succeeded(scene.run(["c++", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", *flags,
                                  "-I", self.prefix / "include" / "ecbench", PROJECT / "plugin.cc", library,
                                  "-o", plugins / "libec_single_parity.so"]))
        self.plugins = plugins
        self.assertEqual(self.ecbench("--parameter", "k=4").returncode, 0)
