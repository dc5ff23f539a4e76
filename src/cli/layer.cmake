# The command: linked to every layer that is there.
ls_layer(cli analyze allocate base check detect device emulate finding frontend ir jit launch ptx report usimd
         OPTIONAL gate lsp mcp model replay rpc verify)
target_compile_definitions(ls_cli PRIVATE _GNU_SOURCE)
if(LOCKSTEP_ASAN_RUNTIME)
  target_compile_definitions(ls_cli PRIVATE LOCKSTEP_ASAN_RUNTIME="${LOCKSTEP_ASAN_RUNTIME}")
endif()
if(JANSSON_FOUND)
  target_compile_definitions(ls_cli PRIVATE LS_HAVE_JANSSON=1)
endif()

# main.c is the program's, not the library's.
get_target_property(sources ls_cli SOURCES)
list(FILTER sources EXCLUDE REGEX "/main\\.c$")
if(NOT TARGET ls_verify)
  list(FILTER sources EXCLUDE REGEX "/(cmd_(check|verify|expect|model)|contracts|expect_.*|known|mend|trials|model_simd)\\.c$")
  target_compile_definitions(ls_cli PRIVATE LS_NO_VERIFIER=1)
endif()
if(TARGET ls_rpc AND TARGET ls_verify)
  target_compile_definitions(ls_cli PRIVATE LS_SERVERS=1)
else()
  list(FILTER sources EXCLUDE REGEX "/cmd_(lsp|mcp|gate)\\.c$")
endif()
set_target_properties(ls_cli PROPERTIES SOURCES "${sources}")
add_executable(lockstep ${CMAKE_SOURCE_DIR}/src/cli/main.c)
if(TARGET ls_solve) # first: the loader looks Z3's own symbols up, the most of all, in the order of libraries
  target_link_options(lockstep PRIVATE LINKER:--push-state,--no-as-needed ${Z3_LIBRARY} LINKER:--pop-state)
endif()
target_link_libraries(lockstep PRIVATE ls_cli)
set_target_properties(lockstep PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
# The same program under the name that build systems have for their CUDA compiler.
add_custom_command(TARGET lockstep POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink lockstep ${CMAKE_BINARY_DIR}/lockstep-nvcc)

# Its tests run the program itself.
file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cli/test_*.c)
foreach(source ${tests})
  get_filename_component(test ${source} NAME_WE)
  if(TARGET cli_${test})
    target_compile_definitions(cli_${test} PRIVATE LOCKSTEP_BINARY="$<TARGET_FILE:lockstep>")
    add_dependencies(cli_${test} lockstep)
  endif()
endforeach()

