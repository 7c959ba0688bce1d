"""ecbench --chunks-in with the files of Ceph's tools. With a digest, it never writes wrong bytes with exit code 0, whatever else is
wrong. Without a digest, it warns."""

import dataclasses
import functools
import json
import random
import shutil

import scene

CASES = 100
SEED = 42
SIZES = (1, 70001, 393216)  # an object of 393,216 bytes has chunks of the same length with each stripe unit
UNITS = (4096, 8192, 16384)
PROFILES = (
    {"plugin": "isa", "k": "4", "m": "2"},
    {"plugin": "isa", "technique": "cauchy", "k": "3", "m": "3"},
    {"plugin": "jerasure", "technique": "reed_sol_van", "k": "4", "m": "2"},
    {"plugin": "jerasure", "technique": "cauchy_good", "k": "4", "m": "2", "packetsize": "32"},
    {"plugin": "jerasure", "technique": "cauchy_good", "k": "4", "m": "2", "packetsize": "64"},
    {"plugin": "lrc", "k": "4", "m": "2", "l": "3"},
    {"plugin": "shec", "k": "4", "m": "3", "c": "2"},
    {"plugin": "clay", "k": "4", "m": "2", "d": "5"},
)


def reflected(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


TABLE = [reflected(byte) for byte in range(256)]


@functools.cache
def crc32c(data: bytes) -> int:
    """CRC-32C without the final inversion, as Ceph stores it."""
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 255]
    return value


def osdmap(profile: dict[str, str], unit: int) -> dict[str, object]:
    k, m = int(profile["k"]), int(profile["m"])
    groups = (k + m) // int(profile["l"]) if "l" in profile else 0
    ours = {"pool": 7, "pool_name": "data", "type": 3, "size": k + m + groups, "erasure_code_profile": "ours",
            "stripe_width": unit * k}
    others = [{"pool": 1, "pool_name": "replicated", "erasure_code_profile": "", "stripe_width": 0}]
    return {"pools": [*others, ours],
            "erasure_code_profiles": {"ours": {**profile, "crush-failure-domain": "host", "stripe_unit": str(unit)}}}


@dataclasses.dataclass
class Stored:
    """An object in a pool: the bytes of its chunks, and what Ceph's tools print about it."""

    data: bytes
    profile: dict[str, str]
    unit: int
    chunks: list[bytes]

    def dump(self, has_digest: bool = True, has_hashes: bool = True) -> dict[str, object]:
        info = {"oid": {"oid": "object", "pool": 7}, "size": len(self.data), "flags": ["dirty"] + ["data_digest"] * has_digest,
                "data_digest": f"0x{crc32c(self.data) if has_digest else 0xFFFFFFFF:08x}"}
        hashes = [{"shard": shard, "hash": crc32c(chunk)} for shard, chunk in enumerate(self.chunks)]
        return {"info": info, "hinfo": {"total_chunk_size": len(self.chunks[0]),
                                        "cumulative_shard_hashes": hashes if has_hashes else []}}


class PoolScene(scene.Scene):
    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(SEED)
        self.chunks = self.folder / "chunks"
        self.stored: dict[tuple[int, int, int], Stored] = {}

    def store(self, profile: int, unit: int, size: int) -> Stored:
        """Encodes an object as a pool with this profile and this stripe unit does."""
        key = (profile, unit, size)
        if key not in self.stored:
            shutil.rmtree(self.chunks, ignore_errors=True)
            data = self.random.randbytes(size - 1) + b"x"
            (self.folder / "object").write_bytes(data)
            words = [scene.ECBENCH, *options(PROFILES[profile]), "--stripe-unit", unit, "-i", 1, "--input", self.folder / "object"]
            self.succeeded(scene.run([*words, "--chunks-out", self.chunks]))
            count = len(list(self.chunks.iterdir())) - 1
            chunks = [(self.chunks / str(position)).read_bytes() for position in range(count)]
            self.stored[key] = Stored(data, PROFILES[profile], unit, chunks)
        return self.stored[key]

    def restore(self, chunks: list[bytes], lost: list[int], *words: object) -> tuple[scene.Result, bytes | None]:
        shutil.rmtree(self.chunks, ignore_errors=True)
        self.chunks.mkdir()
        for position, chunk in enumerate(chunks):
            if position not in lost:
                (self.chunks / str(position)).write_bytes(chunk)
        out = self.folder / "restored"
        out.unlink(missing_ok=True)
        done = scene.ecbench("--chunks-in", self.chunks, "--object-out", out, *words)
        return done, out.read_bytes() if out.exists() else None

    def file(self, name: str, value: dict[str, object]) -> str:
        (self.folder / name).write_text(json.dumps(value))
        return str(self.folder / name)

    def code_words(self, profile: dict[str, str], unit: int) -> list[object]:
        """The options that describe the code: --osdmap in half of the cases."""
        if self.random.random() < 0.5:
            return ["--osdmap", self.file("osdmap", osdmap(profile, unit)), "--ceph-pool", "data"]
        return [*options(profile), "--stripe-unit", unit]

    def digest_words(self, stored: Stored, has_digest: bool = True) -> list[object]:
        size = ["--size", len(stored.data)]
        dumps = [stored.dump(has_digest, has_hashes) for has_hashes in ((True, False) if has_digest else (False,))]
        return self.random.choice([*(["--ceph-dump", self.file(f"dump {number}", dump)] for number, dump in enumerate(dumps)),
                                   ["--crc32c", f"0x{crc32c(stored.data):08x}", *size] if has_digest else size])

    def case(self) -> tuple[Stored, list[int]]:
        """Any object, and chunks that its code can always lose."""
        stored = self.store(self.random.randrange(len(PROFILES)), self.random.choice(UNITS), self.random.choice(SIZES))
        most = 1 if stored.profile["plugin"] == "lrc" else 2
        return stored, self.random.sample(range(len(stored.chunks)), self.random.randint(0, most))


