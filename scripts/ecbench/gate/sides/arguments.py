"""The arguments that name the two sides of a gate."""

import argparse

from ecbench.gate.sides import sides
from ecbench.gate.sides.sides import Side
from ecbench.process.children import Child
from ecbench.terminal.console import Refused

OLD_AND_NEW = """\
OLD and NEW can each be
  build directory   with ecbench and plugins/, such as build/
  plugin directory  with libec_*.so, which the ecbench of the other side or of build/ loads
  git revision      built in build-gate/, unless a directory has this name"""


def add_sides(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sides", nargs="*", metavar="OLD NEW")
    add("--codec-lib", nargs=2, metavar=("OLD_DIR", "NEW_DIR"),
        help="compare the codec libraries in OLD_DIR with those in NEW_DIR (system: the system's)")
    add("--ecbench", metavar="PATH", help="the program that loads plugin directories")


def check_sides(arguments: argparse.Namespace, libraries: str = "--codec-lib") -> None:
    """`libraries`: the options with which OLD and NEW can be left out. Throws Refused."""
    given = len(arguments.sides)
    if given != 2 and (given or not arguments.codec_lib):
        raise Refused(f"gate {arguments.mode} compares two builds, and {given} {'is' if given == 1 else 'are'} given; name OLD and "
                      f"NEW, or two versions of a library with {libraries}")
    for name, folder in zip(("OLD", "NEW"), arguments.codec_lib or ()):
        sides.check_codec_lib(name, folder)


def resolve_sides(arguments: argparse.Namespace, child: Child, option: str | None = None) -> tuple[Side, Side]:
    """`option`: an option that the programs of both sides must have. Throws Refused."""
    if arguments.sides:
        given_old, given_new = arguments.sides
        old, new = sides.resolve_pair(given_old, given_new, child, arguments.ecbench, option)
    else:
        old, new = (sides.own_side(name, arguments.ecbench) for name in ("OLD", "NEW"))
        if option:
            sides.check_has(new, option, child)
    if arguments.codec_lib:
        old, new = sides.with_codec_libs(old, new, arguments.codec_lib, child)
    return old, new
