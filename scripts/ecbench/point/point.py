"""Points and workloads, how they are written in texts, and what ecbench prints about points, repairs and plugins. The workloads are
read from the C++ file that registers them."""

import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from ecbench.documents.document import NOT_READ, Json, Key, Positive, Unlike, Whole, fields, read, refuse_controls, shape_of
from ecbench.files.files import AGAIN, PARAMETERS
from ecbench.installation.places import WORKLOADS as FILE
from ecbench.terminal.console import number_of, plain

_FACTS = dict(re.findall(r"^WORKLOAD\((\w+)(.*)\)$", FILE.read_text("utf-8"), re.MULTILINE))

WORKLOADS = tuple(_FACTS)
WITH_ERASURES = tuple(name for name, facts in _FACTS.items() if ".losses" in facts)  # all other workloads have 0 erasures
OVERWRITES = tuple(name for name, facts in _FACTS.items() if ".overwrites" in facts)  # workloads that change data chunks
REFERENCE_LOOPS = tuple(name for name, facts in _FACTS.items() if ".is_reference_loop" in facts)


# A point is the full description of one measurement. It can be converted to arguments of ecbench, and to JSON for a run file.
# Two points are equal if and only if their ids are equal. The profile of a measured point also contains the parameters that
# have their default value. Example: if the default of w is 8, the same point is measured for arguments with w=8 and for
# arguments without w.

MOST, MOST_BYTES = 1 << 16, (1 << 63) - 1
Bytes = Annotated[int, Key(least=1, most=MOST_BYTES)]
Count = Annotated[int, Key(least=0, most=MOST)]
Several = Annotated[int, Key(least=1, most=MOST)]
Pairs = tuple[tuple[str, str], ...]  # keys and values of a profile

SHOWN_APART = ("technique", "k", "m")
COUNTED = ("k", "m", "packetsize")  # in every plugin, the values of these parameters are numbers
SHOWN_OPTIONS = {"stripe_unit": "in stripes of {} chunks", "cache": "{}", "threads": "{} threads", "timing": "timing={}",
                 "erased": "without chunk {}", "dispatch": "dispatch={}", "codec_lib": "codec-lib={}", "want": "want={}",
                 "pace": "pace={}", "background": "background={}"}
NOT_SHOWN = {("w", "8")}  # __str__() leaves out these parameters, and parameters whose value is "" or "false"

TEXTS = shape_of(dict[str, str])


def profile_parameters(value: Any) -> None:
    TEXTS(value)
    refuse_controls(value)
    for key in value:
        if "=" in key:  # ecbench would read another key
            raise Unlike("missing, because a key has no =", value[key]).within(key)
        if key.removeprefix("erasure-code-") in PARAMETERS:
            raise Unlike(f"missing, because it {AGAIN}", value[key]).within(key)
    for key in COUNTED:
        if not re.fullmatch(r"[0-9]{0,9}", value.get(key, "")):
            raise Unlike("a whole number with at most 9 digits", value[key]).within(key)


