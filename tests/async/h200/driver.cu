// Runs one kernel of tests/async/kernels on a device, with the words of its line of expectation:
// driver FILE.cubin KERNEL --grid N --block N [--cluster N] [--shared BYTES] --arg SPEC … Arguments are those of `lockstep
// run` that the kernels have: 's32[N]', 's32[N]=iota', 's32[N]=V', 'tensor:[swizzleB:]TYPE[D0,D1]box[B0,B1]' with or without
// '=iota', and whole numbers. Prints the buffers and tensors that are not inputs (iota), in one line, or what went wrong, and to the
// standard error how many milliseconds the second of two launches took.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        CUresult status = (call);                                                                                      \
        const char *name = "";                                                                                         \
        if (status == CUDA_SUCCESS) break;                                                                             \
        cuGetErrorName(status, &name);                                                                                 \
        printf("%s: %s\n", #call, name);                                                                               \
        return 1;                                                                                                      \
    } while (0)

struct type {
    const char *name;
    unsigned bytes;
    CUtensorMapDataType map;
};
static const type types[] = {{"s32", 4, CU_TENSOR_MAP_DATA_TYPE_INT32},
                             {"f32", 4, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
                             {"bf16", 2, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
                             {"f16", 2, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
                             {"u8", 1, CU_TENSOR_MAP_DATA_TYPE_UINT8}};

struct argument {
    char value[128]; // of the parameter: a number, an address or a tensor map
    CUdeviceptr memory;
    std::vector<char> first; // what the buffer is filled with
    bool out;
};

static const type *type_of(const char *&at) {
    for (const type &t : types) {
        size_t n = strlen(t.name);
        if (!strncmp(at, t.name, n) && at[n] == '[') return at += n + 1, &t;
    }
    return nullptr;
}

// "64,32]", dimension 0 first.
static std::vector<cuuint64_t> sizes(const char *&at) {
    std::vector<cuuint64_t> all;
    do all.push_back(strtoull(at, (char **)&at, 10));
    while (*at++ == ',');
    return all;
}

static void fill(argument &a, const type *t, size_t count, const char *how) {
    a.first.assign(count * t->bytes, 0);
    a.out = strcmp(how, "=iota") != 0;
    for (size_t k = 0; *how && k < count; k++) {
        const double v = !strcmp(how, "=iota") ? (double)k : atof(how + 1);
        char *at = &a.first[k * t->bytes];
        if (!strcmp(t->name, "s32")) *(int *)at = (int)v;
        if (!strcmp(t->name, "f32")) *(float *)at = (float)v;
        if (!strcmp(t->name, "bf16")) *(__nv_bfloat16 *)at = __float2bfloat16_rn((float)v);
        if (!strcmp(t->name, "f16")) *(__half *)at = __float2half_rn((float)v);
        if (!strcmp(t->name, "u8")) *at = (char)(int)v;
        if (strcmp(how, "=iota")) break; // one number: of the first element
    }
}

static int make_tensor(argument &a, const char *spec) {
    const char *at = strchr(spec, ':') + 1;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    if (!strncmp(at, "swizzle", 7)) {
        const int n = atoi(at + 7);
        swizzle = n == 32   ? CU_TENSOR_MAP_SWIZZLE_32B
                  : n == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                            : CU_TENSOR_MAP_SWIZZLE_128B;
        at = strchr(at, ':') + 1;
    }
    const type *t = type_of(at);
    if (!t) return 2;
    std::vector<cuuint64_t> size = sizes(at);
    at += 4; // "box["
    std::vector<cuuint64_t> wide = sizes(at), strides;
    std::vector<cuuint32_t> box(wide.begin(), wide.end()), steps(size.size(), 1);
    size_t count = 1;
    for (cuuint64_t n : size) strides.push_back((count *= n) * t->bytes);
    fill(a, t, count, at);
    TRY(cuMemAlloc(&a.memory, a.first.size()));
    TRY(cuTensorMapEncodeTiled((CUtensorMap *)a.value, t->map, (cuuint32_t)size.size(), (void *)a.memory, size.data(),
                               strides.data(), box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return 0;
}

static int make_argument(argument &a, const char *spec) {
    const char *at = spec;
    if (!strncmp(spec, "tensor:", 7)) return make_tensor(a, spec);
    if (const type *t = type_of(at)) {
        std::vector<cuuint64_t> size = sizes(at);
        fill(a, t, size[0], at);
        TRY(cuMemAlloc(&a.memory, a.first.size()));
        memcpy(a.value, &a.memory, sizeof a.memory);
        return 0;
    }
    const long long number = atoll(spec);
    memcpy(a.value, &number, sizeof number);
    return 0;
}

static int print(const std::vector<argument *> &all) {
    const char *between = "";
    for (const argument *a : all) {
        if (!a->memory || !a->out) continue;
        std::vector<int> host(a->first.size() / 4);
        TRY(cuMemcpyDtoH(host.data(), a->memory, 4 * host.size()));
        for (int v : host) printf("%s%d", between, v), between = " ";
    }
    printf("\n");
    return 0;
}

int main(int count, char **words) {
    unsigned grid = 1, block = 32, cluster = 0, shared = 0;
    std::vector<argument *> all;
    std::vector<void *> params;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    if (count < 3) return 2;
    TRY(cuInit(0));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuDevicePrimaryCtxRetain(&context, device));
    TRY(cuCtxSetCurrent(context));
    TRY(cuModuleLoad(&module, words[1]));
    TRY(cuModuleGetFunction(&kernel, module, words[2]));
    for (int k = 3; k + 1 < count; k += 2) {
        const char *option = words[k], *value = words[k + 1];
        if (!strcmp(option, "--grid")) grid = atoi(value);
        if (!strcmp(option, "--block")) block = atoi(value);
        if (!strcmp(option, "--cluster")) cluster = atoi(value);
        if (!strcmp(option, "--shared")) shared = atoi(value);
        if (strcmp(option, "--arg")) continue;
        all.push_back(new (std::align_val_t(64)) argument());
        if (make_argument(*all.back(), value)) return 1;
        params.push_back(all.back()->value);
    }
    if (shared) TRY(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared));
    int own = 0; // the kernel's own size of clusters
    TRY(cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, kernel));
    if (own) cluster = 0;
    CUlaunchAttribute clusters = {};
    clusters.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    clusters.value.clusterDim = {cluster, 1, 1};
    CUlaunchConfig config = {grid, 1, 1, block, 1, 1, shared, 0, &clusters, cluster ? 1u : 0u};
    for (int launch = 0; launch < 2; launch++) {
        for (argument *a : all)
            if (a->memory) TRY(cuMemcpyHtoD(a->memory, a->first.data(), a->first.size()));
        TRY(cuCtxSynchronize());
        auto begin = std::chrono::steady_clock::now();
        TRY(cuLaunchKernelEx(&config, kernel, params.data(), 0));
        TRY(cuCtxSynchronize());
        std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        if (launch == 1) fprintf(stderr, "milliseconds: %.3f\n", took.count());
    }
    return print(all);
}
