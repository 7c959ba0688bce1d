"""The facts that identify the machine and the codecs of a run. They are in the output of ecbench --environment."""

import dataclasses
import platform
import re
from collections.abc import Mapping

from ecbench.documents.shape import anything, column, or_null, required, text, whole
from ecbench.runfile.environment import Environment

# Vendor, family and model → the name under which engineers know the CPU.
GENERATIONS: dict[tuple[str | None, int | None, int | None], str] = {
    ("AuthenticAMD", 23, 49): "Zen 2, EPYC 7002", ("AuthenticAMD", 25, 1): "Zen 3, EPYC 7003",
    ("AuthenticAMD", 25, 17): "Zen 4, EPYC 9004", ("AuthenticAMD", 25, 160): "Zen 4c, EPYC 97x4",
    ("AuthenticAMD", 26, 2): "Zen 5, EPYC 9005", ("GenuineIntel", 6, 106): "Ice Lake", ("GenuineIntel", 6, 143): "Sapphire Rapids",
    ("GenuineIntel", 6, 167): "Rocket Lake", ("GenuineIntel", 6, 173): "Granite Rapids", ("GenuineIntel", 6, 207): "Emerald Rapids"}


@dataclasses.dataclass(frozen=True)
class Machine:
    """A part of a run's header."""

    slug: str = required(text)  # the name of the machine's directory in results/
    cpu: str = required(text)
    vendor: str | None = column(or_null(text))
    family: int | None = column(or_null(whole()))
    model: int | None = column(or_null(whole()))
    stepping: object = column(anything)
    online_cpu_count: object = column(anything)
    smt: object = column(anything)
    hypervisor: object = column(anything)
    caches: object = column(anything)


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
