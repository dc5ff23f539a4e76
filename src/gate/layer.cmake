# The gate for generated kernels: needs the verifier, and jansson for what it says.
if(JANSSON_FOUND AND TARGET ls_verify AND TARGET ls_replay)
  ls_layer(gate base check emulate finding frontend ir launch ptx replay verify)
  target_link_libraries(ls_gate PUBLIC PkgConfig::JANSSON)
  target_compile_definitions(ls_gate PRIVATE _GNU_SOURCE)
endif()

find_program(PYTHON3 python3)
if(TARGET ls_gate AND PYTHON3 AND NOT LOCKSTEP_FUZZ)
  add_test(NAME gate.test_gate COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/gate/test_gate.py ${CMAKE_BINARY_DIR}/lockstep)
  set_tests_properties(gate.test_gate PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endif()
