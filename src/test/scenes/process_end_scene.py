"""A plugin may end the process. One that exports ecbench_plugin_ends_process (a marked plugin) runs in a child process."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

import scene

TEST_PLUGINS = ["--erasure-code-dir", scene.TEST_PLUGINS]
KLAUSPOST = scene.PLUGINS / "libec_klauspost.so"


def words_of(plugin, technique, *words):
    return [scene.ECBENCH, *TEST_PLUGINS, "-p", plugin, "-P", f"technique={technique}", "-s", "4K", "-i", "50", *words]


def has_ended(pid):
    """Whether the process has ended. A zombie has ended too."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


class ProcessEnd(scene.Scene):
    def test_a_constructor_that_ends_the_process(self):
        words = [scene.ECBENCH, "--erasure-code-dir", scene.TEST_PLUGINS / "exits", "-p", "exits_at_load"]
        for more in ([], ["--environment"], ["--show-reads"]):
            self.assert_refused(scene.run([*words, *more]), "plugin exits_at_load", "exit code 0")

    def test_a_list_also_has_the_plugins_that_do_not_end_the_process(self):
        plugins = self.plugins_of(scene.TEST_PLUGINS / "exits" / "libec_exits_at_load.so",
                                  *(scene.PLUGINS / f"libec_{name}.so" for name in ("example", "replication")))
        result = scene.ecbench("--erasure-code-dir", plugins, "--list", "--format", "json")
        self.assertEqual(result.returncode, 1)
        [line] = result.stderr.splitlines()
        self.assertIn("plugin exits_at_load, or a library that it uses, ended the process with exit code 0 when", line)
        self.assertEqual([plugin["name"] for plugin in json.loads(result.stdout)["plugins"]], ["example", "replication"])

    def test_a_code_that_ends_the_process(self):
        for plugin in ("exits_later", "exits_marked"):
            for end, code in (("exit_0", 0), ("quick_exit_3", 3), ("_exit_2", 2)):
                self.assert_refused(scene.run(words_of(plugin, end)), f"plugin {plugin}", f"exit code {code}:")

    def test_a_system_call_of_a_marked_plugin(self):
        self.assert_refused(scene.run(words_of("exits_marked", "system_call_2")), "plugin exits_marked", "exit code 2:")

    def test_the_end_after_the_row_or_of_a_forked_process_changes_nothing(self):
        for plugin in ("exits_later", "exits_marked"):
            for technique in ("at_exit", "forks_crash"):
                result = self.silent(scene.run(words_of(plugin, technique, "--format", "json")))
                self.assertEqual(json.loads(result.stdout)["plugin"], plugin)

    def test_a_signal_is_reported_as_a_signal(self):
        for plugin in ("exits_later", "exits_marked"):
            self.assertEqual(scene.run(words_of(plugin, "signal")).returncode, -signal.SIGKILL)

    def test_a_crash_and_an_exception_name_the_plugin(self):
        words = [scene.ECBENCH, *TEST_PLUGINS, "-s", "4K", "-p"]
        result = scene.run([*words, "crashes", "-w", "decode"])
        self.assertEqual((result.returncode, result.stdout), (-signal.SIGSEGV, ""))
        self.assertRegex(result.stderr, r"^ecbench: plugin crashes, .* workload decode.*\n$")
        for plugin, text in (("throws_in_encode", "field 7"), ("refuses_at_load", "no such licence")):
            self.assert_refused(scene.run([*words, plugin]), f"plugin {plugin} ", text)

    def test_wrong_bytes_and_refusals_keep_their_exit_codes_in_a_child(self):
        self.assertEqual(scene.run(words_of("exits_marked", "wrong_bytes")).returncode, 2)
        self.assert_refused(scene.run(words_of("exits_marked", "at_exit", "--erased", "9", "-w", "decode")), "--erased 9")

    def test_a_child_answers_questions_and_serves_slices(self):
        questions = [{"words": ["-p", plugin, "-s", "4K"]} for plugin in ("runtime", "exits_marked", "runtime")]
        (self.folder / "questions").write_text("".join(json.dumps(question) + "\n" for question in questions))
        result = self.silent(scene.ecbench(*TEST_PLUGINS, "--describe", self.folder / "questions"))
        self.assertEqual([json.loads(line)["plugin"] for line in result.stdout.splitlines()],
                         ["runtime", "exits_marked", "runtime"])
        arena = os.memfd_create("arena of a scene")
        self.addCleanup(os.close, arena)
        words = [scene.ECBENCH, *TEST_PLUGINS, "-p", "exits_marked", "-P", "technique=at_exit", "-s", "4K"]
        served = scene.run([*words, "--serve-slices", "--arena", arena], input="warm 3\ncheck\n", pass_fds=[arena])
        self.assertEqual((served.returncode, served.stdout.splitlines()[1:]), (0, ["ok", "ok"]), served.stderr)

    def test_a_child_ends_with_the_process_that_waits_for_it(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with scene.start([scene.ECBENCH, *TEST_PLUGINS, "--describe", "-"], stdin=subprocess.PIPE) as process:
                process.stdin.write('{"words": ["-p", "exits_marked"]}\n')
                process.stdin.flush()
                self.assertIn("exits_marked", process.stdout.readline())
                child, = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), -number)
                scene.wait_until(lambda: has_ended(child), "the child has not ended")  # noqa: B023

    @unittest.skipUnless(KLAUSPOST.exists(), "klauspost is not built")
    @unittest.skipIf(scene.is_sanitized(), "a sanitizer needs terabytes of address space")
    def test_a_failure_of_gos_runtime_is_not_wrong_bytes(self):
        result = scene.ecbench("-p", "klauspost", "-s", "4K", around='ulimit -v 400000; "$@"')
        self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
        self.assertIn("plugin klauspost", result.stderr.splitlines()[-1])
