"""What every profiler's file comes down to: how much was spent at which address of which object."""

import collections
import dataclasses


class Unreadable(Exception):
    """The profiler's file is not what it should be: one line that says why."""


@dataclasses.dataclass
class Costs:
    event: str  # Ir or samples
    at: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # (object's path, address)

    @property
    def total(self):
        return self.at.total()


class Mappings:
    """Where a process has its objects: run-time addresses to objects and their own addresses."""

    def __init__(self, resolver, maps=()):
        self._resolver = resolver
        self._maps = list(maps)

    def copy(self):
        return Mappings(self._resolver, self._maps)

    def add(self, start, end, offset, path):
        self._maps.append((start, end, offset, path))

    def locate(self, pc):
        """The object's path and the address in it; ("", 0) outside of all."""
        for start, end, offset, path in reversed(self._maps):  # a later one lies over an earlier one
            if start <= pc < end:
                names = self._resolver.object(path)
                address = names.address_of(pc - start + offset) if names else None
                return path, pc - start if address is None else address
        return "", 0
