/* A program as a user has it, for tests of `lockstep detect -- PROGRAM`: it gets at the driver as the CUDA
 * runtime does (dlopen, dlsym, cuGetProcAddress), launches kernels of a fat binary and checks their results.
 *     program FATBIN      exit status 0: all results are right
 * PROGRAM_KERNEL=NAME in the environment: only this kernel, on two buffers; with PROGRAM_GRID, PROGRAM_BLOCK.
 * PROGRAM_TIMES=N in the environment: every kernel is launched N times. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *direct(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(4);
    }
    return found;
}

static void *asked(const char *name) {
    int (*get)(const char *, void **, int, uint64_t, int *) = NULL;
    void *found = NULL;
    *(void **)&get = direct("cuGetProcAddress_v2");
    get(name, &found, 12000, 0, NULL);
    if (!found) exit(4);
    return found;
}

static int (*launch_kernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            void *, void **, void **);
static int (*get_function)(void **, void *, const char *);

/* PROGRAM_ATTRIBUTE=N: launches have that attribute, with the value 1. */
static int launch_with(void *function, unsigned grid, unsigned block, void **params, int attribute) {
    struct {
        int id, padding;
        unsigned value[16];
    } attributes[] = {{attribute, 0, {1, 1, 1}}};
    struct {
        unsigned grid[3], block[3], shared;
        void *stream;
        const void *attributes;
        unsigned attribute_count;
    } config = {{grid, 1, 1}, {block, 1, 1}, 0, NULL, attributes, 1};
    int (*launch_ex)(const void *, void *, void **, void **);
    *(void **)&launch_ex = asked("cuLaunchKernelEx");
    return launch_ex(&config, function, params, NULL);
}

/* PROGRAM_NODE: the kernel is made a node of a graph, which is launched; PROGRAM_NODE=set: the node's
 * parameters are set anew before. */
static int launch_node(void *function, unsigned grid, unsigned block, void **params, int times) {
    int (*create)(void **, unsigned), (*run)(void *, void *), (*wait)(void);
    int (*add)(void **, void *, const void *, size_t, const void *);
    struct {
        void *function;
        unsigned grid[3], block[3], shared;
        void **params, **extra;
        void *kernel, *context;
    } node = {function, {grid, 1, 1}, {block, 1, 1}, 0, params, NULL, NULL, NULL};
    void *made, *graph = NULL;
    *(void **)&create = direct("cuGraphCreate");
    *(void **)&add = direct("cuGraphAddKernelNode_v2");
    *(void **)&run = direct("cuGraphLaunch");
    *(void **)&wait = direct("cuCtxSynchronize");
    int (*set)(void *, const void *);
    *(void **)&set = direct("cuGraphKernelNodeSetParams_v2");
    int code = create(&graph, 0) || add(&made, graph, NULL, 0, &node);
    if (!code && !strcmp(getenv("PROGRAM_NODE"), "set")) code = set(made, &node);
    for (; times > 0 && !code; times--) code = run(graph, NULL);
    return code || wait();
}

/* PROGRAM_GRAPH: the launch is recorded, and the graph launched. */
static int launch_graph(void *function, unsigned grid, unsigned block, void **params, int times) {
    int (*begin)(void *, int), (*end)(void *, void **), (*run)(void *, void *), (*wait)(void);
    static int stream;
    void *graph = NULL;
    *(void **)&begin = direct("cuStreamBeginCapture_v2");
    *(void **)&end = direct("cuStreamEndCapture");
    *(void **)&run = direct("cuGraphLaunch");
    *(void **)&wait = direct("cuCtxSynchronize");
    int code = begin(&stream, 0) ||
               launch_kernel(function, grid, 1, 1, block, 1, 1, 0, &stream, params, NULL) ||
               end(&stream, &graph);
    for (; times > 0 && !code; times--) code = run(graph, NULL);
    return code || wait();
}

static void launch(void *module, const char *name, unsigned grid, unsigned block, void **params) {
    void *function;
    const char *times = getenv("PROGRAM_TIMES");
    int code = get_function(&function, module, name);
    const char *attribute = getenv("PROGRAM_ATTRIBUTE");
    if (getenv("PROGRAM_NODE") || getenv("PROGRAM_GRAPH")) {
        code = code || (getenv("PROGRAM_NODE") ? launch_node : launch_graph)(function, grid, block, params,
                                                                             times ? atoi(times) : 1);
        times = "0";
    }
    for (int left = times ? atoi(times) : 1; left > 0 && !code; left--)
        code = attribute ? launch_with(function, grid, block, params, atoi(attribute))
                         : launch_kernel(function, grid, 1, 1, block, 1, 1, 0, NULL, params, NULL);
    if (code) {
        fprintf(stderr, "%s failed\n", name);
        exit(5);
    }
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(4);
    char *data = malloc(1 << 20);
    data[fread(data, 1, (1 << 20) - 1, file)] = 0;
    fclose(file);
    return data;
}

