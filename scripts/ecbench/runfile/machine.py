"""Which machine a run was made on, told by what ecbench --environment says of it."""

import platform
import re

CPU_KEYS = ("vendor", "family", "model", "stepping", "online_cpu_count", "smt", "hypervisor", "caches")


def machine_of(environment):
    """What a run's header says of the machine: its slug, which names its folder under results/, and what tells it from others."""
    cpu = environment["cpu"]
    name = cpu.get("model_name") or cpu.get("vendor") or platform.machine()
    return {"slug": slug_of(name, cpu.get("family"), cpu.get("model")), "cpu": name, **{key: cpu.get(key) for key in CPU_KEYS}}


def slug_of(name, family, model):
    """Such as amd-epyc-family25-model1. Trademark signs and clock speeds, which say nothing of the kind, are left out."""
    plain = re.sub(r"\((r|tm|c)\)|@.*|\bcpu\b|\b\d+-core\b|\bprocessor\b", " ", name.lower())
    words = re.findall(r"[a-z0-9]+", plain)
    numbers = [f"{kind}{number}" for kind, number in (("family", family), ("model", model)) if number is not None]
    return "-".join([*words, *numbers])[:100] or "machine"


def codecs_of(environment):
    """What is under test: the revision and compiler flags of ecbench, and the build id of each plugin and codec library by name."""
    program = environment.get("ecbench", {})
    facts = {f"ecbench {key}": program.get(key) for key in ("git_revision", "compiler", "compiler_flags", "build_type")}
    for library in environment.get("shared_objects", []):
        facts[library["name"]] = library.get("build_id")
    return facts


def difference(before, now):
    """One phrase that says in what two dicts of facts differ; "" if they do not."""
    for key in [*before, *now]:
        if before.get(key) != now.get(key):
            return f"{key} was {shown(before.get(key))} and is {shown(now.get(key))}"
    return ""


def shown(value):
    text = "absent" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
