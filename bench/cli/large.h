/* PTX with very many kernels, basic blocks or barriers, for whoever measures or tests how work on it grows.
 */
#ifndef LS_BENCH_CLI_LARGE_H
#define LS_BENCH_CLI_LARGE_H

#include "base/buf.h"

#include <stdint.h>

static inline void large_header(ls_buf *out) {
    ls_buf_puts(out, ".version 8.5\n.target sm_90\n.address_size 64\n");
}

static const char large_start[] =
    "{\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n.reg .b64 %rd<5>;\n.shared .align 4 .b32 s[1024];\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, "
    "4;\n"
    "add.s64 %rd1, %rd1, %rd2;\nmov.u64 %rd3, s;\nadd.s64 %rd3, %rd3, %rd2;\n";

/* No two alike: names, numbers, offsets and lengths differ. */
static inline void large_kernels(ls_buf *out, uint32_t count) {
    large_header(out);
    for (uint32_t k = 0; k < count; k++) {
        ls_buf_printf(out,
                      ".visible .entry kernel_%u(.param .u64 p, .param .u32 n_%u)\n{\n.reg .b32 %%r<9>;\n"
                      ".reg .pred %%p<3>;\n.reg .b64 %%rd<6>;\nld.param.u64 %%rd1, [p];\n"
                      "ld.param.u32 %%r2, [n_%u];\ncvta.to.global.u64 %%rd2, %%rd1;\n"
                      "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r3, %%ctaid.x;\nmov.u32 %%r4, %%ntid.x;\n"
                      "mad.lo.s32 %%r5, %%r3, %%r4, %%r1;\nsetp.ge.s32 %%p1, %%r5, %%r2;\n"
                      "@%%p1 bra $L%u;\nmul.wide.s32 %%rd3, %%r5, 4;\nadd.s64 %%rd4, %%rd2, %%rd3;\n",
                      k, k, k, k);
        for (uint32_t i = 0; i <= k % 5; i++) ls_buf_printf(out, "add.s32 %%r5, %%r5, %u;\n", 3 * k + i);
        ls_buf_printf(out, "st.global.u32 [%%rd4+%u], %%r5;\n$L%u:\nret;\n}\n", k % 5 * 4, k);
    }
}

static inline void large_blocks(ls_buf *out, uint32_t count) {
    large_header(out);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, large_start);
    for (uint32_t k = 0; k < count; k++)
        ls_buf_printf(out, "setp.eq.u32 %%p1, %%r1, %u;\n@%%p1 bra $L%u;\nadd.u32 %%r2, %%r2, 1;\n$L%u:\n", k,
                      k, k);
    ls_buf_puts(out, "st.global.u32 [%rd1], %r2;\nret;\n}\n");
}

static inline void large_barriers(ls_buf *out, uint32_t count) {
    large_header(out);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, large_start);
    for (uint32_t k = 0; k < count; k++) ls_buf_puts(out, "st.shared.u32 [%rd3], %r1;\nbar.sync 0;\n");
    ls_buf_puts(out, "ret;\n}\n");
}

#endif
