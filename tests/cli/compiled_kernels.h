/* Kernels as PTX, each with something that compiled code has to get right (test_compiled.c): what it takes
 * for granted of lanes and does not find, lanes that part and meet, places that turn out otherwise. */
#ifndef LS_TESTS_CLI_COMPILED_KERNELS_H
#define LS_TESTS_CLI_COMPILED_KERNELS_H

/* A value that is the same for all threads, loaded where some lanes run (the last warp of a block of 60
 * threads), is read in the next block of code: an access that a proof spares, and that is counted. */
static const char loaded_once[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                                  ".visible .entry loaded_once(.param .u64 keys, .param .u64 out) {\n"
                                  ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"
                                  "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
                                  "cvta.to.global.u64 %rd2, %rd0; cvta.to.global.u64 %rd3, %rd1;\n"
                                  "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r5, %ctaid.x;\n"
                                  "mad.lo.s32 %r3, %r2, 12, %r1; mad.lo.s32 %r3, %r5, 60, %r3;\n"
                                  "mov.u32 %r4, %r1; mov.u32 %r6, 3;\n"
                                  "ld.global.u32 %r0, [%rd2+64];\n"
                                  "$again:\n"
                                  "add.s32 %r4, %r0, %r4; add.s32 %r6, %r6, -1;\n"
                                  "setp.ne.s32 %p0, %r6, 0;\n"
                                  "@%p0 bra $again;\n"
                                  "mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd3, %rd4;\n"
                                  "st.global.u32 [%rd5], %r4;\n"
                                  "ret;\n}\n";

/* A sum of 32 bits overflows between two lanes of a warp and is extended to 64, in front of a loop and of a
 * barrier behind which compiled code begins again. */
static const char extended[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                               ".visible .entry extended(.param .u64 keys, .param .u64 out) {\n"
                               ".reg .b32 %r<8>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n"
                               "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
                               "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                               "ld.global.u32 %r0, [%rd0+64]; and.b32 %r0, %r0, 7;\n"
                               "add.s32 %r3, %r0, %r1; add.s32 %r3, %r3, 0x7fffffe8;\n"
                               "cvt.s64.s32 %rd2, %r3; mov.u64 %rd3, 0; mov.u32 %r6, 3;\n"
                               "$again:\n"
                               "add.s64 %rd3, %rd3, %rd2; add.s32 %r6, %r6, -1;\n"
                               "setp.ne.s32 %p0, %r6, 0;\n"
                               "@%p0 bra $again;\n"
                               "bar.sync 0;\n"
                               "add.s64 %rd3, %rd3, %rd2; mad.lo.s32 %r4, %r2, 64, %r1;\n"
                               "mul.wide.u32 %rd4, %r4, 8; add.s64 %rd5, %rd1, %rd4;\n"
                               "st.global.u64 [%rd5], %rd3;\n"
                               "ret;\n}\n";

/* Lanes go two ways, with a loop on each, and meet: %rd4 is the same sum of the thread on both, in another
 * order, %rd5 is not, %r4 is on one way what it was before the other changed it, and %rd6 overflows on both
 * where it is extended. */
static const char meeting[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                              ".visible .entry meeting(.param .u64 keys, .param .u64 out) {\n"
                              ".reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .pred %p<3>;\n"
                              "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
                              "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r8, %r1;\n"
                              "mad.lo.s32 %r9, %r2, 64, %r1;\n"
                              "mul.wide.u32 %rd2, %r9, 4; add.s64 %rd2, %rd0, %rd2;\n"
                              "ld.global.u32 %r3, [%rd2]; and.b32 %r5, %r3, 1; and.b32 %r6, %r3, 3;\n"
                              "add.s32 %r6, %r6, 1; setp.eq.s32 %p0, %r5, 0;\n"
                              "@%p0 bra $even;\n"
                              "cvt.u64.u32 %rd4, %r8; mul.wide.u32 %rd5, %r1, 4; mov.u32 %r4, %r8;\n"
                              "add.s32 %r7, %r1, 0x7ffffff0; cvt.s64.s32 %rd6, %r7; add.s32 %r8, %r8, 5;\n"
                              "$odd:\n"
                              "add.s32 %r6, %r6, -1; add.s32 %r3, %r3, 7;\n"
                              "setp.ne.s32 %p1, %r6, 0;\n"
                              "@%p1 bra $odd;\n"
                              "bra $met;\n"
                              "$even:\n"
                              "cvt.u64.u32 %rd4, %r1; mul.wide.u32 %rd5, %r1, 8; add.s32 %r8, %r8, 3;\n"
                              "mov.u32 %r4, %r8; add.s32 %r7, %r1, 0x7ffffff0; cvt.s64.s32 %rd6, %r7;\n"
                              "$twice:\n"
                              "add.s32 %r6, %r6, -1; add.s32 %r3, %r3, 9;\n"
                              "setp.ne.s32 %p1, %r6, 0;\n"
                              "@%p1 bra $twice;\n"
                              "$met:\n"
                              "bar.sync 0;\n"
                              "add.s64 %rd7, %rd4, %rd5; add.s64 %rd7, %rd7, %rd6; cvt.u64.u32 %rd8, %r4;\n"
                              "shl.b64 %rd8, %rd8, 40; xor.b64 %rd7, %rd7, %rd8; cvt.u64.u32 %rd8, %r3;\n"
                              "add.s64 %rd7, %rd7, %rd8; mul.wide.u32 %rd9, %r9, 8;\n"
                              "add.s64 %rd9, %rd1, %rd9; st.global.u64 [%rd9], %rd7;\n"
                              "ret;\n}\n";

/* Blocks that compiled code runs one behind the other: each has its own part of memory; in some, accesses are
 * not aligned, lanes part, or a sum of 32 bits that is extended overflows. */
static const char following[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry following(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %nctaid.x;\n"
    "mad.lo.s32 %r5, %r3, %r4, %r2; mad.lo.s32 %r6, %r5, 64, %r1;\n"
    "mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r7, [%rd3];\n"
    "shl.b32 %r8, %r2, 4; add.s32 %r9, %r8, %r1; add.s32 %r10, %r9, 0x7ffffd00;\n"
    "cvt.s64.s32 %rd4, %r10; and.b32 %r11, %r7, 31; setp.lt.u32 %p0, %r11, %r1;\n"
    "@%p0 bra $rest;\n"
    "add.s32 %r7, %r7, 1000;\n"
    "$rest:\n"
    "cvt.u64.u32 %rd5, %r7; add.s64 %rd6, %rd4, %rd5;\n"
    "mul.wide.u32 %rd7, %r6, 8; shr.u32 %r12, %r2, 5; mul.wide.u32 %rd9, %r12, 4;\n"
    "add.s64 %rd8, %rd1, %rd7; add.s64 %rd10, %rd8, %rd9; st.global.u64 [%rd10], %rd6;\n"
    "ret;\n}\n";

/* Blocks that begin lower and lower, in words and in bytes: of the last ones some warps, or some of their
 * lanes, are below the buffer. */
static const char sinking[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry sinking(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<16>;\n"
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mul.lo.s32 %r3, %r2, -44; add.s32 %r4, %r3, 2400;\n"
    "add.s32 %r5, %r4, %r1; mul.wide.s32 %rd2, %r5, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r6, [%rd3];\n"
    "cvt.s64.s32 %rd4, %r5; add.s64 %rd5, %rd0, %rd4; ld.global.u8 %r7, [%rd5];\n"
    "add.s32 %r6, %r6, %r7; mov.u32 %r8, %ntid.x; mad.lo.s32 %r9, %r2, %r8, %r1;\n"
    "mul.wide.u32 %rd6, %r9, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r6;\n"
    "ret;\n}\n";

/* The same, but lanes part for longer than compiled code takes at once: a warp is left to the interpreter,
 * which comes to the kernel's end with it, in some of the blocks. */
#define TEN                                                                                                  \
    "add.s32 %r7, %r7, 1; xor.b32 %r7, %r7, 3; add.s32 %r7, %r7, 5; xor.b32 %r7, %r7, 9; "                   \
    "add.s32 %r7, %r7, 2; xor.b32 %r7, %r7, 6; add.s32 %r7, %r7, 7; xor.b32 %r7, %r7, 4; "                   \
    "add.s32 %r7, %r7, 8; xor.b32 %r7, %r7, 1;\n"
static const char parting[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry parting(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r6, %r2, 96, %r1;\n"
    "mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r7, [%rd3];\n"
    "setp.eq.u32 %p0, %r7, 11;\n"
    "@%p0 bra $rest;\n" TEN TEN TEN TEN "$rest:\n"
    "add.s64 %rd4, %rd1, %rd2; st.global.u32 [%rd4], %r7;\n"
    "ret;\n}\n";

/* A loop whose rows begin at the buffer's start, and in every fourth turn some bytes below it: not aligned,
 * and so close to it that the last lanes' places are within the buffer. */
static const char below[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry below(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
    "$again:\n"
    "and.b32 %r4, %r2, 3; setp.eq.u32 %p0, %r4, 3; selp.b64 %rd3, -5, 0, %p0;\n"
    "add.s64 %rd4, %rd0, %rd3; add.s64 %rd5, %rd4, %rd2;\n"
    "ld.global.u32 %r5, [%rd5]; add.s32 %r3, %r3, %r5;\n"
    "add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8;\n"
    "@%p1 bra $again;\n"
    "add.s64 %rd6, %rd1, %rd2; st.global.u32 [%rd6], %r3; ret;\n}\n";

/* Additions in memory: in shared memory at one place for several lanes, with what was there before, and in
 * global memory side by side; also of nothing. */
static const char adding[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry adding(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<12>; .reg .b64 %rd<9>;\n"
    ".shared .align 4 .b8 bins[256];\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, bins;\n"
    "mad.lo.s32 %r4, %r2, 64, %r1; mul.wide.u32 %rd2, %r4, 4;\n"
    "add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r5, [%rd3];\n"
    "shl.b32 %r6, %r1, 2; add.s32 %r6, %r3, %r6; st.shared.u32 [%r6], %r1;\n"
    "bar.sync 0;\n"
    "and.b32 %r7, %r5, 15; shl.b32 %r7, %r7, 2; add.s32 %r7, %r3, %r7;\n"
    "atom.shared.add.u32 %r8, [%r7], %r5; red.shared.add.u32 [%r7+64], 0;\n"
    "red.shared.add.u32 [%r7+128], %r5;\n"
    "bar.sync 0;\n"
    "ld.shared.u32 %r9, [%r6]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4;\n"
    "atom.global.add.u32 %r10, [%rd4], %r9; red.global.add.u32 [%rd4+1024], %r8;\n"
    "add.s64 %rd5, %rd1, %rd2; st.global.u32 [%rd5+4096], %r10;\n"
    "ret;\n}\n";

/* Addresses whose distances nobody knows beforehand, and that are side by side in some warps and not in
 * others: behind an index that wraps around in lanes that do not run, and behind a remainder. Some are beyond
 * the end of shared memory, in part of the lanes; some are not aligned. */
static const char turning_out[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry turning_out(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<12>; .reg .pred %p<3>;\n"
    ".shared .align 4 .b8 s[512];\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, s;\n"
    "shl.b32 %r4, %r1, 2; add.s32 %r4, %r3, %r4; st.shared.u32 [%r4], %r1;\n"
    "bar.sync 0;\n"
    "sub.s32 %r5, %r1, 5; cvt.u64.u32 %rd2, %r5; shl.b64 %rd2, %rd2, 2; add.s64 %rd3, %rd0, %rd2;\n"
    "setp.ge.s32 %p0, %r1, 5; mov.u32 %r6, 77;\n"
    "@%p0 ld.global.u32 %r6, [%rd3];\n"
    "rem.u32 %r7, %r1, 48; shl.b32 %r8, %r7, 2; add.s32 %r8, %r3, %r8;\n"
    "ld.shared.u32 %r9, [%r8]; ld.shared.u32 %r10, [%r8+400]; setp.lt.s32 %p1, %r1, 90;\n"
    "ld.shared.u32 %r11, [%r8+2];\n"
    "bar.sync 0;\n"
    "@%p1 st.shared.u32 [%r8+64], %r6;\n"
    "bar.sync 0;\n"
    "ld.shared.u32 %r12, [%r4]; add.s32 %r9, %r9, %r10; xor.b32 %r9, %r9, %r12; add.s32 %r9, %r9, %r11;\n"
    "mad.lo.s32 %r13, %r2, 128, %r7; mul.wide.u32 %rd4, %r13, 8; add.s64 %rd5, %rd1, %rd4;\n"
    "cvt.u64.u32 %rd6, %r9; st.global.u64 [%rd5], %rd6;\n"
    "ret;\n}\n";

/* NaNs of several kinds go through chains of arithmetic; results on the way are stored, selected from, and
 * negated, too. */
static const char chained[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry chained(.param .u64 in, .param .u64 out) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<12>; .reg .f32 %f<16>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7;\n"
    "mov.u32 %r3, 0x3f800000;\n"
    "setp.eq.u32 %p1, %r2, 1; selp.b32 %r3, 0x7fc12345, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 2; selp.b32 %r3, 0xffc00001, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 3; selp.b32 %r3, 0x7f800001, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 4; selp.b32 %r3, 0x7f800000, %r3, %p1;\n"
    "setp.eq.u32 %p1, %r2, 5; selp.b32 %r3, 0xff800000, %r3, %p1;\n"
    "mov.b32 %f1, %r3; cvt.rn.f32.u32 %f2, %r1;\n"
    "mul.rn.f32 %f3, %f1, 0f00000000; add.rn.f32 %f4, %f3, %f2; fma.rn.f32 %f5, %f4, %f1, %f3;\n"
    "sub.rn.f32 %f6, %f5, %f4; add.rn.f32 %f7, %f6, %f5; mul.rn.f32 %f8, %f7, %f6;\n"
    "mov.b32 %r4, %f5; neg.f32 %f9, %f6; add.rn.f32 %f10, %f9, %f8; min.f32 %f11, %f7, %f2;\n"
    "setp.lt.f32 %p2, %f7, %f8; selp.f32 %f12, %f7, %f9, %p2; fma.rn.f32 %f13, %f12, %f12, %f10;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r4; st.global.f32 [%rd3+256], %f8; st.global.f32 [%rd3+512], %f9;\n"
    "st.global.f32 [%rd3+768], %f11; st.global.f32 [%rd3+1024], %f12; st.global.f32 [%rd3+1280], %f13;\n"
    "ret;\n}\n";

/* Lanes leave a loop of one block one after the other, some only after several looks at the clock. In it some
 * lanes change %r10, all store what they have and load what others of the warp may have stored; `constant` is
 * the same for all lanes in every turn, and needed behind the loop. */
#define LEAVING(constant, condition)                                                                         \
    ".version 7.8\n.target sm_80\n.address_size 64\n"                                                        \
    ".visible .entry leaving(.param .u64 in, .param .u64 out) {\n"                                           \
    ".reg .b32 %r<16>; .reg .b64 %rd<12>; .reg .pred %p<4>;\n"                                               \
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"                                                   \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 64, %r1;\n"                            \
    "mul.lo.s32 %r4, %r1, 37; mad.lo.s32 %r4, %r2, 11, %r4; and.b32 %r4, %r4, 255;\n"                        \
    "add.s32 %r4, %r4, 1; mov.u32 %r5, %r3; mov.u32 %r9, 3; mov.u32 %r10, 0; mul.wide.u32 %rd2, %r3, 4;\n"   \
    "add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;\n"                                                  \
    "$again:\n"                                                                                              \
    "ld.global.u32 %r6, [%rd3]; xor.b32 %r5, %r5, %r6; and.b32 %r7, %r5, 5; setp.ne.u32 %p1, %r7, 0;\n"      \
    "rem.u32 %r11, %r5, %r4; add.s32 %r5, %r5, %r11;\n"                                                      \
    "@%p1 add.s32 %r10, %r10, %r5;\n"                                                                        \
    "st.global.u32 [%rd4], %r5; ld.global.u32 %r8, [%rd4]; add.s32 %r5, %r5, %r8;\n" constant                \
    "add.s32 %r4, %r4, -1; setp." condition ".s32 %p0, %r4, 0;\n"
static const char leaving[] =
    LEAVING("", "ne") "@%p0 bra $again;\n"
                      "add.s32 %r5, %r5, %r9; add.s32 %r5, %r5, %r10; st.global.u32 [%rd4], %r5;\n"
                      "ret;\n}\n";
static const char leaving_constant[] =
    LEAVING("mov.u32 %r9, 7;\n", "eq") "@!%p0 bra $again;\n"
                                       "add.s32 %r5, %r5, %r9; add.s32 %r5, %r5, %r10;\n"
                                       "st.global.u32 [%rd4], %r5;\n"
                                       "ret;\n}\n";

/* A lane leaves before the others compute a sum of the thread's and the block's place, in a loop, and read it
 * of that lane: what it would have there is what the interpreter gives. */
static const char absent[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry absent(.param .u64 in, .param .u64 out) {\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; and.b32 %r3, %r1, 31;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r12, [%rd3];\n"
    "and.b32 %r12, %r12, 1; add.s32 %r3, %r3, %r12; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
    "$again:\n"
    "setp.ge.s32 %p0, %r4, %r3;\n"
    "@%p0 bra $out;\n"
    "mad.lo.s32 %r6, %r2, 64, %r1;\n"
    "shfl.sync.idx.b32 %r7, %r6, %r4, 31, -1; add.s32 %r5, %r5, %r7;\n"
    "setp.eq.u32 %p1, %r7, 3;\n"
    "@%p1 mad.lo.s32 %r10, %r2, 32, %r1;\n"
    "@%p1 add.s32 %r5, %r5, %r10;\n"
    "add.s32 %r4, %r4, 1; bra $again;\n"
    "$out:\n"
    "mad.lo.s32 %r8, %r2, 64, %r1; mul.wide.u32 %rd4, %r8, 4; add.s64 %rd5, %rd1, %rd4;\n"
    "st.global.u32 [%rd5], %r5;\n"
    "ret;\n}\n";

/* Bytes and halves of words side by side, with signs and without, in global memory and in shared memory that
 * ends with the last of them. */
static const char parts_of_words[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry parts_of_words(.param .u64 in, .param .u64 out) {\n"
    ".reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
    ".shared .align 4 .b8 s[253];\n"
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 64, %r1;\n"
    "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;\n"
    "ld.global.u8 %r4, [%rd3]; ld.global.s8 %r5, [%rd3+1]; ld.global.u16 %r6, [%rd3+2];\n"
    "ld.global.s16 %r7, [%rd3]; mul.lo.s32 %r8, %r4, 0x9e3779b1; xor.b32 %r8, %r8, %r6;\n"
    "shl.b32 %r9, %r1, 2; mov.u32 %r10, s; add.s32 %r9, %r10, %r9; st.shared.u8 [%r9], %r8;\n"
    "bar.sync 0;\n"
    "ld.shared.s8 %r11, [%r9]; ld.shared.u8 %r12, [%r9]; add.s32 %r11, %r11, %r12;\n"
    "add.s32 %r5, %r5, %r7; xor.b32 %r11, %r11, %r5; add.s32 %r11, %r11, %r8; st.global.u32 [%rd4], %r11;\n"
    "ret;\n}\n";

/* Warps go from barrier to barrier, in a row and in a loop that blocks leave after different numbers of
 * turns. Some part on the way, in some blocks only: the interpreter brings them to the barrier that others
 * have reached. What they have added up in shared memory by then is seen at each barrier. */
static const char in_rounds[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry in_rounds(.param .u64 keys, .param .u64 out) {\n"
    ".reg .b32 %r<20>; .reg .b64 %rd<8>; .reg .pred %p<6>;\n"
    ".shared .align 4 .b8 s[1024];\n"
    "ld.param.u64 %rd0, [keys]; ld.param.u64 %rd1, [out];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;\n"
    "mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r5, [%rd3];\n"
    "mov.u32 %r6, s; shl.b32 %r7, %r1, 2; add.s32 %r7, %r6, %r7; st.shared.u32 [%r7], %r5;\n"
    "bar.sync 0;\n"
    "setp.lt.u32 %p0, %r1, 64;\n"
    "@!%p0 bra $first;\n"
    "ld.shared.u32 %r8, [%r7+128]; add.s32 %r5, %r5, %r8; st.shared.u32 [%r7], %r5;\n"
    "$first:\n"
    "bar.sync 0;\n"
    "setp.lt.u32 %p1, %r1, 13;\n"
    "@!%p1 bra $second;\n"
    "ld.shared.u32 %r9, [%r7+64]; xor.b32 %r5, %r5, %r9; st.shared.u32 [%r7], %r5;\n"
    "$second:\n"
    "bar.sync 0;\n"
    "and.b32 %r10, %r2, 3; add.s32 %r10, %r10, 2;\n"
    "$again:\n"
    "and.b32 %r11, %r5, 63; setp.ne.u32 %p2, %r11, 7;\n"
    "@%p2 bra $meet;\n"
    "mov.u32 %r12, %r5;\n"
    "$longer:\n"
    "mad.lo.s32 %r12, %r12, 5, %r10; and.b32 %r13, %r12, 31; setp.ne.u32 %p3, %r13, 0;\n"
    "xor.b32 %r5, %r5, %r12; add.s32 %r12, %r12, 1;\n"
    "@%p3 bra $longer;\n"
    "$meet:\n"
    "bar.sync 0;\n"
    "ld.shared.u32 %r14, [s+4]; add.s32 %r5, %r5, %r14; st.shared.u32 [%r7], %r5;\n"
    "add.s32 %r10, %r10, -1; setp.ne.u32 %p4, %r10, 0;\n"
    "bar.sync 0;\n"
    "@%p4 bra $again;\n"
    "ld.shared.u32 %r15, [%r7]; add.s64 %rd4, %rd1, %rd2; st.global.u32 [%rd4], %r15;\n"
    "ret;\n}\n";

#endif
