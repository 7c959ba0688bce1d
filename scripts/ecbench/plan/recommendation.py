"""Recommends a profile: the reason, what happens if drives and hosts fail, the conditions under which another profile would be
recommended, and Ceph's commands that create a pool with it."""

import dataclasses
import math
import shlex
from collections.abc import Callable, Sequence
from typing import Annotated

from ecbench.ceph.placement import HOST, Crushtool, rule_text, tested
from ecbench.ceph.profile import set_command
from ecbench.ceph.releases import SECONDS_UNTIL_OUT
from ecbench.documents.document import HIDDEN, Key
from ecbench.plan.outcomes import BACKFILLS, CPU, DRIVE, MARGIN, NETWORK, OPERATIONS, SAME, SHARE, Outcome
from ecbench.plan.profiles import COPIES
from ecbench.plan.request import Request, amount_text, duration_text, nines_text, terabytes, with_article
from ecbench.terminal.console import number_of

MOST_IN_RACK = 20  # hosts of two rack units
ARGUMENTS = {DRIVE: "drive-rate=", NETWORK: "net=", CPU: "cores=", OPERATIONS: "object="}


def failure_notes(chosen: Outcome, request: Request, crushtool: Crushtool | None) -> list[str]:
    cluster = request.cluster
    fills_racks = cluster.failure_domain == HOST and cluster.hosts > MOST_IN_RACK
    of_racks = (f"A failed rack stops I/O and can destroy data: {cluster.hosts} hosts fill several. Before you create the pool, "
                "repeat with failure-domain=rack racks=N.")
    return [survival(chosen, request), *drive(chosen, request), *host(chosen, request), *([of_racks] if fills_racks else []),
            *([tested(chosen.layout, crushtool)] if crushtool else [])]


def survival(one: Outcome, request: Request) -> str:
    domain, layout = request.cluster.failure_domain, one.layout
    apart, more = (", each on another host", "host") if layout.is_spread else ("", "drive")
    where = f"{layout.per_domain} chunks on each of {layout.used} {domain}s{apart}. " if layout.per_domain > 1 else ""
    data = number_of(one.domains_survived, domain)
    data += f" plus {number_of(one.drives_survived, more)}" if one.drives_survived else ""
    io = (f"goes on with {number_of(one.domains_served, domain)} down" if one.domains_served
          else f"stops while {with_article(domain)} is down")
    if one.domains_served and one.drives_survived and one.n - one.domains_served * layout.per_domain <= one.k + 1:
        io += f", but stops where a {more} is lost too"
    least = f" (min_size is {one.k + 1}; do not lower it)" if one.m > 1 else ""
    fatal = one.survived // layout.per_host + 1
    danger = (f" {number_of(fatal, 'failed host')} can destroy data: a host can store {layout.per_host} chunks of an object."
              if domain != HOST and layout.per_host > 1 else "")
    return f"{where}The data survives the loss of any {data}; I/O {io}{least}.{danger}"


def drive(one: Outcome, request: Request) -> list[str]:
    """The rebuild of a drive, with the rates that the network and Ceph's throttles allow a drive that writes."""
    cluster, found = request.cluster, one.drive
    targets = one.layout.drive_targets
    if not found or not targets:
        return ["A failed drive is not rebuilt until it is replaced: no other drive can take its chunks."]
    domain = HOST if one.layout.is_spread and targets.own < cluster.drives else cluster.failure_domain
    where = "all drives" if targets.stay < 1 else f"the other {number_of(targets.drives, 'drive')} of its {domain}"
    chunk = cluster.chunk_of(request.objects[0], one.k)
    rates = {SHARE: (f"recovery-share={100 * cluster.recovery_share:g}%", found.rate_of_drive(SHARE)),
             BACKFILLS: (f"osd_max_backfills={cluster.max_backfills}", cluster.most_backfilled(chunk)),
             NETWORK: (f"net={amount_text(8 * cluster.net).replace(' ', '')}", found.rate_of_drive(NETWORK))}
    limit = rates.pop(found.limit)[0] if found.limit in rates else f"the {found.limit} ({ARGUMENTS[found.limit]})"
    others = ", ".join(f"{name}: {amount_text(rate)}B/s" for name, rate in rates.values())
    return [f"A failed drive is rebuilt in {duration_text(found.seconds)} on {where}: "
            f"{amount_text(found.rate_of_drive(found.limit))}B/s each, limited by {limit} ({others}). Fill drives to at "
            f"most {math.floor(100 * one.full + 1e-9)} % on average."]


