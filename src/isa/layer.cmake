# What instructions compute.
ls_layer(isa ptx base)
