"""Ceph's commands that create a pool with a profile, and the CRUSH rule of this pool."""

import shlex

from ecbench.ceph import crush
from ecbench.ceph.profile import set_command
from ecbench.plan.outcomes import Outcome
from ecbench.plan.placement import Layout, placement_groups
from ecbench.plan.request import HOST, Cluster, Request

WIDTH = 76  # of a line of a command
FREE_RULE = 50  # an example of an id that no rule has


def folded(command: str) -> str:
    """The command in lines of at most WIDTH characters, if possible. A break between quotes is a space for crushtool."""
    lines = [""]
    for word in command.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) + 3 > WIDTH:
            lines[-1] += "" if "\n".join(lines).count("'") % 2 else " \\"
            lines.append("    ")
        lines[-1] += word if not lines[-1].strip() else f" {word}"
    return "\n".join(lines)


def rule_of(chosen: Outcome, request: Request) -> tuple[str, list[str]]:
    """The type and the steps of the CRUSH rule."""
    layout = chosen.layout
    return crush.steps(request.cluster.failure_domain, layout.used, layout.per_domain,
                       is_replicated=chosen.counted.is_replicated, has_msr=request.release.has_msr)


def commands(chosen: Outcome, request: Request) -> list[str]:
    """The commands for the chosen profile."""
    profile, layout, cluster = chosen.counted.profile, chosen.layout, request.cluster
    name = f"ec-{profile.name.replace(' ', '-').replace('/', '-').replace('+', '-')}"
    pool = f"{name}-pool"
    groups = str(placement_groups(profile.n, cluster))
    if chosen.counted.is_replicated:
        copies_rule = [] if cluster.failure_domain == HOST else ["copies-rule"]
        return [*(f"ceph osd crush rule create-replicated {each} default {cluster.failure_domain}" for each in copies_rule),
                shlex.join(["ceph", "osd", "pool", "create", "copies-pool", groups, groups, "replicated", *copies_rule,
                            f"--size={profile.n}", "--bulk"])]
    unit, is_msr = chosen.counted.stripe_units[0], layout.per_domain > 1 and request.release.has_msr
    spread = [f"crush-num-failure-domains={layout.used}", f"crush-osds-per-failure-domain={layout.per_domain}"] if is_msr else []
    lines = ["ceph osd set-require-min-compat-client squid  # MSR: kernel clients fail"] if is_msr else []
    lines.append(set_command(name, profile.plugin, dict(profile.parameters), unit, cluster.failure_domain, spread))
    own_rule = []
    if layout.per_domain > 1 and not is_msr:
        own_rule = [f"{name}-rule"]
        rule = " ".join(crush.rule_text(own_rule[0], FREE_RULE, rule_of(chosen, request)).split())
        lines += ["ceph osd getcrushmap -o map && crushtool -d map -o map.txt",
                  f"# {FREE_RULE}: an id that no rule has",
                  f"echo {shlex.quote(rule)} >> map.txt",
                  "crushtool -c map.txt -o map && ceph osd setcrushmap -i map"]
    lines.append(shlex.join(["ceph", "osd", "pool", "create", pool, groups, groups, "erasure", name, *own_rule, "--bulk"]))
    if chosen.counted.fast_ec:
        lines.append("# Cannot be undone. Only if all OSDs run tentacle, but not 20.2.0:")
        lines.append(shlex.join(["ceph", "osd", "pool", "set", pool, "allow_ec_optimizations", "true"]))
    lines.append(f"ceph osd pool set {pool} allow_ec_overwrites true  # RBD, CephFS")
    if keeps_hosts_in(layout, cluster):
        lines.append("ceph config set mon mon_osd_down_out_subtree_limit host")
    return lines


def keeps_hosts_in(layout: Layout, cluster: Cluster) -> bool:
    """Whether a host that is down should not be marked out by itself. With one drive per host, this would also stop the rebuild of
    the drive."""
    if cluster.failure_domain != HOST:
        return False
    return layout.spare <= 0 or layout.spare == layout.per_domain == 1 < cluster.drives