/* PROGRAM_COMPILES in the environment: the file is PTX, which is compiled to machine code. */
static char *compiled(char *ptx) {
    int (*get_size)(char *, size_t *), (*get)(char *, char *);
    size_t size = 0;
    *(void **)&get_size = direct("nvrtcGetCUBINSize");
    *(void **)&get = direct("nvrtcGetCUBIN");
    get_size(ptx, &size);
    char *cubin = malloc(size);
    get(ptx, cubin);
    return cubin;
}

/* PROGRAM_VARIABLE: this variable of the module becomes 1. */
static void set_variable(void *module, int (*copy_in)(uint64_t, const void *, size_t)) {
    int (*get_global)(uint64_t *, size_t *, void *, const char *), one = 1;
    uint64_t at;
    size_t size;
    *(void **)&get_global = direct("cuModuleGetGlobal_v2");
    if (getenv("PROGRAM_VARIABLE") && get_global(&at, &size, module, getenv("PROGRAM_VARIABLE")) == 0)
        copy_in(at, &one, sizeof one);
}

int main(int argc, char **argv) {
    int (*init)(unsigned), (*load)(void **, const void *), (*alloc)(uint64_t *, size_t);
    int (*copy_in)(uint64_t, const void *, size_t), (*copy_out)(void *, uint64_t, size_t);
    void *module;
    uint64_t in, out, where;
    float data[512], result[512];
    int order[512], got[512], wrong = 0;
    if (argc < 2 || !(library = dlopen("libcuda.so.1", RTLD_NOW))) return 4;
    *(void **)&init = direct("cuInit");
    *(void **)&copy_in = direct("cuMemcpyHtoD_v2");
    *(void **)&copy_out = direct("cuMemcpyDtoH_v2");
    *(void **)&load = asked("cuModuleLoadData");
    *(void **)&alloc = asked("cuMemAlloc");
    *(void **)&get_function = asked("cuModuleGetFunction");
    *(void **)&launch_kernel = asked("cuLaunchKernel");
    for (int i = 0; i < 512; i++) data[i] = (float)i, order[i] = (i * 37 + 11) % 512;
    char *image = read_all(argv[1]);
    if (getenv("PROGRAM_COMPILES")) image = compiled(image);
    if (init(0) || load(&module, image) || alloc(&in, 2048) || alloc(&out, 2048) || alloc(&where, 2048))
        return 5;
    copy_in(in, data, 2048);
    copy_in(where, order, 2048);
    copy_in(out, order, 2048);
    if (getenv("PROGRAM_KERNEL")) {
        set_variable(module, copy_in);
        const char *grid = getenv("PROGRAM_GRID"), *block = getenv("PROGRAM_BLOCK");
        launch(module, getenv("PROGRAM_KERNEL"), grid ? (unsigned)atoi(grid) : 4,
               block ? (unsigned)atoi(block) : 128, (void *[]){&out, &in});
        return 0;
    }
    launch(module, "own", 4, 128, (void *[]){&out, &in});
    copy_out(result, out, 2048);
    for (int i = 0; i < 512; i++) wrong += result[i] != 2 * data[i];
    launch(module, "permuted", 4, 128, (void *[]){&out, &where});
    copy_out(got, out, 2048);
    for (int i = 0; i < 512; i++) wrong += got[order[i]] != i + 1;
    launch(module, "racy_blocks", 4, 128, (void *[]){&out});
    launch(module, "racy_variable", 4, 64, NULL);
    int (*get_global)(uint64_t *, size_t *, void *, const char *), factors[2] = {5, 7};
    uint64_t factor;
    size_t size;
    *(void **)&get_global = direct("cuModuleGetGlobal_v2");
    if (get_global(&factor, &size, module, "factor")) return 5;
    copy_in(factor, factors, sizeof factors);
    launch(module, "scaled", 4, 128, (void *[]){&out});
    copy_out(got, out, 2048);
    for (int i = 0; i < 512; i++) wrong += got[i] != i * factors[i & 1];
    printf("%d wrong results\n", wrong);
    return wrong != 0;
}
