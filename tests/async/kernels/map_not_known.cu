//unknown
//lockstep: run --arch sm_90a --block 32
//a copy with an unknown tensor map of 2 dimensions
//
// Modelled on the backward kernels of CUTLASS's example 88: the map is a part of a struct by value. Arguments that are
// not given are made up, and no map can be: what a copy by it does, and all that follows from that, is not known. It is
// no finding that the zeros there are no map of two dimensions.
#include "async.h"

struct alignas(128) tensor_map {
    unsigned long long word[16];
};
struct params {
    int *out;
    tensor_map map;
};

extern "C" __global__ void map_in_struct(const __grid_constant__ params p) {
    __shared__ __align__(128) int s[32];
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncwarp();
    if (t == 0) {
        expect(&full, sizeof s);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                     "[%4];" ::"r"(AT(s)),
                     "l"(&p.map), "r"(0), "r"(0), "r"(AT(&full))
                     : "memory");
    }
    wait(&full, 0);
    p.out[t] = s[t];
}
