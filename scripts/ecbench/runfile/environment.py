"""The environment table of a run, as on the pages of report and site."""

from typing import Any

from ecbench.point.point import Json
from ecbench.point.wording import size_text


def environment_rows(header: Json, points: int) -> list[tuple[str, str]]:
    """The rows of the environment table: pairs of name and value. The most important rows are first."""
    given = header["environment"]
    cpu, system, build = given.get("cpu", {}), given.get("system", {}), given.get("ecbench", {})
    rows = [
        ("CPU", f"{cpu.get('model_name')}, family {cpu.get('family')}, model {cpu.get('model')}, stepping {cpu.get('stepping')}, "
                f"{cpu.get('online_cpu_count')} CPUs" + (", virtual machine" if cpu.get("hypervisor") else "")),
        ("Caches", ", ".join(cache_text(cache) for cache in cpu.get("caches", []))),
        ("Instruction sets", " ".join(cpu.get("flags", []))),
        ("Governor, turbo", f"{known(cpu.get('governor'))}, {known(cpu.get('turbo'))}"),
        ("Kernel, libc", f"{system.get('kernel_release')}, {system.get('libc')}"),
        ("Transparent huge pages", known(system.get("transparent_hugepages"))),
        ("ecbench", f"{build.get('version')}, revision {str(build.get('git_revision'))[:12]}"),
        ("Compiler", f"{build.get('compiler')}, {build.get('build_type')} ({build.get('compiler_flags')})"),
        *((f"Kernels of {plugin}", kernel) for plugin, kernel in given.get("kernels", {}).items() if kernel),
        *((library["name"], library_text(library)) for library in given.get("shared_objects", [])),
        ("Problems of the machine", "; ".join(given.get("unfit", [])) or "none found"),
        ("Run", f"{header['run']}, started {header['started']}"),
        ("Grid", header["grid"]),
        ("Measured", f"{points} points, measurements of each point: {header['repetitions']}, "
                     f"order {header['order']}, seed {header['seed']}"),
        *((name.replace("_", " "), str(value)) for name, value in header.get("options", {}).items() if value is not None)]
    return [(name, value) for name, value in rows if value]


def cache_text(cache: dict[str, Any]) -> str:
    kind = {"Data": "d", "Instruction": "i"}.get(str(cache.get("type")), "")
    return f"L{cache.get('level')}{kind} {size_text(cache.get('size_bytes', 0))}"


def library_text(library: dict[str, Any]) -> str:
    words = [f"version {library['version']}" if library.get("version") else "", f"build id {library.get('build_id') or 'unknown'}",
             "a debug build" if library.get("debug_build") else ""]
    return ", ".join(word for word in words if word)


def known(value: object) -> str:
    return "unknown" if value is None else str(value)
