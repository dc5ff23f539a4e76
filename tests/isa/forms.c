/* The list of forms, the kernels around them, and operands. */
#include "forms.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

coverage covered[LS_OP_COUNT];

typedef struct {
    const char *opcode; /* <a|b>: one of these */
    const char *operands;
} row;

#define CMP_INT  "<eq.u|ne.u|lt.u|le.u|gt.u|ge.u|lo.u|ls.u|hi.u|hs.u|eq.s|ne.s|lt.s|le.s|gt.s|ge.s>"
#define CMP_REAL "<eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan>"
#define ROUND    "<rn|rz|rm|rp>"

static const row rows[] = {
    {"<add|sub>.<u16|s16>", "h,hh"},
    {"<add|sub>.<u32|s32|sat.s32>", "r,rr"},
    {"<add|sub>.<u64|s64>", "q,qq"},
    {"<add|min|max>.<u16x2|s16x2>", "r,rr"},
    {"<add|sub>.cc.<u32|s32>", "r,rr"},
    {"<add|sub>.cc.u64", "q,qq"},
    {"<addc|subc>.<u32|s32|cc.u32>", "r,rrc"},
    {"<addc|subc>.<u64|s64>", "q,qqc"},
    {"mul.<lo|hi>.<u16|s16>", "h,hh"},
    {"mul.<lo|hi>.<u32|s32>", "r,rr"},
    {"mul.<lo|hi>.<u64|s64>", "q,qq"},
    {"mul.wide.<u16|s16>", "r,hh"},
    {"mul.wide.<u32|s32>", "q,rr"},
    {"mad.<lo|hi>.<u16|s16>", "h,hhh"},
    {"mad.<lo.u32|lo.s32|hi.u32|hi.s32|hi.sat.s32>", "r,rrr"},
    {"mad.<lo|hi>.<u64|s64>", "q,qqq"},
    {"mad.wide.<u16|s16>", "r,hhr"},
    {"mad.wide.<u32|s32>", "q,rrq"},
    {"mad.<lo|hi>.cc.<u32|s32>", "r,rrr"},
    {"madc.<lo|hi>.<u32|s32|cc.u32>", "r,rrrc"},
    {"madc.<lo|hi>.u64", "q,qqqc"},
    {"mul24.<lo|hi>.<u32|s32>", "r,rr"},
    {"mad24.<lo.u32|lo.s32|hi.u32|hi.s32|hi.sat.s32>", "r,rrr"},
    {"sad.<u16|s16>", "h,hhh"},
    {"sad.<u32|s32>", "r,rrr"},
    {"sad.<u64|s64>", "q,qqq"},
    {"<div|rem>.<u16|s16>", "h,hh"},
    {"<div|rem>.<u32|s32>", "r,rr"},
    {"<div|rem>.<u64|s64>", "q,qq"},
    {"<abs|neg>.s16", "h,h"},
    {"<abs|neg>.s32", "r,r"},
    {"<abs|neg>.s64", "q,q"},
    {"<min|max>.<u16|s16>", "h,hh"},
    {"<min|max>.<u32|s32|relu.s32|relu.s16x2>", "r,rr"},
    {"<min|max>.<u64|s64>", "q,qq"},
    {"<popc|clz>.b32", "r,r"},
    {"<popc|clz>.b64", "r,q"},
    {"bfind.<u32|s32|shiftamt.u32|shiftamt.s32>", "r,r"},
    {"bfind.<u64|s64|shiftamt.u64|shiftamt.s64>", "r,q"},
    {"fns.b32", "r,rrr"},
    {"brev.b32", "r,r"},
    {"brev.b64", "q,q"},
    {"bfe.<u32|s32>", "r,rrr"},
    {"bfe.<u64|s64>", "q,qrr"},
    {"bfi.b32", "r,rrrr"},
    {"bfi.b64", "q,qqrr"},
    {"bfe.<u32|s32>", "r,rjj"},
    {"bfe.<u64|s64>", "q,qjj"},
    {"bfi.b32", "r,rrjj"},
    {"bfi.b64", "q,qqjj"},
    {"shf.<l|r>.<wrap|clamp>.b32", "r,rrj"},
    {"<shl.b32|shr.u32|shr.s32>", "r,rj"},
    {"<shl.b64|shr.u64|shr.s64>", "q,qj"},
    {"prmt.b32", "r,rrj"},
    {"szext.<clamp|wrap>.<u32|s32>", "r,rr"},
    {"bmsk.<clamp|wrap>.b32", "r,rr"},
    {"dp4a.<u32|s32>.<u32|s32>", "r,rrr"},
    {"dp2a.<lo|hi>.<u32|s32>.<u32|s32>", "r,rrr"},
    {"testp.<finite|infinite|number|notanumber|normal|subnormal>.f32", "p,r"},
    {"testp.<finite|infinite|number|notanumber|normal|subnormal>.f64", "p,q"},
    {"copysign.f32", "r,rr"},
    {"copysign.f64", "q,qq"},
    {"<add|sub|mul>." ROUND "<|.ftz><|.sat>.f32", "r,rr"},
    {"<add|sub|mul>." ROUND ".f64", "q,qq"},
    {"<add|sub|mul>.rn<|.ftz><|.sat>.f16", "h,hh"},
    {"<add|sub|mul>.rn<|.ftz><|.sat>.f16x2", "r,rr"},
    {"<add|sub|mul>.rn.bf16", "h,hh"},
    {"<add|sub|mul>.rn.bf16x2", "r,rr"},
    {"<add|sub|mul>." ROUND "<|.ftz>.f32x2", "q,qq"},
    {"fma." ROUND "<|.ftz>.f32x2", "q,qqq"},
    {"fma." ROUND "<|.ftz><|.sat>.f32", "r,rrr"},
    {"mad." ROUND "<|.ftz>.f32", "r,rrr"},
    {"<fma|mad>." ROUND ".f64", "q,qqq"},
    {"fma.rn<|.ftz><|.sat|.relu>.f16", "h,hhh"},
    {"fma.rn<|.ftz><|.sat|.relu>.f16x2", "r,rrr"},
    {"fma.rn<|.relu>.bf16", "h,hhh"},
    {"fma.rn.oob<|.relu>.<f16|bf16>", "h,hhh"},
    {"fma.rn.oob<|.relu>.<f16x2|bf16x2>", "r,rrr"},
    {"fma.rn<|.relu>.bf16x2", "r,rrr"},
    {"div.<"
     "rn|rz|rm|rp|approx|full"
     "><|.ftz>.f32",
     "r,rr"},
    {"div." ROUND ".f64", "q,qq"},
    {"<rcp|sqrt>.<rn|rz|rm|rp|approx><|.ftz>.f32", "r,r"},
    {"<rcp|sqrt>." ROUND ".f64", "q,q"},
    {"<rcp|rsqrt>.approx.ftz.f64", "q,q"},
    {"<rsqrt|sin|cos|lg2|ex2>.approx<|.ftz>.f32", "r,r"},
    {"rsqrt.approx.f64", "q,q"},
    {"tanh.approx.f32", "r,r"},
    {"<tanh|ex2>.approx.f16", "h,h"},
    {"<tanh|ex2>.approx.f16x2", "r,r"},
    {"<add|sub>.<rn|rz|rm|rp><|.sat>.f32.<f16|bf16>", "r,hr"},
    {"fma.<rn|rz|rm|rp><|.sat>.f32.<f16|bf16>", "r,hhr"},
    {"<abs|neg><|.ftz>.f32", "r,r"},
    {"<abs|neg>.f64", "q,q"},
    {"<abs|neg><|.ftz>.f16", "h,h"},
    {"<abs|neg><|.ftz>.f16x2", "r,r"},
    {"<abs|neg>.bf16", "h,h"},
    {"<min|max><|.ftz><|.NaN><|.xorsign.abs>.f32", "r,rr"},
    {"<min|max><|.ftz><|.NaN>.f32", "r,rrr"},
    {"<min|max>.f64", "q,qq"},
    {"<min|max><|.ftz><|.NaN>.f16", "h,hh"},
    {"<min|max><|.ftz><|.NaN>.f16x2", "r,rr"},
    {"<min|max><|.NaN>.bf16", "h,hh"},
    {"set.<eq|ne|lt|le|gt|ge>.<u32|s32>.<u32|s32>", "r,rr"},
    {"set.<lo|ls|hi|hs>.u32.u32", "r,rr"},
    {"set." CMP_REAL "<|.ftz>.<u32|s32|f32>.f32", "r,rr"},
    {"set.lt.<and|or|xor>.u32.s32", "r,rrp"},
    {"set." CMP_REAL ".u32.f64", "r,qq"},
    {"setp." CMP_INT "32", "p,rr"},
    {"setp." CMP_INT "64", "p,qq"},
    {"setp." CMP_INT "16", "p,hh"},
    {"setp.<eq|ne>.b16", "p,hh"},
    {"setp.<eq|ne>.b32", "p,rr"},
    {"setp.<eq|ne>.b64", "p,qq"},
    {"setp.<lt|ge>.<and|or|xor>.<u32|s32>", "p,rrp"},
    {"setp.lt.<u32|s32>", "pp,rr"},
    {"setp.<lt|ge>.<and|or|xor>.<u32|s32>", "pp,rrp"},
    {"setp." CMP_REAL "<|.ftz>.f32", "p,rr"},
    {"setp." CMP_REAL ".f64", "p,qq"},
    {"setp." CMP_REAL "<|.ftz>.f16", "p,hh"},
    {"setp.<lt|neu>.f16x2", "pp,rr"},
    {"selp.<b16|u16|s16>", "h,hhp"},
    {"selp.<b32|u32|s32|f32>", "r,rrp"},
    {"selp.<b64|u64|s64|f64>", "q,qqp"},
    {"slct.<b32|u32|s32|f32>.s32", "r,rrr"},
    {"slct<|.ftz>.<u32|f32>.f32", "r,rrr"},
    {"slct.<b64|u64|s64|f64>.s32", "q,qqr"},
    {"<and|or|xor>.pred", "p,pp"},
    {"<and|or|xor>.b16", "h,hh"},
    {"<and|or|xor>.b32", "r,rr"},
    {"<and|or|xor>.b64", "q,qq"},
    {"not.pred", "p,p"},
    {"<not|cnot>.b16", "h,h"},
    {"<not|cnot>.b32", "r,r"},
    {"<not|cnot>.b64", "q,q"},
    {"lop3.b32", "r,rrri"},
    {"lop3.<and|or>.b32", "rp,rrrip"},
    {"shf.<l|r>.<wrap|clamp>.b32", "r,rrr"},
    {"<shl.b16|shr.b16|shr.u16|shr.s16>", "h,hr"},
    {"<shl.b32|shr.b32|shr.u32|shr.s32>", "r,rr"},
    {"<shl.b64|shr.b64|shr.u64|shr.s64>", "q,qr"},
    {"mov.<b16|u16>", "h,h"},
    {"mov.<b32|u32|s32|f32>", "r,r"},
    {"mov.<b64|u64|f64>", "q,q"},
    {"mov.pred", "p,p"},
    {"prmt.b32<|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16>", "r,rrr"},
    {"cvt.<u16|s16|u32|s32>.<u32|s32>", "r,r"},
    {"cvt.<u8|s8|u16|s16><|.sat>.<u32|s32>", "r,r"},
    {"cvt.<u32|s32><|.sat>.<u64|s64>", "r,q"},
    {"cvt.<u32|s32>.<u8|s8|u16|s16>", "r,r"},
    {"cvt.<u16|s16><|.sat>.<u32|s32|u16|s16>", "h,r"},
    {"cvt.<u64|s64>.<u32|s32>", "q,r"},
    {"cvt.<u64|s64>.<u16|s16>", "q,h"},
    {"cvt.<u64|s64>.<u64|s64>", "q,q"},
    {"cvt.<rni|rzi|rmi|rpi><|.ftz>.<u32|s32>.f32", "r,r"},
    {"cvt.<rni|rzi|rmi|rpi><|.ftz>.<u64|s64>.f32", "q,r"},
    {"cvt.<rni|rzi|rmi|rpi>.<u32|s32>.f64", "r,q"},
    {"cvt.<rni|rzi|rmi|rpi>.<u64|s64>.f64", "q,q"},
    {"cvt.<rni|rzi|rmi|rpi>.<u16|s16>.f16", "h,h"},
    {"cvt." ROUND "<|.sat>.f32.<u32|s32>", "r,r"},
    {"cvt." ROUND ".f32.<u64|s64>", "r,q"},
    {"cvt." ROUND ".f64.<u32|s32>", "q,r"},
    {"cvt." ROUND ".f64.<u64|s64>", "q,q"},
    {"cvt.rn.f16.<u16|s16>", "h,h"},
    {"cvt.rn.f16.<u32|s32>", "h,r"},
    {"cvt." ROUND "<|.ftz><|.sat>.f32.f64", "r,q"},
    {"cvt<|.ftz>.f64.f32", "q,r"},
    {"cvt.<rni|rzi|rmi|rpi><|.ftz>.f32.f32", "r,r"},
    {"cvt.<rni|rzi|rmi|rpi>.f64.f64", "q,q"},
    {"cvt.f32.<f16|bf16>", "r,h"},
    {"cvt.<rn|rz><|.ftz><|.sat>.f16.f32", "h,r"},
    {"cvt.<rn|rz><|.relu>.<f16|bf16>.f32", "h,r"},
    {"cvt.<rn|rz><|.relu>.<f16x2|bf16x2>.f32", "r,rr"},
    {"cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2|e2m3x2|e3m2x2>.f32", "h,rr"},
    {"cvt.rn.satfinite<|.relu>.e2m1x2.f32", "b,rr"},
    {"cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f16x2", "h,r"},
    {"cvt.rn.satfinite<|.relu>.e2m1x2.f16x2", "b,r"},
    {"cvt.rn<|.relu>.f16x2.<e4m3x2|e5m2x2|e2m3x2|e3m2x2>", "r,h"},
    {"cvt.rn<|.relu>.f16x2.e2m1x2", "r,b"},
    {"cvt.<rz|rp><|.satfinite>.ue8m0x2.f32", "h,rr"},
    {"cvt.<rz|rp><|.satfinite>.ue8m0x2.bf16x2", "h,r"},
    {"cvt.rn.bf16x2.ue8m0x2", "r,h"},
    {"cvt.rna.tf32.f32", "r,r"},
    {"cvt.pack.sat.<u16|s16>.s32", "r,rr"},
    {"cvt.pack.sat.<u8|s8>.s32.b32", "r,rrr"},
    {"<vadd|vsub|vabsdiff|vmin|vmax>.<u32|s32>.<u32|s32>.<u32|s32><|.sat>", "r,rr"},
    {"<vadd|vsub|vabsdiff|vmin|vmax>.s32.u32.s32.<add|min|max>", "r,rrr"},
    {"<vshl|vshr>.<u32|s32>.u32.u32.<clamp|wrap>", "r,rr"},
    {"vmad.<u32|s32>.<u32|s32>.<u32|s32><|.sat><|.shr7|.shr15>", "r,rrr"},
    {"vset.<u32|s32>.<u32|s32>.<eq|ne|lt|le|gt|ge>", "r,rr"},
    {"<vadd|vsub|vavrg|vabsdiff|vmin|vmax>2.<u32|s32>.<u32|s32>.<u32|s32><|.sat|.add>", "r,rrr"},
    {"<vadd|vsub|vavrg|vabsdiff|vmin|vmax>4.<u32|s32>.<u32|s32>.<u32|s32><|.sat|.add>", "r,rrr"},
    {"vset<2|4>.<u32|s32>.<u32|s32>.<eq|ne|lt|le|gt|ge><|.add>", "r,rrr"},
};

