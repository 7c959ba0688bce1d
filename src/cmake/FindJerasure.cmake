# Finds Jerasure::Jerasure (Debian: libjerasure-dev). The header jerasure.h includes galois.h without the name of the directory,
# jerasure/. Therefore the directory jerasure/ is also an include directory. If Jerasure_ROOT is set, the directory Jerasure_ROOT is
# searched first.
find_path(Jerasure_INCLUDE_DIR jerasure.h)
find_path(Jerasure_INNER_INCLUDE_DIR galois.h PATH_SUFFIXES jerasure)
find_library(Jerasure_LIBRARY Jerasure)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Jerasure
  REQUIRED_VARS Jerasure_LIBRARY Jerasure_INCLUDE_DIR Jerasure_INNER_INCLUDE_DIR)
if(Jerasure_FOUND AND NOT TARGET Jerasure::Jerasure)
  add_library(Jerasure::Jerasure UNKNOWN IMPORTED)
  set_target_properties(Jerasure::Jerasure PROPERTIES IMPORTED_LOCATION ${Jerasure_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${Jerasure_INCLUDE_DIR};${Jerasure_INNER_INCLUDE_DIR}")
endif()
