/* The GPUs that a program can be shown, and what CUDA's device attributes say of them. Figures are those that
 * NVIDIA documents for the product and for its compute capability; those of the H200 were read from one. What
 * the emulated device cannot do (compressed memory, handles for other processes) it does not claim. */
#include "device/device.h"

#include <string.h>

#define GB(n) ((uint64_t)(n) << 30)
#define KB(n) ((n) << 10)

static const ls_gpu_model gpus[] = {
    {"h200", "NVIDIA H200", 9, 0, 132, UINT64_C(150109880320), 1980000, 3201000, 6016, KB(61440)},
    {"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, GB(80), 1980000, 2619000, 5120, KB(51200)},
    {"a100", "NVIDIA A100-SXM4-80GB", 8, 0, 108, GB(80), 1410000, 1593000, 5120, KB(40960)},
    {"l40s", "NVIDIA L40S", 8, 9, 142, GB(45), 2520000, 9001000, 384, KB(98304)},
    {"l4", "NVIDIA L4", 8, 9, 58, GB(22), 2040000, 6251000, 192, KB(49152)},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, GB(24), 2520000, 10501000, 384, KB(73728)},
    {"a10", "NVIDIA A10", 8, 6, 72, GB(22), 1695000, 6251000, 384, KB(6144)},
    {"t4", "Tesla T4", 7, 5, 40, GB(15), 1590000, 5001000, 256, KB(4096)},
    {"v100", "Tesla V100-SXM2-16GB", 7, 0, 80, GB(16), 1530000, 877000, 4096, KB(6144)},
    {"b200", "NVIDIA B200", 10, 0, 148, GB(179), 1965000, 3996000, 8192, KB(129024)},
};

const ls_gpu_model *ls_gpu_model_find(const char *key) {
    if (!key || !*key) return &gpus[0];
    for (size_t k = 0; k < sizeof gpus / sizeof *gpus; k++)
        if (!strcmp(gpus[k].key, key)) return &gpus[k];
    return NULL;
}

/* Attributes that are the same for all of them, by CUDA's numbers; those not here are 0. */
static const struct {
    int attribute, value;
} fixed[] = {
    {1, 1024},        /* MAX_THREADS_PER_BLOCK */
    {2, 1024},        /* MAX_BLOCK_DIM_X */
    {3, 1024},        /* MAX_BLOCK_DIM_Y */
    {4, 64},          /* MAX_BLOCK_DIM_Z */
    {5, 2147483647},  /* MAX_GRID_DIM_X */
    {6, 65535},       /* MAX_GRID_DIM_Y */
    {7, 65535},       /* MAX_GRID_DIM_Z */
    {9, 65536},       /* TOTAL_CONSTANT_MEMORY */
    {10, 32},         /* WARP_SIZE */
    {11, 2147483647}, /* MAX_PITCH */
    {12, 65536},      /* MAX_REGISTERS_PER_BLOCK */
    {14, 512},        /* TEXTURE_ALIGNMENT */
    {15, 1},          /* GPU_OVERLAP */
    {19, 1},          /* CAN_MAP_HOST_MEMORY */
    {21, 131072},     /* MAXIMUM_TEXTURE1D_WIDTH */
    {22, 131072},     /* MAXIMUM_TEXTURE2D_WIDTH */
    {23, 65536},      /* MAXIMUM_TEXTURE2D_HEIGHT */
    {24, 16384},      /* MAXIMUM_TEXTURE3D_WIDTH */
    {25, 16384},      /* MAXIMUM_TEXTURE3D_HEIGHT */
    {26, 16384},      /* MAXIMUM_TEXTURE3D_DEPTH */
    {27, 32768},      /* MAXIMUM_TEXTURE2D_LAYERED_WIDTH */
    {28, 32768},      /* MAXIMUM_TEXTURE2D_LAYERED_HEIGHT */
    {29, 2048},       /* MAXIMUM_TEXTURE2D_LAYERED_LAYERS */
    {30, 512},        /* SURFACE_ALIGNMENT */
    {31, 1},          /* CONCURRENT_KERNELS */
    {40, 3},          /* ASYNC_ENGINE_COUNT */
    {41, 1},          /* UNIFIED_ADDRESSING */
    {42, 32768},      /* MAXIMUM_TEXTURE1D_LAYERED_WIDTH */
    {43, 2048},       /* MAXIMUM_TEXTURE1D_LAYERED_LAYERS */
    {45, 32768},      /* MAXIMUM_TEXTURE2D_GATHER_WIDTH */
    {46, 32768},      /* MAXIMUM_TEXTURE2D_GATHER_HEIGHT */
    {47, 8192},       /* MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE */
    {48, 8192},       /* MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE */
    {49, 32768},      /* MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE */
    {51, 32},         /* TEXTURE_PITCH_ALIGNMENT */
    {52, 32768},      /* MAXIMUM_TEXTURECUBEMAP_WIDTH */
    {53, 32768},      /* MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH */
    {54, 2046},       /* MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS */
    {55, 32768},      /* MAXIMUM_SURFACE1D_WIDTH */
    {56, 131072},     /* MAXIMUM_SURFACE2D_WIDTH */
    {57, 65536},      /* MAXIMUM_SURFACE2D_HEIGHT */
    {58, 16384},      /* MAXIMUM_SURFACE3D_WIDTH */
    {59, 16384},      /* MAXIMUM_SURFACE3D_HEIGHT */
    {60, 16384},      /* MAXIMUM_SURFACE3D_DEPTH */
    {61, 32768},      /* MAXIMUM_SURFACE1D_LAYERED_WIDTH */
    {62, 2048},       /* MAXIMUM_SURFACE1D_LAYERED_LAYERS */
    {63, 32768},      /* MAXIMUM_SURFACE2D_LAYERED_WIDTH */
    {64, 32768},      /* MAXIMUM_SURFACE2D_LAYERED_HEIGHT */
    {65, 2048},       /* MAXIMUM_SURFACE2D_LAYERED_LAYERS */
    {66, 32768},      /* MAXIMUM_SURFACECUBEMAP_WIDTH */
    {67, 32768},      /* MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH */
    {68, 2046},       /* MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS */
    {69, 268435456},  /* MAXIMUM_TEXTURE1D_LINEAR_WIDTH */
    {70, 131072},     /* MAXIMUM_TEXTURE2D_LINEAR_WIDTH */
    {71, 65000},      /* MAXIMUM_TEXTURE2D_LINEAR_HEIGHT */
    {72, 2097120},    /* MAXIMUM_TEXTURE2D_LINEAR_PITCH */
    {73, 32768},      /* MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH */
    {74, 32768},      /* MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT */
    {77, 32768},      /* MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH */
    {78, 1},          /* STREAM_PRIORITIES_SUPPORTED */
    {79, 1},          /* GLOBAL_L1_CACHE_SUPPORTED */
    {80, 1},          /* LOCAL_L1_CACHE_SUPPORTED */
    {82, 65536},      /* MAX_REGISTERS_PER_MULTIPROCESSOR */
    {83, 1},          /* MANAGED_MEMORY */
    {87, 2},          /* SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO */
    {89, 1},          /* CONCURRENT_MANAGED_ACCESS */
    {90, 1},          /* COMPUTE_PREEMPTION_SUPPORTED */
    {91, 1},          /* CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM */
    {95, 1},          /* COOPERATIVE_LAUNCH */
    {96, 1},          /* COOPERATIVE_MULTI_DEVICE_LAUNCH */
    {99, 1},          /* HOST_REGISTER_SUPPORTED */
    {102, 1},         /* VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED */
    {103, 1},         /* HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED */
    {115, 1},         /* MEMORY_POOLS_SUPPORTED */
    {119, 1},         /* MEMPOOL_SUPPORTED_HANDLE_TYPES: file descriptors */
    {107, 1},         /* GENERIC_COMPRESSION_SUPPORTED: which a program does not see */
    {109, 134217728}, /* MAX_ACCESS_POLICY_WINDOW_SIZE */
    {111, 1024},      /* RESERVED_SHARED_MEMORY_PER_BLOCK */
    {113, 1},         /* READ_ONLY_HOST_REGISTER_SUPPORTED */
    {126, 4},         /* MEM_SYNC_DOMAIN_COUNT */
    {129, 1},         /* UNIFIED_FUNCTION_POINTERS */
    {131, -1},        /* NUMA_ID */
};

