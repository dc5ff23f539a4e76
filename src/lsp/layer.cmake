# The language server, where jansson is.
if(TARGET ls_rpc)
  ls_layer(lsp base finding report rpc)
  target_compile_definitions(ls_lsp PRIVATE _GNU_SOURCE)

  # A scripted client, and Neovim where it is installed.
  find_program(PYTHON3 python3)
  if(PYTHON3 AND NOT LOCKSTEP_FUZZ)
    foreach(test test_lsp test_neovim)
      add_test(NAME lsp.${test} COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tests/lsp/${test}.py
                                        ${CMAKE_BINARY_DIR}/lockstep)
      set_tests_properties(lsp.${test} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
    endforeach()
  endif()
endif()
