/* Texture fetches (PTX ISA, "Texture Instructions"; CUDA C++ Programming Guide, "Texture Fetching"): a
 * texture is an array of texels; a fetch addresses it by point or linear sampling (filter.c). Elements that a
 * texel lacks read as 0. */
#include "emulate/texture/sample.h"
#include "emulate/machine.h"
#include "emulate/texture/filter.h"
#include "isa/number.h"

#include <math.h>

typedef struct {
    float f[4];
    uint32_t u[4];
} texel;

static bool inside(const ls_texture *t, const int64_t *i) {
    uint32_t h = t->height ? t->height : 1, d = t->depth ? t->depth : 1;
    return i[0] >= 0 && i[0] < t->width && i[1] >= 0 && i[1] < h && i[2] >= 0 && i[2] < d;
}

static const char *texel_at(const ls_texture *t, const int64_t *i) {
    uint64_t element = (uint64_t)t->channels * t->bits / 8, pitch = t->pitch ? t->pitch : t->width * element;
    uint64_t rows = t->height ? t->height : 1;
    return (const char *)t->data + ((uint64_t)i[2] * rows + (uint64_t)i[1]) * pitch +
           (uint64_t)i[0] * element;
}

/* One channel as a number and as bits of 32. */
static void read_channel(const ls_texture *t, const char *at, float *f, uint32_t *u) {
    uint32_t raw = 0;
    memcpy(&raw, at, t->bits / 8);
    if (t->kind == LS_TEXEL_FLOAT) {
        *f = t->bits == 16 ? (float)em_small_to_double(LS_TYPE_F16, raw) : em_f32(raw);
        *u = (uint32_t)em_bits_f32(*f);
    } else if (t->kind == LS_TEXEL_SIGNED) {
        int64_t v = em_sign_extend(raw, t->bits);
        double most = (double)((INT64_C(1) << (t->bits - 1)) - 1);
        *f = (float)fmax((double)v / most, -1.0);
        *u = (uint32_t)v;
    } else {
        *f = (float)((double)raw / (double)((UINT64_C(1) << t->bits) - 1));
        *u = raw;
    }
}

static texel read_texel(const ls_texture *t, const int64_t *i, bool border) {
    texel r = {{0}, {0}};
    if (border && !inside(t, i)) return r;
    const char *at = texel_at(t, i);
    for (uint32_t c = 0; c < t->channels && c < 4; c++)
        read_channel(t, at + c * t->bits / 8, &r.f[c], &r.u[c]);
    return r;
}

/* --- Addressing --- */
static bool wraps(const ls_texture *t, uint32_t axis) {
    return t->normalized_coords &&
           (t->address[axis] == LS_ADDRESS_WRAP || t->address[axis] == LS_ADDRESS_MIRROR);
}

/* The coordinate in texels, folded into the array where the mode says so. */
static double scaled(const ls_texture *t, uint32_t axis, uint32_t size, float x) {
    if (isnan(x)) return 0;
    if (!t->normalized_coords) return x;
    uint32_t turns = t->address[axis] == LS_ADDRESS_WRAP ? 1 : t->address[axis] == LS_ADDRESS_MIRROR ? 2 : 0;
    return em_filter_coordinate(x, size, turns);
}

static int64_t to_index(double x) { /* what is far outside stays outside */
    if (!(x > -0x1p40)) return -(INT64_C(1) << 40);
    return x < 0x1p40 ? (int64_t)x : INT64_C(1) << 40;
}

/* The texel at an index that may be outside; false: the border. */
static bool address(const ls_texture *t, uint32_t axis, uint32_t size, int64_t *i) {
    if (*i >= 0 && *i < size) return true;
    if (wraps(t, axis) && t->address[axis] == LS_ADDRESS_WRAP) {
        *i = (*i % size + size) % size;
        return true;
    }
    if (wraps(t, axis)) { /* mirrored */
        int64_t period = 2 * (int64_t)size, m = (*i % period + period) % period;
        *i = m < size ? m : period - 1 - m;
        return true;
    }
    if (t->address[axis] == LS_ADDRESS_BORDER) return false;
    *i = *i < 0 ? 0 : (int64_t)size - 1;
    return true;
}

static texel texel_of(const ls_texture *t, uint32_t dimensions, const int64_t *where) {
    uint32_t size[3] = {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1};
    int64_t i[3] = {where[0], where[1], where[2]};
    texel nothing = {{0}, {0}};
    for (uint32_t axis = 0; axis < dimensions; axis++)
        if (!address(t, axis, size[axis], &i[axis])) return nothing;
    return read_texel(t, i, true);
}

