// Carries out the copies that stand in the lines of its input (copies.py), one launch of one thread each, for Nsight Compute.
// A line of -, behind which a launch follows that copies nothing, comes first. Prints every line that it has launched.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#define AT(p) ((unsigned)__cvta_generic_to_shared(p))
enum { LOAD, STORE, ADD };

__device__ void begin(unsigned long long *b, unsigned bytes) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(AT(b)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(AT(b)), "r"(bytes) : "memory");
}
__device__ void end(unsigned long long *b) {
    unsigned over;
    do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                    : "=r"(over) : "r"(AT(b)) : "memory");
    while (!over);
}
__device__ void finish() { asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); }

__global__ void bulk(int operation, char *data, unsigned bytes) {
    extern __shared__ __align__(1024) char s[];
    __shared__ unsigned long long b;
    begin(&b, operation == LOAD ? bytes : 0);
    if (operation == LOAD)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(AT(s)), "l"(data), "r"(bytes), "r"(AT(&b)) : "memory");
    if (operation == STORE) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(data), "r"(AT(s)), "r"(bytes) : "memory");
    if (operation == ADD)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(data), "r"(AT(s)), "r"(bytes) : "memory");
    finish();
    end(&b);
}

struct place { int at[5]; };
// Copies of a rank: N names the coordinates in the instruction, C gives them.
#define RANK(n, N, ...)                                                                                                            \
    if (rank == n) {                                                                                                               \
        if (operation == LOAD)                                                                                                     \
            asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" N "}], [%2];" ::"r"(AT(s)), "l"(&map), "r"(AT(&b)), __VA_ARGS__ : "memory"); \
        if (operation == STORE)                                                                                                    \
            asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%1, {" N "}], [%0];" ::"r"(AT(s)), "l"(&map), "r"(0), __VA_ARGS__ : "memory"); \
        if (operation == ADD)                                                                                                      \
            asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta.add.tile.bulk_group [%1, {" N "}], [%0];" ::"r"(AT(s)), "l"(&map), "r"(0), __VA_ARGS__ : "memory"); \
    }
__global__ void tensor(int operation, int rank, const __grid_constant__ CUtensorMap map, place p, unsigned bytes) {
    extern __shared__ __align__(1024) char s[];
    __shared__ unsigned long long b;
    begin(&b, operation == LOAD ? bytes : 0);
    RANK(1, "%3", "r"(p.at[0]))
    RANK(2, "%3, %4", "r"(p.at[0]), "r"(p.at[1]))
    RANK(3, "%3, %4, %5", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]))
    RANK(4, "%3, %4, %5, %6", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]))
    RANK(5, "%3, %4, %5, %6, %7", "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4]))
    finish();
    end(&b);
}
__global__ void no_copy(int operation) {
    __shared__ unsigned long long b;
    begin(&b, 0);
    finish();
    end(&b);
}

static int list(const char *text, long *numbers) {
    int count = 0;
    char *rest = (char *)text - 1;
    do numbers[count++] = strtol(rest + 1, &rest, 10);
    while (*rest == 'x');
    return count;
}

int main() {
    static const char *const names[] = {"load", "store", "add"};
    char *data, line[512];
    FILE *done = fopen(getenv("COPIES_DONE") ? getenv("COPIES_DONE") : "/dev/stdout", "w");
    cudaMalloc(&data, 16 << 20);
    cudaMemset(data, 0, 16 << 20);
    void *p = 0;
    cudaDriverEntryPointQueryResult q;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, cudaEnableDefault, &q);
    auto encode = (decltype(&cuTensorMapEncodeTiled))p;
    cudaFuncSetAttribute(tensor, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 << 10);
    while (fgets(line, sizeof line, stdin)) {
        char kind[16] = "", word[16] = "", text[5][64];
        long element, swizzle, interleave, promotion, sizes[8], pitches[8], box[8], steps[8], at[8];
        sscanf(line, "%15s %15s", kind, word);
        int operation = 0;
        while (operation < 2 && strcmp(word, names[operation])) operation++;
        if (!strcmp(kind, "-")) {
            no_copy<<<1, 1>>>(0);
        } else if (!strcmp(kind, "bulk")) {
            long bytes, offset;
            sscanf(line, "%*s %*s %ld %ld", &bytes, &offset);
            bulk<<<1, 1, 16 << 10>>>(operation, data + offset, (unsigned)bytes);
        } else {
            sscanf(line, "%*s %*s %ld %ld %ld %ld %63s %63s %63s %63s %63s", &element, &swizzle, &interleave, &promotion, text[0], text[1], text[2], text[3], text[4]);
            int rank = list(text[0], sizes);
            list(text[1], pitches), list(text[2], box), list(text[3], steps), list(text[4], at);
            CUtensorMap map;
            cuuint64_t size[5], pitch[5];
            cuuint32_t b[5], step[5];
            place where = {};
            unsigned bytes = (unsigned)element;
            for (int k = 0; k < rank; k++) {
                size[k] = sizes[k], b[k] = box[k], step[k] = steps[k], where.at[k] = at[k];
                if (k) pitch[k - 1] = pitches[k - 1];
                bytes *= k ? (b[k] + step[k] - 1) / step[k] : b[k];
            }
            CUtensorMapDataType type = element == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : element == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : element == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_UINT64;
            CUresult r = encode(&map, type, rank, data, size, pitch, b, step, (CUtensorMapInterleave)interleave, (CUtensorMapSwizzle)swizzle, (CUtensorMapL2promotion)promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
            if (r) {
                fprintf(stderr, "not a map (%d): %s", r, line);
                continue;
            }
            tensor<<<1, 1, 128 << 10>>>(operation, rank, map, where, bytes);
        }
        cudaError_t e = cudaDeviceSynchronize();
        if (e) {
            fprintf(stderr, "%s: %s", cudaGetErrorString(e), line);
            return 1;
        }
        fputs(line, done), fflush(done);
    }
    return 0;
}