bool ls_gpu_model_attribute(const ls_gpu_model *g, int attribute, int device, int *value) {
    const ls_gpu *l = ls_gpu_limits(g);
    *value = 0;
    switch (attribute) {
    case 8: *value = KB(48); return true;
    case 13: *value = g->clock_khz; return true;
    case 16: *value = g->processors; return true;
    case 32: *value = !strstr(g->name, "GeForce"); return true; /* ECC */
    case 33: *value = device + 1; return true;                  /* PCI bus */
    case 36: *value = g->memory_clock_khz; return true;
    case 37: *value = g->bus_bits; return true;
    case 38: *value = g->l2_bytes; return true;
    case 39: *value = (int)l->warps * 32; return true;
    case 75: *value = g->major; return true;
    case 76: *value = g->minor; return true;
    case 81: *value = (int)l->shared; return true;
    case 84: *value = 0; return true; /* multi-GPU board */
    case 97: *value = (int)l->block_shared; return true;
    case 106: *value = (int)l->blocks; return true;
    case 108: *value = g->l2_bytes / 8 * 5; return true; /* persisting */
    case 120:                                            /* cluster launches */
    case 127: *value = g->major >= 9; return true;       /* tensor maps */
    default: break;
    }
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        if (fixed[k].attribute == attribute) *value = fixed[k].value;
    return attribute > 0 && attribute < 148;
}

int ls_dev_occupancy(const ls_dev *dev, const ls_kernel_info *k, int threads, uint64_t dynamic_shared) {
    const ls_gpu_model *g = ls_dev_gpu(dev);
    if (threads <= 0 || threads > k->max_threads) return 0;
    const ls_gpu *l = ls_gpu_limits(g);
    int warps = (threads + 31) / 32, blocks = (int)l->blocks;
    uint64_t shared = k->shared_bytes + dynamic_shared;
    if (shared > l->block_shared) return 0;
    shared = (shared + 1024 + 127) / 128 * 128; /* the system's part of each block */
    int by_warps = (int)l->warps / warps, by_shared = (int)(l->shared / shared);
    int by_registers = 65536 / ((k->registers + 7) / 8 * 8 * 32 * warps);
    if (by_warps < blocks) blocks = by_warps;
    if (by_shared < blocks) blocks = by_shared;
    if (by_registers < blocks) blocks = by_registers;
    return blocks;
}
