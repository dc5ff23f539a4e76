/* Random PTX kernels with the results that the emulator gives, for comparison with a GPU (run.c).
 *
 *     generate DIR COUNT [SEED [SIZE]]    writes DIR/NNNN.ptx, DIR/NNNN.want and DIR/hashes
 *     generate DIR each [SEED]            one kernel for each instruction form
 *
 * hashes: the seed and size (0: each), then the number of each kernel, the hashes of its text and of its
 * results, and 1 where ptxas's optimiser may get it wrong (doubt.c). */
#include "inputs.h"
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int write_file(const char *dir, const char *name, const void *data, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
        fprintf(stderr, "generate: %s: %s\n", path, strerror(errno));
        return 0;
    }
    return 1;
}

static int write_kernel(const char *dir, uint64_t seed, unsigned n, const char *ptx, FILE *hashes) {
    static char in[EXACT_BYTES], out[EXACT_BYTES];
    char name[32];
    exact_inputs(seed, n, in);
    snprintf(name, sizeof name, "%04u.ptx", n);
    if (!write_file(dir, name, ptx, strlen(ptx)) || exact_emulate(ptx, in, out)) {
        fprintf(stderr, "generate: in %s\n", name);
        return 0;
    }
    fprintf(hashes, "%u %016llx %016llx %d\n", n, (unsigned long long)exact_hash(ptx, strlen(ptx)),
            (unsigned long long)exact_hash(out, sizeof out), exact_is_doubtful(ptx));
    snprintf(name, sizeof name, "%04u.want", n);
    return write_file(dir, name, out, sizeof out);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: generate DIR COUNT|each [SEED [SIZE]]\n");
        return 2;
    }
    const char *dir = argv[1];
    int each = !strcmp(argv[2], "each"), good = 1;
    unsigned count = each ? UINT32_MAX : (unsigned)strtoul(argv[2], NULL, 0), n = 0,
             size = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 0) : 40;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    char path[4096];
    mkdir(dir, 0777);
    snprintf(path, sizeof path, "%s/hashes", dir);
    FILE *hashes = fopen(path, "w");
    if (!hashes) return fprintf(stderr, "generate: %s: %s\n", path, strerror(errno)), 1;
    fprintf(hashes, "seed %llu size %u\n", (unsigned long long)seed, each ? 0 : size);
    for (; n < count; n++) {
        char *ptx = each ? exact_single(seed, n) : exact_program(seed, n, size);
        if (!ptx) break;
        good &= write_kernel(dir, seed, n, ptx, hashes);
        free(ptx);
    }
    good &= !fclose(hashes);
    if (good) printf("%u kernels in %s\n", n, dir);
    return good ? 0 : 1;
}
