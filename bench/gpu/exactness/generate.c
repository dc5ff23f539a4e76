/* Random PTX kernels with the results that the emulator gives, for comparison with a GPU (run.c):
 * straight-line code over integers, floats of all widths, predicates and conversions, with divergent
 * branches, loops, shuffles, shared memory and atomics.
 *
 *     generate DIR COUNT [SEED [SIZE]]    writes DIR/NNNN.ptx, .in and .want
 *     generate DIR each [SEED]            one kernel for each instruction */
#include "lockstep/emulate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { THREADS = 128, REGISTERS = 6, CLASSES = 6 };

/* Classes of registers: letter (capital: destination), prefix, bytes in memory. */
static const struct {
    char letter;
    const char *prefix, *declared, *store;
    unsigned bytes;
} classes[CLASSES] = {{'r', "%r", ".b32", "b32", 4}, {'q', "%q", ".b64", "b64", 8},
                      {'f', "%f", ".f32", "f32", 4}, {'d', "%d", ".f64", "f64", 8},
                      {'h', "%h", ".b16", "b16", 2}, {'p', "%p", ".pred", "", 4}};

/* $X: a register of the class; $i: a small constant; $l: a lane number. */
static const char *const templates[] = {
    "add.s32 $R, $r, $r;",
    "add.u64 $Q, $q, $q;",
    "add.s16 $H, $h, $h;",
    "sub.u32 $R, $r, $r;",
    "sub.s64 $Q, $q, $q;",
    "add.sat.s32 $R, $r, $r;",
    "sub.sat.s32 $R, $r, $r;",
    "mul.lo.s32 $R, $r, $r;",
    "mul.hi.s32 $R, $r, $r;",
    "mul.hi.u32 $R, $r, $r;",
    "mul.wide.s32 $Q, $r, $r;",
    "mul.wide.u32 $Q, $r, $r;",
    "mul.wide.s16 $R, $h, $h;",
    "mul.wide.u16 $R, $h, $h;",
    "mul.lo.s64 $Q, $q, $q;",
    "mul.hi.u64 $Q, $q, $q;",
    "mul.hi.s64 $Q, $q, $q;",
    "mul.lo.u16 $H, $h, $h;",
    "mul.hi.s16 $H, $h, $h;",
    "mad.lo.s32 $R, $r, $r, $r;",
    "mad.hi.u32 $R, $r, $r, $r;",
    "mad.hi.s32 $R, $r, $r, $r;",
    "mad.wide.s32 $Q, $r, $r, $q;",
    "mad.wide.u16 $R, $h, $h, $r;",
    "mad.hi.sat.s32 $R, $r, $r, $r;",
    "mad.lo.s64 $Q, $q, $q, $q;",
    "mul24.lo.s32 $R, $r, $r;",
    "mul24.hi.u32 $R, $r, $r;",
    "mad24.lo.u32 $R, $r, $r, $r;",
    "sad.s32 $R, $r, $r, $r;",
    "sad.u32 $R, $r, $r, $r;",
    "sad.u64 $Q, $q, $q, $q;",
    "sad.s16 $H, $h, $h, $h;",
    "div.u32 $R, $r, $r;",
    "div.s32 $R, $r, $r;",
    "rem.u32 $R, $r, $r;",
    "rem.s32 $R, $r, $r;",
    "div.u64 $Q, $q, $q;",
    "div.s64 $Q, $q, $q;",
    "rem.s64 $Q, $q, $q;",
    "rem.u64 $Q, $q, $q;",
    "div.s16 $H, $h, $h;",
    "rem.u16 $H, $h, $h;",
    "abs.s32 $R, $r;",
    "abs.s64 $Q, $q;",
    "neg.s32 $R, $r;",
    "neg.s64 $Q, $q;",
    "neg.s16 $H, $h;",
    "min.s32 $R, $r, $r;",
    "max.u32 $R, $r, $r;",
    "min.u64 $Q, $q, $q;",
    "max.s64 $Q, $q, $q;",
    "min.s16 $H, $h, $h;",
    "max.u16 $H, $h, $h;",
    "popc.b32 $R, $r;",
    "popc.b64 $R, $q;",
    "clz.b32 $R, $r;",
    "clz.b64 $R, $q;",
    "bfind.u32 $R, $r;",
    "bfind.s32 $R, $r;",
    "bfind.shiftamt.u32 $R, $r;",
    "bfind.s64 $R, $q;",
    "bfind.shiftamt.u64 $R, $q;",
    "brev.b32 $R, $r;",
    "brev.b64 $Q, $q;",
    "bfe.u32 $R, $r, $i, $i;",
    "bfe.s32 $R, $r, $r, $i;",
    "bfe.s64 $Q, $q, $i, $r;",
    "bfe.u64 $Q, $q, $i, $i;",
    "bfe.u64 $Q, $q, $r, $i;",
    "bfi.b64 $Q, $q, $q, $r, $i;",
    "bfi.b64 $Q, $q, $q, $i, $r;",
    "bfi.b32 $R, $r, $r, $i, $i;",
    "bfi.b32 $R, $r, $r, $r, $r;",
    "bfi.b64 $Q, $q, $q, $i, $i;",
    "dp4a.s32.s32 $R, $r, $r, $r;",
    "dp4a.u32.s32 $R, $r, $r, $r;",
    "dp2a.lo.s32.u32 $R, $r, $r, $r;",
    "dp2a.hi.u32.u32 $R, $r, $r, $r;",
    "szext.clamp.s32 $R, $r, $r;",
    "szext.wrap.u32 $R, $r, $i;",
    "bmsk.clamp.b32 $R, $i, $i;",
    "bmsk.wrap.b32 $R, $r, $i;",
    "and.b32 $R, $r, $r;",
    "or.b64 $Q, $q, $q;",
    "xor.b16 $H, $h, $h;",
    "not.b32 $R, $r;",
    "not.b16 $H, $h;",
    "cnot.b32 $R, $r;",
    "lop3.b32 $R, $r, $r, $r, 0x6a;",
    "lop3.b32 $R, $r, $r, $r, 0xe8;",
    "shl.b32 $R, $r, $r;",
    "shl.b64 $Q, $q, $i;",
    "shr.u32 $R, $r, $i;",
    "shr.s32 $R, $r, $r;",
    "shr.s64 $Q, $q, $r;",
    "shr.u64 $Q, $q, $i;",
    "shl.b16 $H, $h, $i;",
    "shr.s16 $H, $h, $r;",
    "shf.l.wrap.b32 $R, $r, $r, $r;",
    "shf.r.clamp.b32 $R, $r, $r, $r;",
    "shf.l.clamp.b32 $R, $r, $r, $i;",
    "prmt.b32 $R, $r, $r, $r;",
    "prmt.b32.f4e $R, $r, $r, $r;",
    "prmt.b32.b4e $R, $r, $r, $r;",
    "prmt.b32.rc8 $R, $r, $r, $r;",
    "prmt.b32.ecl $R, $r, $r, $r;",
    "prmt.b32.ecr $R, $r, $r, $r;",
    "prmt.b32.rc16 $R, $r, $r, $r;",
    "{ add.cc.u32 $R, $r, $r; addc.u32 $R, $r, $r; }",
    "{ sub.cc.u32 $R, $r, $r; subc.cc.u32 $R, $r, $r; subc.u32 $R, $r, $r; }",
    "{ mad.lo.cc.u32 $R, $r, $r, $r; madc.hi.u32 $R, $r, $r, $r; }",
    "{ add.cc.u64 $Q, $q, $q; addc.u64 $Q, $q, $q; }",
    "add.f32 $F, $f, $f;",
    "sub.f32 $F, $f, $f;",
    "mul.f32 $F, $f, $f;",
    "fma.rn.f32 $F, $f, $f, $f;",
    "add.rz.f32 $F, $f, $f;",
    "add.rm.f32 $F, $f, $f;",
    "mul.rp.f32 $F, $f, $f;",
    "fma.rz.f32 $F, $f, $f, $f;",
    "fma.rm.f32 $F, $f, $f, $f;",
    "fma.rp.f32 $F, $f, $f, $f;",
    "add.ftz.f32 $F, $f, $f;",
    "mul.ftz.f32 $F, $f, $f;",
    "fma.rn.ftz.f32 $F, $f, $f, $f;",
    "add.sat.f32 $F, $f, $f;",
    "mul.ftz.sat.f32 $F, $f, $f;",
    "fma.rn.sat.f32 $F, $f, $f, $f;",
    "div.rn.f32 $F, $f, $f;",
    "div.rz.f32 $F, $f, $f;",
    "sqrt.rn.f32 $F, $f;",
    "sqrt.rp.f32 $F, $f;",
    "rcp.rn.f32 $F, $f;",
    "rcp.rm.f32 $F, $f;",
    "div.rn.ftz.f32 $F, $f, $f;",
    "min.f32 $F, $f, $f;",
    "max.f32 $F, $f, $f;",
    "min.ftz.f32 $F, $f, $f;",
    "max.NaN.f32 $F, $f, $f;",
    "min.NaN.f32 $F, $f, $f;",
    "neg.f32 $F, $f;",
    "abs.f32 $F, $f;",
    "copysign.f32 $F, $f, $f;",
    "add.f64 $D, $d, $d;",
    "mul.f64 $D, $d, $d;",
    "sub.rz.f64 $D, $d, $d;",
    "fma.rn.f64 $D, $d, $d, $d;",
    "fma.rm.f64 $D, $d, $d, $d;",
    "div.rn.f64 $D, $d, $d;",
    "div.rp.f64 $D, $d, $d;",
    "sqrt.rn.f64 $D, $d;",
    "sqrt.rz.f64 $D, $d;",
    "rcp.rn.f64 $D, $d;",
    "min.f64 $D, $d, $d;",
    "max.f64 $D, $d, $d;",
    "neg.f64 $D, $d;",
    "abs.f64 $D, $d;",
    "copysign.f64 $D, $d, $d;",
    "add.f16 $H, $h, $h;",
    "mul.f16 $H, $h, $h;",
    "sub.f16 $H, $h, $h;",
    "fma.rn.f16 $H, $h, $h, $h;",
    "fma.rn.ftz.f16 $H, $h, $h, $h;",
    "add.sat.f16 $H, $h, $h;",
    "fma.rn.relu.f16 $H, $h, $h, $h;",
    "min.f16 $H, $h, $h;",
    "max.NaN.f16 $H, $h, $h;",
    "neg.f16 $H, $h;",
    "abs.f16 $H, $h;",
    "add.f16x2 $R, $r, $r;",
    "fma.rn.f16x2 $R, $r, $r, $r;",
    "mul.f16x2 $R, $r, $r;",
    "fma.rn.bf16 $H, $h, $h, $h;",
    "fma.rn.bf16x2 $R, $r, $r, $r;",
    "add.bf16 $H, $h, $h;",
    "mul.bf16x2 $R, $r, $r;",
    "min.bf16 $H, $h, $h;",
    "max.bf16x2 $R, $r, $r;",
    "neg.bf16 $H, $h;",
    "abs.bf16x2 $R, $r;",
    "setp.lt.s32 $P, $r, $r;",
    "setp.ge.u32 $P, $r, $r;",
    "setp.eq.s64 $P, $q, $q;",
    "setp.hi.u64 $P, $q, $q;",
    "setp.ne.s16 $P, $h, $h;",
    "setp.lt.f32 $P, $f, $f;",
    "setp.geu.f32 $P, $f, $f;",
    "setp.nan.f32 $P, $f, $f;",
    "setp.num.f64 $P, $d, $d;",
    "setp.ltu.f64 $P, $d, $d;",
    "setp.gt.ftz.f32 $P, $f, $f;",
    "setp.lt.f16 $P, $h, $h;",
    "setp.neu.bf16 $P, $h, $h;",
    "setp.lt.and.s32 $P|$P, $r, $r, $p;",
    "setp.ne.xor.f32 $P, $f, $f, !$p;",
    "set.lt.u32.s32 $R, $r, $r;",
    "set.geu.f32.f32 $F, $f, $f;",
    "set.eq.or.u32.f64 $R, $d, $d, $p;",
    "selp.b32 $R, $r, $r, $p;",
    "selp.b64 $Q, $q, $q, $p;",
    "selp.f32 $F, $f, $f, $p;",
    "selp.b16 $H, $h, $h, $p;",
    "slct.s32.s32 $R, $r, $r, $r;",
    "slct.u64.f32 $Q, $q, $q, $f;",
    "slct.ftz.b32.f32 $R, $r, $r, $f;",
    "and.pred $P, $p, $p;",
    "or.pred $P, $p, !$p;",
    "xor.pred $P, $p, $p;",
    "not.pred $P, $p;",
    "testp.finite.f32 $P, $f;",
    "testp.normal.f32 $P, $f;",
    "testp.subnormal.f64 $P, $d;",
    "testp.notanumber.f32 $P, $f;",
    "mov.b32 $R, $f;",
    "mov.b32 $F, $r;",
    "mov.b64 $Q, $d;",
    "mov.b64 $D, $q;",
    "mov.b64 $Q, {$r, $r};",
    "mov.b64 {$R, $R}, $q;",
    "mov.b32 $R, {$h, $h};",
    "mov.b32 {$H, $H}, $r;",
    "cvt.s64.s32 $Q, $r;",
    "cvt.u64.u32 $Q, $r;",
    "cvt.u32.u64 $R, $q;",
    "cvt.s32.s16 $R, $h;",
    "cvt.u32.u16 $R, $h;",
    "cvt.s32.s8 $R, $r;",
    "cvt.u16.u32 $H, $r;",
    "cvt.sat.s8.s32 $R, $r;",
    "cvt.sat.u8.s32 $R, $r;",
    "cvt.sat.s16.s64 $H, $q;",
    "cvt.sat.u32.s64 $R, $q;",
    "cvt.sat.s32.u32 $R, $r;",
    "cvt.rn.f32.s32 $F, $r;",
    "cvt.rz.f32.u32 $F, $r;",
    "cvt.rp.f32.s64 $F, $q;",
    "cvt.rn.f32.u64 $F, $q;",
    "cvt.rn.f64.s64 $D, $q;",
    "cvt.rm.f64.u64 $D, $q;",
    "cvt.rn.f64.s32 $D, $r;",
    "cvt.rn.f16.s32 $H, $r;",
    "cvt.rz.f16.u64 $H, $q;",
    "cvt.rn.f16.s16 $H, $h;",
    "cvt.rzi.s32.f32 $R, $f;",
    "cvt.rni.u32.f32 $R, $f;",
    "cvt.rmi.s64.f32 $Q, $f;",
    "cvt.rpi.u64.f32 $Q, $f;",
    "cvt.rzi.s32.f64 $R, $d;",
    "cvt.rni.s64.f64 $Q, $d;",
    "cvt.rpi.u32.f64 $R, $d;",
    "cvt.rzi.u64.f64 $Q, $d;",
    "cvt.rzi.s16.f32 $H, $f;",
    "cvt.rni.s8.f32 $R, $f;",
    "cvt.rzi.ftz.s32.f32 $R, $f;",
    "cvt.rzi.s32.f16 $R, $h;",
    "cvt.rzi.u16.f16 $H, $h;",
    "cvt.f64.f32 $D, $f;",
    "cvt.rn.f32.f64 $F, $d;",
    "cvt.rz.f32.f64 $F, $d;",
    "cvt.rm.f32.f64 $F, $d;",
    "cvt.rn.f16.f32 $H, $f;",
    "cvt.rz.f16.f32 $H, $f;",
    "cvt.rn.f16.f64 $H, $d;",
    "cvt.f32.f16 $F, $h;",
    "cvt.f64.f16 $D, $h;",
    "cvt.rn.bf16.f32 $H, $f;",
    "cvt.rz.bf16.f32 $H, $f;",
    "cvt.f32.bf16 $F, $h;",
    "cvt.rn.f16x2.f32 $R, $f, $f;",
    "cvt.rz.bf16x2.f32 $R, $f, $f;",
    "cvt.rn.relu.f16.f32 $H, $f;",
    "cvt.rn.relu.bf16x2.f32 $R, $f, $f;",
    "cvt.rna.tf32.f32 $R, $f;",
    "cvt.rni.f32.f32 $F, $f;",
    "cvt.rzi.f64.f64 $D, $d;",
    "cvt.rmi.ftz.f32.f32 $F, $f;",
    "cvt.sat.f32.f32 $F, $f;",
    "cvt.rn.sat.f32.f64 $F, $d;",
    "cvt.rpi.f16.f16 $H, $h;",
    "cvt.rn.satfinite.e4m3x2.f32 $H, $f, $f;",
    "cvt.rn.satfinite.e5m2x2.f32 $H, $f, $f;",
    "cvt.rn.f16x2.e4m3x2 $R, $h;",
    "cvt.rn.f16x2.e5m2x2 $R, $h;",
    "cvt.pack.sat.u8.s32.b32 $R, $r, $r, $r;",
    "cvt.pack.sat.s16.s32 $R, $r, $r;"};

