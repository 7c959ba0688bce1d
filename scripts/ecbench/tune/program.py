"""bench.sh tune: finds the fastest profiles. Exit codes: 0 if a profile was measured, even if the outcome is inconclusive; 1 for
bad input, or if nothing could be measured; 2 after wrong bytes; 128 + the signal's number."""

import dataclasses
import itertools
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ecbench.ceph.profile import PER_CHUNK_ALIGNMENT, filling_packetsize
from ecbench.ceph.releases import PLUGINS
from ecbench.experiment import running
from ecbench.experiment.expansion import LINE, Dropped, expand
from ecbench.experiment.experiment import Experiment, Stage
from ecbench.measure.ecbench import Ecbench, find_program
from ecbench.measure.resume import INTERRUPTED, Mode
from ecbench.measure.session import Effort
from ecbench.point.axes import MAX_PADDING, OPTIONS, PROFILE, Axes, Axis, Language, numbers, read_axes, split
from ecbench.point.point import Describe, Parameter, Planned, Plugins, Point, bytes_text, option_text
from ecbench.process.process import Child, run_to_the_end
from ecbench.runfile.header import Options, Reason
from ecbench.statistics.interval import FEWEST_VALUES
from ecbench.terminal.arguments import Parser
from ecbench.terminal.console import Refused, say

# Each combination of k, m, size and stripe-unit is a request, because these select the candidates.

FOR_CEPH, FOR_ANY = "ceph", "any"
# Largest padding, in percent of the object. A profile with more padding is not a candidate, because a higher speed does not
# compensate for the storage space that the padding needs.
MOST_PADDING = 25
MOST_REQUESTS = 100
AXES = {**{key: axis for key, axis in OPTIONS.items() if key != "erased"}, "erasures": numbers(), **MAX_PADDING,
        "workload": Axis(("encode", "decode"), ("encode", "decode")), "for": Axis((FOR_CEPH, FOR_ANY), (FOR_CEPH,))}
REQUESTED = ("k", "m", "size", "stripe-unit")
OF_TABLES = (*REQUESTED, "cache", "threads", "timing", "dispatch", "codec-lib")  # each combination of their values has a table
DEFAULTS: Axes = {**{key: AXES[key].default for key in ("size", "stripe-unit", "workload")}, "max-padding": (MOST_PADDING,)}


def title_of(request: Axes) -> str:
    (k,), (m,), (size,), (unit,) = (request[key] for key in REQUESTED)
    return f"{k}+{m}, {bytes_text(size)}" + ("" if unit == "none" else f", {option_text('stripe_unit', unit)}")


def read_requests(words: list[str], plugins: Plugins | None) -> list[Axes]:
    """`plugins`: None before ecbench is built. Throws Refused."""
    axes = {**DEFAULTS, **read_axes(split(words), Language(plugins, AXES))}
    for key in ("k", "m"):
        if key not in axes:
            raise Refused(f"{key} is missing; give k and m, such as k=6 m=2 size=1M")
    if (most := max(axes.get("erasures", (0,)))) > min(axes["m"]):
        raise Refused(f"erasures={most} is not allowed; give the number of lost chunks for decode, from 1 to m={min(axes['m'])}")
    if (count := math.prod(len(axes.get(key, (0,))) for key in OF_TABLES)) > MOST_REQUESTS:
        raise Refused(f"these arguments give {count} combinations of {', '.join(OF_TABLES)}; at most {MOST_REQUESTS} are allowed; "
                      "give fewer values")
    return [{**axes, **{key: (value,) for key, value in zip(REQUESTED, values, strict=True)}}
            for values in itertools.product(*(axes[key] for key in REQUESTED))]


# Finds the candidates of a request: the profiles with its k and m, and values of parameters that `ecbench list` allows. Profiles
# that cannot be used are left out, and are counted for each reason. Two parameters can have very many values. These are considered:
# - w: values up to 16 or up to 2k, whichever is larger. With a larger w, Cauchy codes need more XORs. Minimum density codes need
#   w >= k.
# - packetsize: powers of two, 3072, and fitting values. A value fits if 1, 2, 4, 8 or 16 blocks of w packets fill a chunk with
#   almost no padding. Padding takes time, because it is encoded too. If a power of two or a large fitting value is an even multiple
#   of 64, an odd multiple of 64 next to this value is also a candidate: the packets begin in different sets of the L1 cache.

