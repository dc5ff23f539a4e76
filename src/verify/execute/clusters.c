/* Clusters of blocks: where the kernel says how large they are (.reqnctapercluster), what its special
 * registers tell of them follows from the block's index. Where the launch says it, they are any numbers that
 * the threads of a block agree on. And their shared memory, where other blocks access it by mapa and all is
 * ordered by barriers of the cluster alone. */
#include "verify/execute/clusters.h"
#include "verify/execute/cluster_halves.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/execute/nodes.h"
#include "verify/execute/symbols.h"
#include "verify/query/query.h"

enum { MOST_RANKS = 16, DISTANCE = 24 /* bits; more than a block has of shared memory */ };

typedef struct { /* mapa, as the whole execution reaches it */
    const ls_ir_instr *instr;
    const ls_term *rank, *when;
} mapping;

typedef struct {
    LS_VEC(mapping) mapped;
    ls_intmap distances; /* the symbols that stand for the way to another block */
} remote_part;

static void free_remote(void *part) {
    LS_VEC_FREE(&((remote_part *)part)->mapped);
    ls_intmap_free(&((remote_part *)part)->distances);
}

static const ls_part REMOTE = {sizeof(remote_part), free_remote};

void ls_cluster_axes(ls_proof *p) {
    uint32_t size[3];
    if (!ls_ptx_cluster_of(p->f->ptx, size)) return;
    for (int k = 0; k < 3; k++) p->used_axis[1][k] |= size[k] > 1;
}

/* Nothing but plain accesses and barriers. */
bool ls_is_remote(const ls_proof *p) {
    uint32_t size[3];
    bool remote = false;
    if (!ls_ptx_cluster_of(p->f->ptx, size) || (uint64_t)size[0] * size[1] * size[2] > MOST_RANKS)
        return false;
    for (uint32_t k = 0; k < p->f->instr_count; k++) {
        const ls_ir_instr *i = p->f->instrs[k];
        remote |= i->op == LS_OP_MAPA;
        if (i->form->opcode->effects & LS_ASYNC) return false;
    }
    return remote;
}

void ls_cluster_launch(ls_proof *p) {
    ls_terms *t = &p->terms;
    const uint32_t *grid = p->options->grid;
    uint32_t size[3];
    if (ls_ptx_tune_of(p->f->ptx, LS_TUNE_BLOCKSARECLUSTERS))
        ls_unknown(p, NULL, NULL, "grids of clusters (__block_size__, .blocksareclusters) are not modelled");
    if (!ls_ptx_cluster_of(p->f->ptx, size)) return;
    for (int k = 0; k < 3; k++) {
        if (grid[0] && grid[k] % size[k])
            ls_mistake(p, p->f->instr_count ? p->f->instrs[0]->pos : NULL,
                       "a grid of %u × %u × %u blocks cannot be divided into the kernel's clusters of "
                       "%u × %u × %u",
                       grid[0], grid[1], grid[2], size[0], size[1], size[2]);
        const ls_term *rest = ls_binary(t, LS_T_UREM, p->nctaid[k], ls_const(t, 32, size[k]));
        if (size[k] > 1) p->launch = ls_and(t, p->launch, ls_eq(t, rest, ls_const(t, 32, 0)));
    }
}

const ls_term *ls_cluster_register(ls_proof *p, uint32_t sreg, int axis) {
    ls_terms *t = &p->terms;
    uint32_t size[3];
    if (!ls_ptx_cluster_of(p->f->ptx, size)) return NULL;
    const ls_term *in[3], *blocks = axis >= 0 ? ls_const(t, 32, size[axis]) : NULL;
    for (int k = 0; k < 3; k++) in[k] = ls_binary(t, LS_T_UREM, p->ctaid[k], ls_const(t, 32, size[k]));
    switch (sreg) {
    case LS_SREG_IS_EXPLICIT_CLUSTER: return ls_const(t, 32, 1);
    case LS_SREG_CLUSTER_NCTAID: return axis >= 0 ? blocks : ls_const(t, 32, 0);
    case LS_SREG_CLUSTER_CTAID: return axis >= 0 ? in[axis] : ls_const(t, 32, 0);
    case LS_SREG_CLUSTERID:
        return axis >= 0 ? ls_binary(t, LS_T_UDIV, p->ctaid[axis], blocks) : ls_const(t, 32, 0);
    case LS_SREG_NCLUSTERID:
        return axis >= 0 ? ls_binary(t, LS_T_UDIV, p->nctaid[axis], blocks) : ls_const(t, 32, 0);
    case LS_SREG_CLUSTER_NCTARANK: return ls_const(t, 32, (uint64_t)size[0] * size[1] * size[2]);
    case LS_SREG_CLUSTER_CTARANK: {
        const ls_term *above = ls_add(t, in[1], ls_mul(t, ls_const(t, 32, size[1]), in[2]));
        return ls_add(t, in[0], ls_mul(t, ls_const(t, 32, size[0]), above));
    }
    default: return NULL;
    }
}

