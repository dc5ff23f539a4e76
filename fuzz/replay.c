/* Runs a fuzz target once on every file of a folder: the seeds as a test, with any compiler. */
#include "base/buf.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
    DIR *folder = opendir(argv[1]);
    if (!folder) return perror(argv[1]), 2;
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        ls_buf path = {0}, text = {0};
        ls_buf_printf(&path, "%s/%s", argv[1], entry->d_name);
        if (ls_read_file(ls_buf_text(&path), &text)) {
            LLVMFuzzerTestOneInput((const uint8_t *)ls_buf_text(&text), text.length);
            count++;
        }
        ls_buf_free(&path);
        ls_buf_free(&text);
    }
    closedir(folder);
    printf("%d seeds\n", count);
    return count ? 0 : 1;
}
