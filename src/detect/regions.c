/* Barrier intervals, the paper's AP code regions (002, Definition 1), on the control-flow graph: from the
 * kernel's start or a barrier forward to the next barriers or the end. Barriers in loops and under conditions
 * need no unrolling: a region is known by where it starts. For each region: its instructions, the registers
 * that have to be restored before it is run a second time (live at its start and written in it), and whether
 * it may be run twice at all. */
#include "base/vec.h"
#include "detect/linear.h"

#include <stdio.h>

bool dt_atomic_without_result(const ls_ir_instr *instr) {
    if (instr->form->opcode->class != LS_CLASS_ATOMIC) return false;
    for (uint32_t i = 0; i < instr->dst_count; i++)
        if (instr->dst[i].kind == LS_IR_REG && instr->dst[i].value && instr->dst[i].value->use_count)
            return false;
    return true;
}

/* --- Liveness of registers -------------------------------------------------------------------------------
 */

static void step_back(ls_bitset *live, const ls_ir_instr *instr) {
    bool guarded = instr->guard.kind == LS_IR_REG;
    for (uint32_t i = 0; i < instr->dst_count && !guarded; i++)
        if (instr->dst[i].kind == LS_IR_REG) ls_bitset_remove(live, instr->dst[i].reg);
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (instr->src[i].kind == LS_IR_REG) ls_bitset_add(live, instr->src[i].reg);
    if (guarded) ls_bitset_add(live, instr->guard.reg);
}

/* Live registers at the start of every block. */
static ls_bitset *find_live(kernel *k, ls_arena *arena) {
    const ls_ir_function *f = k->ir;
    ls_bitset *live = LS_NEW_N(arena, ls_bitset, f->block_count);
    ls_bitset now = ls_bitset_new(arena, f->register_count);
    for (uint32_t b = 0; b < f->block_count; b++) live[b] = ls_bitset_new(arena, f->register_count);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = f->block_count; b-- > 0;) {
            const ls_ir_block *block = f->blocks[b];
            memset(now.words, 0, sizeof *now.words * ls_bitset_words(now.bits));
            for (uint32_t s = 0; s < block->succ_count; s++)
                ls_bitset_union(&now, &live[block->succs[s]->id]);
            for (uint32_t i = block->instr_count; i-- > 0;) step_back(&now, block->instrs[i]);
            changed |= ls_bitset_union(&live[b], &now);
        }
    }
    return live;
}

static void find_live_at(kernel *k, region *r, const ls_bitset *live) {
    r->live = ls_bitset_new(&k->arena, k->ir->register_count);
    for (uint32_t s = 0; s < r->block->succ_count; s++)
        ls_bitset_union(&r->live, &live[r->block->succs[s]->id]);
    for (uint32_t i = r->block->instr_count; i-- > r->first;) step_back(&r->live, r->block->instrs[i]);
}

/* --- Extent ----------------------------------------------------------------------------------------------
 */

/* Adds the instructions of a block from `first` on; false where a barrier ends the region in it. */
static bool walk_block(region *r, const ls_ir_block *block, uint32_t first) {
    for (uint32_t i = first; i < block->instr_count; i++) {
        const ls_ir_instr *instr = block->instrs[i];
        ls_bitset_add(&r->instrs, instr->id);
        if (is_barrier(instr) && instr->guard.kind == LS_IR_ABSENT) return false;
    }
    return true;
}

/* Branches that this launch always takes the same way lead nowhere else. */
static void find_reachable(kernel *k, const ls_detect_launch *launch) {
    LS_VEC(const ls_ir_block *) work = {0};
    k->reachable = ls_bitset_new(&k->arena, k->ir->block_count);
    ls_bitset_add(&k->reachable, k->ir->entry->id);
    LS_VEC_PUSH(&work, k->ir->entry);
    while (work.length) {
        const ls_ir_block *block = work.items[--work.length];
        bool negated;
        ls_ir_value *p = block->succ_count == 2 ? ls_ir_branch_predicate(block, &negated) : NULL;
        int holds = p ? dt_truth(dt_decomposer(k, launch, false), p) : -1;
        for (uint32_t s = 0; s < block->succ_count; s++) {
            const ls_ir_block *to = block->succs[s];
            if (holds >= 0 && (s == 0) != ((holds != 0) != negated)) continue;
            if (ls_bitset_has(&k->reachable, to->id)) continue;
            ls_bitset_add(&k->reachable, to->id);
            LS_VEC_PUSH(&work, to);
        }
    }
    LS_VEC_FREE(&work);
}

