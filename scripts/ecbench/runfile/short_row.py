"""The short form of a row, for run files with thousands of rows."""

import math

from ecbench.documents.document import Json
from ecbench.runfile.row import ALWAYS
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
    kept = {key: value for key, value in row.items() if key not in NOT_KEPT and (value not in (None, []) or key in ALWAYS)}
    return {**kept, "samples": [{"placement": placement, "seconds": seconds} for placement, found in placements.items()
                                for seconds in (found if len(placements) == 1 else [sorted(found)[len(found) // 2]])]}


def with_sampled_seconds(row: Json) -> Json:
    """The short form of a row. If the row has one thread, the column `sampled_seconds` is added: wall clock seconds and CPU seconds
    of all its samples."""
    taken = [sample.get("cpu_seconds") for sample in row["samples"]]
    if row.get("threads") != 1 or not all(isinstance(one, (int, float)) for one in taken):
        return shortened(row)
    return {**shortened(row), "sampled_seconds": (math.fsum(sample["seconds"] for sample in row["samples"]), math.fsum(taken))}
