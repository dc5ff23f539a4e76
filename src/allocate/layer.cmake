# Register allocation; its output is tested by running it in the emulator.
ls_layer(allocate analyze ir ptx base)
target_compile_definitions(ls_allocate PRIVATE _GNU_SOURCE)
target_link_libraries(ls_allocate PUBLIC PkgConfig::JANSSON)
foreach(test test_equal)
  if(TARGET allocate_${test})
    target_link_libraries(allocate_${test} PRIVATE ls_emulate)
  endif()
endforeach()
