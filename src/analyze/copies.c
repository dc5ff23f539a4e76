/* Costs of what asynchronous units do. Bulk and tensor copies move sectors (isa/copy_sectors.h): where a copy
 * begins within a sector follows from its address, or from its coordinates and the tensor map; where that is
 * not known, both places that the hardware allows, multiples of 16 bytes, are tried. In shared memory a copy
 * takes no wavefront of loads or stores and has no bank conflicts, whatever its swizzle. A product reads its
 * operands in shared memory with a wavefront for every 128 bytes, whatever their layout. */
#include "analyze/access.h"
#include "analyze/pieces.h"
#include "isa/copy_sectors.h"
#include "isa/descriptor.h"

#include <string.h>

enum { SECTOR = 32, LINE = 128, PIECE = LS_TENSOR_PIECE };

/* What the unit does with an address of a copy; COUNTER: the mbarrier at which it counts its bytes. */
typedef enum { NO_COPY, SHARED_SIDE, GLOBAL_SIDE, COUNTER, BETWEEN_BLOCKS, MBARRIER } side;

static bool is_shared_space(uint8_t space) {
    return space == LS_SPACE_SHARED || space == LS_SPACE_SHARED_CLUSTER;
}

static side side_of(const ls_ir_access *access) {
    const ls_ir_instr *i = access->instr;
    const ls_ptx_opcode *o = i->unknown ? NULL : i->form->opcode;
    if (o && o->mbarrier) return MBARRIER;
    if (!o || (o->copy != LS_COPY_BULK && o->copy != LS_COPY_BULK_REDUCE && o->tensor != LS_TENSOR_MAP))
        return NO_COPY;
    if (i->src[access->src].operand > 1) return COUNTER;
    bool global = false;
    for (uint32_t k = 0; k < i->form->space_count; k++) global |= i->form->spaces[k] == LS_SPACE_GLOBAL;
    if (!global) return BETWEEN_BLOCKS;
    return is_shared_space(access->space) ? SHARED_SIDE : GLOBAL_SIDE;
}

/* A number in a lane: rest and modulus, as of a residue. */
static ls_residue lane_number(ls_warp *warp, const ls_ir_operand *operand, uint32_t lane) {
    if (operand->kind == LS_IR_IMM) return ls_residue_constant((int32_t)operand->bits);
    const ls_lanes *lanes = operand->value ? ls_warp_lanes(warp, operand->value) : NULL;
    if (!lanes || !lanes->seen || lanes->slack[lane]) return ls_residue_any();
    int64_t offset = operand->kind == LS_IR_OBJECT ? 0 : operand->offset;
    return ls_residue_make(lanes->offset[lane] + offset, lanes->modulus);
}

/* Whether the number can be `place` modulo `size`. */
static bool may_be(ls_residue number, uint64_t place, uint64_t size) {
    return ls_modulo((int64_t)place - number.rest, ls_gcd(number.modulus, size)) == 0;
}

typedef struct {
    uint64_t worst, best, lines, bytes; /* sectors at worst and at best, lines at worst */
    const char *unknown;
} moved;

static void consider(moved *m, ls_moved all) {
    m->bytes = all.bytes;
    if (all.sectors > m->worst) m->worst = all.sectors;
    if (!m->best || all.sectors < m->best) m->best = all.sectors;
    if (all.lines > m->lines) m->lines = all.lines;
}

/* --- Bulk copies -------------------------------------------------------------------------------------------
 */
static moved move_bulk(ls_warp *warp, const ls_ir_instr *i, uint32_t lane) {
    enum { BYTES = 2 };
    const ls_ir_operand *address[3] = {0};
    for (uint32_t s = 0; s < i->src_count; s++)
        if (i->src[s].operand <= BYTES && !address[i->src[s].operand])
            address[i->src[s].operand] = &i->src[s];
    if (!address[BYTES]) return (moved){.unknown = "how many bytes are copied is not known"};
    const ls_residue bytes = lane_number(warp, address[BYTES], lane);
    if (bytes.modulus || bytes.rest < 0)
        return (moved){.unknown = "how many bytes are copied is not a constant"};
    const uint32_t to_global = i->form->spaces[0] == LS_SPACE_GLOBAL;
    const ls_residue global = lane_number(warp, address[!to_global], lane),
                     shared = lane_number(warp, address[to_global], lane);
    moved m = {.bytes = (uint64_t)bytes.rest};
    for (uint64_t g = 0; g < LINE; g += PIECE)
        for (uint64_t s = 0; s < LINE; s += PIECE)
            if (may_be(global, g, LINE) && may_be(shared, s, LINE))
                consider(&m, ls_row_sectors(g, s, m.bytes));
    if (!m.worst && m.bytes) m.unknown = "an address is not a multiple of 16 bytes";
    return m;
}

/* --- Tensor copies -----------------------------------------------------------------------------------------
 */
