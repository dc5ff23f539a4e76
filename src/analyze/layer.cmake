# src/analyze: abstract values across threads.
ls_layer(analyze isa ir ptx base)
# Numbers wrap as the machine's do.
if(TARGET ls_analyze)
  target_compile_options(ls_analyze PRIVATE -fwrapv)
endif()
