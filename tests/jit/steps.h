/* A kernel whose threads take long: the PTX that the tests of compiled code share. */
#ifndef LS_TESTS_JIT_STEPS_H
#define LS_TESTS_JIT_STEPS_H

static const char STEPS[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                            ".visible .entry steps(.param .u64 a)\n{\n"
                            ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n"
                            "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.s32 %rd2, %r1, 4;\n"
                            "add.s64 %rd3, %rd1, %rd2;\nmov.u32 %r2, 0;\n"
                            "$L:\nmad.lo.s32 %r1, %r1, 1664525, 1013904223;\nadd.s32 %r2, %r2, 1;\n"
                            "setp.lt.s32 %p1, %r2, 20000;\n@%p1 bra $L;\n"
                            "st.global.u32 [%rd3], %r1;\nret;\n}\n";

#endif
