ls_layer(detect ir ptx base)
target_compile_definitions(ls_detect PRIVATE _GNU_SOURCE)
target_link_libraries(ls_detect PUBLIC ${CMAKE_DL_LIBS})
if(TARGET ls_emulate)
  target_link_libraries(ls_detect PUBLIC ls_emulate)
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
endif()
