# Stands in for jansson where it is not installed: what writes reports finds the same names.
if(NOT JANSSON_FOUND)
  ls_layer(json base)
  target_include_directories(ls_json PUBLIC ${CMAKE_SOURCE_DIR}/src/json)
  add_library(PkgConfig::JANSSON ALIAS ls_json)
endif()
