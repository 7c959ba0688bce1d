"""Figures in the formats of tools that watch them over time: Bencher Metric Format
(https://bencher.dev/docs/reference/bencher-metric-format), and the custom formats of github-action-benchmark (its README)."""

import collections
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from ecbench.page.results import run_labels
from ecbench.runfile.run_file import Run
from ecbench.runfile.summary import PointSummary

MEASURE = "gb-per-s"  # Bencher creates a measure that it does not know

Named = tuple[str, PointSummary]


def bmf(named: Sequence[Named]) -> dict[str, Any]:
    found = {}
    for name, summary in named:
        values = {"value": summary.gb_per_s, "lower_value": summary.low, "upper_value": summary.high}
        found[name] = {MEASURE: {key: value for key, value in values.items() if value is not None}}
    return found


def bigger_is_better(named: Sequence[Named]) -> list[dict[str, Any]]:
    return [entry(name, "GB/s", summary.gb_per_s or 0, summary) for name, summary in named]


def smaller_is_better(named: Sequence[Named]) -> list[dict[str, Any]]:
    return [entry(name, "ns/object", summary.point.size / (summary.gb_per_s or 1), summary) for name, summary in named]


def entry(name: str, unit: str, value: float, summary: PointSummary) -> dict[str, Any]:
    width = summary.interval_percent
    spread = {} if width is None else {"range": f"± {width / 100 * value:.4g}"}
    command = shlex.join(["ecbench", *summary.point.words()])
    return {"name": name, "unit": unit, "value": value, **spread, "extra": command}


FORMATS = {"bmf": bmf, "customBiggerIsBetter": bigger_is_better, "customSmallerIsBetter": smaller_is_better}


def named_figures(runs: Sequence[Run], summaries_of_runs: Sequence[list[PointSummary]]) -> Iterator[Named]:
    """Each name is used once."""
    labels = run_labels(runs) if len(runs) > 1 else [""]
    for label, summaries in zip(labels, summaries_of_runs, strict=True):
        texts = collections.Counter(str(one.point) for one in summaries)
        for one in summaries:
            if one.gb_per_s and not one.has_wrong_bytes:
                text = str(one.point) if texts[str(one.point)] == 1 else f"{one.point} ({one.id})"
                yield f"{label}: {text}" if label else text, one
