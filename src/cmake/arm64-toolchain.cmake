# The toolchain for arm64: Debian's cross-compiler, and the libraries that scripts/arm64-sysroot.sh puts into the directory sysroot/
# of the build directory. CMake runs the compiled programs under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # suppresses notes about the ABI of older versions of GCC
# try_compile() reads this file again, with another build directory in CMAKE_BINARY_DIR. Therefore try_compile() gets the path of
# the sysroot through CMAKE_TRY_COMPILE_PLATFORM_VARIABLES.
if(NOT ECBENCH_ARM64_SYSROOT)
  set(ECBENCH_ARM64_SYSROOT ${CMAKE_BINARY_DIR}/sysroot)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ECBENCH_ARM64_SYSROOT)
set(CMAKE_SYSROOT ${ECBENCH_ARM64_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})
