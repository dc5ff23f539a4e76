/* The machine: layout of states, their packed form, and the bookkeeping of successors. */
#include "model/machine.h"

#include <assert.h>

/* ---- Layout ------------------------------------------------------------------------------------------ */

static bool has_cells(const ls_kprog *prog, const ls_kvar *var) {
    if (var->role == LS_KR_TID) return false;
    return var->role == LS_KR_USER || prog->form != LS_KF_KERNEL;
}

static void lay_out_variables(ls_kmachine *m) {
    const ls_kctx *ctx = m->prog->ctx;
    m->offset = LS_NEW_N(&m->arena, uint32_t, ctx->vars.length);
    m->scratch = LS_NEW_N(&m->arena, uint32_t, ctx->vars.length);
    for (uint32_t i = 0; i < ctx->vars.length; i++) {
        const ls_kvar *var = ctx->vars.items[i];
        if (!has_cells(m->prog, var)) continue;
        uint32_t *count = var->class == LS_KC_PRIVATE ? &m->private_count : &m->shared_count;
        m->offset[i] = *count;
        if (var->role == LS_KR_NEXT || var->role == LS_KR_HAVOC) m->scratch[m->scratch_count++] = *count;
        *count += var->array ? (uint32_t)var->length : 1;
    }
    m->pc_at = m->shared_count + m->threads * m->private_count;
    m->history_at = m->pc_at + m->runners;
    m->counters_at = m->history_at + (m->history ? m->shared_count : 0);
    m->cell_count = m->counters_at + m->threads * m->loops;
}

static uint8_t bytes_for(uint64_t values) {
    return values == 0                   ? 8
           : values <= 0x100             ? 1
           : values <= 0x10000           ? 2
           : values <= UINT64_C(1) << 32 ? 4
                                         : 8;
}

static void set_packing(ls_kmachine *m, uint32_t cell, uint8_t width, int64_t bias) {
    m->width[cell] = width;
    m->bias[cell] = bias;
}

static void lay_out_packing(ls_kmachine *m) {
    const ls_kctx *ctx = m->prog->ctx;
    m->width = LS_NEW_N(&m->arena, uint8_t, m->cell_count + 1);
    m->bias = LS_NEW_N(&m->arena, int64_t, m->cell_count + 1);
    for (uint32_t i = 0; i < ctx->vars.length; i++) {
        const ls_kvar *var = ctx->vars.items[i];
        if (!has_cells(m->prog, var)) continue;
        uint8_t width = var->type.kind == LS_KT_LABEL ? 4 : bytes_for(ls_kvar_domain(var));
        int64_t bias = var->type.kind == LS_KT_INT ? var->low : 0;
        uint64_t length = var->array ? var->length : 1;
        bool private = var->class == LS_KC_PRIVATE;
        for (uint32_t t = 0; t < (private ? m->threads : 1); t++)
            for (uint64_t k = 0; k < length; k++) {
                uint32_t cell = m->offset[i] + (uint32_t)k;
                set_packing(m, private ? m->shared_count + t * m->private_count + cell : cell, width, bias);
            }
    }
    for (uint32_t i = m->pc_at; i < m->cell_count; i++)
        set_packing(m, i, i < m->history_at ? bytes_for(m->done + 1) : 4, 0);
    for (uint32_t i = 0; i < m->cell_count; i++) {
        if (i == m->counters_at) m->packed_prefix = m->packed_size;
        m->packed_size += m->width[i];
    }
    if (m->counters_at == m->cell_count) m->packed_prefix = m->packed_size;
}

static bool reads_shared(const ls_kexpr *expr) {
    return expr && expr->shared;
}

