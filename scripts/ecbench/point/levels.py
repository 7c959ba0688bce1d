"""Names of dispatch levels. Today, the name of a level means the same CPU instructions in every plugin. Old builds (commit 004239d
and older) have no list of capabilities. In old builds and in their run files, the plugins simd and klauspost use the name `avx512`
for the level that is now called `avx512-gfni` (kernels with AVX-512 and GFNI)."""

from collections.abc import Mapping

GFNI_PLUGINS = ("simd", "klauspost")  # in old builds, all AVX-512 kernels of these plugins need GFNI
CHOOSE_A_PLUGIN = ("backend", "scalar_mds")  # parameters that name the plugin whose kernels run


class LevelUnknown(Exception):
    """An old build (without a list of capabilities) does not have this level."""


def runs_gfni_kernels(plugin: str, profile: Mapping[str, str]) -> bool:
    return any(name in GFNI_PLUGINS for name in (plugin, *(profile.get(key) for key in CHOOSE_A_PLUGIN)))


def level_of_today(level: str, runs_gfni: bool) -> str:
    """Today's name of a level in a row or run of an old build."""
    return "avx512-gfni" if level == "avx512" and runs_gfni else level


def old_level(level: str, runs_gfni: bool) -> str:
    """The name of a level in an old build. `level`: the name of this level today. Throws LevelUnknown."""
    if runs_gfni and level in ("avx512", "avx512-gfni"):
        if level == "avx512":
            raise LevelUnknown("in this old build, all AVX-512 kernels of the plugin need GFNI; choose the level avx512-gfni")
        return "avx512"
    return level
