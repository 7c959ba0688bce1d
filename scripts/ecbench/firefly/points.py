"""What the CPU tests of Firefly compared, as points of ecbench: three erasure codes and two replicated pools, at three sizes."""

import dataclasses

from ecbench.point.point import bytes_text, make_point

SIZES = (4 << 20, 128 << 10, 4 << 10)
SHAPES = ((4, 1), (6, 2), (10, 3))
COPIES = (2, 3)
STRIPE_UNIT = 4096


@dataclasses.dataclass(frozen=True)
class Store:
    """A way to store objects: an erasure code, or whole copies."""
    name: str  # the article's
    plugin: str
    profile: dict  # key → text
    shape: tuple | None  # (k, m); None for copies

    @property
    def is_coded(self):
        return self.shape is not None


def stores(plugin, technique, parameters):
    """`parameters` are further key=value of the erasure codes' profiles."""
    named = {"technique": technique} if technique else {}
    more = dict(parameter.partition("=")[::2] for parameter in parameters)
    coded = [Store(f"EC {k}+{m}", plugin, {**named, "k": k, "m": m, **more}, (k, m)) for k, m in SHAPES]
    return [*coded, *(Store(f"{copies}x", "replication", {"size": copies}, None) for copies in COPIES)]


@dataclasses.dataclass(frozen=True)
class Work:
    name: str
    workload: str
    options: dict = dataclasses.field(default_factory=dict)  # of a point
    of_copies: bool = True  # whether replicated pools compute at all


# A healthy read runs no code: its k data chunks, or one copy, are the object. A degraded read of copies is a read of another one.
WORKS = (
    Work("encode", "encode"),
    Work("degraded read", "decode", {"erased": 0, "want": "data"}, of_copies=False),
    Work("repair", "repair"),
    Work("copy", "memcpy"),
)


def point_name(store, work, size):
    return f"{store.name} {work.name} of {bytes_text(size)}"


def points(table, cache):
    """Name → Point, for each store, work and size."""
    found = {}
    for size in SIZES:
        for store in table:
            for work in WORKS:
                if store.is_coded or work.of_copies:
                    found[point_name(store, work, size)] = point(store, work, size, cache)
    return found


def point(store, work, size, cache):
    striped = {"stripe_unit": STRIPE_UNIT} if store.is_coded else {}
    return make_point(store.plugin, store.profile, work.workload, size, 1, cache=cache, **striped, **work.options)


def stored_over_object(row):
    """Bytes that a row's code stores for each byte of the object, padding included."""
    stripe = row["k"] * row["chunk_size"]
    stripes = -(-row["size"] // stripe)
    return stripes * row["chunk_size"] * row["chunk_count"] / row["size"]
