/* µ-SIMD to PTX: a PE is a thread of one warp, its variables are 32-bit registers, the shared vector Σ is an
 * array in global memory, sync is nothing (PTX has PEs meet at the branch's immediate post-dominator, which
 * is where sync stands). Each instruction has its .loc, and which line of the PTX belongs to which
 * instruction is kept, so that everything found out about the PTX is said of the µ-SIMD program.
 *
 * For a run, two additions: at stop every PE stores its variables, and with TRACE_… each instruction first
 * notes itself and the active PEs. */
#include "base/vec.h"
#include "usimd/program.h"

#include <string.h>

typedef struct {
    const ls_usimd *p;
    uint32_t flags;
    ls_buf out;
    size_t counted; /* bytes of `out` whose lines are in `lines` */
    uint32_t now;   /* instruction being written, or UINT32_MAX */
    LS_VEC(uint32_t) lines;
} translator;

/* Gives the lines written since the last time to the instruction being written. */
static void count_lines(translator *t) {
    for (; t->counted < t->out.length; t->counted++)
        if (t->out.text[t->counted] == '\n') LS_VEC_PUSH(&t->lines, t->now);
}

static void put_register(translator *t, uint32_t v) {
    ls_buf_printf(&t->out, "%%v%u_%s", v, t->p->variables[v].name);
}

static void put_operand(translator *t, operand o) {
    if (o.kind == OPERAND_CONSTANT)
        ls_buf_printf(&t->out, "%d", o.value);
    else if (o.kind == OPERAND_TID)
        ls_buf_puts(&t->out, "%tid_x");
    else
        put_register(t, (uint32_t)o.value);
}

uint32_t usimd_variable_of(const char *reg) {
    if (strncmp(reg, "%v", 2) != 0) return UINT32_MAX;
    uint32_t v = 0;
    const char *at = reg + 2;
    for (; *at >= '0' && *at <= '9'; at++) v = v * 10 + (uint32_t)(*at - '0');
    return at > reg + 2 && *at == '_' ? v : UINT32_MAX;
}

/* --- Before and after the instructions ---------------------------------------------------------------------
 */
static void put_file(translator *t) {
    ls_buf_puts(&t->out, ".file 1 \"");
    for (const char *c = t->p->file; *c; c++)
        ls_buf_putc(&t->out, *c == '"' || *c == '\\' || (unsigned char)*c < 32 ? '_' : *c);
    ls_buf_puts(&t->out, "\"\n");
}

static void put_memory(translator *t) {
    const ls_usimd *p = t->p;
    uint32_t last = p->memory_size;
    while (last && !p->initial[last - 1]) last--;
    ls_buf_printf(&t->out, ".visible .global .align 4 .b32 " USIMD_MEMORY "[%u]", p->memory_size);
    for (uint32_t i = 0; i < last; i++) ls_buf_printf(&t->out, "%s%d", i ? ", " : " = {", p->initial[i]);
    ls_buf_puts(&t->out, last ? "};\n" : ";\n");
}

/* Parameters: the inputs, then where a run is observed. machine.c lays them out in this order. */
static void put_parameters(translator *t) {
    const char *comma = "";
    ls_buf_puts(&t->out, ".visible .entry " USIMD_KERNEL "(");
    for (uint32_t v = 0; v < t->p->variable_count; v++) {
        if (!t->p->variables[v].is_input) continue;
        ls_buf_printf(&t->out, "%s.param .s32 in%u_%s", comma, v, t->p->variables[v].name);
        comma = ", ";
    }
    if (t->flags)
        ls_buf_printf(&t->out,
                      "%s.param .u64 usimd_variables, .param .u64 usimd_trace, "
                      ".param .u64 usimd_capacity",
                      comma);
    ls_buf_puts(&t->out, ")\n{\n");
}

static void put_registers(translator *t) {
    for (uint32_t v = 0; v < t->p->variable_count; v++) {
        ls_buf_puts(&t->out, "    .reg .b32 ");
        put_register(t, v);
        ls_buf_puts(&t->out, ";\n");
    }
    ls_buf_printf(
        &t->out,
        "    .reg .b32 %%tid_x, %%t<%u>;\n    .reg .b64 %%sigma, %%a<%u>;\n    .reg .pred %%p<%u>;\n",
        t->p->instr_count, t->p->instr_count, t->p->instr_count);
    if (t->flags)
        ls_buf_puts(&t->out,
                    "    .reg .b32 %active, %which;\n    .reg .b64 %kept, %trace, %record, %capacity, "
                    "%cycle;\n    .reg .pred %fits;\n");
}

