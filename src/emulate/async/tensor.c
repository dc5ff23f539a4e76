/* Copies and reductions between global and shared memory that a tensor map describes (PTX ISA, "Tensor copy":
 * cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tiled mode). One thread starts them for a box of up to
 * five dimensions; what lies outside of the tensor reads as zeros or NaNs and is not written. Addresses are
 * looked at when the copy is started; when it is carried out is the schedule's choice (async/jobs.h).
 *
 * What copies do was read from an H200: the step along dimension 0 is ignored, rows of a swizzled box are as
 * long as the swizzle's span, the NaN is 0x7ff7 in each half word, and a copy that does not begin at a
 * multiple of 16 bytes along dimension 0 is an illegal instruction. */
#include "emulate/async/tensor.h"
#include "emulate/async/mbarrier.h"
#include "emulate/check/map_proxy.h"
#include "emulate/machine.h"
#include "isa/atomic.h"

enum { PIECE = LS_TENSOR_PIECE, SHARED_ALIGN = 128, SHARED_MOST = 256 * 1024 };

typedef struct {
    uint64_t base, size[LS_TENSOR_RANK], stride[LS_TENSOR_RANK]; /* stride 0: bytes of an element */
    uint32_t box[LS_TENSOR_RANK], step[LS_TENSOR_RANK];          /* box: elements that are copied */
    uint32_t rank, span;                                         /* span: of the swizzle, 16: none */
    ls_ptx_type type;
    bool nan, tf32;
} tensor;

static const char *not_modelled(const ls_tensor_map *m) {
    if (m->im2col) return "a copy in im2col mode is not modelled";
    if (m->interleave) return "a copy of an interleaved tensor is not modelled";
    if (m->tf32 && (m->type != LS_TYPE_F32 || m->nan))
        return "a copy to tf32 of these elements is not modelled";
    if (!m->type) return "a copy of elements of this type is not modelled";
    return NULL;
}

static tensor read_map(const ls_tensor_map *m) {
    tensor t = {.base = m->base,
                .rank = m->rank,
                .span = (uint32_t)PIECE << m->swizzle,
                .type = m->type,
                .nan = m->nan,
                .tf32 = m->tf32};
    for (uint32_t k = 0; k < LS_TENSOR_RANK; k++) {
        t.size[k] = m->size[k];
        t.stride[k] = m->stride[k];
        t.step[k] = k ? m->step[k] : 1;
        t.box[k] = k < t.rank ? (m->box[k] + t.step[k] - 1) / t.step[k] : 1;
    }
    return t;
}

typedef struct {
    warp *w;
    const insn *i;
    const tensor_info *x;
    const tensor *t;
    uint32_t lane;
    async_job *job;
    bool rounds; /* a number is not the same in tf32 */
} copy;

/* A copy by a map of tf32 makes tf32 of what it reads. How it rounds is documented nowhere: what is in tf32
 * as it is (ten bits behind the point) stays so with any rounding. */
static bool is_rounded(const char *from, uint32_t bytes) {
    uint32_t number;
    for (uint32_t k = 0; k < bytes; k += sizeof number) {
        memcpy(&number, from + k, sizeof number);
        if (number & 0x1fff) return true;
    }
    return false;
}

/* `bytes` bytes at an address, as one access; NULL where it must not be touched. */
static char *place_of(const copy *c, const mem_access *m, uint64_t at, uint32_t bytes) {
    uint64_t address[MAX_LANES] = {0};
    mem_access part = *m;
    part.bytes = bytes == PIECE ? 8 : (uint8_t)c->t->stride[0];
    part.count = (uint8_t)(bytes / part.bytes);
    address[c->lane] = at;
    em_target t = em_prepare(c->w, c->i, &part, (ls_ptx_space)m->space, address, UINT64_C(1) << c->lane);
    return t.mask ? em_place(&t, address[c->lane], c->lane) : NULL;
}

/* One piece; `inside` bytes of it are in the tensor. False where an address is bad, which was reported. */
static bool copy_piece(copy *c, uint64_t shared, uint64_t global, uint32_t inside) {
    shared ^= shared >> 3 & (c->t->span / PIECE - 1) << 4;
    if (c->x->store && !inside) return true;
    char *in_shared = place_of(c, c->x->shared, shared, c->x->store ? inside : PIECE);
    char *in_global = inside ? place_of(c, c->x->global, global, inside) : NULL;
    if (!in_shared || (inside && !in_global)) return false;
    c->rounds |= c->t->tf32 && inside && is_rounded(in_global, inside);
    if (c->x->store) {
        em_job_piece(c->job, (job_piece){in_global, in_shared, inside, c->x->op, (uint8_t)c->t->type, {0}});
        return true;
    }
    static const uint8_t fill[2][2] = {{0, 0}, {0xf7, 0x7f}};
    const uint8_t *outside = fill[c->t->nan];
    if (inside) em_job_piece(c->job, (job_piece){in_shared, in_global, inside, 0, 0, {0}});
    if (inside < PIECE)
        em_job_piece(c->job, (job_piece){in_shared + inside,
                                         NULL,
                                         PIECE - inside,
                                         0,
                                         0,
                                         {outside[inside % 2], outside[1 - inside % 2]}});
    return true;
}

