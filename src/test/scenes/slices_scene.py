"""--serve-slices with two servers that share one arena (the memory of their chunks), as in bench.sh gate ab."""

import json
import os
import pathlib
import subprocess

import scene

POINTS = {
    "an encode": ["-P", "k=4", "-P", "m=2", "-s", "64K"],
    "patterns at random": ["-P", "k=4", "-P", "m=2", "-s", "10000", "-w", "decode", "-e", "2"],
    "all patterns at once": ["-P", "k=3", "-P", "m=2", "-s", "4K", "-w", "decode", "-e", "2", "-E", "exhaustive"],
    "one pattern": ["-p", "jerasure", "-P", "technique=reed_sol_van", "-P", "k=4", "-P", "m=2", "-s", "40001", "-w", "decode",
                    "--erased", "0,5"],
    "packets": ["-p", "jerasure", "-P", "technique=liberation", "-P", "k=4", "-P", "m=2", "-P", "packetsize=64", "-s", "64K", "-w",
                "decode"],
    "stripes": ["-P", "k=4", "-P", "m=2", "-s", "64K", "--stripe-unit", "4K"],
    "a cold pool": ["-P", "k=4", "-P", "m=2", "-s", "1M", "-w", "decode", "-e", "2", "--cache", "cold"],
}


class Server:
    def __init__(self, arena, *words):
        self.process = scene.start([scene.ECBENCH, *words, "--serve-slices", "--arena", arena], stdin=subprocess.PIPE,
                                   pass_fds=[arena])
        line = self.process.stdout.readline()
        self.hello = json.loads(line) if line else None

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the server has ended; readline() returns the rest of its output
        return self.process.stdout.readline().rstrip("\n")

    def end(self, last=""):
        """Exit code, stdout and stderr."""
        out, err = self.process.communicate(last, timeout=60)
        return self.process.returncode, out, err


class Slices(scene.Scene):
    def setUp(self):
        super().setUp()
        self.arena = self.new_arena()

    def new_arena(self):
        arena = os.memfd_create("arena of a scene")
        self.addCleanup(os.close, arena)
        return arena

    def start(self, *words, arena=None):
        server = Server(self.arena if arena is None else arena, *words)
        self.addCleanup(self.stop, server.process)
        self.assertIsNotNone(server.hello, server.process.poll())
        return server

    def stop(self, process):
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()

    def refused(self, *words, arena=None):
        return scene.ecbench(*words, pass_fds=[self.arena if arena is None else arena])

    def assert_ended(self, server, code, last=""):
        returned, out, err = server.end(last)
        self.assertEqual((returned, out, err), (code, "", ""))

    def test_two_servers_time_slices_alternately_and_compute_correct_bytes(self):
        for words in POINTS.values():
            arena = self.new_arena()
            old, new = self.start(*words, arena=arena), self.start(*words, arena=arena)
            self.assertEqual(old.hello, new.hello)
            self.assertEqual(os.fstat(arena).st_size, old.hello["arena_bytes"])
            self.assertEqual((old.ask("check"), new.ask("check")), ("ok", "ok"))
            iterations = int(old.ask("calibrate 200000").removeprefix("iterations "))
            self.assertGreaterEqual(iterations, 1)
            for server in (old, new, new, old):
                word, wall, cpu = server.ask(f"time {iterations}").split()
                self.assertEqual(word, "ns")
                self.assertGreater(int(wall), 0)
                self.assertGreaterEqual(int(cpu), 0)
            self.assertEqual(new.ask("warm 3"), "ok")
            self.assertEqual((old.ask("check"), new.ask("check")), ("ok", "ok"))
            self.assert_ended(old, 0, "quit\n")
            self.assert_ended(new, 0)

    def test_the_greeting_reports_what_is_timed(self):
        hello = self.start(*POINTS["all patterns at once"]).hello
        self.assertEqual(hello["protocol"], "ecbench slices 1")
        expected = {"k": 3, "m": 2, "chunk_count": 5, "stripes": 1, "patterns": 10, "object_bytes_per_iteration": 10 * 4096}
        self.assertEqual({key: hello[key] for key in expected}, expected)
        row = json.loads(scene.ecbench(*POINTS["all patterns at once"], "-i", "1", "--format", "json").stdout)
        self.assertEqual(hello["point"], {key: row[key] for key in hello["point"]})
        self.assertEqual({"plugin", "profile", "workload", "size", "erasures", "cache", "dispatch"} - hello["point"].keys(), set())
        self.assertEqual((hello["chunk_size_bytes"], hello["kernel"]), (row["chunk_size"], row["kernel"]))
        self.assertEqual(pathlib.Path(hello["plugin_path"]).name, "libec_isa.so")
        environment = json.loads(scene.ecbench("-p", "isa", "--environment").stdout)
        known = {library["name"]: {key: library[key] for key in ("path", "version", "build_id")}
                 for library in environment["shared_objects"]}
        self.assertEqual(hello["codec_libraries"], known)

    def test_an_unknown_command_ends_it_with_one_line(self):
        for command in ("", "stop", "time", "time 0", "time x", "time 1 2", "time -1", "warm 10000000000", "calibrate 0",
                        "calibrate 99999999999", "check all", "TIME 1", "time 1\x1b[31m"):
            server = self.start(*POINTS["an encode"], arena=self.new_arena())
            code, out, err = server.end(command + "\n")
            self.assertEqual((code, out, len(err.splitlines())), (1, "", 1), err)
            self.assertTrue(err.startswith("ecbench: "), err)
            self.assertNotIn("\x1b", err)

    def test_a_bad_arena_is_refused(self):
        path = self.folder / "file"
        path.write_text("precious")
        with open(path, "r+", encoding="utf-8") as file, open(os.devnull, "r+", encoding="utf-8") as null:
            for arena in (file.fileno(), null.fileno()):
                self.assert_refused(self.refused("--serve-slices", "--arena", arena, arena=arena), f"--arena {arena}",
                                    "memfd_create")
        self.assertEqual(path.read_text(), "precious")
        self.assert_refused(self.refused("--serve-slices", "--arena", "987"), "--arena 987", "memfd_create")
        for text in ("x", "-1", "", "99999999999"):
            self.assert_refused(self.refused("--serve-slices", "--arena", text), "--arena")
        self.assert_refused(self.refused("--serve-slices"), "--arena")
        self.assert_refused(self.refused("--arena", self.arena), "--serve-slices")

    def test_options_that_exclude_slices(self):
        for words in (["--timing", "api"], ["--threads", "2"], ["--iterations", "5"], ["--min-time", "1"], ["--limit", "no"],
                      ["--output", "row"], ["--symbols", "symbols"], ["--chunks-out", "chunks"], ["--format", "json"],
                      ["--verbose"], ["--workload", "limit"], ["--workload", "memcpy"]):
            self.assert_refused(self.refused(*words, "--serve-slices", "--arena", self.arena), words[0], "--serve-slices")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), [])

    def test_a_reader_that_has_ended(self):
        server = self.start(*POINTS["an encode"])
        server.process.stdout.close()
        server.process.stdin.write("warm 1\nwarm 1\nwarm 1\n")
        server.process.stdin.close()
        self.assertNotEqual(server.process.wait(60), 0)
