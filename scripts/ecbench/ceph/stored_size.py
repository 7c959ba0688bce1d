"""The bytes that Ceph stores for an object of an erasure-coded pool: with padding, or by Fast EC, which does not pad."""

PAGE = 4096  # bytes: Fast EC stores whole pages, as BlueStore allocates them (bluestore_min_alloc_size)


def padded(size: int, k: int, n: int, chunk: int) -> int:
    """All n chunks of whole stripes of k chunks of `chunk` bytes: releases before Tentacle, and pools without
    allow_ec_optimizations."""
    return -(-size // (k * chunk)) * n * chunk


def by_fast_ec(size: int, k: int, n: int, chunk: int) -> int:
    """With allow_ec_optimizations. In the last stripe, a data chunk has only the pages that contain bytes of the object, and the
    coding chunks are as long as the longest data chunk. A 4 KiB object at 4+2 with chunks of 16 KiB stores 12 KiB instead of
    96 KiB."""
    stripes, rest = divmod(size, k * chunk)
    data = sum(pages(min(chunk, max(0, rest - number * chunk))) for number in range(k))
    return stripes * n * chunk + data + (n - k) * pages(min(chunk, rest))


def pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


def stored_bytes(size: int, k: int, n: int, chunk: int, *, fast_ec: bool) -> int:
    """`chunk`: bytes of a chunk of a stripe."""
    return by_fast_ec(size, k, n, chunk) if fast_ec else padded(size, k, n, chunk)
