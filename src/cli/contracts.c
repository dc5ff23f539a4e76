/* Contracts in a file (contracts.h): a JSON list of {"kernel": …, "contract": …}. */
#include "cli/contracts.h"

#include "base/buf.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- One contract and one launch -------------------------------------------------------------------------
 */

enum { MOST_ASSUMPTIONS = 64 };

/* The kernel at the launch, where the condition holds as well. */
static ls_verify_result *verify_with(const ls_ir_function *kernel, const ls_verify_options *options,
                                     const char *condition) {
    const char *assumptions[MOST_ASSUMPTIONS + 1];
    ls_verify_options o = *options;
    for (uint32_t i = 0; i < o.assumption_count; i++) assumptions[i] = o.assumptions[i];
    assumptions[o.assumption_count++] = condition;
    o.assumptions = assumptions;
    o.proof_only = true;
    return ls_verify(kernel, &o);
}

ls_contract_state ls_contract_check(const ls_ir_function *kernel, const ls_verify_options *options,
                                    const char *condition, ls_verify_result **result) {
    *result = NULL;
    if (options->assumption_count >= MOST_ASSUMPTIONS) return LS_CONTRACT_USELESS;
    ls_verify_result *with = verify_with(kernel, options, condition);
    bool concerns = with->assumed && with->assumed[options->assumption_count];
    bool proved = concerns && with->verdict == LS_PROVED;
    ls_contract_state state = with->impossible && concerns ? LS_CONTRACT_BROKEN : LS_CONTRACT_USELESS;
    if (proved) {
        ls_buf opposite = {0};
        ls_buf_printf(&opposite, "!(%s)", condition);
        ls_verify_result *without = verify_with(kernel, options, ls_buf_text(&opposite));
        state = without->impossible ? LS_CONTRACT_MET : LS_CONTRACT_OPEN;
        ls_verify_free(without);
        ls_buf_free(&opposite);
        *result = with;
    } else {
        ls_verify_free(with);
    }
    return state;
}

/* --- The file --------------------------------------------------------------------------------------------
 */

#ifdef LS_HAVE_JANSSON
#include <jansson.h>

struct ls_contracts {
    pthread_mutex_t lock;
    char *path;
    json_t *given, *found; /* by kernel: its condition in the file, and the one that was found now */
};

static bool wrong(const char *path, size_t entry, const char *what, ls_diags *diags) {
    ls_diags_add(diags, LS_ERROR, path, 0, 0, "entry %zu of the list: %s", entry + 1, what);
    return false;
}

static bool read_entry(ls_contracts *c, const json_t *entry, size_t i, ls_diags *diags) {
    const char *kernel = json_string_value(json_object_get(entry, "kernel"));
    const char *condition = json_string_value(json_object_get(entry, "contract"));
    if (!kernel) return wrong(c->path, i, "the kernel's name is missing", diags);
    if (!condition) return wrong(c->path, i, "the contract is missing", diags);
    ls_diags *syntax = ls_diags_new();
    bool good = ls_verify_condition(condition, false, syntax);
    if (!good) wrong(c->path, i, ls_diags_at(syntax, 0)->message, diags);
    ls_diags_free(syntax);
    if (good) json_object_set_new(c->given, kernel, json_string(condition));
    return good;
}

ls_contracts *ls_contracts_read(const char *path, ls_diags *diags) {
    ls_contracts *c = ls_xmalloc(sizeof *c);
    *c = (ls_contracts){.path = ls_xstrdup(path), .given = json_object(), .found = json_object()};
    pthread_mutex_init(&c->lock, NULL);
    if (access(path, F_OK)) return c;
    json_error_t error = {.line = 0};
    json_t *list = json_load_file(path, 0, &error);
    bool good = list && json_is_array(list);
    if (!list)
        ls_diags_add(diags, LS_ERROR, path, error.line < 0 ? 0 : (uint32_t)error.line,
                     error.column < 0 ? 0 : (uint32_t)error.column, "%s", error.text);
    else if (!good)
        ls_diags_add(diags, LS_ERROR, path, 1, 1, "expected a list of contracts");
    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = read_entry(c, json_array_get(list, i), i, diags);
    json_decref(list);
    if (good) return c;
    ls_contracts_free(c);
    return NULL;
}

void ls_contracts_free(ls_contracts *c) {
    if (!c) return;
    json_decref(c->given);
    json_decref(c->found);
    pthread_mutex_destroy(&c->lock);
    free(c->path);
    free(c);
}

const char *ls_contracts_find(ls_contracts *c, const char *kernel) {
    return c ? json_string_value(json_object_get(c->given, kernel)) : NULL;
}

/* Of the conditions of several launches the first in alphabetical order, so that it does not depend on which
 * thread was faster. */
void ls_contracts_keep(ls_contracts *c, const char *kernel, const char *condition) {
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    const char *other = json_string_value(json_object_get(c->found, kernel));
    if (!other || strcmp(condition, other) < 0) json_object_set_new(c->found, kernel, json_string(condition));
    pthread_mutex_unlock(&c->lock);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in order. */
static const char **sorted(json_t *object) {
    const char **names = ls_xmalloc(sizeof *names * (json_object_size(object) + 1));
    size_t count = 0;
    const char *name;
    json_t *condition;
    json_object_foreach(object, name, condition) names[count++] = name;
    qsort(names, count, sizeof *names, by_name);
    return names;
}

static int put(const char *text, size_t length, void *to) {
    ls_buf_add(to, text, length);
    return 0;
}

/* Those of the file stay. */
bool ls_contracts_write(ls_contracts *c, ls_diags *diags) {
    if (!c) return true;
    size_t before = json_object_size(c->given);
    json_object_update_missing(c->given, c->found);
    size_t count = json_object_size(c->given);
    if (count == before && !access(c->path, F_OK)) return true;
    const char **names = sorted(c->given);
    ls_buf text = {0};
    ls_buf_puts(&text, "[");
    for (size_t i = 0; i < count; i++) {
        json_t *entry =
            json_pack("{s:s, s:O}", "kernel", names[i], "contract", json_object_get(c->given, names[i]));
        ls_buf_puts(&text, i ? ",\n " : "\n ");
        json_dump_callback(entry, put, &text, 0);
        json_decref(entry);
    }
    ls_buf_puts(&text, "\n]\n");
    bool good = ls_write_file(c->path, text.text, text.length);
    if (!good) ls_diags_add(diags, LS_ERROR, c->path, 0, 0, "cannot be written: %s", strerror(errno));
    ls_buf_free(&text);
    free(names);
    return good;
}
#else
struct ls_contracts {
    bool none;
};

ls_contracts *ls_contracts_read(const char *path, ls_diags *diags) {
    ls_diags_add(diags, LS_ERROR, path, 0, 0, "this Lockstep was built without jansson, which reads it");
    return NULL;
}

void ls_contracts_free(ls_contracts *contracts) {
    (void)contracts;
}

const char *ls_contracts_find(ls_contracts *contracts, const char *kernel) {
    (void)contracts, (void)kernel;
    return NULL;
}

void ls_contracts_keep(ls_contracts *contracts, const char *kernel, const char *condition) {
    (void)contracts, (void)kernel, (void)condition;
}

bool ls_contracts_write(ls_contracts *contracts, ls_diags *diags) {
    (void)contracts, (void)diags;
    return true;
}
#endif
