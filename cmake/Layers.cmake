# ls_layer(NAME dep…): the folder src/NAME becomes the object library NAME and part of liblockstep;
# its headers that others may use are in include/lockstep/ or in the folder itself.
# ls_test(LAYER NAME): tests/LAYER/test_NAME.c, a cmocka program, linked to liblockstep and run by ctest.
set(LOCKSTEP_OBJECTS "" CACHE INTERNAL "")
set(LOCKSTEP_LIBS Threads::Threads m CACHE INTERNAL "")

function(ls_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  add_library(ls_${name} STATIC ${sources})
  foreach(dep ${ARGN})
    target_link_libraries(ls_${name} PUBLIC ls_${dep})
  endforeach()
  target_link_libraries(ls_${name} PUBLIC Threads::Threads m)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/test_*.c)
  if(CMOCKA_FOUND)
    foreach(source ${tests})
      get_filename_component(test ${source} NAME_WE)
      add_executable(${name}_${test} ${source})
      target_link_libraries(${name}_${test} PRIVATE ls_${name} PkgConfig::CMOCKA)
      target_compile_definitions(${name}_${test} PRIVATE
        TEST_DIR="${CMAKE_SOURCE_DIR}/tests/${name}" SOURCE_DIR="${CMAKE_SOURCE_DIR}")
      add_test(NAME ${name}.${test} COMMAND ${name}_${test} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/tests/${name})
    endforeach()
  endif()
endfunction()

foreach(layer base ptx ir frontend analyze verify emulate detect allocate report cli)
  if(EXISTS ${CMAKE_SOURCE_DIR}/src/${layer}/layer.cmake)
    include(${CMAKE_SOURCE_DIR}/src/${layer}/layer.cmake)
  endif()
endforeach()