/* Rows along dimension 0, in the order in which they stand in shared memory. */
static void copy_box(copy *c, const int64_t *from, uint64_t shared) {
    const tensor *t = c->t;
    uint64_t row = t->box[0] * t->stride[0], rows = 1, pitch = t->span > PIECE ? t->span : row;
    for (uint32_t k = 1; k < t->rank; k++) rows *= t->box[k];
    for (uint64_t n = 0; n < rows; n++, shared += pitch) {
        uint64_t left = n, global = t->base;
        bool inside = true;
        for (uint32_t k = 1; k < t->rank; k++) {
            int64_t at = from[k] + (int64_t)(left % t->box[k] * t->step[k]);
            left /= t->box[k];
            inside &= at >= 0 && (uint64_t)at < t->size[k];
            global += (uint64_t)at * t->stride[k];
        }
        int64_t first = from[0] * (int64_t)t->stride[0], end = (int64_t)(t->size[0] * t->stride[0]);
        for (uint64_t k = 0; k < row; k += PIECE) {
            int64_t at = first + (int64_t)k, some = end - at;
            uint32_t count = !inside || at < 0 || some <= 0 ? 0 : some < PIECE ? (uint32_t)some : PIECE;
            if (!copy_piece(c, shared + k, global + (uint64_t)at, count)) return;
        }
    }
}

static uint64_t bytes_of(const tensor *t) {
    uint64_t bytes = t->stride[0];
    for (uint32_t k = 0; k < t->rank && k < LS_TENSOR_RANK; k++) bytes *= t->box[k];
    return bytes;
}

static bool is_box(const tensor *t) {
    return t->box[0] * t->stride[0] % PIECE == 0 && bytes_of(t) <= SHARED_MOST;
}

/* Arguments were made up, and the map can have come of that: it is zeros, or was made of zeros, or lies in a
 * buffer whose contents are made up. What a copy would do by the program's map is not known then. */
static bool is_made_up(const copy *c) {
    ls_emulator *e = c->w->machine->emulator;
    uint64_t address[MAX_LANES];
    if (!e->made_arguments) return false;
    if (!is_box(c->t) || !em_find(e, c->t->base)) return true;
    em_addresses(c->w, c->x->map, address);
    const allocation *a = em_find(e, address[c->lane]);
    return a && a->limit > a->hi && c->t->rank != c->x->rank;
}

/* A multicast in a cluster of one block that is not for that block. */
static bool leaves_out_all(const copy *c) {
    return !c->w->block->cluster && c->x->blocks.width != NO_WIDTH &&
           !(read_lane(c->w, c->x->blocks, c->lane) & 1);
}

/* Where the copy of a lane begins; what is wrong with it, or NULL. */
static const char *start(const copy *c, int64_t *from, uint64_t *shared) {
    const tensor *t = c->t;
    uint64_t address[MAX_LANES];
    if (t->rank != c->x->rank) return "the tensor map has another number of dimensions";
    if (c->x->op && t->stride[0] == 1) return "there is no reduction of bytes";
    if (!t->base || !is_box(t)) return "this is not a tensor map: shared memory cannot hold its box";
    for (uint32_t k = 0; k < t->rank; k++) from[k] = (int32_t)read_lane(c->w, c->x->coordinate[k], c->lane);
    if (from[0] * (int64_t)t->stride[0] % PIECE)
        return "a tensor copy that does not begin at a multiple of 16 bytes along dimension 0 is illegal";
    if (leaves_out_all(c)) return "a multicast that leaves out the only block of the cluster";
    em_addresses(c->w, c->x->shared, address);
    *shared = address[c->lane] & ~WINDOW_MASK;
    return *shared % SHARED_ALIGN ? "a tensor copy in shared memory that is not aligned to 128 bytes" : NULL;
}

/* The box in shared memory. Rows of a swizzled one are as long as the swizzle's span. */
static void tell_checker(const copy *c, uint64_t shared) {
    const tensor *t = c->t;
    const uint64_t row = t->box[0] * t->stride[0], rows = bytes_of(t) / row;
    const uint64_t bytes = rows * (t->span > PIECE ? t->span : row);
    if (!c->w->block->agents) return;
    block_run *owner = em_cluster_owner(c->w, &shared);
    if (!owner) return;
    uint32_t record = em_agent_issue(c->w, c->x->shared, c->lane, AGENT_TENSOR);
    em_agent_range(c->w, record, c->x->shared, UINT64_C(1) << c->lane, owner, shared, bytes);
    c->job->records[c->x->store ? 0 : 1] = record;
}

