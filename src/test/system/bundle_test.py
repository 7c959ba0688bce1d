"""Runs the bundle, which is built on Debian 12, on the minimal base system of Debian 11: with an older C library, without Python,
as a user without privileges."""

import json
import pathlib
import shutil

import debian
import scene


class Bundle(debian.Debian):
    home: str

    def setUp(self) -> None:
        self.make_system("bullseye")
        archive = self.outside(str(debian.SOURCE / "packaging" / "build-bundle.sh"), str(debian.BUILD), str(self.folder))
        self.home = self.home_of_user()
        shutil.copy(archive.split()[-1], f"{self.root}{self.home}/bundle.tar.gz")
        # The name of the top directory contains the version.
        self.ask("mkdir 'a bundle' && tar -xzf bundle.tar.gz -C 'a bundle' --strip-components 1")

    def ask(self, command: str, exit_code: int = 0) -> str:
        return self.inside(command, self.home, debian.USER, exit_code)

    def test_tune(self) -> None:
        tuned = self.ask("'a bundle/bin/ecbench' tune k=4 m=2 size=128K")
        self.assertRegex(tuned, "is the fastest|inconclusive: ")  # inconclusive if other programs disturb the measurement
        self.assertIn("reed_sol_van", tuned)
        self.assertTrue(list(pathlib.Path(f"{self.root}{self.home}").glob(".local/share/ecbench/*/tune-*.jsonl")))

    def test_sweep_resume_compare(self) -> None:
        self.assertEqual(self.ask("command -v python3 g++ gcc make || true"), "", "the base system is not minimal")
        grid = "plugin=isa,jerasure technique=reed_sol_van k=4,6 m=2 size=4K,128K workload=encode,decode"
        self.ask(f"""'a bundle/bin/ecbench' run {grid} --output run.jsonl >/dev/null 2>&1 &
mode=$!
while [ "$(cat run.jsonl 2>/dev/null | grep -c '"record": *"row"' )" -lt 5 ]; do sleep 0.1; done
kill -KILL $mode
wait $mode
[ $? = 137 ]""")
        run = pathlib.Path(f"{self.root}{self.home}/run.jsonl")
        before = len(scene.records_of(run, "row"))
        self.assertEqual(scene.records_of(run, "end"), [])
        # `report` makes no page in the bundle, so the output must not recommend it.
        self.assertNotIn("ecbench report", self.ask("'a bundle/bin/ecbench' run --resume run.jsonl"))
        rows = scene.records_of(run, "row")
        self.assertGreater(len(rows), before)
        self.assertTrue(all(row["verified"] for row in rows))
        self.ask(f"'a bundle/bin/ecbench' run {grid} --repetitions 1 --output again.jsonl")
        self.assertIn("reed_sol_van", self.ask("'a bundle/bin/ecbench' compare run.jsonl again.jsonl"))
        self.assertIn("GB/s", self.ask("'a bundle/bin/ecbench' report run.jsonl --format text"))
        refusal = self.ask("'a bundle/bin/ecbench' profile run.jsonl", exit_code=1)
        self.assertEqual(len(refusal.splitlines()), 1, refusal)
        self.assertIn("not part of the bundle", refusal)

    def test_gate_ir_counts_without_valgrind(self) -> None:
        grid = "--grid 'plugin=isa k=4 m=2 size=4K workload=encode'"
        for sides in ("'a bundle' 'a bundle'", "--codec-lib system 'a bundle/lib'", "--codec-lib 'a bundle/lib' system"):
            self.ask(f"'a bundle/bin/ecbench' gate ir --native=only {grid} {sides} --json {sides.count('b')}.json")
        self.assertIn("valgrind", self.ask(f"'a bundle/bin/ecbench' gate ir {grid} 'a bundle' 'a bundle'", exit_code=1))

    def test_uses_only_its_own_files(self) -> None:
        """All shared libraries that ecbench loads must be files of the bundle. The bundle's ceph_erasure_code_benchmark must work
        if it is called through a symbolic link."""
        objects = json.loads(self.ask("'a bundle/bin/ecbench' --environment 2>/dev/null"))["shared_objects"]
        self.assertTrue(objects)
        for shared in objects:
            self.assertIn("a bundle/lib/", shared["path"])
        printed = self.ask("ln -s 'a bundle/libexec/ecbench/ceph_erasure_code_benchmark' . && ./ceph_erasure_code_benchmark "
                           "-p jerasure -P technique=reed_sol_van -P k=4 -P m=2 -s 4096 -i 3")
        self.assertRegex(printed, r"^\d+\.\d{6}\t12\n$")
