"""Under the name of Ceph's tool, ecbench accepts the command lines of this tool, including options of Ceph's configuration."""

import json

import scene

TOOL = scene.BUILD / "ceph_erasure_code_benchmark"
SMALL = ["-s", "4096", "-i", "2"]
ROW = r"^\d+\.\d{6}\t8\n$"
GLOBAL = ["-c", "/etc/ceph/ceph.conf", "--conf=/none", "--log-file", "/none/log", "--debug-osd", "20", "--debug_ms=1",
          "--log_to_stderr", "--log-to-stderr=false", "--no-mon-config", "--name", "client.admin", "-n", "client.0", "--id", "0",
          "--cluster", "ceph", "-m", "192.0.2.1", "--mon-host=192.0.2.1,192.0.2.2", "--thp", "--lockdep", "--run-dir", "/none",
          "--setuser", "daemon", "-d", "-f", "-k", "/none", "--show-config", "--osd_op_num_shards", "-1", "--unheard-of"]


class CephOptions(scene.Scene):
    def tool(self, *args, env=None):
        return self.silent(scene.run([TOOL, *args], env)).stdout

    def refused(self, *args, said, env=None):
        self.assert_refused(scene.run([TOOL, *args], env), *said)

    def test_defaults_are_those_of_cephs_newest_tool_and_kb_counts_iterations(self):
        for words, kb in ((["-P", "k=2", "-P", "m=1", "-i", "1"], 81920), (["-P", "k=2", "-P", "m=1", "-s", "1024"], 100),
                          (["-w", "decode", "-E", "exhaustive", "-e", "2", "-s", "4096", "-i", "5"], 20)):
            self.assertRegex(self.tool(*words), rf"^\d+\.\d{{6}}\t{kb}\n$")

    def test_another_format_keeps_the_defaults_of_cephs_tool(self):
        row = json.loads(self.tool("--format", "json", "-s", "4096"))
        self.assertEqual((row["timing"], row["iterations"]), ("api", 100))
        again = json.loads(scene.run(["sh", "-c", row["command"]]).stdout)
        self.assertEqual((again["timing"], again["iterations"], again["command"]), ("api", 100, row["command"]))

    def test_options_of_the_configuration_are_ignored(self):
        for words in ([*GLOBAL, *SMALL], [*SMALL, *GLOBAL], [*SMALL, "stray"], [*SMALL, "--", "-s", "1"],
                      [*SMALL[:2], "-d", *SMALL[2:], "-f"]):
            self.assertRegex(self.tool(*words), ROW)
        self.assertRegex(scene.ecbench("--format", "ceph", *GLOBAL, *SMALL).stdout, ROW)
        self.assert_refused(scene.ecbench(*SMALL, "--debug-osd", "20"), "--debug-osd")
        self.assert_refused(scene.ecbench(*SMALL, "-n", "client.0"), "-n")

    def test_a_directory_that_does_not_exist_means_the_own_plugins_with_one_note(self):
        for words, variables in ((["--erasure-code-dir", ".libs"], {}), (["--erasure_code_dir=/none"], {}),
                                 ([], {"CEPH_ARGS": "--erasure-code-dir /usr/lib/none"})):
            result = self.silent(scene.run([TOOL, *SMALL, *words], variables))
            self.assertRegex(result.stdout, r"^\d+\.\d+\t\d+\n$")
            self.assertEqual(len(result.remarks), 1, result.remarks)
            self.assertIn("does not exist", result.remarks[0])
        self.assert_refused(scene.ecbench(*SMALL, "--erasure-code-dir", ".libs"), ".libs does not exist")

    def test_erasure_code_dir_takes_effect_however_it_is_spelled(self):
        empty = str(self.folder)
        for words in (["--erasure-code-dir", empty], ["--erasure_code_dir", empty], [f"--erasure_code_dir={empty}"],
                      ["--erasure-code-dir", str(scene.PLUGINS), f"--erasure_code_dir={empty}"]):
            self.refused(*SMALL, *words, said=[empty])
        self.tool(*SMALL, f"--erasure_code_dir={empty}", "--erasure-code-dir", scene.PLUGINS)
        self.refused(*SMALL, "--erasure-code-dir", said=["--erasure-code-dir"])

    def test_ceph_args(self):
        self.refused(*SMALL, env={"CEPH_ARGS": "--debug-osd 20  --erasure_code_dir /proc"}, said=["/proc"])
        self.tool(*SMALL, "--erasure-code-dir", scene.PLUGINS, env={"CEPH_ARGS": "--erasure-code-dir=/none"})
        self.tool(*SMALL, "-P", f"directory={scene.PLUGINS}", env={"CEPH_ARGS": "--erasure-code-dir=/none"})
        self.assertRegex(self.tool(*SMALL, env={"CEPH_ARGS": "--size 1 --nonsense --erasure-code-dir"}), ROW)
        self.succeeded(scene.ecbench(*SMALL, env={"CEPH_ARGS": "--erasure-code-dir /none"}))

    def test_a_parameter_without_its_option_is_refused(self):
        self.refused(*SMALL, "-P", "k=4", "m=2", said=["m=2", "-P m=2"])

    def test_abbreviations_are_those_of_cephs_tool(self):
        self.assertRegex(self.tool("--s", "4096", "--i", "2", "--w=encode"), ROW)

    def test_named_chunks_are_printed_without_verbose(self):
        code = ["-P", "k=3", "-P", "m=2", "-w", "decode", *SMALL]
        chunks = "chunks  0  (1)  2   3  (4) (X) is an erased chunk"
        for words in (["--erased", "1", "--erased", "4"], ["--erased", "4", "--erased=1", "-e", "1", "-v"],
                      ["--erased", "4", "--erased", "1", "--erased", "4"]):
            lines = self.tool(*code, *words).splitlines()
            self.assertEqual((lines[0], len(lines)), (chunks, 2))
        self.assertEqual(self.tool(*code, "--erased", "1", "4").splitlines()[0],
                         "chunks  0  (1)  2   3   4  (X) is an erased chunk")
        self.assertRegex(self.tool(*code, "-e", "2", "-v"), ROW)
        self.assertRegex(self.tool("-w", "encode", "--erased", "1", "-v", *SMALL), ROW)

    def test_all_patterns_are_printed_in_each_iteration(self):
        lines = self.tool("-P", "k=2", "-P", "m=1", "-w", "decode", "-E", "exhaustive", "-v", *SMALL).splitlines()
        of_one = ["chunks (0)  1   2  (X) is an erased chunk", "chunks  0  (1)  2  (X) is an erased chunk",
                  "chunks  0   1  (2) (X) is an erased chunk"]
        self.assertEqual(lines[:-1], of_one * 2)

    def test_only_errors_are_printed(self):
        roth = ["-p", "jerasure", "-P", "technique=blaum_roth", "-P", "k=4", "-P", "m=2", "-P", "packetsize=64", "-w", "decode",
                "-e", "2", "-E", "exhaustive"]
        for words in (["-P", "packetsize=2048", "-P", "w=8"], ["-P", "colour=red", "-P", "packet_size=1"],
                      ["-P", "k=4", "-P", "k=5"], ["-P", "stripe_unit=33"], ["-w", "encode", "-e", "9", "--erased", "3"], roth):
            self.tool(*words, *SMALL)
        self.refused(*SMALL, "-P", "k=6,m=2", said=["-P k=6 -P m=2"])
