"""What the user sets by Ceph's variables. An empty variable counts as unset, as it does for Ceph's bench.sh."""

import dataclasses
import os
import re
import shlex
import shutil
from typing import Any

from ecbench.files.home import with_home
from ecbench.fplot import ceph_grid
from ecbench.measure.ecbench import own_program
from ecbench.terminal.arguments import bytes_of
from ecbench.terminal.console import Refused


@dataclasses.dataclass
class Settings:
    program: str
    plugin_directory: str  # "" for the program's own
    plugins: list
    techniques: list
    sizes: list
    iterations: int | None  # None: as many as the time for a row allows
    total_size: int | None  # None: not asked for
    parameters: list | None  # None: those that suit the technique

    def iterations_of(self, size):
        """As many as the user asked for; None if the time for a row says."""
        return self.total_size // size if self.total_size else self.iterations

    def sets(self, key):
        """True if the user's parameters set `key`, in today's or in the spelling of 2013."""
        pattern = re.compile(rf"(-P|--parameter=)?(erasure-code-)?{re.escape(key)}=")
        return any(pattern.match(word) for word in self.parameters or [])

    def names_option(self, name):
        """True if the user's parameters have the option `name`, such as --timing."""
        return any(word.partition("=")[0] == name for word in self.parameters or [])


VARIABLES = ("SIZE", "ITERATIONS", "TOTAL_SIZE", "PLUGINS", "TECHNIQUES", "PARAMETERS", "PLUGIN_DIRECTORY",
             "CEPH_ERASURE_CODE_BENCHMARK")


def given_variables() -> dict[str, str]:
    """Those that the user set."""
    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}


def variables_of(header: dict[str, Any]) -> dict[str, str]:
    """Those of a run that is continued. Throws Refused if the user set one to something else."""
    recorded = {name: with_home(value) for name, value in header.get("variables", {}).items()}
    for name, value in given_variables().items():
        if recorded.get(name) != value:
            raise Refused(f"{name}={value} is not allowed with --resume: the run has {recorded.get(name, 'none')}; leave it out")
    return recorded


def read_settings(default_sizes, default_techniques, variables):
    """Throws Refused for the first variable that is not allowed."""
    settings = Settings(
        program=variables.get("CEPH_ERASURE_CODE_BENCHMARK") or own_program(),
        plugin_directory=variables.get("PLUGIN_DIRECTORY", ""),
        plugins=variables.get("PLUGINS", "").split() or ["isa", "jerasure"],
        techniques=variables.get("TECHNIQUES", "").split() or list(default_techniques),
        sizes=[size] if (size := read_bytes(variables, "SIZE")) else list(default_sizes),
        iterations=read_count(variables, "ITERATIONS"),
        total_size=read_bytes(variables, "TOTAL_SIZE"),
        parameters=read_parameters(variables),
    )
    check(settings)
    return settings


def find_program(name):
    found = shutil.which(name)
    if found is None:
        raise Refused(f"CEPH_ERASURE_CODE_BENCHMARK: {name} is not a program that can be run; give a path, or leave it out")
    return found


def read_bytes(variables, name):
    text = variables.get(name, "")
    if not text:
        return None
    if not (value := bytes_of(text)):
        raise Refused(f"{name}={text} is not allowed; give a number of bytes, at least 1, such as 4096, 4K or 1M")
    return value


def read_count(variables, name):
    text = variables.get(name, "")
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) == 0:
        raise Refused(f"{name}={text} is not allowed: give a whole number, at least 1")
    return int(text)


def read_parameters(variables):
    text = variables.get("PARAMETERS", "")
    try:
        return shlex.split(text) or None
    except ValueError as error:
        raise Refused(f"PARAMETERS={text} is not allowed: it cannot be split as a shell does ({error})") from error


def check(settings):
    for plugin in settings.plugins:
        if plugin not in ceph_grid.TECHNIQUES_OF_PLUGIN:
            raise Refused(f"PLUGINS: {plugin} is not in the grid: choose of {', '.join(ceph_grid.TECHNIQUES_OF_PLUGIN)}")
    for name in settings.techniques:
        if all(ceph_grid.technique_of(plugin, name) is None for plugin in ceph_grid.TECHNIQUES_OF_PLUGIN):
            known = dict.fromkeys([*ceph_grid.CEPH_TECHNIQUES, *ceph_grid.TECHNIQUES_OF_PLUGIN["jerasure"]])
            raise Refused(f"TECHNIQUES: {name} is a technique of no plugin: choose of {', '.join(known)}")
    if not ceph_grid.profiles(settings.plugins, settings.techniques):
        raise Refused(f"nothing to measure: none of the plugins {' '.join(settings.plugins)} has a technique "
                      f"{' or '.join(settings.techniques)}")
    if settings.plugin_directory and not os.path.isdir(settings.plugin_directory):
        raise Refused(f"PLUGIN_DIRECTORY={settings.plugin_directory} is not allowed: there is no such directory")
    for key in ("k", "m", "technique"):
        if settings.sets(key):
            raise Refused(f"PARAMETERS sets {key}, which the grid sets for every row: leave it out")
    if settings.total_size:
        if settings.iterations:
            raise Refused("ITERATIONS and TOTAL_SIZE both say how many iterations: leave one out")
        if settings.total_size < max(settings.sizes):
            raise Refused(f"TOTAL_SIZE={settings.total_size} is not allowed: it is less than one object of {max(settings.sizes)} "
                          "bytes")