static void lay_out_code(ls_kmachine *m) {
    const ls_kprog *prog = m->prog;
    m->code_at = LS_NEW_N(&m->arena, uint32_t, prog->blocks.length);
    for (uint32_t b = 0; b < prog->blocks.length; b++) {
        const ls_kblock *block = &prog->blocks.items[b];
        m->code_at[b] = m->code.length;
        for (uint32_t i = 0; i <= block->stmts.length; i++) {
            const ls_kstmt *stmt = i < block->stmts.length ? &block->stmts.items[i] : NULL;
            ls_kinstr instr = {.stmt = stmt, .block = b, .local = true};
            instr.header = i == 0 && m->cfg->header_of[b] != LS_GRAPH_NONE;
            if (stmt)
                instr.local = stmt->kind != LS_KS_BARRIER && !reads_shared(stmt->value) &&
                              !reads_shared(stmt->index) && !reads_shared(stmt->pred) &&
                              !(stmt->var && stmt->var->class == LS_KC_SHARED);
            LS_VEC_PUSH_IN(&m->arena, &m->code, instr);
        }
    }
    m->done = m->code.length;
}

ls_kmachine *ls_kmachine_new(const ls_kprog *prog, bool history) {
    ls_kmachine *m = ls_xmalloc(sizeof *m);
    memset(m, 0, sizeof *m);
    m->prog = prog;
    m->threads = prog->ctx->threads;
    assert(m->threads >= 1 && m->threads <= 16);
    m->runners = prog->form == LS_KF_LOCKSTEP ? 1 : m->threads;
    m->history = history;
    m->cfg = ls_kprog_cfg(prog);
    assert(m->cfg->reducible); /* so that every cycle goes through a header */
    m->loops = prog->form == LS_KF_LOCKSTEP ? 0 : m->cfg->loops.length;
    lay_out_code(m);
    lay_out_variables(m);
    lay_out_packing(m);
    return m;
}

void ls_kmachine_free(ls_kmachine *m) {
    if (!m) return;
    ls_cfg_free(m->cfg);
    ls_arena_free(&m->arena);
    free(m);
}

void ls_kmachine_pack(const ls_kmachine *m, const int64_t *cells, uint8_t *bytes) {
    for (uint32_t i = 0; i < m->cell_count; i++) {
        uint64_t value = (uint64_t)cells[i] - (uint64_t)m->bias[i];
        for (uint8_t k = 0; k < m->width[i]; k++, value >>= 8) *bytes++ = (uint8_t)value;
    }
}

void ls_kmachine_unpack(const ls_kmachine *m, const uint8_t *bytes, int64_t *cells) {
    for (uint32_t i = 0; i < m->cell_count; i++) {
        uint64_t value = 0;
        for (uint8_t k = 0; k < m->width[i]; k++) value |= (uint64_t)*bytes++ << (8 * k);
        cells[i] = (int64_t)(value + (uint64_t)m->bias[i]);
    }
}

ls_kenv ls_kmachine_env(const ls_kmachine *m, const int64_t *cells, uint32_t thread) {
    return (ls_kenv){.threads = m->threads,
                     .tid = thread,
                     .offset = m->offset,
                     .shared = cells,
                     .private_ = cells + m->shared_count + (size_t)thread * m->private_count};
}

const ls_kvar *ls_kmachine_var(const ls_kmachine *m, uint32_t cell, uint64_t *index) {
    const ls_kctx *ctx = m->prog->ctx;
    for (uint32_t i = 0; i < ctx->vars.length; i++) {
        const ls_kvar *var = ctx->vars.items[i];
        if (var->class == LS_KC_PRIVATE || !has_cells(m->prog, var) || cell < m->offset[i]) continue;
        if (cell - m->offset[i] >= (var->array ? var->length : 1)) continue;
        *index = cell - m->offset[i];
        return var;
    }
    return NULL;
}

/* "vL is initialised to zero, incremented each time the header node for L is reduced, and reset to zero on
 * exit from L" (§3.2). v_next and v_havoc are dead here: they get a fixed value, so that states do not differ
 * by them. */
void ls_kmachine_goto(const ls_kmachine *m, int64_t *cells, uint32_t runner, uint32_t from, uint32_t to) {
    cells[m->pc_at + runner] = to == LS_KEND ? m->done : m->code_at[to];
    for (uint32_t t = 0; t < m->threads; t++) {
        if (m->runners > 1 && t != runner) continue;
        int64_t *mine = cells + m->shared_count + (size_t)t * m->private_count;
        for (uint32_t i = 0; i < m->scratch_count; i++)
            mine[m->scratch[i]] = m->bias[m->shared_count + t * m->private_count + m->scratch[i]];
    }
    if (m->loops == 0) return;
    int64_t *counters = cells + m->counters_at + (size_t)runner * m->loops;
    for (uint32_t loop = m->cfg->innermost[from]; loop != LS_GRAPH_NONE;
         loop = m->cfg->loops.items[loop].parent)
        if (to == LS_KEND || !ls_cfg_in_loop(m->cfg, loop, to)) counters[loop] = 0;
    if (to != LS_KEND && m->cfg->header_of[to] != LS_GRAPH_NONE) counters[m->cfg->header_of[to]]++;
}