def host(one: Outcome, request: Request) -> list[str]:
    """What happens if a host fails, and what the operator has to do."""
    cluster, layout = request.cluster, one.layout
    keeps_in = ("mon_osd_down_out_subtree_limit=host keeps Ceph from doing it by itself"
                if layout.keeps_hosts_in else "")
    if not one.host:
        if cluster.failure_domain != HOST and not keeps_in:
            return ["A failed host is not rebuilt until it is replaced: too few other drives can take its chunks."]
        moves = f" Marking it out only moves other chunks and leaves some unplaced; {keeps_in}." if keeps_in else ""
        where = f" of its {cluster.failure_domain}" * layout.is_spread
        return [f"No host{where} is free: a failed host is rebuilt only when it is replaced.{moves}"]
    text = f"A failed host is rebuilt in {duration_text(one.host.seconds)}"
    if layout.per_domain > 1 and cluster.failure_domain == HOST:
        return [f"{text} if you run ceph osd crush reweight-subtree HOST 0; marking it out moves nothing."]
    if keeps_in:
        return [f"{text} if you mark it out (ceph osd out $(ceph osd ls-tree HOST)). This also moves {layout.moved_chunks:.1f} "
                f"other chunks per lost chunk and may leave some unplaced; {keeps_in}."]
    targets = layout.host_targets
    return [f"{text}, from {SECONDS_UNTIL_OUT // 60} min after it fails, "
            f"on the other hosts{f' of its {cluster.failure_domain}' if targets and targets.stay == 1 else ''}."]


SERVING = 2  # of the rules: the most important ones
MORE_NINES = 2  # "more" nines per pool
WIDTH = 76  # of a line of a command
FREE_RULE = 50  # an example of an id that no rule has


@dataclasses.dataclass(frozen=True)
class Rule:
    text: str  # continues "the profiles that"
    holds: Callable[[Outcome], bool]
    why: Callable[[Outcome], str]  # why a profile does not fulfil the rule
    is_quiet: bool = False  # named only if it is missed, or if no profile is durable enough
    is_limit: bool = False  # whether it is a limit of the user


@dataclasses.dataclass(frozen=True)
class Recommendation:
    profile: Annotated[str, Key("The name of the recommended profile, as in profiles.")]
    sentence: Annotated[str, Key("The recommendation and its reason.")]
    notes: Annotated[list[str], Key("What happens if drives and hosts fail, and the test of the CRUSH rule.")]
    changes: Annotated[list[str], Key("Why other profiles are not recommended, or when they would be.")]
    details: Annotated[list[str], Key("The reads of clay.")]
    commands: Annotated[list[str], Key("Ceph's commands that create a pool with the recommended profile.")]
    chosen: Annotated[Outcome, HIDDEN]
    others: Annotated[list[str], HIDDEN]  # the names of the profiles in `changes`


def rules_of(request: Request) -> list[Rule]:
    """In the order of importance. The last rule is about durability."""
    space, domain = request.most_space, request.cluster.failure_domain
    return [Rule("Ceph keeps", lambda one: not one.status, lambda one: one.status),
            Rule(f"serve clients with {with_article(domain)} down", lambda one: one.domains_served > 0,
                 lambda one: f"I/O stops while {with_article(domain)} is down", is_quiet=True),
            Rule(f"leave a free {domain}", lambda one: one.layout.spare > 0, lambda one: f"no free {domain}"),
            Rule(f"have one chunk per {domain}", lambda one: one.layout.per_domain == 1,
                 lambda one: f"{one.layout.per_domain} chunks per {domain}", is_quiet=True),
            *([Rule(f"store at most {space:g} bytes per byte", lambda one: one.space <= (space or 0), lambda one: "too large",
                    is_limit="space" in request.limits)]
              if space else []),
            Rule(f"have {request.least_nines:g} nines per object, also with {MARGIN:g} times the AFR and rebuild time",
                 lambda one: (one.margin_nines or 0) >= request.least_nines,
                 lambda one: f"{nines_text(one.margin_nines or 0)} nines with that margin", is_limit="nines" in request.limits)]