static void seed(const char *text);
static uint64_t draw_constant(char class);

static bool is_constant(char class) {
    return class == 'i' || class == 'j';
}

/* --- Alternatives ----------------------------------------------------------------------------------------
 */
static uint32_t alternatives(const char *group) {
    uint32_t n = 1;
    for (; *group != '>'; group++) n += *group == '|';
    return n;
}

static uint32_t spellings(const char *text) {
    uint32_t n = 1;
    for (; *text; text++)
        if (*text == '<') n *= alternatives(text + 1);
    return n;
}

static void spell(const char *text, uint32_t which, char *out, size_t size) {
    size_t length = 0;
    for (; *text && length + 1 < size; text++) {
        if (*text != '<') {
            out[length++] = *text;
            continue;
        }
        uint32_t count = alternatives(text + 1), pick = which % count;
        which /= count;
        for (text++; pick; text++) pick -= *text == '|';
        for (; *text != '|' && *text != '>' && length + 1 < size; text++) out[length++] = *text;
        while (*text != '>') text++;
    }
    out[length] = 0;
}

/* --- Kernels ---------------------------------------------------------------------------------------------
 */
uint32_t class_bits(char class) {
    return class == 'h'   ? 16
           : class == 'r' ? 32
           : class == 'q' ? 64
           : class == 'i' ? 8
           : class == 'b' ? 8
           : class == 'j' ? 10
                          : 1;
}

