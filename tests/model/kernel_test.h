/* What the tests of the kernel language share: kernels from text or file, explored by name. */
#ifndef KERNEL_TEST_H
#define KERNEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lockstep/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline ls_model *model_of(const char *text, uint32_t threads) {
    ls_diags *diags = ls_diags_new();
    ls_model *model = ls_model_parse(text, strlen(text), "test.kernel", threads, diags);
    if (!model)
        for (uint32_t i = 0; i < ls_diags_count(diags); i++) {
            const ls_diag *d = ls_diags_at(diags, i);
            print_error("%u:%u: %s\n", d->line, d->column, d->message);
        }
    ls_diags_free(diags);
    assert_non_null(model);
    return model;
}

static inline ls_model *model_of_file(const char *name, uint32_t threads) {
    ls_buf text = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/kernels/%s", TEST_DIR, name);
    assert_true(ls_read_file(path, &text));
    ls_model *model = model_of(ls_buf_text(&text), threads);
    ls_buf_free(&text);
    return model;
}

static inline bool has_rule(const ls_model_result *result, const char *rule) {
    for (uint32_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].rule, rule) == 0) return true;
    return false;
}

#endif
