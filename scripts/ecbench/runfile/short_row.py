"""What a run file keeps of a row if there are thousands of rows."""

from typing import Any

from ecbench.runfile.run_file import FIGURES
from ecbench.runfile.summary import counted_samples

# What the point says already, and what follows from the rest.
NOT_KEPT = {"plugin", "profile", "workload", "k", "m", "chunk_count", "sub_chunk_count", "size", "stripe_unit", "chunk_size",
            "erasures", "erased", "erasures_generation", "want", "timing", "cache", "threads", "dispatch", "codec_lib", "command",
            "kb", "padding_percent", "ci_percent", "date", "objects_per_s", "thread_gb_per_s", "cpu_seconds", "mad_percent",
            "outliers", "sample_iterations"}


def shortened(row: dict[str, Any]) -> dict[str, Any]:
    """With one sample for each placement, its median one, from which intervals are made; one placement keeps all its samples."""
    placements: dict[int, list[float]] = {}
    for sample in counted_samples(row):
        placements.setdefault(sample["placement"], []).append(sample["seconds"])
    kept = {key: value for key, value in row.items() if key not in NOT_KEPT and (value not in (None, []) or key in FIGURES)}
    return {**kept, "samples": [{"placement": placement, "seconds": seconds} for placement, found in placements.items()
                                for seconds in (found if len(placements) == 1 else [middle(found)])]}


def middle(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) // 2]