def options(profile: dict[str, str]) -> list[str]:
    parameters = [("-P", f"{key}={value}") for key, value in profile.items() if key != "plugin"]
    return ["-p", profile["plugin"], *(word for parameter in parameters for word in parameter)]


class RandomCases(PoolScene):
    def test_wrong_ones_never_give_wrong_bytes(self) -> None:
        wrong = {True: 0, False: 0}
        spoil = [self.wrong_unit, self.wrong_profile, self.swapped, self.damaged]
        for case in range(CASES):
            stored, lost = self.case()
            profile, unit, chunks = spoil[case % len(spoil)](stored, lost)
            code = self.code_words(profile, unit)
            for has_digest in (True, False):
                words = [*code, *self.digest_words(stored, has_digest)]
                done, data = self.restore(chunks, lost, *words)
                if done.returncode == 0 and data != stored.data:
                    wrong[has_digest] += 1
                    self.assertIn("could not be compared with a digest", done.stderr)
                if done.returncode != 0:
                    self.assertEqual(data, None)
                    self.assertIn(done.returncode, (1, 2))
                    self.assertIn("ecbench: ", done.stderr.splitlines()[-1])
                if done.returncode == 2 and unit != stored.unit and has_digest:
                    self.assertIn(f"--stripe-unit {stored.unit}", done.stderr)
        self.assertEqual(wrong[True], 0)
        self.assertGreater(wrong[False], 0, "no case shows what a digest prevents")

    def wrong_unit(self, stored: Stored, _lost: list[int]) -> tuple[dict[str, str], int, list[bytes]]:
        return stored.profile, self.random.choice([unit for unit in (2048, 32768, *UNITS) if unit != stored.unit]), stored.chunks

    def wrong_profile(self, stored: Stored, _lost: list[int]) -> tuple[dict[str, str], int, list[bytes]]:
        return self.random.choice([profile for profile in PROFILES if profile != stored.profile]), stored.unit, stored.chunks

    def swapped(self, stored: Stored, lost: list[int]) -> tuple[dict[str, str], int, list[bytes]]:
        one, other = self.random.sample([chunk for chunk in range(len(stored.chunks)) if chunk not in lost], 2)
        chunks = list(stored.chunks)
        chunks[one], chunks[other] = chunks[other], chunks[one]
        return stored.profile, stored.unit, chunks

    def damaged(self, stored: Stored, lost: list[int]) -> tuple[dict[str, str], int, list[bytes]]:
        position = self.random.choice([chunk for chunk in range(len(stored.chunks)) if chunk not in lost])
        chunk = bytearray(stored.chunks[position])
        chunk[self.random.randrange(len(chunk))] ^= self.random.randrange(1, 256)
        chunks = list(stored.chunks)
        chunks[position] = bytes(chunk)
        return stored.profile, stored.unit, chunks


