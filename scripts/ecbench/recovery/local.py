"""The LRC profiles for a k and m. Ceph refuses the LRC profiles of the article, so the nearest valid profiles replace them."""

import dataclasses

from ecbench.recovery import codes
from ecbench.recovery.counted import Counter


@dataclasses.dataclass(frozen=True)
class Answer:
    """The codes for one k, m and l. `l` is None if all possible values were requested."""
    k: int
    m: int
    l: int | None
    why: str  # why the profile is refused; "": it is valid
    valid: list[codes.Code]  # sorted by distance from l


def ask(k: int, m: int, l: int | None, counter: Counter, backend: str) -> Answer:
    # l must divide k+m. With l=k+m, there is one local chunk for all chunks, and a repair reads more than with Reed-Solomon.
    # Therefore this code is tried only if an l is given.
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