/* At the top level only: all lanes must be there. */
static const char *const convergent[] = {
    "shfl.sync.bfly.b32 $R|$P, $r, $l, 31, 0xffffffff;",
    "shfl.sync.up.b32 $R|$P, $r, $l, 0, 0xffffffff;",
    "shfl.sync.down.b32 $R|$P, $r, $l, 31, 0xffffffff;",
    "shfl.sync.idx.b32 $R|$P, $r, $r, 0x181f, 0xffffffff;",
    "shfl.sync.down.b32 $R, $r, $r, 0x100f, 0xffffffff;",
    "vote.sync.ballot.b32 $R, $p, 0xffffffff;",
    "vote.sync.all.pred $P, $p, 0xffffffff;",
    "vote.sync.any.pred $P, $p, 0xffffffff;",
    "vote.sync.uni.pred $P, $p, 0xffffffff;",
    "match.any.sync.b32 $R, $r, 0xffffffff;",
    "match.all.sync.b64 $R|$P, $q, 0xffffffff;",
    "redux.sync.add.u32 $R, $r, 0xffffffff;",
    "redux.sync.min.s32 $R, $r, 0xffffffff;",
    "redux.sync.max.u32 $R, $r, 0xffffffff;",
    "redux.sync.xor.b32 $R, $r, 0xffffffff;",
    "bar.red.popc.u32 $R, 0, $p;",
    "bar.red.and.pred $P, 0, $p;",
    "{ bar.sync 0; st.shared.b32 [%a], $r; bar.sync 0; ld.shared.b32 $R, [%b]; bar.sync 0; }",
    "{ bar.sync 0; st.shared.b16 [%a], $h; bar.sync 0; ld.shared.s8 $R, [%b]; bar.sync 0; }",
    "{ bar.sync 0; st.shared.b32 [%a], 0; bar.sync 0; red.shared.add.u32 [%c], $r; bar.sync 0; "
    "ld.shared.b32 $R, [%c]; bar.sync 0; }",
    "{ bar.sync 0; st.shared.b32 [%a], 7; bar.sync 0; red.shared.max.s32 [%c], $r; bar.sync 0; "
    "ld.shared.u32 $R, [%c]; bar.sync 0; }",
    "{ bar.sync 0; st.shared.b32 [%a], 0; bar.sync 0; red.shared.xor.b32 [%c], $r; bar.sync 0; "
    "ld.shared.u16 $R, [%c]; bar.sync 0; }"};

