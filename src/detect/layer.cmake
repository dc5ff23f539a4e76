ls_layer(detect analyze isa ir ptx finding base OPTIONAL emulate)
target_compile_definitions(ls_detect PRIVATE _GNU_SOURCE)
target_link_libraries(ls_detect PUBLIC ${CMAKE_DL_LIBS})
if(TARGET ls_emulate)
  target_compile_definitions(ls_detect PRIVATE LS_HAVE_EMULATOR=1)
endif()

# The detector inside of programs, preloaded by `lockstep detect -- PROGRAM`. Only what stands in for the driver
# is visible.
file(GLOB preload_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/detect/preload/*.c)
if(preload_sources AND NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE)
  add_library(lockstep_detect_preload SHARED ${preload_sources})
  target_compile_definitions(lockstep_detect_preload PRIVATE _GNU_SOURCE)
  target_link_libraries(lockstep_detect_preload PRIVATE ls_detect)
  target_link_options(lockstep_detect_preload PRIVATE LINKER:--exclude-libs,ALL)
  set_target_properties(lockstep_detect_preload PROPERTIES OUTPUT_NAME lockstep-detect C_VISIBILITY_PRESET hidden
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  include(GNUInstallDirs)
  install(TARGETS lockstep_detect_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# Tests of it: a driver that the emulator carries out, and a program that uses it.
if(TARGET lockstep_detect_preload AND TARGET detect_test_program AND TARGET ls_emulate)
  set(fake ${CMAKE_BINARY_DIR}/fake-driver)
  add_library(detect_fake_cuda SHARED ${CMAKE_SOURCE_DIR}/tests/detect/program/fake_cuda.c)
  target_link_libraries(detect_fake_cuda PRIVATE ls_detect)
  target_link_options(detect_fake_cuda PRIVATE LINKER:--exclude-libs,ALL)
  set_target_properties(detect_fake_cuda PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
                        C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${fake})
  add_executable(detect_program ${CMAKE_SOURCE_DIR}/tests/detect/program/program.c)
  target_link_libraries(detect_program PRIVATE ${CMAKE_DL_LIBS})
  target_compile_definitions(detect_program PRIVATE _GNU_SOURCE)
  foreach(test detect_test_program detect_test_command)
    target_compile_definitions(${test} PRIVATE _GNU_SOURCE FAKE_DRIVER="${fake}"
      PRELOAD="$<TARGET_FILE:lockstep_detect_preload>" PROGRAM="$<TARGET_FILE:detect_program>"
      LOCKSTEP_BINARY="$<TARGET_FILE:lockstep>")
    add_dependencies(${test} detect_fake_cuda detect_program lockstep_detect_preload lockstep)
  endforeach()
elseif(TARGET detect_test_program)
  foreach(test program command)
    set_target_properties(detect_test_${test} PROPERTIES EXCLUDE_FROM_ALL ON)
    set_tests_properties(detect.test_${test} PROPERTIES DISABLED ON)
  endforeach()
endif()