/* --- Shared memory of other blocks --- */

static const ls_term *own_rank(ls_proof *p) {
    return ls_cluster_register(p, LS_SREG_CLUSTER_CTARANK, -1);
}

const ls_term *ls_remote_address(ls_state *s, const ls_ir_instr *mapa, uint32_t width) {
    ls_proof *p = s->proof;
    ls_terms *t = &p->terms;
    bool known = mapa->src_count == 2;
    for (uint32_t k = 0; k < 2 && known; k++) known = mapa->src[k].value || mapa->src[k].kind == LS_IR_IMM;
    if (!known) return NULL;
    remote_part *all = ls_part_of(p, &REMOTE);
    const ls_term *address = ls_resize(t, ls_operand_of(s, &mapa->src[0]), width, false);
    const ls_term *rank = ls_resize(t, ls_operand_of(s, &mapa->src[1]), 32, false);
    const ls_term *way = ls_fresh(s, "mapa", width, LS_SYM_INPUT);
    if (p->remote) {
        const ls_term *to = ls_resize(t, rank, width, false), *from = ls_resize(t, own_rank(p), width, false);
        ls_add_fact(p, way, ls_eq(t, way, ls_scale(t, ls_sub(t, to, from), UINT64_C(1) << DISTANCE)));
    }
    bool is_new;
    ls_sym_of(t, way)->key = mapa; /* nothing that the launch is given */
    *ls_intmap_at(&all->distances, way->value, &is_new) = 1;
    mapping m = {mapa, rank, s->path ? s->path : ls_true(t)};
    if (s == p->whole) LS_VEC_PUSH(&all->mapped, m);
    return ls_add(t, address, way);
}

static const ls_term *no_way(ls_subst *subst, const ls_term *symbol) {
    const remote_part *all = subst->data;
    uint64_t ignored;
    bool way = ls_intmap_get(&all->distances, symbol->value, &ignored);
    return way ? ls_const(subst->ctx, symbol->width, 0) : symbol;
}

const ls_term *ls_address_here(ls_proof *p, const ls_term *address) {
    remote_part *all = ls_part_of(p, &REMOTE);
    if (!all->distances.count) return address;
    ls_subst subst = {.ctx = &p->terms, .replace = no_way, .data = all};
    const ls_term *here = ls_substitute(&subst, address);
    ls_subst_free(&subst);
    return here;
}

const ls_term *ls_address_in_cluster(ls_proof *p, const ls_term *address) {
    ls_terms *t = &p->terms;
    const ls_term *start = ls_scale(t, own_rank(p), UINT64_C(1) << DISTANCE);
    return ls_resize(t, ls_add(t, ls_resize(t, address, 32, false), start), address->width, false);
}

/* What is made of indices, sizes and the addresses of objects alone is in the thread's own block. */
static bool may_be_remote(ls_proof *p, const ls_event *e) {
    const remote_part *all = ls_part_of(p, &REMOTE);
    ls_term_list leaves = {0};
    bool remote = false;
    uint64_t ignored;
    ls_leaves(&e->address, 1, &leaves);
    for (uint32_t i = 0; i < leaves.length; i++) {
        const ls_term *leaf = leaves.items[i];
        if (leaf->op != LS_T_SYM) continue;
        uint8_t kind = (uint8_t)ls_sym_of(&p->terms, leaf)->kind;
        remote |= ls_intmap_get(&all->distances, leaf->value, &ignored) ||
                  (kind != LS_SYM_INPUT && kind != LS_SYM_COUNT);
    }
    LS_VEC_FREE(&leaves);
    return remote;
}

