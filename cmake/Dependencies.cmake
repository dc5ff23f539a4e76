# Optional libraries: what is missing is named, and the parts that need it are left out of the build. On a machine
# with a GPU and nothing but a compiler, CMake and the CUDA toolkit that is everything that proves or reads CUDA
# by itself: detect, run, allocate, analyze and ptx remain.
option(LOCKSTEP_GPU_ONLY "Build without Z3, LLVM, jansson and tests, even where they are installed" OFF)
set(JANSSON_FOUND FALSE)
set(CMOCKA_FOUND FALSE)
if(NOT LOCKSTEP_GPU_ONLY)
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(JANSSON IMPORTED_TARGET jansson)
    pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
  endif()
  find_program(LLVM_CONFIG NAMES llvm-config-19)
  if(NOT JANSSON_FOUND)
    message(STATUS "jansson is not there (package libjansson-dev): the compilation database of clang is not read")
  endif()
endif()
