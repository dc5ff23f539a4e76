# What instructions compute, exactly: so no contraction, and rounding modes are looked at.
ls_layer(isa ptx base)
target_compile_definitions(ls_isa PRIVATE _GNU_SOURCE)
set(isa_optimize)
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(isa_optimize -O3)
endif()
target_compile_options(ls_isa PRIVATE -fno-strict-aliasing -ffp-contract=off -fno-math-errno ${isa_optimize})
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/isa/real.c ${CMAKE_SOURCE_DIR}/src/isa/convert.c
                            PROPERTIES COMPILE_OPTIONS "-frounding-math")
