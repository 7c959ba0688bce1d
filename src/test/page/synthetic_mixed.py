"""Writes a page of `mixed`: two codes, each at five repair rates. At high repair rates, the p99 of the first code is more than
twice its p99 without repairs. At the highest rate, the p99 of the second code is a lower bound, because some operations did not
start."""

import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from ecbench.mixed.page import text_of
from ecbench.mixed.request import DEFAULT_SHARES, read_request
from ecbench.mixed.result import Step, code_result
from ecbench.mixed.setting import MixedRow, Setting
from ecbench.point.point import make_point

RATES = (0, 50e6, 100e6, 200e6, 400e6)
ROUNDS = 6
UNFINISHED = {"code": "foreground_unfinished", "text": "some operations did not start"}
STALLED = {"code": "foreground_stalled", "text": "thread 0 </script><b>& finished no operation for 60 ms"}


def row(repetition, rate, milliseconds, unfinished):
    """Returns a row with 1000 latencies. 980 of them are `milliseconds` long, and 20 are ten times as long."""
    return MixedRow.read({
        "repetition": repetition, "duration_seconds": 2.0, "remarks": [UNFINISHED, STALLED] if unfinished else [],
        "histogram": [[milliseconds, 980], [10 * milliseconds, 20]],
        "foreground": {"operations": 1000, "unfinished": unfinished, "operations_per_s": 500.0, "gb_per_s": 2.0, "cpu_seconds": 1.0,
                       "latency_ms": dict.fromkeys(("p50", "p95", "p99", "p999", "max"))},
        "repair": {"chunks": 10, "bytes_per_s": float(rate), "reads_per_byte": 8.0, "cpu_seconds": rate / 4e8}})


def result(plugin, slope, unfinished):
    code = make_point(plugin, {"k": 8, "m": 3, "technique": "reed_sol_van"}, "encode", 4 << 20, 0)
    steps = []
    for rate in RATES:
        setting = Setting(code, DEFAULT_SHARES, 500.0, None if rate == RATES[-1] else float(rate), (0,), (1,), 1, 1, None)
        rows = [row(repetition, rate, 1 + slope * rate / 1e8 + repetition / 100, unfinished if rate == RATES[-1] else 0)
                for repetition in range(ROUNDS)]
        steps.append(Step(setting, rows))
    return code_result(625.0, 500.0, steps)


def write_mixed(path):
    header = types.SimpleNamespace(machine=types.SimpleNamespace(cpu="AMD EPYC </script><b>&"), repetitions=ROUNDS, host="vm",
                                   started="2026-11-21T05:00:00Z", options=types.SimpleNamespace(min_time=2.0))
    run = types.SimpleNamespace(header=header, path=pathlib.Path("a run.jsonl"), finished=True)
    results = [result("isa", 0.6, 0), result("clay", 0.1, 3)]
    path.write_text(text_of(read_request(["foreground-cpu=0", "repair-cpu=0"], None), results, run), encoding="utf-8")
    return path
