/* Runs a fuzz target once on every file of a folder: the seeds as a test, with any compiler. Or, for targets
 * that make what they test from any bytes: --random COUNT SEED, on as many inputs of random bytes; the number
 * of the one that is run stands in the file that LOCKSTEP_AT names, if it names one. */
#include "base/buf.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int run_random(uint64_t count, uint64_t seed) {
    const char *at = getenv("LOCKSTEP_AT");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t state = seed + i;
        uint8_t data[1024];
        size_t size = 64 + next(&state) % (sizeof data - 64);
        for (size_t k = 0; k < size; k++) data[k] = (uint8_t)(next(&state) >> 32);
        if (at) {
            char text[32];
            int length = snprintf(text, sizeof text, "%llu\n", (unsigned long long)(seed + i));
            FILE *file = fopen(at, "w");
            if (file) fwrite(text, 1, (size_t)length, file), fclose(file);
        }
        LLVMFuzzerTestOneInput(data, size);
    }
    fprintf(stderr, "%llu runs\n", (unsigned long long)count);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[1], "--random"))
        return run_random(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
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