static void put_entry(translator *t) {
    ls_buf_puts(&t->out, "    mov.u32 %tid_x, %tid.x;\n    mov.u64 %sigma, " USIMD_MEMORY ";\n");
    for (uint32_t v = 0; v < t->p->variable_count; v++) {
        if (!t->p->variables[v].is_input) continue;
        ls_buf_puts(&t->out, "    ld.param.s32 ");
        put_register(t, v);
        ls_buf_printf(&t->out, ", [in%u_%s];\n", v, t->p->variables[v].name);
    }
    if (t->flags)
        ls_buf_puts(&t->out,
                    "    ld.param.u64 %kept, [usimd_variables];\n    mad.wide.u32 %kept, %tid_x, 4, %kept;\n"
                    "    ld.param.u64 %trace, [usimd_trace];\n"
                    "    ld.param.u64 %capacity, [usimd_capacity];\n");
}

/* The number of cycles so far is the first 8 bytes of the trace; all PEs write the same. */
static void put_record(translator *t) {
    ls_buf_printf(&t->out,
                  "    ld.global.u64 %%cycle, [%%trace];\n    activemask.b32 %%active;\n"
                  "    mov.u32 %%which, %u;\n    mad.lo.u64 %%record, %%cycle, 8, %%trace;\n"
                  "    setp.lt.u64 %%fits, %%cycle, %%capacity;\n"
                  "    @%%fits st.global.u32 [%%record+8], %%which;\n"
                  "    @%%fits st.global.u32 [%%record+12], %%active;\n"
                  "    add.u64 %%cycle, %%cycle, 1;\n    st.global.u64 [%%trace], %%cycle;\n",
                  t->now);
}

/* --- Instructions ------------------------------------------------------------------------------------------
 */

/* Threads that do not jump come first, as rule BD demands: the emulator runs the target of a branch first. */
static void put_branch(translator *t, const instr *i) {
    const char *label = t->p->label_of[i->target]->name;
    bool first = (t->flags & TRANSLATE_OBSERVE) != 0;
    bool zero = (i->kind == INSTR_BZ) != first;
    ls_buf_printf(&t->out, "    setp.%s.s32 %%p%u, ", zero ? "eq" : "ne", t->now);
    put_operand(t, i->a);
    if (first)
        ls_buf_printf(&t->out, ", 0;\n    @%%p%u bra N%u;\n    bra L_%s;\nN%u:\n", t->now, t->now, label,
                      t->now);
    else
        ls_buf_printf(&t->out, ", 0;\n    @%%p%u bra L_%s;\n", t->now, label);
}

static void put_address(translator *t, operand o) {
    if (o.kind == OPERAND_CONSTANT) {
        ls_buf_printf(&t->out, "    add.s64 %%a%u, %%sigma, %lld;\n", t->now, (long long)o.value * 4);
        return;
    }
    ls_buf_printf(&t->out, "    mad.wide.s32 %%a%u, ", t->now);
    put_operand(t, o);
    ls_buf_puts(&t->out, ", 4, %sigma;\n");
}

static void put_store(translator *t, const instr *i) {
    put_address(t, i->a);
    ls_buf_printf(&t->out, "    st.global.b32 [%%a%u], ", t->now);
    put_operand(t, i->b);
    ls_buf_puts(&t->out, ";\n");
}

static void put_load(translator *t, const instr *i) {
    put_address(t, i->a);
    ls_buf_puts(&t->out, "    ld.global.b32 ");
    put_register(t, i->dst);
    ls_buf_printf(&t->out, ", [%%a%u];\n", t->now);
}

static void put_atomic(translator *t, const instr *i) {
    put_address(t, i->a);
    ls_buf_printf(&t->out, "    atom.global.add.u32 %%t%u, [%%a%u], 1;\n    add.s32 ", t->now, t->now);
    put_register(t, i->dst);
    ls_buf_printf(&t->out, ", %%t%u, 1;\n", t->now);
}

