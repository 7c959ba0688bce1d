"""Computes how many bytes Ceph stores for an object in an erasure-coded pool. Without Fast EC, Ceph pads the object to whole
stripes. With Fast EC, it pads only to whole pages."""

# Bytes. Fast EC stores whole pages. BlueStore allocates space in units of the same size (bluestore_min_alloc_size).
PAGE = 4096


def padded(size: int, k: int, n: int, chunk: int) -> int:
    """The bytes that Ceph stores for an object of `size` bytes in releases before Tentacle, and in pools without
    allow_ec_optimizations. Ceph pads the object to whole stripes, and stores n chunks for each stripe. `chunk`: bytes of one chunk
    in one stripe."""
    return -(-size // (k * chunk)) * n * chunk


def by_fast_ec(size: int, k: int, n: int, chunk: int) -> int:
    """The bytes that Ceph stores for an object of `size` bytes in a pool with allow_ec_optimizations. In the last stripe, a data
    chunk has only the pages that contain bytes of the object. The coding chunks are as long as the longest data chunk. For an
    object of 4 KiB with k=4, m=2 and chunks of 16 KiB, Ceph stores 12 KiB. Without allow_ec_optimizations, it stores 96 KiB."""
    stripes, rest = divmod(size, k * chunk)
    data = sum(pages(min(chunk, max(0, rest - number * chunk))) for number in range(k))
    return stripes * n * chunk + data + (n - k) * pages(min(chunk, rest))


def pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


def stored_bytes(size: int, k: int, n: int, chunk: int, *, fast_ec: bool) -> int:
    """`chunk`: bytes of one chunk in one stripe."""
    return by_fast_ec(size, k, n, chunk) if fast_ec else padded(size, k, n, chunk)
