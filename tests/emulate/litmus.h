/* Small concurrent programs and the kernels that they stand for, to try order between threads. A program is a
 * line such as "0.0: Wx Fg Sf | 1.0: Lf Fg Rx": block 0's thread 0 writes x, has a fence and sets f; block
 * 1's thread 0 waits for f, has a fence and reads x. What a thread does: W R          weak store, load S A
 * strong store of 1, atomic addition of 1 L P          strong load: until the value is not 0, or once V U the
 * same as S and L, volatile then a location x y z f g h; then r a b: it releases, acquires, or both; c: for
 * the block only; d: of 8 bytes instead of 4; a number: L waits until the value is at least that F then c g
 * a fence for the block, the device; then r a: of one side only B            a barrier of the block; Y: of
 * the warp, for the threads that are named */
#ifndef LS_TESTS_EMULATE_LITMUS_H
#define LS_TESTS_EMULATE_LITMUS_H

#include "base/buf.h"
#include "kernels.h"

enum { LITMUS_THREADS = 4, LITMUS_OPS = 12, LITMUS_LOCATIONS = 6 };

typedef struct {
    char kind; /* as written */
    int location;
    bool releases, acquires, near, wide;
    int until;
} litmus_op;

typedef struct {
    int block, thread, count;
    litmus_op ops[LITMUS_OPS];
} litmus_thread;

typedef struct {
    litmus_thread threads[LITMUS_THREADS];
    int count;
    bool shared; /* the locations are in shared memory */
} litmus;

static inline const char *litmus_parse_op(const char *at, litmus_op *op) {
    static const char locations[] = "xyzfgh";
    *op = (litmus_op){.kind = *at++, .location = -1, .until = 1};
    for (; *at && *at != ' '; at++) {
        const char *location = strchr(locations, *at);
        if (location && op->location < 0 && op->kind != 'F')
            op->location = (int)(location - locations);
        else if (*at == 'r')
            op->releases = true;
        else if (*at == 'a')
            op->acquires = true;
        else if (*at == 'b')
            op->releases = op->acquires = true;
        else if (*at == 'c')
            op->near = true;
        else if (*at == 'd')
            op->wide = true;
        else if (*at >= '0' && *at <= '9')
            op->until = *at - '0';
    }
    if (op->kind == 'F' && !op->releases && !op->acquires) op->releases = op->acquires = true;
    return at;
}

static inline litmus litmus_parse(const char *text, bool shared) {
    litmus p = {.shared = shared};
    for (const char *at = text; *at;) {
        litmus_thread *t = &p.threads[p.count++];
        int used = 0;
        assert_int_equal(sscanf(at, " %d.%d:%n", &t->block, &t->thread, &used), 2);
        at += used;
        while (*at && *at != '|') {
            if (*at == ' ')
                at++;
            else
                at = litmus_parse_op(at, &t->ops[t->count++]);
        }
        if (*at) at++;
    }
    return p;
}

/* --- PTX --- */
static inline bool litmus_is_strong(const litmus_op *op) {
    return strchr("SALPVU", op->kind) != NULL;
}
static inline bool litmus_reads(const litmus_op *op) {
    return strchr("RLPUA", op->kind) != NULL;
}
static inline bool litmus_writes(const litmus_op *op) {
    return strchr("WSVA", op->kind) != NULL;
}