SMALLEST_W_LIMIT = 16
POWERS_OF_TWO = tuple(1 << power for power in range(6, 17))
PACKETSIZES = (*POWERS_OF_TWO, *(size - LINE for size in POWERS_OF_TWO if size > 2 * LINE), 3072)
BLOCKS_OF_A_CHUNK = (1, 2, 4, 8, 16)
# If two profiles differ only in PER_CHUNK_ALIGNMENT, the profile with less padding encodes fewer bytes.
LAYOUT = ("packetsize", PER_CHUNK_ALIGNMENT)  # parameters that do not affect which losses can be recovered
INSTALLED_CEPH = "ceph"  # the plugin for an installed Ceph; it lists no techniques, so tune has no profiles for it
NOT_VARIED = ("k", "m", "mapping")


@dataclass(frozen=True)
class Choice:
    """The points of the candidates, and why other profiles are left out."""

    entries: list[Planned]
    left_out: list[Reason]
    note: str  # if not all erasure patterns of all codes were checked: how many, of the code with the fewest


def choose(request: Axes, plugins: Plugins, describe: Describe) -> Choice:
    """Throws Refused if no profile remains."""
    dropped, erasures = Dropped(), request.get("erasures", request["m"])
    one = {"workload": request["workload"][-1:], "erasures": (max(erasures),)}
    try:
        found = expand([{**grid, **one} for grid in grids_of(request, plugins)], plugins, describe)
    except Refused as refusal:
        raise Refused(f"{title_of(request)}: no profile is left: {refusal}") from refusal
    padding = {entry.point: entry.padding_percent or 0 for entry in found.entries}
    kept = list(padding) if PER_CHUNK_ALIGNMENT in request else least_padded(padding, dropped)
    kept, note = recovering(kept, request, describe, dropped)
    left_out = [*found.dropped, *dropped.values()]
    if not kept:
        reasons = "; ".join(f"{reason.count} left out: {reason.why}" for reason in left_out[:3])
        raise Refused(f"{title_of(request)}: no profile is left: {reasons}")
    entries = [Planned(dataclasses.replace(point, workload=workload, erasures=lost), padding_percent=round(padding[point], 4))
               for point in kept for workload in request["workload"] for lost in (erasures if workload == "decode" else (0,))]
    return Choice(entries, left_out, note)


def grids_of(request: Axes, plugins: Plugins) -> Iterator[Axes]:
    """The profiles of each technique. A parameter has several values if the request has values for it, if it is a flag or has a
    list of allowed values, or if it is w or packetsize, which depends on w."""
    fixed = {key: values for key, values in request.items() if key in ("k", "m", *OPTIONS, *MAX_PADDING)}
    for_ceph = request.get("for", (FOR_CEPH,)) == (FOR_CEPH,)
    for name in request.get("plugin", [name for name in plugins if (name in PLUGINS if for_ceph else name != INSTALLED_CEPH)]):
        for technique in plugins[name].techniques:
            if technique.name not in request.get("technique", (technique.name,)):
                continue
            parameters = {parameter.name: values_of(parameter, request) for parameter in technique.parameters}
            grid = {**fixed, "plugin": (name,), **({"technique": (technique.name,)} if technique.name else {}),
                    **{key: tuple(values) for key, values in parameters.items()
                       if values and key not in ("k", "m", "packetsize") and (key not in NOT_VARIED or key in request)}}
            if "packetsize" not in parameters:
                yield grid
                continue
            for w in grid.get("w", (8,)):
                yield {**grid, **({"w": (w,)} if "w" in grid else {}),
                       "packetsize": tuple(request.get("packetsize") or packetsizes(request, int(w)))}


