# The server for coding agents (Model Context Protocol), where jansson is.
if(TARGET ls_rpc)
  ls_layer(mcp base rpc)
  target_compile_definitions(ls_mcp PRIVATE _GNU_SOURCE)

  find_program(PYTHON3 python3)
  if(PYTHON3 AND NOT LOCKSTEP_FUZZ)
    add_test(NAME mcp.test_mcp COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/mcp/test_mcp.py ${CMAKE_BINARY_DIR}/lockstep)
    set_tests_properties(mcp.test_mcp PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  endif()
endif()
