"""bench.sh checks the arguments of every mode before it installs packages and builds ecbench. The check needs Python. If Python is
missing, bench.sh first installs the packages, and then checks the arguments."""

import ast
import os
import shutil
import sys

import scene
from bench_scene import bench, copy_of_tree
from ecbench.installation import places

# mode → pairs of wrong arguments and a part of the message. bench.sh can refuse these arguments without running ecbench.
WRONG = {
    "run": ((["k=x"], "k=x"), (["size=4X"], "size=4X"), (["--size", "4K"], "write size="), (["packetsiz"], "packetsize?"),
              (["k=4", "--resume", "run.jsonl"], "--resume"), (["k=4", "--rounds"], "--rounds"), ([], "no experiment")),
    "tune": ((["k=8"], "m is missing"), (["k=8", "m=3", "size=0"], "size=0"), (["k=8", "m=3", "workload=encod"], "encode?"),
             (["k=8", "m=3", "--target-ci", "0"], "--target-ci"), (["-k", "6"], "write k=")),
    "recovery": ((["k=8", "m=x"], "m=x"), (["--technique", "cauchy"], "write technique="), (["cache=hot"], "warm"),
                 (["--counts-only", "--from", "x"], "--from")),
    "mixed": ((["pace=0"], "pace=0"), (["pace=200%"], "pace=200%"), (["background=repiar"], "did you mean repair"),
              (["background=repair@-1"], "repair@50M")),
    "overwrite": ((["changed=x"], "changed=x"), (["dispatch=avx3"], "avx2"), (["--size", "4K"], "write size="), (["k=7"], "k=7")),
    "firefly": ((["k=8", "m=0"], "m=0"), (["--plugin", "isa"], "write plugin="), (["size="], "size="),
                (["--rounds", "0"], "--rounds")),
    "plan": ((["hosts=12"], "drives is missing"), (["hosts=12", "drives=24"], "drives=24x20T"), (["--hosts", "12"], "write hosts="),
             (["hosts=12", "drives=24x20T", "net=25Gb"], "net=25G"), (["hosts=2", "drives=24x20T", "k=4", "m=2"],
                                                                      "more than m chunks"),
             (["hosts=12", "drives=24x20T", "--runs", "a.jsonl", "--output", "b.jsonl"], "--output")),
    "libraries": ((["--size", "4K"], "write size="), (["k=7"], "k=7"), (["library=klauspst"], "klauspost?"),
                  (["plugin=isaa"], "isa?"), (["--resume", "/no/run"], "/no/run")),
    "contenders": ((["library=klauspst"], "klauspost?"),),
    "gate": ((["ab", "old"], "1 is given"), (["ab", "a", "b", "--grid", "k=x"], "k=x"), (["ba"], "ab"), (["ir"], "0 are given"),
             (["ir", "a", "b", "--native", "al"], "all?"), (["ir", "--thresold", "4"], "--thresold"),
             (["pr", "main"], "ab")),
    "profile": ((["perv", "--", "-p", "isa"], "perf?"), (["perf"], "--"), (["callgrind", "--grid", "k=x"], "k=x")),
    "report": ((["/no/such/run.jsonl"], "/no/such/run.jsonl"), (["--output", "x.txt", "run.jsonl"], ".html"), ([], "PATH"),
               (["--contribute", "a.jsonl", "b.jsonl"], "one argument too many")),
    "site": (([], "report DIRECTORY"),), "share": ((["--check", "a"], "report --check RUN"),),
    "conformance": ((["create", "corpus"], "no profile"), (["hashes", "k=x"], "k=x"), (["chek", "corpus"], "check?"),
                    (["check", "/no/such/corpus"], "/no/such/corpus")),
}


