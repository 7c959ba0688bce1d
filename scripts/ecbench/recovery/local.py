"""What the article's LRC profiles come to: Ceph's own rules refuse them, so that the nearest sound ones stand in for them."""

import dataclasses

from ecbench.recovery import codes


@dataclasses.dataclass(frozen=True)
class Answer:
    """Of one k, m, l: why it is refused, "" if it is not, and the codes that are there, nearest l first."""
    asked: tuple
    why: str
    sound: list  # of Code


def ask(k, m, l, counter, backend):
    asked = codes.lrc(k, m, l, backend)
    if counter.losses(asked) is not None:
        return Answer((k, m, l), "", [asked])
    why = counter.refusals[asked.name]
    # The groups are k+m chunks cut by l: what does not divide needs no question.
    near = sorted((other for other in range(2, k + m + 1) if (k + m) % other == 0), key=lambda other: (abs(other - l), other))
    sound = [code for code in (codes.lrc(k, m, other, backend) for other in near) if counter.losses(code) is not None]
    return Answer((k, m, l), why, sound)


def chunk_count(counter, code):
    """n: with one chunk lost there are as many losses."""
    return counter.losses(code).total
