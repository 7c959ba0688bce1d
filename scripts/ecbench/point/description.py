"""What ecbench prints about points (`describe`), repairs (`reads`) and plugins (`list`). The schemas in src/report describe all
keys."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from ecbench.documents.document import NOT_READ, Json, Key, Positive, Whole, fields, keys_of, shape_of, values_of

REFUSAL = fields({"refused": str})


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
        DESCRIPTION(json)
        return cls(**values_of(cls, json))


OF_CODE = {name: shape_of(of, key) for name, (of, key) in keys_of(Description).items() if key.is_read}
OPTIONAL = {key: OF_CODE.pop(key) for key in ("kernel", "losses")}
DESCRIPTION = fields(OF_CODE, OPTIONAL)

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