/* --- Sampling --- */
typedef struct {
    int64_t low[3];
    uint32_t weight[3]; /* of the upper neighbour, in steps of 1/256 */
} position;

static position locate(const ls_texture *t, const sample_info *x, uint32_t layer, const float *at,
                       const int32_t *whole, bool between) {
    uint32_t size[3] = {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1};
    position p = {{0}, {0}};
    for (uint32_t axis = 0; axis < x->dimensions; axis++) {
        if (x->integer) {
            p.low[axis] = whole[axis];
            continue;
        }
        double c = scaled(t, axis, size[axis], at[axis]);
        if (!between) {
            p.low[axis] = to_index(floor(c));
            continue;
        }
        double fixed = floor((c - 0.5) * FILTER_ONE + 0.5), last = ((double)size[axis] - 1) * FILTER_ONE;
        if (x->kind != SAMPLE_GATHER && !wraps(t, axis) &&
            t->address[axis] != LS_ADDRESS_BORDER) /* at an edge there is one neighbour */
            fixed = fixed < 0 ? 0 : fixed > last ? last : fixed;
        double low = floor(fixed / FILTER_ONE);
        p.low[axis] = to_index(low);
        p.weight[axis] = isfinite(fixed) ? (uint32_t)(fixed - low * FILTER_ONE) : 0;
    }
    if (x->layered) { /* layers are clamped, save for integer coordinates */
        uint32_t layers = t->depth ? t->depth : 1;
        p.low[2] = layer < layers || x->integer ? layer : layers - 1;
    }
    return p;
}

static void blend(const ls_texture *t, const sample_info *x, const position *p, float *sum) {
    uint32_t weights[FILTER_MOST], count = 1u << x->dimensions;
    texel e[FILTER_MOST];
    filter_term terms[FILTER_MOST];
    em_filter_weights(p->weight, x->dimensions, weights);
    for (uint32_t k = 0; k < count; k++) {
        int64_t i[3] = {p->low[0], p->low[1], p->low[2]};
        for (uint32_t axis = 0; axis < x->dimensions; axis++) i[axis] += k >> axis & 1;
        if (weights[k]) e[k] = texel_of(t, x->dimensions, i);
    }
    for (uint32_t c = 0; c < 4; c++) {
        for (uint32_t k = 0; k < count; k++)
            terms[k] =
                weights[k] ? (filter_term){weights[k], e[k].f[c], (int32_t)e[k].u[c]} : (filter_term){0};
        sum[c] = em_filter_sum(t, terms, count);
    }
}

static uint32_t as_type(const texel *e, uint32_t c, bool as_float, ls_ptx_type type) {
    if (!as_float) return e->u[c];
    if (type == LS_TYPE_F16) return (uint32_t)em_double_to_small(type, (double)e->f[c], LS_MOD_RN, false);
    return (uint32_t)em_bits_f32(e->f[c]);
}

void em_sample(const ls_texture *t, const sample_info *x, uint32_t layer, const float *at,
               const int32_t *whole, uint32_t *out) {
    bool as_float = t->kind == LS_TEXEL_FLOAT || t->normalized_read;
    if (x->kind == SAMPLE_GATHER) { /* the four neighbours, counter-clockwise from the lower left one */
        static const uint8_t dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
        position p = locate(t, x, layer, at, whole, true);
        for (uint32_t k = 0; k < 4; k++) {
            int64_t i[3] = {p.low[0] + dx[k], p.low[1] + dy[k], p.low[2]};
            texel e = texel_of(t, 2, i);
            out[k] = as_type(&e, x->component, as_float, (ls_ptx_type)x->type);
        }
        return;
    }
    bool linear = t->linear && as_float && !x->integer;
    sample_info row = *x;
    if (linear && x->dimensions == 1 && !x->layered) { /* a row at y = 0, half way to the border above it */
        row.dimensions = 2;
        x = &row;
    }
    position p = locate(t, x, layer, at, whole, linear);
    texel e;
    if (linear) {
        memset(&e, 0, sizeof e);
        blend(t, x, &p, e.f);
    } else if (x->integer) { /* outside it is 0 in every mode */
        e = read_texel(t, p.low, true);
    } else {
        e = texel_of(t, x->dimensions, p.low);
    }
    for (uint32_t c = 0; c < 4; c++) out[c] = as_type(&e, c, as_float, (ls_ptx_type)x->type);
}

