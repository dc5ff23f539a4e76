# The SIMT machine. The vector loops (lanes/lanes.c, lanes/memory.c) are compiled for several instruction sets; lanes/target.c chooses.
ls_layer(emulate finding isa ir ptx base)
set(emulate_optimize)
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(emulate_optimize -O3)
endif()
target_compile_definitions(ls_emulate PRIVATE _GNU_SOURCE)
target_compile_options(ls_emulate PRIVATE -fno-strict-aliasing -ffp-contract=off -fno-math-errno ${emulate_optimize})
set(lanes ${CMAKE_SOURCE_DIR}/src/emulate/lanes/lanes.c ${CMAKE_SOURCE_DIR}/src/emulate/lanes/memory.c)
set(lane_flags -fno-trapping-math ${emulate_optimize})
set_source_files_properties(${lanes} PROPERTIES COMPILE_OPTIONS "${lane_flags}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  foreach(target avx2 avx512)
    add_library(ls_lanes_${target} OBJECT ${lanes})
    target_compile_definitions(ls_lanes_${target} PRIVATE LANES_TARGET=${target} _GNU_SOURCE)
    target_compile_options(ls_lanes_${target} PRIVATE -fno-strict-aliasing -ffp-contract=off -fno-math-errno)
    target_sources(ls_emulate PRIVATE $<TARGET_OBJECTS:ls_lanes_${target}>)
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_MORE_OBJECTS $<TARGET_OBJECTS:ls_lanes_${target}>)
  endforeach()
  target_compile_options(ls_lanes_avx2 PRIVATE -mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt)
  target_compile_options(ls_lanes_avx512 PRIVATE -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mbmi -mbmi2
                         -mlzcnt -mpopcnt -mprefer-vector-width=512)
  target_compile_definitions(ls_emulate PRIVATE LANES_X86)
endif()

# The papers' examples, and what must not be reported, through the command itself.
if(CMOCKA_FOUND AND NOT LOCKSTEP_FUZZ)
  add_test(NAME emulate.papers COMMAND sh ${CMAKE_SOURCE_DIR}/tests/emulate/papers.sh $<TARGET_FILE:lockstep>
                                       ${CMAKE_SOURCE_DIR}/tests/emulate)
  # Correct kernels, of which nothing is to be reported, and their faulty counterparts.
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/emulate/kernels/*)
  foreach(kernel ${kernels})
    get_filename_component(name ${kernel} NAME)
    add_test(NAME emulate.kernels.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/emulate/kernels.sh
                                                  $<TARGET_FILE:lockstep> ${kernel})
  endforeach()
endif()

if(TARGET emulate_bench_emulate AND TARGET ls_frontend)
  target_link_libraries(emulate_bench_emulate PRIVATE ls_frontend m)
endif()

# PoCL and Oclgrind beside it in the benchmark, through any OpenCL loader.
find_path(OPENCL_INCLUDE CL/cl.h)
find_library(OPENCL_LIBRARY OpenCL)
mark_as_advanced(OPENCL_INCLUDE OPENCL_LIBRARY)
if(TARGET emulate_bench_emulate AND OPENCL_INCLUDE AND OPENCL_LIBRARY)
  add_executable(emulate_opencl EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/bench/emulate/opencl.c)
  target_include_directories(emulate_opencl SYSTEM PRIVATE ${OPENCL_INCLUDE})
  target_link_libraries(emulate_opencl PRIVATE ${OPENCL_LIBRARY})
  target_compile_definitions(emulate_opencl PRIVATE _GNU_SOURCE)
  target_compile_definitions(emulate_bench_emulate PRIVATE OPENCL_HOST="$<TARGET_FILE:emulate_opencl>")
  add_dependencies(emulate_bench_emulate emulate_opencl)
endif()

# Random PTX with the emulator's results, for bench/gpu/exactness/run.c on a GPU: ninja emulate_exactness.
set(exactness ${CMAKE_SOURCE_DIR}/bench/gpu/exactness)
add_library(emulate_programs STATIC EXCLUDE_FROM_ALL ${exactness}/program.c ${exactness}/vocabulary.c
                                                     ${exactness}/doubt.c)
target_include_directories(emulate_programs PUBLIC ${exactness})
target_link_libraries(emulate_programs PUBLIC ls_emulate)
add_executable(emulate_exactness EXCLUDE_FROM_ALL ${exactness}/generate.c)
target_link_libraries(emulate_exactness PRIVATE emulate_programs)
if(TARGET emulate_test_exactness)
  target_link_libraries(emulate_test_exactness PRIVATE emulate_programs)
  target_include_directories(emulate_test_tensor PRIVATE ${exactness})
endif()
