"""The load: a program that copies 256 MiB again and again until its standard input ends, which it does with the program that
started it, however that ends. Then it says, as a line of JSON, how fast it copied, and how fast it can copy what fits into a cache:
only if that is much faster was it memory that it kept busy. Python's interpreter is not in the way of a copy of so many bytes."""

import json
import select
import sys
import time
from collections.abc import Callable

MEMORY_BYTES = 256 << 20
CACHE_BYTES = 128 << 10


def copy_rate(target: memoryview, source: bytes | memoryview, over: Callable[[float], bool]) -> float:
    """Gigabytes copied a second until over(seconds)."""
    copied, start, elapsed = 0, time.monotonic(), 0.0
    while not over(elapsed):
        target[:] = source
        copied += len(source)
        elapsed = time.monotonic() - start
    return copied / elapsed / 1e9 if elapsed else 0.0


def input_has_ended(_seconds: float) -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def main() -> None:
    cached = copy_rate(memoryview(bytearray(CACHE_BYTES)), bytes(range(256)) * (CACHE_BYTES // 256), lambda seconds: seconds > 0.1)
    source, target = (memoryview(bytearray(letter) * MEMORY_BYTES) for letter in (b"\x5a", b"\x11"))
    print("ready", flush=True)
    rate = copy_rate(target, source, input_has_ended)
    print(json.dumps({"copied_gb_per_s": round(rate, 2), "in_cache_gb_per_s": round(cached, 2)}))


if __name__ == "__main__":
    main()
