# OpenCL on the emulated device, in one library, liblockstep-opencl.so: an ICD, and libOpenCL.so.1 itself. The
# folder opencl/ has it under the names that programs ask for; `lockstep run -- PROGRAM` puts it before others.
find_path(OPENCL_HEADERS CL/cl_icd.h)
if(NOT OPENCL_HEADERS AND NOT LOCKSTEP_FUZZ)
  message(STATUS "OpenCL's headers are not installed (opencl-c-headers): OpenCL programs cannot be run")
endif()
if(OPENCL_HEADERS AND TARGET ls_device AND TARGET ls_frontend AND NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE)
  include(GNUInstallDirs)
  set(opencl_dir ${CMAKE_BINARY_DIR}/opencl)
  # Symbols have the versions that programs linked with other libOpenCL.so.1 ask for.
  set(map ${CMAKE_BINARY_DIR}/opencl.map)
  set(map_text "")
  file(STRINGS ${CMAKE_SOURCE_DIR}/src/opencl/functions.def lines REGEX "^(FUNCTION|MISSING_)")
  foreach(version 1.0 1.1 1.2 2.0 2.1 2.2 3.0)
    string(APPEND map_text "OPENCL_${version} { global:")
    foreach(line ${lines})
      if(line MATCHES "\\((cl[A-Za-z0-9]+), ${version}[,)]")
        string(APPEND map_text " ${CMAKE_MATCH_1};")
      endif()
    endforeach()
    if(version STREQUAL 1.0)
      string(APPEND map_text " clIcdGetPlatformIDsKHR; local: *;")
    endif()
    string(APPEND map_text " };\n")
  endforeach()
  file(WRITE ${map} "${map_text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/opencl/functions.def)
  file(GLOB opencl_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/opencl/*.c)
  add_library(lockstep_opencl SHARED ${opencl_sources})
  target_compile_definitions(lockstep_opencl PRIVATE _GNU_SOURCE)
  target_include_directories(lockstep_opencl SYSTEM PRIVATE ${OPENCL_HEADERS})
  target_link_libraries(lockstep_opencl PRIVATE ls_device ls_frontend ls_base m)
  # -Bsymbolic: an ICD loader has functions of the same names, which must not be called instead of these.
  target_link_options(lockstep_opencl PRIVATE LINKER:--exclude-libs,ALL LINKER:-Bsymbolic
                      LINKER:--version-script=${map} LINKER:-soname,libOpenCL.so.1)
  set_target_properties(lockstep_opencl PROPERTIES OUTPUT_NAME lockstep-opencl NO_SONAME ON LINK_DEPENDS ${map}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS lockstep_opencl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(WRITE ${opencl_dir}/vendors/lockstep.icd "liblockstep-opencl.so\n")
  install(FILES ${opencl_dir}/vendors/lockstep.icd DESTINATION ${CMAKE_INSTALL_LIBDIR}/opencl/vendors)
  foreach(name libOpenCL.so.1 libOpenCL.so liblockstep-opencl.so)
    add_custom_command(TARGET lockstep_opencl POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink ../liblockstep-opencl.so ${opencl_dir}/${name})
    install(CODE "file(CREATE_LINK ../liblockstep-opencl.so
           \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/opencl/${name} SYMBOLIC)")
  endforeach()
endif()

# Tests: programs in C, compiled by the test, each run with this library and through an ICD loader.
if(CMOCKA_FOUND AND NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE)
  file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/opencl/programs/*.c)
  foreach(program ${programs})
    get_filename_component(name ${program} NAME_WE)
    add_test(NAME opencl.programs.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/opencl/programs.sh
                                                  ${CMAKE_BINARY_DIR}/lockstep ${program})
    set_tests_properties(opencl.programs.${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endif()
