"""An experiment: its points, what competes, and the table of its results. A user names a file in scripts/experiments/, gives a TOML
file of their own, or gives words KEY=VALUES; words replace axes of a file. docs/experiments.md describes the keys of a file."""

import copy
import dataclasses
import json
import math
import os
import pathlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from ecbench.comparison.figures import CHANGE, SELECT
from ecbench.documents.document import Json, Shape, Unlike, fields, list_of, must_be, number, words
from ecbench.experiment.expansion import FUNCTIONS
from ecbench.files import files
from ecbench.files.files import read_text
from ecbench.installation.places import EXPERIMENTS
from ecbench.measure.session import LEAST_SAMPLES, Effort, samples_in, seconds_of
from ecbench.point.axes import BEST, DEFAULTS, LIBRARY, SHAPE, Axes, Axis, Language, read_axes, shapes_of, split
from ecbench.runfile.summary import GB_PER_S, LATENCIES
from ecbench.terminal.arguments import duration_of
from ecbench.terminal.console import Refused, did_you_mean, one_of, plain

SUFFIX = ".toml"
BARS = "bars"  # a view
MOST_BYTES = 1 << 20
MOST_COMBINATIONS = 1_000_000
NO_QUESTION = "none"
QUESTIONS = (SELECT, CHANGE, NO_QUESTION)
# Each dictionary: cell of a table → its title. A comparison uses one of FIGURES.
FIGURES = {"gb_per_s": "GB/s", "objects_per_s": "objects/s", **{name: f"{name} µs" for name in LATENCIES}}
# What --counts-only counts: keys of Reads.
COUNTED = {"chunks_read": "chunks read", "drive_factor": "drive", "network_factor": "network", "block_factor": "blocks",
           "reads_per_helper": "reads/helper"}
NOT_IN_ROWS = {"block_factor"}
OF_A_CASE = {"limit": "roofline"}  # cells that all candidates of a case share: one column of a table
CELLS = {**FIGURES, **OF_A_CASE, "ratio": "ratio", "verdict": "", "ns_per_op": "ns", "cpu_seconds_per_gb": "CPU s/GB",
         "limit_percent": "%limit", "background_gb_per_s": "background GB/s", "cpu_seconds_per_tb": "CPU s/TB",
         "stored": "stored / object", "stored_tentacle": "stored / object (Tentacle)", **COUNTED,
         "delta_reads": "reads", "reencoding_reads": "reads of re-encoding"}
FUNCTION_WORDS = {BEST, *(word for _, word in FUNCTIONS)}  # each can have several values
IN_ROWS = "cells"