/* ---- Successors -------------------------------------------------------------------------------------- */

void ls_ksuccessors_clear(ls_ksuccessors *out) {
    out->list.length = 0;
    out->cells.length = 0;
    out->races.length = 0;
    out->taken.length = 0;
    out->accesses.length = 0;
    out->now.length = 0;
    out->pairs.length = 0;
}

void ls_ksuccessors_free(ls_ksuccessors *out) {
    LS_VEC_FREE(&out->list);
    LS_VEC_FREE(&out->cells);
    LS_VEC_FREE(&out->races);
    LS_VEC_FREE(&out->taken);
    LS_VEC_FREE(&out->accesses);
    LS_VEC_FREE(&out->now);
    LS_VEC_FREE(&out->pairs);
    LS_VEC_FREE(&out->reads);
}

int64_t *ls_ksuccessor_add(const ls_kmachine *m, ls_ksuccessors *out, const int64_t *cells) {
    ls_ksuccessor next = {.status = LS_KSTEP,
                          .cells = out->cells.length,
                          .races = out->races.length,
                          .taken = out->taken.length};
    LS_VEC_PUSH(&out->list, next);
    while (out->cells.capacity < out->cells.length + m->cell_count)
        out->cells.items = ls_vec_grown(out->cells.items, &out->cells.capacity, sizeof *out->cells.items);
    memcpy(out->cells.items + next.cells, cells, m->cell_count * sizeof *cells);
    out->cells.length += m->cell_count;
    return out->cells.items + next.cells;
}

static ls_ksuccessor *newest(ls_ksuccessors *out) {
    return &out->list.items[out->list.length - 1];
}

void ls_ksuccessor_end(ls_ksuccessors *out, ls_kstatus status, ls_krule rule, uint32_t thread,
                       uint32_t instr) {
    ls_ksuccessor *s = newest(out);
    s->status = (uint8_t)status, s->rule = (uint8_t)rule, s->thread = thread, s->instr = instr;
}

void ls_ksuccessor_taken(ls_ksuccessors *out, uint32_t thread, uint32_t instr, const char *effect) {
    out->steps++;
    if (!out->tracing) return;
    ls_ktaken taken = {.thread = thread,
                       .instr = instr,
                       .effect = effect,
                       .accesses = out->accesses.length,
                       .access_count = out->now.length};
    for (uint32_t i = 0; i < out->now.length; i++) LS_VEC_PUSH(&out->accesses, out->now.items[i]);
    LS_VEC_PUSH(&out->taken, taken);
    newest(out)->taken_count++;
}

void ls_ksuccessor_history(const ls_kmachine *m, ls_ksuccessors *out, int64_t *cells, uint32_t instr) {
    if (!m->history) return;
    for (uint32_t i = 0; i < out->now.length; i++) {
        const ls_kaccess *a = &out->now.items[i];
        int64_t *entry = &cells[m->history_at + a->cell];
        uint32_t bit = UINT32_C(1) << a->thread, readers = (uint32_t)*entry & 0xffff;
        uint32_t writers = (uint32_t)(*entry >> 16) & 0xffff;
        uint32_t against = (a->write ? readers | writers : writers) & ~bit;
        if (against) {
            uint32_t other = (uint32_t)__builtin_ctz(against);
            ls_krace race = {.cell = a->cell,
                             .instr = instr,
                             .thread = a->thread,
                             .other_instr = LS_GRAPH_NONE,
                             .other_thread = other,
                             .write = a->write,
                             .other_write = writers >> other & 1};
            LS_VEC_PUSH(&out->races, race);
            newest(out)->race_count++;
        }
        *entry |= (int64_t)bit << (a->write ? 16 : 0);
    }
}
