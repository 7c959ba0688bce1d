"""The data that every profiler provides: the cost at each address of each object."""

import collections
import dataclasses
from collections.abc import Iterable

from ecbench.symbols.resolver import Resolver


class Unreadable(Exception):
    """The profiler's file is damaged or has another format. The message is one line."""


@dataclasses.dataclass
class Costs:
    event: str  # Ir or samples
    at: collections.Counter[tuple[str, int]] = dataclasses.field(default_factory=collections.Counter)  # path of object, address
    # Samples by the names of the functions on the call stack, the outermost first. Empty if the profiler has no stacks.
    stacks: collections.Counter[tuple[str, ...]] = dataclasses.field(default_factory=collections.Counter)

    @property
    def total(self) -> int:
        return self.at.total()


class Mappings:
    """The mapped objects of a process. Converts run-time addresses to objects and addresses in them."""

    def __init__(self, resolver: Resolver, maps: Iterable[tuple[int, int, int, str]] = ()) -> None:
        self._resolver = resolver
        self._maps = list(maps)

    def copy(self) -> "Mappings":
        return Mappings(self._resolver, self._maps)

    def add(self, start: int, end: int, offset: int, path: str) -> None:
        self._maps.append((start, end, offset, path))

    def locate(self, pc: int) -> tuple[str, int]:
        """The object's path and the address in it; ("", 0) if the address is in no object."""
        for start, end, offset, path in reversed(self._maps):  # a later mapping replaces an earlier one
            if start <= pc < end:
                names = self._resolver.object(path)
                address = names.address_of(pc - start + offset) if names else None
                return path, pc - start if address is None else address
        return "", 0
