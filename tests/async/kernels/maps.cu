// Tensor maps that a kernel makes or changes itself (tensormap.replace), as Triton's descriptors and CUTLASS's grouped
// products have them: tensor copies read the map by a proxy of its own. Each kernel as it is wrong, and mended.
//: verify map_not_acquired map_not_released map_changed_again map_acquired map_released map_acquired_again --arch sm_90a --block 32 --grid 1 => unknown
#include "async.h"

// A field of a map that is the same for all dimensions, or has one for each.
#define FIELD(space, name, map, value)                                                                                 \
    asm volatile("tensormap.replace.tile." name "." space ".b1024.b32 [%0], " #value ";" ::"l"(map) : "memory")
#define FIELD_OF(space, name, map, value)                                                                              \
    asm volatile("tensormap.replace.tile." name "." space ".b1024.b32 [%0], 0, %1;" ::"l"(map), "r"(value) : "memory")
#define PLACE(space, map, value)                                                                                       \
    asm volatile("tensormap.replace.tile.global_address." space ".b1024.b64 [%0], %1;" ::"l"(map), "l"(value)          \
                 : "memory")
#define SHARED(p) ((unsigned long long)AT(p))
// By the whole warp: the map is copied to global memory, and released to its proxy.
#define PUBLISH(to, from)                                                                                              \
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], " \
                 "128;" ::"l"(to), "l"(SHARED(from))                                                                   \
                 : "memory")
#define RELEASE_MAP()  PTX("fence.proxy.tensormap::generic.release.gpu")
#define ACQUIRE_MAP(p) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(p) : "memory")
#define TENSOR_LOAD(to, map, at, b)                                                                                    \
    asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2}], "      \
                 "[%3];" ::"r"(AT(to)),                                                                                \
                 "l"(map), "r"(at), "r"(AT(b))                                                                         \
                 : "memory")

struct alignas(128) tensor_map {
    unsigned long long word[16];
};
__device__ tensor_map made; // where copies find it

// A map of 64 whole numbers, of which a copy takes 32.
#define DESCRIBE(map, from)                                                                                            \
    PLACE("shared::cta", SHARED(map), from);                                                                           \
    FIELD("shared::cta", "rank", SHARED(map), 0);                                                                      \
    FIELD_OF("shared::cta", "box_dim", SHARED(map), 32);                                                               \
    FIELD_OF("shared::cta", "global_dim", SHARED(map), 64);                                                            \
    FIELD_OF("shared::cta", "element_stride", SHARED(map), 1);                                                         \
    FIELD("shared::cta", "elemtype", SHARED(map), 3);                                                                  \
    FIELD("shared::cta", "interleave_layout", SHARED(map), 0);                                                         \
    FIELD("shared::cta", "swizzle_mode", SHARED(map), 0);                                                              \
    FIELD("shared::cta", "fill_mode", SHARED(map), 0)

#define BEGIN()                                                                                                        \
    __shared__ __align__(128) int s[32];                                                                               \
    __shared__ tensor_map map;                                                                                         \
    __shared__ mbarrier full;                                                                                          \
    int t = threadIdx.x;                                                                                               \
    if (t < 16) map.word[t] = 0;                                                                                       \
    if (t == 0) {                                                                                                      \
        init(&full, 1);                                                                                                \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    __syncwarp()

// The copy is started by the thread that has made the map, but its proxy may still have what was there before.
//: map_not_acquired --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[64]' => async.proxy ap ac
extern "C" __global__ void map_not_acquired(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        DESCRIBE(&map, in);
    }
    __syncwarp();
    PUBLISH(&made, &map); // [ap]
    if (t == 0) {
        expect(&full, 128);
        TENSOR_LOAD(s, &made, 32, &full); // [ac]
    }
    wait(&full, 0);
    out[t] = s[t];
}

//: map_acquired --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void map_acquired(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        DESCRIBE(&map, in);
    }
    __syncwarp();
    PUBLISH(&made, &map);
    if (t == 0) {
        ACQUIRE_MAP(&made);
        expect(&full, 128);
        TENSOR_LOAD(s, &made, 32, &full);
    }
    wait(&full, 0);
    out[t] = s[t];
}

// The map is changed where it stands, in global memory, and the change is not released to the proxy.
//: map_not_released --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[64]' => async.proxy rp rc
extern "C" __global__ void map_not_released(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        DESCRIBE(&map, in);
    }
    __syncwarp();
    if (t < 16) made.word[t] = map.word[t];
    __syncwarp();
    if (t == 0) {
        PLACE("global", &made, in + 64); // [rp]
        ACQUIRE_MAP(&made);
        expect(&full, 128);
        TENSOR_LOAD(s, &made, 32, &full); // [rc]
    }
    wait(&full, 0);
    out[t] = s[t];
}

//: map_released --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void map_released(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        DESCRIBE(&map, in);
    }
    __syncwarp();
    if (t < 16) made.word[t] = map.word[t];
    __syncwarp();
    if (t == 0) {
        PLACE("global", &made, in + 64);
        RELEASE_MAP();
        ACQUIRE_MAP(&made);
        expect(&full, 128);
        TENSOR_LOAD(s, &made, 32, &full);
    }
    wait(&full, 0);
    out[t] = s[t];
}

// A grouped product: the next group's map is written where the last one's was, and only
// the first of them was acquired.
//: map_changed_again --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[64]' => async.proxy gp gc
extern "C" __global__ void map_changed_again(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        DESCRIBE(&map, in);
    }
    __syncwarp();
    PUBLISH(&made, &map);
    if (t == 0) ACQUIRE_MAP(&made);
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            expect(&full, 128);
            TENSOR_LOAD(s, &made, 0, &full); // [gc]
        }
        wait(&full, k);
        out[32 * k + t] = s[t];
        if (k == 1) break;
        if (t == 0) {
            PLACE("shared::cta", SHARED(&map), in + 64);
            fence_proxy();
        }
        __syncwarp();
        PUBLISH(&made, &map); // [gp]
        if (t == 0) {
            fence_proxy();
        }
    }
}

//: map_acquired_again --arch sm_90a --block 32 --arg 's32[128]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void map_acquired_again(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        DESCRIBE(&map, in);
    }
    __syncwarp();
    PUBLISH(&made, &map);
    if (t == 0) ACQUIRE_MAP(&made);
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            expect(&full, 128);
            TENSOR_LOAD(s, &made, 0, &full);
        }
        wait(&full, k);
        out[32 * k + t] = s[t];
        if (k == 1) break;
        if (t == 0) {
            PLACE("shared::cta", SHARED(&map), in + 64);
            fence_proxy();
        }
        __syncwarp();
        PUBLISH(&made, &map);
        if (t == 0) {
            ACQUIRE_MAP(&made);
            fence_proxy();
        }
    }
}