typedef struct {
    uint64_t state;
    char *text;
    size_t length, capacity;
    unsigned labels;
} generator;

static uint64_t next(generator *g) {
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(generator *g, size_t n) {
    return (unsigned)(next(g) % n);
}

static void put(generator *g, const char *text) {
    size_t n = strlen(text);
    if (g->length + n + 1 > g->capacity) {
        g->capacity = 2 * (g->length + n + 1);
        g->text = realloc(g->text, g->capacity);
        if (!g->text) exit(2);
    }
    memcpy(g->text + g->length, text, n + 1);
    g->length += n;
}

/* Destinations of one template are distinct, as PTX demands of vectors and pairs; so are neighbouring
 * sources: ptxas makes a move of min(x, x), which keeps another NaN. */
static void put_template(generator *g, const char *t) {
    unsigned shift = below(g, REGISTERS), used = 0, from = below(g, REGISTERS), step = 1 + below(g, 2);
    put(g, "\t");
    for (; *t; t++) {
        char text[32] = {*t, 0};
        if (*t == '$') {
            t++;
            if (*t == 'i') snprintf(text, sizeof text, "%u", below(g, 40));
            if (*t == 'l') snprintf(text, sizeof text, "%u", below(g, 32));
            for (int c = 0; c < CLASSES; c++) {
                if (*t == classes[c].letter)
                    snprintf(text, sizeof text, "%s%u", classes[c].prefix, (from += step) % REGISTERS);
                if (*t == classes[c].letter - 32)
                    snprintf(text, sizeof text, "%s%u", classes[c].prefix, (shift + used++) % REGISTERS);
            }
        }
        put(g, text);
    }
    put(g, "\n");
}

static void put_body(generator *g, unsigned count, int depth) {
    char text[160];
    for (unsigned k = 0; k < count; k++) {
        unsigned what = below(g, 20), label = g->labels;
        if (what == 0 && depth < 3) { /* a divergent if */
            g->labels++;
            snprintf(text, sizeof text, "\t@%s%%p%u bra E%u;\n", below(g, 2) ? "!" : "", below(g, REGISTERS),
                     label);
            put(g, text);
            put_body(g, 3, depth + 1);
            snprintf(text, sizeof text, "E%u:\n", label);
            put(g, text);
        } else if (what == 1 && depth < 2) { /* a loop that lanes leave at different times */
            g->labels++;
            snprintf(text, sizeof text, "\tmov.u32 %%n%d, 0;\nL%u:\n", depth, label);
            put(g, text);
            put_body(g, 3, depth + 1);
            snprintf(text, sizeof text,
                     "\tadd.u32 %%n%d, %%n%d, 1;\n\tand.b32 %%m, %%r%u, 7;\n\tsetp.lt.u32 %%c0, %%n%d, "
                     "%%m;\n\t@%%c0 bra "
                     "L%u;\n",
                     depth, depth, below(g, REGISTERS), depth, label);
            put(g, text);
        } else if (what < 5 && depth == 0) {
            put_template(g, convergent[below(g, sizeof convergent / sizeof *convergent)]);
        } else {
            put_template(g, templates[below(g, sizeof templates / sizeof *templates)]);
        }
    }
}

static unsigned row_bytes(void) {
    unsigned n = 0;
    for (int c = 0; c < CLASSES; c++) n += 8 * REGISTERS;
    return n;
}

/* Loads or stores all registers, 8 bytes each. */
static void put_registers(generator *g, int load) {
    char text[160];
    for (int c = 0; c < CLASSES; c++)
        for (unsigned k = 0; k < REGISTERS; k++) {
            unsigned at = 8 * ((unsigned)c * REGISTERS + k);
            if (classes[c].letter == 'p' && load)
                snprintf(text, sizeof text, "\tld.global.u32 %%m, [%%in+%u];\n\tsetp.lt.s32 %%p%u, %%m, 0;\n",
                         at, k);
            else if (classes[c].letter == 'p')
                snprintf(text, sizeof text,
                         "\tselp.u32 %%m, 1, 0, %%p%u;\n\tst.global.u32 [%%out+%u], %%m;\n", k, at);
            else if (load)
                snprintf(text, sizeof text, "\tld.global.%s %s%u, [%%in+%u];\n", classes[c].store,
                         classes[c].prefix, k, at);
            else
                snprintf(text, sizeof text, "\tst.global.%s [%%out+%u], %s%u;\n", classes[c].store, at,
                         classes[c].prefix, k);
            put(g, text);
        }
}

static void put_kernel(generator *g, unsigned size, const char *only) {
    char text[512];
    put(g, ".version 8.0\n.target sm_90\n.address_size 64\n\n"
           ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n\t.shared .align 16 .b32 s[128];\n");
    for (int c = 0; c < CLASSES; c++) {
        snprintf(text, sizeof text, "\t.reg %s %s<%d>;\n", classes[c].declared, classes[c].prefix, REGISTERS);
        put(g, text);
    }
    put(g, "\t.reg .b32 %n<4>, %m, %t, %a, %b, %c;\n\t.reg .pred %c0;\n\t.reg .b64 %in, %out, %o;\n"
           "\tld.param.u64 %in, [in];\n\tld.param.u64 %out, [out];\n\tmov.u32 %t, %tid.x;\n");
    snprintf(text, sizeof text,
             "\tmul.wide.u32 %%o, %%t, %u;\n\tadd.u64 %%in, %%in, %%o;\n\tadd.u64 %%out, %%out, %%o;\n",
             row_bytes());
    put(g, text);
    put(g, "\tmov.u32 %m, s;\n\tshl.b32 %a, %t, 2;\n\txor.b32 %b, %a, 36;\n\tadd.u32 %b, %b, %m;\n"
           "\tand.b32 %c, %a, 60;\n\tadd.u32 %c, %c, %m;\n\tadd.u32 %a, %a, %m;\n");
    put_registers(g, 1);
    for (int k = 0; only && k < 1; k++) put_template(g, only);
    if (!only) put_body(g, size, 0);
    put_registers(g, 0);
    put(g, "\tret;\n}\n");
}

/* Random bits, and the values at which arithmetic changes its ways. */
static uint64_t input_value(generator *g, unsigned bytes, int is_float) {
    static const uint64_t f32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0x7f7fffff, 1,          0x807fffff, 0x00800000, 0x4f000000,
                                   0xcf000000, 0x5f000000, 0x7fa12345, 0x3effffff};
    static const uint64_t f64[] = {0,
                                   UINT64_C(1) << 63,
                                   UINT64_C(0x3ff0000000000000),
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0x7ff8000000000000),
                                   UINT64_C(0x7fefffffffffffff),
                                   1,
                                   UINT64_C(0x41e0000000000000),
                                   UINT64_C(0x43e0000000000000),
                                   UINT64_C(0xc3e0000000000000),
                                   UINT64_C(0x36a0000000000000)};
    static const uint64_t integers[] = {
        0, 1, UINT64_MAX, INT32_MAX, 0x80000000, INT64_MAX, UINT64_C(1) << 63, 31, 32, 255};
    uint64_t r = next(g);
    unsigned how = below(g, 4);
    if (how == 0 && is_float) return bytes == 8 ? f64[below(g, 11)] : f32[below(g, 16)];
    if (how == 0) return integers[below(g, 10)];
    if (how == 1 && bytes == 4 && is_float) { /* of moderate size */
        float f = (float)(int32_t)r * 0x1p-20f;
        uint32_t b;
        memcpy(&b, &f, 4);
        return b;
    }
    if (how == 1 && bytes == 8 && is_float) {
        double d = (double)(int64_t)r * 0x1p-40;
        memcpy(&r, &d, 8);
        return r;
    }
    if (how == 1) return r & 0xff;
    return r;
}