def recommend(found: Sequence[Outcome], request: Request) -> Recommendation:
    """Applies the rules one after another. Each rule removes the profiles that do not fulfil it. A rule that would remove all
    remaining profiles is ignored. Of the remaining profiles, recommends the one that stores the fewest bytes; if no profile is
    durable enough, the most durable one. Three copies are recommended only if no code stores less. Codes that do not store less
    are recommended only if the others do not serve clients while a failure domain is down, or if there are no copies. The
    fields notes, details and commands are empty."""
    rules = rules_of(request)
    codes, copied = ([one for one in found if one.is_replicated == is_copy] for is_copy in (False, True))
    left, missed = kept_by(rules[:SERVING], codes)
    small = [one for one in left if one.space < COPIES]
    left, others = kept_by(rules[SERVING:], small or (left if any(one.space < COPIES for one in codes) else copied or left))
    missed += others
    is_durable = rules[-1] not in missed
    chosen = min(left, key=cost if is_durable else lambda one: (-(one.margin_nines or 0), *cost(one)))
    kept = [f"that {rule.text}" for rule in rules if rule not in missed and not (rule.is_quiet and is_durable)]
    failed = [f"that {rule.text}" for rule in missed if not rule.is_limit]
    sentence, none = f"Take {named(chosen)}.", "There are none"
    if chosen.is_replicated:
        sentence, none = f"{sentence} No code stores less.", "It is not one of those"
    elif kept:
        is_most_durable = not is_durable and chosen.margin_nines is not None
        sentence += f" It {'is the most durable' if is_most_durable else 'stores the fewest bytes'} of the profiles {joined(kept)}."
    if failed:
        sentence += f" {none} {joined(failed)}."
    sentence = " ".join([*(unmet(rule, rules, codes) for rule in missed if rule.is_limit), sentence])
    kept_rules = [rule for rule in rules if rule not in missed]
    compared = [one for one in codes if one.space <= max(COPIES, chosen.space) + SAME]
    named_others, lines = changes(chosen, compared, kept_rules, rules[-1], request.cluster.failure_domain)
    return Recommendation(chosen.name, sentence, [], lines, [], [], chosen, named_others)


def kept_by(rules: Sequence[Rule], found: list[Outcome]) -> tuple[list[Outcome], list[Rule]]:
    """The profiles that fulfil the rules, and the rules that would remove all of those that are left."""
    missed = []
    for rule in rules:
        if rest := [one for one in found if rule.holds(one)]:
            found = rest
        else:
            missed.append(rule)
    return found, missed


def unmet(limit: Rule, rules: Sequence[Rule], codes: Sequence[Outcome]) -> str:
    """That no profile within the user's limit can be recommended, and why."""
    within = [one for one in codes if limit.holds(one)]
    if not within:
        return f"No profile can {limit.text}."
    one = min(within, key=cost)
    why = next((rule.why(one) for rule in rules if not rule.holds(one)), f"{one.space:.3g} bytes per byte")
    return f"The profiles that {limit.text} break another rule, such as {one.name} ({why})."


