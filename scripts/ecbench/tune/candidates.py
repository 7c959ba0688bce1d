"""The candidates of a request: every profile of the shape that --list allows, except those that cannot be used. What is left out is
counted with its reason.

Only what grows without end is bounded. w: a Cauchy code does more XORs the larger w is, while the minimum density codes need a w of
at least k, so that w goes to 16, or to 2k if that is more. packetsize: powers of two and Ceph's 3072, and those with which 1, 2, 4,
8 or 16 blocks fill a chunk with next to no padding, as padding is coded too."""

import dataclasses
import itertools

from ecbench.point.expansion import Dropped, completed
from ecbench.point.point import make_point
from ecbench.terminal.console import Refused
from ecbench.tune.request import CEPHS, Request

SMALLEST_W_LIMIT = 16
PACKETSIZES = (*(1 << power for power in range(6, 17)), 3072)
BLOCKS_OF_A_CHUNK = (1, 2, 4, 8, 16)
# It changes how an object is padded and nothing else, so that of two profiles the one that pads less is the same code of less work.
PADS_LESS = "jerasure-per-chunk-alignment"
LAYOUT = ("packetsize", PADS_LESS)  # parameters that do not change which losses can be recovered
NOT_VARIED = ("k", "m", "mapping")


@dataclasses.dataclass(frozen=True)
class Candidate:
    points: tuple  # one for each workload
    padding_percent: float

    @property
    def plugin(self):
        return self.points[0].plugin

    def profile(self):
        return dict(self.points[0].profile)

    def __str__(self):
        profile = self.profile()
        more = [f"{key}={value}" for key, value in profile.items()
                if key not in ("technique", *NOT_VARIED) and value not in ("", "false")]
        return " ".join(word for word in (self.plugin, profile.get("technique", ""), *more) if word)


@dataclasses.dataclass
class Choice:
    """The candidates, and why other profiles are none."""

    candidates: list[Candidate]
    left_out: list[dict]  # with why, count, example
    merged: int  # profiles that are another one once they are completed
    checked: tuple[int, int] | None = None  # the fewest losses that were checked of a code, and of how many; None if all were


def choose(request: Request, plugins: dict, describe) -> Choice:
    """`plugins` is what --list says, by name; `describe` answers as Ecbench.describe does. Throws Refused if no profile is left."""
    dropped = Dropped()
    profiles = list(dict.fromkeys(all_profiles(request, plugins)))
    if not profiles:
        raise Refused(f"{request}: no profile is left: no plugin that is named has a technique that is named")
    asked = [make_point(plugin, dict(profile), request.workloads[-1], request.size, request.erasures, **request.options)
             for plugin, profile in profiles]
    entries = {}
    for point, answer in zip(asked, describe([{"words": point.words()} for point in asked]), strict=True):
        if "refused" in answer:
            dropped.add(answer["refused"], short(point))
        elif (answer["k"], answer["m"]) != (request.k, request.m):
            dropped.add(f"is a {answer['k']}+{answer['m']} code, whatever k and m say", short(point))
        elif answer["padding_percent"] > request.most_padding:
            dropped.add(f"pads the object by more than max-padding={request.most_padding} percent", short(point))
        else:
            entries.setdefault(completed(point, answer), answer["padding_percent"])
    valid = len(asked) - sum(reason["count"] for reason in dropped.all())
    choice = Choice([], [], valid - len(entries))
    entries = least_padded(entries, dropped, PADS_LESS in request.lists)
    entries = recovering(entries, request, describe, dropped, choice)
    choice.candidates = [Candidate(points_of(point, request), padding) for point, padding in entries.items()]
    choice.left_out = dropped.all()
    if not choice.candidates:
        reasons = "; ".join(f"{reason['count']} left out: {reason['why']}" for reason in choice.left_out[:3])
        raise Refused(f"{request}: no profile is left: {reasons}")
    return choice


def all_profiles(request, plugins):
    default = [name for name in plugins if name in CEPHS] if request.is_for_ceph else plugins
    for name in request.lists.get("plugin", default):
        for technique in plugins[name]["techniques"]:
            if technique["name"] in request.lists.get("technique", (technique["name"],)):
                for profile in profiles_of(technique, request):
                    yield name, tuple(sorted(profile.items()))