static void find_extent(kernel *k, region *r) {
    LS_VEC(const ls_ir_block *) work = {0};
    ls_bitset seen = ls_bitset_new(&k->arena, k->ir->block_count);
    r->instrs = ls_bitset_new(&k->arena, k->ir->instr_count);
#define FOLLOW(block)                                                                                        \
    for (uint32_t s = 0; s < (block)->succ_count; s++)                                                       \
        if (!ls_bitset_has(&seen, (block)->succs[s]->id) &&                                                  \
            ls_bitset_has(&k->reachable, (block)->succs[s]->id)) {                                           \
            ls_bitset_add(&seen, (block)->succs[s]->id);                                                     \
            LS_VEC_PUSH(&work, (block)->succs[s]);                                                           \
        }
    if (ls_bitset_has(&k->reachable, r->block->id) && walk_block(r, r->block, r->first)) FOLLOW(r->block);
    while (work.length) {
        const ls_ir_block *block = work.items[--work.length];
        if (walk_block(r, block, 0)) FOLLOW(block);
    }
#undef FOLLOW
    LS_VEC_FREE(&work);
}

static void find_restored(kernel *k, region *r, const ls_bitset *live) {
    find_live_at(k, r, live);
    r->written = ls_bitset_new(&k->arena, k->ir->register_count);
    r->restored = ls_bitset_new(&k->arena, k->ir->register_count);
    for (uint32_t i = 0; i < k->ir->instr_count; i++) {
        if (!ls_bitset_has(&r->instrs, i)) continue;
        const ls_ir_instr *instr = k->ir->instrs[i];
        for (uint32_t d = 0; d < instr->dst_count; d++) {
            if (instr->dst[d].kind != LS_IR_REG) continue;
            ls_bitset_add(&r->written, instr->dst[d].reg);
            if (ls_bitset_has(&r->live, instr->dst[d].reg)) ls_bitset_add(&r->restored, instr->dst[d].reg);
        }
    }
}

/* --- May it be run twice? --------------------------------------------------------------------------------
 */

static void set_once(const char **once, const ls_place **pos, const ls_ir_instr *instr, const char *why) {
    if (*once) return;
    *once = why;
    *pos = instr->pos;
}

static bool reads_changing_register(const ls_ir_instr *instr) {
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (instr->src[i].kind == LS_IR_SREG &&
            ls_ptx_sreg_of((ls_ptx_sreg)instr->src[i].sreg)->varies == LS_PER_READ)
            return true;
    return false;
}

static bool function_is_pure(const ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_BLOCK && !function_is_pure(stmt->block)) return false;
        if (stmt->kind != LS_STMT_INSTR) continue;
        const ls_ptx_form *form = stmt->instr->form;
        ls_ptx_space space = ls_ptx_form_space(form);
        bool private = space == LS_SPACE_LOCAL || space == LS_SPACE_PARAM || space == LS_SPACE_CONST;
        if (form->op == LS_OP_UNKNOWN || (form->opcode->effects & (LS_CALLS | LS_BARRIER | LS_EFFECT)))
            return false;
        if ((form->opcode->effects & (LS_READS_MEMORY | LS_WRITES_MEMORY)) && !private) return false;
    }
    return true;
}

/* A call that touches nothing but its arguments, as the slow paths of mathematical functions. */
static bool call_is_pure(const ls_ir_instr *instr) {
    const ls_ir_call *call = instr->call;
    if (!call || !call->callee) return false;
    if (call->builtin == LS_BUILTIN_ASSERTFAIL) return true;
    const ls_ptx_function *f = call->callee->definition ? call->callee->definition : call->callee;
    return f->body && function_is_pure(f->body);
}

static bool call_is_system(const ls_ir_instr *instr) {
    return ls_ptx_builtin_traits(ls_ir_builtin(instr)) & LS_TRAIT_SYSTEM;
}

/* Why an instruction by itself cannot be run twice with the same outcome; NULL where it can. */
static const char *why_once(const ls_ir_instr *instr) {
    uint32_t effects = instr->form->opcode->effects;
    ls_ptx_class class = instr->form->opcode->class;
    if (instr->unknown) return "an instruction that is not known";
    if (instr->op == LS_OP_CALL) return call_is_pure(instr) ? NULL : "a call with side effects";
    if (reads_changing_register(instr)) return "a clock";
    if (instr->form->opcode->repeatable) return NULL;
    if (instr->form->opcode->warp_group) return "asynchronous matrix operations (wgmma)";
    if (class == LS_CLASS_ASYNC || (effects & LS_ASYNC)) return "an asynchronous copy";
    if (class == LS_CLASS_SURFACE && (effects & LS_WRITES_MEMORY)) return "a surface store";
    if (instr->form->opcode->mbarrier) return "an mbarrier";
    if ((effects & LS_ATOMIC) && !dt_atomic_without_result(instr))
        return "an atomic operation whose result is used";
    if (effects & LS_EFFECT) return "an instruction with side effects";
    return NULL;
}