class Messages(PoolScene):
    def setUp(self) -> None:
        super().setUp()
        self.isa = self.store(0, 4096, 70001)
        self.dump = self.file("dump", self.isa.dump())
        self.map = self.file("osdmap", osdmap(PROFILES[0], 4096))

    def assert_message(self, code: int, words: list[object], *said: str, chunks: list[bytes] | None = None,
                       lost: tuple[int, ...] = ()) -> None:
        done, data = self.restore(chunks or self.isa.chunks, list(lost), *words)
        self.assertEqual((done.returncode, data is None), (code, code != 0), done.stderr)
        for text in said:
            self.assertIn(text, done.stderr)

    def test_the_pool_is_found_by_the_dump_or_by_its_name(self) -> None:
        for words in (["--ceph-dump", self.dump], ["--ceph-dump", self.dump, "--ceph-pool", "data"],
                      ["--ceph-pool", "data", "--size", 70001]):
            self.assert_message(0, ["--osdmap", self.map, *words], "restored 70001 bytes")
        self.assert_message(1, ["--osdmap", self.map], "--ceph-pool", "--ceph-dump")
        self.assert_message(1, ["--osdmap", self.map, "--ceph-pool", "nope", "--size", 1], "pool nope")
        self.assert_message(1, ["--osdmap", self.map, "--ceph-pool", "replicated", "--size", 1], "not erasure-coded")
        self.assert_message(1, ["--osdmap", self.map, "--ceph-dump", self.dump, "--ceph-pool", "replicated"], "replicated")

    def test_a_pool_whose_coding_chunks_ceph_never_computes(self) -> None:
        lrc = {"plugin": "lrc", "k": "4", "m": "2", "l": "6"}
        for words in (["--osdmap", self.file("one group", osdmap(lrc, 4096)), "--ceph-dump", self.dump],
                      [*options(lrc), "--stripe-unit", 4096]):
            self.assert_message(1, words, "l=6", chunks=[self.isa.chunks[0]] * 7)

    def test_swapped_files_are_named(self) -> None:
        chunks = [self.isa.chunks[i] for i in (0, 2, 1, 3, 4, 5)]
        words = ["--osdmap", self.map, "--ceph-dump", self.dump]
        self.assert_message(0, words, "chunks 1, 2", "file 1 contains chunk 2; file 2 contains chunk 1", chunks=chunks)
        self.assert_message(2, words, "file 1 contains chunk 2", "too few", "give each file the number", chunks=chunks, lost=(0,))

    def test_a_damaged_chunk_is_lost(self) -> None:
        chunks = [self.isa.chunks[0][:-1] + b"!", *self.isa.chunks[1:]]
        self.assert_message(0, ["--osdmap", self.map, "--ceph-dump", self.dump], "chunk 0 differs", "chunks 1, 2, 3, 4, 5",
                            chunks=chunks)
        self.assert_message(0, ["--osdmap", self.map, "--ceph-dump", self.dump], "chunk 0 differs",
                            chunks=[self.isa.chunks[0][:4096], *self.isa.chunks[1:]])

    def test_an_object_that_was_overwritten_has_no_digest(self) -> None:
        dump = self.file("overwritten", self.isa.dump(has_digest=False, has_hashes=False))
        self.assert_message(0, ["--osdmap", self.map, "--ceph-dump", dump], f"--ceph-dump {dump} has no digest", "overwritten")

    def test_an_empty_object(self) -> None:
        empty = Stored(b"", PROFILES[0], 4096, [b""] * 6)
        words = ["--osdmap", self.map, "--ceph-dump", self.file("empty", empty.dump())]
        self.assert_message(0, words, "restored 0 bytes", chunks=empty.chunks, lost=(1, 2))
        whole = Stored(bytes(range(256)) * 100, PROFILES[0], 4096, [b"?" * 8192] * 6)
        dumps = [whole.dump(), empty.dump()]
        dumps[0]["info"]["size"] = 0
        dumps[1]["info"]["data_digest"] = "0x12345678"
        for number, (dump, chunks) in enumerate(zip(dumps, (whole.chunks, empty.chunks), strict=True)):
            words = ["--osdmap", self.map, "--ceph-dump", self.file(f"size 0, {number}", dump)]
            self.assert_message(2, words, "describes an empty object", chunks=chunks)
        self.assert_message(1, words, "chunk 3", chunks=[b"", b"", b"", b"x", b"", b""])

    def test_an_object_that_was_deleted(self) -> None:
        dump = Stored(b"", PROFILES[0], 4096, [b""] * 6).dump(has_digest=False, has_hashes=False)
        dump["info"]["flags"] = ["whiteout", "dirty"]
        self.assert_message(1, ["--osdmap", self.map, "--ceph-dump", self.file("deleted", dump)], "deleted", chunks=[b""] * 6)

    def test_options_that_do_not_fit(self) -> None:
        both = ["--osdmap", self.map, "--ceph-dump", self.dump]
        code = [*options(PROFILES[0]), "--stripe-unit", 4096]
        cases: list[tuple[list[object], str]] = [
            ([*both, "-p", "isa"], "--plugin"), ([*both, "-P", "k=4"], "--parameter"),
            ([*both, "--stripe-unit", 4096], "--stripe-unit"),
            ([*both, "--size", 5], "--size"), ([*both, "--crc32c", 5], "--crc32c"), ([*code, "--crc32c", 5], "--size"),
            ([*code, "--ceph-pool", "data"], "--osdmap"), ([*code, "--crc32c", "abc", "--size", 5], "0x"),
            ([*code, "--ceph-dump", self.map], "info"), (["--osdmap", self.dump, "--ceph-pool", "data"], "pools"),
            ([*code, "--ceph-dump", self.folder / "object"], "not JSON"), ([*code, "--ceph-dump", "/nowhere"], "No such file"),
            ([*options(PROFILES[6]), "--stripe-unit", 4096, "--ceph-dump", self.dump], "7 chunks")]
        for words, said in cases:
            self.assert_message(1, words, said)
        self.assert_refused(scene.ecbench(*options(PROFILES[0]), "--crc32c", "5"), "--chunks-in")
        same = [scene.ECBENCH, *both, "--chunks-in", self.chunks, "--object-out", self.dump]
        self.assert_refused(scene.run(same), "--ceph-dump")
