ls_layer(ir graph ptx base)