static void put(char *out, size_t size, const char *format, ...) {
    size_t length = strlen(out);
    va_list list;
    va_start(list, format);
    vsnprintf(out + length, size - length, format, list);
    va_end(list);
}

/* Sources into registers of their class. */
static void put_sources(const form *f, char *t, size_t size) {
    for (uint32_t k = 0; k < f->sources; k++) {
        char c = f->from[k];
        if (is_constant(c)) continue;
        put(t, size, "ld.global.b64 %%q%u, [%%in+%u];\n", k, 8 * k);
        if (c == 'b') put(t, size, "cvt.u8.u64 %%b%u, %%q%u;\n", k, k);
        if (c == 'h') put(t, size, "cvt.u16.u64 %%h%u, %%q%u;\n", k, k);
        if (c == 'r') put(t, size, "cvt.u32.u64 %%r%u, %%q%u;\n", k, k);
        if (c == 'p' || c == 'c')
            put(t, size, "and.b64 %%q%u, %%q%u, 1;\nsetp.ne.u64 %%p%u, %%q%u, 0;\n", k, k, k, k);
        if (c == 'c') /* all ones and the bit: the carry is the bit */
            put(t, size, "cvt.u32.u64 %%r%u, %%q%u;\nadd.cc.u32 %%r15, %%r%u, -1;\n", k, k, k);
    }
}

