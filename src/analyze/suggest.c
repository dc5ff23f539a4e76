/* Remedies for bank conflicts that a second look has confirmed: the variable's bytes are laid out anew (a pad
 * after every row, or the words of a row exchanged by xor with the row's number) and every access to it is
 * costed again. A remedy is suggested only where it takes the conflict away and makes no other access worse.
 */
#include "analyze/access.h"
#include "analyze/pieces.h"

#include <stdlib.h>

typedef struct {
    bool swizzle;
    int64_t pitch; /* bytes of a row */
    int64_t pad;   /* bytes after each row */
} remedy;

typedef struct {
    analysis *a;
    ls_warp *const *warps;
    uint32_t warp_count;
} context;

/* Byte offsets from the variable's start. */
static bool relative_lanes(ls_warp *warp, const ls_ir_access *access, ls_lanes *result) {
    if (!access->has_offset) return false;
    *result = ls_lanes_uniform(ls_residue_constant(access->constant));
    for (uint32_t i = 0; i < access->term_count; i++) {
        const ls_ir_term *term = &access->terms[i];
        if (term->relative) return false;
        ls_lanes scaled = ls_lanes_scale(ls_warp_lanes(warp, term->value), term->coefficient);
        *result = ls_lanes_add(result, &scaled);
    }
    return result->seen;
}

/* Where the bytes go. Which row a lane is in must be known relative to the other lanes: by known offsets, by
 * bases that are whole rows, or because all lanes are at the same place in their rows. */
static bool lay_out(ls_lanes *lanes, uint32_t may, const remedy *r) {
    if (lanes->group_count > 1 || lanes->has_slack) return false;
    uint64_t pitch = (uint64_t)r->pitch;
    uint32_t first = (uint32_t)__builtin_ctz(may);
    bool rows = !lanes->modulus || lanes->modulus % pitch == 0, same = !r->swizzle;
    for (uint32_t l = 0; l < LANES; l++)
        if (may >> l & 1)
            same &= ls_modulo(lanes->offset[l], pitch) == ls_modulo(lanes->offset[first], pitch);
    if (!rows && !same) return false;
    if (r->swizzle && lanes->modulus && lanes->modulus % (pitch * 32)) return false;
    for (uint32_t l = 0; l < LANES; l++) {
        int64_t row = ls_floor_div(lanes->offset[l], r->pitch);
        if (r->swizzle)
            lanes->offset[l] ^= (row & 31) * 4;
        else
            lanes->offset[l] += row * r->pad;
    }
    if (lanes->modulus && !r->swizzle)
        lanes->modulus = rows ? lanes->modulus / pitch * (pitch + (uint64_t)r->pad) : 4;
    return true;
}

/* Cost of an access as it is, or with the remedy; false where it cannot be told. */
static bool degree_with(const context *c, const ls_ir_access *access, const remedy *r, uint32_t *degree) {
    const ls_pieces pieces = ls_pieces_of(access);
    *degree = 0;
    for (uint32_t i = 0; i < c->warp_count; i++) {
        ls_lanes base;
        ls_active active = ls_pieces_active(c->warps[i], access, &pieces);
        if (!active.may) continue;
        if (!relative_lanes(c->warps[i], access, &base)) return false;
        for (uint32_t k = 0; k < pieces.count; k++) {
            ls_lanes lanes = ls_piece_lanes(c->warps[i], access, &pieces, k, &base);
            if (r && !lay_out(&lanes, active.may, r)) return false;
            ls_access_cost cost;
            ls_cost_shared(&lanes, active, pieces.bytes, &cost);
            if (cost.degree > *degree) *degree = cost.degree;
        }
    }
    return pieces.count > 0;
}

static bool same_variable(const ls_ir_access *a, const ls_ir_access *b) {
    return a->base_count == 1 && b->base_count == 1 && !a->other_bases && !b->other_bases &&
           a->bases[0] == b->bases[0] && a->bases[0]->kind == LS_BASE_OBJECT;
}

static bool helps(const context *c, const ls_access_result *result, const remedy *r) {
    uint32_t degree;
    if (!degree_with(c, result->access, r, &degree) || degree > 1) return false;
    for (uint32_t i = 0; i < c->a->f->access_count; i++) {
        const ls_ir_access *other = c->a->f->accesses[i];
        uint32_t before, after;
        if (other == result->access || !same_variable(other, result->access)) continue;
        if (!degree_with(c, other, r, &after)) return false;
        if (after > 1 && (!degree_with(c, other, NULL, &before) || after > before)) return false;
    }
    return true;
}

/* Rows that the access itself shows: the distance of neighbouring lanes; and the banks' own 128 bytes. */
static uint32_t candidates(const ls_access_result *result, remedy *list) {
    uint32_t count = 0;
    int64_t element = result->bytes < 4 ? 4 : result->bytes;
    int64_t stride = result->stride_known ? llabs(result->stride_bytes) : 0;
    if (stride >= 64 && stride % 4 == 0) list[count++] = (remedy){false, stride, element};
    list[count++] = (remedy){false, 128, element};
    list[count++] = (remedy){false, 128, 4};
    if (stride >= 64 && stride % 4 == 0) list[count++] = (remedy){false, stride, 4};
    if (stride >= 128 && (stride & (stride - 1)) == 0) list[count++] = (remedy){true, stride, 0};
    return count;
}

static const char *describe(analysis *a, const remedy *r, uint32_t bytes) {
    if (r->swizzle)
        return ls_arena_printf(
            &a->arena,
            "swizzle: exchange the words of each row of %lld bytes by xor with the row's number "
            "(checked: no conflict is left in this kernel's accesses to the variable)",
            (long long)r->pitch);
    if (bytes >= 4 && r->pitch % bytes == 0 && r->pad % bytes == 0)
        return ls_arena_printf(
            &a->arena,
            "pad the rows: %lld element%s after every %lld, so a pitch of %lld (checked: the "
            "conflict is gone and no other access to the variable gets one)",
            (long long)(r->pad / bytes), r->pad == bytes ? "" : "s", (long long)(r->pitch / bytes),
            (long long)((r->pitch + r->pad) / bytes));
    return ls_arena_printf(
        &a->arena,
        "pad: %lld bytes after every %lld (checked: the conflict is gone and no other access "
        "to the variable gets one)",
        (long long)r->pad, (long long)r->pitch);
}

enum { MOST_TRIES = 64 };

void ls_suggest_shared(analysis *a, ls_warp *const *warps, uint32_t warp_count) {
    context c = {a, warps, warp_count};
    uint32_t tries = 0;
    for (uint32_t i = 0; warp_count && i < a->out->access_count; i++) {
        ls_access_result *result = &a->out->accesses[i];
        bool shared = result->access->space == LS_SPACE_SHARED;
        if (!shared || !result->flagged || result->access->base_count != 1 || ++tries > MOST_TRIES) continue;
        remedy list[8];
        uint32_t count = candidates(result, list);
        for (uint32_t k = 0; k < count && !result->suggestion; k++)
            if (helps(&c, result, &list[k])) result->suggestion = describe(a, &list[k], result->bytes);
    }
}
