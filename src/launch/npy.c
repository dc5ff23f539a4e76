/* NumPy's .npy files: "\x93NUMPY", version, length, then a Python dictionary as text and the data. */
#include "launch/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    uint8_t type;
} types[] = {{"f4", LS_TYPE_F32}, {"f8", LS_TYPE_F64}, {"f2", LS_TYPE_F16}, {"i4", LS_TYPE_S32},
             {"u4", LS_TYPE_U32}, {"i8", LS_TYPE_S64}, {"u8", LS_TYPE_U64}, {"i2", LS_TYPE_S16},
             {"u2", LS_TYPE_U16}, {"i1", LS_TYPE_S8},  {"u1", LS_TYPE_U8},  {"b1", LS_TYPE_U8},
             {"u4", LS_TYPE_B32}, {"u8", LS_TYPE_B64}, {"u2", LS_TYPE_B16}, {"u2", LS_TYPE_BF16},
             {"u1", LS_TYPE_B8}};

static const char *value_of(const char *header, const char *key) {
    const char *at = strstr(header, key);
    if (!at) return NULL;
    at = strchr(at, ':');
    return at ? at + 1 : NULL;
}

static const char *parse_header(const char *header, ls_npy *out) {
    const char *descr = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'"),
               *shape = value_of(header, "'shape'");
    if (!descr || !order || !shape) return "its header has no descr, fortran_order or shape";
    const char *quote = strchr(descr, '\'');
    if (!quote || strlen(quote) < 5) return "its type is not a simple one";
    if (quote[1] == '>') return "it is in big-endian order";
    const char *name = strchr("<|=", quote[1]) ? quote + 2 : quote + 1;
    out->type = LS_TYPE_NONE;
    for (size_t i = 0; i < sizeof types / sizeof *types && !out->type; i++)
        if (!strncmp(types[i].text, name, 2)) out->type = (ls_ptx_type)types[i].type;
    if (!out->type) return "its type is not one that kernels have";
    const char *paren = strchr(shape, '('), *close = paren ? strchr(paren, ')') : NULL;
    if (!close) return "its shape is not a tuple";
    out->count = 1;
    uint32_t dimensions = 0;
    for (const char *p = paren + 1; p < close;) {
        char *end;
        unsigned long long n = strtoull(p, &end, 10);
        if (end == p) break;
        if (n && out->count > UINT64_MAX / n / 8) return "it is too large";
        out->count *= n;
        dimensions++;
        for (p = end; p < close && (*p == ',' || *p == ' '); p++) {
        }
    }
    while (*order == ' ') order++;
    if (!strncmp(order, "True", 4) && dimensions > 1) return "it is in Fortran order";
    return NULL;
}

const char *ls_npy_parse(const char *text, size_t length, ls_npy *out) {
    if (length < 12 || memcmp(text, "\x93NUMPY", 6)) return "it is not a .npy file";
    size_t at = text[6] == 1 ? 10 : 12, size = (unsigned char)text[8] | (size_t)(unsigned char)text[9] << 8;
    if (text[6] != 1) size |= (size_t)(unsigned char)text[10] << 16 | (size_t)(unsigned char)text[11] << 24;
    if (size > length - at) return "its header is cut off";
    char *header = strndup(text + at, size);
    if (!header) return "out of memory";
    const char *wrong = parse_header(header, out);
    free(header);
    if (wrong) return wrong;
    out->data = text + at + size;
    out->bytes = length - at - size;
    if (out->bytes / (ls_ptx_type_bits(out->type) / 8) < out->count) return "its data is cut off";
    out->bytes = out->count * (ls_ptx_type_bits(out->type) / 8);
    return NULL;
}

bool ls_npy_write(const char *path, ls_ptx_type type, const void *data, uint64_t count) {
    const char *name = "u1";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type) name = types[i].text;
    char header[128];
    uint32_t bytes = ls_ptx_type_bits(type) / 8;
    int n = snprintf(header, sizeof header, "{'descr': '%s%s', 'fortran_order': False, 'shape': (%llu,), }",
                     bytes > 1 ? "<" : "|", name, (unsigned long long)count);
    uint16_t length = (uint16_t)((10 + n + 1 + 63) / 64 * 64 - 10);
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool good = fwrite("\x93NUMPY\x01\x00", 1, 8, f) == 8;
    good &= fputc(length & 255, f) != EOF && fputc(length >> 8, f) != EOF;
    good &= fprintf(f, "%-*s\n", length - 1, header) > 0;
    good &= fwrite(data, bytes, count, f) == count;
    return !fclose(f) && good;
}