static void put_instr(const form *f, char *t, size_t size) {
    put(t, size, "%s ", f->text);
    for (uint32_t k = 0; k < f->results; k++) put(t, size, "%s%%d%c%u", k ? "|" : "", f->to[k], k);
    for (uint32_t k = 0; k < f->sources; k++) {
        if (f->from[k] == 'c') continue;
        if (is_constant(f->from[k]))
            put(t, size, ", %u", f->constant[k]);
        else
            put(t, size, ", %%%c%u", f->from[k], k);
    }
    put(t, size, ";\n");
}

static void put_results(const form *f, char *t, size_t size) {
    for (uint32_t k = 0; k < f->results; k++) {
        char c = f->to[k];
        if (c == 'b') put(t, size, "cvt.u64.u8 %%q15, %%db%u;\n", k);
        if (c == 'h') put(t, size, "cvt.u64.u16 %%q15, %%dh%u;\n", k);
        if (c == 'r') put(t, size, "cvt.u64.u32 %%q15, %%dr%u;\n", k);
        if (c == 'q') put(t, size, "mov.b64 %%q15, %%dq%u;\n", k);
        if (c == 'p') put(t, size, "selp.u64 %%q15, 1, 0, %%dp%u;\n", k);
        put(t, size, "st.global.b64 [%%out+%u], %%q15;\n", 8 * k);
    }
}

