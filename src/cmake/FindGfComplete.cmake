# Finds GfComplete::GfComplete, the library that computes in Galois fields for Jerasure (Debian: libgf-complete-dev). If
# GfComplete_ROOT is set, this directory is searched first.
find_path(GfComplete_INCLUDE_DIR gf_complete.h)
find_library(GfComplete_LIBRARY gf_complete)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GfComplete REQUIRED_VARS GfComplete_LIBRARY GfComplete_INCLUDE_DIR)
if(GfComplete_FOUND AND NOT TARGET GfComplete::GfComplete)
  add_library(GfComplete::GfComplete UNKNOWN IMPORTED)
  set_target_properties(GfComplete::GfComplete PROPERTIES IMPORTED_LOCATION ${GfComplete_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${GfComplete_INCLUDE_DIR})
endif()
