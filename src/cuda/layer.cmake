# What stands in for NVIDIA's libraries when a program is run without a GPU: driver and runtime in one library,
# liblockstep-cuda.so, on the emulated device. The folder cuda/ has it under the names that programs ask for;
# `lockstep run -- PROGRAM` puts it before others, so that nothing else finds them.
if(TARGET ls_device AND NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE)
  include(GNUInstallDirs)
  set(cuda_dir ${CMAKE_BINARY_DIR}/cuda)
  file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cuda/*.c)
  list(FILTER cuda_sources EXCLUDE REGEX "soname")
  add_library(lockstep_cuda SHARED ${cuda_sources})
  target_compile_definitions(lockstep_cuda PRIVATE _GNU_SOURCE)
  target_link_libraries(lockstep_cuda PRIVATE ls_device)
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
endif()
