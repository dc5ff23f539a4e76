/* What a proof needs (ls_verify_needs): of the sizes and facts of a launch for which a kernel is proved,
 * those are dropped one after the other without which it is proved as well. */
#include "verify/effort.h"
#include "verify/execute/facts.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FACTS = 64 };

typedef struct {
    const char *items[MOST_FACTS];
    uint32_t count;
} fact_list;

static bool is_proved_with(const ls_ir_function *kernel, const ls_verify_options *options,
                           const fact_list *facts, double *left) {
    ls_verify_options o = *options;
    memset(o.block, 0, sizeof o.block);
    memset(o.grid, 0, sizeof o.grid);
    o.facts = facts->items;
    o.fact_count = facts->count;
    o.proof_only = true;
    o.smt2_dir = NULL;
    o.timeout = ls_contract_attempt(*left);
    if (*left <= 0) return false;
    ls_verify_result *r = ls_verify(kernel, &o);
    *left -= ls_verify_effort(r);
    bool proved = r->verdict == LS_PROVED;
    ls_verify_free(r);
    return proved;
}

/* Drops what the proof does not need, one after the other. */
static void drop_facts(const ls_ir_function *kernel, const ls_verify_options *options, fact_list *facts,
                       double *left) {
    for (uint32_t i = 0; i < facts->count;) {
        fact_list fewer = {.count = 0};
        for (uint32_t k = 0; k < facts->count; k++)
            if (k != i) fewer.items[fewer.count++] = facts->items[k];
        if (is_proved_with(kernel, options, &fewer, left))
            *facts = fewer;
        else
            i++;
    }
}

bool ls_verify_needs(const ls_ir_function *kernel, const ls_verify_options *options, char *out, size_t size) {
    static const char *const names[2][3] = {{"gridDim.x", "gridDim.y", "gridDim.z"},
                                            {"blockDim.x", "blockDim.y", "blockDim.z"}};
    char sizes[6][32];
    fact_list facts = {.count = 0};
    double left = ls_contract_time(options);
    if (options->fact_count + 6 > MOST_FACTS || !options->block[0] || !options->grid[0]) return false;
    for (uint32_t i = 0; i < 6; i++) {
        snprintf(sizes[i], sizeof sizes[i], "%s == %u", names[i / 3][i % 3],
                 i < 3 ? options->grid[i] : options->block[i - 3]);
        facts.items[facts.count++] = sizes[i];
    }
    for (uint32_t i = 0; i < options->fact_count; i++) facts.items[facts.count++] = options->facts[i];
    if (!is_proved_with(kernel, options, &facts, &left)) return false;
    drop_facts(kernel, options, &facts, &left);
    ls_buf text = {0};
    for (uint32_t i = 0; i < facts.count; i++) {
        if (i) ls_buf_puts(&text, " && ");
        ls_fact_show(kernel->ptx, options, facts.items[i], &text);
    }
    int length = snprintf(out, size, "%s", facts.count ? ls_buf_text(&text) : "");
    ls_buf_free(&text);
    return length >= 0 && (size_t)length < size;
}
