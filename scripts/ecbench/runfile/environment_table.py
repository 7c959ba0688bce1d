"""The environment table of a run, as on pages."""

import dataclasses

from ecbench.point.point import size_text
from ecbench.runfile.environment import Cache, SharedObject
from ecbench.runfile.header import Header


def environment_rows(header: Header, points: int) -> list[tuple[str, str]]:
    """The rows of the environment table: pairs of name and value. The most important rows are first."""
    given = header.environment
    cpu, system, build = given.cpu, given.system, given.ecbench
    rows = [
        ("CPU", f"{cpu.model_name}, family {cpu.family}, model {cpu.model}, stepping {cpu.stepping}, {cpu.online_cpu_count} CPUs"
                + (", virtual machine" if cpu.hypervisor else "")),
        ("Kind of cores", given.core_kind or ""),
        ("Caches", ", ".join(map(cache_text, cpu.caches))),
        ("Instruction sets", " ".join(cpu.flags)),
        ("Governor, turbo", f"{known(cpu.governor)}, {known(cpu.turbo)}"),
        ("Kernel, libc", f"{system.kernel_release}, {system.libc}"),
        ("Transparent huge pages", known(system.transparent_hugepages)),
        ("ecbench", f"{build.version}, revision {str(build.git_revision)[:12]}"),
        ("Compiler", f"{build.compiler}, {build.build_type} ({build.compiler_flags})"),
        *((f"Kernels of {plugin}", kernel) for plugin, kernel in given.kernels.items() if kernel),
        *((library.name, library_text(library)) for library in given.shared_objects),
        ("Problems of the machine", "; ".join(given.unfit) or "none found"),
        ("Run", f"{header.run}, started {header.started}"),
        ("Grid", header.grid),
        ("Measured", f"{points} points, measurements of each point: {header.repetitions}, order {header.order}, "
                     f"seed {header.seed}"),
        *((name.replace("_", " "), str(value)) for name, value in dataclasses.asdict(header.options).items()
          if value or value is False)]
    return [(name, value) for name, value in rows if value]


def cache_text(cache: Cache) -> str:
    kind = {"Data": "d", "Instruction": "i"}.get(str(cache.type), "")
    return f"L{cache.level}{kind} {size_text(cache.size_bytes)}"


def library_text(library: SharedObject) -> str:
    return f"version {library.version}, " * bool(library.version) + f"build id {library.build_id or 'unknown'}"


def known(value: object) -> str:
    return "unknown" if value is None else str(value)
