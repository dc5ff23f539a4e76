ls_layer(ptx base)
