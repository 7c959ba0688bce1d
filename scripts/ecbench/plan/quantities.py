"""Reads and prints the quantities of a cluster, such as net=25G. The suffixes are decimal: K, M, G and T are 10^3, 10^6, 10^9 and
10^12. This module does not read object= and stripe-unit=, whose suffixes are powers of 1024."""

import dataclasses
import math
import re

from ecbench.point.point import bytes_text
from ecbench.terminal.console import Refused

DECIMAL: dict[str, float] = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,6})?)"
DRIVES = re.compile(rf"([0-9]{{1,6}})x{NUMBER}([KMGT]?)")
MOST_DRIVES, LEAST_DRIVE, MOST_DRIVE = 10_000, 1e9, 1e15
# Kind of a quantity → the pattern of a number and its unit, the units, the largest value, and what is allowed.
KINDS: dict[str, tuple[str, dict[str, float], float, str]] = {
    "amount": (rf"{NUMBER}([KMGT]?)", DECIMAL, 1e18,
               "a number of {unit} above 0, at most 10^18, with or without K, M, G or T (10^3 to 10^12)"),
    "share": (rf"{NUMBER}(%)", {"%": 0.01}, 1, "more than 0 %, at most 100 %"),
    "days": (rf"{NUMBER}(d)", {"d": 1}, 3650, "a number of days above 0, at most 3650d"),
    "time": (rf"{NUMBER}(ms|us)", {"ms": 1e-3, "us": 1e-6}, 1, "a number of ms or us, at most 1000ms"),
    "probability": (r"([0-9](?:\.[0-9]{1,6})?e-[0-9]{1,2})()", {"": 1}, 1e-6, "a number above 0, at most 1e-6"),
}


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Describes an argument that is a quantity, such as net=25G."""

    unit: str  # for messages
    example: str  # also the default
    kind: str = "amount"
    least: float = 0

    def read(self, key: str, text: str) -> float:
        """Reads the value of the argument `key`. Throws Refused if the value is not allowed."""
        pattern, units, most, allowed = KINDS[self.kind]
        match = re.fullmatch(pattern, text)
        value = float(match[1]) * units[match[2]] if match else 0
        if not value or not self.least <= value <= most:
            more = f"; at least {amount_text(self.least).replace(' ', '')}" if self.least else ""
            raise Refused(f"{key}={text} is not allowed; allowed: {allowed.format(unit=self.unit)}{more}; example: "
                          f"{key}={self.example}")
        return value


def drives_of(text: str) -> tuple[int, float]:
    """Reads a value such as 24x20T. Returns the number of drives in each host (24), and the bytes of each drive (20e12). Throws
    Refused."""
    match = DRIVES.fullmatch(text)
    drives, size = (int(match[1]), float(match[2]) * DECIMAL[match[3]]) if match else (0, 0.0)
    if not 1 <= drives <= MOST_DRIVES or not LEAST_DRIVE <= size <= MOST_DRIVE:
        raise Refused(f"drives={text} is not allowed; allowed: the number of drives in each host (1 to {MOST_DRIVES}), x, and the "
                      "bytes of each drive (1G to 1000T; K, M, G and T are 10^3 to 10^12); example: drives=24x20T")
    return drives, size


def amount_text(value: float) -> str:
    """The value as text: 20 T for 2e13, 1.5 G for 1.5e9. The caller adds the unit."""
    for unit in ("T", "G", "M", "K"):
        if value >= DECIMAL[unit]:
            return f"{value / DECIMAL[unit]:.3g} {unit}"
    return f"{value:.3g} "


def terabytes(value: float) -> str:
    """Rounded down."""
    value /= 1e12
    return f"{math.floor(value * 10) / 10:.1f}" if value < 10 else f"{math.floor(value)}"


def short(size: int) -> str:
    """A size as an argument: 4M."""
    return bytes_text(size).replace(" ", "").removesuffix("iB").removesuffix("bytes")


def nines_text(nines: float) -> str:
    """The nines as text, rounded down, because 10.97 does not reach 11."""
    return f"{math.floor(10 * nines + 1e-9) / 10:.1f}"


def duration_text(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86400 else f"{seconds / 86400:.1f} d"


def with_article(noun: str) -> str:
    return f"{'an' if noun == 'osd' else 'a'} {noun}"