@dataclasses.dataclass(frozen=True)
class Table:
    """Properties of points name the rows and columns; each pair of a row and a column has the cells. `profiles`: titles of columns;
    a further column shows the technique and packetsize that a stage chose for them."""

    rows: tuple[str, ...] = ()  # with IN_ROWS as the last, each cell has a row of its own
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ("gb_per_s",)
    profiles: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The properties that name a row."""
        return tuple(row for row in self.rows if row != IN_ROWS)


@dataclasses.dataclass(frozen=True)
class Stage:
    """At most `keep` candidates of each group, or this share of all candidates if that is more, reach the next stage."""

    effort: Effort
    rounds: int
    keep: int
    share: float = 0
    of: str = ""  # candidates with the same value of this property are a group; "": all

    def fitting(self, count: int, seconds: float) -> "Stage":
        """The stage for `count` points in this time: fewer rounds, or a single short one."""
        rounds = int(seconds / seconds_of(count, self.effort.min_time)) if math.isfinite(seconds) else self.rounds
        if rounds:
            return dataclasses.replace(self, rounds=min(rounds, self.rounds))
        samples = max(LEAST_SAMPLES, samples_in(seconds / count))
        return dataclasses.replace(self, rounds=1, effort=dataclasses.replace(self.effort, min_time=samples))


@dataclasses.dataclass(frozen=True)
class Experiment:
    name: str = ""  # for the name of the run file; "" for words only
    title: str = ""
    question: str = SELECT
    candidate: tuple[str, ...] = ()  # properties of points that compete; (): the whole profile, except k and m
    reference: tuple[tuple[str, str], ...] = ()  # of the question change: the properties of the candidate that is the reference
    # The figure of a candidate is the harmonic mean over the values of these properties.
    together: tuple[str, ...] = ()
    figure: str = GB_PER_S  # one of FIGURES
    table: Table | None = None
    view: str = ""  # "bars": one screen with a bar for each candidate, instead of a table
    rounds: int | None = None  # None: the default of the mode, like those that follow
    min_time: float | None = None  # seconds
    budget: float | None = None  # seconds
    points: tuple[Axes, ...] = ()  # each a grid
    stages: tuple[Stage, ...] = ()

    def to_json(self) -> Json:
        """What is needed to compare the points of a finished run; for the header of the run file."""
        table = self.table and {key: list(of) for key, of in vars(self.table).items() if of or key != "profiles"}
        return {"title": self.title, "question": self.question, "candidate": list(self.candidate),
                "reference": dict(self.reference), "figure": self.figure, "table": table,
                **({"view": self.view} if self.view else {}), **({"together": list(self.together)} if self.together else {})}


def of_json(json: Json) -> Experiment:
    """The inverse of to_json(), for checked values."""
    table = json.get("table")
    return Experiment(
        title=plain(json.get("title", "")), question=json.get("question", SELECT),
        reference=tuple((name, str(one)) for name, one in json.get("reference", {}).items()), figure=json.get("figure", GB_PER_S),
        table=Table(**{key: tuple(of) for key, of in table.items() if key in vars(Table())}) if table else None,
        view=json.get("view", ""), candidate=tuple(json.get("candidate", ())), together=tuple(json.get("together", ())))


def named() -> list[str]:
    return sorted(path.stem for path in EXPERIMENTS.glob(f"*{SUFFIX}"))


def file_of(words: list[str]) -> pathlib.Path | None:
    """The file that `words` name: a named experiment, or a path. None if all words are axes. Throws Refused."""
    names = [word for word in words if is_name(word)]
    if not names:
        return None
    if len(names) > 1:
        raise Refused(f"'{names[1]}' is a second experiment; give one, and axes such as k=8")
    name = names[0]
    if name in named():
        return EXPERIMENTS / f"{name}{SUFFIX}"
    if name.endswith(SUFFIX) or os.path.exists(name):
        return pathlib.Path(name)
    raise Refused(f"'{name}' is neither KEY=VALUES, nor the name of an experiment ({', '.join(named())}), nor a {SUFFIX} file"
                  f"{did_you_mean(name, named())}")


def is_name(word: str) -> bool:
    return os.path.exists(word) or ("=" not in word and not re.fullmatch(r"\d+\+\d+(,\d+\+\d+)*", word))


def read_experiment(words: list[str], language: Language) -> Experiment:
    """Throws Refused."""
    words = [part for word in words for part in ([word] if os.path.exists(word) else split([word]))]
    if not words:
        raise Refused(f"no experiment is given; give the name of one ({', '.join(named())}), a {SUFFIX} file, or words such as "
                      "plugin=isa k=4,6 m=2")
    path = file_of(words)
    with_words(language)
    given = [word for word in words if not is_name(word)]
    found = Experiment() if path is None else read_file(path, language)
    own_language = copy.copy(language)
    if any(LIBRARY in axes for axes in found.points):  # then plugin= selects entries, also of plugins that are not built
        own_language.known = {**language.known, "plugin": Axis()}
    own = read_axes(given, own_language)
    entries = replaced(found.points or ({},), own, dict(found.reference))
    if wrong := what_is_not_compared(found, entries):
        raise Refused(plain(f"{path}: {wrong}"))
    points = shapes_of(entries, own)
    count = sum(math.prod(len(values) for key, values in {**DEFAULTS, **axes}.items() if key != "max-padding") for axes in points)
    if count > MOST_COMBINATIONS:
        raise Refused(f"these axes have {count} combinations; at most {MOST_COMBINATIONS} are allowed: give fewer values")
    return dataclasses.replace(found, points=tuple(points))


def with_words(language: Language) -> Language:
    """Adds the words of experiments: pairs of k and m, and technique=best."""
    if "k" in language.known:
        language.known.setdefault(SHAPE, Axis())
        if names := language.known["technique"].words:
            language.known["technique"] = Axis((*names, BEST))
    return language


def replaced(entries: Sequence[Axes], own: Axes, reference: Mapping[str, str]) -> list[Axes]:
    """The entries of a file with the user's axes. These replace those of an entry, except that library= and, with libraries,
    plugin= select entries, and so does technique= if these have all its values: the other axes of an entry suit its techniques.
    An entry whose only value is that of the reference keeps it. Throws Refused."""
    labelled = [axes for axes in entries if LIBRARY in axes]
    for key in (LIBRARY, "plugin"):
        known = {str(value) for axes in labelled for value in axes.get(key, ())}
        if key not in own or not known:
            continue
        if unknown := [name for name in own[key] if name not in known]:
            raise Refused(f"{key}={unknown[0]} is not allowed; choose {one_of(sorted(known))}{did_you_mean(unknown[0], known)}")
        entries = [axes for axes in entries if LIBRARY not in axes or set(own[key]) & set(axes.get(key, ()))]
        if not entries:
            raise Refused(f"{key}={','.join(own[key])} is not allowed: the libraries use other {key}s; leave one of the words out")
        own = {name: values for name, values in own.items() if name != key}
    wanted = own.get("technique", ())
    selects = set(wanted) <= {name for axes in entries for name in axes.get("technique", ())}
    found = []
    for axes in entries:
        techniques = tuple(name for name in wanted if not selects or name in axes.get("technique", ()))
        if techniques or not wanted:
            found.append({**axes, **{key: values for key, values in own.items() if tuple(map(str, axes.get(key, ()))) != (
                reference.get(key),)}, **({"technique": techniques} if wanted and selects else {})})
    return found


def read_file(path: pathlib.Path, language: Language) -> Experiment:
    """Throws Refused, with the file, the line of the key, and the key."""
    try:
        text = read_text(path).removeprefix("\ufeff")  # the byte order mark of editors on Windows
    except (OSError, ValueError) as error:
        raise Refused(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from error
    if len(text) > MOST_BYTES:
        raise Refused(f"{path} has more than {MOST_BYTES >> 20} MiB, the limit for an experiment")
    try:
        values = json.loads(json.dumps(tomllib.loads(text), default=str))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = re.search(r"\(at line (\d+)", str(error))
        raise Refused(plain(f"{path}, line {at[1] if at else len(text.splitlines())}: not TOML: {error}")) from error
    try:
        return checked(path.stem, values, language)
    except (Unlike, Refused) as error:  # the first word of the message is the key
        key = re.escape(re.split(r"[\[. ]", str(error))[0])
        line = next((number for number, line in enumerate(text.splitlines(), 1) if re.match(rf"[\s\[\"']*{key}\b", line)), 1)
        raise Refused(plain(f"{path}, line {line}: {error}")) from error


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def texts(example: str) -> Shape:
    return must_be(f"a list of texts, such as {example}",
                   lambda value: isinstance(value, list) and value and all(map(is_text, value)))


def are_axes(value: Any) -> bool:
    lists = [of if isinstance(of, list) else [of] for of in value.values()] if isinstance(value, dict) else [[]]
    return all(of and all(type(one) in (str, int) for one in of) for of in lists)


text = must_be("text", is_text)
duration = must_be('a duration from "1ms" to "24h", such as "100ms" or "3min"',
                   lambda value: isinstance(value, str) and value[-1:].isalpha() and 0.001 <= (duration_of(value) or 0) <= 86400)
properties = must_be('properties of a candidate, such as { plugin = "isa" }', lambda value:
                     isinstance(value, dict) and value and all(type(one) in (str, int) for one in value.values()))
axes = must_be("a table of lists of numbers or texts, such as { k = [6], m = [2] }", are_axes)


def table(value: Any) -> None:
    TABLE(value)
    if both := [name for name in value["rows"] if name in value.get("columns", ())]:
        raise Unlike("an object in which no name is in rows and in columns", both[0])


NAMES, WHOLE = texts('["plugin"]'), number(1, 1000, (int,), "a whole number")
TABLE = fields({"rows": NAMES}, {"columns": NAMES, "cells": list_of(words(*CELLS), 1), "profiles": NAMES}, is_closed=True)
KEYS: dict[str, Shape] = {
    "title": text, "question": words(*QUESTIONS), "candidate": NAMES, "reference": properties, "figure": words(*FIGURES),
    "table": table, "view": words(BARS), "rounds": WHOLE, "min_time": duration, "budget": duration, "axes": axes,
    "points": texts('["plugin=isa k=6 m=2"]'),
    "stages": list_of(fields({"keep": WHOLE}, {"of": text, "rounds": WHOLE, "min_time": duration}, is_closed=True), 1)}


def checked(name: str, values: Json, language: Language) -> Experiment:
    """Throws Unlike and Refused."""
    if unknown := next((key for key in values if key not in KEYS), ""):
        raise Refused(f"{unknown} is not a key of an experiment; choose {one_of(KEYS)}{did_you_mean(unknown, KEYS)}")
    fields({"points": KEYS["points"]}, KEYS)(values)
    axes = axes_of("axes", [f"{name}={','.join(map(str, of if isinstance(of, list) else [of]))}"
                            for name, of in values.get("axes", {}).items()], language)
    points = tuple({**axes, **axes_of("points", split([each]), language)} for each in values["points"])
    reference = axes_of("reference", [f"{name}={value}" for name, value in values.get("reference", {}).items()],
                        with_words(Language(None)))
    times: Json = {key: duration_of(values[key]) for key in ("min_time", "budget") if key in values}
    found = dataclasses.replace(
        of_json(values), name=name, points=points, rounds=values.get("rounds"), **times,
        reference=tuple((name, ",".join(map(value_text, of))) for name, of in reference.items()),
        stages=tuple(Stage(Effort(duration_of(one.get("min_time", "10ms")) or 0, limit=False), one.get("rounds", 2),
                           one["keep"], of=one.get("of", "")) for one in values.get("stages", ())))
    if found.question == CHANGE and not found.reference:
        raise Refused('question is "change", but reference is missing; name the candidate that the others are compared with, such '
                      'as reference = { plugin = "isa" }')
    if found.view and found.figure != GB_PER_S:
        raise Refused(f'figure is {found.figure}, but view = "{found.view}" shows {GB_PER_S}; leave out one of them')
    if found.reference and found.question != CHANGE:
        raise Refused('reference needs question = "change"')
    check_properties(found, values, language)
    return found


def value_text(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, tuple) else str(value)


def what_is_not_compared(found: Experiment, entries: Sequence[Axes]) -> str:
    """Why the axes cannot answer the question: neither the file nor `entries`, which have the user's axes, have two candidates, or
    points have no latency. "" if they can."""
    values = [{axes.get(name, DEFAULTS.get(name, ())) for axes in (*found.points, *entries)} for name in found.candidate]
    if found.question != NO_QUESTION and values and not any(
            len(of) > 1 or any(len(one) > 1 or FUNCTION_WORDS & set(one) for one in of) for of in values):
        why = "all points have the same value" if any(map(any, values)) else "no point has it"
        return f"candidate is {', '.join(found.candidate)}, but {why}; a comparison needs two"
    paces = {pace for axes in entries for pace in axes.get("pace", ("none",))}
    cells = [] if paces - {"none"} else [cell for cell in (found.table or Table()).cells if cell in LATENCIES]
    names = [found.figure] if found.figure in LATENCIES and "none" in paces else cells
    return f"{names[0]} is a latency, which only points with a pace have; give pace=50%, for example" if names else ""


def check_properties(found: Experiment, values: Json, language: Language) -> None:
    """Properties are axes of points. The reference must be a value that a point has, if its axis is given. Throws Refused,
    with the key as the first word: read_file() finds its line."""
    table = found.table or Table()
    names = {*found.candidate, *dict(found.reference), *table.keys, *table.columns, *(one.of for one in found.stages if one.of)}
    for name in sorted(names - {SHAPE, *(key for axes in found.points for key in axes)}):
        try:
            language.axis(name, f"{name}=")
        except Refused as refusal:
            key = next((key for key in ("candidate", "reference", "table", "stages") if name in str(values.get(key))), "table")
            raise Refused(f"{key} has an error: {refusal}") from refusal
    for name, value in found.reference:
        given = {value_text(one) for axes in found.points for one in axes.get(name, ())}
        if given and value not in given:
            raise Refused(f"reference is {name}={value}, but no point has it; points have {', '.join(sorted(given))}"
                          f"{did_you_mean(value, given)}")
    if found.candidate and not set(dict(found.reference)) <= set(found.candidate):
        raise Refused(f"reference must be properties of a candidate ({', '.join(found.candidate)})")


def axes_of(key: str, words: list[str], language: Language) -> Axes:
    """Throws Refused."""
    built = language.known["plugin"].words
    names = {word.removeprefix("plugin=") for word in words if word.startswith("plugin=")}
    is_library = any(word.startswith(f"{LIBRARY}=") for word in words)  # its plugin is not known if it is not built
    try:
        axes = read_axes(words, language if not is_library or not built or names <= {*built} else with_words(Language(None)))
        if len(axes.get(LIBRARY, ())) > 1:
            raise Refused(f"{LIBRARY}= has several values; give one, the name of the entry")
        for name in files.AXES:  # codec-lib=built is the ISA-L next to the program
            if not set(axes.get(name, ())) <= {"none", "built"}:
                raise Refused(f"{name}= {files.AGAIN}; give it as a word, next to the name of the file")
        return axes
    except Refused as refusal:
        raise Refused(f"{key} has an error: {refusal}") from refusal
