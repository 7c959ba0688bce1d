#!/usr/bin/python3 -Es
"""busy_cpu.py ECBENCH [REPETITIONS [SECONDS]]: shows that no figure is wrong without a warning while other programs run.

Measures isa 8+3 on CPU 1 while the machine is quiet, and in turn with a busy loop on CPU 1, with one on CPU 0, and with a memory
copier on CPU 0 for an object of 4 MiB with cold caches. A figure that differs by more than 10 % from the quiet one and has no
warning
is a miss. The order is random. SECONDS, if given, is the --max-time. Needs two CPUs; the machine must be quiet otherwise."""

import collections
import dataclasses
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import launch

PROFILE = ["-p", "isa", "-P", "k=8", "-P", "m=3", "--cpu", "1"]
COLD = ["-s", "4M", "--cache", "cold"]
MOST_DEVIATION = 0.10
BUSY_LOOP = "while True: pass"
MEMORY_COPIER = "a, b = bytearray(1 << 28), bytearray(1 << 28)\nwhile True: a[:] = b"


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    options: tuple = ()
    cpu: int | None = None  # of the program that disturbs; None: there is none
    program: str = ""

    @property
    def is_quiet(self) -> bool:
        return self.cpu is None


CASES = [Case("quiet"), Case("quiet, cold", tuple(COLD)), Case("busy loop on CPU 1", cpu=1, program=BUSY_LOOP),
         Case("busy loop on CPU 0", cpu=0, program=BUSY_LOOP),
         Case("memory copier on CPU 0, cold", tuple(COLD), 0, MEMORY_COPIER)]


def measure(ecbench: str, case: Case, options: list[str]) -> dict:
    if case.is_quiet:
        return launch.row_of([ecbench, *PROFILE, *case.options, *options])[0]
    with subprocess.Popen([sys.executable, "-c", case.program], preexec_fn=lambda: os.sched_setaffinity(0, {case.cpu})) as other:
        try:
            time.sleep(0.5)  # the copier touches its memory first
            return launch.row_of([ecbench, *PROFILE, *case.options, *options])[0]
        finally:
            other.kill()


def line_of(case: Case, rows: list[dict], quiet: float) -> str:
    figures = [row["gb_per_s"] for row in rows]
    warned = [row for row in rows if row["warnings"]]
    misses = sum(not row["warnings"] and abs(row["gb_per_s"] / quiet - 1) > MOST_DEVIATION for row in rows)
    clean = statistics.median(row["clean_samples"] / row["sample_count"] for row in rows)
    codes = collections.Counter(warning["code"] for row in rows for warning in row["warnings"])
    told = ", ".join(f"{code} {count}" for code, count in sorted(codes.items()))
    return (f"{case.name:30} {min(figures):7.2f} {statistics.median(figures):7.2f} {max(figures):7.2f}  {clean * 100:6.0f} %  "
            f"{len(warned):2} of {len(rows):2}  {misses:6}  {told}")


def main() -> int:
    words = launch.arguments("the path of ecbench, and perhaps the repetitions and the seconds of --max-time", most=3)
    ecbench, repetitions = str(pathlib.Path(words[0]).resolve()), int(words[1]) if len(words) > 1 else 20
    options = ["--max-time", words[2]] if len(words) > 2 else []
    rows: dict[Case, list[dict]] = {case: [] for case in CASES}
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        for case in CASES[:2]:  # store the references
            measure(ecbench, case, options)
        # Twice as many of the quiet case: the aim is one warning in 40.
        order = [case for case in CASES for _ in range(repetitions * (2 if case == CASES[0] else 1))]
        random.Random(1).shuffle(order)
        for case in order:
            rows[case].append(measure(ecbench, case, options))
    print("case                           lowest  median highest   clean   warned    misses  codes of warnings")
    misses = 0
    for case in CASES:
        quiet = statistics.median(row["gb_per_s"] for row in rows[CASES[1] if case.options else CASES[0]])
        print(line_of(case, rows[case], quiet))
        misses += sum(not row["warnings"] and abs(row["gb_per_s"] / quiet - 1) > MOST_DEVIATION for row in rows[case])
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
