/* Copies by tensor map. How large the map's box is stands in the map, which the kernel does not show; but
 * where it is right, the boxes that count at a phase are as many bytes as are expected there. So it is
 * assumed, and said, that a box is
 *  - what is expected at the phase, where it is the only one there whose size is open;
 *  - an equal part of that, where all of them are of the same map;
 *  - as long as the way from one stage of its ring to the next, where these are together what is expected.
 * Boxes of one map are all as large. What lies behind maps is taken for memory that nothing else writes.
 *
 * A copy out of shared memory reads a box that nothing mentions: it is taken to end at the latest where the
 * variable does, or the next mbarrier in it begins. It writes what its coordinates name; that these are never
 * the same twice is proved, and that boxes at different ones do not overlap is assumed, and said. */
#include "verify/check/boxes.h"
#include "verify/check/races.h"
#include "verify/check/ticket_numbers.h"
#include "verify/execute/lower.h"
#include "verify/execute/roots.h"

#include <string.h>

enum { PIECE = 16 };

static bool has_text(const ls_ir_instr *i, const char *part) {
    return strstr(i->form->text, part) != NULL;
}

bool ls_is_tensor_load(const ls_ir_instr *i) {
    return i->op == LS_OP_CP_ASYNC_BULK_TENSOR && !has_text(i, ".bulk_group");
}

bool ls_is_tensor_store(const ls_ir_instr *i) {
    return i->form->opcode->tensor == LS_TENSOR_MAP && has_text(i, ".bulk_group");
}

static const ls_ir_operand *operand_of(const ls_ir_instr *i, uint32_t n) {
    for (uint32_t k = 0; k < i->src_count; k++)
        if (i->src[k].operand == n && !i->src[k].part) return &i->src[k];
    return NULL;
}

static const ls_term *address_of(ls_proof *p, const ls_ir_operand *o) {
    const ls_term *a = ls_operand_of(p->whole, o);
    return ls_add(&p->terms, a, ls_const(&p->terms, a->width, (uint64_t)o->offset));
}

/* Maps are the launch's: the kernel changes none. */
static bool changes_maps(const ls_ir_function *f) {
    for (uint32_t i = 0; i < f->instr_count; i++)
        if (f->instrs[i]->op == LS_OP_TENSORMAP_REPLACE || f->instrs[i]->op == LS_OP_TENSORMAP_CP_FENCEPROXY)
            return true;
    return false;
}

static const ls_ir_base *base_at(const ls_ir_instr *i, const ls_ir_operand *o) {
    for (uint32_t k = 0; k < i->access_count; k++)
        if (&i->src[i->accesses[k].src] == o && i->accesses[k].base_count == 1 && !i->accesses[k].other_bases)
            return i->accesses[k].bases[0];
    return NULL;
}

bool ls_read_tensor_store(ls_protocol *x, ls_site *s) {
    const ls_ir_instr *i = s->instr;
    const ls_ir_operand *map = operand_of(i, 0), *from = operand_of(i, 1);
    if (!map || !from || has_text(i, ".im2col") || has_text(i, ".tile::"))
        return ls_not_known(x, i, "a tensor copy of this kind is not modelled");
    if (changes_maps(x->p->f))
        return ls_not_known(x, i, "tensor maps that the kernel changes are not modelled");
    s->address = address_of(x->p, from);
    s->map = address_of(x->p, map);
    s->base = base_at(i, from);
    return s->base || ls_not_known(x, i, "it is not known what memory is copied here");
}

bool ls_read_tensor_load(ls_protocol *x, ls_site *s) {
    const ls_ir_instr *i = s->instr;
    const ls_ir_operand *to = operand_of(i, 0), *map = operand_of(i, 1), *mbarrier = operand_of(i, 2);
    if (!to || !map || !mbarrier || has_text(i, ".multicast") || has_text(i, ".cta_group"))
        return ls_not_known(x, i, "a tensor copy of this kind is not modelled");
    if (changes_maps(x->p->f))
        return ls_not_known(x, i, "tensor maps that the kernel changes are not modelled");
    s->address = address_of(x->p, to);
    s->mbarrier = address_of(x->p, mbarrier);
    s->map = address_of(x->p, map);
    s->writes = true;
    s->base = base_at(i, to);
    return s->base || ls_not_known(x, i, "it is not known what memory is copied here");
}

/* --- Sizes -----------------------------------------------------------------------------------------------
 */

enum { MOST_COPIES = 32 };

typedef struct {
    ls_site *open[MOST_COPIES];
    uint32_t count;
    uint64_t rest; /* bytes that are expected beside the other copies' */
} phase;

static bool is_of_phase(const ls_site *s, const ls_site *u) {
    return s->kind == LS_SITE_COPY_IN && s->ticket.object == u->ticket.object &&
           s->ticket.step == u->ticket.step && s->ticket.offset == u->ticket.offset;
}

