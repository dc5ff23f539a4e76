# src/analyze: abstract values across threads.
ls_layer(analyze ir ptx base)
