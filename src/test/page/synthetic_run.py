"""Writes run files with invented speeds. With bit-matrix techniques, the speed has a maximum at a medium packetsize."""

import itertools
import json
import math
import pathlib
import random

ROOT = pathlib.Path(__file__).resolve().parents[3]
from ecbench.documents.document import read
from ecbench.point.point import Point
from ecbench.runfile.header import Environment, machine_of, read_lines

XOR_TECHNIQUES = {"cauchy_orig": (8, 7.0), "cauchy_good": (8, 14.0), "liberation": (7, 16.5), "blaum_roth": (6, 18.0),
                  "liber8tion": (8, 17.0)}
PACKETSIZES = tuple(sorted([*(1 << bit for bit in range(6, 17)), 3072]))
STARTED = "2026-11-21T05:00:00Z"
# The environment and the constant columns are those of a stored run.
STORED = ROOT / "results/amd-epyc-family25-model1/ceph-2026-11-21-062627.jsonl.gz"
HEADER, ROW = map(json.loads, itertools.islice(read_lines(STORED), 2))
ROW = {key: value for key, value in ROW.items() if key not in ("record", "id", "repetition", "at")}


def points(sizes=(4096, 131072, 1 << 20), shapes=((6, 2),), caches=("warm",), packetsizes=PACKETSIZES):
    """Encode, and decode of 1 to m lost chunks: one point of isa, one of jerasure's reed_sol_van, and one for each packetsize of
    each bit-matrix technique (if m is not 2, only the cauchy ones)."""
    for size, (k, m), cache in itertools.product(sizes, shapes, caches):
        for erasures in range(m + 1):
            options = {"workload": "decode" if erasures else "encode", "size": size, "erasures": erasures, "stripe_unit": None,
                       "cache": cache, "threads": 1, "timing": "kernel", "dispatch": "native"}
            shape = {"k": str(k), "m": str(m)}
            yield make_point("isa", {**shape, "technique": "reed_sol_van"}, options)
            yield make_point("jerasure", {**shape, "technique": "reed_sol_van", "w": "8"}, options)
            for (technique, (w, _)), packetsize in itertools.product(XOR_TECHNIQUES.items(), packetsizes):
                if m == 2 or technique.startswith("cauchy"):
                    profile = {**shape, "technique": technique, "w": str(w), "packetsize": str(packetsize)}
                    yield make_point("jerasure", profile, options)


def make_point(plugin, profile, options):
    return Point.from_json({"plugin": plugin, "profile": profile, **options})


def shape_of(point):
    """Chunk size, and padding in percent. jerasure pads an object to a multiple of k * w packets."""
    profile = dict(point.profile)
    k = int(profile["k"])
    unit = k * int(profile.get("w", 8)) * int(profile.get("packetsize", 4))
    padded = -(-point.size // unit) * unit
    return padded // k, 100 * (padded / point.size - 1)


def speed(point, factor):
    profile = dict(point.profile)
    k, m = int(profile["k"]), int(profile["m"])
    _, padding = shape_of(point)
    if "packetsize" in profile:
        peak = XOR_TECHNIQUES[profile["technique"]][1] * 2 / m
        away = math.log2(int(profile["packetsize"]) / 6144)
        value = peak * math.exp(-away * away / (14 if away < 0 else 6))
    else:
        value = 19.0 if point.plugin == "isa" else 11.0 * 2 / m
    work = 1.4 / point.erasures + 0.2 if point.erasures else 1.0
    return factor * value * work * (0.45 if point.cache == "cold" else 1) * (1 + k / 60) / (1 + padding / 100)


def make_row(point, generator, factor):
    profile = dict(point.profile)
    k, m = int(profile["k"]), int(profile["m"])
    chunk_size, _ = shape_of(point)
    gb_per_s = speed(point, factor) * generator.gauss(1, 0.01)
    limit = factor * (45.0 if point.cache == "warm" else 9.5) * generator.gauss(1, 0.01)
    seconds = 0.005
    iterations = max(1, round(gb_per_s * 1e9 * seconds / point.size))
    samples = [{"placement": number % 8, "seconds": iterations * point.size / (gb_per_s * 1e9 * generator.gauss(1, 0.01)),
                "cpu_seconds": seconds} for number in range(16)]
    return {
        **ROW, "plugin": point.plugin, "profile": profile, "workload": point.workload, "k": k, "m": m, "chunk_count": k + m,
        "size": point.size, "chunk_size": chunk_size, "erasures": point.erasures, "cache": point.cache,
        "iterations": 16 * iterations, "seconds": 16 * seconds, "gb_per_s": gb_per_s, "ns_per_op": point.size / gb_per_s,
        "cpu_seconds_per_gb": 1 / gb_per_s, "ci_low": 0.975 * gb_per_s, "ci_high": 1.025 * gb_per_s, "drift_percent": 0.1,
        "limit_gb_per_s": limit, "limit_percent": 100 * gb_per_s / limit, "command": " ".join(["ecbench", *point.words()]),
        "sample_iterations": iterations, "samples": samples}


def environment(cpu="AMD EPYC"):
    found = HEADER["environment"]
    return {**found, "cpu": {**found["cpu"], "model_name": cpu}}


def header(run, wanted, repetitions, cpu):
    described = [{"id": point.id, "point": point.to_json(), "chunk_size": shape_of(point)[0], "padding_percent": shape_of(point)[1]}
                 for point in wanted]
    return {"record": "run", "format": "ecbench run 2", "run": run, "grid": run, "seed": 1, "repetitions": repetitions,
            "order": "random", "options": {"min_time": 0.08}, "started": STARTED,
            "environment": environment(cpu), "machine": vars(machine_of(read(Environment, environment(cpu)))),
            "points": described, "dropped": [], "merged": 0}


def write_run(path, wanted, repetitions=2, cpu="AMD EPYC", factor=1.0, failed=(), finished=True):
    """`failed`: indices of `wanted`. If `finished` is false, the last tenth of the points has no records."""
    wanted = list(wanted)
    generator = random.Random(1)
    reached = wanted if finished else wanted[:len(wanted) * 9 // 10]
    with open(path, "w", encoding="utf-8") as out:
        def write(record):
            out.write(json.dumps(record, separators=(",", ":")) + "\n")
        write(header(pathlib.Path(path).stem, wanted, repetitions, cpu))
        for repetition in range(repetitions):
            for number, point in enumerate(reached):
                told = {"id": point.id, "repetition": repetition, "at": STARTED}
                if number in failed:
                    write({"record": "failure", **told, "kind": "failed", "why": "killed by signal 11 </script><b>&",
                           "exit_code": 139, "command": "ecbench"})
                else:
                    write({"record": "row", **told, **make_row(point, generator, factor)})
        if finished:
            write({"record": "end", "at": STARTED})


def many_points(count):
    return list(points(sizes=[1 << bit for bit in range(12, 23)], shapes=((4, 2), (6, 2), (8, 2), (6, 3), (8, 4), (10, 4)),
                       caches=("warm", "cold")))[:count]
