//unknown
//lockstep: run --arch sm_90a --block 32
//a copy with an unknown tensor map of 1 dimension
//
// As CUTLASS's grouped products have it: the map is copied from the arguments and changed, but of what stays as it was, its
// box, nothing is known where the argument is made up.
#include "async.h"

struct alignas(128) tensor_map {
    unsigned long long word[16];
};

extern "C" __global__ void map_in_memory(const tensor_map *from, tensor_map *to, const int *in, int *out) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t < 16) to->word[t] = from->word[t];
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncwarp();
    if (t == 0) {
        asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(to), "l"(in) : "memory");
        asm volatile("fence.proxy.tensormap::generic.release.gpu;\n"
                     "fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(to)
                     : "memory");
        expect(&full, sizeof s);
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], "
                     "[%3];" ::"r"(AT(s)),
                     "l"(to), "r"(0), "r"(AT(&full))
                     : "memory");
    }
    wait(&full, 0);
    out[t] = s[t];
}
