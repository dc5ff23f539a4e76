# JSON-RPC messages and the children that do a server's work, for the language server and the MCP server. Only where
# jansson is: the stand-in of src/json writes, but does not read.
if(JANSSON_FOUND)
  ls_layer(rpc base)
  target_compile_definitions(ls_rpc PRIVATE _GNU_SOURCE)
  target_link_libraries(ls_rpc PUBLIC PkgConfig::JANSSON)

  # The servers' children and the gate's: confined, and gone when they should be.
  find_program(PYTHON3 python3)
  if(PYTHON3 AND NOT LOCKSTEP_FUZZ)
    add_test(NAME rpc.test_confined COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/rpc/test_confined.py
                                            ${CMAKE_BINARY_DIR}/lockstep)
    set_tests_properties(rpc.test_confined PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
  endif()
endif()
