/* The list of files that stand for others (overlay.h): one entry, in JSON, which is YAML as well. */
#include "frontend/overlay.h"

#include <limits.h>
#include <unistd.h>

/* A path as a text in JSON, with the current folder before one that is relative. */
static void put_path(ls_buf *out, const char *path) {
    char folder[PATH_MAX];
    ls_buf_puts(out, "\"");
    const char *parts[] = {*path != '/' && getcwd(folder, sizeof folder) ? folder : "", path};
    for (int i = 0; i < 2; i++) {
        if (i && *parts[0]) ls_buf_puts(out, "/");
        for (const char *c = parts[i]; *c; c++)
            if (*c == '"' || *c == '\\' || (unsigned char)*c < 0x20)
                ls_buf_printf(out, "\\u%04x", (unsigned)*c);
            else
                ls_buf_add(out, c, 1);
    }
    ls_buf_puts(out, "\"");
}

const char *ls_overlay(const ls_job *job, const char *name, const char *contents) {
    ls_buf list = {0};
    const char *path = ls_arena_printf(job->arena, "%s/%s", job->folder, name);
    ls_buf_puts(&list, "{\"version\": 0, \"use-external-names\": false, \"roots\": [{\"type\": \"file\", "
                       "\"name\": ");
    put_path(&list, job->path);
    ls_buf_puts(&list, ", \"external-contents\": ");
    put_path(&list, contents);
    ls_buf_puts(&list, "}]}\n");
    bool good = ls_write_file(path, list.text, list.length);
    ls_buf_free(&list);
    return good ? path : NULL;
}
