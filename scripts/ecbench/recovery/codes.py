"""The codes of the article on costs and benefits (articles/costs-and-benefits), and the figures that it gives for them."""

import dataclasses
import json

from ecbench.point.point import Pairs, Point, make_point, profile_words

# k, m, and the article's two figures for CLAY, in chunks per repair: reads of drives, network traffic. For RS, both are k.
CLAY = ((2, 1, 2.000, 2.000), (2, 2, 1.500, 2.000), (4, 1, 4.000, 4.000), (4, 2, 2.500, 3.000), (4, 3, 2.000, 2.667),
        (6, 2, 3.500, 4.000), (6, 3, 2.667, 3.333), (6, 4, 2.250, 3.000), (8, 2, 4.500, 5.000), (8, 3, 3.333, 4.000),
        (8, 4, 2.750, 3.500), (9, 3, 3.667, 4.333), (10, 4, 3.250, 4.000), (12, 4, 3.750, 4.500), (16, 4, 4.750, 5.500))
# k, m, l, and the article's overhead after one and after two losses.
SHEC = ((4, 2, 4, "1.00/1.00"), (4, 3, 3, "0.75/1.00"), (6, 4, 3, "0.50/0.74"), (5, 3, 3, "0.60/0.90"), (7, 4, 3, "0.43/0.69"))
# k, m, l. Ceph refuses both profiles.
LRC = ((8, 4, 4), (16, 4, 4))
# 8 data chunks, 4 coding chunks, and a local chunk for each group of four of these chunks. The article calls this code 8/4/4.
LAYERS_844 = [["DDDD_DDDD_cccc_", ""], ["DDDDc__________", ""], ["_____DDDDc_____", ""], ["__________DDDDc", ""]]


@dataclasses.dataclass(frozen=True)
class Code:
    name: str  # in tables
    plugin: str
    profile: Pairs

    def repair(self, size: int, cache: str) -> Point:
        """The point of the workload repair. One chunk is lost at a time, and each chunk in turn."""
        return make_point(self.plugin, dict(self.profile), "repair", size, 1, cache=cache)

    def words(self) -> list[str]:
        return profile_words(self.plugin, self.profile)


def code(name: str, plugin: str, **parameters: object) -> Code:
    """Makes a code. Leaves out parameters that are None, and backend=jerasure, which is the default."""
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
    """Either l or c is given. The other one is computed from it, and is not always a whole number."""
    k: int
    m: int
    l: int | None = None
    c: int | None = None

    def code(self, backend: str) -> Code:
        """The code with Ceph's parameter c if c is a whole number, otherwise with ecbench's parameter l."""
        l, c = self.l, self.c
        name = f"SHEC {self.k},{self.m},{f'c={c}' if l is None else l}"
        if l is not None and self.m * l % self.k == 0:
            c, l = self.m * l // self.k, None
        return code(name, "shec", technique="single", k=self.k, m=self.m, l=l, c=c, backend=backend)

    def cells(self) -> list[str]:
        """k, m, l and c."""
        l = self.l or (self.c or 0) * self.k / self.m
        c = self.c or (self.l or 0) * self.m / self.k
        return [str(self.k), str(self.m), *(f"{number:.2f}".rstrip("0").rstrip(".") for number in (l, c))]
