# µ-SIMD, the core language of paper 003: its semantics, its translation to PTX, and the analyses of that.
ls_layer(usimd analyze emulate ir ptx base)
