"""The memory copier for --busy. This program copies 256 MiB repeatedly until its standard input ends. The standard input also ends
if the parent process is killed. At its end, the program prints one line of JSON with two speeds: the speed of the copies of 256
MiB, and the speed of copies of 128 KiB, which stay in the cache. If the second speed is not much higher than the first, the memory
was not busy. All these copies are so large that Python's interpreter does not limit their speed."""

import json
import select
import sys
import time
from collections.abc import Callable

MEMORY_BYTES = 256 << 20
CACHE_BYTES = 128 << 10


def copy_rate(target: memoryview, source: bytes | memoryview, over: Callable[[float], bool]) -> float:
    """Copies `source` to `target` repeatedly until over(elapsed seconds) is true. Returns the speed in gigabytes per second."""
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