class BeforeTheBuild(scene.Scene):
    def setUp(self):
        super().setUp()
        self.tree = copy_of_tree(self.folder / "a clone")
        self.write_program("bin/make", "#!/bin/sh\necho building\nexit 1\n")

    def ask(self, *words, **variables):
        return self.ask_with(self.tree / "bench.sh", *words, **variables)

    def ask_with(self, front, *words, **variables):
        return bench(*words, program=front, CEPH_ERASURE_CODE_BENCHMARK=None,
                     **{"PATH": f"{self.folder}/bin:{os.environ['PATH']}", **variables})

    def test_wrong_arguments_of_every_mode_are_refused(self):
        for mode, cases in WRONG.items():
            for words, said in cases:
                with self.subTest(mode=mode, words=words):
                    self.assert_refused(self.ask(mode, *words), said)

    def test_wrong_variables_are_refused(self):
        for mode in ((), ("fplot",)):
            self.assert_refused(self.ask(*mode, SIZE="4X"), "SIZE=4X")

    def test_correct_arguments_reach_the_build(self):
        for words in (["run", "k=4", "m=2", "colour=red"], ["tune", "k=4", "m=2"], ["recovery", "k=8", "m=3"], ["firefly"],
                      ["plan", "hosts=12", "drives=24x20T"],
                      ["libraries", "k=6", "m=2"], ["contenders"], ["gate", "ir", "a", "b", "--grid", "k=4", "m=2"], [], ["fplot"]):
            with self.subTest(words):
                result = self.ask(*words)
                self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
                self.assertIn("building", result.stderr.splitlines())

    def test_an_experiment_is_printed_without_a_build(self):
        result = self.ask("packetsize", "--print")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, (self.tree / "scripts/experiments/packetsize.toml").read_text())

    def test_a_grid_from_a_pipe_is_read_before_and_after_the_build(self):
        last = "neither a directory nor a git revision" if shutil.which("valgrind") else "valgrind is not installed"
        for grid, lines, said in (("--grid <(echo 'points=[\"k=x\"]')", 1, "k=x"), ("--grid=<(echo 'points=[\"k=x\"]')", 1, "k=x"),
                                  ("--grid <(echo 'points=[\"k=4 m=2\"]')", 2, last), ("--grid <(true)", 1, "no points")):
            with self.subTest(grid):
                self.write_program("bin/make", "#!/bin/sh\necho building\n")
                command = f"exec '{self.tree}/bench.sh' gate ir nowhere nowhere {grid}"
                result = bench("-c", command, program="bash", CEPH_ERASURE_CODE_BENCHMARK=None,
                               PATH=f"{self.folder}/bin:{os.environ['PATH']}")
                self.assertEqual((result.returncode, result.stderr.count("building")), (1, lines - 1), result.stderr)
                self.assertIn(said, result.stderr.splitlines()[-1])

    def test_an_experiment_from_a_pipe_is_measured(self):
        self.write_program("bin/make", "#!/bin/sh\n")
        words = f"run --dry-run --ecbench '{scene.ECBENCH}'"
        point = "echo 'points=[\"plugin=isa technique=cauchy k=2 m=1 workload=encode\"]'"
        for command in (f"'{self.tree}/bench.sh' {words} <({point})", f"{point} | '{self.tree}/bench.sh' {words} /dev/stdin"):
            with self.subTest(command):
                result = bench("-c", command, program="bash", CEPH_ERASURE_CODE_BENCHMARK=None,
                               PATH=f"{self.folder}/bin:{os.environ['PATH']}")
                self.assertEqual((result.returncode, result.stdout.count("isa cauchy 2+1 encode")), (0, 1), result.stderr)

    def test_every_shell_starts_it_and_it_prints_its_version(self):
        shutil.copy(scene.SOURCE / "CMakeLists.txt", self.tree)  # has the version
        version = f"ecbench {places.version()}\n"
        front = self.tree / "bench.sh"
        shells = [["sh"], ["bash"], ["bash", "--posix"], *([["dash"]] if shutil.which("dash") else []), []]
        for shell in shells:
            result = scene.run([*shell, front, "--version"])
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, version, ""), shell)
            self.assert_refused(scene.run([*shell, front, "tunee"], {"POSIXLY_CORRECT": "1"}), "did you mean tune?")
        self.assertEqual(scene.run(["sh", "bench.sh", "--version"], cwd=self.tree).stdout, version)

    def test_an_old_python_is_named_before_its_syntax_matters(self):
        for name in ("front.py", "mode.py"):
            ast.parse((self.tree / "scripts" / name).read_text(), feature_version=(3, 6))
        for number, old in enumerate(((3, 6, 9), (3, 10, 13), (3, 0, 0))):
            with self.subTest(old):
                python = self.write_program(f"bin/old{number}", f"""#!/bin/bash
while [[ $1 == -* ]]; do shift; done
exec '{sys.executable}' -c '
import runpy, sys
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
sys.argv, sys.version_info = sys.argv[1:], {old}
sys.modules["ecbench"] = None  # as if its syntax were too new
runpy.run_path(sys.argv[0], run_name="__main__")' "$@"
""")
                front = self.tree / f"bench{number}.sh"
                front.write_text((self.tree / "bench.sh").read_text().replace("python=/usr/bin/python3", f'python="{python}"'))
                front.chmod(0o755)
                for words in ([], ["tune", "k=4", "m=2"], ["help-me"], ["--version"], ["gate", "ir", "a", "b"]):
                    self.assert_refused(self.ask_with(front, *words), "Python 3.11 or newer", "this is {}.{}.{}".format(*old))

    def test_without_python_arguments_are_checked_after_its_installation(self):
        installer = self.tree / "scripts" / "install-deps.sh"
        installer.write_text('#!/bin/sh\necho installing\n'
                             f'ln -sf "$(command -v /usr/bin/python3)" "{self.folder}/bin/late-python"\n')
        front = self.tree / "bench.sh"
        front.write_text(front.read_text().replace("python=/usr/bin/python3", f'python="{self.folder}/bin/late-python"')
                         .replace("|| python=python3", "|| true"))
        result = self.ask("tune", "k=8")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual([line.split(":")[0] for line in result.stderr.splitlines()], ["installing", "ecbench"], result.stderr)
