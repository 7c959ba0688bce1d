"""The fingerprint of a count: all facts on which the count depends, except for the code that is judged. The fingerprint contains
the counting tool, the CPU features that programs can use, libc, the compiler and its options, and the build ids of the codec
libraries. It does not contain the build ids of ecbench and its plugins. A count is compared only with a baseline that has the same
fingerprint."""

import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from typing import Any

from ecbench.gate.ir.counting import Counter
from ecbench.gate.sides.sides import Side
from ecbench.point.point import Point
from ecbench.process.children import Child
from ecbench.profilers.subject import run_checked
from ecbench.symbols.elf import Elf, NotElf
from ecbench.terminal.console import Refused

# (cpuid leaf, register) → {number of a bit: name of the CPU feature}. The table has the features by which libc and codec libraries
# choose kernels. Leaves and registers are numbered as in the output of ld.so --list-diagnostics.
FLAGS = {
    (0, 2): {0: "sse3", 1: "pclmulqdq", 9: "ssse3", 12: "fma", 19: "sse4_1", 20: "sse4_2", 22: "movbe", 23: "popcnt", 25: "aes",
             28: "avx", 29: "f16c"},
    (1, 1): {3: "bmi1", 5: "avx2", 8: "bmi2", 9: "erms", 11: "rtm", 16: "avx512f", 17: "avx512dq", 21: "avx512ifma", 28: "avx512cd",
             30: "avx512bw", 31: "avx512vl"},
    (1, 2): {1: "avx512_vbmi", 6: "avx512_vbmi2", 8: "gfni", 9: "vaes", 10: "vpclmulqdq", 11: "avx512_vnni"},
    (1, 3): {4: "fsrm"},
}
ACTIVE = re.compile(r"^x86\.cpu_features\.features\[0x([0-9a-f]+)\]\.active\[0x([0-9a-f]+)\]=0x([0-9a-f]+)$", re.MULTILINE)
CHOICES = re.compile(r"^x86\.cpu_features\.((?:preferred\[0x[0-9a-f]+\])|rep_movsb_threshold|rep_stosb_threshold)=0x([0-9a-f]+)$",
                     re.MULTILINE)
SHOWN_OF_BUILD_ID = 12

Facts = dict[str, str]  # name of the fact → value, as text


def fingerprint_of(counter: Counter, side: Side, points: Iterable[Point], child: Child) -> Facts:
    """The fingerprint for counts of `points`. It contains only the libraries that the plugins of these points load. Throws Refused
    and Broken."""
    examples = list({point.plugin: point for point in points}.values())  # one for each plugin
    environments = [side.ecbench(child).environment([*point.words(), *side.codec_words()]) for point in examples]
    environment = environments[0]
    program = environment["ecbench"]
    loaded = loaded_objects(examples[0], side, child)
    facts = {"counter": counter.name, **wrapper_facts(counter, child), **cpu_facts(counter, loaded, environment, child)}
    facts["libc"] = f"{environment['system']['libc']}, build id {build_id_of(loaded, 'libc.')}"
    facts["compiler"], facts["build type"] = str(program.get("compiler")), str(program.get("build_type"))
    facts["compiler flags"] = without_warnings(str(program.get("compiler_flags")))
    for library in (library for environment in environments for library in environment["shared_objects"]):
        if not library["name"].startswith("libec_"):
            facts[library["name"]] = f"build id {library['build_id']}"
    return facts


def without_warnings(flags: str) -> str:
    """Removes options such as -Wall and -Werror, which do not change the code. -Wl, -Wa and -Wp are kept, since they contain
    options for other tools."""
    return " ".join(flag for flag in flags.split() if not flag.startswith("-W") or flag.startswith(("-Wl,", "-Wa,", "-Wp,")))


def key_of(facts: Facts) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


def differences(known: Facts, now: Facts) -> list[str]:
    """One phrase for each fact in which the fingerprints `known` and `now` differ."""
    phrases = []
    for key in sorted(known.keys() | now.keys()):
        before, after = known.get(key), now.get(key)
        if before != after:
            phrases.append(f"{key}: {value_difference(before, after)}")
    return phrases


def value_difference(before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return f"{shown(before)} before, {shown(after)} now"
    old, new = before.split(), after.split()
    lost, gained = ([word for word in one if word not in other] for one, other in ((old, new), (new, old)))
    if len(lost) + len(gained) < len(set(old) & set(new)):  # two lists of flags or options that differ in few words
        return ", ".join([*(f"{word} only before" for word in lost), *(f"{word} only now" for word in gained)])
    return f"{shown(before)} before, {shown(after)} now"


def shown(value: str | None) -> str:
    text = "none" if value is None else value
    return re.sub(rf"\b([0-9a-f]{{{SHOWN_OF_BUILD_ID}}})[0-9a-f]{{20,}}\b", r"\1…", text)


def wrapper_facts(counter: Counter, child: Child) -> Facts:
    if counter.name != "callgrind":
        return {}
    version = run_checked([counter.valgrind, "--version"], child, is_ours=False, who="valgrind")[0].strip()
    return {"valgrind": version.removeprefix("valgrind-")}


def loaded_objects(point: Point, side: Side, child: Child) -> dict[str, str]:
    """The ELF files that an ecbench process loads for the point: path → build id."""
    with tempfile.TemporaryDirectory(prefix="ecbench-gate-") as folder:
        path = os.path.join(folder, "symbols.json")
        words = [*point.words(), "--iterations", "1", *side.words(), "--symbols", path]
        run_checked([side.program, *words], child, is_ours=True)
        with open(path, encoding="utf-8") as file:
            return {item["path"]: item["build_id"] for item in json.load(file)["objects"]}


def build_id_of(loaded: dict[str, str], prefix: str) -> str:
    for path, build_id in loaded.items():
        if os.path.basename(path).startswith(prefix):
            return build_id or build_id_in(path)
    return "unknown"


def build_id_in(path: str) -> str:
    try:
        return Elf(path).build_id or "unknown"
    except (OSError, NotElf):
        return "unknown"


def cpu_facts(counter: Counter, loaded: dict[str, str], environment: dict[str, Any], child: Child) -> Facts:
    """The CPU features that the counted program can use. If the dynamic loader prints them, the result contains the features in
    FLAGS, and the settings by which libc chooses functions. Otherwise the result contains the CPU flags that Linux lists."""
    loader = next((path for path in loaded if os.path.basename(path).startswith("ld-")), None)
    wrapper = [counter.valgrind, "-q", "--tool=none"] if counter.name == "callgrind" else []
    text = ""
    if loader:
        try:
            code, text, _ = child.run([*wrapper, loader, "--list-diagnostics"], 60)
            text = text if code == 0 else ""
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Refused(f"{loader} --list-diagnostics cannot be run: {error}") from error
    flags = flags_in(text)
    if not flags:
        return {"cpu": " ".join([str(environment["cpu"]["vendor"]), *environment["cpu"]["flags"]])}
    choices = " ".join(f"{name}={int(value, 16):#x}" for name, value in CHOICES.findall(text))
    return {"cpu": " ".join(flags), "choices of libc": choices}


def flags_in(diagnostics: str) -> list[str]:
    flags: set[str] = set()
    for leaf, register, bits in ACTIVE.findall(diagnostics):
        names = FLAGS.get((int(leaf, 16), int(register, 16)), {})
        flags.update(name for bit, name in names.items() if int(bits, 16) >> bit & 1)
    return sorted(flags)
