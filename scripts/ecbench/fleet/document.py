"""The output of fleet report --format json, as dataclasses; fleet --schema prints its schema. Those with the names of other
classes, such as Case and Host, are what the document contains of these."""

import dataclasses
from typing import Annotated

from ecbench.comparison import select
from ecbench.comparison.figures import interval_of
from ecbench.documents.document import ABSENT, Interval, Json, Key, to_json
from ecbench.fleet import collection, figures, results
from ecbench.fleet.results import Results, SlowHost

FORMAT = "ecbench fleet report 1"


@dataclasses.dataclass(frozen=True)
class HostClass:
    name: Annotated[str, Key("The name of the class: A for the largest class, then B, C, ...")]
    cpu: Annotated[str, Key("The name of the CPU model.")]
    machine: Annotated[str, Key("The name of the CPU model, with family and model number.")]
    dispatch: Annotated[str, Key("The dispatch level of all points. native: the points may use all instruction sets, or the "
                                 "points have several levels.")]
    instructions: Annotated[str, Key("The highest dispatch level that the hosts can use.")]
    flags: Annotated[list[str], Key("The instruction sets of the CPU; empty if dispatch is not native.")]
    libraries: Annotated[dict[str, str], Key("Name of each codec library and its build id, or its version if the build id is "
                                             "unknown.")]
    hosts: list[str]
    clean_hosts: Annotated[list[str], Key("The clean hosts of the class. If there are any, only their figures are used. If "
                                          "there are none, the figures of all hosts are used.")]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Candidate:
    name: str
    library: Annotated[str, Key("The name of the library; only in runs of libraries.")] = ABSENT
    plugin: str = ABSENT
    profile: dict[str, str] = ABSENT
    codec_lib: str | None = ABSENT


@dataclasses.dataclass(frozen=True, kw_only=True)
class Profile(Candidate):
    gb_per_s: Annotated[Interval, Key("The median of the speeds of the hosts.")]
    spread_percent: Annotated[float | None, Key("By how many percent the fastest host is faster than the slowest host; null "
                                                "if there is only one host.")]
    ratio_to_fastest: Annotated[Interval | None, Key("The speed of this profile / the speed of the fastest profile, compared "
                                                     "on the same hosts; null for the fastest profile.")]
    tie: Annotated[bool, Key("true if the profile is not significantly different from the fastest profile.")]
    hosts: Annotated[dict[str, float], Key("Name of each host and its GB/s.")]


@dataclasses.dataclass(frozen=True)
class ClassResult:
    host_class: Annotated[str, Key(name="class")]
    is_clean: Annotated[bool, Key("false if no host of the class has clean figures.")]
    fastest: Candidate
    inconclusive: Annotated[str | None, Key("Why it is not known which profile is the fastest; null if this is known.")]
    profiles: Annotated[list[Profile], Key("The profiles that were compared. The fastest profile is the first.")]
    left_out: Annotated[list[Candidate], Key("Profiles that were measured by at most half of the hosts. They are not compared.")]


@dataclasses.dataclass(frozen=True)
class Cost:
    host_class: Annotated[str, Key(name="class")]
    ratio_to_fastest: Interval
    cost_percent: Annotated[float, Key("By how many percent the profile is slower than the fastest profile of the class.")]


@dataclasses.dataclass(frozen=True)
class ForAll:
    profile: Candidate
    classes: list[Cost]


@dataclasses.dataclass(frozen=True)
class Case:
    k: str
    m: str
    size: Annotated[int, Key("Bytes of the object.", least=0)]
    workload: Annotated[str | None, Key("null in runs of tune: each figure is the harmonic mean over all workloads of the run.")]
    erasures: Annotated[int, Key(least=0)]
    options: Annotated[dict[str, str], Key("Options that do not have their default value, such as cache.")]
    title: str
    classes: list[ClassResult]
    for_all_classes: Annotated[ForAll | None, Key("One profile for all classes: the profile whose largest cost_percent in a "
                                                  "class is the smallest. null if no profile was measured in all classes.")]


