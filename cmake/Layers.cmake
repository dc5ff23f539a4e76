# ls_layer(NAME dep… [OPTIONAL dep…]): the folder src/NAME with its subfolders becomes the library ls_NAME, part of
# liblockstep, linked to the layers ls_dep; OPTIONAL ones may be missing in this build. Its headers that others may
# use are in include/lockstep/ or in the folder itself. Files include only what these layers offer: the test
# layers.includes (CheckLayers.cmake) holds every #include against the list. With it go
#   tests/NAME/test_*.c   cmocka programs, linked to ls_NAME and run by ctest as NAME.test_*;
#   bench/NAME/bench_*.c  programs that print a table, linked to ls_NAME and run by the target `bench`.
set_property(GLOBAL PROPERTY LOCKSTEP_LAYERS "")
set_property(GLOBAL PROPERTY LOCKSTEP_BENCHES "")

# A test that CTest shows as skipped where some of what it would test is not there.
function(ls_cmocka_test test program)
  add_test(NAME ${test} COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/run-test.sh $<TARGET_FILE:${program}>)
  set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

function(ls_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "OPTIONAL")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  list(FILTER sources EXCLUDE REGEX "/preload/")
  if(NOT sources)
    message(STATUS "src/${name} has no sources yet")
    return()
  endif()
  add_library(ls_${name} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LAYERS ${name})
  foreach(dep ${layer_UNPARSED_ARGUMENTS} ${layer_OPTIONAL})
    if(TARGET ls_${dep} OR NOT dep IN_LIST layer_OPTIONAL)
      target_link_libraries(ls_${name} PUBLIC ls_${dep})
    endif()
  endforeach()
  target_link_libraries(ls_${name} PUBLIC Threads::Threads m)

  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/test_*.c)
  if(CMOCKA_FOUND AND NOT LOCKSTEP_FUZZ)
    foreach(source ${tests})
      get_filename_component(test ${source} NAME_WE)
      add_executable(${name}_${test} ${source})
      target_link_libraries(${name}_${test} PRIVATE ls_${name} PkgConfig::CMOCKA)
      target_compile_definitions(${name}_${test} PRIVATE
        TEST_DIR="${CMAKE_SOURCE_DIR}/tests/${name}" SOURCE_DIR="${CMAKE_SOURCE_DIR}")
      ls_cmocka_test(${name}.${test} ${name}_${test})
      set_tests_properties(${name}.${test} PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/tests/${name})
    endforeach()
  endif()

  file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/${name}/bench_*.c)
  foreach(source ${benches})
    get_filename_component(bench ${source} NAME_WE)
    add_executable(${name}_${bench} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name}_${bench} PRIVATE ls_${name})
    target_compile_definitions(${name}_${bench} PRIVATE
      BENCH_DIR="${CMAKE_SOURCE_DIR}/bench/${name}" SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_BENCHES ${name}_${bench})
  endforeach()
endfunction()

foreach(layer base json finding ptx graph isa ir frontend analyze solve model verify emulate launch replay usimd
              device detect allocate ocelot cuda opencl libraries report check rpc lsp mcp gate cli)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${layer}/layer.cmake)
    include(${CMAKE_SOURCE_DIR}/src/${layer}/layer.cmake)
  endif()
endforeach()

if(NOT LOCKSTEP_FUZZ)
  add_test(NAME layers.includes
           COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/CheckLayers.cmake)
endif()

if(NOT LOCKSTEP_FUZZ)
  add_test(NAME docs.api COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/api-reference.sh --check ${CMAKE_SOURCE_DIR})
endif()

# --- The target `bench`: every benchmark, one after another ------------------------------------------------
get_property(benches GLOBAL PROPERTY LOCKSTEP_BENCHES)
set(bench_commands)
find_program(PYTHON3 python3)
if(PYTHON3 AND TARGET ls_lsp)
  list(APPEND bench_commands COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/bench/lsp/latency.py $<TARGET_FILE:lockstep>)
endif()
foreach(bench ${benches})
  list(APPEND bench_commands COMMAND ${bench})
endforeach()
if(NOT benches)
  set(bench_commands COMMAND ${CMAKE_COMMAND} -E echo "There are no benchmarks.")
endif()
add_custom_target(bench ${bench_commands} DEPENDS ${benches} USES_TERMINAL
                  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
