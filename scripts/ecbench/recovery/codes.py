"""The codes of the article on costs and benefits, and what it printed of them (articles/costs-and-benefits)."""

import dataclasses
import json

from ecbench.point.point import make_point

# k, m, and the article's figures: CLAY on the drive and on the network; RS is k on both.
CLAY = ((2, 1, 2.000, 2.000), (2, 2, 1.500, 2.000), (4, 1, 4.000, 4.000), (4, 2, 2.500, 3.000), (4, 3, 2.000, 2.667),
        (6, 2, 3.500, 4.000), (6, 3, 2.667, 3.333), (6, 4, 2.250, 3.000), (8, 2, 4.500, 5.000), (8, 3, 3.333, 4.000),
        (8, 4, 2.750, 3.500), (9, 3, 3.667, 4.333), (10, 4, 3.250, 4.000), (12, 4, 3.750, 4.500), (16, 4, 4.750, 5.500))
# k, m, l, and the article's overhead after one and after two losses.
SHEC = ((4, 2, 4, "1.00/1.00"), (4, 3, 3, "0.75/1.00"), (6, 4, 3, "0.50/0.74"), (5, 3, 3, "0.60/0.90"), (7, 4, 3, "0.43/0.69"))
# k, m, l: both break Ceph's rules.
LRC = ((8, 4, 4), (16, 4, 4))


@dataclasses.dataclass(frozen=True)
class Code:
    name: str  # as people read it
    plugin: str
    profile: tuple  # of (key, value)

    def repair(self, size, cache):
        """The point that repairs each lost chunk in turn."""
        return make_point(self.plugin, dict(self.profile), "repair", size, 1, cache=cache)

    def words(self):
        words = ["--plugin", self.plugin]
        for key, value in self.profile:
            words += ["--parameter", f"{key}={value}"]
        return words


def code(name, plugin, **parameters):
    return Code(name, plugin, tuple((key, str(value)) for key, value in parameters.items() if value is not None))


def own(backend):
    """As the parameter backend= has it: clay, shec and lrc compute by jerasure unless they are told."""
    return None if backend == "jerasure" else backend


def reed_solomon(k, m, backend):
    return code(f"RS {k}+{m}", backend, technique="reed_sol_van", k=k, m=m)


def clay(k, m, backend):
    return code(f"CLAY {k}+{m}", "clay", k=k, m=m, backend=own(backend))


def shec(k, m, l, backend):
    """Ceph's own profile where c = m*l/k is a whole number."""
    if m * l % k == 0:
        return code(f"SHEC {k},{m},{l}", "shec", technique="single", k=k, m=m, c=m * l // k, backend=own(backend))
    return code(f"SHEC {k},{m},{l}", "shec", technique="single", k=k, m=m, l=l, backend=own(backend))


def shec_with_c(k, m, c, backend):
    """Ceph's own profile."""
    return code(f"SHEC {k},{m},c={c}", "shec", technique="single", k=k, m=m, c=c, backend=own(backend))


def lrc(k, m, l, backend):
    return code(f"LRC {k}/{m}/{l}", "lrc", k=k, m=m, l=l, backend=own(backend))


def lrc_844_by_layers(backend):
    """What the article had in mind: 8 data chunks, 4 coding chunks, and a local one for every four of these twelve."""
    layers = [["DDDD_DDDD_cccc_", ""], ["DDDDc__________", ""], ["_____DDDDc_____", ""], ["__________DDDDc", ""]]
    return code("LRC 8/4/4 by layers", "lrc", mapping="DDDD_DDDD______", layers=json.dumps(layers), backend=own(backend))
