"""Runs that compare libraries, with synthetic speeds. Their headers are those of the mode contenders until version 1.0."""

import pathlib

from ecbench.comparison.comparison import Case
from ecbench.documents.document import read
from ecbench.point.point import make_point
from ecbench.runfile.header import Environment, machine_of
from ecbench.runfile.run_file import RunWriter, read_run
from ecbench.runfile.summary import LIMIT

ENVIRONMENT = {
    "cpu": {"vendor": "AuthenticAMD", "model_name": "AMD EPYC", "family": 25, "model": 1, "flags": ["sse2", "avx2"], "caches": []},
    "ecbench": {}, "system": {"kernel_release": "6.1", "libc": "glibc 2.36"}, "unfit": [], "kernels": {},
    "shared_objects": [{"name": "libisal.so.2", "path": "/usr/lib/libisal.so.2.0.30", "version": "2.30",
                        "build_id": "fad0f184194900"}]}
MACHINE = vars(machine_of(read(Environment, ENVIRONMENT)))
PROFILES = {"isa": ("isa", {"technique": "reed_sol_van"}), "jerasure RS": ("jerasure", {"technique": "reed_sol_van", "w": 8}),
            "jerasure XOR": ("jerasure", {"technique": "cauchy_good", "w": 8, "packetsize": 1024}),
            "simd": ("simd", {"technique": "reed_sol_van"}),
            "simd direct": ("simd", {"technique": "cauchy", "transform": "direct"})}
ENCODE = Case("encode", 0, "warm", 6, 2, 128 << 10)
LIBISAL = "/opt/isal"


def point_of(case, library):
    if library == LIMIT:
        return make_point("isa", {"technique": "reed_sol_van", "k": case.k, "m": case.erasures or case.m}, LIMIT, case.size, 0,
                          cache=case.cache)
    plugin, profile = PROFILES["isa" if library.startswith("isa in ") else library]
    folder = library.removeprefix("isa in ") if library.startswith("isa in ") else None
    return make_point(plugin, {**profile, "k": case.k, "m": case.m}, case.workload, case.size, case.erasures, cache=case.cache,
                      codec_lib=folder)


def row(gb_per_s, **values):
    return {"at": "2026-11-21T12:00:00Z", "gb_per_s": gb_per_s, "drift_percent": None, "drift_floor_percent": 1.5,
            "limit_gb_per_s": None, "limit_percent": None, "cpu_seconds_per_gb": 0.1,
            "ns_per_op": 4096 / gb_per_s if gb_per_s else 0, "verified": True,
            "kernel": "", "samples": [{"placement": 0, "seconds": 0.01}], **values}


def write_run(path, speeds, rounds, more=None, finished=True):
    """`speeds`: (case, library) → GB/s in each round; `more`: (case, library) → further keys of its rows, or a list of those."""
    points = {key: point_of(*key) for key in speeds}
    entries = [{"id": point.id, "point": point.to_json(), "chunk_size": 64, "padding_percent": 0.0, "group": str(case),
                "library": library} for (case, library), point in points.items()]
    writer = RunWriter.create(path, {
        "run": pathlib.Path(path).stem, "mode": "contenders", "grid": "contenders k=6 m=2", "seed": 1,
        "repetitions": rounds, "order": "random",
        "options": {"min_time": 0.05, "cpus": [0], "timeout": 300.0}, "started": "2026-11-21T12:00:00Z",
        "machine": MACHINE, "environment": ENVIRONMENT,
        "points": entries, "dropped": [], "merged": 0,
        "plugins": {"isa": {"summary": "codes of ISA-L", "path": "libec_isa.so"}}, "left_out": ["rs-simd is left out"],
        "tried": {}})
    for key, point in points.items():
        for number, speed in enumerate(speeds[key]):
            own = (more or {}).get(key, {})
            writer.append("row", id=point.id, repetition=number, **row(speed, **(own[number] if isinstance(own, list) else own)))
    if finished:
        writer.append("end", at="2026-11-21T12:30:00Z")
    writer.close()
    return read_run(path)


STEADY = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99]


def times(speed, rounds=8):
    return [speed * factor for factor in STEADY[:rounds]]
