"""The tables of a plan. Each line shows one profile. Profiles on the Pareto front have a mark."""

import dataclasses
from collections.abc import Callable, Sequence

from ecbench.plan.outcomes import Outcome
from ecbench.plan.quantities import duration_text, nines_text
from ecbench.plan.rebuild import Rebuild
from ecbench.plan.result import Result
from ecbench.point.point import bytes_text
from ecbench.point.wording import figure_text
from ecbench.runfile.summary import MARK

NONE = "-"
ON_FRONT = "*"
NO_PLACE = "no host left"

Column = tuple[str, Callable[[Outcome], str]]


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    lines: list[list[str]]  # rows of cells; the first row has the titles; the first two columns are the mark and the profile
    explanation: str


def tables(result: Result, most_lines: int | None = None) -> list[Table]:
    """The tables. If there are more than `most_lines` profiles, only the first table has all profiles. The other tables have only
    the profiles on the Pareto front."""
    only_front = most_lines is not None and len(result.outcomes) > most_lines
    shown = [one for one in result.outcomes if one.name in result.front] if only_front else result.outcomes
    rest = dataclasses.replace(result, outcomes=shown)
    found = [durability(result), rebuilds(rest), coding(rest)]
    return [*found, stored(rest)] if len(list(result.request.sizes())) > 1 else found


def table(result: Result, title: str, columns: Sequence[Column], explanation: str) -> Table:
    lines = [["", "profile", *(name for name, _ in columns)]]
    lines += [[ON_FRONT if one.name in result.front else "", one.name, *(text(one) for _, text in columns)]
              for one in result.outcomes]
    return Table(title, lines, explanation)


def durability(result: Result) -> Table:
    return table(result, "Space and durability", [
        ("stored/byte", lambda one: f"{one.space:.3f}"),
        ("survives", lambda one: f"any {one.counted.survived}"),
        ("larger losses", larger_losses),
        ("hosts left", lambda one: "none" if one.hosts_left == 0 else str(one.hosts_left)),
        ("nines/object", lambda one: number(one.object_nines)),
        ("nines/pool", lambda one: number(one.pool_nines)),
        ("note", lambda one: note_of(one, result))],
        "*: the profile is on the Pareto front. Every profile that is better in stored bytes, durability or network traffic is "
        "worse in another of these three. A profile that Ceph keeps is not compared with deprecated profiles. stored/byte: bytes "
        "stored per byte of the object. any N: every loss of N chunks can be recovered. larger losses: for each larger number of "
        "lost chunks, the share of the losses that can be recovered. hosts left: hosts without a chunk of the object; a rebuild "
        "can use these hosts. nines: -log10 of the probability that an object, or any object of the pool, is lost in a year.")


def rebuilds(result: Result) -> Table:
    return table(result, "Rebuild", [
        ("drive", lambda one: time_of(one.drive, "no drive left")),
        ("limited by", lambda one: one.drive.limit if one.drive else NONE),
        ("host", lambda one: time_of(one.host, NO_PLACE)),
        ("limited by", lambda one: one.host.limit if one.host else NONE),
        ("read/byte", lambda one: f"{one.counted.repair.drive:.3f}"),
        ("sent/byte", lambda one: f"{one.counted.repair.network:.3f}"),
        ("reads/helper", lambda one: f"{one.counted.repair.reads_per_helper:.1f}"),
        ("cores", lambda one: figure_text(one.rebuild_cores))],
        "drive, host: time from the start to the end of the rebuild of a full drive or host. limited by: the resource that limits "
        "this rebuild. throttle: the drives are the limit only because of recovery-share. read/byte: bytes read from drives per "
        "lost byte. sent/byte: bytes sent over the network per lost byte. reads/helper: contiguous reads per chunk that is read. "
        "cores: CPU cores of the whole cluster that coding needs while a drive is rebuilt.")


def coding(result: Result) -> Table:
    cluster = result.request.cluster
    return table(result, "Coding", [
        ("encode GB/s", lambda one: speed(one, one.speeds.encode)),
        ("write cores", lambda one: figure_text(one.write_cores(cluster))),
        ("repair GB/s", lambda one: speed(one, one.speeds.repair)),
        ("degraded read GB/s", lambda one: speed(one, one.speeds.degraded_read)),
        ("chunks read", lambda one: f"{one.counted.repair.helpers:.3g}"),
        ("overwrite reads+writes", lambda one: f"{one.overwrite.reads}+{one.overwrite.writes}")],
        "GB/s: 10^9 bytes of the object per second, on one core. write cores: CPU cores of the whole cluster that encode the data "
        "that clients write. chunks read: the number of chunks that are read to compute one lost chunk (mean over all chunks). "
        "overwrite reads+writes: the numbers of chunks that are read and written to change one chunk of a stripe." +
        (" -: the speed is not known." if any(not one.speeds.encode for one in result.outcomes) else ""))


def stored(result: Result) -> Table:
    sizes = list(result.request.sizes())
    columns: list[Column] = [(f"{short(size)}, {short(unit)}", lambda one, index=index: f"{one.counted.stored[index]:.3f}")  # type: ignore[misc]
                             for index, (size, unit) in enumerate(sizes)]
    return table(result, "Stored bytes per byte of the object, by object size and stripe unit", columns,
                 "The other tables are for the object size and the stripe unit of the first column.")


def short(size: int) -> str:
    return bytes_text(size).replace(" ", "").removesuffix("iB").removesuffix("bytes")


def note_of(one: Outcome, result: Result) -> str:
    unit = one.counted.stripe_units[0]
    notes = [*([one.status] if one.status else []),
             *([f"stripe unit {unit}"] if unit != result.request.stripe_units[0] else [])]
    return ", ".join(notes) or NONE


def larger_losses(one: Outcome) -> str:
    parts = [f"{count.chunks}: {'' if count.is_exact else '~'}{share_text(count.share)}" for count in one.counted.losses
             if count.chunks > one.counted.survived and count.share > 0]
    return ", ".join(parts) or NONE


def share_text(share: float) -> str:
    """The share of losses as text. If some losses cannot be recovered, the text is never 100 %."""
    return ">99.9 %" if 0.9995 <= share < 1 else f"{100 * share:.1f} %"


def number(value: float | None) -> str:
    return NONE if value is None else nines_text(value)


def time_of(rebuild: Rebuild | None, otherwise: str) -> str:
    return duration_text(rebuild.seconds) if rebuild else otherwise


def speed(one: Outcome, value: float | None) -> str:
    return NONE if value is None else f"{figure_text(value / 1e9)}{MARK if one.speeds.marked else ''}"
