"""Names of dispatch levels. A level means the same instructions in every plugin. Old builds (commit 004239d and older) have no list
of capabilities. In old builds and their run files, the plugins simd and klauspost use the name `avx512` for the level of their
kernels with AVX-512 and GFNI."""

from collections.abc import Mapping

GFNI_PLUGINS = ("simd", "klauspost")  # in old builds, all AVX-512 kernels of these plugins need GFNI
CHOOSE_A_PLUGIN = ("backend", "scalar_mds")  # parameters that name the plugin whose kernels run


class LevelUnknown(Exception):
    """An old build (without a list of capabilities) does not have this level."""


def runs_gfni_kernels(plugin: str, profile: Mapping[str, str]) -> bool:
    return any(name in GFNI_PLUGINS for name in (plugin, *(profile.get(key) for key in CHOOSE_A_PLUGIN)))


def level_of_today(level: str, runs_gfni: bool) -> str:
    """Today's name of a level that an old row or run contains."""
    return "avx512-gfni" if level == "avx512" and runs_gfni else level


def old_level(level: str, runs_gfni: bool) -> str:
    """The name that an old build uses for a level of today. Throws LevelUnknown."""
    if runs_gfni and level in ("avx512", "avx512-gfni"):
        if level == "avx512":
            raise LevelUnknown("in this old build, all AVX-512 kernels of the plugin need GFNI; choose the level avx512-gfni")
        return "avx512"
    return level