static bool is_one_map(const phase *of) {
    for (uint32_t i = 1; i < of->count; i++)
        if (of->open[i]->map != of->open[0]->map) return false;
    return true;
}

/* The way from one stage to the next, wherever in the ring it begins; 0: it is not known. */
static uint64_t stage_of(const ls_protocol *x, const ls_site *s) {
    const uint32_t stages = s->loop ? x->objects.items[s->ticket.object].stages : 0;
    uint64_t stage = 0;
    for (uint64_t it = (uint64_t)s->first; stages > 1 && it < (uint64_t)s->first + stages; it++) {
        const ls_term *d = ls_sub(&x->p->terms, ls_in_iteration(x, s, s->address, it + 1),
                                  ls_in_iteration(x, s, s->address, it));
        const int64_t way = ls_is_const(d) ? ls_signed(d->value, d->width) : 0;
        if (!ls_is_const(d)) return 0;
        if (way > 0 && (!stage || (uint64_t)way < stage)) stage = (uint64_t)way;
    }
    return stage;
}

/* … of any copy by the same map: those in front of the loop have none. */
static uint64_t stage_of_map(const ls_protocol *x, const ls_site *s) {
    uint64_t stage = stage_of(x, s);
    for (uint32_t i = 0; i < x->sites.length && !stage; i++) {
        const ls_site *o = &x->sites.items[i];
        if (o->kind == LS_SITE_COPY_IN && o->map == s->map) stage = stage_of(x, o);
    }
    return stage;
}

static bool find_sizes(ls_protocol *x, const phase *of) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        const uint64_t stage = stage_of_map(x, of->open[i]);
        sum = stage > of->rest || sum > of->rest ? UINT64_MAX : sum + stage;
        of->open[i]->size = stage;
    }
    const bool one = is_one_map(of) && of->rest % of->count == 0;
    if (!one && sum != of->rest)
        return ls_not_known(x, of->open[0]->instr,
                            "the sizes of the boxes of several tensor maps at one mbarrier are not known");
    for (uint32_t i = 0; i < of->count; i++) {
        ls_site *s = of->open[i];
        if (one) s->size = of->rest / of->count;
        s->bytes = s->size;
        if (!s->size || s->size % PIECE)
            return ls_not_known(x, s->instr, "the size of the box of this tensor map is not known");
    }
    return true;
}

static bool is_load(const ls_site *s) {
    return s->map && s->kind == LS_SITE_COPY_IN;
}

/* Those of one map are as large, and told. */
static bool agree(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        bool first = is_load(s);
        if (is_load(s) && !s->size)
            return ls_not_known(x, s->instr, "no thread announces the bytes of this copy (expect_tx)");
        for (uint32_t k = 0; k < i && is_load(s); k++) {
            const ls_site *o = &x->sites.items[k];
            first &= !is_load(o) || o->map != s->map;
            if (is_load(o) && o->map == s->map && o->size != s->size)
                return ls_not_known(
                    x, s->instr,
                    "two copies with one tensor map announce different numbers of bytes (expect_tx)");
        }
        if (first)
            ls_scope_line(
                x->p, "assumes that boxes of tensor maps have the announced sizes",
                "assumes that a box of the tensor map of line %u takes %llu bytes of shared memory, and "
                "that nothing else writes the tensor",
                s->instr->pos->line, (unsigned long long)s->size);
    }
    return true;
}

/* --- Copies out of shared memory --------------------------------------------------------------------------
 */

enum { MOST_SHARED = 227 << 10 };

/* Of one thread, for an elected lane the first of its warp: where lanes copy from does not depend on which it
 * is.
 */
static const ls_term *of_one(const ls_protocol *x, const ls_site *s, const ls_term *term, int64_t it) {
    const uint32_t n = ls_first_thread(s);
    return ls_in_case(x, s, term, n != LS_NO_OBJECT && n >= LS_MOST_BLOCK ? (n - LS_MOST_BLOCK) * 32 : n, it);
}

/* The shortest way from where a copy begins to what is behind it, in its first iterations. */
static uint64_t way_to(const ls_protocol *x, const ls_site *s, const ls_term *behind, uint64_t most) {
    for (int64_t it = s->first; it <= s->last && it < s->first + LS_MOST_STAGES; it++) {
        const ls_term *d = ls_distance(&x->p->terms, behind, of_one(x, s, s->address, it));
        const int64_t way = ls_is_const(d) ? (int32_t)d->value : 0;
        if (way > 0 && (uint64_t)way < most) most = (uint64_t)way;
    }
    return most;
}

/* The end of the variable, where that is known. */
static uint64_t way_to_end(const ls_protocol *x, const ls_site *s, uint64_t most) {
    const ls_term *start = ls_base_address(x->p, s->base);
    const ls_ir_object *o = s->base->kind == LS_BASE_OBJECT ? x->p->f->objects[s->base->object] : NULL;
    if (!start || !o || o->is_extern || !o->size) return most;
    return way_to(x, s, ls_add(&x->p->terms, start, ls_const(&x->p->terms, start->width, o->size)), most);
}

