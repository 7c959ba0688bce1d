"""Writes a page of `plan`, as if each profile recovered every loss of up to m chunks."""

import math

from ecbench.ceph.placement import Crushtool
from ecbench.experiment.expansion import Reason
from ecbench.page.html import text_of
from ecbench.plan.profiles import Counted, LossCount, Speeds
from ecbench.plan.request import read_request
from ecbench.plan.result import page_of, result_of
from ecbench.process.process import Child

CLUSTER = ["hosts=12", "drives=24x20T"]
WITHOUT_CRUSHTOOL = Crushtool(Child())
WITHOUT_CRUSHTOOL.program = None


def mds_profile(k: int, m: int, network: float | None = None, plugin: str = "isa") -> Counted:
    """Makes the counts that ecbench would print for a code that recovers every loss of m chunks."""
    n = k + m
    losses = [LossCount(lost, math.comb(n, lost), math.comb(n, lost), 0) for lost in range(1, m + 1)]
    sent = k if network is None else network
    return Counted(f"{plugin} {k}+{m}", plugin, "reed_sol_van", {"k": str(k), "m": str(m)}, k, n, sent, sent, sent, k, 1, 1, losses,
                   [n / k], [16384], fast_ec=plugin == "isa")


def write_plan(path):
    shapes = [(k, m) for k in range(4, 11) for m in (2, 3, 4)]
    profiles = [mds_profile(k, m) for k, m in shapes] + [mds_profile(k, m, (k + m - 1) / m + 1, "clay") for k, m in shapes]
    speeds = {one.name: Speeds(10e9, 20e9, 25e9, marked=True) for one in profiles}
    dropped = [Reason("it has 16 chunks </script><b>&", 2, "lrc 8/4/3")]
    result = result_of(read_request(["hosts=14", "drives=24x20T"]), profiles, dropped, speeds, ["speeds: none </script><b>&"])
    path.write_text(text_of(page_of(result)), encoding="utf-8")
    return path
