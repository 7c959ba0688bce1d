"""The facts that identify the machine and the codecs of a run. They are in the output of ecbench --environment."""

import platform
import re
from collections.abc import Mapping

from ecbench.point.point import Json

# Vendor, family and model → the name under which engineers know the CPU.
GENERATIONS: dict[tuple[object, ...], str] = {
    ("AuthenticAMD", 23, 49): "Zen 2, EPYC 7002", ("AuthenticAMD", 25, 1): "Zen 3, EPYC 7003",
    ("AuthenticAMD", 25, 17): "Zen 4, EPYC 9004", ("AuthenticAMD", 25, 160): "Zen 4c, EPYC 97x4",
    ("AuthenticAMD", 26, 2): "Zen 5, EPYC 9005", ("GenuineIntel", 6, 106): "Ice Lake", ("GenuineIntel", 6, 143): "Sapphire Rapids",
    ("GenuineIntel", 6, 167): "Rocket Lake", ("GenuineIntel", 6, 173): "Granite Rapids", ("GenuineIntel", 6, 207): "Emerald Rapids"}
CPU_KEYS = ("vendor", "family", "model", "stepping", "online_cpu_count", "smt", "hypervisor", "caches")


def machine_of(environment: Json) -> Json:
    """The value of the key "machine" in a run's header: a slug, and facts that identify the machine. The slug is the name of the
    machine's directory in results/."""
    cpu = environment["cpu"]
    name = cpu.get("model_name") or cpu.get("vendor") or platform.machine()
    return {"slug": slug_of(name, cpu.get("family"), cpu.get("model")), "cpu": name, **{key: cpu.get(key) for key in CPU_KEYS}}


def generation(machine: Json) -> str:
    """"" if it is not known."""
    return GENERATIONS.get((machine.get("vendor"), machine.get("family"), machine.get("model")), "")


def slug_of(name: str, family: int | None, model: int | None) -> str:
    """Makes a directory name such as amd-epyc-family25-model1 from the name of a CPU. Trademark signs and clock speeds are left
    out."""
    plain = re.sub(r"\((r|tm|c)\)|@.*|\bcpu\b|\b\d+-core\b|\bprocessor\b", " ", name.lower())
    words = re.findall(r"[a-z0-9]+", plain)
    numbers = [f"{kind}{number}" for kind, number in (("family", family), ("model", model)) if number is not None]
    return "-".join([*words, *numbers])[:100] or "machine"


def codecs_of(environment: Json) -> Json:
    """The facts that identify the program under test: ecbench's revision, compiler, compiler flags and build type, and the build
    id of each plugin and codec library."""
    program = environment.get("ecbench", {})
    facts = {f"ecbench {key}": program.get(key) for key in ("git_revision", "compiler", "compiler_flags", "build_type")}
    for library in environment.get("shared_objects", []):
        facts[library["name"]] = library.get("build_id")
    return facts


def difference(before: Mapping[str, object], now: Mapping[str, object]) -> str:
    """The first difference between two sets of facts; "" if they are equal."""
    for key in [*before, *now]:
        if before.get(key) != now.get(key):
            return f"{key} was {shown(before.get(key))} and is {shown(now.get(key))}"
    return ""


def shown(value: object) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
