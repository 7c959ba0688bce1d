"""The data that every profiler provides: the cost at each address of each object. An object is an executable or a shared
library."""

import collections
import dataclasses
from collections.abc import Iterable, Iterator

from ecbench.symbols.resolver import Resolver

Mapping = tuple[int, int, int, str]  # start, end, offset in the file, path
NOWHERE = ("", 0)


class Unreadable(Exception):
    """The profiler's file is damaged or has an unexpected format. The message is one line."""


@dataclasses.dataclass
class Costs:
    event: str  # Ir or samples
    at: collections.Counter[tuple[str, int]] = dataclasses.field(default_factory=collections.Counter)  # (path, address) → cost
    # Call stack (names of its functions, the outermost function first) → number of samples. Empty if there are no call stacks.
    stacks: collections.Counter[tuple[str, ...]] = dataclasses.field(default_factory=collections.Counter)

    @property
    def total(self) -> int:
        return self.at.total()


class Mappings:
    """The objects that a process has mapped."""

    def __init__(self, resolver: Resolver, maps: Iterable[Mapping] = ()) -> None:
        self._resolver = resolver
        self._maps = list(maps)

    def copy(self) -> "Mappings":
        return Mappings(self._resolver, self._maps)

    def add(self, start: int, end: int, offset: int, path: str) -> None:
        self._maps.append((start, end, offset, path))

    def locate(self, pc: int) -> tuple[str, int]:
        """The path of the object that contains `pc`, and the address in this object. Returns NOWHERE if no object contains `pc`."""
        return next(self.places(pc), NOWHERE)  # a later mapping replaces an earlier one

    def places(self, pc: int) -> Iterator[tuple[str, int]]:
        """The same for each mapping that contains `pc`, the latest first."""
        for start, end, offset, path in reversed(self._maps):
            if start <= pc < end:
                names = self._resolver.object(path)
                address = names.address_of(pc - start + offset) if names else None
                yield path, pc - start if address is None else address
