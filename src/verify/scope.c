/* What a verdict covers and assumes, and what it took: the sentences of its scope, and its statistics. */
#include "verify/scope.h"
#include "verify/check/signals.h"
#include "verify/execute/allocations.h"
#include "verify/execute/loops.h"

#define ONE_DIMENSION "assumes that dimensions which the kernel does not use are 1"

/* What a library's function is taken to do, as its summary says (share/lockstep/summaries):
 * __lockstep_summary_cub__BlockRadixSort stands where cub::BlockRadixSort is called. */
static void tell_summaries(ls_proof *p) {
    static const char prefix[] = "__lockstep_summary_";
    ls_map told = {0};
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        const ls_ir_instr *instr = p->f->instrs[i];
        const char *name =
            ls_ir_builtin(instr) == LS_BUILTIN_SUMMARY ? instr->call->name + strlen(prefix) : "";
        const char *colons = strstr(name, "__");
        void **place = colons ? ls_map_at(&told, name, strlen(name)) : NULL;
        if (!place || *place) continue;
        *place = p;
        name = ls_arena_printf(&p->arena, "%.*s::%s", (int)(colons - name), name, colons + 2);
        ls_scope_line(p, ls_arena_printf(&p->arena, "assumes that %s does what its summary says", name),
                      "assumes that %s does what its summary says: the library's own code is not checked",
                      name);
    }
    ls_map_free(&told);
}

static const struct {
    const char *brief, *text;
} assumptions[] = {
#define LS_ASSUMED_ROW(name, brief, text) {brief, text},
    LS_ASSUMPTIONS(LS_ASSUMED_ROW)
#undef LS_ASSUMED_ROW
};

void ls_make_scope(ls_proof *p) {
    const uint32_t *b = p->options->block, *g = p->options->grid;
    if (b[0])
        ls_scope_line(p, NULL, "for blocks of %u x %u x %u threads", b[0], b[1], b[2]);
    else
        ls_scope_line(p, NULL, "for blocks of any size (up to 1024 threads)");
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 1; i < 3; i++) {
        if (!b[0] && !p->used_axis[0][i])
            ls_scope_line(p, ONE_DIMENSION, "assumes blockDim.%s = 1, as the kernel does not use it",
                          axes[i]);
        if (!g[0] && !p->used_axis[1][i])
            ls_scope_line(p, ONE_DIMENSION, "assumes gridDim.%s = 1, as the kernel does not use it", axes[i]);
    }
    for (size_t i = 0; i < LS_ASSUMED_COUNT; i++)
        if (p->assumed >> i & 1) ls_scope_line(p, assumptions[i].brief, "%s", assumptions[i].text);
    tell_summaries(p);
    ls_tell_allocations(p);
    ls_tell_zeros(p);
    if (g[0])
        ls_scope_line(p, NULL, "for grids of %u x %u x %u blocks", g[0], g[1], g[2]);
    else
        ls_scope_line(p, NULL, "for grids of any size, with at most 2^31 - 1 threads in each dimension");
    ls_scope_line(p, "assumes that pointers do not overlap",
                  "assumes that pointer parameters and variables do not overlap, and that every access stays "
                  "within its array%s",
                  p->options->bounds ? "" : " (--bounds checks arrays of known size)");
    ls_scope_line(p, NULL,
                  "a load gives what the same thread stored last; memory that other threads may have written "
                  "before the last barrier can hold any value");
    if (!p->options->benign_error)
        ls_scope_line(p, NULL,
                      "threads that write the same value to the same place are not reported as a race "
                      "(--benign error reports them)");
    if (!p->options->opencl && !p->options->strict_exit)
        ls_scope_line(p, NULL,
                      "a barrier does not wait for threads that have returned from the kernel, as in PTX "
                      "(--strict-exit reports such barriers)");
    if (p->options->warp_sync)
        ls_scope_line(p, "assumes that warps run in lock-step",
                      "assumes that warps of %u threads run in lock-step", p->options->warp_sync);
    if (!p->options->null)
        ls_scope_line(p, NULL, "assumes that pointer parameters are not null (--null drops this assumption)");
    if (p->options->only_intra_group)
        ls_scope_line(p, "races between blocks were not looked for",
                      "races between blocks were not looked for");
    if (p->options->only_divergence)
        ls_scope_line(p, "races were not looked for", "races were not looked for");
}

void ls_make_stats(ls_proof *p) {
    struct {
        const char *text;
        uint32_t value;
    } rows[] = {
#define LS_SOLVE_ROW(field, text) {text, p->solver.stats.field},
        LS_SOLVE_STATS(LS_SOLVE_ROW)
#undef LS_SOLVE_ROW
            {"accesses", p->whole_events.length},
        {"terms", p->terms.count},
        {"milliseconds of the solver's own time", (uint32_t)(ls_solver_now(&p->solver) * 1e3)},
        {"loop invariants tried", ls_invariants_of(p)->tried},
        {"loop invariants found", ls_invariants_of(p)->found},
    };
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;) {
        ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
        n->text = rows[i].text;
        n->help = rows[i].value ? ls_arena_printf(&p->arena, "%u", rows[i].value) : "0"; /* as most are */
        n->next = p->result->stats;
        p->result->stats = n;
    }
}
