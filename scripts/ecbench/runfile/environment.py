"""The environment of a run: what `ecbench environment` prints, or another program's part of it. The schema of ecbench's output,
environment in src/report/row.schema.json, describes all keys."""

import dataclasses
import os
import platform
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from ecbench.documents.document import Json, Key, Unlike, Whole, flag

LIBISAL = "libisal.so"


def measured(value: Any) -> None:
    """False, except in ecbench's tests: they set the variable without which fake_ecbench refuses to run."""
    flag(value)
    if value and "ECBENCH_FAKE" not in os.environ:
        raise Unlike("absent, because fake_ecbench invented the times", value)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cache:
    level: object = None
    type: str | None = None
    size_bytes: Whole = 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cpu:
    json: Json = dataclasses.field(default_factory=dict, compare=False)
    model_name: str | None = None
    vendor: str | None = None
    family: Whole | None = None
    model: Whole | None = None
    stepping: Whole | None = None
    flags: Sequence[str] = ()  # the instruction sets
    caches: Sequence[Cache] = ()
    online_cpu_count: object = None
    hypervisor: object = None
    governor: object = None
    turbo: object = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class System:
    json: Json = dataclasses.field(default_factory=dict, compare=False)
    kernel_release: object = None
    libc: object = None
    transparent_hugepages: object = None
    numa_nodes: Sequence[object] = ()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Build:
    """The ecbench program."""

    version: object = None
    git_revision: object = None
    compiler: object = None
    compiler_flags: object = None
    build_type: object = None
    optimised: object = True
    sanitized: object = None
    client_requests: object = None  # whether the program can tell valgrind what to count


@dataclasses.dataclass(frozen=True, kw_only=True)
class SharedObject:
    name: str
    version: str | None = None
    path: str | None = None
    build_id: str | None = None

    @property
    def release(self) -> str | None:
        """The release number. It can differ from the version of the file: the libisal of ISA-L 2.31 has the version 2.0.31."""
        match = re.fullmatch(r"2\.0\.([0-9]+)", self.version or "") if self.name.startswith(LIBISAL) else None
        return f"2.{match[1]}" if match else self.version

    def __str__(self) -> str:
        words = [self.name, self.release, self.path and f"({self.path})",
                 f"build id {self.build_id[:12]}" if self.build_id else "without a build id"]
        return " ".join(word for word in words if word)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cgroup:
    quota_cpus: float | None = None
    memory_limit_bytes: Whole | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Environment:
    """A run file may lack all keys except cpu and unfit."""

    json: Json = dataclasses.field(compare=False)
    cpu: Cpu
    unfit: list[str]  # why the machine is not ready for measurements
    shared_objects: list[SharedObject] = dataclasses.field(default_factory=list)  # plugins and codec libraries
    ecbench: Build = dataclasses.field(default_factory=Build)
    kernels: dict[str, str | None] = dataclasses.field(default_factory=dict)  # plugin → its kernels
    system: System = dataclasses.field(default_factory=System)
    cgroup: Cgroup | None = None
    core_kind: str | None = None  # of the CPUs of the measurement, if the machine has several kinds
    fake: Annotated[bool, Key(check=measured)] = False


# The facts that identify the machine and the codecs of a run. They are in the output of ecbench environment.

# Vendor, family and model → the name under which engineers know the CPU.
GENERATIONS: dict[tuple[str | None, int | None, int | None], str] = {
    ("AuthenticAMD", 23, 49): "Zen 2, EPYC 7002", ("AuthenticAMD", 25, 1): "Zen 3, EPYC 7003",
    ("AuthenticAMD", 25, 17): "Zen 4, EPYC 9004", ("AuthenticAMD", 25, 160): "Zen 4c, EPYC 97x4",
    ("AuthenticAMD", 26, 2): "Zen 5, EPYC 9005", ("GenuineIntel", 6, 106): "Ice Lake", ("GenuineIntel", 6, 143): "Sapphire Rapids",
    ("GenuineIntel", 6, 167): "Rocket Lake", ("GenuineIntel", 6, 173): "Granite Rapids", ("GenuineIntel", 6, 207): "Emerald Rapids"}


@dataclasses.dataclass(frozen=True)
class Machine:
    """A part of a run's header."""

    slug: str  # the name of the machine's directory in results/
    cpu: str
    vendor: str | None = None
    family: Whole | None = None
    model: Whole | None = None
    stepping: object = None
    online_cpu_count: object = None
    smt: object = None
    hypervisor: object = None
    caches: object = None


OF_CPU = [field.name for field in dataclasses.fields(Machine) if field.default is None]


def machine_of(environment: Environment) -> Machine:
    cpu = environment.cpu
    name = cpu.model_name or cpu.vendor or platform.machine()
    return Machine(slug_of(name, cpu.family, cpu.model), name, **{key: cpu.json.get(key) for key in OF_CPU})


def generation(machine: Machine) -> str:
    """"" if it is not known."""
    return GENERATIONS.get((machine.vendor, machine.family, machine.model), "")


def slug_of(name: str, family: int | None, model: int | None) -> str:
    """Makes a directory name such as amd-epyc-family25-model1 from the name of a CPU. Trademark signs and clock speeds are left
    out."""
    plain = re.sub(r"\((r|tm|c)\)|@.*|\bcpu\b|\b\d+-core\b|\bprocessor\b", " ", name.lower())
    words = re.findall(r"[a-z0-9]+", plain)
    numbers = [f"{kind}{number}" for kind, number in (("family", family), ("model", model)) if number is not None]
    return "-".join([*words, *numbers])[:100] or "machine"


def codecs_of(environment: Environment) -> dict[str, object]:
    """The facts that identify the program under test: ecbench's revision, compiler, compiler flags and build type, and the build
    id of each plugin and codec library."""
    program = environment.ecbench
    facts = {f"ecbench {key}": getattr(program, key) for key in ("git_revision", "compiler", "compiler_flags", "build_type")}
    return facts | {library.name: library.build_id for library in environment.shared_objects}


def difference(before: Mapping[str, object], now: Mapping[str, object]) -> str:
    """The first difference between two sets of facts; "" if they are equal."""
    for key in [*before, *now]:
        if before.get(key) != now.get(key):
            return f"{key} was {shown(before.get(key))} and is {shown(now.get(key))}"
    return ""


def shown(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
