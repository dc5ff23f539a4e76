/* lockstep run --prove: the device has written every distinct launch (docs/launches.md) and the PTX of the
 * modules that they are of. Each module is given to `lockstep verify --launches`, for the kernels that were
 * launched: what the run has shown for one content of memory is proved for all, or refuted, or left open. */
#include "cli/prove.h"

#include "base/buf.h"
#include "cli/child.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ls_prove_record(const char *folder, char *path, size_t size) {
    snprintf(path, size, "%s/launches.json", folder);
}

/* A program that was ended by a signal has not closed the list. */
static bool close_list(const char *record) {
    ls_buf text = {0};
    if (!ls_read_file(record, &text)) return false;
    while (text.length && strchr(" \n", text.text[text.length - 1])) text.length--;
    const bool open = !text.length || text.text[text.length - 1] != ']';
    ls_buf_free(&text);
    FILE *file = open ? fopen(record, "a") : NULL;
    if (file) fputs("\n]\n", file);
    if (file) fclose(file);
    return true;
}

/* The lines of a file, each once. */
static void add_kernels(ls_arena *arena, ls_list *arguments, char *names) {
    ls_list seen = {0};
    for (char *rest = NULL, *name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
        bool known = false;
        for (uint32_t k = 0; k < seen.count; k++) known |= !strcmp(seen.items[k], name);
        if (known) continue;
        ls_list_push(arena, &seen, name);
        ls_list_push(arena, arguments, "--kernel");
        ls_list_push(arena, arguments, ls_arena_strdup(arena, name));
    }
}

/* The exit status of verify, or -1 where there is no such module. */
static int verify_module(const ls_common *common, const char *folder, const char *record, uint32_t number,
                         FILE *to) {
    char ptx[32], kernels[PATH_MAX + 32], jobs[16];
    ls_buf names = {0};
    snprintf(ptx, sizeof ptx, "module-%u.ptx", number);
    snprintf(kernels, sizeof kernels, "%s/module-%u.kernels", folder, number);
    snprintf(jobs, sizeof jobs, "%u", common->jobs);
    if (!ls_read_file(kernels, &names)) return -1;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_list arguments = {0};
    const char *shown = strncmp(record, folder, strlen(folder)) ? record : "launches.json";
    const char *const first[] = {"/proc/self/exe", "verify", "--launches", shown, "--jobs", jobs};
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) ls_list_push(&arena, &arguments, first[k]);
    add_kernels(&arena, &arguments, ls_arena_strdup(&arena, ls_buf_text(&names)));
    ls_list_push(&arena, &arguments, ptx);
    ls_list_push(&arena, &arguments, NULL);
    ls_child_result r = {0};
    ls_child_run((char *const *)(uintptr_t)arguments.items, folder, 0, &r);
    fputs(ls_buf_text(&r.output), to);
    int status = r.end == LS_CHILD_EXITED ? r.code : LS_EXIT_USAGE;
    ls_buf_free(&r.output);
    ls_buf_free(&names);
    ls_arena_free(&arena);
    return status;
}

int ls_prove(const ls_common *common, const char *folder, const char *record, FILE *to) {
    char own[PATH_MAX + 32], whole[PATH_MAX];
    ls_prove_record(folder, own, sizeof own);
    if (!record) record = own;
    if (realpath(record, whole)) record = whole; /* verify runs in the folder */
    int worst = LS_EXIT_CLEAN;
    fprintf(to, "the launches, verified for all contents of their memory:\n");
    if (!close_list(record)) fprintf(to, "  there was none\n");
    for (uint32_t n = 1;; n++) {
        int status = verify_module(common, folder, record, n, to);
        if (status < 0) break;
        static const int by_weight[] = {LS_EXIT_CLEAN, LS_EXIT_UNKNOWN, LS_EXIT_FOUND, LS_EXIT_USAGE};
        for (size_t k = 0, met = 0; k < sizeof by_weight / sizeof *by_weight; k++) {
            met |= by_weight[k] == worst;
            if (met && by_weight[k] == status) worst = status;
        }
    }
    return worst;
}