def profiles_of(technique, request):
    """Dicts of text. Parameters without a bounded list of values keep their defaults unless the request has values."""
    parameters = {parameter["name"]: parameter for parameter in technique["parameters"]}
    fixed = {"technique": technique["name"]} if technique["name"] else {}
    fixed.update((key, str(getattr(request, key))) for key in ("k", "m") if key in parameters)
    varied = {name: values_of(parameter, request) for name, parameter in parameters.items()
             if name != "packetsize" and (name not in NOT_VARIED or name in request.lists)}
    varied = {name: values for name, values in varied.items() if values}
    for values in itertools.product(*varied.values()):
        profile = {**fixed, **dict(zip(varied, values))}
        if "packetsize" not in parameters:
            yield profile
            continue
        for packetsize in request.lists.get("packetsize") or packetsizes(request, int(profile.get("w", 8))):
            yield {**profile, "packetsize": str(packetsize)}


def values_of(parameter, request):
    name = parameter["name"]
    if name in request.lists:
        return [str(value) for value in request.lists[name]]
    if parameter["type"] == "flag":
        return ["false", "true"]
    if parameter["choices"]:
        return [str(choice) for choice in parameter["choices"]]
    if name == "w" and parameter["type"] == "count":
        limit = max(SMALLEST_W_LIMIT, 2 * request.k)
        return [str(w) for w in range(parameter["minimum"], min(parameter["maximum"] or limit, limit) + 1)]
    return []


def packetsizes(request, w):
    """Ascending. A packet begins at a cache line where it is large, and at a vector's width where it is small."""
    unit = request.options["stripe_unit"]
    chunk = unit or -(-request.size // request.k)
    fitting = set()
    for blocks in BLOCKS_OF_A_CHUNK:
        step = 64 if chunk >= 1024 * w * blocks else 16
        fitting.add(-(-chunk // (w * blocks * step)) * step)
    return sorted({*fitting, *PACKETSIZES})


def least_padded(entries, dropped, asked_for):
    """Without those that are another with more padding."""
    if asked_for:
        return entries
    best = {}
    for point, _padding in sorted(entries.items(), key=lambda entry: (entry[1], entry[0].get(PADS_LESS) == "true")):
        alike = (point.plugin, tuple(pair for pair in point.profile if pair[0] != PADS_LESS))
        if alike in best:
            dropped.add(f"is the same with another {PADS_LESS}, and pads no less", short(point))
        else:
            best[alike] = point
    kept = set(best.values())
    return {point: padding for point, padding in entries.items() if point in kept}


def recovering(entries, request, describe, dropped, choice):
    """Without those that cannot recover some loss of m chunks. A code is checked once, for all its layouts."""
    codes = {}
    for point in entries:
        codes.setdefault(code_of(point), point)
    answers = describe([{"words": point.words(), "losses": request.m} for point in codes.values()])
    verdicts = dict(zip(codes, answers, strict=True))
    kept = {}
    for point, padding in entries.items():
        answer = verdicts[code_of(point)]
        why = answer.get("refused") or loss_of(answer["losses"])
        if why:
            dropped.add(why, short(point))
        else:
            kept[point] = padding
            losses = answer["losses"]
            if losses["checked"] < losses["patterns"] and (choice.checked is None or losses["checked"] < choice.checked[0]):
                choice.checked = (losses["checked"], losses["patterns"])
    return kept


def code_of(point):
    return (point.plugin, tuple(pair for pair in point.profile if pair[0] not in LAYOUT))


def loss_of(losses):
    if not losses["unrecoverable"]:
        return ""
    return f"cannot recover {losses['unrecoverable']} of {losses['checked']} losses of {losses['chunks']} chunks"


def points_of(point, request):
    return tuple(make_point(point.plugin, dict(point.profile), workload, point.size, request.erasures, **request.options)
                 for workload in request.workloads)


def short(point):
    return str(Candidate((point,), 0))
