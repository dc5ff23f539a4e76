# What stands in for NVIDIA's libraries when a program is run without a GPU: driver and runtime in one library,
# liblockstep-cuda.so, on the emulated device. The folder cuda/ has it under the names that programs ask for;
# `lockstep run -- PROGRAM` puts it before others, so that nothing else finds them.
if(TARGET ls_device AND NOT LOCKSTEP_FUZZ AND (LOCKSTEP_ASAN_RUNTIME OR NOT LOCKSTEP_SANITIZE))
  include(GNUInstallDirs)
  set(cuda_dir ${CMAKE_BINARY_DIR}/cuda)
  file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cuda/*.c)
  list(FILTER cuda_sources EXCLUDE REGEX "soname")
  add_library(lockstep_cuda SHARED ${cuda_sources})
  target_compile_definitions(lockstep_cuda PRIVATE _GNU_SOURCE)
  target_link_libraries(lockstep_cuda PRIVATE ls_device ls_emulate)
  target_link_options(lockstep_cuda PRIVATE LINKER:--exclude-libs,ALL)
  set_target_properties(lockstep_cuda PROPERTIES OUTPUT_NAME lockstep-cuda C_VISIBILITY_PRESET hidden
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS lockstep_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  foreach(name libcuda.so.1 libcuda.so libcudart.so)
    add_custom_command(TARGET lockstep_cuda POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E make_directory ${cuda_dir}
      COMMAND ${CMAKE_COMMAND} -E create_symlink ../liblockstep-cuda.so ${cuda_dir}/${name})
    install(CODE "file(MAKE_DIRECTORY \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cuda)
      file(CREATE_LINK ../liblockstep-cuda.so
           \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/cuda/${name} SYMBOLIC)")
  endforeach()
  # Programs linked with NVIDIA's libcudart ask for it by a name and a version of its symbols: an empty library
  # with that name and version, which brings the other with it.
  foreach(version 11.0 12 13)
    set(map ${CMAKE_BINARY_DIR}/cudart-${version}.map)
    file(WRITE ${map} "libcudart.so.${version} { global: lockstep_cudart; local: *; };\n")
    add_library(lockstep_cudart_${version} SHARED ${CMAKE_SOURCE_DIR}/src/cuda/soname.c)
    target_link_libraries(lockstep_cudart_${version} PRIVATE -Wl,--no-as-needed lockstep_cuda)
    target_link_options(lockstep_cudart_${version} PRIVATE -Wl,--version-script=${map} -Wl,-soname,libcudart.so.${version})
    set_target_properties(lockstep_cudart_${version} PROPERTIES PREFIX "" OUTPUT_NAME libcudart SUFFIX .so.${version}
                          NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY ${cuda_dir} INSTALL_RPATH "$ORIGIN/.."
                          BUILD_WITH_INSTALL_RPATH ON)
    install(TARGETS lockstep_cudart_${version} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cuda)
  endforeach()

  # Tests: a program of the driver's interface that needs no compiler of NVIDIA's, and programs that do.
  if(CMOCKA_FOUND)
    add_executable(cuda_driver ${CMAKE_SOURCE_DIR}/tests/cuda/driver.c)
    target_compile_options(cuda_driver PRIVATE -Wno-strict-prototypes -Wno-deprecated-non-prototype)
    target_link_libraries(cuda_driver PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
    add_executable(cuda_test_program ${CMAKE_SOURCE_DIR}/tests/cuda/test_program.c)
    target_link_libraries(cuda_test_program PRIVATE ls_base PkgConfig::CMOCKA)
    target_compile_definitions(cuda_test_program PRIVATE _GNU_SOURCE PROGRAM="$<TARGET_FILE:cuda_driver>"
                               LOCKSTEP_BINARY="${CMAKE_BINARY_DIR}/lockstep")
    add_dependencies(cuda_test_program cuda_driver lockstep_cuda)
    add_test(NAME cuda.test_program COMMAND cuda_test_program)
    # A program that is linked with a library which nothing stands in for: one by that name, without anything in it.
    add_library(cuda_fake_solver SHARED ${CMAKE_SOURCE_DIR}/tests/cuda/solver.c)
    set_target_properties(cuda_fake_solver PROPERTIES OUTPUT_NAME cusolver SOVERSION 12
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fake-solver)
    add_executable(cuda_solver ${CMAKE_SOURCE_DIR}/tests/cuda/solver_program.c)
    target_link_libraries(cuda_solver PRIVATE cuda_fake_solver)
    add_test(NAME cuda.solver COMMAND lockstep run -- $<TARGET_FILE:cuda_solver>)
    set_tests_properties(cuda.solver PROPERTIES PASS_REGULAR_EXPRESSION
      "linked with cuSOLVER .libcusolver.so.12.*GPU with 'lockstep detect'.*1 unknown")
    add_dependencies(cuda_solver lockstep_cuda)
    # A library with a runtime linked in, as a file of its own and under the name of NVIDIA's compiler.
    foreach(name late nvrtc)
      add_library(cuda_loading_${name} SHARED ${CMAKE_SOURCE_DIR}/tests/cuda/loading/library.c
                  ${CMAKE_SOURCE_DIR}/tests/cuda/loading/runtime.c)
      set_target_properties(cuda_loading_${name} PROPERTIES OUTPUT_NAME ${name}
                            LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/loading)
    endforeach()
    add_executable(cuda_loading ${CMAKE_SOURCE_DIR}/tests/cuda/loading/program.c)
    target_link_libraries(cuda_loading PRIVATE ${CMAKE_DL_LIBS})
    add_dependencies(cuda_loading lockstep_cuda)
    add_test(NAME cuda.loading COMMAND lockstep run -- $<TARGET_FILE:cuda_loading> $<TARGET_FILE:cuda_loading_late>
                                       $<TARGET_FILE:cuda_loading_nvrtc>)
    set_tests_properties(cuda.loading PROPERTIES PASS_REGULAR_EXPRESSION
      "devices: 1 when loaded, 1 now.*devices: 1 when loaded, 1 now.*compiled: PTX.*driver: 13000.*cuBLAS: there")
    add_test(NAME cuda.functions COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cuda/functions.sh $<TARGET_FILE:lockstep_cuda>)
    set_tests_properties(cuda.functions PROPERTIES SKIP_RETURN_CODE 77)
    find_program(LOCKSTEP_PYTHON python3)
    if(LOCKSTEP_PYTHON)
      set(python_program ${CMAKE_SOURCE_DIR}/tests/cuda/python/vector_add.py)
      add_test(NAME cuda.python COMMAND lockstep run -- ${LOCKSTEP_PYTHON} ${python_program})
      set_tests_properties(cuda.python PROPERTIES PASS_REGULAR_EXPRESSION "right" FAIL_REGULAR_EXPRESSION "error:")
      add_test(NAME cuda.python.beyond COMMAND lockstep run -- ${LOCKSTEP_PYTHON} ${python_program} beyond)
      set_tests_properties(cuda.python.beyond PROPERTIES
        PASS_REGULAR_EXPRESSION "read of 4 bytes outside of every allocation.*vector_add.py:71: note: launched here, in the module")
      foreach(way "" wrong)
        string(JOIN . name cuda.python.ways ${way})
        add_test(NAME ${name} COMMAND lockstep run -- ${LOCKSTEP_PYTHON} ${CMAKE_SOURCE_DIR}/tests/cuda/python/ways.py ${way})
      endforeach()
      set_tests_properties(cuda.python.ways PROPERTIES PASS_REGULAR_EXPRESSION "0 failures.*nothing found"
                           FAIL_REGULAR_EXPRESSION "error:")
      set_tests_properties(cuda.python.ways.wrong PROPERTIES PASS_REGULAR_EXPRESSION
        "0 failures.*unknown: a module's PTX cannot be used.*frobnicate")
    else()
      add_test(NAME cuda.python COMMAND ${CMAKE_COMMAND} -E echo "python3 is not installed: skipped")
      set_tests_properties(cuda.python PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
    endif()
    file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cuda/programs/*.cu)
    foreach(program ${programs})
      get_filename_component(name ${program} NAME_WE)
      add_test(NAME cuda.programs.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cuda/programs.sh
                                                  ${CMAKE_BINARY_DIR}/lockstep ${program})
      set_tests_properties(cuda.programs.${name} PROPERTIES SKIP_RETURN_CODE 77)
      if(LOCKSTEP_SANITIZE)
        set_tests_properties(cuda.programs.${name} PROPERTIES ENVIRONMENT CUDA_ROADS=static)
      endif()
    endforeach()
  endif()
endif()
