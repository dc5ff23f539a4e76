/* Textures and surfaces as kernel arguments:
 *     tex2d:f32[64,32]=iota                    an array of 64 × 32 floats
 *     tex2d:linear:wrap:normalized:u8x4[64,64]=file:image.bin
 * texNd (N from 1 to 3; texa1d, texa2d for layers; texcube, texacube for cube maps, of which the width alone
 * is given), options, the element with its channels, the sizes, and what a buffer of that many elements would
 * be filled with. */
#include "launch/texture.h"
#include "isa/number.h"
#include "launch/args.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct {
    const char *name;
    uint8_t sizes; /* how many are given */
    bool layered, cube;
} geometries[] = {{"tex1d", 1, false, false}, {"tex2d", 2, false, false}, {"tex3d", 3, false, false},
                  {"texa1d", 2, true, false}, {"texa2d", 3, true, false}, {"texcube", 1, false, true},
                  {"texacube", 2, true, true}};

static void set_address(ls_texture *t, ls_address_mode mode) {
    for (int k = 0; k < 3; k++) t->address[k] = mode;
}

static bool set_option(ls_texture *t, const char *word, size_t n) {
    static const struct {
        const char *name;
        ls_address_mode mode;
    } modes[] = {{"wrap", LS_ADDRESS_WRAP},
                 {"clamp", LS_ADDRESS_CLAMP},
                 {"mirror", LS_ADDRESS_MIRROR},
                 {"border", LS_ADDRESS_BORDER}};
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (strlen(modes[k].name) == n && !memcmp(modes[k].name, word, n))
            return set_address(t, modes[k].mode), true;
    bool *flag = n == 6 && !memcmp(word, "linear", n)        ? &t->linear
                 : n == 10 && !memcmp(word, "normalized", n) ? &t->normalized_coords
                 : n == 4 && !memcmp(word, "unit", n)        ? &t->normalized_read
                                                             : NULL;
    if (flag) *flag = true;
    return flag != NULL;
}

/* f32, u8x4 */
static bool set_element(ls_texture *t, const char *word, size_t n, ls_ptx_type *type) {
    size_t name = 0;
    while (name < n && word[name] != 'x') name++;
    *type = ls_emu_type_of(word, name);
    uint32_t bits = ls_ptx_type_bits(*type);
    t->channels = 1;
    if (name + 2 == n) t->channels = (uint8_t)(word[name + 1] - '0');
    if (!*type || bits > 32 || (name != n && name + 2 != n)) return false;
    if (t->channels != 1 && t->channels != 2 && t->channels != 4) return false;
    t->bits = (uint8_t)bits;
    t->kind = em_is_float(*type) ? LS_TEXEL_FLOAT : em_is_signed(*type) ? LS_TEXEL_SIGNED : LS_TEXEL_UNSIGNED;
    return *type != LS_TYPE_BF16 && !(t->kind == LS_TEXEL_FLOAT && bits == 8);
}

static bool set_sizes(ls_texture *t, const char **at, uint32_t want, bool layered, bool cube) {
    uint64_t size[3] = {1, 0, 0};
    for (uint32_t k = 0; k < want; k++) {
        char *end;
        size[k] = strtoull(*at, &end, 0);
        if (end == *at || !size[k] || size[k] > 1u << 20 || *end != (k + 1 < want ? ',' : ']')) return false;
        *at = end + 1;
    }
    if (cube) size[2] = 6 * (layered ? size[1] : 1), size[1] = size[0];
    if (layered && want == 2 && !cube) size[2] = size[1], size[1] = 0;
    t->width = (uint32_t)size[0], t->height = (uint32_t)size[1], t->depth = (uint32_t)size[2];
    return true;
}

const char *em_texture_spec(const char *spec, ls_texture *t, ls_ptx_type *type, uint64_t *count) {
    size_t n = strcspn(spec, ":"), g = 0, known = sizeof geometries / sizeof *geometries;
    while (g < known && (strlen(geometries[g].name) != n || memcmp(geometries[g].name, spec, n))) g++;
    if (g == known || !spec[n]) return NULL;
    memset(t, 0, sizeof *t);
    set_address(t, LS_ADDRESS_CLAMP);
    const char *at = spec + n + 1;
    while (n = strcspn(at, ":["), at[n] == ':') {
        if (!set_option(t, at, n)) return NULL;
        at += n + 1;
    }
    if (at[n] != '[' || !set_element(t, at, n, type)) return NULL;
    at += n + 1;
    if (!set_sizes(t, &at, geometries[g].sizes, geometries[g].layered, geometries[g].cube)) return NULL;
    *count = (uint64_t)t->width * (t->height ? t->height : 1) * (t->depth ? t->depth : 1) * t->channels;
    if (*at && *at != '=') return NULL;
    return *at ? at + 1 : at;
}
