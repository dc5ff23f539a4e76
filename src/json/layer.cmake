# Stands in for jansson where it is not installed: what writes reports finds the same names.
if(NOT JANSSON_FOUND)
  ls_layer(json base)
  target_include_directories(ls_json PUBLIC ${CMAKE_SOURCE_DIR}/src/json)
  add_library(PkgConfig::JANSSON ALIAS ls_json)
elseif(NOT LOCKSTEP_FUZZ AND NOT LOCKSTEP_SANITIZE)
  # Machines with a GPU often have no jansson: what writes reports is compiled with these names, too.
  file(GLOB writers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/report/*json*.c ${CMAKE_SOURCE_DIR}/src/report/sarif*.c
       ${CMAKE_SOURCE_DIR}/src/allocate/report.c)
  add_library(without_jansson OBJECT ${CMAKE_SOURCE_DIR}/src/json/json.c ${writers})
  target_include_directories(without_jansson BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/src/json)
endif()
