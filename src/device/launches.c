/* --record: every distinct launch of a program as an entry of a JSON list (docs/launches.md): the kernel, the
 * sizes, the scalar arguments, and for pointers the allocation that they point into. */
#include "device/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void put_quoted(ls_buf *to, const char *text) {
    ls_buf_putc(to, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') ls_buf_putc(to, '\\');
        if ((unsigned char)*text < 32)
            ls_buf_printf(to, "\\u%04x", (unsigned)*text);
        else
            ls_buf_putc(to, *text);
    }
    ls_buf_putc(to, '"');
}

static const char *const kinds[] = {[LS_MEMORY_DEVICE] = "device",
                                    [LS_MEMORY_PINNED] = "pinned",
                                    [LS_MEMORY_MANAGED] = "managed",
                                    [LS_MEMORY_REGISTERED] = "registered",
                                    [LS_MEMORY_VARIABLE] = "variable"};

/* Which of the launch's allocations it is: they are numbered by the order in which its arguments name them.
 */
static uint32_t index_of(uint64_t *known, uint32_t *count, uint64_t address) {
    for (uint32_t k = 0; k < *count; k++)
        if (known[k] == address) return k;
    if (*count < 64) known[(*count)++] = address;
    return *count - 1;
}

static void put_pointer(ls_dev *dev, ls_buf *to, uint64_t value, uint64_t *known, uint32_t *count) {
    const memory_record *m = dv_find(dev, value);
    if (!m) return;
    ls_buf_printf(to,
                  ", \"allocation\": %u, \"allocation_size\": %" PRIu64 ", \"offset\": %" PRIu64
                  ", \"memory\": \"%s\"",
                  index_of(known, count, m->m.address), m->m.size, value - m->m.address, kinds[m->m.kind]);
    if (m->m.kind == LS_MEMORY_VARIABLE) {
        ls_buf_puts(to, ", \"variable\": ");
        put_quoted(to, m->m.what);
    }
}

static void put_argument(ls_dev *dev, ls_buf *to, const ls_ptx_variable *v, const char *bytes, uint32_t size,
                         uint64_t *known, uint32_t *count) {
    ls_ptx_type type = (ls_ptx_type)v->type;
    uint64_t value = 0;
    bool scalar = !v->dimension_count && size <= 8;
    ls_buf_puts(to, "{\"name\": ");
    put_quoted(to, v->symbol->name);
    ls_buf_printf(to, ", \"type\": \"%s\", \"size\": %u", scalar ? ls_ptx_type_text(type) : "bytes", size);
    if (scalar) {
        memcpy(&value, bytes, size);
        bool is_float = ls_ptx_type_kind_of(type) == LS_KIND_FLOAT;
        float single;
        double twice;
        memcpy(&single, bytes, size >= 4 ? 4 : 0);
        memcpy(&twice, bytes, size == 8 ? 8 : 0);
        if (size == 8 && !is_float) put_pointer(dev, to, value, known, count);
        bool pointer = size == 8 && dv_find(dev, value);
        if (!pointer) ls_buf_printf(to, ", \"bits\": \"0x%" PRIx64 "\"", value);
        if (is_float && (size == 4 || size == 8))
            ls_buf_printf(to, ", \"value\": \"%.17g\"", size == 4 ? (double)single : twice);
        else if (!pointer)
            ls_buf_printf(to, ", \"value\": %" PRIu64, value);
    } else {
        ls_buf_puts(to, ", \"bytes\": \"");
        for (uint32_t k = 0; k < size; k++) ls_buf_printf(to, "%02x", (unsigned char)bytes[k]);
        ls_buf_puts(to, "\", \"pointers\": [");
        bool any = false;
        for (uint32_t k = 0; k + 8 <= size; k += 8) {
            memcpy(&value, bytes + k, 8);
            if (!dv_find(dev, value)) continue;
            ls_buf_printf(to, "%s{\"at\": %u", any ? ", " : "", k);
            put_pointer(dev, to, value, known, count);
            ls_buf_putc(to, '}');
            any = true;
        }
        ls_buf_putc(to, ']');
    }
    ls_buf_putc(to, '}');
}

/* The entry without the number of the launch: equal for launches that are not distinct. Pointers are their
 * allocations, so that addresses do not matter; nor do their bits. */
static void put_launch(ls_dev *dev, const ls_dev_kernel *k, const ls_launch *l, ls_buf *to) {
    uint64_t known[64];
    uint32_t count = 0;
    ls_buf_puts(to, "\"kernel\": ");
    put_quoted(to, k->info.name);
    ls_buf_printf(to, ", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared\": %u", l->grid[0],
                  l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->shared_bytes);
    if (l->cooperative) ls_buf_puts(to, ", \"cooperative\": true");
    if (l->cluster[0] > 1 || l->cluster[1] > 1 || l->cluster[2] > 1)
        ls_buf_printf(to, ", \"cluster\": [%u, %u, %u]", l->cluster[0], l->cluster[1], l->cluster[2]);
    ls_buf_puts(to, ", \"args\": [");
    for (uint32_t n = 0; n < k->info.param_count; n++) {
        ls_buf_puts(to, n ? ",\n   " : "\n   ");
        put_argument(dev, to, k->function->params[n], (const char *)l->params + k->info.param_offsets[n],
                     k->info.param_sizes[n], known, &count);
    }
    ls_buf_puts(to, "]");
}

/* The PTX that the kernel is of, as NAME.ptx, and the kernels of it that are launched, a line each, as
 * NAME.kernels. */
static void write_module(ls_dev *dev, ls_dev_module *m, const char *kernel) {
    char path[4096];
    if (!m->written) {
        m->written = ++dev->modules_written;
        snprintf(path, sizeof path, "%s/module-%u.ptx", dev->options.modules, m->written);
        FILE *file = fopen(path, "w");
        if (file) fputs(m->text, file);
        if (file) fclose(file);
    }
    snprintf(path, sizeof path, "%s/module-%u.kernels", dev->options.modules, m->written);
    FILE *file = fopen(path, "a");
    if (file) fprintf(file, "%s\n", kernel);
    if (file) fclose(file);
}

void dv_record_launch(ls_dev *dev, const ls_dev_kernel *k, const ls_launch *l) {
    ls_buf entry = {0};
    put_launch(dev, k, l, &entry);
    if (!ls_map_get(&dev->recorded, entry.text, entry.length)) {
        char *kept = ls_arena_strdup(&dev->arena, entry.text);
        *ls_map_at(&dev->recorded, kept, entry.length) = dev;
        FILE *file = dev->record_file;
        if (!file) file = dev->record_file = fopen(dev->options.record, "w");
        if (file) {
            fprintf(file, "%s {\"launch\": %" PRIu64 ", %s}", dev->record_count++ ? ",\n" : "[\n",
                    dev->launches, entry.text);
            fflush(file);
        }
        if (dev->options.modules) write_module(dev, k->info.module, k->info.name);
    }
    ls_buf_free(&entry);
}