/* Returns the line on which the instruction stands. */
static uint32_t write_kernel(const form *f, const char *name, char *t, size_t size) {
    put(t, size, ".visible .entry %s(.param .u64 in, .param .u64 out)\n{\n", name);
    put(t, size,
        ".reg .b8 %%b<16>, %%db<4>;\n.reg .b16 %%h<16>, %%dh<4>;\n.reg .b32 %%r<16>, %%dr<4>, %%t;\n");
    put(t, size, ".reg .b64 %%q<16>, %%dq<4>, %%in, %%out, %%at;\n.reg .pred %%p<16>, %%dp<4>;\n");
    put(t, size, "mov.u32 %%t, %%tid.x;\nld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\n");
    if (strcmp(name, FORM_UNIFORM))
        put(t, size, "mul.wide.u32 %%at, %%t, %u;\nadd.u64 %%in, %%in, %%at;\n", FORM_IN);
    put(t, size, "mul.wide.u32 %%at, %%t, %u;\nadd.u64 %%out, %%out, %%at;\n", FORM_OUT);
    put_sources(f, t, size);
    uint32_t line = 1;
    for (const char *c = t; *c; c++) line += *c == '\n';
    put_instr(f, t, size);
    put_results(f, t, size);
    put(t, size, "ret;\n}\n");
    return line;
}

