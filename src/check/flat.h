/* Options of the flat functions as texts (flat.c). */
#ifndef LS_CHECK_FLAT_H
#define LS_CHECK_FLAT_H

#include "base/arena.h"
#include "base/vec.h"
#include "lockstep/emulate.h"
#include "lockstep/frontend.h"
#include "lockstep/report.h"

typedef LS_VEC(const char *) ls_texts;

typedef struct {
    const char *kernel;
    uint32_t block[3], grid[3];
    double timeout;
    uint32_t shared;
    bool has_shared, bounds, missing_zero;
    ls_texts defines, include_dirs, includes, extra, assumptions, sizes;
    ls_frontend_options frontend; /* texts and lists are filled by ls_flat_options */
    ls_emu_options run;
} ls_flat;

/* False with an error in diags for a text that is no option. */
bool ls_flat_options(ls_flat *flat, const char *const *options, uint32_t count, ls_diags *diags);
void ls_flat_options_free(ls_flat *flat);
/* The report as JSON, which is freed with it. */
char *ls_flat_print(ls_report *report);

#endif