bool dt_is_asynchronous(const ls_ir_instr *instr) {
    const char *why = why_once(instr);
    return why && (strstr(why, "asynchronous") || strstr(why, "mbarrier"));
}

void dt_find_asynchronous(kernel *k) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++) {
        const ls_ir_instr *instr = k->ir->instrs[i];
        bool is = dt_is_asynchronous(instr), cluster = is_cluster_barrier(instr);
        if (cluster && !k->cluster_barrier) k->cluster_barrier = instr->pos;
        k->asynchronous |= is;
        k->unordered |= cluster || (is && !instr->form->opcode->warp_group);
    }
}

static bool is_flag_access(const ls_ir_access *access, const access_info *info) {
    return info->in_global && access->kind == LS_ACCESS_READ &&
           (access->is_volatile || access->semantics == LS_MOD_ACQUIRE ||
            access->semantics == LS_MOD_RELAXED);
}

/* Objects that are touched by atomics and read in the same region: what is read depends on the order. */
static void check_atomic_objects(const kernel *k, region *r) {
    for (uint32_t o = 0; o < k->object_count && !r->once; o++) {
        if (k->objects[o].state != OBJECT_ATOMIC || k->objects[o].group != o) continue;
        const ls_ir_instr *read = NULL;
        bool changed = false;
        for (uint32_t i = 0; i < k->ir->access_count; i++) {
            const ls_ir_access *access = k->ir->accesses[i];
            const access_info *info = &k->accesses[i];
            if (!ls_bitset_has(&r->instrs, access->instr->id) || (!info->in_shared && !info->in_global))
                continue;
            if (info->object != LS_IR_NONE && k->objects[info->object].group != o) continue;
            if (access->kind == LS_ACCESS_READ)
                read = access->instr;
            else
                changed = true;
        }
        bool elsewhere = !k->objects[o].is_shared; /* other blocks change it at any time */
        if (read && (changed || elsewhere))
            set_once(&r->once, &r->once_pos, read,
                     "a read of memory that atomic operations change at the same time");
    }
}

static void find_effects(kernel *k, region *r) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++) {
        if (!ls_bitset_has(&r->instrs, i)) continue;
        const ls_ir_instr *instr = k->ir->instrs[i];
        const char *why = why_once(instr);
        if (why) set_once(&r->once, &r->once_pos, instr, why);
        for (uint32_t a = 0; a < instr->access_count; a++) {
            const ls_ir_access *access = &instr->accesses[a];
            const access_info *info = &k->accesses[access->id];
            if (is_flag_access(access, info))
                set_once(&r->once, &r->once_pos, instr, "a volatile or synchronising read of global memory");
            if (access->kind == LS_ACCESS_READ) continue;
            bool local = access->space == LS_SPACE_LOCAL || access->space == LS_SPACE_GENERIC;
            r->writes_local |= local && k->local_bytes;
            r->writes_shared |= dt_access_may_target(k, access, true);
        }
    }
    check_atomic_objects(k, r);
}

/* Whether threads may leave the kernel in a region from which others go on to a barrier. */
static bool may_part(const kernel *k, const region *r) {
    bool leaves = false, stays = false;
    for (uint32_t i = 0; i < k->ir->instr_count; i++) {
        if (!ls_bitset_has(&r->instrs, i)) continue;
        leaves |= is_exit(k->ir->instrs[i]);
        stays |= is_barrier(k->ir->instrs[i]);
    }
    return leaves && stays;
}

/* --- All of it -------------------------------------------------------------------------------------------
 */

static void unsupported(kernel *k, const ls_ir_instr *instr, const char *why) {
    if (!k->unsupported) k->unsupported = why, k->unsupported_pos = instr->pos;
}

static bool has_thread_count(const ls_ir_instr *instr) {
    bool reduction = instr->dst_count > 0;
    return instr->src_count > (reduction ? 2u : 1u);
}

static void check_support(kernel *k, const ls_ir_instr *instr) {
    ls_ptx_class class = instr->form->opcode->class;
    if (is_barrier(instr)) {
        if (has_thread_count(instr)) unsupported(k, instr, "a barrier of only some threads of the block");
        k->has_reduction_barrier |= instr->dst_count > 0;
    } else if (instr->form->opcode->effects & LS_BARRIER) {
        unsupported(k, instr, "a barrier of which a thread arrives and waits separately");
    } else if (instr->op == LS_OP_CALL && !call_is_pure(instr) && !call_is_system(instr)) {
        unsupported(k, instr, "a call of a function that accesses memory and was not inlined");
        k->call_pos = instr->pos;
    }
    if (class == LS_CLASS_MATRIX || class == LS_CLASS_ASYNC)
        for (uint32_t i = 0; i < instr->access_count; i++)
            k->needs_shared_copies |= k->accesses[instr->accesses[i].id].in_shared;
}