# Kernel files with an expectation in their first line, or with one for each kernel (docs/expect.md), in any folder
# tests/NAME/kernels, are tests: one for each such folder.
file(GLOB folders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/kernels)
foreach(folder ${folders})
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${folder}/*.cu ${folder}/*.cl ${folder}/*.ptx ${folder}/*.kernel
       ${folder}/*.simd)
  set(expected)
  foreach(kernel ${kernels})
    file(STRINGS ${kernel} first LIMIT_COUNT 1)
    file(STRINGS ${kernel} cases LIMIT_COUNT 1 REGEX "^//:")
    if(cases OR first MATCHES "^// *(pass|PASS|xfail:|XFAIL:|unknown|UNKNOWN)")
      set(expected ON)
    endif()
  endforeach()
  if(expected AND NOT LOCKSTEP_FUZZ AND TARGET ls_verify)
    get_filename_component(name ${folder} DIRECTORY)
    get_filename_component(name ${name} NAME)
    add_test(NAME ${name}.kernels COMMAND lockstep expect -v --timeout 600 ${folder})
    set_tests_properties(${name}.kernels PROPERTIES TIMEOUT 7200)
  endif()
endforeach()

# The longest tests are started first, one of them in two halves. On a machine that has other work they take longer
# than CTest lets a test run by itself (1500 s), and are not wrong for that.
if(TARGET cli_test_claims)
  ls_cmocka_test(cli.test_claims_2 cli_test_claims)
  set_tests_properties(cli.test_claims PROPERTIES ENVIRONMENT LOCKSTEP_CLAIMS_HALF=0)
  set_tests_properties(cli.test_claims_2 PROPERTIES ENVIRONMENT LOCKSTEP_CLAIMS_HALF=1)
  set_tests_properties(cli.test_claims cli.test_claims_2 cli.test_mutants PROPERTIES COST 1000 TIMEOUT 7200)
endif()

# Kernels that call CUB, where its headers are.
find_path(CUB_HEADERS cub/cub.cuh PATHS /usr/local/cuda/include/cccl /opt/cuda/include/cccl $ENV{LOCKSTEP_CCCL}
          $ENV{LOCKSTEP_CCCL}/cub NO_CACHE)
if(CUB_HEADERS AND NOT LOCKSTEP_FUZZ AND TARGET ls_verify)
  add_test(NAME library.cub COMMAND lockstep expect -v --timeout 600 ${CMAKE_SOURCE_DIR}/tests/library/cub)
elseif(NOT LOCKSTEP_FUZZ)
  add_test(NAME library.cub COMMAND sh -c "echo 'CUB is not installed'; exit 77")
  set_tests_properties(library.cub PROPERTIES SKIP_RETURN_CODE 77)
endif()

# The same kernels with NVIDIA's compiler and its headers, where it is; with sanitizers those above do.
find_program(NVCC nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin NO_CACHE)
if(NVCC AND NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE AND TARGET ls_verify)
  add_test(NAME library.nvcc COMMAND lockstep expect -v --timeout 600 ${CMAKE_SOURCE_DIR}/tests/library/kernels
                                     ${CMAKE_SOURCE_DIR}/tests/library/cub --filter "(right|wrong|[^c]_run)[.]cu$"
                                     -- --frontend nvcc)
  set_tests_properties(library.nvcc PROPERTIES TIMEOUT 7200)
elseif(NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE)
  add_test(NAME library.nvcc COMMAND sh -c "echo 'nvcc is not installed'; exit 77")
  set_tests_properties(library.nvcc PROPERTIES SKIP_RETURN_CODE 77)
endif()

# A program with CUB's algorithms for the whole device.
if(NVCC AND CUB_HEADERS AND TARGET lockstep_cuda AND NOT LOCKSTEP_FUZZ)
  add_test(NAME library.device
           COMMAND sh -c "'${NVCC}' -arch=compute_80 -lineinfo -o library_device \
                          '${CMAKE_SOURCE_DIR}/tests/library/programs/device.cu' && \
                          '$<TARGET_FILE:lockstep>' run --exit-status findings -- ./library_device 20000"
           WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  set_tests_properties(library.device PROPERTIES FAIL_REGULAR_EXPRESSION "wrong")
elseif(NOT LOCKSTEP_FUZZ)
  add_test(NAME library.device COMMAND sh -c "echo 'nvcc or CUB is not installed'; exit 77")
  set_tests_properties(library.device PROPERTIES SKIP_RETURN_CODE 77)
endif()

# What documents show is what the command prints.
find_program(PYTHON3 python3)
if(PYTHON3 AND NOT LOCKSTEP_FUZZ AND TARGET ls_verify)
  file(GLOB documents RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/README.md
       ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/guides/*.md)
  add_test(NAME docs.examples COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/docs/examples.py
                                      $<TARGET_FILE:lockstep> ${documents})
endif()

# CI files: their commands, as a runner would start them.
if(PYTHON3 AND NOT LOCKSTEP_FUZZ AND TARGET ls_verify)
  add_test(NAME docs.ci COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/docs/ci.py $<TARGET_FILE:lockstep>)
  set_tests_properties(docs.ci PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()

# One report by several processes, where there is an MPI.
if(PYTHON3 AND NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE AND TARGET ls_verify)
  add_test(NAME cli.fleet COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/cli/fleet.py $<TARGET_FILE:lockstep>)
  set_tests_properties(cli.fleet PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()

# The Python package, over the shared library; skipped where no python3 has NumPy.
if(NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE)
  add_test(NAME python.package COMMAND sh ${CMAKE_SOURCE_DIR}/tests/python/run.sh ${CMAKE_SOURCE_DIR}
                                       ${CMAKE_BINARY_DIR}/liblockstep.so)
  set_tests_properties(python.package PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
