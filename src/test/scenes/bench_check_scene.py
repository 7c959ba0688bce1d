"""bench.sh checks the arguments of every mode before it installs packages and builds ecbench, unless Python is missing."""

import ast
import fcntl
import os
import shutil
import sys

import scene
from bench_scene import bench, copy_of_tree
from ecbench.installation import places

# Wrong arguments that are refused without ecbench, and a part of the message.
WRONG = (
    (["run", "k=4", "--resume", "run.jsonl"], "--resume"), (["run", "--size", "4K"], "write size="),
    (["tune", "k=8", "m=3", "workload=encod"], "encode?"), (["recovery", "--counts-only", "--from", "x"], "--from"),
    (["recovery", "--counts-only", "--output", "x.jsonl"], "measures nothing"),
    (["recovery", "--output", "/tmp"], "it is a directory"),
    (["mixed", "pace=200%"], "pace=200%"), (["mixed", "background=repair@-1"], "repair@50M"),
    (["plan", "hosts=12"], "drives is missing"), (["libraries", "--resume", "/no/run"], "/no/run"),
    (["contenders", "library=klauspst"], "klauspost?"), (["gate", "ab", "old"], "1 is given"), (["gate", "ba"], "ab"),
    (["gate", "ab", "a", "b", "--grid", "k=x"], "k=x"), (["gate", "ir", "a", "b", "--native", "al"], "all?"),
    (["profile", "perv", "--", "-p", "isa"], "perf?"), (["report", "/no/such/run"], "/no/such/run"),
    (["report", "--output", "x.txt", "run.jsonl"], ".html"), (["site"], "report DIRECTORY"),
    (["report", "--output", "", "run.jsonl"], "''"), (["run", "4+2", "--output", ""], "''"),
    (["run", "4+2", "--output", "x.txt"], "x.txt.jsonl"),
    (["report", "--contribute", "a.jsonl", "b.jsonl"], "one argument too many"),
    (["conformance", "create", "corpus"], "no profile"),
    (["share", "--check", "a"], "report --check RUN"), (["conformance", "chek", "corpus"], "check?"),
    (["conformance", "check", "/no/such/corpus"], "/no/such/corpus"))


class BeforeTheBuild(scene.Scene):
    def setUp(self):
        super().setUp()
        self.tree = copy_of_tree(self.folder / "a clone")
        self.write_program("bin/make", "#!/bin/sh\necho building\nexit 1\n")

    def ask(self, *words, front=None, **variables):
        return bench(*words, program=front or self.tree / "bench.sh", CEPH_ERASURE_CODE_BENCHMARK=None,
                     **{"PATH": f"{self.folder}/bin:{os.environ['PATH']}", **variables})

    def test_wrong_arguments_of_every_mode_are_refused(self):
        for words, said in WRONG:
            self.assert_refused(self.ask(*words), said)

    def test_wrong_variables_are_refused(self):
        for mode in ((), ("fplot",)):
            self.assert_refused(self.ask(*mode, SIZE="4X"), "SIZE=4X")

    def test_correct_arguments_reach_the_build(self):
        for words in (["run", "k=4", "m=2", "colour=red"], ["tune", "k=4", "m=2"], ["recovery", "k=8", "m=3"], ["firefly"],
                      ["plan", "hosts=12", "drives=24x20T"],
                      ["libraries", "k=6", "m=2"], ["contenders"], ["gate", "ir", "a", "b", "--grid", "k=4", "m=2"], [], ["fplot"]):
            result = self.ask(*words)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertIn("building", result.stderr.splitlines())

    def test_the_wait_for_another_measurement_ends_with_the_budget(self):
        lock = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        for budget in ("100ms", "1e-1"):
            result = self.ask("tune", "k=4", "m=2", "--budget", budget, ECBENCH_LOCK_DIR=str(self.folder))
            self.assertEqual(result.returncode, 1)
            self.assertIn("the budget is spent", result.stderr.splitlines()[-1])

    def test_an_experiment_is_printed_without_a_build(self):
        result = self.silent(self.ask("packetsize", "--print"))
        self.assertEqual(result.stdout, (self.tree / "scripts/experiments/packetsize.toml").read_text())

    def test_an_experiment_from_a_pipe_is_measured(self):
        self.write_program("bin/make", "#!/bin/sh\n")
        words = f"run --dry-run --ecbench '{scene.ECBENCH}'"
        point = "echo 'points=[\"plugin=isa technique=cauchy k=2 m=1 workload=encode\"]'"
        run = next((scene.SOURCE / "results").glob("*/ceph-*.jsonl.gz"))
        for command, count in ((f"'{self.tree}/bench.sh' {words} <({point})", 1),
                               (f"{point} | '{self.tree}/bench.sh' {words} /dev/stdin", 1),
                               (f"'{self.tree}/bench.sh' {words} --from <(cat '{run}')", 2)):
            result = bench("-c", command, program="bash", CEPH_ERASURE_CODE_BENCHMARK=None,
                           PATH=f"{self.folder}/bin:{os.environ['PATH']}")
            self.assertEqual((result.returncode, result.stdout.count("isa cauchy 2+1 encode")), (0, count), result.stderr)

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
                self.assert_refused(self.ask(*words, front=front), "Python 3.11 or newer", "this is {}.{}.{}".format(*old))

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