/* The next place behind that a copy into shared memory begins at: what it reads is not that one's. */
static uint64_t way_to_load(const ls_protocol *x, const ls_site *s, uint64_t most) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *l = &x->sites.items[i];
        if (l->kind != LS_SITE_COPY_IN || !ls_same_object(x->p, s->base, l->base)) continue;
        for (int64_t it = l->first; it <= l->last && it < l->first + LS_MOST_STAGES; it++)
            most = way_to(x, s, of_one(x, l, l->address, it), most);
    }
    return most;
}

static void find_store(ls_protocol *x, ls_site *s) {
    s->size = way_to_load(x, s, way_to_end(x, s, MOST_SHARED));
    for (uint32_t i = 0; i < x->inits.length; i++)
        if (ls_same_object(x->p, s->base, x->inits.items[i].base))
            s->size = way_to(x, s, x->inits.items[i].address, s->size);
    s->bytes = PIECE; /* of a run that is made up: whatever the box is, so much is read */
    ls_scope_line(
        x->p, "assumes that tensor copies write different boxes",
        "assumes that a box of the tensor map of line %u takes at most %llu bytes of shared memory, "
        "that boxes at different coordinates do not overlap, and that nothing else accesses the "
        "tensor",
        s->instr->pos->line, (unsigned long long)s->size);
}

/* --- Maps in parameters ----------------------------------------------------------------------------------
 */

typedef struct {
    LS_VEC(ls_verify_box) all;
} boxes;

static void free_boxes(void *part) {
    boxes *b = part;
    LS_VEC_FREE(&b->all);
}

static const ls_part BOXES = {sizeof(boxes), free_boxes};

static uint32_t rank_of(const ls_site *s) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->instr->src_count; k++) count += s->instr->src[k].operand == is_load(s);
    return count - 1;
}

/* For a launch that is made up. */
static void keep_boxes(ls_protocol *x) {
    ls_proof *p = x->p;
    boxes *b = ls_part_of(p, &BOXES);
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *s = &x->sites.items[i];
        for (uint32_t o = 0; o < p->f->object_count && s->map; o++) {
            if (p->f->objects[o]->kind != LS_OBJECT_PARAM || !p->object_address[o]) continue;
            const ls_term *at = ls_resize(&p->terms, p->object_address[o], s->map->width, false);
            const ls_term *d = ls_sub(&p->terms, s->map, at);
            if (!ls_is_const(d) || d->value + 128 > p->f->objects[o]->size) continue;
            const ls_verify_box box = {o, (uint32_t)d->value, rank_of(s), s->bytes};
            LS_VEC_PUSH(&b->all, box);
        }
    }
}

void ls_use_boxes(ls_proof *p, ls_verify_execution *e) {
    const boxes *b = ls_part_of(p, &BOXES);
    if (!e || !b->all.length) return;
    ls_verify_box *copy = LS_NEW_N(&p->arena, ls_verify_box, b->all.length);
    memcpy(copy, b->all.items, b->all.length * sizeof *copy);
    e->boxes = copy;
    e->box_count = b->all.length;
}

void ls_take_boxes(ls_proof *p, const ls_proof *from) {
    boxes *b = ls_part_of(p, &BOXES);
    const boxes *theirs = ls_part_of(from, &BOXES);
    for (uint32_t i = 0; i < theirs->all.length; i++) LS_VEC_PUSH(&b->all, theirs->all.items[i]);
}

/* What is stored is not loaded by the same map. */
static bool check_stores(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        ls_site *s = &x->sites.items[i];
        if (!s->map || s->kind != LS_SITE_COPY_OUT) continue;
        for (uint32_t k = 0; k < x->sites.length; k++)
            if (is_load(&x->sites.items[k]) && x->sites.items[k].map == s->map)
                return ls_not_known(x, s->instr, "a tensor that is both loaded and stored is not modelled");
        find_store(x, s);
    }
    return true;
}

bool ls_find_boxes(ls_protocol *x) {
    for (uint32_t i = 0; i < x->sites.length; i++) {
        const ls_site *u = &x->sites.items[i];
        phase of = {.rest = u->bytes};
        if (u->kind != LS_SITE_ARRIVE || !u->bytes) continue;
        for (uint32_t k = 0; k < x->sites.length; k++) {
            ls_site *s = &x->sites.items[k];
            if (!is_of_phase(s, u)) continue;
            if (s->map && of.count == MOST_COPIES)
                return ls_not_known(x, s->instr, "too many tensor copies at one mbarrier to be modelled");
            if (s->map)
                of.open[of.count++] = s;
            else
                of.rest = of.rest > s->bytes ? of.rest - s->bytes : 0;
        }
        if (of.count && !find_sizes(x, &of)) return false;
    }
    if (!agree(x) || !check_stores(x)) return false;
    keep_boxes(x);
    return true;
}