/* Whether two lanes start the same copy from shared memory. */
static bool is_alike(const warp *w, const tensor_info *x, uint32_t a, uint32_t b) {
    uint64_t address[MAX_LANES];
    em_addresses(w, x->shared, address);
    bool alike = x->store && x->op == ATOMIC_NONE && address[a] == address[b];
    for (uint32_t k = 0; k < LS_TENSOR_WORDS; k++)
        alike = alike && read_lane(w, x->word[k], a) == read_lane(w, x->word[k], b);
    for (uint32_t k = 0; k < x->rank; k++)
        alike = alike && read_lane(w, x->coordinate[k], a) == read_lane(w, x->coordinate[k], b);
    return alike;
}

const insn *em_exec_tensor(warp *w, const insn *i) {
    const tensor_info *x = i->extra;
    const uint32_t since = em_order_tick(w);
    uint64_t alike = 0; /* lanes so far whose copy is the first one's */
    FOR_LANES(l, w->mask) {
        uint64_t word[LS_TENSOR_WORDS], shared;
        int64_t from[LS_TENSOR_RANK];
        for (uint32_t k = 0; k < LS_TENSOR_WORDS; k++) word[k] = read_lane(w, x->word[k], l);
        const ls_tensor_map map = ls_tensor_map_read(word);
        tensor t = read_map(&map);
        copy c = {w, i, x, &t, l, NULL, false};
        if (is_made_up(&c))
            return em_stop(w, i, LS_EMU_UNSUPPORTED,
                           "a copy with an unknown tensor map of %u dimension%s: no such argument was given "
                           "(--arg NAME=tensor:f16[128,64]box[64,8]=iota, or run the program itself)",
                           x->rank, x->rank == 1 ? "" : "s");
        const char *why = not_modelled(&map);
        if (!why && map.tf32 && x->store) why = "a copy from shared memory by a map of tf32 is not modelled";
        if (why) return em_stop(w, i, LS_EMU_UNSUPPORTED, "%s", why);
        if (leaves_out_all(&c) && em_cluster_is_open(w))
            return em_stop(
                w, i, LS_EMU_UNSUPPORTED,
                "a multicast to other blocks, and the size of the clusters is not known (--cluster)");
        if ((why = start(&c, from, &shared))) return em_stop(w, i, LS_EMU_TRAPPED, "%s", why);
        const uint32_t blocks = em_multicast(w, x->blocks, l);
        em_count_moved(w, x->global, ls_box_sectors(&map, from, x->store));
        for (uint32_t r = 0; r < (blocks ? CLUSTER_MOST : 1); r++) {
            async_job job = {
                .w = w, .i = i, .lane = l, .object = x->object, .bytes = bytes_of(&t), .global = x->global};
            if (blocks && !(blocks >> r & 1)) continue;
            if (blocks) job.block = w->block->cluster->members[r];
            c.job = &job;
            const uint64_t to = shared | (blocks ? em_cluster_address(r) : 0);
            const bool again = is_alike(w, x, first_lane(w->mask), l);
            w->alike = again ? alike : 0;
            alike |= (uint64_t)again << l;
            copy_box(&c, from, to);
            w->alike = 0;
            if (c.rounds) {
                LS_VEC_FREE(&job.pieces);
                return em_stop(w, i, LS_EMU_UNSUPPORTED,
                               "a tensor copy to tf32 of a number that must be rounded, and the rounding is "
                               "documented nowhere");
            }
            tell_checker(&c, to);
            em_bulk_start(&job, since);
        }
        em_map_use(w, i, x->map, l, word);
    }
    return i + 1;
}

/* --- Changes of a map --- */
const insn *em_exec_tensor_replace(warp *w, const insn *i) {
    const replace_info *x = i->extra;
    FOR_LANES(l, w->mask) {
        uint64_t word[LS_TENSOR_WORDS];
        for (uint32_t k = 0; k < LS_TENSOR_WORDS; k++) word[k] = read_lane(w, x->word[k], l);
        const char *why =
            ls_tensor_map_set(word, (ls_ptx_modifier)x->field, (uint32_t)read_lane(w, x->dimension, l),
                              read_lane(w, x->value, l));
        if (why) return em_stop(w, i, LS_EMU_UNSUPPORTED, "%s", why);
        for (uint32_t k = 0; k < LS_TENSOR_WORDS; k++) write_lane(w, x->word[k], l, word[k]);
        em_map_change(w, i, x->map, l, false);
    }
    return i + 1;
}

/* The warp copies once: its first lane does what follows, up to … */
const insn *em_exec_tensor_one(warp *w, const insn *i) {
    *slot64(w, i->d) = w->mask;
    w->mask &= -w->mask;
    return i + 1;
}

/* … here. */
const insn *em_exec_tensor_copied(warp *w, const insn *i) {
    const mem_access *to = i->extra;
    FOR_LANES(l, w->mask) em_map_change(w, i, to, l, true);
    w->mask = *slot64(w, i->d);
    return i + 1;
}

const insn *em_exec_tensor_fence(warp *w, const insn *i) {
    FOR_LANES(l, guard_mask(w, i)) em_map_fence(w, i->extra, l);
    return i + 1;
}
