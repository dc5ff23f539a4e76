/* How fast PTX is read: the stored kernels repeated up to a given size (default 45 MB, as large as files in
 * the wild get), parsed on one core; MB/s and memory per byte of text at growing sizes, which shows that
 * both are linear, beside copying the text and counting its lines in the same run. */
#include "base/buf.h"
#include "lockstep/ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Adds one copy of the module's text with every function and variable renamed, as names must differ. */
static void add_copy(ls_buf *out, const ls_ptx_module *module, const char *body, uint32_t copy) {
    const char *p = body;
    while (*p) {
        if (!isalpha((unsigned char)*p) && *p != '_' && *p != '%' && *p != '$') {
            ls_buf_putc(out, *p++);
            continue;
        }
        size_t length = 1;
        while (isalnum((unsigned char)p[length]) || p[length] == '_' || p[length] == '$') length++;
        ls_buf_add(out, p, length);
        bool renamed = false;
        for (uint32_t i = 0; i < module->function_count && !renamed; i++) {
            const ls_ptx_symbol *symbol = module->functions[i]->symbol;
            renamed = symbol->length == length && memcmp(symbol->name, p, length) == 0;
        }
        for (uint32_t i = 0; i < module->variable_count && !renamed; i++) {
            const ls_ptx_symbol *symbol = module->variables[i]->symbol;
            renamed = symbol->length == length && memcmp(symbol->name, p, length) == 0;
        }
        if (renamed) ls_buf_printf(out, "_%u", copy);
        p += length;
    }
}

int main(int argc, char **argv) {
    const char *path = SOURCE_DIR "/tests/ptx/kernels/kernels_sm_75_lineinfo.ptx";
    size_t most = argc > 1 ? (size_t)(atof(argv[1]) * 1e6) : 45000000;
    ls_buf text = {0}, big = {0};
    ls_diags *diags = ls_diags_new();
    if (!ls_read_file(path, &text)) return 2;
    ls_ptx_module *module = ls_ptx_parse(text.text, text.length, path, diags);
    if (!module) return 2;
    const char *body = strstr(text.text, ".address_size");
    body = strchr(body, '\n') + 1;
    printf("%10s %12s %10s %16s %22s\n", "size", "parse MB/s", "memory", "peak memory",
           "time over copy + scan");
    for (size_t size = most / 64; size <= most; size *= 4) {
        big.length = 0;
        ls_buf_add(&big, text.text, (size_t)(body - text.text));
        for (uint32_t copy = 0; big.length < size; copy++) add_copy(&big, module, body, copy);
        double best = 1e9, scan = 1e9;
        size_t memory = 0, lines = 0;
        for (int run = 0; run < 3; run++) {
            double start = now();
            char *copy = malloc(big.length);
            memcpy(copy, big.text, big.length);
            for (size_t i = 0; i < big.length; i++) lines += copy[i] == '\n';
            double middle = now();
            ls_ptx_module *parsed = ls_ptx_parse(big.text, big.length, path, diags);
            double end = now();
            free(copy);
            if (!parsed) {
                fprintf(stderr, "%s\n", ls_diags_at(diags, 0)->message);
                return 1;
            }
            memory = parsed->memory;
            ls_ptx_module_free(parsed);
            if (end - middle < best) best = end - middle;
            if (middle - start < scan) scan = middle - start;
        }
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%7.1f MB %12.0f %9.1fx %15.1fx %21.0fx\n", (double)big.length / 1e6,
               (double)big.length / best / 1e6, (double)memory / (double)big.length,
               (double)usage.ru_maxrss * 1024 / (double)big.length, lines ? best / scan : 0);
    }
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    ls_buf_free(&text);
    ls_buf_free(&big);
    return 0;
}
