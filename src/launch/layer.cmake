# Kernel arguments, buffers and .npy files: what a launch is given.
ls_layer(launch emulate isa ir ptx base)
target_compile_definitions(ls_launch PRIVATE _GNU_SOURCE)
foreach(test sample tensor) # tests of the machine with arguments in text form
  if(TARGET emulate_test_${test})
    target_link_libraries(emulate_test_${test} PRIVATE ls_launch)
  endif()
endforeach()