static void list_regions(kernel *k) {
    LS_VEC(region) list = {0};
    LS_VEC_PUSH(&list, ((region){.block = k->ir->entry}));
    k->region_of_barrier = LS_NEW_N(&k->arena, uint32_t, k->ir->instr_count + 1);
    for (uint32_t b = 0; b < k->ir->block_count; b++) {
        ls_ir_block *block = k->ir->blocks[b];
        for (uint32_t i = 0; i < block->instr_count; i++) {
            ls_ir_instr *instr = block->instrs[i];
            k->region_of_barrier[instr->id] = LS_IR_NONE;
            check_support(k, instr);
            if (!is_barrier(instr)) continue;
            k->region_of_barrier[instr->id] = list.length;
            LS_VEC_PUSH(&list, ((region){.barrier = instr, .block = block, .first = i + 1}));
        }
    }
    k->region_count = list.length;
    k->regions = LS_NEW_N(&k->arena, region, list.length);
    memcpy(k->regions, list.items, sizeof *list.items * list.length);
    LS_VEC_FREE(&list);
}

/* Whether the region may read shared memory that it writes: else warps can only meet in writing. */
static bool may_read_what_it_writes(const kernel *k, const region *r) {
    ls_bitset read = {0}, written = {0};
    ls_arena scratch;
    ls_arena_init(&scratch);
    read = ls_bitset_new(&scratch, k->object_count + 1),
    written = ls_bitset_new(&scratch, k->object_count + 1);
    bool any_read = false, any_written = false, meet = false;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const ls_ir_access *a = k->ir->accesses[i];
        const access_info *info = &k->accesses[i];
        if (!info->in_shared || !ls_bitset_has(&r->instrs, a->instr->id)) continue;
        bool reads = a->kind != LS_ACCESS_WRITE, writes = a->kind != LS_ACCESS_READ;
        bool known = info->object != LS_IR_NONE;
        if (known && reads) ls_bitset_add(&read, k->objects[info->object].group);
        if (known && writes) ls_bitset_add(&written, k->objects[info->object].group);
        any_read |= reads, any_written |= writes;
        meet |= !known;
    }
    meet = meet && any_read && any_written;
    for (uint32_t o = ls_bitset_next(&read, 0); o < read.bits && !meet; o = ls_bitset_next(&read, o + 1))
        meet = ls_bitset_has(&written, o);
    ls_arena_free(&scratch);
    return meet;
}

void dt_find_regions(kernel *k, const ls_detect_launch *launch, const ls_detect_options *options) {
    ls_arena scratch;
    ls_arena_init(&scratch);
    for (uint32_t i = 0; i < k->ir->object_count; i++)
        if (k->ir->objects[i]->kind == LS_OBJECT_LOCAL) k->local_bytes += k->ir->objects[i]->size;
    list_regions(k);
    find_reachable(k, launch);
    ls_bitset *live = find_live(k, &scratch);
    for (uint32_t i = 0; i < k->region_count; i++) {
        find_extent(k, &k->regions[i]);
        find_restored(k, &k->regions[i], live);
        find_effects(k, &k->regions[i]);
        if (k->regions[i].once && !k->once) {
            k->once = k->regions[i].once;
            k->once_pos = k->regions[i].once_pos;
        }
    }
    dt_find_flights(k);
    for (uint32_t i = 0; i < k->region_count; i++) {
        region *r = &k->regions[i];
        k->exits_early |= may_part(k, r);
        r->writes_shared |= r->under_way;
        /* barriers of some threads do not part the accesses of the others */
        r->own = r->writes_shared && !options->all && !k->asynchronous && !k->unsupported &&
                 dt_region_is_own(k, r, launch, true);
    }
    ls_arena_free(&scratch);
}

void dt_find_checked(kernel *k, const ls_detect_launch *launch) {
    bool alone = launch->block[0] * launch->block[1] * launch->block[2] <= 32; /* one warp has no others */
    for (uint32_t i = 0; i < k->region_count; i++) {
        region *r = &k->regions[i];
        r->checked = r->writes_shared && !r->own && !r->once && k->segment && !alone;
        r->twice = r->checked && may_read_what_it_writes(k, r);
    }
}
