"""What ecbench prints about points (`--describe`), repairs (`--show-reads`) and plugins (`--list`). The schemas in src/report
describe all keys."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ecbench.documents.document import (
    Json,
    column,
    fields,
    list_of,
    map_of,
    number,
    or_null,
    part,
    parts,
    required,
    text,
    values_of,
    whole,
)

REFUSAL = fields({"refused": text})


@dataclasses.dataclass(frozen=True)
class Losses:
    """The erasure patterns with a number of lost chunks."""

    chunks: int = required(whole(1))
    patterns: int | None = required(or_null(whole(1)))  # None: more than 10^19
    checked: int = required(whole(1))
    unrecoverable: int = required(whole())


@dataclasses.dataclass(frozen=True, kw_only=True)
class Description:
    """The code of a point, or why ecbench refuses the point; the other fields then have no meaning."""

    refused: str = ""
    profile: dict[str, str] = column(map_of(text), dict)  # with the defaults of the plugin
    k: int = column(whole(1), 0)
    m: int = column(whole(), 0)
    chunk_count: int = column(whole(1), 0)
    chunk_size: int = column(whole(1), 0)
    padding_percent: float = column(number(), 0.0)
    erasures: int = column(whole(), 0)
    kernel: str = column(text, "")
    losses: Losses | None = part(Losses, lambda: None)

    @classmethod
    def read(cls, json: Any) -> "Description":
        """Throws Unlike."""
        if isinstance(json, dict) and "refused" in json:
            REFUSAL(json)
            return cls(refused=json["refused"] or "no reason")
        DESCRIPTION(json)
        return cls(**values_of(cls, json))


OF_CODE = {field.name: field.metadata["shape"] for field in dataclasses.fields(Description) if field.metadata}
OPTIONAL = {key: OF_CODE.pop(key) for key in ("kernel", "losses")}
DESCRIPTION = fields(OF_CODE, OPTIONAL)

AMOUNT = number(0, 1e12)


@dataclasses.dataclass(frozen=True)
class Reads:
    """What is read to rebuild lost chunks, or why they cannot be rebuilt; the other fields then have no meaning."""

    unrecoverable: str = column(text, "")
    chunks_read: float = column(AMOUNT, 0.0)
    drive_factor: float = column(AMOUNT, 0.0)
    network_factor: float = column(AMOUNT, 0.0)
    reads_per_helper: float = column(AMOUNT, 0.0)
    block_factor: float = column(AMOUNT, 0.0)
    block_reads_per_helper: float = column(AMOUNT, 0.0)
    sub_chunk_count: int = column(whole(1), 1)


Describe = Callable[[list[Json]], list[Description]]  # the type of Ecbench.describe


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str = required(text)
    type: str = required(text)  # count, choice, flag or text
    choices: Sequence[int] | None = column(or_null(list_of(whole())))
    minimum: int | None = column(or_null(number(kinds=(int,))))
    maximum: int | None = column(or_null(number(kinds=(int,))))


@dataclasses.dataclass(frozen=True)
class Technique:
    name: str = required(text)  # "" if the only technique of a plugin has no name
    parameters: list[Parameter] = parts(Parameter, dataclasses.MISSING)


@dataclasses.dataclass(frozen=True)
class Plugin:
    path: str = required(text)
    techniques: list[Technique] = parts(Technique, dataclasses.MISSING)
    summary: str = column(text, "")
    default_technique: str | None = column(or_null(text))


Plugins = dict[str, Plugin]  # value of --plugin → the plugin
