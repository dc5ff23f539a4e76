ls_layer(base)
