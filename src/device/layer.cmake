# An emulated GPU for whole programs.
if(TARGET ls_emulate)
  ls_layer(device emulate jit detect ptx finding base)
  target_compile_definitions(ls_device PRIVATE _GNU_SOURCE)
  target_link_libraries(ls_device PUBLIC ${CMAKE_DL_LIBS})
endif()
