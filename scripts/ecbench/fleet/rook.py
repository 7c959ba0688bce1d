"""Prints the profile for all classes as a CephBlockPool for Rook, which sets k, m, the plugin (algorithm) and the failure domain.
Rook takes the technique from the cluster's profile `default` (pkg/daemon/ceph/client/erasure-code-profile.go). Comments name the
values that Rook cannot set."""

import json
from collections.abc import Iterator

from ecbench.fleet.cases import Candidate
from ecbench.fleet.results import CaseResult, for_all
from ecbench.point.wording import size_text
from ecbench.terminal.console import plain

PLUGINS = ("jerasure", "isa", "shec", "clay")  # lrc is not in this list, because it needs the parameter l, which Rook cannot set
USUAL = {"technique": "reed_sol_van", "w": "8"}


def pool(case: CaseResult) -> str:
    """One YAML document."""
    found = for_all(case.classes, lambda candidate: candidate.plugin in PLUGINS)
    fastest = case.for_all
    lines = [f"# {case.case.title}"]
    if found is None:
        return "\n".join([*lines, "# No profile that Rook can use was measured in all classes.", ""])
    costs = ", ".join(f"{name} {(1 - one.median) * 100:.1f} %" for name, one in found.costs.items())
    lines.append(f"# {found.candidate}; slower than the fastest profile of each class by: {costs}")
    if fastest and fastest.candidate != found.candidate:
        lines.append(f"# The best profile for all classes is {fastest.candidate}, but Rook cannot use its plugin.")
    lines += [f"# {line}" for line in not_set(found.candidate, dict(case.case.options).get("stripe_unit"))]
    name = f"ec-{case.case.k}-{case.case.m}-{found.candidate.plugin}"
    return "\n".join([*map(plain, lines), f"""apiVersion: ceph.rook.io/v1
kind: CephBlockPool
metadata:
  name: {json.dumps(name)}
  namespace: rook-ceph
spec:
  failureDomain: host
  erasureCoded:
    dataChunks: {case.case.k}
    codingChunks: {case.case.m}
    algorithm: {json.dumps(found.candidate.plugin)}
"""])


def not_set(candidate: Candidate, stripe_unit: str | None) -> Iterator[str]:
    """Comments that name the values that Rook cannot set."""
    profile = dict(candidate.profile)
    technique = profile.get("technique", "")
    if technique:
        yield (f"Rook cannot set technique={technique}. Rook takes the technique from the cluster's profile `default`. Check this"
               " profile with `ceph osd erasure-code-profile get default`.")
    others = [f"{key}={value}" for key, value in profile.items()
              if key != "technique" and value not in ("", "false") and USUAL.get(key) != value]
    if others:
        yield (f"Rook cannot set {', '.join(others)}. To use these values, create the profile and the pool yourself in Rook's"
               " toolbox: `ceph osd erasure-code-profile set`, then `ceph osd pool create`.")
    if stripe_unit:
        yield (f"The figures are for stripe_unit={stripe_unit} ({size_text(int(stripe_unit))}). Releases of Rook since May 2026 can"
               " set it (rook/rook pull request 17447); with others, create the profile and the pool yourself.")
