ls_layer(ir graph ptx finding base)
