"""The output of plan --format json, as dataclasses; plan --schema prints its schema. Other parts of it: request.Cluster,
sensitivity.Change, outcomes.Losses."""

import dataclasses
import json
from typing import Annotated

from ecbench.ceph.placement import Cluster
from ecbench.documents.document import Key, to_json
from ecbench.page.block import Block, Chart, Column, Form, Kind, Page, block_of_lines
from ecbench.page.charts import FILLED
from ecbench.plan import rebuild
from ecbench.plan.outcomes import Losses, Outcome
from ecbench.plan.profiles import LossCount
from ecbench.plan.tables import Change, Result, lost, tables, time_of

FORMAT = "ecbench plan 1"


@dataclasses.dataclass(frozen=True)
class Recommendation:
    profile: Annotated[str, Key("The name of the recommended profile, as in profiles.")]
    sentence: Annotated[str, Key("The recommendation and its reason.")]
    notes: Annotated[list[str], Key("What happens if drives and hosts fail, and the test of the CRUSH rule.")]
    changes: Annotated[list[str], Key("Why other profiles are not recommended, or when they would be.")]
    details: Annotated[list[str], Key("The reads of clay.")]
    commands: Annotated[list[str], Key("Ceph's commands that create a pool with the recommended profile.")]


@dataclasses.dataclass(frozen=True)
class Assumption:
    text: str
    words: Annotated[str, Key("The arguments that change it; empty: none does.")]


@dataclasses.dataclass(frozen=True)
class Size:
    object_bytes: Annotated[int, Key(least=1)]
    stripe_unit: Annotated[int, Key("The requested stripe unit in bytes.", least=1)]


@dataclasses.dataclass(frozen=True)
class Loss(LossCount):
    recoverable_share: Annotated[float, Key("1 - unrecoverable / checked.", least=0, most=1)]


@dataclasses.dataclass(frozen=True)
class Rebuild:
    lost_bytes: Annotated[float, Key(above=0)]
    seconds: Annotated[float, Key(above=0)]
    limit: Annotated[str, Key("What limits the rebuild. recovery-share: the drives, but only because the rebuild gets this share "
                              "of their rate. osd_max_backfills: Ceph recovers few objects at the same time. operations: an OSD "
                              "writes few objects per second.", words=rebuild.LIMITS)]
    limit_seconds: Annotated[dict[str, float], Key("For each limit: the seconds that the rebuild would take if only this limited "
                                                   "it.")]