@dataclasses.dataclass(frozen=True)
class Host:
    host: str
    state: Annotated[str | None, Key("The state in host.json; null if this file does not exist.")]
    exit_code: int | None
    files: Annotated[list[str], Key("The run files of this host that were read.")]
    rows: Annotated[int, Key(least=0)]
    failures: Annotated[int, Key(least=0)]
    disturbed_share: Annotated[float | None, Key("The share of the rows that were disturbed by other programs.")]
    clean_sample_share: float | None
    cpu_share: Annotated[float | None, Key("CPU time / wall clock time of the samples. Only rows with one thread are used.")]
    is_clean: bool
    notes: list[str]


@dataclasses.dataclass(frozen=True)
class Missing:
    host: str
    why: str


@dataclasses.dataclass(frozen=True)
class WrongBytes:
    host: str
    point: str


@dataclasses.dataclass(frozen=True)
class Document:
    format: Annotated[str, Key(words=(FORMAT,))]
    folder: Annotated[str, Key("The path of the results directory.")]
    classes: Annotated[list[HostClass], Key("The classes of hosts. The class with the most hosts is the first.")]
    cases: list[Case]
    outliers: Annotated[list[SlowHost], Key("Hosts that differ from their class. The slowest host is the first.")]
    hosts: list[Host]
    missing: Annotated[list[Missing], Key("Hosts for which all or some figures are missing.")]
    unclean: Annotated[list[str], Key("Hosts that have figures, but whose measurements were disturbed too much by other programs.")]
    wrong_bytes: list[WrongBytes]
    rejected: list[collection.Rejected]


def document(found: results.Results) -> Json:
    return to_json(Document(
        FORMAT, str(found.collection.folder),
        [HostClass(one.name, **one.key.to_json(), hosts=[host.name for host in one.hosts],
                   clean_hosts=[host.name for host in one.clean]) for one in found.classes],
        [case_of(case) for case in found.cases],
        found.slow,
        [host_of(host) for host in found.collection.hosts],
        [Missing(host.name, host.why_missing) for host in found.missing], [host.name for host in found.unclean],
        [WrongBytes(host.name, point) for host, point in found.wrong_bytes],
        found.collection.all_rejected()))


def case_of(result: results.CaseResult) -> Case:
    case, best = result.case, result.for_all
    costs = [Cost(name, interval_of(cost), (1 - cost.median) * 100) for name, cost in best.costs.items()] if best else []
    workload = None if case.workload == figures.ALL_WORKLOADS else case.workload
    return Case(str(case.k), str(case.m), case.size, workload, case.erasures, dict(case.options), case.title,
                [class_of(one) for one in result.classes], ForAll(candidate_of(best.candidate), costs) if best else None)


def class_of(one: results.ClassCase) -> ClassResult:
    found = one.ranking
    profiles = [Profile(**candidate.to_json(), gb_per_s=interval_of(figure.estimate), spread_percent=figure.spread_percent,
                        ratio_to_fastest=interval_of(found.ratios.get(candidate)),
                        tie=candidate in found.ties, hosts=figure.hosts) for candidate, figure in one.figures.items()]
    return ClassResult(one.host_class.name, bool(one.host_class.clean), candidate_of(one.fastest),
                       None if found.is_conclusive else str(found.inconclusive), profiles, [*map(candidate_of, one.left_out)])


def candidate_of(candidate: figures.Candidate) -> Candidate:
    return Candidate(**candidate.to_json())


def host_of(host: collection.Host) -> Host:
    found = host.figures
    state, code = (host.state.state, host.state.exit_code) if host.state else (None, None)
    if not found:
        return Host(host.name, state, code, [], 0, 0, None, None, None, host.is_clean, host.notes)
    return Host(host.name, state, code, found.files, found.rows, found.failures, found.disturbed_share, found.clean_share,
                found.cpu_share, host.is_clean, host.notes)


# The first sentences of a fleet report: the fastest profile of each class, one profile for all classes, the slow hosts.

NAMED = 3  # a sentence names at most this number of classes or hosts
MOST_LEADERS = 2  # if a larger number of profiles are tied, the sentence contains this number instead of the names
LEAST_SHOWN = 0.05  # percent; smaller losses of speed are not shown