static void fill_input(generator *g, char *in) {
    for (unsigned t = 0; t < THREADS; t++)
        for (int c = 0; c < CLASSES; c++)
            for (unsigned k = 0; k < REGISTERS; k++) {
                int is_float = classes[c].letter == 'f' || classes[c].letter == 'd';
                uint64_t v = input_value(g, classes[c].bytes, is_float);
                memcpy(in + t * row_bytes() + 8 * ((unsigned)c * REGISTERS + k), &v, 8);
            }
}

static int write_file(const char *dir, unsigned n, const char *suffix, const void *data, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%04u.%s", dir, n, suffix);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
        fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
        return 0;
    }
    return 1;
}

static int emulate(const char *ptx, size_t length, const char *in, char *out, size_t size) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx, length, "random.ptx", diags);
    ls_emulator *emulator = module ? ls_emulator_new(module, diags) : NULL;
    int good = 0;
    if (emulator) {
        uint64_t params[2] = {ls_emulator_alloc(emulator, size, "in"),
                              ls_emulator_alloc(emulator, size, "out")};
        memcpy((void *)(uintptr_t)params[0], in, size);
        ls_emu_launch launch = {"k", {1, 1, 1}, {THREADS, 1, 1}, 0, params, sizeof params};
        ls_emu_result *r = ls_emulator_run(emulator, &launch, &(ls_emu_options){.threads = 1, .timeout = 20});
        good = r && r->status == LS_EMU_DONE;
        if (!good) fprintf(stderr, "generate: %s (line %u)\n", r ? r->message : "?", r ? r->pos.ptx_line : 0);
        memcpy(out, (void *)(uintptr_t)params[1], size);
        ls_emu_result_free(r);
    }
    for (uint32_t k = 0; k < ls_diags_count(diags); k++)
        if (!good)
            fprintf(stderr, "generate: %u: %s\n", ls_diags_at(diags, k)->line,
                    ls_diags_at(diags, k)->message);
    ls_emulator_free(emulator);
    if (module) ls_ptx_module_free(module);
    ls_diags_free(diags);
    return good;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: generate DIR COUNT [SEED [SIZE]]\n");
        return 2;
    }
    const unsigned plain = sizeof templates / sizeof *templates,
                   all = plain + sizeof convergent / sizeof *convergent;
    int each = !strcmp(argv[2], "each");
    unsigned count = each ? all : (unsigned)strtoul(argv[2], NULL, 0),
             size = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 0) : 40;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    mkdir(argv[1], 0777);
    size_t bytes = (size_t)THREADS * row_bytes();
    char *in = malloc(bytes), *out = malloc(bytes);
    if (!in || !out) return 2;
    int good = 1;
    for (unsigned n = 0; n < count && good; n++) {
        generator g = {.state = seed * 1000003 + n};
        put_kernel(&g, size, !each ? NULL : n < plain ? templates[n] : convergent[n - plain]);
        fill_input(&g, in);
        memset(out, 0, bytes);
        good = emulate(g.text, g.length, in, out, bytes) && write_file(argv[1], n, "ptx", g.text, g.length) &&
               write_file(argv[1], n, "in", in, bytes) && write_file(argv[1], n, "want", out, bytes);
        free(g.text);
    }
    free(in);
    free(out);
    if (good) printf("%u kernels in %s\n", count, argv[1]);
    return good ? 0 : 1;
}
