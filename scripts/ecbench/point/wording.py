"""Functions that convert sizes, numbers, workloads and options to text. Charts, tables and the Markdown summary use them."""

from typing import Any

from ecbench.point.point import bytes_text

GB_OF_100_GBIT = 12.5  # GB/s of a network with 100 Gbit/s: CPU seconds per GB x this = the CPU cores that it needs
# The usual value of each option of a point. A page shows an option only if it has another value.
USUAL = {"stripe_unit": None, "cache": "warm", "threads": 1, "timing": "kernel", "dispatch": "native", "codec_lib": None}


def size_text(size: int) -> str:
    """The size as text: 1 MiB for 1048576. A size that is not a multiple of 1 KiB is shown in bytes."""
    return bytes_text(size).replace(" bytes", " B")


def figure_text(value: float | None) -> str:
    """The number with about three significant digits, since measured values vary by 2 %. All digits before the decimal point are
    shown."""
    if value is None:
        return "-"
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3}f}"


def number_text(value: float | None, decimals: int = 1) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def letters(number: int) -> str:
    """A to Z, AA, AB, ..."""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def workload_text(workload: str, erasures: int) -> str:
    if not erasures:
        return workload
    return f"{workload}, {erasures} lost"


def option_text(name: str, value: Any) -> str:
    if name == "cache":
        return value
    if name == "threads":
        return f"{value} {'thread' if value == 1 else 'threads'}"
    if name == "timing":
        return f"{value} timing"
    if name == "stripe_unit":
        return "one stripe" if value is None else f"stripe unit {size_text(value)}"
    return f"{name.replace('_', ' ')} {value}"
