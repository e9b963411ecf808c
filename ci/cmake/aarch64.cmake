# Toolchain of the preset "aarch64": GCC's cross compiler, and a root of Debian's packages for arm64. `python3 ci/lab
# aarch64` makes that root, builds with this file, and runs the programs by QEMU; RATCHET_SYSROOT names another root.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RATCHET_SYSROOT)  # a trial of the compiler reads this file again
if(NOT RATCHET_SYSROOT)
  set(RATCHET_SYSROOT $ENV{XDG_CACHE_HOME})
  if(NOT RATCHET_SYSROOT)
    set(RATCHET_SYSROOT $ENV{HOME}/.cache)
  endif()
  set(RATCHET_SYSROOT ${RATCHET_SYSROOT}/ratchet/arm64-root)
endif()
if(NOT EXISTS ${RATCHET_SYSROOT}/usr/lib/aarch64-linux-gnu)
  message(FATAL_ERROR "${RATCHET_SYSROOT} has no libraries for arm64; `python3 ci/lab aarch64 --root` makes it")
endif()
set(CMAKE_SYSROOT ${RATCHET_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Else a note at each std::pair<double, double>: GCC 10 changed how it is passed.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${RATCHET_SYSROOT})  # of what the build itself runs