def values_of(parameter: Parameter, request: Axes) -> list[str]:
    name = parameter.name
    if name in request and name not in AXES:  # the parameter size of plugin replication is another
        return [str(value) for value in request[name]]
    if parameter.type == "flag":
        return ["false", "true"]
    if parameter.choices:
        return list(map(str, parameter.choices))
    if name == "w" and parameter.type == "count":
        limit = max(SMALLEST_W_LIMIT, 2 * request["k"][0])
        return [str(w) for w in range(max(1, parameter.minimum or 1), min(parameter.maximum or limit, limit) + 1)]
    return []


def packetsizes(request: Axes, w: int) -> list[int]:
    """Ascending. Large packetsizes are multiples of a cache line (64 bytes), small ones of a vector (16 bytes)."""
    unit, = request["stripe-unit"]
    chunk = -(-request["size"][0] // request["k"][0]) if unit == "none" else int(unit)
    fitting = set(PACKETSIZES)
    for blocks in BLOCKS_OF_A_CHUNK:
        step = LINE if chunk >= 1024 * w * blocks else 16
        size = filling_packetsize(chunk, w, blocks, step)
        fitting.add(size)
        if step == LINE and size % (2 * LINE) == 0:
            fitting.add(size + LINE)
    return sorted(fitting)


def least_padded(padding: Mapping[Point, float], dropped: Dropped) -> list[Point]:
    """Of points that differ only in PER_CHUNK_ALIGNMENT, the one with the least padding."""
    best: dict[Point, Point] = {}
    for point in sorted(padding, key=lambda point: (padding[point], point.get(PER_CHUNK_ALIGNMENT) == "true")):
        if best.setdefault(code_of(point, (PER_CHUNK_ALIGNMENT,)), point) is not point:
            dropped.add(f"with another value of {PER_CHUNK_ALIGNMENT}, the code is the same and the padding is not larger",
                        short(point))
    kept = set(best.values())
    return [point for point in padding if point in kept]


def recovering(points: list[Point], request: Axes, describe: Describe,
               dropped: Dropped) -> tuple[list[Point], str]:
    """The points whose code can recover every loss of m chunks, and Choice.note. Each code is checked once."""
    codes: dict[Point, Point] = {}
    for point in points:
        codes.setdefault(code_of(point, LAYOUT), point)
    answers = describe([{"words": point.words(), "losses": request["m"][0]} for point in codes.values()])
    found = dict(zip(codes, answers, strict=True))
    kept, samples = [], []
    for point in points:
        answer = found[code_of(point, LAYOUT)]
        losses = answer.losses
        if not answer.refused and (answer.k, answer.m) != (request["k"][0], request["m"][0]):
            dropped.add(f"the code has k={answer.k} and m={answer.m} instead of the given k and m", short(point))
        elif answer.refused or losses is None:
            dropped.add(answer.refused or "ecbench did not count its losses", short(point))
        elif losses.unrecoverable:
            dropped.add(f"the code cannot recover {losses.unrecoverable} of {losses.checked} erasure patterns with {losses.chunks} "
                        "lost chunks", short(point))
        else:
            kept.append(point)
            if losses.patterns is None or losses.checked < losses.patterns:
                samples.append((losses.checked, losses.patterns))
    checked, patterns = min(samples, default=(0, 0), key=lambda sample: sample[0])
    return kept, "" if not samples else (f"recovery was checked for only {checked} of {patterns or 'more than 10^19'} erasure "
                                         "patterns, which were chosen at random")


def code_of(point: Point, without: tuple[str, ...]) -> Point:
    return dataclasses.replace(point, profile=tuple(pair for pair in point.profile if pair[0] not in without))


def short(point: Point) -> str:
    """Plugin, technique and other parameters, but not k, m and mapping."""
    more = [f"{key}={value}" for key, value in point.profile
            if key not in ("technique", *NOT_VARIED) and value not in ("", "false")]
    return " ".join(word for word in (point.plugin, point.get("technique", ""), *more) if word)


SECONDS_FOR_A_PROCESS = 120  # timeout of a measurement: a hundred times the longest expected duration
FINAL_ROUNDS = 12
MIN_TIME = 0.1  # seconds of samples in these rounds
LEAST_LEFT = 6
STAGES = (
    Stage(Effort(0.01, 4, limit=False), rounds=1, keep=LEAST_LEFT, share=1 / 3),
    Stage(Effort(0.02, 8, limit=False), rounds=2, keep=LEAST_LEFT, share=1 / 8),
    Stage(Effort(0.04, 8, limit=False), rounds=3, keep=LEAST_LEFT, share=1 / 25),
)
EXPERIMENT = Experiment(title="Which profile is the fastest?", together=("workload", "erasures"), stages=STAGES)

EXAMPLES = """\
bench.sh tune k=6 m=2 size=1M
bench.sh tune k=8 m=3 size=4M stripe-unit=16K plugin=isa,jerasure
bench.sh tune k=4 m=2 --dry-run"""

DESCRIPTION = """Finds the fastest profiles (plugin, technique, w and packetsize) that recover every loss of m chunks: measures all
briefly, then the fastest longer, in interleaved rounds. Ranks by GB/s, the harmonic mean over the workloads. = marks profiles that
are not significantly different from the first. Disturbed measurements make the outcome inconclusive."""

WORDS = """words:
  k=6,8 m=2,3                 data and coding chunks; must be given
  size=4K,1M                  bytes of the object (default 1M)
  stripe-unit=4K,16K          bytes of a chunk in a stripe (default none: one stripe)
  plugin=A,B technique=A,B    candidates (default: all techniques of the plugins that Ceph can load)
  for=any                     candidates of all plugins (default for=ceph: jerasure, isa, lrc, shec and clay)
  w=4,8 packetsize=1K..16K*2  values to consider (default: sensible values), also of other parameters
  workload=encode             encode, decode, or both (default encode,decode)
  erasures=1                  lost chunks of decode (default m)
  max-padding=25              leave out profiles with more padding, in percent of the object (default 25)
  cache, threads, timing, dispatch, codec-lib   see bench.sh run --help
Each combination of k, m, size and the other axes of the point has its own table.

Exit codes: 0 done, also if inconclusive; 1 bad input, or nothing could be measured; 2 wrong bytes; 130 after Ctrl-C."""


def add_options(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="list the candidates, and measure nothing")


MODE = Mode("tune", EXAMPLES, DESCRIPTION, WORDS, ("plugin", "technique", *PROFILE, *AXES),
            lambda arguments: read_requests(arguments.words, None), add_options, f"{FINAL_ROUNDS}, of the last stage",
            FEWEST_VALUES)
read_arguments = MODE.check


def choose_all(requests: list[Axes], plugins: Plugins, describe: Describe, in_detail: bool) -> list[Planned]:
    """The candidates of all requests. Throws Refused if none has candidates."""
    entries: list[Planned] = []
    refusals = []
    for request in requests:
        try:
            choice = choose(request, plugins, describe)
        except Refused as refusal:
            refusals.append(refusal)
            continue
        entries += choice.entries
        lines = list(map(str, choice.left_out))
        if len(lines) > 1 and not in_detail:
            count = sum(reason.count for reason in choice.left_out)
            lines = [f"{count} profiles are left out for {len(lines)} reasons; --dry-run prints them"]
        for line in filter(None, [*lines, choice.note]):
            say(f"{title_of(request)}: {line}" if len(requests) > 1 else line)
    if not entries:
        raise refusals[0]
    for refused in refusals:
        say(refused)
    return entries


def tune(child: Child) -> int:
    asked = MODE.ask(sys.argv[1:], child)
    arguments = asked.arguments
    if asked.run and asked.run.finished:
        return running.close(asked.run)
    ecbench = Ecbench(find_program(arguments.ecbench), child)
    plugins = ecbench.list_plugins()
    entries = choose_all(read_requests(arguments.words, plugins), plugins, ecbench.describe, arguments.dry_run)
    if arguments.dry_run:
        print(*dict.fromkeys(short(entry.point) for entry in entries), sep="\n")
        return 0
    options = Options(MIN_TIME, SECONDS_FOR_A_PROCESS, limit=False)
    return running.close(running.measure(asked, ecbench, EXPERIMENT, entries, MODE.name, options, arguments.rounds or FINAL_ROUNDS))


def main() -> int:
    return run_to_the_end(tune, INTERRUPTED)