static bool is_shared(const ls_event *e) {
    bool shared = e->access->space == LS_SPACE_SHARED || e->access->space == LS_SPACE_SHARED_CLUSTER;
    for (uint32_t k = 0; k < e->access->base_count; k++)
        shared |= e->access->bases[k]->space == LS_SPACE_SHARED ||
                  e->access->bases[k]->space == LS_SPACE_SHARED_CLUSTER;
    return shared;
}

/* A barrier of the cluster that all threads reach, whatever they do. */
static bool is_for_everybody(const ls_proof *p, const ls_node *n) {
    const bool all_ways = n->block == p->f->entry || ls_ir_postdominates(n->block, p->f->entry);
    return (n->orders & LS_ORDERS_CLUSTER) && p->whole->reach[n->id] &&
           (all_ways || ls_is_true(p->whole->reach[n->id]));
}

/* By node: whether there is a way to it that crosses no such barrier; and, behind the last one, to the end.
 */
static bool *find_ways(ls_proof *p, const ls_node *from) {
    bool *seen = LS_NEW_N(&p->arena, bool, p->node_count + 1);
    LS_VEC(uint32_t) work = {0};
    LS_VEC_PUSH(&work, from->id);
    while (work.length) {
        uint32_t at = work.items[--work.length];
        const ls_node *n = p->nodes[at];
        if (seen[at]) continue;
        seen[at] = true;
        if (n->barrier && is_for_everybody(p, n)) continue;
        if (n->barrier) LS_VEC_PUSH(&work, at + 1);
        for (uint32_t k = 0; k < n->block->succ_count && !n->barrier; k++)
            LS_VEC_PUSH(&work, p->first_node[n->block->succs[k]->id]);
        if (!n->barrier && !n->block->succ_count) seen[p->node_count] = true;
    }
    LS_VEC_FREE(&work);
    return seen;
}

static void check_rank(ls_proof *p, const mapping *m) {
    ls_terms *t = &p->terms;
    uint32_t size[3];
    ls_ptx_cluster_of(p->f->ptx, size);
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p});
    ls_query_add(&q, 1, m->when, m->rank);
    ls_query_launch(&q);
    const ls_term *count = ls_const(t, 32, (uint64_t)size[0] * size[1] * size[2]);
    ls_query_claim(&q, ls_not(t, ls_ult(t, ls_query_term(&q, 1, m->rank), count)));
    if (ls_query_solve(&q) != LS_UNSAT)
        ls_unknown(p, m->instr->pos, NULL, "no proof that this is the rank of a block of the cluster");
    ls_query_end(&q);
}

void ls_check_remote(ls_proof *p) {
    if (!p->remote) return;
    static const char *const DOUBT[] = {"has begun", "has not ended"};
    const remote_part *all = ls_part_of(p, &REMOTE);
    for (uint32_t i = 0; i < all->mapped.length; i++) check_rank(p, &all->mapped.items[i]);
    const bool *unstarted = find_ways(p, p->nodes[0]);
    for (uint32_t i = 0; i < p->whole_events.length; i++) {
        const ls_event *e = &p->whole_events.items[i];
        if (!is_shared(e) || !may_be_remote(p, e)) continue;
        bool early = unstarted[e->node->id], late = find_ways(p, e->node)[p->node_count];
        late |= ls_is_between_halves(p, e->access->instr); /* of others, who may have passed the second */
        if (early || late)
            ls_unknown(p, e->access->instr->pos, NULL,
                       "no proof that the other block of the cluster %s where its shared memory is accessed",
                       DOUBT[!early]);
    }
}

bool ls_has_cluster_barrier(const ls_proof *p) {
    for (uint32_t n = 0; n < p->node_count; n++)
        if (p->nodes[n]->orders & LS_ORDERS_CLUSTER) return true;
    return false;
}
