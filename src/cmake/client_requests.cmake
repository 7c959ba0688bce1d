# Writes the header OUTPUT, which defines one macro. The value of the macro is 1 if COMPILER finds valgrind/callgrind.h (Debian:
# valgrind), else 0. If SYSROOT is given, COMPILER searches in SYSROOT. This script runs at every make, because valgrind may be
# installed after the first build. The script changes OUTPUT only if the value of the macro has changed.
set(sysroot)
if(SYSROOT)
  set(sysroot --sysroot=${SYSROOT})
endif()
execute_process(COMMAND ${COMPILER} ${sysroot} -fsyntax-only -x c++ -include valgrind/callgrind.h /dev/null
  OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE missing)
set(found 1)
if(missing)
  set(found 0)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define ECBENCH_CLIENT_REQUESTS ${found}\n")
