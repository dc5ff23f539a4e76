/* What the emulator need not check (emulate/proved.h): loads and stores of a launch that take part in no
 * race, by the same offsets and barrier intervals that spare the detector its rounds (own.c, turns.c,
 * regions.c), and by rehearsing a block (rehearse.c).
 *
 * Beyond those, all of these must hold, since nothing looks again:
 * - barriers are met by all threads that have not ended: what decides on the way to one is the same for all
 * of the block, or leads the others to no barrier;
 * - accesses stay in their objects: writes of the same space that may stray could meet any read, and any
 * access that may stray could meet a write;
 * - where reads must be of what was written, each read of shared memory is behind a write of all threads to
 * all of the object, or to the same elements; or a rehearsal has seen that it is (contents.c). */
#include "detect/own.h"

#include "base/recover.h"
#include "isa/order.h"
#include "lockstep/analyze.h"
#include "lockstep/detect.h"

#include <stdlib.h>

#ifdef LS_HAVE_EMULATOR
#include "emulate/proved.h"

typedef struct {
    const em_question *asked;
    const ls_detect_launch *launch;
    kernel *k;
    ls_analysis *shapes;
    bool shared_own;                 /* no barrier interval has a race in shared memory */
    bool strays[2], write_strays[2]; /* global, shared: an access, a write may leave its object */
} proof;

/* --- Barriers --- */
/* The same for all threads of the block. */
static bool is_uniform(const proof *p, const ls_ir_block *branch) {
    bool negated;
    const ls_ir_value *by = ls_ir_branch_predicate(branch, &negated);
    if (!by) return false;
    const ls_shape *shape = &p->shapes->shapes[by->id];
    return ls_shape_uniform(shape) && !shape->warp_only;
}

/* Of the block, or of more than it. */
static bool is_wide_barrier(const ls_ir_instr *instr) {
    const ls_ptx_barrier kind = instr->form->opcode->barrier;
    return kind != LS_BARRIER_NONE && kind != LS_BARRIER_WARP;
}

static bool reaches_barrier(const ls_ir_block *from, ls_bitset *seen) {
    if (ls_bitset_has(seen, from->id)) return false;
    ls_bitset_add(seen, from->id);
    for (uint32_t i = 0; i < from->instr_count; i++)
        if (is_wide_barrier(from->instrs[i])) return true;
    for (uint32_t s = 0; s < from->succ_count; s++)
        if (reaches_barrier(from->succs[s], seen)) return true;
    return false;
}

/* Whether the threads that are still there reach the block together: what it is control dependent on, and
 * so on. ends: those that go another way may, if that leads to no barrier. */
static bool is_met_by_all(const proof *p, const ls_ir_block *block, bool ends, ls_bitset *seen) {
    if (ls_bitset_has(seen, block->id)) return true;
    ls_bitset_add(seen, block->id);
    for (uint32_t i = 0; i < block->control_count; i++) {
        const ls_ir_control *c = &block->control[i];
        bool good = is_uniform(p, c->block);
        for (uint32_t s = 0; s < c->block->succ_count && !good && ends; s++) {
            ls_bitset way = ls_bitset_new(&p->k->arena, p->k->ir->block_count);
            good = s != c->succ && !reaches_barrier(c->block->succs[s], &way);
        }
        if (!good || !is_met_by_all(p, c->block, ends, seen)) return false;
    }
    return true;
}

static bool all_meet(const proof *p, const ls_ir_block *block, bool ends) {
    ls_bitset seen = ls_bitset_new(&p->k->arena, p->k->ir->block_count);
    return is_met_by_all(p, block, ends, &seen);
}

/* OpenCL's barriers may be for global memory alone. */
static bool orders_shared(const ls_ir_instr *call) {
    enum { SHARED = 1 };
    uint64_t bits;
    ls_ir_value *flags = ls_ir_argument_value(call, 0, 0);
    return flags && ls_ir_constant(flags, &bits) && bits & SHARED;
}

/* Reads of one place that may give threads of a block different values, although nothing races. */
static bool reads_signals(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *access = k->ir->accesses[i];
        if (access->kind != LS_ACCESS_WRITE && access->instr->dst_count &&
            (access->kind == LS_ACCESS_ATOMIC || ls_order_of(access->instr->form).strong))
            return true;
    }
    return false;
}