/* --- Execution --- */
static const ls_texture *texture_of(warp *w, const sample_info *x, uint32_t lane) {
    const ls_emulator *e = w->machine->emulator;
    return em_texture_at(e->space, read_lane(w, x->handle, lane));
}

static const insn *no_texture(warp *w, const insn *i) {
    return em_stop(w, i, LS_EMU_UNSUPPORTED, "a handle that names no texture or surface");
}

static bool query(const ls_texture *t, uint16_t what, uint32_t *out) {
    switch (what) {
    case LS_MOD_WIDTH: *out = t->width; return true;
    case LS_MOD_HEIGHT: *out = t->height; return true;
    case LS_MOD_DEPTH:
    case LS_MOD_ARRAY_SIZE: *out = t->depth; return true;
    case LS_MOD_NORMALIZED_COORDS: *out = t->normalized_coords; return true;
    case LS_MOD_NUM_MIPMAP_LEVELS: *out = 1; return true;
    default: return false;
    }
}

/* Cube maps (CUDA C++ Programming Guide, "Cubemap Textures"): the largest of three coordinates and its sign
 * choose the face, the others a place on it. Linear sampling stays on the face, by the addressing mode. */
static void sample_cube(const ls_texture *t, const sample_info *x, uint32_t layer, const float *v,
                        uint32_t *out) {
    float size[3] = {fabsf(v[0]), fabsf(v[1]), fabsf(v[2])};
    uint32_t axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    bool back = v[axis] < 0;
    const float s[3] = {back ? v[2] : -v[2], v[0], back ? -v[0] : v[0]};
    const float up[3] = {-v[1], back ? -v[2] : v[2], -v[1]};
    ls_texture faces = *t;
    sample_info on_face = *x;
    faces.normalized_coords = true;
    on_face.dimensions = 2;
    on_face.layered = true;
    float at[3] = {(s[axis] / size[axis] + 1) / 2, (up[axis] / size[axis] + 1) / 2};
    uint32_t cubes = t->depth / 6;
    if (layer >= cubes) layer = cubes ? cubes - 1 : 0;
    em_sample(&faces, &on_face, 6 * layer + 2 * axis + back, at, (const int32_t[3]){0}, out);
}

static void sample_lane(warp *w, const sample_info *x, const ls_texture *t, uint32_t lane) {
    float at[3] = {0};
    int32_t whole[3] = {0};
    uint32_t out[4];
    for (uint32_t axis = 0; axis < x->dimensions; axis++) {
        uint64_t bits = read_lane(w, x->coordinate[axis + x->layered], lane);
        at[axis] = em_f32(bits);
        whole[axis] = (int32_t)bits;
    }
    uint32_t layer = x->layered ? (uint32_t)read_lane(w, x->coordinate[0], lane) : 0;
    if (x->cube)
        sample_cube(t, x, layer, at, out);
    else
        em_sample(t, x, layer, at, whole, out);
    for (uint32_t c = 0; c < x->count; c++) write_lane(w, x->value[c], lane, out[c]);
    if (x->has_resident) write_lane(w, x->resident, lane, 1);
}

const insn *em_exec_sample(warp *w, const insn *i) {
    const sample_info *x = i->extra;
    FOR_LANES(l, w->mask) {
        const ls_texture *t = texture_of(w, x, l);
        if (!t) return no_texture(w, i);
        if (x->kind == SAMPLE_QUERY) {
            uint32_t v = 0;
            if (!query(t, x->what, &v)) return em_stop(w, i, LS_EMU_UNSUPPORTED, "this query of a texture");
            write_lane(w, x->value[0], l, v);
            continue;
        }
        bool as_float = t->kind == LS_TEXEL_FLOAT || t->normalized_read;
        if (as_float != em_is_float((ls_ptx_type)x->type))
            return em_stop(w, i, LS_EMU_UNSUPPORTED, "a texture of %s read as %s",
                           as_float ? "floats" : "integers", as_float ? "integers" : "floats");
        if (x->has_level && em_f32(read_lane(w, x->level, l)) > 0)
            return em_stop(w, i, LS_EMU_UNSUPPORTED, "a level of a mipmap other than 0");
        if (x->cube && (t->depth < 6 || t->width != t->height))
            return em_stop(w, i, LS_EMU_TRAPPED, "a cube map without six square faces");
        sample_lane(w, x, t, l);
    }
    return i + 1;
}
