ls_layer(verify base)
