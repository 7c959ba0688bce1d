"""The short form of a row, for run files with thousands of rows."""

from ecbench.point.point import Json
from ecbench.runfile.answers import FIGURES
from ecbench.runfile.summary import seconds_by_placement

# Keys that are left out. A key is in this list for one of three reasons: the point contains the same value, the
# value can be computed from other keys, or no mode that stores short rows needs the key.
NOT_KEPT = {"plugin", "profile", "workload", "k", "m", "chunk_count", "sub_chunk_count", "size", "stripe_unit", "chunk_size",
            "erasures", "erased", "erasures_generation", "want", "timing", "cache", "threads", "dispatch", "codec_lib", "command",
            "kb", "padding_percent", "ci_percent", "date", "objects_per_s", "thread_gb_per_s", "cpu_seconds", "mad_percent",
            "outliers", "sample_iterations"}


def shortened(row: Json) -> Json:
    """The short form of a row. For each placement, it contains only the median sample, because intervals are computed from these
    medians. If there is only one placement, it contains all samples."""
    placements = seconds_by_placement(row)
    kept = {key: value for key, value in row.items() if key not in NOT_KEPT and (value not in (None, []) or key in FIGURES)}
    return {**kept, "samples": [{"placement": placement, "seconds": seconds} for placement, found in placements.items()
                                for seconds in (found if len(placements) == 1 else [sorted(found)[len(found) // 2]])]}
