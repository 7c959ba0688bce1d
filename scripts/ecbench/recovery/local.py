"""Finds the LRC profiles for given values of k, m and l. Ceph refuses some LRC profiles, for example those of the article. In this
case, the nearest valid profiles are used instead."""

import dataclasses

from ecbench.recovery import codes
from ecbench.recovery.counted import Counter


@dataclasses.dataclass(frozen=True)
class Answer:
    """The LRC codes for given k, m and l. `l` is None if all possible values of l were requested."""
    k: int
    m: int
    l: int | None
    why: str  # why the profile is refused; "" if it is valid
    valid: list[codes.Code]  # the code whose l is nearest to the requested l is first


def ask(k: int, m: int, l: int | None, counter: Counter, backend: str) -> Answer:
    # l must divide k+m. If l is k+m, all chunks share one local chunk, and a repair reads more chunks than with Reed-Solomon.
    # Therefore l=k+m is tried only if a value of l was requested.
    most = k + m - (l is None)
    tried = [codes.lrc(k, m, other, backend) for other in sorted(range(2, most + 1), key=lambda other: abs(other - (l or 0)))
             if (k + m) % other == 0]
    if l is not None:
        wanted = codes.lrc(k, m, l, backend)
        if counter.losses(wanted):
            return Answer(k, m, l, "", [wanted])
        return Answer(k, m, l, counter.refusals[wanted.name], [code for code in tried if counter.losses(code)][:2])
    valid = [code for code in tried if counter.losses(code)]
    why = counter.refusals[tried[0].name] if tried and not valid else f"k+m={k + m} is not a multiple of any l from 2 to {most}"
    return Answer(k, m, l, "" if valid else why, valid)