static bool find_row(uint32_t n, const row **found, uint32_t *which) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t count = spellings(rows[i].opcode);
        if (n < count) return *found = &rows[i], *which = n, true;
        n -= count;
    }
    return false;
}

static const ls_ir_instr *instr_of_line(const form *f, uint32_t line) {
    const ls_ptx_block *body = f->module->functions[0]->body;
    for (uint32_t i = 0; i < body->count; i++) {
        if (body->stmts[i].kind != LS_STMT_INSTR || body->stmts[i].line != line) continue;
        for (uint32_t k = 0; k < f->ir->instr_count; k++)
            if (f->ir->instrs[k]->ast == body->stmts[i].instr) return f->ir->instrs[k];
    }
    return NULL;
}

bool form_make(uint32_t n, form *f) {
    static char text[8192];
    const row *r;
    uint32_t which;
    if (!find_row(n, &r, &which)) return false;
    *f = (form){.to = r->operands, .from = strchr(r->operands, ',') + 1};
    spell(r->opcode, which, f->text, sizeof f->text);
    seed(f->text);
    f->results = (uint32_t)(f->from - f->to) - 1;
    f->sources = (uint32_t)strlen(f->from);
    for (uint32_t k = 0; k < f->sources; k++) f->constant[k] = (uint16_t)draw_constant(f->from[k]);
    text[0] = 0;
    put(text, sizeof text, ".version 8.8\n.target sm_100a\n.address_size 64\n");
    uint32_t line = write_kernel(f, FORM_KERNEL, text, sizeof text);
    write_kernel(f, FORM_UNIFORM, text, sizeof text);
    ls_diags *diags = ls_diags_new();
    f->module = ls_ptx_parse(text, strlen(text), "form.ptx", diags);
    if (!f->module || ls_diags_count(diags))
        fail_msg("%s: %s\n%s", f->text, ls_diags_count(diags) ? ls_diags_at(diags, 0)->message : "?", text);
    f->ir = ls_ir_build(f->module, f->module->functions[0], NULL, diags);
    f->instr = instr_of_line(f, line);
    if (!f->instr) fail_msg("%s is not found in its kernel", f->text);
    bool known = ls_isa_find(&(ls_isa_ask){.form = f->instr->form,
                                           .ast = f->instr->ast,
                                           .src_count = (uint8_t)f->instr->src_count,
                                           .dst_count = (uint8_t)f->instr->dst_count,
                                           .dst_bits = (uint8_t)class_bits(f->to[0])},
                             &f->isa);
    if (!known || f->instr->unknown) fail_msg("%s has no meaning", f->text);
    ls_diags_free(diags);
    covered[f->instr->op].forms++;
    return true;
}

void form_free(form *f) {
    ls_ir_free(f->ir);
    ls_ptx_module_free(f->module);
}

bool form_computes(const ls_ptx_opcode *opcode) {
    return opcode->class == LS_CLASS_INTEGER || opcode->class == LS_CLASS_FLOAT ||
           opcode->class == LS_CLASS_COMPARE || opcode->class == LS_CLASS_LOGIC ||
           opcode->class == LS_CLASS_MOVE || opcode->class == LS_CLASS_VIDEO;
}

/* --- Operands --------------------------------------------------------------------------------------------
 */
static uint64_t state;

uint64_t draw(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t z = state ^ state >> 31;
    return z * UINT64_C(0xbf58476d1ce4e5b9) ^ z >> 29;
}

