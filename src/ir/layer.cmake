ls_layer(ir ptx base)
