"""A complete plan, as dataclasses, and its tables and page. plan --format json prints it, and plan --schema its schema."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from ecbench.ceph.placement import Cluster
from ecbench.documents.document import HIDDEN, Key
from ecbench.experiment.expansion import Reason
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page, block_of_lines
from ecbench.page.charts import FILLED
from ecbench.plan.outcomes import Outcome, Rebuild, outcome, with_front
from ecbench.plan.profiles import UNKNOWN, Counted, Speeds
from ecbench.plan.recommendation import Recommendation, commands, recommend
from ecbench.plan.request import Request, amount_text, duration_text, nines_text, terabytes
from ecbench.point.point import figure_text, number_text, size_word
from ecbench.runfile.summary import MARK
from ecbench.terminal.console import aligned

FORMAT = "ecbench plan 1"
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
    object_nines: Annotated[float, Key("Of an object, with the profile that is recommended now.")]
    pool_nines: Annotated[float, Key("Of the pool, with the same profile.")]

    def text(self, now: str) -> str:
        other = f"; then take {self.chosen}" if self.chosen != now else ""
        return (f"{self.words}, not {self.now}: {nines_text(self.object_nines)} per object, {nines_text(self.pool_nines)} for the "
                f"pool{other}")


def changes_of(counted: Sequence[Counted], now: Outcome, request: Request, speeds: dict[str, Speeds]) -> list[Change]:
    """The changes that have an effect; after AFR, those that change the recommendation first, then those that change the nines."""
    if now.object_nines is None:
        return []
    found = []
    for change, words in CHANGES:
        changed = change(request)
        if words(changed) == words(request):
            continue
        found_now = [outcome(one, changed, speeds.get(one.name, UNKNOWN)) for one in counted]
        own = next(one for one in found_now if one.name == now.name)
        found.append(Change(words(changed), words(request).partition("=")[2], recommend(found_now, changed).chosen.name,
                            own.object_nines or 0, own.pool_nines or 0))
    least = now.object_nines + (now.pool_nines or 0) - EFFECT
    return [*found[:1], *sorted((one for one in found[1:] if one.chosen != now.name or one.object_nines + one.pool_nines < least),
                              key=lambda one: (one.chosen == now.name, one.pool_nines + one.object_nines))]


@dataclasses.dataclass(frozen=True)
class Assumption:
    text: str
    words: Annotated[str, Key("The arguments that change it; empty: none does.")]

    def __str__(self) -> str:
        return self.text + (f" ({self.words})" if self.words else "")


@dataclasses.dataclass(frozen=True)
class Size:
    object_bytes: Annotated[int, Key(least=1)]
    stripe_unit: Annotated[int, Key("The requested stripe unit in bytes.", least=1)]


@dataclasses.dataclass(frozen=True)
class Result:
    format: Annotated[str, Key(words=(FORMAT,))]
    recommendation: Recommendation
    sensitivity: Annotated[list[Change], Key("The result if one assumption is changed: first AFR, then those that matter most.")]
    cluster: Cluster
    release: Annotated[str, Key("The name of the Ceph release.")]
    assumptions: list[Assumption]
    speeds: Annotated[list[str], Key("The source of the speeds, for example the run files and the machines.")]
    sizes: Annotated[list[Size], Key("If a property of a profile has only one value, it is for the first of these.")]
    profiles: Annotated[list[Outcome], Key("The profiles that fit the cluster; the one that stores the fewest bytes is the first.")]
    left_out: list[Reason]
    request: Annotated[Request, HIDDEN]


def shown(found: Sequence[Outcome], recommendation: Recommendation, fewer: int = 0) -> list[Outcome]:
    """The most interesting profiles, `fewer` less than usual: the recommended one, three copies, and those that the recommendation
    names; up to FEW also those on the front that Ceph keeps, nearest in space first."""
    chosen = recommendation.chosen

    def distance(one: Outcome) -> tuple[bool, bool, bool, bool, bool, bool, float]:
        is_first = one.name == chosen.name or one.is_replicated
        is_like = one.layout.per_domain == chosen.layout.per_domain
        serves_less = not one.domains_served and chosen.domains_served > 0
        return (not is_first, one.name not in recommendation.others, serves_less, not is_like, not one.on_front,
                bool(one.status), abs(one.space - chosen.space))

    count = max(1, max(FEW, 2 + len(recommendation.others)) - fewer)
    names = {one.name for one in sorted(found, key=distance)[:count]}
    return [one for one in found if one.name in names]


def interesting(counted: Sequence[Counted], request: Request) -> Sequence[Counted]:
    """The profiles whose speeds are measured."""
    found = with_front([outcome(each, request) for each in counted])
    return [one for one in shown(found, recommend(found, request)) if not one.is_replicated]


def result_of(request: Request, counted: Sequence[Counted], dropped: list[Reason], speeds: dict[str, Speeds],
              speed_notes: list[str], notes: Callable[[Outcome], list[str]] = lambda chosen: [],
              details: Callable[[Outcome], list[str]] = lambda chosen: []) -> Result:
    """`speeds`: by name of the profile. `notes` and `details` make those of the result."""
    # The Pareto front is computed without speeds, because these are not known for all profiles.
    on_front = {one.name for one in with_front([outcome(one, request) for one in counted]) if one.on_front}
    found = [dataclasses.replace(one, on_front=one.name in on_front)
             for one in (outcome(one, request, speeds.get(one.name, UNKNOWN)) for one in counted)]
    found.sort(key=lambda one: (round(one.space, 9), -(one.object_nines or 0), one.network, one.name))
    best = recommend(found, request)
    chosen = best.chosen
    padded = [f"Stripe unit {size_word(used)}, not {size_word(asked)}, which {chosen.name} cannot use."
              for asked, used in zip(request.stripe_units, chosen.stripe_units) if used != asked]
    best = dataclasses.replace(best, notes=[*padded, *notes(chosen)], details=details(chosen), commands=commands(chosen, request))
    return Result(FORMAT, best, changes_of(counted, chosen, request, speeds), request.cluster, request.release.name,
                  [Assumption(*one) for one in request.assumptions()], speed_notes, [Size(*one) for one in request.sizes()], found,
                  dropped, request)


# The tables of a plan, in which each line shows one profile, and its page.

WIDTH = 80
NONE = "-"
TAKEN, DEPRECATED = "*", "-"

Cells = tuple[str, Callable[[Outcome], str]]


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
    cluster, few = result.cluster, shown(result.profiles, result.recommendation, fewer)
    has_speeds, shares_domains = any(one.speeds.encode for one in few), any(one.layout.per_domain > 1 for one in few)
    domain = cluster.failure_domain
    columns: list[Cells] = [("stored", lambda one: f"{one.space:.3f}"), ("TB", lambda one: terabytes(one.usable)),
                             ("lose", lambda one: lost(one) if shares_domains else str(one.domains_survived)),
                             *([("free", lambda one: str(one.layout.spare))] if has_free else []),
                             ("nines", lambda one: number(one.object_nines)), ("pool", lambda one: number(one.pool_nines)),
                             ("drive", lambda one: time_of(one.drive)), ("host", lambda one: time_of(one.host)),
                             *([] if has_speeds or shares_domains else [("read", lambda one: f"{one.read:.2f}")]),
                             *([("cores", lambda one: line_rate(one, cluster))] if has_speeds else [])]
    legend = [*([f"{DEPRECATED}: deprecated"] if any(one.status for one in few) else []), "TB: usable",
              f"lose: {domain}s+drives" if shares_domains else f"lose{', free' * has_free}: {domain}s", "nines: per object",
              "drive, host: rebuild time", *(["cores of a host at line rate: write+rebuild"] if has_speeds else [])]
    found = table(dataclasses.replace(result, profiles=few), "", columns, "; ".join(legend))
    for one, line in zip(few, found.lines[1:], strict=True):
        line[0] = line[0] or (DEPRECATED if one.status else "")
    is_wide = max(map(len, aligned(found.lines, left=2))) > WIDTH
    return short_table(result, fewer, has_free=False) if is_wide and has_free else found


def table(result: Result, title: str, columns: Sequence[Cells], explanation: str) -> Table:
    lines = [["", "profile", *(name for name, _ in columns)]]
    lines += [[TAKEN if one.name == result.recommendation.profile else "", one.name, *(text(one) for _, text in columns)]
              for one in result.profiles]
    return Table(title, lines, explanation)


def durability(result: Result) -> Table:
    return table(result, "Space and durability", [
        ("stored/byte", lambda one: f"{one.space:.3f}"),
        ("lost chunks", lambda one: str(one.survived)),
        ("larger losses", larger_losses),
        (f"lost {result.cluster.failure_domain}s+drives", lost),
        ("served", lambda one: str(one.domains_served)),
        ("free", lambda one: str(one.layout.spare)),
        ("TB", lambda one: terabytes(one.usable)),
        ("nines/object", lambda one: number(one.object_nines)),
        ("nines/pool", lambda one: number(one.pool_nines)),
        ("lost by", lambda one: NONE if not one.pool_losses else
            "sectors" if one.pool_losses.sectors > one.pool_losses.drives else "drives"),
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
        ("read/byte", lambda one: f"{one.read:.3f}"),
        ("busy/byte", lambda one: f"{one.busy:.3f}"),
        ("sent/byte", lambda one: f"{one.network:.3f}"),
        ("reads/helper", lambda one: f"{one.reads_per_helper:.1f}"),
        ("cores", lambda one: figure_text(one.rebuild_cores))],
        "drive, host: time to rebuild a full drive or host; -: nothing can take its chunks. limited by: the slowest resource, or "
        "the throttle that is the limit. read/byte: bytes that BlueStore reads per lost byte. busy/byte: time of these reads on "
        "drives, as bytes that are read contiguously in the same time. sent/byte: bytes sent over the network per lost byte. "
        "reads/helper: contiguous reads per chunk and stripe. cores: CPU cores of the whole cluster that coding needs while a "
        "drive is rebuilt.")


def coding(result: Result) -> Table:
    cluster = result.cluster
    return table(result, "Coding", [
        ("encode GB/s", lambda one: speed(one, one.speeds.encode)),
        ("write cores", lambda one: figure_text(one.write_cores)),
        ("%code", lambda one: number_text(one.speeds.code_percent, 0)),
        ("line rate", lambda one: line_rate(one, cluster)),
        ("repair GB/s", lambda one: speed(one, one.speeds.repair)),
        ("degraded read GB/s", lambda one: speed(one, one.speeds.degraded_read)),
        ("chunks read", lambda one: f"{one.helpers:.3g}"),
        ("overwrite reads+writes", lambda one: f"{one.overwrite_reads}+{one.overwrite_writes}")],
        "GB/s: 10^9 bytes of the object per second, on one core. write cores: CPU cores of the whole cluster that encode the data "
        "that clients write, and compute the CRC32C of all chunks. %code: the code's share of them. line rate: cores of a host "
        "that write, and that rebuild, as fast as its network transfers. chunks "
        "read: the number of chunks that are read to compute one lost chunk (mean over all chunks). "
        "overwrite reads+writes: the numbers of chunks that are read and written to change one chunk of a stripe." +
        (" -: the speed is not known." if any(not one.speeds.encode for one in result.profiles) else "") +
        (" Without %code, writes are without the CRC32C, which the run does not have."
         if any(one.speeds.encode and not one.speeds.crc32c for one in result.profiles) else ""))


def stored(result: Result) -> Table:
    sizes = list(result.request.sizes())
    columns: list[Cells] = [(f"{size_word(size)}, {size_word(unit)}", lambda one, index=index: f"{one.stored[index]:.3f}")  # type: ignore[misc]
                             for index, (size, unit) in enumerate(sizes)]
    return table(result, "Stored bytes per byte of the object, by object size and stripe unit", columns,
                 "The other tables are for the object size and the stripe unit of the first column.")


def note_of(one: Outcome, result: Result) -> str:
    unit, of_domain = one.stripe_units[0], one.layout.per_domain
    notes = [one.status, f"{of_domain} chunks per {result.cluster.failure_domain}" * (of_domain > 1),
             f"stripe unit {unit}" * (unit != result.request.stripe_units[0])]
    return ", ".join(filter(None, notes)) or NONE


def larger_losses(one: Outcome) -> str:
    """If some losses cannot be recovered, the text is never 100 %."""
    return ", ".join(f"{count.chunks}: {'' if count.is_exact else '~'}"
                     f"{'>99.9' if 0.9995 <= share < 1 else f'{100 * share:.1f}'} %"
                     for count in one.losses if count.chunks > one.survived and (share := count.recoverable_share) > 0) or NONE


def lost(one: Outcome) -> str:
    return f"{one.domains_survived}+{one.drives_survived}"


def number(value: float | None) -> str:
    return NONE if value is None else nines_text(value)


def time_of(rebuild: Rebuild | None) -> str:
    return duration_text(rebuild.seconds) if rebuild else NONE


def line_rate(one: Outcome, cluster: Cluster) -> str:
    """Cores of one host that write, and cores that rebuild, at the rate of its network."""
    if not one.speeds.write or not one.speeds.repair:
        return NONE
    rebuilt = cluster.net / one.network / (one.speeds.repair / one.k)
    return f"{figure_text(cluster.net / one.speeds.write)}+{figure_text(rebuilt)}"


def speed(one: Outcome, value: float | None) -> str:
    return NONE if value is None else f"{figure_text(value / 1e9)}{MARK if one.speeds.marked else ''}"


# The page of a plan: the profiles as a scatter chart, and all tables.

@dataclasses.dataclass(frozen=True)
class PlanRow:
    code: Annotated[str, Column(title="Profile")]
    space: Annotated[float, Column("Bytes stored per byte of the object.", title="stored/byte", form=Form.RATIO)]
    nines: Annotated[float | None, Column("-log10 of the probability that an object is lost in a year.", title="nines/object",
                                          form=Form.FIGURE)]
    network: Annotated[float, Column("Bytes sent per lost byte in a repair.", title="sent/byte", form=Form.RATIO)]
    drive: Annotated[str, Column("Time to rebuild a full drive.", title="drive")]
    survived: Annotated[str, Column("Failure domains and drives that can fail without data loss.", title="can fail")]
    plugin: Annotated[str, Column(title="Plugin", is_filter=True)]
    k: Annotated[int, Column(title="k", form=Form.WHOLE, is_filter=True)]
    m: Annotated[int, Column(title="m", form=Form.WHOLE, is_filter=True)]
    front: Annotated[str, Column("No other profile is better in stored bytes, durability or network traffic, and not worse in the "
                                 "others.", title="Pareto front", is_filter=True)]
    chosen: Annotated[str, Column(title="Recommended", is_early=True)]


def page_of(result: Result) -> Page:
    cluster, best = result.cluster, result.recommendation
    charts = [Chart(Kind.SCATTER, "Durability and stored bytes", "nines", x="space", colour="plugin"),
              Chart(Kind.SCATTER, "Network traffic of a repair and stored bytes", "network", x="space", colour="plugin")]
    rows = [PlanRow(one.name, one.space, one.object_nines, one.network, time_of(one.drive), lost(one), one.plugin, one.k,
                    one.n - one.k, FILLED if one.on_front else "no", FILLED if one.name == best.profile else "")
            for one in result.profiles]
    facts = [*(("Ceph's command", [command]) for command in best.commands),
             *(("What matters most", [change.text(best.profile)]) for change in result.sensitivity),
             *(("Assumption", [str(one)]) for one in result.assumptions),
             *(("Assumption", [note]) for note in result.speeds),
             *(("Left out", [f"{one.example}{f' (and {one.count - 1} others)' if one.count > 1 else ''}: {one.why}"])
               for one in result.left_out)]
    return Page("plan", f"{cluster.hosts} hosts with {cluster.drives} drives each",
                [best.sentence, *best.notes, *best.changes, *best.details],
                [Block("Comparison of the profiles", "", PlanRow, rows, charts,
                       how="Farther to the left: fewer stored bytes. Filled marks are on the Pareto front."),
                 *(block_of_lines(one.title, [line[1:] for line in one.lines], one.explanation, "note") for one in tables(result))],
                facts=facts)
