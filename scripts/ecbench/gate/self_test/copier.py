"""The load for --busy: a program that copies 256 MiB repeatedly until its standard input ends. The standard input ends when the
parent process ends, for whatever reason. At the end, the program prints one line of JSON with the speed of these copies and the
speed of copies in the cache. If the speed in the cache is not much higher, the memory was not busy. Python's interpreter does not
limit the speed of copies of this size."""

import json
import select
import sys
import time
from collections.abc import Callable

MEMORY_BYTES = 256 << 20
CACHE_BYTES = 128 << 10


def copy_rate(target: memoryview, source: bytes | memoryview, over: Callable[[float], bool]) -> float:
    """Copies until over(elapsed seconds) is true. Returns the speed in gigabytes per second."""
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
