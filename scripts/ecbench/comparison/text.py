"""A comparison as text and JSON."""

from typing import Any

from ecbench.documents.document import Interval
from ecbench.statistics.interval import Estimate

NONE = "-"


def ratio_text(ratio: Estimate | None, between: str = "..") -> str:
    """With its interval, such as 1.25 (1.20..1.31)."""
    return NONE if ratio is None else f"{ratio.median:.2f}" + (
        "" if ratio.low is None else f" ({interval_text(ratio, between=between)})")


def interval_text(ratio: Estimate, digits: int = 2, between: str = "..") -> str:
    return NONE if ratio.low is None else f"{ratio.low:.{digits}f}{between}{ratio.high:.{digits}f}"


def ratio_in_percent(ratio: Estimate) -> str:
    interval = "" if ratio.low is None or ratio.high is None else f" ({ratio.low * 100:.1f} to {ratio.high * 100:.1f})"
    return f"{ratio.median * 100:.1f}{interval}"


def interval_of(estimate: Estimate | None) -> Any:
    """None only for None."""
    return None if estimate is None else Interval(estimate.median, estimate.low, estimate.high)