@dataclasses.dataclass(frozen=True)
class Point:
    plugin: str
    profile: Annotated[Pairs, Key(check=profile_parameters)]  # sorted by key
    workload: str
    size: Bytes  # bytes of the object
    erasures: Count  # 0 if the workload has no lost chunks
    stripe_unit: Bytes | None = None  # bytes; None: the object is one stripe
    cache: str = "warm"
    threads: Several = 1
    timing: str = "kernel"
    dispatch: str = "native"
    # The JSON has the columns that follow only if their value is not None. The id of a point is computed from its JSON.
    erased: Count | None = None  # position of the only lost chunk; None: ecbench chooses them
    codec_lib: str | None = None  # directory with the codec libraries; None: the codec libraries of the system are used
    want: str | None = None  # data: decode must rebuild only the lost data chunks; None: all lost chunks
    changed: Several | None = None  # data chunks that an overwrite changes; None for other workloads
    pace: str | None = None  # operations per second, or a percentage of the greatest rate; None: one after another
    background: str | None = None  # the workload that runs at the same time, such as repair@50M; None: none

    @functools.cached_property
    def id(self) -> str:
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a parameter of the profile, as text."""
        return dict(self.profile).get(key, default)

    def words(self) -> list[str]:
        """The arguments of ecbench that describe the point, without options that have their default value."""
        words = ["--plugin", self.plugin, "--workload", self.workload, "--size", str(self.size)]
        if self.workload in WITH_ERASURES and self.erased is None:
            words += ["--erasures", str(self.erasures)]
        for key, value in self.profile:
            if value:
                words += ["--parameter", f"{key}={value}"]
        for name, default in DEFAULT_OPTIONS.items():
            value = getattr(self, name)
            if value != default:
                words += [f"--{name.replace('_', '-')}", str(value)]
        return words

    def to_json(self) -> Json:
        values = {name: value for name in NAMES if (value := getattr(self, name)) is not None or name not in LATER}
        return {**values, "profile": dict(self.profile)}

    @classmethod
    def from_json(cls, values: Any) -> "Point":
        """The inverse of to_json(). Throws ValueError if a key is missing or unknown, or if a value is not allowed."""
        shape_of(cls)(values)
        if unknown := values.keys() - NAMES:
            raise ValueError(f"{min(unknown)!r} is not a key of a point; allowed: {', '.join(NAMES)}")
        return cls(**{**values, "profile": tuple(sorted(values["profile"].items()))})

    def __str__(self) -> str:
        profile = dict(self.profile)
        shape = f"{profile['k']}+{profile['m']}" if "k" in profile and "m" in profile else ""
        apart = SHOWN_APART if shape else ("technique",)
        rest = [f"{key.removeprefix(self.plugin + '-')}={value}" for key, value in self.profile
                if key not in apart and value not in ("", "false") and (key, value) not in NOT_SHOWN]
        lost = str(self.erasures) if self.workload in WITH_ERASURES else str(self.changed or "")
        words = [self.plugin, profile.get("technique", ""), shape, *rest, self.workload, lost, "of", bytes_text(self.size)]
        for name, shown in SHOWN_OPTIONS.items():
            if (value := getattr(self, name)) != DEFAULT_OPTIONS[name]:
                words.append(shown.format(bytes_text(value) if name == "stripe_unit" else value))
        return plain(" ".join(word for word in words if word))


DEFAULT_OPTIONS: Json = {field.name: field.default for field in dataclasses.fields(Point)
                         if field.default is not dataclasses.MISSING}
NAMES = tuple(field.name for field in dataclasses.fields(Point))
LATER = NAMES[NAMES.index("erased"):]


@dataclasses.dataclass(frozen=True)
class Planned:
    """A point of the plan of a run, and what is known about it before it is measured."""

    point: Point
    chunk_size: int | None = None
    padding_percent: float | None = None
    group: str = ""  # the points of a group are measured one after another
    library: str = ""
    name: str = ""  # in tables

    @property
    def id(self) -> str:
        return self.point.id

    def to_json(self) -> Json:
        more = {key: value for key, value in vars(self).items() if value not in (None, "")}
        return {"id": self.id, **more, "point": self.point.to_json()}


def profile_words(plugin: str, profile: Pairs) -> list[str]:
    """The arguments of ecbench that describe a profile."""
    return ["--plugin", plugin, *(word for key, value in profile for word in ("--parameter", f"{key}={value}"))]


def make_point(plugin: str, profile: Mapping[str, Any], workload: str, size: int, erasures: int, **options: Any) -> Point:
    """Makes a point. If the workload has no lost chunks, the point has 0 erasures."""
    pairs = tuple(sorted((key, str(value)) for key, value in profile.items()))
    if workload not in WITH_ERASURES:
        erasures, options = 0, {**options, "erased": None}
    elif options.get("erased") is not None:
        erasures = 1
    if workload not in OVERWRITES:
        options = {**options, "changed": None}
    if workload != "decode":
        options = {**options, "want": None}
    return Point(plugin, pairs, workload, size, erasures, **options)


def bytes_text(size: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} bytes"


def size_word(size: int) -> str:
    """As an argument: 4M."""
    return bytes_text(size).removesuffix(" bytes").removesuffix("iB").replace(" ", "")


# What ecbench prints about points (`describe`), repairs (`reads`) and plugins (`list`). The schemas are in src/report.

REFUSAL = fields({"refused": str})
OF_CODE = fields(dict.fromkeys(("profile", "k", "m", "chunk_count", "chunk_size", "padding_percent", "erasures"), object))


@dataclasses.dataclass(frozen=True)
class Losses:
    """The erasure patterns with a number of lost chunks."""

    chunks: Positive
    patterns: Positive | None  # None: more than 10^19
    checked: Positive
    unrecoverable: Whole


@dataclasses.dataclass(frozen=True, kw_only=True)
class Description:
    """The code of a point, or why ecbench refuses the point; the other fields then have no meaning."""

    refused: Annotated[str, NOT_READ] = ""
    profile: dict[str, str] = dataclasses.field(default_factory=dict)  # with the defaults of the plugin
    k: Positive = 0
    m: Whole = 0
    chunk_count: Positive = 0
    chunk_size: Positive = 0
    padding_percent: float = 0.0
    erasures: Whole = 0
    kernel: str = ""
    losses: Losses | None = None

    @classmethod
    def read(cls, json: Any) -> "Description":
        """Throws Unlike."""
        if isinstance(json, dict) and "refused" in json:
            REFUSAL(json)
            return cls(refused=json["refused"] or "no reason")
        OF_CODE(json)
        return read(cls, json)


Amount = Annotated[float, Key(least=0, most=1e12)]


@dataclasses.dataclass(frozen=True)
class Reads:
    """What is read to rebuild lost chunks, or why they cannot be rebuilt; the other fields then have no meaning."""

    unrecoverable: str = ""
    chunks_read: Amount = 0.0
    drive_factor: Amount = 0.0
    network_factor: Amount = 0.0
    reads_per_helper: Amount = 0.0
    block_factor: Amount = 0.0
    block_reads_per_helper: Amount = 0.0
    sub_chunk_count: Positive = 1


Describe = Callable[[list[Json]], list[Description]]  # the type of Ecbench.describe


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # count, choice, flag or text
    choices: Sequence[Whole] | None = None
    minimum: int | None = None
    maximum: int | None = None


@dataclasses.dataclass(frozen=True)
class Technique:
    name: str  # "" if the only technique of a plugin has no name
    parameters: list[Parameter]


@dataclasses.dataclass(frozen=True)
class Plugin:
    path: str
    techniques: list[Technique]
    summary: str = ""
    default_technique: str | None = None


Plugins = dict[str, Plugin]  # value of --plugin → the plugin


# Functions that convert sizes, numbers, workloads and options to text. Charts, tables and the Markdown summary use them.

def size_text(size: int) -> str:
    """The size as text: 1 MiB for 1048576. A size that is not a multiple of 1 KiB is shown in bytes."""
    return bytes_text(size).replace(" bytes", " B")


def figure_text(value: float | None) -> str:
    """The number with about three significant digits, since measured values vary by 2 %. All digits before the decimal point are
    shown."""
    if value is None:
        return "-"
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 3}f}"


def number_text(value: float | None, decimals: int = 1) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def letters(number: int) -> str:
    """A to Z, AA, AB, ..."""
    return (letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def workload_text(workload: str, erasures: int) -> str:
    return f"{workload}, {erasures} lost" if erasures else workload


def option_text(name: str, value: Any) -> str:
    if name == "cache":
        return value
    if name == "threads":
        return number_of(value, "thread")
    if name == "timing":
        return f"{value} timing"
    if name == "stripe_unit":
        return "one stripe" if value is None else f"stripe unit {size_text(value)}"
    return f"{name.replace('_', ' ')} {value}"