static inline void litmus_emit_op(ls_buf *out, const litmus *p, const litmus_thread *t, const litmus_op *op,
                                  int number) {
    const char *space = p->shared ? "shared" : "global", *scope = op->near ? "cta" : "gpu";
    const char *type = op->wide ? "u64" : "u32", *value = op->wide ? "%w1" : "%one",
               *to = op->wide ? "%w0" : "%v";
    int at = op->location * 16;
    uint32_t mask = 0;
    switch (op->kind) {
    case 'W': ls_buf_printf(out, "st.%s.%s [%%m+%d], %s;\n", space, type, at, value); break;
    case 'R': ls_buf_printf(out, "ld.%s.%s %s, [%%m+%d];\n", space, type, to, at); break;
    case 'V': ls_buf_printf(out, "st.volatile.%s.%s [%%m+%d], %s;\n", space, type, at, value); break;
    case 'S':
        ls_buf_printf(out, "st.%s.%s.%s.%s [%%m+%d], %s;\n", op->releases ? "release" : "relaxed", scope,
                      space, type, at, value);
        break;
    case 'A':
        ls_buf_printf(out, "atom.%s.%s.%s.add.%s %s, [%%m+%d], %s;\n",
                      op->releases   ? op->acquires ? "acq_rel" : "release"
                      : op->acquires ? "acquire"
                                     : "relaxed",
                      scope, space, type, to, at, value);
        break;
    case 'L':
    case 'P':
    case 'U':
        ls_buf_printf(out, "L%d_%d_%d:\n", t->block, t->thread, number);
        if (op->kind == 'U')
            ls_buf_printf(out, "ld.volatile.%s.%s %s, [%%m+%d];\n", space, type, to, at);
        else
            ls_buf_printf(out, "ld.%s.%s.%s.%s %s, [%%m+%d];\n", op->acquires ? "acquire" : "relaxed", scope,
                          space, type, to, at);
        if (op->kind == 'P') break;
        ls_buf_printf(out, "setp.lt.%s %%p, %s, %d;\n@%%p bra L%d_%d_%d;\n", type, to, op->until, t->block,
                      t->thread, number);
        break;
    case 'F':
        if (op->acquires && op->releases)
            ls_buf_printf(out, "fence.acq_rel.%s;\n", scope);
        else
            ls_buf_printf(out, "fence.%s.%s;\n", op->acquires ? "acquire" : "release", scope);
        break;
    case 'B': ls_buf_printf(out, "barrier.sync 0;\n"); break;
    case 'Y':
        for (int k = 0; k < p->count; k++)
            if (p->threads[k].block == t->block && p->threads[k].thread / 32 == t->thread / 32)
                mask |= UINT32_C(1) << p->threads[k].thread % 32;
        ls_buf_printf(out, "bar.warp.sync 0x%x;\n", mask);
        break;
    default: fail_msg("an unknown operation %c", op->kind);
    }
}

/* The kernel; the caller frees it. Threads that are not named do nothing. */
static inline char *litmus_kernel(const litmus *p) {
    ls_buf out = {0};
    ls_buf_printf(&out,
                  ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                  ".shared .align 16 .b8 s[%d];\n.reg .b32 %%t, %%b, %%v, %%one;\n"
                  ".reg .b64 %%m, %%w<2>;\n.reg .pred %%p, %%q;\n",
                  16 * LITMUS_LOCATIONS);
    ls_buf_printf(&out,
                  "mov.u32 %%t, %%tid.x;\nmov.u32 %%b, %%ctaid.x;\nmov.u32 %%one, 1;\nmov.u64 %%w1, 1;\n");
    if (p->shared) {
        ls_buf_printf(&out, "mov.u64 %%m, s;\nmov.u64 %%w0, 0;\nsetp.ne.u32 %%p, %%t, 0;\n@%%p bra go;\n");
        for (int k = 0; k < 2 * LITMUS_LOCATIONS; k++)
            ls_buf_printf(&out, "st.shared.u64 [%%m+%d], %%w0;\n", 8 * k);
        ls_buf_printf(&out, "go: bar.sync 0;\n");
    } else {
        ls_buf_printf(&out, "ld.param.u64 %%m, [out];\n");
    }
    for (int k = 0; k < p->count; k++)
        ls_buf_printf(&out, "setp.eq.u32 %%p, %%b, %d;\nsetp.eq.and.u32 %%p, %%t, %d, %%p;\n@%%p bra T%d;\n",
                      p->threads[k].block, p->threads[k].thread, k);
    ls_buf_printf(&out, "ret;\n");
    for (int k = 0; k < p->count; k++) {
        const litmus_thread *t = &p->threads[k];
        ls_buf_printf(&out, "T%d:\n", k);
        for (int n = 0; n < t->count; n++) litmus_emit_op(&out, p, t, &t->ops[n], n);
        ls_buf_printf(&out, "ret;\n");
    }
    ls_buf_printf(&out, "}\n");
    return out.text;
}

#endif
