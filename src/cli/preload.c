/* Finding the libraries that programs are started with. LD_PRELOAD is a list in which spaces and colons
 * separate: a folder with such a name is reached by a link. */
#include "cli/preload.h"

#include "base/buf.h"
#include "base/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool find(const char *library, char *folder, size_t size) {
    static const char *const places[] = {".", "../lib", "../lib64", "../lib/x86_64-linux-gnu"};
    char self[PATH_MAX], path[2 * PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return false;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(folder, size, "%s/%s", self, places[i]);
        snprintf(path, sizeof path, "%s/%s", folder, library);
        if (length > 0 && (size_t)length < size && access(path, R_OK) == 0) return true;
    }
    return false;
}

bool ls_preload_find(const char *library, ls_preload *out) {
    *out = (ls_preload){.scratch = NULL};
    errno = ENOENT;
    if (!find(library, out->folder, sizeof out->folder)) return false;
    if (!strpbrk(out->folder, " :")) return true;
    char link[PATH_MAX];
    out->scratch = ls_scratch_make();
    int length = snprintf(link, sizeof link, "%s/lib", out->scratch ? out->scratch : "");
    bool linked = out->scratch && length > 0 && (size_t)length < sizeof link && !strpbrk(link, " :") &&
                  symlink(out->folder, link) == 0;
    if (linked)
        snprintf(out->folder, sizeof out->folder, "%s", link);
    else
        ls_preload_end(out);
    return linked;
}

void ls_preload_prepend(const char *variable, const ls_preload *preload, const char *what) {
    ls_buf value = {0};
    const char *old = getenv(variable);
    ls_buf_printf(&value, "%s/%s%s%s", preload->folder, what, old && *old ? ":" : "", old ? old : "");
    setenv(variable, value.text, 1);
    ls_buf_free(&value);
}

void ls_preload_end(ls_preload *preload) {
    ls_scratch_remove(preload->scratch);
    preload->scratch = NULL;
}