@dataclasses.dataclass(frozen=True)
class Profile:
    name: Annotated[str, Key("As in the tables, such as isa 8+3. lrc: lrc k/m/l; shec: shec k/m/c.")]
    plugin: Annotated[str, Key("Ceph's plugin; replicated: three copies in a replicated pool.")]
    technique: Annotated[str, Key("Empty for lrc.")]
    parameters: Annotated[dict[str, str], Key("backend is a parameter of ecbench only; Ceph has all others.")]
    k: Annotated[int, Key("Number of data chunks.", least=1)]
    n: Annotated[int, Key("Number of all chunks.", least=2)]
    on_front: Annotated[bool, Key("true if the profile is on the Pareto front of stored bytes, durability and network traffic.")]
    status: Annotated[str, Key("deprecated: the release deprecates the plugin or the technique.", words=("", "deprecated"))]
    fast_ec: Annotated[bool, Key("true if the pool has allow_ec_optimizations.")]
    stripe_units: Annotated[list[int], Key("Bytes, for each entry of sizes; if the code would pad the requested stripe unit, the "
                                           "next larger one that it does not pad.", least=1)]
    stored_per_byte: Annotated[list[float], Key("Stored bytes per byte of the object, for each entry of sizes.", above=0)]
    survived_losses: Annotated[int, Key("The largest number of lost chunks for which every erasure pattern can be recovered.",
                                        least=0)]
    losses: list[Loss]
    chunks_per_domain: Annotated[int, Key("The largest number of chunks of an object in one failure domain.", least=1)]
    free_domains: Annotated[int, Key("Number of failure domains without a chunk of an object.", least=0)]
    domains_survived: Annotated[int, Key("Number of failure domains that can be lost without data loss.", least=0)]
    domains_served: Annotated[int, Key("Number of failure domains that can be down while clients read and write (min_size k+1, or "
                                       "k if m=1).", least=0)]
    object_losses_per_year: Annotated[Losses | None, Key("Expected losses of one object per year; null: no drive can store the "
                                                         "chunks of a failed drive.")]
    pool_losses_per_year: Annotated[Losses | None, Key("Expected number of data losses of the pool per year.")]
    object_nines: Annotated[float | None, Key("-log10 of the probability that an object is lost in a year, at most 300.")]
    pool_nines: Annotated[float | None, Key("The same for any object of the pool.")]
    margin_nines: Annotated[float | None, Key("object_nines if AFR and repair time are both 1.5 times as large.")]
    fullest_share: Annotated[float, Key("The share to which the drives can be full.", least=0, most=1)]
    usable_bytes: Annotated[float, Key("Bytes of objects that the pool can store if all drives are as full.", least=0)]
    drive_rebuild: Annotated[Rebuild | None, Key("Of all chunks of a failed drive; null: no drive can store them.")]
    host_rebuild: Annotated[Rebuild | None, Key("Of all chunks of a failed host; null: no host can store them.")]
    read_per_lost_byte: Annotated[float, Key("Bytes that the repair of one chunk reads from drives, in whole checksum blocks, per "
                                             "byte of the chunk: the mean over all chunks, like the next four.", above=0)]
    busy_per_lost_byte: Annotated[float, Key("Time of these reads on the drives, as bytes that are read contiguously in the same "
                                             "time, per byte of the lost chunk.", above=0)]
    sent_per_lost_byte: Annotated[float, Key("Bytes that the repair sends over the network, per byte of the lost chunk.", above=0)]
    helpers: Annotated[float, Key("Number of chunks that the repair reads.", above=0)]
    reads_per_helper: Annotated[float, Key("Number of contiguous reads from each of them.", above=0)]
    encode_gb_per_s: Annotated[float | None, Key("Speed on one core, in 10^9 bytes of the object per second; null: not known.")]
    repair_gb_per_s: Annotated[float | None, Key("The same for the repair of one lost chunk.")]
    degraded_read_gb_per_s: Annotated[float | None, Key("The same for the decode of one lost data chunk.")]
    write_cores: Annotated[float | None, Key("Number of cores in the whole cluster that encode the bytes that clients write "
                                             "(write_rate); null: not known.")]
    rebuild_cores: Annotated[float | None, Key("Number of cores in the whole cluster that coding needs while a drive is rebuilt; "
                                               "null: not known.")]
    overwrite_reads: Annotated[int, Key("Number of chunks that Ceph reads to change one chunk of a stripe.", least=0)]
    overwrite_writes: Annotated[int, Key("Number of chunks that Ceph writes to change one chunk of a stripe.", least=0)]


@dataclasses.dataclass(frozen=True)
class LeftOut:
    why: str
    count: Annotated[int, Key("Number of profiles that are left out for this reason.", least=1)]
    example: str


@dataclasses.dataclass(frozen=True)
class Document:
    format: Annotated[str, Key(words=(FORMAT,))]
    recommendation: Recommendation
    sensitivity: Annotated[list[Change], Key("The result if one assumption is changed: first AFR, then those that matter most.")]
    cluster: Cluster
    release: Annotated[str, Key("The name of the Ceph release.")]
    assumptions: list[Assumption]
    speeds: Annotated[list[str], Key("The source of the speeds, for example the run files and the machines.")]
    sizes: Annotated[list[Size], Key("If a property of a profile has only one value, it is for the first of these.")]
    profiles: Annotated[list[Profile], Key("The profiles that fit the cluster; the one that stores the fewest bytes is the first.")]
    left_out: list[LeftOut]


