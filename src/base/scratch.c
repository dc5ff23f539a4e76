/* Folders for temporary files (scratch.h). */
#include "base/scratch.h"

#include "base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    LS_VEC(char *) folders;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

char *ls_scratch_make(void) {
    const char *root = getenv("TMPDIR");
    if (!root || !*root) root = "/tmp";
    size_t size = strlen(root) + sizeof "/lockstep-XXXXXX";
    char *folder = ls_xmalloc(size);
    snprintf(folder, size, "%s/lockstep-XXXXXX", root);
    pthread_mutex_lock(&all.lock);
    bool made = mkdtemp(folder) != NULL;
    if (made) LS_VEC_PUSH(&all.folders, folder);
    pthread_mutex_unlock(&all.lock);
    if (made) return folder;
    free(folder);
    return NULL;
}

/* Files, and folders of files: those of a process whose $TMPDIR it was. */
static void empty(const char *folder, int depth) {
    DIR *list = opendir(folder);
    if (!list) return;
    for (const struct dirent *entry; (entry = readdir(list));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (!unlinkat(dirfd(list), entry->d_name, 0) || !depth) continue;
        char inner[4096];
        if (snprintf(inner, sizeof inner, "%s/%s", folder, entry->d_name) < (int)sizeof inner)
            empty(inner, depth - 1);
    }
    closedir(list);
    rmdir(folder);
}

void ls_scratch_remove(char *folder) {
    if (!folder) return;
    empty(folder, 1);
    pthread_mutex_lock(&all.lock);
    uint32_t k = 0;
    while (k < all.folders.length && all.folders.items[k] != folder) k++;
    if (k < all.folders.length) all.folders.items[k] = all.folders.items[--all.folders.length];
    if (!all.folders.length) LS_VEC_FREE(&all.folders);
    pthread_mutex_unlock(&all.lock);
    free(folder);
}

void ls_scratch_remove_all(void) {
    pthread_mutex_lock(&all.lock);
    for (uint32_t k = 0; k < all.folders.length; k++) empty(all.folders.items[k], 1);
    pthread_mutex_unlock(&all.lock);
}