/* Each form draws its own, whatever stands before it in the list; FORMS_SEED gives others. */
static void seed(const char *text) {
    const char *given = getenv("FORMS_SEED");
    state = UINT64_C(0x9e3779b97f4a7c15) + (given ? strtoull(given, NULL, 10) : 0);
    for (; *text; text++) state = (state ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    for (int k = 0; k < 8; k++) draw();
}

static const uint64_t integers[] = {0,
                                    1,
                                    2,
                                    3,
                                    4,
                                    5,
                                    7,
                                    8,
                                    15,
                                    16,
                                    17,
                                    23,
                                    24,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    65,
                                    127,
                                    128,
                                    129,
                                    255,
                                    256,
                                    257,
                                    511,
                                    512,
                                    1023,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x7fffff,
                                    0x800000,
                                    0x7fffffff,
                                    0x80000000,
                                    0xfffffffe,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff};
static const uint32_t singles[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffffffff, 0x7f800001, 0x00000001, 0x807fffff, 0x00800000,
                                   0x7f7fffff, 0xff7fffff, 0x3f000000, 0x40200000, 0x4b800000, 0x4f000000,
                                   0xcf000000, 0x4f800000, 0x5f000000, 0x5f800000, 0x3effffff, 0x33800000};
static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0x0000000000000001, 0x000fffffffffffff,
    0x0010000000000000, 0x7fefffffffffffff, 0x41e0000000000000, 0xc1e0000000000000,
    0x41efffffffe00000, 0x43e0000000000000, 0x36a0000000000000, 0x3fe0000000000000};
static const uint16_t halves[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                  0xffff, 0x7ff7, 0xfff7, 0x0001, 0x83ff, 0x0400, 0x7bff,
                                  0x3f80, 0x7f80, 0x7fc0, 0x0080, 0x7f7f, 0x3800};
#define PICK(table) table[draw() % (sizeof table / sizeof *table)]

static uint64_t draw_special(uint32_t bits) {
    switch (draw() % 4) {
    case 0: return PICK(integers);
    case 1: return 0 - PICK(integers);
    case 2: return bits == 64 ? PICK(doubles) : bits == 32 ? PICK(singles) : PICK(halves);
    default: break;
    }
    /* One draw after the other: the order within an expression is the compiler's. */
    uint64_t high = PICK(singles), middle = PICK(halves), low = PICK(halves);
    return high << 32 | middle << 16 | low;
}

static uint64_t draw_constant(char class) {
    uint32_t bits = class_bits(class);
    uint64_t v = draw() % 2 ? PICK(integers) : draw();
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

uint64_t draw_source(const form *f, uint32_t k) {
    if (is_constant(f->from[k])) return f->constant[k];
    uint32_t bits = class_bits(f->from[k]);
    uint64_t shift = draw() % 64;
    uint64_t v = draw() % 2 ? draw_special(bits) : draw() >> shift;
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

/* --- Comparing -------------------------------------------------------------------------------------------
 */
static bool is_nan(uint64_t v, uint32_t bits) {
    return bits == 64 ? (v & INT64_MAX) > UINT64_C(0x7ff0000000000000)
                      : bits == 32 && (v & INT32_MAX) > UINT64_C(0x7f800000);
}

bool form_agrees(const form *f, uint32_t result, uint64_t want, uint64_t got) {
    if (want == got) return true;
    ls_ptx_type type = (ls_ptx_type)f->isa.type[0];
    if (result || ls_ptx_type_kind_of(type) != LS_KIND_FLOAT) return false;
    uint32_t bits = ls_ptx_type_bits(type);
    if (type == LS_TYPE_F64 && is_nan(want, bits) && is_nan(got, bits)) return true;
    uint64_t apart = want > got ? want - got : got - want;
    return !ls_isa_is_exact(&f->isa) && apart <= 2;
}

uint32_t form_failures;

void form_fail(form *f, const char *where, const uint64_t *s, uint64_t want, uint64_t got) {
    if (f->failed == where) return; /* one for a form is enough */
    f->failed = where;
    form_failures++;
    print_error("%s (%s) of %llx, %llx, %llx, %llx, %llx: %s has %llx, the meaning is %llx\n", f->text,
                f->instr->form->opcode->name, (unsigned long long)s[0], (unsigned long long)s[1],
                (unsigned long long)s[2], (unsigned long long)s[3], (unsigned long long)s[4], where,
                (unsigned long long)got, (unsigned long long)want);
}
