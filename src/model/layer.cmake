# The papers' kernel language and its two semantics.
ls_layer(model graph ir ptx base)
