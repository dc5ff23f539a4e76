/* A program that uses the CUDA driver, as programs do that bring PTX: it knows no header and no library of
 * NVIDIA's. What it does is chosen by its argument. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry scale(.param .u64 p, .param .u32 n, .param .u32 by)\n{\n"
    "  .reg .u64 %d<4>; .reg .u32 %r<8>; .reg .pred %q;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [by];\n"
    "  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r6, %r3, %r4, %r5;\n"
    "  setp.ge.u32 %q, %r6, %r1; @%q bra end;\n"
    "  mul.wide.u32 %d2, %r6, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r7, [%d3]; mul.lo.u32 %r7, %r7, %r2; st.global.u32 [%d3], %r7;\n"
    "end: ret;\n}\n"
    ".visible .entry spin()\n{\nagain: bra again;\n}\n"
    /* launches scale, and itself behind that, as often as it is told */
    ".extern .func (.param .b64 buffer) __cudaCDP2GetParameterBufferV2(.param .b64 kernel,\n"
    "  .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);\n"
    ".extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);\n"
    ".visible .entry parent(.param .u64 p, .param .u32 n, .param .u32 times)\n{\n"
    "  .reg .u64 %d<4>; .reg .u32 %r<8>; .reg .pred %q;\n"
    "  .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;\n"
    "  .param .b64 to; .param .b64 stream; .param .b32 error;\n"
    "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [times];\n"
    "  mov.u32 %r3, %tid.x; setp.ne.u32 %q, %r3, 0; @%q bra end;\n"
    "  mov.u64 %d2, scale; st.param.b64 [k], %d2; st.param.b32 [s], 0;\n"
    "  st.param.b32 [g], 8; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
    "  st.param.b32 [b], 128; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"
    "  call (to), __cudaCDP2GetParameterBufferV2, (k, g, b, s);\n"
    "  ld.param.b64 %d3, [to]; st.u64 [%d3], %d1; st.u32 [%d3+8], %r1; mov.u32 %r4, 3; st.u32 [%d3+12], "
    "%r4;\n"
    "  st.param.b64 [k], %d3; st.param.b64 [stream], 0;\n"
    "  call (error), __cudaCDP2LaunchDeviceV2, (k, stream);\n"
    "  setp.eq.u32 %q, %r2, 0; @%q bra end; sub.u32 %r2, %r2, 1;\n"
    "  mov.u64 %d2, parent; st.param.b64 [k], %d2; st.param.b32 [g], 1; st.param.b32 [b], 32;\n"
    "  call (to), __cudaCDP2GetParameterBufferV2, (k, g, b, s);\n"
    "  ld.param.b64 %d3, [to]; st.u64 [%d3], %d1; st.u32 [%d3+8], %r1; st.u32 [%d3+12], %r2;\n"
    "  st.param.b64 [k], %d3; st.param.b64 [stream], 3;\n"
    "  call (error), __cudaCDP2LaunchDeviceV2, (k, stream);\n"
    "end: ret;\n}\n";

