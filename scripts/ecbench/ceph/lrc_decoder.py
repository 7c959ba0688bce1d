"""Which losses Ceph's decoder of lrc k/m/l recovers. It makes one pass: first every local layer, then the global layer."""

import math


def recoverable(k: int, m: int, l: int, lost: int) -> int:
    """The number of patterns of `lost` lost chunks that Ceph rebuilds completely.

    There are (k+m)/l groups of l chunks and one local coding chunk. A group rebuilds the loss of one of its chunks. The global
    layer rebuilds the chunks of all other groups if these have lost at most m chunks together, but no local coding chunk: after
    the global layer, no local layer is used again."""
    ways = {(0, 0): 1}  # (lost chunks, those that the global layer must rebuild) → number of patterns
    for _ in range((k + m) // l):
        grown: dict[tuple[int, int], int] = {}
        for (all_lost, for_global), count in ways.items():
            for own in range(l + 1):
                left = own if own > 1 else 0
                if for_global + left <= m:
                    key = all_lost + own, for_global + left
                    grown[key] = grown.get(key, 0) + count * (math.comb(l, own) if own != 1 else l + 1)
        ways = grown
    return sum(count for (all_lost, _), count in ways.items() if all_lost == lost)
