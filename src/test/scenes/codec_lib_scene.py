"""--codec-lib DIR: measurements and runs use the codec libraries in DIR, and every output names them."""

import json
import os
import pathlib
import shutil

import scene

OWN_BUILD_ID = bytes(range(0xA0, 0xB4))
PROFILES = {"isa": ["-p", "isa"], "jerasure": ["-p", "jerasure", "-P", "technique=reed_sol_van"]}
QUICK = ["-P", "k=4", "-P", "m=2", "-s", "4K", "-i", "1"]


def tail(path):
    """Returns the last three parts of a path. Only these parts are compared, because ecbench may print the home directory as ~."""
    return "/".join(pathlib.Path(path).parts[-3:])


class CodecLib(scene.Scene):
    def setUp(self):
        super().setUp()
        self.own = self.folder / "own libraries"
        self.own.mkdir()

    def copy(self, plugin, name, folder=None, renamed=None):
        """Copies the installed library `name`, and changes the build id in the copy. Returns the path of the copy."""
        library = scene.libraries_of(plugin)[name]
        if library["build_id"] is None:
            self.skipTest(f"{name} has no build id")
        bytes_ = pathlib.Path(library["path"]).read_bytes()
        self.assertEqual(bytes_.count(bytes.fromhex(library["build_id"])), 1)
        target = (folder or self.own) / (renamed or name)
        target.write_bytes(bytes_.replace(bytes.fromhex(library["build_id"]), OWN_BUILD_ID))
        return target

    def assert_own(self, libraries, paths, version=None):
        """`paths`: name of each copy → end of its path. The default of `version` is the number after .so: 2 for libisal.so.2."""
        self.assertEqual({name: {**library, "path": tail(library["path"])} for name, library in libraries.items()},
                         {name: {"path": path, "version": version or name.partition(".so.")[2], "build_id": OWN_BUILD_ID.hex()}
                          for name, path in paths.items()})

    def row(self, plugin, *args):
        return json.loads(self.silent(scene.ecbench(*PROFILES[plugin], *QUICK, "--format", "json", *args)).stdout)

    def test_it_is_an_axis_of_a_grid(self):
        copied = self.copy("isa", "libisal.so.2")
        folder = "libraries"  # a relative path: values in a grid cannot contain spaces, but self.folder contains spaces
        (self.folder / folder).mkdir()
        shutil.move(copied, self.folder / folder)
        run = self.folder / "run.jsonl"
        words = ["plugin=isa", "technique=cauchy", "k=4", "m=2", "size=4K", "workload=encode", f"codec-lib=none,{folder}"]
        self.succeeded(scene.ask("run", "--ecbench", scene.FAKE, "--output", run, "--min-time", "0.001", "--repetitions", "1",
                                 *words, cwd=self.folder))
        rows = {row["codec_lib"]: row for row in scene.records_of(run, "row")}
        self.assertEqual(set(rows), {None, folder})
        self.assertEqual(rows[folder]["codec_libraries"]["libisal.so.2"]["build_id"], OWN_BUILD_ID.hex())
        self.assertEqual(len({row["id"] for row in rows.values()}), 2)

    def test_every_output_says_which_build_ran(self):
        for plugin in PROFILES:
            names = sorted(scene.libraries_of(plugin))
            self.assertTrue(names)
            copies = {name: tail(self.copy(plugin, name)) for name in names}
            row = self.row(plugin, "--codec-lib", self.own)
            self.assertEqual(pathlib.Path(row["codec_lib"]).parts[-2:], self.own.parts[-2:])
            self.assert_own(row["codec_libraries"], copies)
            self.assertRegex(row["command"], f" --codec-lib '?[^ ].*{self.own.name}'?")
            loaded = scene.libraries_of(plugin, "--codec-lib", self.own)
            self.assertEqual({name: tail(library["path"]) for name, library in loaded.items()}, copies)
            self.assertEqual({library["build_id"] for library in loaded.values()}, {OWN_BUILD_ID.hex()})
            plain = self.row(plugin)
            self.assertEqual((plain["codec_lib"], plain["codec_libraries"]), (None, None))
            self.assertEqual((plain["kernel"], plain["profile"]), (row["kernel"], row["profile"]))

    def test_a_library_that_is_not_in_the_directory_is_that_of_the_system(self):
        copied = self.copy("jerasure", "libgf_complete.so.1")
        row = self.row("jerasure", "--codec-lib", self.own)
        self.assert_own(row["codec_libraries"], {"libgf_complete.so.1": tail(copied)})
        loaded = scene.libraries_of("jerasure", "--codec-lib", self.own)
        self.assertEqual(tail(loaded["libgf_complete.so.1"]["path"]), tail(copied))
        self.assertEqual(loaded["libJerasure.so.2"], scene.libraries_of("jerasure")["libJerasure.so.2"])

    def test_a_link_and_a_relative_folder(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        real = self.copy("isa", "libisal.so.2", elsewhere, renamed="libisal.so.2.0.99")
        (self.own / "libisal.so.2").symlink_to(real)
        result = scene.ecbench("--environment", "-p", "isa", "--codec-lib", self.own.name, cwd=self.folder)
        loaded = {library["name"]: library for library in json.loads(result.stdout)["shared_objects"]}
        self.assertEqual((tail(loaded["libisal.so.2"]["path"]), loaded["libisal.so.2"]["version"]), (tail(real), "2.0.99"))
        self.assert_own(self.row("isa", "--codec-lib", self.own)["codec_libraries"], {"libisal.so.2": tail(real)}, "2.0.99")

    def test_what_cannot_be_used_is_refused(self):
        folder = self.own
        self.refused("isa", folder, "has none", "libisal.so.2")
        self.refused("isa", self.folder / "none", "is not a directory")
        self.refused("isa", "", "give a path")
        (folder / "libisal.so.2").write_text("no library")
        self.refused("isa", folder, "libisal.so.2", "not a library")
        (folder / "libisal.so.2").unlink()
        (folder / "libisal.so.2").symlink_to("nowhere")
        self.refused("isa", folder, "libisal.so.2")
        (folder / "libisal.so.2").unlink()
        os.mkfifo(folder / "libisal.so.2")  # opening this FIFO for reading would block, because it has no writer
        self.refused("isa", folder, "libisal.so.2", "not a library")
        (folder / "libisal.so.2").unlink()
        self.copy("jerasure", "libgf_complete.so.1", renamed="libisal.so.2")
        self.refused("isa", folder, "libisal.so.2", "libgf_complete.so.1")

    def test_a_plugin_without_codec_libraries_refuses_it(self):
        self.copy("isa", "libisal.so.2")
        self.assert_refused(scene.ecbench("-p", "example", "-i", "1", "--codec-lib", self.own), "--codec-lib", "needs no")

    def refused(self, plugin, folder, *words):
        for args in ([*QUICK], ["--environment"]):
            self.assert_refused(scene.ecbench(*PROFILES[plugin], *args, "--codec-lib", folder), "--codec-lib", *words)

    def test_describe_answers_for_the_libraries_in_the_directory(self):
        self.copy("isa", "libisal.so.2")
        empty = self.folder / "empty"
        empty.mkdir()
        lines = [{"words": ["-P", "k=4", "-P", "m=2", *words]}
                 for words in ([], ["--codec-lib", str(self.own)], ["--codec-lib", str(empty)])]
        lines.append({"words": ["-p", "example", "--codec-lib", str(self.own)]})
        questions = self.folder / "questions"
        questions.write_text("".join(json.dumps(line) + "\n" for line in lines))
        plain, own, refused, unneeded = (json.loads(line) for line in scene.ecbench("--describe", questions).stdout.splitlines())
        self.assertEqual(own, {**plain, "kernel": ""})
        self.assertIn("has none", refused["refused"])
        self.assertIn("needs no codec library", unneeded["refused"])