def joined(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def cost(one: Outcome) -> tuple[float, float, float, str]:
    """Sort key: space, then network traffic, then durability, then the name."""
    return round(one.space, 9), round(one.network, 9), -(one.object_nines or 0), one.name


def changes(chosen: Outcome, coded: Sequence[Outcome], rules: Sequence[Rule], durable: Rule,
            domain: str) -> tuple[list[str], list[str]]:
    """The names of other profiles, and when they would be recommended. `rules`: those that `chosen` fulfils."""
    cheaper = passed_over(chosen, coded, rules)
    names = [one.name for one, _ in cheaper]
    lines = [f"Cheaper: {', '.join(f'{one.name} ({why})' for one, why in cheaper)}."] if cheaper else []

    more = [one for one in coded if all(rule.holds(one) for rule in rules if rule != durable)
            and (one.pool_nines or 0) >= (chosen.pool_nines or 0) + MORE_NINES]
    if more:
        one = min(more, key=cost)
        names.append(one.name)
        lines.append(f"If you need more nines: {one.name}.")
    if chosen.status:
        lines.append(f"Ceph deprecates {chosen.plugin}, and the release vampire cannot load it.")
    if chosen.m == 1:
        lines.append(f"With m=1, min_size is k: clients can write while {with_article(domain)} is down, but new data is lost with "
                     "one more chunk.")
    return list(dict.fromkeys(names)), lines


def passed_over(chosen: Outcome, coded: Sequence[Outcome], rules: Sequence[Rule]) -> list[tuple[Outcome, str]]:
    """`rules`: those that `chosen` fulfils. For each, the most durable of the cheaper profiles that miss only this rule, and the
    reason."""
    found = []
    for rule in rules:
        missing = [one for one in coded if one.space < chosen.space - SAME and (chosen.status or not one.status)
                   and [each for each in rules if not each.holds(one)] == [rule]]
        if missing:
            one = max(missing, key=lambda one: (one.margin_nines or 0, -one.space))
            found.append((one, rule.why(one)))
    return found


def named(one: Outcome) -> str:
    if one.object_nines is None or one.pool_nines is None or not one.object_losses or not one.pool_losses:
        return f"{one.name} ({one.space:.3g} bytes per byte; durability unknown: no drive is left for a rebuild)"
    of_object, of_pool = ("unreadable sectors" if losses.sectors > losses.drives else "drives"
                          for losses in (one.object_losses, one.pool_losses))
    first, second = (f", limited by {of_object};", f", by {of_pool}") if of_object != of_pool else (",", f", limited by {of_pool}")
    return (f"{one.name} ({one.space:.3g} bytes per byte, {terabytes(one.usable)} TB usable; nines per year: "
            f"{nines_text(one.object_nines)} per object{first} {nines_text(one.pool_nines)} for the pool{second})")


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


def commands(chosen: Outcome, request: Request) -> list[str]:
    """The commands for the chosen profile."""
    layout, cluster = chosen.layout, request.cluster
    name = f"ec-{chosen.name.replace(' ', '-').replace('/', '-').replace('+', '-')}"
    groups = str(layout.placement_groups)
    if chosen.is_replicated:
        copies_rule = [] if cluster.failure_domain == HOST and not cluster.device_class else ["copies-rule"]
        return [*(f"ceph osd crush rule create-replicated {each} default {cluster.failure_domain} {cluster.device_class}".rstrip()
                  for each in copies_rule),
                shlex.join(["ceph", "osd", "pool", "create", "copies-pool", groups, groups, "replicated", *copies_rule,
                            f"--size={chosen.n}", "--bulk"])]
    lines = [set_command(name, chosen.plugin, chosen.parameters, chosen.stripe_units[0], cluster.failure_domain,
                         cluster.device_class)]
    own_rule = []
    if layout.per_domain > 1:
        own_rule = [name]
        rule = " ".join(rule_text(own_rule[0], FREE_RULE, layout.rule()).split())
        lines += [f"# {FREE_RULE}: an id that no rule has. Keep old.bin and the printed VERSION.",
                  f"ceph osd getcrushmap -o old.bin && crushtool -d old.bin -o map.txt && echo {shlex.quote(rule)} >> map.txt && "
                  f"crushtool -c map.txt -o new.bin && crushtool -i new.bin --test --rule {FREE_RULE} --num-rep {chosen.n} "
                  "--show-bad-mappings",
                  "ceph osd setcrushmap VERSION -i new.bin  # if the test printed nothing"]
    lines.append(shlex.join(["ceph", "osd", "pool", "create", name, groups, groups, "erasure", name, *own_rule, "--bulk"]))
    release = "tentacle 20.2.1" if request.release.name == "tentacle" else request.release.name
    if layout.keeps_hosts_in:
        lines += ["# For all pools: a failed host is rebuilt only if you mark it out",
                  "ceph config set mon mon_osd_down_out_subtree_limit host"]
    # Comments, so that these commands are not pasted with the rest.
    lines += [f"# Cannot be undone{f'; the first only if all OSDs run {release} or later' * chosen.fast_ec}:",
              *[f"# ceph osd pool set {name} allow_ec_optimizations true"] * chosen.fast_ec,
              f"# ceph osd pool set {name} allow_ec_overwrites true  # RBD, CephFS"]
    return lines