/* A box of 8 × 4 numbers of a tensor, by the copy engine. */
static const char tile_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out)\n{\n"
    "  .shared .align 128 .b8 s[128]; .shared .align 8 .b64 bar;\n"
    "  .reg .b64 %d<5>; .reg .b32 %r<8>; .reg .pred %p;\n"
    "  mov.u32 %r0, %tid.x; mov.u32 %r1, s; mov.u32 %r2, bar;\n"
    "  setp.ne.u32 %p, %r0, 0; @%p bra meet;\n"
    "  mbarrier.init.shared.b64 [%r2], 1; fence.proxy.async.shared::cta;\n"
    "  mbarrier.arrive.expect_tx.shared.b64 %d0, [%r2], 128;\n"
    "  mov.b64 %d1, map; cvta.param.u64 %d1, %d1; mov.u32 %r3, 8; mov.u32 %r4, 3;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%d1, {%r3, "
    "%r4}], "
    "[%r2];\n"
    "meet: bar.sync 0;\nwait: mbarrier.try_wait.parity.shared.b64 %p, [%r2], 0; @!%p bra wait;\n"
    "  shl.b32 %r5, %r0, 2; add.u32 %r6, %r1, %r5; ld.shared.u32 %r7, [%r6];\n"
    "  ld.param.u64 %d2, [out]; cvt.u64.u32 %d3, %r5; add.u64 %d4, %d2, %d3; st.global.u32 [%d4], %r7;\n"
    "  ret;\n}\n";

static void *driver;
static void *symbol(const char *name) {
    void *f = dlsym(driver, name);
    if (f) return f;
    fprintf(stderr, "no %s\n", name);
    exit(1);
}
#define CALL(name, ...)                                                                                      \
    do {                                                                                                     \
        int (*f)() = (int (*)())symbol(#name);                                                               \
        int error = f(__VA_ARGS__);                                                                          \
        if (error) printf("%s: %d\n", #name, error);                                                         \
    } while (0)

enum { N = 1000 };
static void *function, *spin, *parent;
static uint64_t memory;

static void open_device(void) {
    void *context, *module;
    int device;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    CALL(cuInit, 0);
    CALL(cuDeviceGet, &device, 0);
    CALL(cuCtxCreate_v2, &context, 0, device);
    CALL(cuModuleLoadData, &module, ptx);
    CALL(cuModuleGetFunction, &function, module, "scale");
    CALL(cuModuleGetFunction, &spin, module, "spin");
    CALL(cuModuleGetFunction, &parent, module, "parent");
    CALL(cuMemAlloc_v2, &memory, (size_t)N * 4);
}

static void launch(uint32_t n, uint32_t by) {
    void *params[] = {&memory, &n, &by};
    CALL(cuLaunchKernel, function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL);
}

static void launch_parent(uint32_t n, uint32_t times) {
    void *params[] = {&memory, &n, &times};
    CALL(cuLaunchKernel, parent, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
}

static void scale_with(void (*how)(uint32_t n, uint32_t number), uint32_t number) {
    static uint32_t data[N];
    unsigned long sum = 0;
    for (uint32_t k = 0; k < N; k++) data[k] = k;
    CALL(cuMemcpyHtoD_v2, memory, data, (size_t)N * 4);
    how(N, number);
    CALL(cuMemcpyDtoH_v2, data, memory, (size_t)N * 4);
    for (uint32_t k = 0; k < N; k++) sum += data[k];
    printf("sum %lu\n", sum);
    fflush(stdout);
}

static void scale_all(void) {
    scale_with(launch, 3);
}

enum { U32 = 2, FLOAT32_FTZ = 10, TFLOAT32 = 11 };

/* Numbers 0, 1, … times `unit` as rows of 40. */
static void copy_tile(int type, uint32_t unit) {
    static uint32_t data[N];
    _Alignas(64) unsigned char map[128];
    const uint64_t sizes[] = {40, 25}, strides[] = {160};
    const uint32_t box[] = {8, 4}, steps[] = {1, 1}, odd_box[] = {7, 4};
    uint64_t out;
    unsigned long sum = 0;
    void *module, *tile;
    for (uint32_t k = 0; k < N; k++) data[k] = k * unit;
    CALL(cuModuleLoadData, &module, tile_ptx);
    CALL(cuModuleGetFunction, &tile, module, "tile");
    CALL(cuMemAlloc_v2, &out, (size_t)128);
    CALL(cuMemcpyHtoD_v2, memory, data, (size_t)N * 4);
    CALL(cuTensorMapEncodeTiled, map, type, 2, memory, sizes, strides, odd_box, steps, 0, 0, 0, 0);
    CALL(cuTensorMapEncodeTiled, map, type, 2, memory, sizes, strides, box, steps, 0, 0, 0, 0);
    void *params[] = {map, &out};
    CALL(cuLaunchKernel, tile, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    CALL(cuMemcpyDtoH_v2, data, out, (size_t)128);
    for (uint32_t k = 0; k < 32; k++) sum += data[k] / unit;
    printf("sum %lu\n", sum);
}

/* --- Memory of another process --- */
typedef struct {
    unsigned char bytes[64];
} handle;

static const char *self; /* how the program was started */
/* Another process does what its arguments say; the file, if there is one, is open there as well. */
static void start(const char *what, const char *text, const char *file) {
    if (file) fcntl(atoi(file), F_SETFD, 0);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        execl(self, self, what, text, file, (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
}

static void write_bytes(const handle *from, char *text) {
    for (size_t k = 0; k < sizeof *from; k++) snprintf(text + 2 * k, 3, "%02x", from->bytes[k]);
}
static handle read_bytes(const char *text) {
    handle h;
    for (size_t k = 0; k < sizeof h; k++) {
        unsigned byte;
        if (sscanf(text + 2 * k, "%2x", &byte) != 1) exit(1);
        h.bytes[k] = (unsigned char)byte;
    }
    return h;
}

/* Another process scales what this one has; its own handle says nothing here. */
static void scale_elsewhere(uint32_t n, uint32_t number) {
    (void)n, (void)number;
    handle mine, other;
    char text[2 * sizeof mine + 1];
    uint64_t again, next[2];
    for (int k = 0; k < 2; k++) { /* neighbours, of no whole pages */
        CALL(cuMemAlloc_v2, &next[k], (size_t)20000);
        CALL(cuIpcGetMemHandle, &other, next[k]);
    }
    CALL(cuIpcGetMemHandle, &mine, memory);
    CALL(cuIpcGetEventHandle, &other, NULL);
    CALL(cuIpcOpenMemHandle_v2, &again, mine, 1);
    write_bytes(&mine, text);
    start("shared", text, NULL);
}

static void use_shared(const char *text) {
    const handle theirs = read_bytes(text);
    CALL(cuMemFree_v2, memory);
    CALL(cuIpcOpenMemHandle_v2, &memory, theirs, 1);
    launch(N, 3);
    launch(N + 24, 1); /* the rest of its pages is not shared */
    CALL(cuIpcCloseMemHandle, memory);
    CALL(cuIpcCloseMemHandle, memory);
}

/* --- Memory of another process, by a file --- */
enum { PIECE = 2 << 20, BY_FILE = 1 };
static uint64_t piece;

static void put_piece(void) {
    CALL(cuMemAddressReserve, &memory, (size_t)PIECE, (size_t)0, (uint64_t)0, 0ull);
    CALL(cuMemMap, memory, (size_t)PIECE, (size_t)0, piece, 0ull);
}

static void scale_piece_elsewhere(uint32_t n, uint32_t number) {
    (void)n, (void)number;
    int file;
    char text[16];
    CALL(cuMemExportToShareableHandle, &file, piece, BY_FILE, 0ull);
    CALL(cuMemUnmap, memory, (size_t)PIECE); /* what it holds is seen wherever it is put */
    put_piece();
    snprintf(text, sizeof text, "%d", file);
    start("mapped", "-", text);
}

static void use_mapped(int file) {
    CALL(cuMemFree_v2, memory);
    CALL(cuMemImportFromShareableHandle, &piece, (void *)(intptr_t)open("/dev/null", O_RDONLY), BY_FILE);
    CALL(cuMemImportFromShareableHandle, &piece, (void *)(intptr_t)file, BY_FILE);
    close(file);
    put_piece();
    launch(N, 3);
    CALL(cuMemUnmap, memory, (size_t)PIECE);
    CALL(cuMemRelease, piece);
}

typedef struct {
    int type, handles, location, device;
    void *security;
    uint64_t rest[8];
} properties;

static void scale_pool_elsewhere(uint32_t n, uint32_t number) {
    (void)n, (void)number;
    void *pool;
    int file;
    handle mine;
    char text[2 * sizeof mine + 1], name[16];
    uint64_t used;
    CALL(cuPointerGetAttribute, &pool, 17, memory);
    CALL(cuMemPoolGetAttribute, pool, 7, &used);
    printf("used %lu\n", (unsigned long)used);
    CALL(cuMemPoolExportToShareableHandle, &file, pool, BY_FILE, 0ull);
    CALL(cuMemPoolExportPointer, &mine, memory);
    write_bytes(&mine, text);
    snprintf(name, sizeof name, "%d", file);
    start("pooled", text, name);
}

static void use_pooled(const char *text, int file) {
    void *pool, *other;
    handle theirs = read_bytes(text);
    CALL(cuMemFree_v2, memory);
    CALL(cuDeviceGetDefaultMemPool, &other, 0);
    CALL(cuMemPoolImportPointer, &memory, other, &theirs); /* which is of another pool */
    CALL(cuMemPoolImportFromShareableHandle, &pool, (void *)(intptr_t)file, BY_FILE, 0ull);
    CALL(cuMemPoolImportPointer, &memory, pool, &theirs);
    launch(N, 3);
    CALL(cuMemFreeAsync, memory, NULL);
    CALL(cuMemPoolDestroy, pool);
}

static void share_by_files(void) {
    const properties how = {1, BY_FILE, 1, 0};
    void *pool;
    CALL(cuMemFree_v2, memory);
    CALL(cuMemCreate, &piece, (size_t)PIECE, &how, 0ull);
    put_piece();
    scale_with(scale_piece_elsewhere, 0);
    CALL(cuMemUnmap, memory, (size_t)PIECE);
    CALL(cuMemRelease, piece);
    CALL(cuMemPoolCreate, &pool, &how);
    CALL(cuMemAllocFromPoolAsync, &memory, (size_t)N * 4, pool, NULL);
    scale_with(scale_pool_elsewhere, 0);
    CALL(cuMemFreeAsync, memory, NULL);
    CALL(cuMemPoolDestroy, pool);
}

static void *in_thread(void *context) {
    CALL(cuCtxSetCurrent, context);
    scale_all();
    return NULL;
}

static void on_signal(int number) {
    (void)number;
    exit(5);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "plain";
    self = argv[0];
    open_device();
    if (!strcmp(what, "beyond")) {
        CALL(cuMemsetD8_v2, memory, 1, (size_t)N * 4);
        launch(N + 24, 3);
    } else if (!strcmp(what, "host")) {
        printf("%u\n", *(volatile uint32_t *)(uintptr_t)memory);
    } else if (!strcmp(what, "crash")) {
        launch(N, 2);
        raise(SIGABRT);
    } else if (!strcmp(what, "handler")) {
        signal(SIGUSR1, on_signal);
        launch(N, 2);
        raise(SIGUSR1);
    } else if (!strcmp(what, "interrupt")) {
        launch(N, 2);
        raise(SIGINT);
    } else if (!strcmp(what, "fork")) {
        scale_all();
        pid_t child = fork();
        if (!child) {
            scale_all();
            exit(0);
        }
        waitpid(child, NULL, 0);
    } else if (!strcmp(what, "share")) {
        scale_with(scale_elsewhere, 0);
    } else if (!strcmp(what, "shared") && argc > 2) {
        use_shared(argv[2]);
    } else if (!strcmp(what, "files")) {
        share_by_files();
    } else if (!strcmp(what, "mapped") && argc > 3) {
        use_mapped(atoi(argv[3]));
    } else if (!strcmp(what, "pooled") && argc > 3) {
        use_pooled(argv[2], atoi(argv[3]));
    } else if (!strcmp(what, "threads")) {
        void *context;
        pthread_t threads[4];
        CALL(cuCtxGetCurrent, &context);
        for (int k = 0; k < 4; k++) {
            pthread_create(&threads[k], NULL, in_thread, context);
            pthread_join(threads[k], NULL);
        }
    } else if (!strcmp(what, "alarm")) { /* which ends the program while its kernel runs */
        alarm(1);
        CALL(cuLaunchKernel, spin, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    } else if (!strcmp(what, "long")) { /* beyond the memory, in a launch that takes minutes */
        uint32_t n = N + 24, by = 3;
        void *params[] = {&memory, &n, &by};
        CALL(cuMemsetD8_v2, memory, 1, (size_t)N * 4);
        printf("%d\n", (int)getpid());
        fflush(stdout);
        CALL(cuLaunchKernel, function, 2147483647, 1, 1, 128, 1, 1, 0, NULL, params, NULL);
    } else if (!strcmp(what, "spin")) {
        CALL(cuLaunchKernel, spin, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
        CALL(cuCtxSynchronize);
    } else if (!strcmp(what, "nested")) {
        scale_with(launch_parent, 2);
    } else if (!strcmp(what, "nested beyond")) {
        CALL(cuMemsetD8_v2, memory, 1, (size_t)N * 4);
        launch_parent(N + 24, 0);
    } else if (!strcmp(what, "tile")) {
        copy_tile(U32, 1);
    } else if (!strcmp(what, "tile of tf32")) {
        copy_tile(TFLOAT32, 1 << 13);
    } else if (!strcmp(what, "tile to be rounded")) {
        copy_tile(TFLOAT32, 1);
    } else if (!strcmp(what, "tile that flushes")) {
        copy_tile(FLOAT32_FTZ, 1);
    } else if (!strcmp(what, "missing")) {
        CALL(cuGreenCtxCreate, 0, 0, 0, 0);
    } else {
        scale_all();
        CALL(cuMemFree_v2, memory);
    }
    return 3;
}
