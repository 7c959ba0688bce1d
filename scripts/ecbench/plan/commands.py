"""Ceph's commands that create a pool with a profile, and the CRUSH rule of this pool."""

import shlex

from ecbench.ceph import crush
from ecbench.ceph.profile import set_command
from ecbench.plan.outcomes import Outcome
from ecbench.plan.placement import placement_groups
from ecbench.plan.request import HOST, Cluster, Request

WIDTH = 76  # of a line of a command
FREE_RULE = 50  # an example of an id that no rule has


def folded(command: str) -> str:
    """The command in lines of at most WIDTH characters, if possible. A break between quotes is a space for crushtool."""
    if command.startswith("#"):
        return command
    lines, words = [""], command.split(" ")
    for number, word in enumerate(words, 1):
        if lines[-1] and len(lines[-1]) + len(word) + (3 if number < len(words) else 1) > WIDTH:
            lines[-1] += "" if "\n".join(lines).count("'") % 2 else " \\"
            lines.append("    ")
        lines[-1] += word if not lines[-1].strip() else f" {word}"
    return "\n".join(lines)


def rule_of(chosen: Outcome, request: Request, tries: int = crush.TRIES) -> crush.Rule:
    """The type and the steps of the CRUSH rule."""
    layout = chosen.layout
    return crush.steps(request.cluster.failure_domain, layout.used, layout.per_domain,
                       is_replicated=chosen.counted.is_replicated, tries=tries, device_class=request.cluster.device_class)


def commands(chosen: Outcome, request: Request) -> list[str]:
    """The commands for the chosen profile."""
    profile, layout, cluster = chosen.counted.profile, chosen.layout, request.cluster
    name = f"ec-{profile.name.replace(' ', '-').replace('/', '-').replace('+', '-')}"
    groups = str(placement_groups(profile.n, cluster))
    if chosen.counted.is_replicated:
        copies_rule = [] if cluster.failure_domain == HOST and not cluster.device_class else ["copies-rule"]
        return [*(f"ceph osd crush rule create-replicated {each} default {cluster.failure_domain} {cluster.device_class}".rstrip()
                  for each in copies_rule),
                shlex.join(["ceph", "osd", "pool", "create", "copies-pool", groups, groups, "replicated", *copies_rule,
                            f"--size={profile.n}", "--bulk"])]
    unit = chosen.counted.stripe_units[0]
    lines = [set_command(name, profile.plugin, dict(profile.parameters), unit, cluster.failure_domain,
                         cluster.device_class)]
    own_rule = []
    if layout.per_domain > 1:
        own_rule = [name]
        rule = " ".join(crush.rule_text(own_rule[0], FREE_RULE, rule_of(chosen, request)).split())
        lines += [f"# {FREE_RULE}: an id that no rule has. Keep old.bin and the printed VERSION.",
                  f"ceph osd getcrushmap -o old.bin && crushtool -d old.bin -o map.txt && echo {shlex.quote(rule)} >> map.txt && "
                  f"crushtool -c map.txt -o new.bin && crushtool -i new.bin --test --rule {FREE_RULE} --num-rep {profile.n} "
                  "--show-bad-mappings",
                  "ceph osd setcrushmap VERSION -i new.bin  # if the test printed nothing"]
    lines.append(shlex.join(["ceph", "osd", "pool", "create", name, groups, groups, "erasure", name, *own_rule, "--bulk"]))
    fast_ec = chosen.counted.fast_ec
    release = "tentacle 20.2.1" if request.release.name == "tentacle" else request.release.name
    if keeps_hosts_in(chosen, cluster):
        lines += ["# For all pools: a failed host is rebuilt only if you mark it out",
                  "ceph config set mon mon_osd_down_out_subtree_limit host"]
    # Comments, so that these commands are not pasted with the rest.
    lines += [f"# Cannot be undone{f'; the first only if all OSDs run {release} or later' * fast_ec}:",
              *[f"# ceph osd pool set {name} allow_ec_optimizations true"] * fast_ec,
              f"# ceph osd pool set {name} allow_ec_overwrites true  # RBD, CephFS"]
    return lines


def keeps_hosts_in(chosen: Outcome, cluster: Cluster) -> bool:
    """Whether a host that is down should not be marked out by itself, because other chunks would move. With one drive per host,
    this would also stop the rebuild of the drive."""
    layout = chosen.layout
    if cluster.failure_domain != HOST or layout.per_domain > 1 or chosen.counted.is_replicated:
        return False
    return layout.spare <= 0 or layout.spare == 1 < cluster.drives
