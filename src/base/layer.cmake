ls_layer(base)
target_compile_definitions(ls_base PRIVATE _GNU_SOURCE)
