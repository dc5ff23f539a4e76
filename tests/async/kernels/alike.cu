// Copies from shared memory that several threads start to one place: lanes of a warp that start one and the same write what
// is there anyway (a note, as of any equal writes), all others race.
//: verify lanes_store_alike --arch sm_90a --block 64 --grid 1 => unknown
//: verify lanes_store_others --arch sm_90a --block 64 --grid 1 => refuted
#include "async.h"

// As in epilogues of CUTLASS whose first warp stores a tile without electing a lane.
//: lanes_store_alike --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void lanes_store_alike(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t < 32) {
        store(out, s, 256);
        commit();
        WAIT(0);
    }
}

//: lanes_store_others --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => race.global os os
extern "C" __global__ void lanes_store_others(const int *in, int *out) {
    __shared__ __align__(128) int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    fence_proxy();
    __syncthreads();
    if (t < 8) {
        store(out, s + 4 * t, 16); // [os]
        commit();
        WAIT(0);
    }
}

// What the second copy brings is not what is there, though that is zeros when it is started.
//: zeros_are_stored_first --arch sm_90a --block 64 --arg 's32[64]=iota' --arg 's32[64]' => race.global zn zz
extern "C" __global__ void zeros_are_stored_first(const int *in, int *out) {
    __shared__ __align__(128) int s[64], z[64];
    int t = threadIdx.x;
    s[t] = in[t] + 1;
    z[t] = 0;
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(out, z, 256); // [zz]
        commit();
        WAIT(0);
    }
    if (t == 32) {
        store(out, s, 256); // [zn]
        commit();
        WAIT(0);
    }
}