/* Barriers for all threads, which all meet. */
static bool barriers_hold(const proof *p) {
    const bool signals = reads_signals(p->k);
    for (uint32_t i = 0; i < p->k->ir->instr_count; i++) {
        const ls_ir_instr *instr = p->k->ir->instrs[i];
        if (ls_ir_builtin(instr) == LS_BUILTIN_BARRIER && !orders_shared(instr)) return false;
        if (!is_wide_barrier(instr)) continue;
        if (!is_barrier(instr) || instr->guard.kind != LS_IR_ABSENT || instr->src_count > 1 ||
            instr->dst_count || (signals && instr->block->control_count) || !all_meet(p, instr->block, true))
            return false;
    }
    return true;
}

static bool is_known_call(const ls_ir_instr *instr) {
    return instr->op != LS_OP_CALL || ls_ir_builtin(instr) == LS_BUILTIN_BARRIER;
}

/* Nothing but threads touches memory, and what they touch is in the list of accesses. */
static bool is_plain(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++) {
        const ls_ir_instr *instr = k->ir->instrs[i];
        const uint32_t effects = instr->form->opcode->effects;
        if (instr->unknown || !is_known_call(instr) || effects & LS_ASYNC ||
            instr->form->opcode->class == LS_CLASS_ASYNC || instr->form->opcode->mbarrier)
            return false;
    }
    return !k->asynchronous;
}

static void find_own(proof *p) {
    p->shared_own = barriers_hold(p);
    for (uint32_t i = 0; i < p->k->region_count; i++)
        p->shared_own &= !p->k->regions[i].writes_shared || p->k->regions[i].own;
}

/* --- Objects --- */
static bool stays(const proof *p, const ls_ir_access *access) {
    const access_info *info = &p->k->accesses[access->id];
    int64_t from, to;
    if (!info->certain || info->object == LS_IR_NONE) return false;
    const object *o = &p->k->objects[info->object];
    return o->size && dt_access_range(p->k, access, p->launch, &from, &to) && from >= 0 &&
           (uint64_t)to <= o->size;
}

/* What leaves the only object of shared memory is in none: that is not carried out. */
static bool is_alone(const proof *p, const access_info *info) {
    uint32_t shared = 0;
    bool named = !p->launch->shared_bytes; /* dynamic memory is there whether the kernel names it or not */
    for (uint32_t i = 0; i < p->k->object_count; i++) {
        shared += p->k->objects[i].is_shared;
        named |= p->k->objects[i].is_dynamic;
    }
    return shared == 1 && named && info->certain && info->object != LS_IR_NONE &&
           p->k->objects[info->object].is_shared && !info->in_global;
}

static void find_strays(proof *p) {
    for (uint32_t i = 0; i < p->k->ir->access_count; i++) {
        const ls_ir_access *access = p->k->ir->accesses[i];
        const access_info *info = &p->k->accesses[i];
        if (!(info->in_shared || info->in_global) || stays(p, access) || is_alone(p, info)) continue;
        const bool writes = access->kind != LS_ACCESS_READ;
        p->strays[0] |= info->in_global, p->strays[1] |= info->in_shared;
        p->write_strays[0] |= info->in_global && writes, p->write_strays[1] |= info->in_shared && writes;
    }
}

static bool is_undefined_at(const em_question *q, uint64_t address) {
    for (uint32_t i = 0; i < q->buffer_count; i++) {
        const em_buffer *b = &q->buffers[i];
        if (address >= b->address && address - b->address < b->size) return b->undefined;
    }
    return true;
}

/* Global memory of which some was never written: who reads it is looked at, and so who writes it. */
static bool is_undefined(const proof *p, const object *o) {
    uint64_t at;
    if (o->symbol) return false; /* variables have contents from the start */
    return !dt_pointer_value(p->k, o, p->launch, &at) || is_undefined_at(p->asked, at);
}

static bool is_apart(const proof *p, const ls_ir_access *access) {
    const access_info *info = &p->k->accesses[access->id];
    const object *o = &p->k->objects[info->object];
    if (access->kind == LS_ACCESS_ATOMIC || ls_order_of(access->instr->form).strong ||
        !(stays(p, access) || is_alone(p, info)))
        return false;
    if (o->is_shared ? !info->in_shared : !info->in_global || is_undefined(p, o)) return false;
    switch (o->state) {
    case OBJECT_READ_ONLY: return !p->write_strays[o->is_shared];
    case OBJECT_RACE_FREE: return !p->strays[o->is_shared];
    case OBJECT_TARGET: return o->is_shared && p->shared_own && !p->strays[1];
    default: return false;
    }
}

/* --- Contents of shared memory --- */
typedef struct {
    int64_t of, extent;
} digit;

