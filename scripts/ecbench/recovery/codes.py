"""The erasure codes in the article "Erasure Code in Ceph: costs and benefits", and the article's figures for these codes."""

import dataclasses
import json

from ecbench.point.point import Pairs, Point, make_point, profile_words

# k, m, and the article's two figures for CLAY: how many chunks a repair reads from drives, and how many chunks a repair sends over
# the network. For Reed-Solomon, both figures are k.
CLAY = ((2, 1, 2.000, 2.000), (2, 2, 1.500, 2.000), (4, 1, 4.000, 4.000), (4, 2, 2.500, 3.000), (4, 3, 2.000, 2.667),
        (6, 2, 3.500, 4.000), (6, 3, 2.667, 3.333), (6, 4, 2.250, 3.000), (8, 2, 4.500, 5.000), (8, 3, 3.333, 4.000),
        (8, 4, 2.750, 3.500), (9, 3, 3.667, 4.333), (10, 4, 3.250, 4.000), (12, 4, 3.750, 4.500), (16, 4, 4.750, 5.500))
# k, m, l, and two figures of the article. Each figure is the number of chunks that a repair reads, divided by k. The first figure
# is for one lost chunk, and the second figure is for two lost chunks.
SHEC = ((4, 2, 4, "1.00/1.00"), (4, 3, 3, "0.75/1.00"), (6, 4, 3, "0.50/0.74"), (5, 3, 3, "0.60/0.90"), (7, 4, 3, "0.43/0.69"))
# k, m and l of the two LRC profiles in the article. Ceph refuses both profiles.
LRC = ((8, 4, 4), (16, 4, 4))
# The code that the article calls 8/4/4. It has 8 data chunks and 4 coding chunks. These 12 chunks form three groups of four chunks.
# Each group has one additional local chunk.
LAYERS_844 = [["DDDD_DDDD_cccc_", ""], ["DDDDc__________", ""], ["_____DDDDc_____", ""], ["__________DDDDc", ""]]


@dataclasses.dataclass(frozen=True)
class Code:
    name: str  # in tables
    plugin: str
    profile: Pairs

    def repair(self, size: int, cache: str) -> Point:
        """Each chunk is lost in turn."""
        return make_point(self.plugin, dict(self.profile), "repair", size, 1, cache=cache)

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.profile)


def code(name: str, plugin: str, **parameters: object) -> Code:
    """Makes a code. The profile does not contain parameters that are None. It does not contain backend=jerasure either, because
    jerasure is the default backend."""
    given = {key: str(value) for key, value in parameters.items() if value is not None and (key, value) != ("backend", "jerasure")}
    return Code(name, plugin, tuple(given.items()))


def reed_solomon(k: int, m: int, backend: str) -> Code:
    return code(f"RS {k}+{m}", backend, technique="reed_sol_van", k=k, m=m)


def clay(k: int, m: int, backend: str) -> Code:
    return code(f"CLAY {k}+{m}", "clay", k=k, m=m, backend=backend)


def lrc(k: int, m: int, l: int, backend: str) -> Code:
    return code(f"LRC {k}/{m}/{l}", "lrc", k=k, m=m, l=l, backend=backend)


def lrc_844_by_layers(backend: str) -> Code:
    return code("LRC 8/4/4 by layers", "lrc", mapping="DDDD_DDDD______", layers=json.dumps(LAYERS_844), backend=backend)


@dataclasses.dataclass(frozen=True)
class Shec:
    """Either l or c is given. The other parameter is computed, and is not always a whole number."""
    k: int
    m: int
    l: int | None = None
    c: int | None = None

    def code(self, backend: str) -> Code:
        """Makes the code. If c is a whole number, the profile contains Ceph's parameter c. Otherwise, it contains ecbench's
        parameter l."""
        l, c = self.l, self.c
        name = f"SHEC {self.k},{self.m},{f'c={c}' if l is None else l}"
        if l is not None and self.m * l % self.k == 0:
            c, l = self.m * l // self.k, None
        return code(name, "shec", technique="single", k=self.k, m=self.m, l=l, c=c, backend=backend)

    def cells(self) -> list[str]:
        l = self.l or (self.c or 0) * self.k / self.m
        c = self.c or (self.l or 0) * self.m / self.k
        return [str(self.k), str(self.m), *(f"{number:.2f}".rstrip("0").rstrip(".") for number in (l, c))]
