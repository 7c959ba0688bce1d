"""A complete plan: the request, all outcomes, the recommendation, and the assumptions that matter most for it."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from ecbench.ceph.placement import Cluster
from ecbench.documents.document import Key
from ecbench.experiment.expansion import Reason
from ecbench.plan.outcomes import Outcome, Speeds, front, outcome
from ecbench.plan.profiles import Counted
from ecbench.plan.rebuild import Rebuild
from ecbench.plan.recommendation import Recommendation, commands, recommend
from ecbench.plan.request import Request, amount_text, duration_text, nines_text, terabytes
from ecbench.point.point import figure_text, size_word
from ecbench.runfile.summary import MARK
from ecbench.terminal.console import aligned

SHOWN = 3  # without --verbose
EFFECT = 0.1  # nines
SMALLER_OBJECT, SLOWER_NET = 16, 2.5
FEW = 5  # profiles in the table without --verbose, if the recommendation names no others


def with_cluster(request: Request, **values: Any) -> Request:
    return dataclasses.replace(request, cluster=dataclasses.replace(request.cluster, **values))


# How an assumption is changed, and how its argument is written. The first one, AFR, is always shown: it is the least certain.
CHANGES: tuple[tuple[Callable[[Request], Request], Callable[[Request], str]], ...] = (
    (lambda one: with_cluster(one, afr=min(1.0, 2 * one.cluster.afr)), lambda one: f"afr={100 * one.cluster.afr:g}%"),
    (lambda one: with_cluster(one, uer=10 * one.cluster.uer), lambda one: f"uer={one.cluster.uer:.3g}"),
    (lambda one: with_cluster(one, recovery_share=one.cluster.recovery_share / 3),
     lambda one: f"recovery-share={100 * one.cluster.recovery_share:g}%"),
    (lambda one: with_cluster(one, net=one.cluster.net / SLOWER_NET),
     lambda one: f"net={amount_text(one.cluster.net * 8).replace(' ', '')}"),
    (lambda one: dataclasses.replace(one, objects=(max(1, one.objects[0] // SMALLER_OBJECT),)),
     lambda one: f"object={size_word(one.objects[0])}"),
)


@dataclasses.dataclass(frozen=True)
class Change:
    """The result with one changed assumption."""

    words: Annotated[str, Key("The changed argument.")]
    now: Annotated[str, Key("The value that is assumed.")]
    chosen: Annotated[str, Key("The profile that would be recommended.")]
    object_nines: Annotated[float, Key("Of the profile that is recommended now, like pool_nines.")]
    pool_nines: float

    def text(self, now: str) -> str:
        other = f"; then take {self.chosen}" if self.chosen != now else ""
        return (f"{self.words}, not {self.now}: {nines_text(self.object_nines)} per object, {nines_text(self.pool_nines)} for the "
                f"pool{other}")


def changes_of(counted: Sequence[Counted], chosen: str, request: Request) -> list[Change]:
    """The changes that have an effect; after AFR, those that change the recommendation first, then those that change the nines."""
    now = next(outcome(one, request) for one in counted if one.profile.name == chosen)
    if now.object_nines is None:
        return []
    found = []
    for change, words in CHANGES:
        changed = change(request)
        if words(changed) == words(request):
            continue
        found_now = [outcome(one, changed) for one in counted]
        own = next(one for one in found_now if one.name == chosen)
        found.append(Change(words(changed), words(request).partition("=")[2], recommend(found_now, changed).chosen.name,
                            own.object_nines or 0, own.pool_nines or 0))
    least = now.object_nines + (now.pool_nines or 0) - EFFECT
    return [*found[:1], *sorted((one for one in found[1:] if one.chosen != chosen or one.object_nines + one.pool_nines < least),
                              key=lambda one: (one.chosen == chosen, one.pool_nines + one.object_nines))]


@dataclasses.dataclass(frozen=True)
class Result:
    request: Request
    outcomes: list[Outcome]  # sorted by stored bytes, the smallest first
    front: set[str]  # names of the profiles on the Pareto front
    recommendation: Recommendation
    notes: list[str]  # what happens if drives and hosts fail
    details: list[str]  # more notes
    sensitivity: list[Change]
    commands: list[str]
    dropped: list[Reason]  # why profiles do not fit
    speed_notes: list[str]  # where the speeds come from

    def few(self, fewer: int = 0) -> list[Outcome]:
        """The profiles that are most interesting next to the recommended one; `fewer` less than usual."""
        return shown(self.outcomes, self.front, self.recommendation, fewer)


def padded_units(chosen: Outcome, request: Request) -> list[str]:
    """The stripe units that the code would pad."""
    return [f"Stripe unit {size_word(used)}, not {size_word(asked)}, which {chosen.name} cannot use."
            for asked, used in zip(request.stripe_units, chosen.counted.stripe_units) if used != asked]


def shown(found: Sequence[Outcome], front: set[str], recommendation: Recommendation, fewer: int = 0) -> list[Outcome]:
    """The recommended profile, three copies, and those that the recommendation names; up to FEW also those on the front that Ceph
    keeps, nearest in space first."""
    chosen = recommendation.chosen

    def distance(one: Outcome) -> tuple[bool, bool, bool, bool, bool, bool, float]:
        is_first = one.name == chosen.name or one.counted.is_replicated
        is_like = one.layout.per_domain == chosen.layout.per_domain
        serves_less = not one.domains_served and chosen.domains_served > 0
        return (not is_first, one.name not in recommendation.others, serves_less, not is_like, one.name not in front,
                bool(one.status), abs(one.space - chosen.space))

    count = max(1, max(FEW, 2 + len(recommendation.others)) - fewer)
    names = {one.name for one in sorted(found, key=distance)[:count]}
    return [one for one in found if one.name in names]


def interesting(counted: Sequence[Counted], request: Request) -> list[Counted]:
    """The profiles whose speeds are measured."""
    found = [outcome(each, request) for each in counted]
    few = shown(found, {one.name for one in front(found)}, recommend(found, request))
    return [one.counted for one in few if not one.counted.is_replicated]


def result_of(request: Request, counted: Sequence[Counted], dropped: list[Reason], speeds: dict[str, Speeds],
              speed_notes: list[str], notes: Callable[[Outcome], list[str]] = lambda chosen: [],
              details: Callable[[Outcome], list[str]] = lambda chosen: []) -> Result:
    """`speeds`: the speeds of each profile. The key is the name of the profile. `notes` and `details` make those of the result."""
    found = [outcome(one, request, speeds.get(one.profile.name, Speeds())) for one in counted]
    found.sort(key=lambda one: (round(one.space, 9), -(one.object_nines or 0), one.counted.repair.network, one.name))
    recommendation = recommend(found, request)
    chosen = recommendation.chosen
    # The Pareto front is computed without speeds, because these are not known for all profiles.
    on_front = {one.name for one in front([outcome(one, request) for one in counted])}
    return Result(request, found, on_front, recommendation, [*padded_units(chosen, request), *notes(chosen)], details(chosen),
                  changes_of(counted, chosen.name, request), commands(chosen, request), dropped, speed_notes)


# The tables of a plan. Each line shows one profile.

WIDTH = 80
NONE = "-"
TAKEN, DEPRECATED = "*", "-"

Column = tuple[str, Callable[[Outcome], str]]


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    lines: list[list[str]]  # rows of cells; the first row has the titles; the first two columns are the mark and the profile
    explanation: str


def tables(result: Result) -> list[Table]:
    """All tables, with all profiles."""
    found = [durability(result), rebuilds(result), coding(result)]
    return [*found, stored(result)] if len(list(result.request.sizes())) > 1 else found


def short_table(result: Result, fewer: int = 0, *, has_free: bool = True) -> Table:
    """The most interesting columns of the most interesting profiles, for a terminal of WIDTH columns."""
    cluster, few = result.request.cluster, result.few(fewer)
    has_speeds, shares_domains = any(one.speeds.encode for one in few), any(one.layout.per_domain > 1 for one in few)
    domain = cluster.failure_domain
    columns: list[Column] = [("stored", lambda one: f"{one.space:.3f}"), ("TB", lambda one: terabytes(one.usable)),
                             ("lose", lambda one: lost(one) if shares_domains else str(one.domains_survived)),
                             *([("free", lambda one: str(one.layout.spare))] if has_free else []),
                             ("nines", lambda one: number(one.object_nines)), ("pool", lambda one: number(one.pool_nines)),
                             ("drive", lambda one: time_of(one.drive)), ("host", lambda one: time_of(one.host)),
                             *([] if has_speeds or shares_domains else [("read", lambda one: f"{one.counted.repair.drive:.2f}")]),
                             *([("cores", lambda one: line_rate(one, cluster))] if has_speeds else [])]
    legend = [*([f"{DEPRECATED}: deprecated"] if any(one.status for one in few) else []), "TB: usable",
              f"lose: {domain}s+drives" if shares_domains else f"lose{', free' * has_free}: {domain}s", "nines: per object",
              "drive, host: rebuild time", *(["cores of a host at line rate: encode+rebuild"] if has_speeds else [])]
    found = table(dataclasses.replace(result, outcomes=few), "", columns, "; ".join(legend))
    for one, line in zip(few, found.lines[1:], strict=True):
        line[0] = line[0] or (DEPRECATED if one.status else "")
    is_wide = max(map(len, aligned(found.lines, left=2))) > WIDTH
    return short_table(result, fewer, has_free=False) if is_wide and has_free else found


def table(result: Result, title: str, columns: Sequence[Column], explanation: str) -> Table:
    lines = [["", "profile", *(name for name, _ in columns)]]
    lines += [[TAKEN if one.name == result.recommendation.chosen.name else "", one.name, *(text(one) for _, text in columns)]
              for one in result.outcomes]
    return Table(title, lines, explanation)


def durability(result: Result) -> Table:
    return table(result, "Space and durability", [
        ("stored/byte", lambda one: f"{one.space:.3f}"),
        ("lost chunks", lambda one: str(one.counted.survived)),
        ("larger losses", larger_losses),
        (f"lost {result.request.cluster.failure_domain}s+drives", lost),
        ("served", lambda one: str(one.domains_served)),
        ("free", lambda one: str(one.layout.spare)),
        ("TB", lambda one: terabytes(one.usable)),
        ("nines/object", lambda one: number(one.object_nines)),
        ("nines/pool", lambda one: number(one.pool_nines)),
        ("lost by", dominant),
        ("note", lambda one: note_of(one, result))],
        "*: recommended. lost chunks: every such loss can be recovered; lrc: by Ceph's decoder (ecbench restore recovers more). "
        "larger losses: the share of larger losses that can be recovered. +drives: that can fail in addition. "
        "served: failure domains that can fail while clients read and write. free: failure domains without a chunk of the object. "
        "TB: bytes of objects that the pool can store if a lost drive, and a lost host if one is free, must fit on the others. "
        "nines: -log10 of the probability that an object, or any object of the pool, is lost in a year. lost by: the more frequent "
        "cause of a loss in the pool.")


def rebuilds(result: Result) -> Table:
    return table(result, "Rebuild", [
        ("drive", lambda one: time_of(one.drive)),
        ("limited by", lambda one: one.drive.limit if one.drive else NONE),
        ("host", lambda one: time_of(one.host)),
        ("limited by", lambda one: one.host.limit if one.host else NONE),
        ("read/byte", lambda one: f"{one.counted.repair.drive:.3f}"),
        ("busy/byte", lambda one: f"{one.counted.repair.busy:.3f}"),
        ("sent/byte", lambda one: f"{one.counted.repair.network:.3f}"),
        ("reads/helper", lambda one: f"{one.counted.repair.reads_per_helper:.1f}"),
        ("cores", lambda one: figure_text(one.rebuild_cores))],
        "drive, host: time to rebuild a full drive or host; -: nothing can take its chunks. limited by: the slowest resource, or "
        "the throttle that is the limit. read/byte: bytes that BlueStore reads per lost byte. busy/byte: time of these reads on "
        "drives, as bytes that are read contiguously in the same time. sent/byte: bytes sent over the network per lost byte. "
        "reads/helper: contiguous reads per chunk and stripe. cores: CPU cores of the whole cluster that coding needs while a "
        "drive is rebuilt.")


def coding(result: Result) -> Table:
    cluster = result.request.cluster
    return table(result, "Coding", [
        ("encode GB/s", lambda one: speed(one, one.speeds.encode)),
        ("write cores", lambda one: figure_text(one.write_cores(cluster))),
        ("line rate", lambda one: line_rate(one, cluster)),
        ("repair GB/s", lambda one: speed(one, one.speeds.repair)),
        ("degraded read GB/s", lambda one: speed(one, one.speeds.degraded_read)),
        ("chunks read", lambda one: f"{one.counted.repair.helpers:.3g}"),
        ("overwrite reads+writes", lambda one: f"{one.overwrite.reads}+{one.overwrite.writes}")],
        "GB/s: 10^9 bytes of the object per second, on one core. write cores: CPU cores of the whole cluster that encode the data "
        "that clients write. line rate: cores of a host that encode, and that rebuild, as fast as its network transfers. chunks "
        "read: the number of chunks that are read to compute one lost chunk (mean over all chunks). "
        "overwrite reads+writes: the numbers of chunks that are read and written to change one chunk of a stripe." +
        (" -: the speed is not known." if any(not one.speeds.encode for one in result.outcomes) else ""))


def stored(result: Result) -> Table:
    sizes = list(result.request.sizes())
    columns: list[Column] = [(f"{size_word(size)}, {size_word(unit)}", lambda one, index=index: f"{one.counted.stored[index]:.3f}")  # type: ignore[misc]
                             for index, (size, unit) in enumerate(sizes)]
    return table(result, "Stored bytes per byte of the object, by object size and stripe unit", columns,
                 "The other tables are for the object size and the stripe unit of the first column.")


def note_of(one: Outcome, result: Result) -> str:
    unit, layout = one.counted.stripe_units[0], one.layout
    notes = [*([one.status] if one.status else []),
             *([f"{layout.per_domain} chunks per {result.request.cluster.failure_domain}"] if layout.per_domain > 1 else []),
             *([f"stripe unit {unit}"] if unit != result.request.stripe_units[0] else [])]
    return ", ".join(notes) or NONE


def larger_losses(one: Outcome) -> str:
    parts = [f"{count.chunks}: {'' if count.is_exact else '~'}{share_text(count.share)}" for count in one.counted.losses
             if count.chunks > one.counted.survived and count.share > 0]
    return ", ".join(parts) or NONE


def share_text(share: float) -> str:
    """The share of losses as text. If some losses cannot be recovered, the text is never 100 %."""
    return ">99.9 %" if 0.9995 <= share < 1 else f"{100 * share:.1f} %"


def lost(one: Outcome) -> str:
    return f"{one.domains_survived}+{one.drives_survived}"


def number(value: float | None) -> str:
    return NONE if value is None else nines_text(value)


def time_of(rebuild: Rebuild | None) -> str:
    return duration_text(rebuild.seconds) if rebuild else NONE


def dominant(one: Outcome) -> str:
    if not one.pool_losses:
        return NONE
    return "sectors" if one.pool_losses.sectors > one.pool_losses.drives else "drives"


def line_rate(one: Outcome, cluster: Cluster) -> str:
    """Cores of one host that encode, and cores that rebuild, at the rate of its network."""
    if not one.speeds.encode or not one.speeds.repair:
        return NONE
    rebuilt = cluster.net / one.counted.repair.network / (one.speeds.repair / one.counted.profile.k)
    return f"{figure_text(cluster.net / one.speeds.encode)}+{figure_text(rebuilt)}"


def speed(one: Outcome, value: float | None) -> str:
    return NONE if value is None else f"{figure_text(value / 1e9)}{MARK if one.speeds.marked else ''}"
