"""Computes how many bytes Ceph stores for an object in an erasure-coded pool. Without Fast EC, Ceph pads the object to whole
stripes. With Fast EC, it pads only to whole pages. BlueStore allocates whole units of `min_alloc` bytes for each chunk."""

PAGE = 4096  # bytes; Fast EC stores whole pages


def padded(size: int, k: int, n: int, chunk: int, min_alloc: int = 1) -> int:
    """The bytes that Ceph stores for an object of `size` bytes in releases before Tentacle, and in pools without
    allow_ec_optimizations. Ceph pads the object to whole stripes, and stores n chunks for each stripe. `chunk`: bytes of one chunk
    in one stripe."""
    return n * rounded_up(-(-size // (k * chunk)) * chunk, min_alloc)


def by_fast_ec(size: int, k: int, n: int, chunk: int, min_alloc: int = PAGE) -> int:
    """The bytes that Ceph stores for an object of `size` bytes in a pool with allow_ec_optimizations. In the last stripe, a data
    chunk has only the pages that contain bytes of the object. The coding chunks are as long as the longest data chunk. For an
    object of 4 KiB with k=4, m=2 and chunks of 16 KiB, Ceph stores 12 KiB. Without allow_ec_optimizations, it stores 96 KiB."""
    stripes, rest = divmod(size, k * chunk)
    lasts = [min(chunk, max(0, rest - number * chunk)) for number in range(k)] + [min(chunk, rest)] * (n - k)
    return sum(rounded_up(stripes * chunk + last, max(min_alloc, PAGE)) for last in lasts)


def rounded_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def stored_bytes(size: int, k: int, n: int, chunk: int, *, fast_ec: bool, min_alloc: int = 1) -> int:
    """`chunk`: bytes of one chunk in one stripe."""
    return (by_fast_ec if fast_ec else padded)(size, k, n, chunk, min_alloc)
