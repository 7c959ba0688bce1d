"""A bar of the chart and a row of the tables of `profile --grid`."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Bar:
    """The instruction counts of one point. Bars with the same `point` differ only in the packetsize."""

    point: str  # text of the point without its packetsize
    packetsize: int
    chunk_size: int
    padding_percent: float
    ir_per_byte: float
    kernel: str
    classes: dict[str, float]  # class → share in percent
