"""The LRC profiles of a shape. Ceph's rules refuse those of the article, so that the nearest valid ones are shown instead."""

import dataclasses

from ecbench.recovery import codes


@dataclasses.dataclass(frozen=True)
class Answer:
    """Of one k, m, l: why it is refused, "" if it is not, and the codes that exist, nearest l first. l is None if every l that is
    possible was asked for."""
    asked: tuple[int, int, int | None]
    why: str
    sound: list[codes.Code]


def ask(k, m, l, counter, backend):
    if l is None:
        return ask_all(k, m, counter, backend)
    asked = codes.lrc(k, m, l, backend)
    if counter.losses(asked) is not None:
        return Answer((k, m, l), "", [asked])
    near = sorted(dividing(k, m, k + m), key=lambda other: (abs(other - l), other))
    return Answer((k, m, l), counter.refusals[asked.name], existing(k, m, near, counter, backend)[:2])


def ask_all(k, m, counter, backend):
    """A local chunk of all other chunks is left out: to read these is more work than Reed-Solomon."""
    tried = dividing(k, m, k + m - 1)
    sound = existing(k, m, tried, counter, backend)
    why = f"k+m={k + m} is not a multiple of any l from 2 to {k + m - 1}"
    if tried and not sound:
        why = counter.refusals[codes.lrc(k, m, tried[0], backend).name]
    return Answer((k, m, None), "" if sound else why, sound)


def dividing(k, m, most):
    """The groups are the k+m chunks divided by l: other l need not be asked."""
    return [l for l in range(2, most + 1) if (k + m) % l == 0]


def existing(k, m, ls, counter, backend):
    return [code for code in (codes.lrc(k, m, l, backend) for l in ls) if counter.losses(code) is not None]


def chunk_count(counter, code):
    """n: with one chunk lost there are as many losses."""
    return counter.losses(code).total
