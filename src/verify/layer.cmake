# Two threads in lock step, invariants and obligations; left out where there is no solver.
if(TARGET ls_solve)
  ls_layer(verify solve finding graph isa ir ptx base)
endif()
if(TARGET verify_test_model) # real kernels in the model's language, both ways
  target_link_libraries(verify_test_model PRIVATE ls_model)
endif()