static const uint64_t *known_map(const analysis *a, const ls_ir_access *access) {
    const ls_analyze_options *o = &a->out->options;
    if (access->base_count != 1 || access->other_bases || access->bases[0]->kind != LS_BASE_OBJECT)
        return NULL;
    const ls_ir_object *object = a->f->objects[access->bases[0]->object];
    for (uint32_t k = 0; k < o->tensor_count; k++)
        if (!strcmp(o->tensors[k].parameter, object->name)) return o->tensors[k].map;
    return NULL;
}

static uint32_t coordinates_of(const ls_ir_access *access, const ls_ir_operand **at) {
    const ls_ir_instr *i = access->instr;
    uint32_t count = 0;
    for (uint32_t s = 0; s < i->src_count && count < LS_TENSOR_RANK; s++)
        if (i->src[s].role == LS_ROLE_COORDINATE && i->src[s].operand == i->src[access->src].operand)
            at[count++] = &i->src[s];
    return count;
}

/* The box wherever it lies in the tensor: its first byte may be at any multiple of 16 bytes within a sector
 * that the coordinates allow. */
static void consider_places(moved *m, ls_tensor_map map, const ls_residue *at, bool store) {
    ls_residue first = ls_residue_constant(0);
    for (uint32_t k = 0; k < map.rank; k++) {
        const uint64_t stride = map.stride[k] % LINE;
        first.rest += ls_modulo(at[k].rest, LINE) * (int64_t)stride;
        if (at[k].modulus) first.modulus = ls_gcd(first.modulus, ls_gcd(at[k].modulus % LINE * stride, LINE));
        map.size[k] = UINT32_MAX;
    }
    for (map.base = 0; map.base < LINE; map.base += PIECE) {
        static const int64_t from[LS_TENSOR_RANK];
        if (may_be(first, map.base, LINE)) consider(m, ls_box_sectors(&map, from, store));
    }
}

static moved move_box(const analysis *a, ls_warp *warp, const ls_ir_access *access, uint32_t lane) {
    const uint64_t *word = known_map(a, access);
    const ls_ir_operand *coordinate[LS_TENSOR_RANK];
    if (!word)
        return (moved){.unknown = "the tensor map is made by the host: give it with --arg "
                                  "(tensor:f16[128,64]box[64,8])"};
    ls_tensor_map map = ls_tensor_map_read(word);
    if (map.interleave || map.im2col)
        return (moved){.unknown = "copies of interleaved tensors and in im2col mode are not modelled"};
    if (coordinates_of(access, coordinate) != map.rank)
        return (moved){.unknown = "the tensor map has another number of dimensions"};
    ls_residue at[LS_TENSOR_RANK];
    int64_t from[LS_TENSOR_RANK];
    bool exact = true;
    for (uint32_t k = 0; k < map.rank; k++) {
        at[k] = lane_number(warp, coordinate[k], lane);
        exact &= !at[k].modulus;
        from[k] = at[k].rest;
    }
    moved m = {0};
    const bool store = access->kind != LS_ACCESS_READ;
    if (exact)
        consider(&m, ls_box_sectors(&map, from, store));
    else
        consider_places(&m, map, at, store);
    if (!m.best) m.unknown = "the copy does not begin at a multiple of 16 bytes";
    return m;
}

/* --- All lanes ---------------------------------------------------------------------------------------------
 */
static ls_access_cost cost_of(const moved *m) {
    ls_access_cost cost = {.sectors = (uint32_t)m->worst,
                           .sectors_best = (uint32_t)m->best,
                           .minimum_sectors = (uint32_t)((m->bytes + SECTOR - 1) / SECTOR),
                           .lines = (uint32_t)m->lines,
                           .minimum_lines = (uint32_t)((m->bytes + LINE - 1) / LINE)};
    cost.lines_best = cost.minimum_lines;
    return cost;
}

/* The copies that the lanes of a warp start; where not all of the lanes that may start one do, as many as do
 * at most, each like the one that costs most. */
static const char *count_copies(const analysis *a, ls_warp *warp, const ls_ir_access *access,
                                ls_access_cost *cost, uint64_t *bytes) {
    const ls_pieces pieces = {.count = 1, .lanes = LANES};
    const ls_active active = ls_pieces_active(warp, access, &pieces);
    const bool tensor = access->instr->form->opcode->tensor == LS_TENSOR_MAP;
    ls_access_cost worst = {0};
    uint32_t lanes = 0;
    for (uint32_t left = active.may; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const moved m = tensor ? move_box(a, warp, access, lane) : move_bulk(warp, access->instr, lane);
        if (m.unknown) return m.unknown;
        const ls_access_cost one = cost_of(&m);
        const bool worse = one.sectors > worst.sectors;
        *bytes = m.bytes;
        if (!lanes || worse) worst = one;
        ls_add_piece(cost, &one);
        lanes++;
    }
    if (active.most < lanes) {
        memset(cost, 0, sizeof *cost);
        for (uint32_t k = 0; k < active.most; k++) ls_add_piece(cost, &worst);
    }
    /* Lanes may copy the same bytes; a box may lie outside of its tensor. */
    cost->sectors_least = cost->lines_least = *bytes && !tensor;
    cost->active_lanes = active.most;
    return NULL;
}

