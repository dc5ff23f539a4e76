# Optional libraries: what is missing is named, and the parts that need it are left out of the build.
find_package(PkgConfig REQUIRED)
if(PkgConfig_FOUND)
  pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
  pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
endif()
find_program(LLVM_CONFIG NAMES llvm-config-19)