static void put_binary(translator *t, const instr *i) {
    const binary_info *op = &usimd_binaries[i->op];
    ls_buf_printf(&t->out, "    %s ", op->ptx);
    if (op->compares)
        ls_buf_printf(&t->out, "%%p%u", t->now);
    else
        put_register(t, i->dst);
    ls_buf_puts(&t->out, ", ");
    put_operand(t, i->a);
    ls_buf_puts(&t->out, ", ");
    put_operand(t, i->b);
    if (op->compares) {
        ls_buf_puts(&t->out, ";\n    selp.b32 ");
        put_register(t, i->dst);
        ls_buf_printf(&t->out, ", 1, 0, %%p%u", t->now);
    }
    ls_buf_puts(&t->out, ";\n");
}

static void put_copy(translator *t, const instr *i) {
    ls_buf_puts(&t->out, "    mov.b32 ");
    put_register(t, i->dst);
    ls_buf_puts(&t->out, ", ");
    put_operand(t, i->a);
    ls_buf_puts(&t->out, ";\n");
}

static void put_jump(translator *t, const instr *i) {
    ls_buf_printf(&t->out, "    bra L_%s;\n", t->p->label_of[i->target]->name);
}

/* Something that does nothing, so that the place where PEs meet is a block of its own. */
static void put_sync(translator *t, const instr *i) {
    (void)i;
    ls_buf_printf(&t->out, "    mov.b32 %%t%u, 0; // sync\n", t->now);
}

static void put_stop(translator *t, const instr *i) {
    (void)i;
    ls_buf_puts(&t->out, t->flags ? "    bra END;\n" : "    ret;\n");
}

/* Where every stop leads in a run: keeps the variables. */
static void put_end(translator *t) {
    ls_buf_puts(&t->out, "END:\n");
    for (uint32_t v = 0; v < t->p->variable_count; v++) {
        ls_buf_printf(&t->out, "    st.global.b32 [%%kept+%u], ", v * LS_USIMD_THREADS * 4);
        put_register(t, v);
        ls_buf_puts(&t->out, ";\n");
    }
    ls_buf_puts(&t->out, "    ret;\n");
}

static void (*const put_by_kind[])(translator *, const instr *) = {
    [INSTR_BZ] = put_branch,     [INSTR_BNZ] = put_branch, [INSTR_JUMP] = put_jump,
    [INSTR_STORE] = put_store,   [INSTR_LOAD] = put_load,  [INSTR_ATOMIC] = put_atomic,
    [INSTR_BINARY] = put_binary, [INSTR_COPY] = put_copy,  [INSTR_SYNC] = put_sync,
    [INSTR_STOP] = put_stop};

static void put_instr(translator *t, const instr *i) {
    if (t->p->label_of[t->now]) ls_buf_printf(&t->out, "L_%s:\n", t->p->label_of[t->now]->name);
    ls_buf_printf(&t->out, "    .loc 1 %u %u\n", i->line, i->column);
    if (t->flags & TRANSLATE_TRACE) put_record(t);
    put_by_kind[i->kind](t, i);
    count_lines(t);
}

usimd_ptx usimd_translate(const ls_usimd *p, uint32_t flags) {
    translator t = {.p = p, .flags = flags, .now = UINT32_MAX};
    LS_VEC_PUSH(&t.lines, UINT32_MAX); /* lines are counted from 1 */
    ls_buf_puts(&t.out, ".version 7.5\n.target sm_75\n.address_size 64\n");
    put_file(&t);
    put_memory(&t);
    put_parameters(&t);
    put_registers(&t);
    put_entry(&t);
    count_lines(&t);
    for (uint32_t i = 0; i < p->instr_count; i++) {
        t.now = i;
        put_instr(&t, &p->instrs[i]);
    }
    t.now = UINT32_MAX;
    if (flags) put_end(&t);
    ls_buf_puts(&t.out, "}\n");
    count_lines(&t);
    return (usimd_ptx){t.out.text, t.out.length, t.lines.length, t.lines.items};
}

void usimd_ptx_free(usimd_ptx *ptx) {
    free(ptx->text);
    free(ptx->instr_of);
}
