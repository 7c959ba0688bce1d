"""Reads and prints the quantities of a cluster, such as net=25G. The suffixes are decimal: K, M, G and T are 10^3, 10^6, 10^9 and
10^12. This module does not read object= and stripe-unit=, whose suffixes are powers of 1024."""

import dataclasses
import math
import re

from ecbench.terminal.console import Refused

DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,6})?"
AMOUNT = re.compile(rf"({NUMBER})([KMGT]?)")
PERCENT = re.compile(rf"({NUMBER})%")
DRIVES = re.compile(rf"([0-9]{{1,6}})x({NUMBER}[KMGT]?)")
MOST = 10**18


@dataclasses.dataclass(frozen=True)
class Quantity:
    """Describes an argument that is a quantity, such as net=25G."""

    unit: str  # for messages
    example: str
    is_share: bool = False  # whether the argument is a percentage; read() converts a percentage to a number from 0 to 1

    def read(self, key: str, text: str) -> float:
        """Reads the value of the argument `key`. Throws Refused if the value is not allowed."""
        value = share_of(text) if self.is_share else amount_of(text)
        allowed = ("more than 0 %, at most 100 %" if self.is_share else
                   f"a number of {self.unit} above 0, at most 10^18, with or without K, M, G or T (10^3 to 10^12)")
        if value is None or not 0 < value <= (1 if self.is_share else MOST):
            raise Refused(f"{key}={text} is not allowed; allowed: {allowed}; example: {key}={self.example}")
        return value


def amount_of(text: str) -> float | None:
    match = AMOUNT.fullmatch(text)
    return float(match[1]) * DECIMAL[match[2]] if match else None


def share_of(text: str) -> float | None:
    match = PERCENT.fullmatch(text)
    return float(match[1]) / 100 if match else None


def drives_of(text: str) -> tuple[int, float]:
    """Reads a value such as 24x20T. Returns the number of drives in each host (24), and the bytes of each drive (20e12). Throws
    Refused."""
    match = DRIVES.fullmatch(text)
    size = amount_of(match[2]) if match else None
    if not match or not int(match[1]) or not size:
        raise Refused(f"drives={text} is not allowed; allowed: the number of drives in each host, x, and the bytes of each drive "
                      "with or without K, M, G or T (10^3 to 10^12); example: drives=24x20T")
    return int(match[1]), size


def amount_text(value: float) -> str:
    """The value as text: 20 T for 2e13, 1.5 G for 1.5e9. The caller adds the unit."""
    for unit in ("T", "G", "M", "K"):
        if value >= DECIMAL[unit]:
            return f"{value / DECIMAL[unit]:.3g} {unit}"
    return f"{value:.3g} "


def nines_text(nines: float) -> str:
    """The nines as text, rounded down, because 10.97 does not reach 11."""
    return f"{math.floor(10 * nines + 1e-9) / 10:.1f}"


def duration_text(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86400 else f"{seconds / 86400:.1f} d"
