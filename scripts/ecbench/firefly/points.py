"""What the CPU tests of Firefly compared, as points of ecbench: three erasure codes and two replicated pools, at three sizes."""

import dataclasses

from ecbench.point.point import bytes_text

SIZES = (4 << 20, 128 << 10, 4 << 10)
SHAPES = ((4, 1), (6, 2), (10, 3))
COPIES = (2, 3)
STRIPE_UNIT = 4096


@dataclasses.dataclass(frozen=True)
class Store:
    """A way to store objects: an erasure code, or whole copies."""
    name: str  # the article's
    words: tuple  # of ecbench, for the code
    shape: tuple | None  # (k, m); None for copies

    @property
    def is_coded(self):
        return self.shape is not None


def stores(plugin, technique, parameters):
    """`parameters` are further key=value of the erasure codes' profiles."""
    named = [f"technique={technique}"] if technique else []
    coded = [Store(f"EC {k}+{m}", words_of(plugin, [*named, f"k={k}", f"m={m}", *parameters]), (k, m)) for k, m in SHAPES]
    return [*coded, *(Store(f"{copies}x", words_of("replication", [f"size={copies}"]), None) for copies in COPIES)]


def words_of(plugin, parameters):
    return ("--plugin", plugin, *(word for parameter in parameters for word in ("--parameter", parameter)))


@dataclasses.dataclass(frozen=True)
class Work:
    name: str
    words: tuple
    of_copies: bool = True  # whether replicated pools compute at all


# A healthy read runs no code: its k data chunks, or one copy, are the object. A degraded read of copies is a read of another one.
WORKS = (
    Work("encode", ("--workload", "encode")),
    Work("degraded read", ("--workload", "decode", "--erased", "0", "--want", "data"), of_copies=False),
    Work("repair", ("--workload", "repair")),
    Work("copy", ("--workload", "memcpy")),
)


def point_name(store, work, size):
    return f"{store.name} {work.name} of {bytes_text(size)}"


def points(table):
    """Name → words of ecbench, for each store, work and size."""
    found = {}
    for size in SIZES:
        for store in table:
            for work in WORKS:
                if store.is_coded or work.of_copies:
                    found[point_name(store, work, size)] = words(store, work, size)
    return found


def words(store, work, size):
    striped = ["--stripe-unit", str(STRIPE_UNIT)] if store.is_coded else []
    return [*store.words, *work.words, "--size", str(size), *striped]


def stored_over_object(row):
    """Bytes that a row's code stores for each byte of the object, padding included."""
    stripe = row["k"] * row["chunk_size"]
    stripes = -(-row["size"] // stripe)
    return stripes * row["chunk_size"] * row["chunk_count"] / row["size"]