/* The elements that an access touches in all threads together, exactly: digits in ascending order. */
static uint32_t digits_of(const proof *p, const ls_ir_access *access, digit *out, int64_t *constant) {
    decomposer d = dt_decomposer(p->k, p->launch, true);
    linear at;
    uint32_t count = 0;
    *constant = -1;
    if (!d.by_bits[0] || !d.by_bits[1] || !dt_access_offset(d, access, &at) || at.step) return 0;
    for (int i = 0; i < DIMENSIONS; i++) {
        if (!at.of[i] || d.extent[i] == 1) continue;
        if (at.of[i] < 0 || i <= BLOCK_Z) return 0;
        uint32_t n = count++;
        for (; n && out[n - 1].of > at.of[i]; n--) out[n] = out[n - 1];
        out[n] = (digit){at.of[i], d.extent[i]};
    }
    *constant = at.constant;
    return count;
}

/* All of the object, where every thread executes it. */
static bool fills(const digit *digits, uint32_t count, int64_t constant, int64_t bytes, uint64_t size) {
    int64_t reach = bytes;
    for (uint32_t i = 0; i < count && digits[i].of <= reach; i++)
        reach += digits[i].of * (digits[i].extent - 1);
    return !constant && (uint64_t)reach >= size;
}

static bool has_digits(const digit *all, uint32_t all_count, const digit *some, uint32_t count) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++, at++) {
        while (at < all_count && memcmp(&all[at], &some[i], sizeof *some) != 0) at++;
        if (at >= all_count) return false;
    }
    return true;
}

static bool is_before(const ls_ir_instr *a, const ls_ir_instr *b) {
    return a->block == b->block ? a->id < b->id : ls_ir_dominates(a->block, b->block);
}

/* What the write leaves has contents wherever the read looks. */
static bool is_written_by(const proof *p, const ls_ir_access *read, const ls_ir_access *write) {
    digit wrote[DIMENSIONS], reads[DIMENSIONS];
    int64_t constant, other;
    const object *o = &p->k->objects[p->k->accesses[read->id].object];
    const int64_t bytes = (int64_t)write->bytes * write->count;
    if (write->kind != LS_ACCESS_WRITE || write->instr->guard.kind != LS_IR_ABSENT ||
        !is_before(write->instr, read->instr) || !all_meet(p, write->instr->block, false))
        return false;
    const uint32_t count = digits_of(p, write, wrote, &constant);
    if (constant >= 0 && fills(wrote, count, constant, bytes, o->size)) return true;
    const uint32_t other_count = digits_of(p, read, reads, &other);
    return constant >= 0 && constant == other && (int64_t)read->bytes * read->count <= bytes &&
           has_digits(wrote, count, reads, other_count);
}

/* Every read of the object is of what was written, and all that touches it is spared: who is not would see
 * what those have left out. */
static bool is_initialized(const proof *p, uint32_t which) {
    const kernel *k = p->k;
    for (uint32_t o = 0; o < k->object_count; o++)
        if (o != which && k->objects[o].group == k->objects[which].group &&
            (k->objects[o].read || k->objects[o].written))
            return false; /* the same memory by another name */
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const uint16_t op = k->ir->accesses[i]->instr->op;
        if (k->accesses[i].object != which) continue;
        if ((op != LS_OP_LD && op != LS_OP_ST) || !is_apart(p, k->ir->accesses[i])) return false;
        bool written = k->ir->accesses[i]->kind == LS_ACCESS_WRITE || k->objects[which].defined;
        for (uint32_t n = 0; n < k->ir->access_count && !written; n++)
            written = k->accesses[n].object == which && k->accesses[n].certain &&
                      is_written_by(p, k->ir->accesses[i], k->ir->accesses[n]);
        if (!written) return false;
    }
    return true;
}

/* --- The answer --- */
static bool is_spared(const proof *p, const ls_ir_instr *instr, const bool *initialized) {
    if (!instr->access_count || !instr->ast) return false;
    for (uint32_t a = 0; a < instr->access_count; a++) {
        const ls_ir_access *access = &instr->accesses[a];
        const uint32_t o = p->k->accesses[access->id].object;
        if (o == LS_IR_NONE || !is_apart(p, access)) return false;
        if (p->asked->initialized && p->k->objects[o].is_shared && !initialized[o]) return false;
    }
    return true;
}