def text(result: Result) -> str:
    return json.dumps(to_json(document(result)), indent=1, allow_nan=False)


def document(result: Result) -> Document:
    request, best = result.request, result.recommendation
    return Document(
        FORMAT, Recommendation(best.chosen.name, best.sentence, result.notes, best.changes, result.details, result.commands),
        result.sensitivity, request.cluster, request.release.name, [Assumption(*one) for one in request.assumptions()],
        result.speed_notes, [Size(*one) for one in request.sizes()], [profile_of(one, result) for one in result.outcomes],
        [LeftOut(**vars(one)) for one in result.dropped])


def profile_of(one: Outcome, result: Result) -> Profile:
    own, counted, repair = one.counted.profile, one.counted, one.counted.repair
    encode, repaired, degraded = map(gigabytes, (one.speeds.encode, one.speeds.repair, one.speeds.degraded_read))
    return Profile(
        own.name, own.plugin, own.technique, dict(own.parameters), own.k, own.n, one.name in result.front, one.status,
        counted.fast_ec, list(counted.stripe_units), list(counted.stored), counted.survived,
        [loss_of(count) for count in counted.losses], one.layout.per_domain, one.layout.spare, one.domains_survived,
        one.domains_served, one.object_losses, one.pool_losses, one.object_nines, one.pool_nines, one.margin_nines, one.full,
        one.usable, rebuild_of(one.drive), rebuild_of(one.host), repair.drive, repair.busy, repair.network, repair.helpers,
        repair.reads_per_helper, encode, repaired, degraded, one.write_cores(result.request.cluster), one.rebuild_cores,
        one.overwrite.reads, one.overwrite.writes)


def loss_of(count: LossCount) -> Loss:
    return Loss(**dataclasses.asdict(count), recoverable_share=count.share)


def rebuild_of(found: rebuild.Rebuild | None) -> Rebuild | None:
    return Rebuild(found.lost_bytes, found.seconds, found.limit, found.limits) if found else None


def gigabytes(value: float | None) -> float | None:
    return None if value is None else value / 1e9


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
    chosen: Annotated[str, Column(title="Recommended")]


def row_of(one: Outcome, result: Result) -> PlanRow:
    profile = one.counted.profile
    return PlanRow(one.name, one.space, one.object_nines, one.counted.repair.network, time_of(one.drive), lost(one), profile.plugin,
                   profile.k, profile.n - profile.k, FILLED if one.name in result.front else "no",
                   FILLED if one.name == result.recommendation.chosen.name else "")


def page_of(result: Result) -> Page:
    cluster, chosen = result.request.cluster, result.recommendation.chosen.name
    charts = [Chart(Kind.SCATTER, "Durability and stored bytes", "nines", x="space", colour="plugin"),
              Chart(Kind.SCATTER, "Network traffic of a repair and stored bytes", "network", x="space", colour="plugin")]
    rows = [row_of(one, result) for one in result.outcomes]
    facts = [*(("Ceph's command", [command]) for command in result.commands),
             *(("What matters most", [change.text(chosen)]) for change in result.sensitivity),
             *(("Assumption", [text + (f" ({words})" if words else "")]) for text, words in result.request.assumptions()),
             *(("Assumption", [note]) for note in result.speed_notes),
             *(("Left out", [f"{one.example}{f' (and {one.count - 1} others)' if one.count > 1 else ''}: {one.why}"])
               for one in result.dropped)]
    return Page("plan", f"Plan for {cluster.hosts} hosts with {cluster.drives} drives each",
                [result.recommendation.sentence, *result.notes, *result.recommendation.changes, *result.details],
                [Block("Comparison of the profiles", "", PlanRow, rows, charts,
                       how="Farther to the left: fewer stored bytes. Filled marks are on the Pareto front."),
                 *(block_of_lines(one.title, [line[1:] for line in one.lines], one.explanation) for one in tables(result))],
                facts=facts)