def sentence(results: Results) -> str:
    """Names the fastest profile of the NAMED largest classes; with several cases, the technique; for libraries, the library."""
    found = {one.name: text for one in results.classes if (text := of_class(results, one.name))}
    if not found:
        return "No host has a figure."
    if len(found) > 1 and len(set(found.values())) == 1:
        return f"On all {len(found)} classes, {next(iter(found.values()))}."
    if len(results.classes) == 1:
        return f"On {next(iter(results.class_names.values()))}, {next(iter(found.values()))}."
    parts = [f"on class {name}, {text}" for name, text in found.items()]
    if (more := len(parts) - NAMED) > 0:
        parts[NAMED:] = [f"{more} more {'class is' if more == 1 else 'classes are'} listed below"]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def of_class(results: Results, name: str) -> str:
    """"" if the class has no case."""
    found = [one for case in results.cases for one in case.classes if one.host_class.name == name]
    if not found:
        return ""
    is_short = len(results.cases) > 1
    kind = "library" if found[0].fastest.library else "technique" if is_short else "profile"
    outcomes = [select.outcome_of(one.ranking, lambda one: one.code if is_short else str(one), with_unclear=True) for one in found]
    scores = select.scores(outcomes, dict.fromkeys(name for outcome in outcomes for name in outcome.first))
    if not scores:
        return f"it is inconclusive which {kind} is the fastest"
    leaders = [score for score in scores if (score.fastest, score.tied) == (scores[0].fastest, scores[0].tied)]
    counts = f" ({count_text(scores[0], len(found))})" if is_short else ""
    if len(leaders) == 1:
        return f"{leaders[0].name} is the fastest {kind}{counts}"
    kinds = "libraries" if kind == "library" else f"{kind}s"
    names = " and ".join(score.name for score in leaders) if len(leaders) <= MOST_LEADERS else f"{len(leaders)} {kinds}"
    return f"{names} are {f'each the fastest {kind}{counts}' if is_short else 'not significantly different'}"


def count_text(score: select.Score, cases: int) -> str:
    tied = f", tie in {score.tied}" if score.tied else ""
    return f"in {score.fastest} of {cases} cases{tied}"


def verdict(results: Results) -> str:
    """One profile for all classes; slow, disturbed and missing hosts."""
    return " ".join(text for text in (for_all(results), hosts(results)) if text)


def for_all(results: Results) -> str:
    """The largest loss of speed if all classes use the same profile; "" if there is nothing to compare."""
    shared = [case.for_all for case in results.cases if len(case.classes) > 1 and case.for_all]
    if not shared:
        return ""
    worst = min(shared, key=lambda one: one.worst)
    loss = (1 - worst.worst) * 100
    cost = f"at most {loss:.1f} % slower than" if loss >= LEAST_SHOWN else "as fast as"
    if len(results.cases) == 1:
        return f"One profile for all classes: {worst.candidate}. In each class, it is {cost} the fastest profile."
    cases = "each case" if len(shared) == len(results.cases) else f"{len(shared)} of {len(results.cases)} cases"
    return f"In {cases}, one profile for all classes is {cost} the fastest profile of each class."


def hosts(results: Results) -> str:
    count = len(results.collection.measured)
    slow = [one for one in results.slow if one.is_slower]
    texts = []
    if slow:
        names = ", ".join(f"{one.host} ({(1 - one.ratio) * 100:.1f} %)" for one in slow[:NAMED])
        rest = f" and {len(slow) - NAMED} others" if len(slow) > NAMED else ""
        slower = "is slower than its" if len(slow) == 1 else "are slower than their"
        texts.append(f"{len(slow)} of {count} hosts {slower} class: {names}{rest}.")
    elif compared := sum(len(one.clean) for one in results.classes if len(one.clean) > 1):
        texts.append(f"None of {compared} hosts is slower than its class.")
    if unclean := len(results.unclean):
        texts.append(f"Other programs disturbed {unclean} {'host' if unclean == 1 else 'hosts'}.")
    if missing := len(results.missing):
        texts.append(f"{missing} {'host has' if missing == 1 else 'hosts have'} no complete result.")
    return " ".join(texts)