static void answer(proof *p, void (*spare)(void *context, const ls_ptx_instr *instr), void *context) {
    kernel *k = p->k;
    bool *initialized = LS_NEW_N(&k->arena, bool, k->object_count + 1);
    find_own(p);
    find_strays(p);
    for (uint32_t o = 0; o < k->object_count && p->asked->initialized; o++)
        initialized[o] = k->objects[o].is_shared && is_initialized(p, o);
    for (uint32_t i = 0; i < k->ir->instr_count; i++)
        if (is_spared(p, k->ir->instrs[i], initialized)) spare(context, k->ir->instrs[i]->ast);
}

/* --- Questions --- */
static ls_detect_launch launch_of(const em_question *q, ls_arena *arena) {
    const ls_emu_launch *l = q->launch;
    ls_detect_launch launch = {.kernel = l->kernel,
                               .shared_bytes = l->shared_bytes,
                               .params = l->params,
                               .params_size = l->params_size,
                               .buffer_count = q->buffer_count};
    memcpy(launch.grid, l->grid, sizeof launch.grid), memcpy(launch.block, l->block, sizeof launch.block);
    ls_detect_buffer *buffers = ls_arena_alloc(arena, (q->buffer_count + 1) * sizeof *buffers);
    for (uint32_t i = 0; i < q->buffer_count; i++)
        buffers[i] = (ls_detect_buffer){q->buffers[i].address, q->buffers[i].size, NULL};
    launch.buffers = buffers;
    return launch;
}

/* How the pointers lie (dt_describe_pointers), and whether all that they point to was written. */
static void describe_pointers(const em_question *q, const ls_buf *list, const ls_detect_launch *launch,
                              ls_buf *out) {
    dt_describe_pointers(list, launch, out);
    for (size_t i = 0; i + sizeof(uint32_t) <= list->length; i += sizeof(uint32_t)) {
        uint32_t place;
        uint64_t pointer;
        memcpy(&place, list->text + i, sizeof place);
        if (launch->params_size < sizeof pointer || place > launch->params_size - sizeof pointer) continue;
        memcpy(&pointer, (const char *)launch->params + place, sizeof pointer);
        ls_buf_putc(out, is_undefined_at(q, pointer) ? 'u' : 'd');
    }
}

static void note_ground(const proof *p, em_ground *ground) {
    const ls_detect_launch *l = p->launch;
    if (l->params_size) {
        ls_buf_add(&ground->params, l->params, l->params_size);
        ls_buf_add(&ground->consulted, (const char *)p->k->consulted, l->params_size);
    }
    dt_list_pointers(p->k, &ground->list);
    describe_pointers(p->asked, &ground->list, l, &ground->pointers);
}

/* An answer without ground, of a kernel that cannot be looked at, is the same for all parameters. */
static bool holds(const em_ground *ground, const em_question *q) {
    LS_SCRATCH(scratch);
    const char *params = q->launch->params;
    if (q->launch->local_count || ground->params.length != ground->consulted.length) return false;
    if (ground->params.length != q->launch->params_size)
        return !ground->params.length && !ground->list.length;
    for (size_t i = 0; i < ground->params.length; i++)
        if (ground->consulted.text[i] && ground->params.text[i] != params[i]) return false;
    const ls_detect_launch launch = launch_of(q, &scratch);
    ls_buf pointers = {0};
    describe_pointers(q, &ground->list, &launch, &pointers);
    const bool same = pointers.length == ground->pointers.length &&
                      (!pointers.length || !memcmp(pointers.text, ground->pointers.text, pointers.length));
    ls_buf_free(&pointers);
    return same;
}

static void prove(const em_question *q, void (*spare)(void *context, const ls_ptx_instr *instr),
                  void *context, em_ground *ground) {
    LS_SCRATCH(scratch);
    if (q->launch->local_count) return;
    const ls_detect_launch launch = launch_of(q, &scratch);
    ls_diags *diags = ls_diags_new();
    proof p = {.asked = q, .launch = &launch, .k = dt_kernel_of(q->module, &launch, q->initialized, diags)};
    if (p.k && is_plain(p.k)) {
        ls_analyze_options how = {.shapes_only = true};
        memcpy(how.block, launch.block, sizeof how.block), memcpy(how.grid, launch.grid, sizeof how.grid);
        p.shapes = ls_analyze(p.k->ir, &how);
        if (p.shapes) answer(&p, spare, context);
        ls_analysis_free(p.shapes);
    }
    if (p.k) note_ground(&p, ground);
    if (p.k) dt_kernel_free(p.k);
    ls_diags_free(diags);
}

const ls_emu_prover *ls_detect_prover(void) {
    static const ls_emu_prover prover = {.prove = prove, .holds = holds};
    return &prover;
}
#else
const ls_emu_prover *ls_detect_prover(void) {
    return NULL;
}
#endif
