# JSON-RPC messages and the children that do a server's work, for the language server and the MCP server. Only where
# jansson is: the stand-in of src/json writes, but does not read.
if(JANSSON_FOUND)
  ls_layer(rpc base)
  target_compile_definitions(ls_rpc PRIVATE _GNU_SOURCE)
  target_link_libraries(ls_rpc PUBLIC PkgConfig::JANSSON)
endif()
