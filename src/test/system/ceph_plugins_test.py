"""Compares ecbench's plugins with those in Debian's Ceph packages, which the plugin `ceph` runs: the chunks of more than 100
profiles, and each lost chunk. Installs the packages and builds the plugin. Takes about two minutes."""

import json
import pathlib
import subprocess
import tempfile
import unittest
from collections.abc import Iterator

import scene

SIZE = 50_001
SHAPES = ((2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (8, 4), (10, 4))


def jerasure() -> Iterator[str]:
    for k, m in SHAPES:
        for w in (8, 16, 32):
            yield f"technique=reed_sol_van k={k} m={m} w={w}"
        for technique in ("cauchy_orig", "cauchy_good"):
            yield f"technique={technique} k={k} m={m} packetsize=32"
    for k in (2, 4, 6):
        yield f"technique=reed_sol_r6_op k={k} m=2"
        yield f"technique=liber8tion k={k} m=2 packetsize=64"
        yield f"technique=liberation k={k} m=2 w=7 packetsize=32"
        yield f"technique=blaum_roth k={k} m=2 w=6 packetsize=32"
    for technique in ("reed_sol_van", "cauchy_good packetsize=32"):
        yield f"technique={technique} k=6 m=3 jerasure-per-chunk-alignment=true"
    yield "technique=reed_sol_van k=10 m=4"


def isa() -> Iterator[str]:
    for k, m in SHAPES:
        for technique in ("reed_sol_van", "cauchy"):
            yield f"technique={technique} k={k} m={m}"


def shec() -> Iterator[str]:
    for k, m, c in ((4, 3, 2), (4, 3, 1), (4, 2, 1), (6, 3, 2), (6, 4, 2), (8, 4, 3), (8, 4, 2), (10, 5, 3), (3, 3, 2), (5, 3, 2)):
        for technique in ("single", "multiple"):
            yield f"technique={technique} k={k} m={m} c={c}"


def lrc() -> Iterator[str]:
    for k, m, locality in ((4, 2, 3), (8, 4, 3), (8, 4, 6), (6, 3, 3), (2, 2, 2), (12, 4, 4)):
        yield f"k={k} m={m} l={locality}"
    yield 'mapping=__DD__DD layers=[["_cDD_cDD",""],["cDDD____",""],["____cDDD",""]]'
    yield 'mapping=__DD__DD layers=[["_cDD_cDD","plugin=isa"],["cDDD____","plugin=isa"],["____cDDD","plugin=isa"]]'


def clay() -> Iterator[str]:
    for k, m, helpers in ((2, 2, 3), (4, 2, 5), (4, 3, 5), (6, 3, 8), (6, 3, 7), (8, 4, 11)):
        yield f"k={k} m={m} d={helpers}"
    for scalar in ("isa technique=cauchy", "jerasure technique=cauchy_orig", "shec technique=single"):
        yield f"k=4 m=2 d=5 scalar_mds={scalar}"


PROFILES = {"jerasure": jerasure, "isa": isa, "shec": shec, "lrc": lrc, "clay": clay}


def with_isa(profile: str) -> str:
    """The profile of lrc with plugin=isa in each layer that names no plugin. Ceph 20.2 takes isa, earlier releases jerasure."""
    fields = dict(word.split("=", 1) for word in profile.split())
    if "layers" in fields:
        mapping, layers = fields["mapping"], json.loads(fields["layers"])
    else:
        k, m, locality = (int(fields[name]) for name in "kml")
        groups = (k + m) // locality
        data, coding = k // groups, m // groups
        mapping = ("D" * data + "_" * (coding + 1)) * groups
        layers = [[("D" * data + "c" * coding + "_") * groups, ""]]
        layers += [["_" * (locality + 1) * group + "D" * locality + "c" + "_" * (locality + 1) * (groups - 1 - group), ""]
                   for group in range(groups)]
    layers = [[chunks, parameters or "plugin=isa"] for chunks, parameters in layers]
    return f"mapping={mapping} layers={json.dumps(layers, separators=(',', ':'))}"


def object_size(plugin: str, profile: str) -> int:
    """Ceph 20.2 needs sub-chunks that are multiples of 64 bytes."""
    if plugin != "clay":
        return SIZE
    fields = dict(word.split("=", 1) for word in profile.split())
    k, m, helpers = (int(fields[name]) for name in "kmd")
    q = helpers - k + 1
    unit = 64 * k * q ** -(-(k + m) // q)
    return (SIZE // unit + 1) * unit - 1


def words(profile: str) -> list[str]:
    return [word for parameter in profile.split() for word in ("-P", parameter)]


class CephPlugins(scene.Scene):
    is_release_20: bool

    @classmethod
    def setUpClass(cls) -> None:
        installed = scene.run([scene.SOURCE / "scripts" / "install-deps.sh", "ceph"], timeout=3600)
        if installed.returncode != 0:
            raise unittest.SkipTest(installed.stderr.strip())
        subprocess.run(["cmake", "-S", scene.SOURCE, "-B", scene.BUILD], check=True, capture_output=True)
        subprocess.run(["cmake", "--build", scene.BUILD, "--target", "ec_ceph"], check=True, capture_output=True)
        release = subprocess.check_output(["dpkg-query", "-W", "-f", "${Version}", "ceph-base"], text=True)
        cls.is_release_20 = release.startswith("20.")

    def chunks(self, size: int, *arguments: object) -> list[bytes]:
        with tempfile.TemporaryDirectory(prefix="ecbench-ceph-") as folder:
            self.succeeded(scene.ecbench(*arguments, "-s", size, "-i", 1, "--seed", 7, "--chunks-out", folder))
            names = sorted((path.name for path in pathlib.Path(folder).iterdir() if path.name.isdigit()), key=int)
            return [(pathlib.Path(folder) / name).read_bytes() for name in names]

    def test_chunks_are_equal(self) -> None:
        count = 0
        for plugin, profiles in PROFILES.items():
            for profile in profiles():
                count += 1
                same = with_isa(profile) if plugin == "lrc" and self.is_release_20 else profile
                size = object_size(plugin, profile)
                ours = self.chunks(size, "-p", plugin, *words(same))
                self.assertTrue(ours)
                self.assertEqual(self.chunks(size, "-p", "ceph", "-P", f"plugin={plugin}", *words(profile)), ours)
        self.assertGreaterEqual(count, 100)

    def test_every_loss_is_rebuilt(self) -> None:
        """ecbench compares each rebuilt chunk with the lost one."""
        for plugin, profiles in PROFILES.items():
            for profile in profiles():
                for workload in (["decode", "-e", 1, "-E", "exhaustive"], ["repair"]):
                    self.succeeded(scene.ecbench("-p", "ceph", "-P", f"plugin={plugin}", *words(profile), "-w", *workload, "-s",
                                                 object_size(plugin, profile), "-i", 1))

    def test_reads_are_equal(self) -> None:
        """To rebuild one lost chunk, Ceph's plugin must read as many chunks and as many bytes as ecbench's plugin."""
        for plugin, profile in (("clay", "k=4 m=2 d=5"), ("clay", "k=6 m=3 d=7"), ("clay", "k=8 m=4 d=11"), ("lrc", "k=4 m=2 l=3"),
                                ("isa", "technique=cauchy k=6 m=3")):
            if plugin == "clay" and self.is_release_20:
                continue  # Ceph 20.2 repairs from whole chunks
            size = object_size(plugin, profile)
            ours, cephs = (scene.ecbench("-p", *name, *words(profile), "-w", "repair", "-s", size, "-i", 1, "--format", "json")
                           for name in ((plugin,), ("ceph", "-P", f"plugin={plugin}")))
            self.assertEqual(reads(cephs.stdout), reads(ours.stdout))

    def test_the_kernel_of_isa_is_named(self) -> None:
        for plugin, kernel in (("isa", r"ec_encode_data_[a-z0-9]+, plugin isa of Ceph [0-9.]+"),
                               ("jerasure", r"plugin jerasure of Ceph [0-9.]+")):
            row = self.row("-p", "ceph", "-P", f"plugin={plugin}", *words("technique=reed_sol_van k=4 m=2"), "-s", "4K", "-i", 1)
            self.assertRegex(row["kernel"], f"^{kernel}$")

    def test_a_chunk_that_is_smaller_than_the_packets_of_a_layer(self) -> None:
        """Ceph's plugin writes after the end of the chunk."""
        layers = '[["DDc_","plugin=isa"],["DD_c","plugin=jerasure technique=cauchy_good packetsize=8"]]'
        self.assert_refused(scene.ecbench("-p", "ceph", "-P", "plugin=lrc", "-P", "mapping=DD__", "-P", f"layers={layers}", "-s",
                                          "4K", "--stripe-unit", 96, "-i", 1))

    def test_timing_api_runs(self) -> None:
        for workload in ("encode", "decode"):
            self.succeeded(scene.ecbench("-p", "ceph", "-P", "plugin=isa", *words("k=4 m=2"), "-w", workload, "-s", "4K", "-i", 10,
                                         "--timing", "api"))


def reads(row: str) -> object:
    fields = json.loads(row)
    return tuple(fields[key] for key in ("chunks_read", "drive_factor", "network_factor", "reads_per_helper"))
