# Writes the header OUTPUT with the git revision of SOURCE. This script runs at every make, but changes OUTPUT only if the revision
# has changed. The revision is "unknown" if SOURCE is not the top directory of a git tree, for example if SOURCE is a subdirectory
# of another project's tree.
execute_process(COMMAND git rev-parse --show-toplevel WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
set(revision unknown)
if(DEFINED ENV{ECBENCH_GIT_REVISION})  # packaging scripts set this variable, because a package is built outside of git
  set(revision $ENV{ECBENCH_GIT_REVISION})
elseif(NOT failed)
  file(REAL_PATH ${SOURCE} source)
  file(REAL_PATH ${top} top)
  if(source STREQUAL top)
    execute_process(COMMAND git --no-optional-locks describe --always --dirty --abbrev=40 --exclude=* WORKING_DIRECTORY ${SOURCE}
      OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(revision ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define ECBENCH_GIT_REVISION \"${revision}\"\n")