static void tell(analysis *a, ls_access_result *r, uint64_t bytes) {
    const ls_access_cost *cost = &r->cost;
    const bool more = cost->sectors_best > cost->minimum_sectors;
    r->known = true;
    r->flagged = more;
    r->pattern = more ? LS_PATTERN_MISALIGNED : LS_PATTERN_COALESCED;
    const bool tensor = r->access->instr->form->opcode->tensor == LS_TENSOR_MAP;
    const uint64_t *word = tensor ? known_map(a, r->access) : NULL;
    const ls_tensor_map map = word ? ls_tensor_map_read(word) : (ls_tensor_map){0};
    const uint64_t row = map.box[0] * map.stride[0];
    if (more && tensor && row < SECTOR) r->pattern = LS_PATTERN_STRIDED;
    r->reason = tensor ? ls_arena_printf(&a->arena, "a box of %llu bytes, in rows of %llu",
                                         (unsigned long long)bytes, (unsigned long long)row)
                       : ls_arena_printf(&a->arena, "a copy of %llu bytes", (unsigned long long)bytes);
    if (!more) return;
    r->suggestion =
        r->pattern == LS_PATTERN_STRIDED
            ? "make the box at least 32 bytes wide along dimension 0"
            : "let every row begin at a multiple of 32 bytes, with a pitch and coordinates that are such";
    if (!tensor) r->suggestion = "copy from and to global addresses that are multiples of 32 bytes";
}

bool ls_is_counter(const ls_ir_access *access) {
    return side_of(access) == COUNTER;
}

static void tell_unknown(ls_access_result *result, const char *reason) {
    result->pattern = LS_PATTERN_UNKNOWN;
    result->unknown = reason;
}

/* Nothing that is counted. */
static void tell_free(ls_access_result *result, ls_active active, const char *reason) {
    result->known = true;
    result->single = active.most <= 1;
    result->cost.active_lanes = active.most;
    result->pattern = LS_PATTERN_COALESCED;
    result->cost.degree = result->cost.degree_best = 1;
    result->reason = reason;
}

static void fill_global(analysis *a, ls_warp *warp, ls_access_result *result) {
    uint64_t bytes = 0;
    const char *unknown = count_copies(a, warp, result->access, &result->cost, &bytes);
    result->requests = 1;
    result->bytes = (uint32_t)bytes;
    result->cost.sectors_mean = result->cost.sectors;
    if (unknown)
        tell_unknown(result, unknown);
    else
        tell(a, result, bytes);
}

bool ls_fill_unit(analysis *a, ls_warp *warp, ls_access_result *result) {
    const side what = side_of(result->access);
    const ls_pieces pieces = {.count = 1, .lanes = LANES};
    if (what == NO_COPY || what == COUNTER) return false;
    const ls_active active = ls_pieces_active(warp, result->access, &pieces);
    if (what == GLOBAL_SIDE)
        fill_global(a, warp, result);
    else if (what == BETWEEN_BLOCKS)
        tell_unknown(result, "copies between blocks of a cluster are not modelled");
    else if (what == SHARED_SIDE)
        tell_free(result, active, "a copy has no bank conflicts, in any swizzle");
    else if (active.most <= 1)
        tell_free(result, active, "at most one thread of a warp gets here");
    else
        tell_unknown(result, "what an mbarrier costs several threads of a warp is not modelled");
    return true;
}

/* --- Products ----------------------------------------------------------------------------------------------
 */
static bool product_of(const ls_ir_instr *i, ls_product_result *p) {
    ls_product_shape shape;
    uint32_t parts = 0;
    if (i->unknown || i->op != LS_OP_WGMMA_MMA_ASYNC || !ls_product_shape_of(i->form, &shape)) return false;
    for (uint32_t s = 0; s < i->src_count; s++) parts += i->src[s].operand == 1;
    *p = (ls_product_result){.instr = i};
    if (parts == 1) p->bytes[0] = LS_PRODUCT_ROWS * shape.k * shape.bits[0] / 8;
    p->bytes[1] = shape.n * shape.k * shape.bits[1] / 8;
    p->wavefronts = (p->bytes[0] + p->bytes[1] + LINE - 1) / LINE;
    return true;
}

void ls_fill_products(analysis *a) {
    const ls_ir_function *f = a->f;
    ls_analysis *out = a->out;
    ls_product_result p;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->instr_count; i++) count += product_of(f->instrs[i], &p);
    out->products = LS_NEW_N(&a->arena, ls_product_result, count + 1);
    for (uint32_t i = 0; i < f->instr_count; i++)
        out->product_count += product_of(f->instrs[i], &out->products[out->product_count]);
}
