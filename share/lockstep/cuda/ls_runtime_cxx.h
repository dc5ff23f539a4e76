/* The runtime's functions as C++ has them: pointers and symbols of any type, kernels by their name, and the
 * forms of both CUDA 12 and CUDA 13 where these differ. */
#ifndef LS_RUNTIME_CXX_H
#define LS_RUNTIME_CXX_H
#pragma GCC system_header

template <class T> struct ls_same { typedef T type; };

/* --- Channels ------------------------------------------------------------------------------------------ */
template <class T> struct ls_channel;
#define LS_CHANNEL(T, E, N, KIND)                                                                            \
    template <> struct ls_channel<T> {                                                                       \
        static cudaChannelFormatDesc make() {                                                                \
            int b = (int)sizeof(E) * 8;                                                                      \
            cudaChannelFormatDesc d = {b, N > 1 ? b : 0, N > 2 ? b : 0, N > 3 ? b : 0, cudaChannelFormatKind##KIND}; \
            return d;                                                                                        \
        }                                                                                                    \
    };
#define LS_CHANNELS(P, E, KIND)                                                                              \
    LS_CHANNEL(E, E, 1, KIND) LS_CHANNEL(P##1, E, 1, KIND) LS_CHANNEL(P##2, E, 2, KIND) LS_CHANNEL(P##3, E, 3, KIND) LS_CHANNEL(P##4, E, 4, KIND)
LS_CHANNEL(char, char, 1, Signed)
LS_CHANNELS(char, signed char, Signed)
LS_CHANNELS(uchar, unsigned char, Unsigned)
LS_CHANNELS(short, short, Signed)
LS_CHANNELS(ushort, unsigned short, Unsigned)
LS_CHANNELS(int, int, Signed)
LS_CHANNELS(uint, unsigned int, Unsigned)
LS_CHANNELS(long, long, Signed)
LS_CHANNELS(ulong, unsigned long, Unsigned)
LS_CHANNELS(float, float, Float)
#undef LS_CHANNELS
#undef LS_CHANNEL
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc() { return ls_channel<T>::make(); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { cudaChannelFormatDesc d = {16, 0, 0, 0, cudaChannelFormatKindFloat}; return d; }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { cudaChannelFormatDesc d = {16, 16, 0, 0, cudaChannelFormatKindFloat}; return d; }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { cudaChannelFormatDesc d = {16, 16, 16, 16, cudaChannelFormatKindFloat}; return d; }

/* --- Launches ------------------------------------------------------------------------------------------ */
template <class T> cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T> cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class... P> cudaError_t ls_launch(const cudaLaunchConfig_t *config, void (*kernel)(P...), P... arguments) {
    void *list[] = {(void *)&arguments..., (void *)0};
#ifdef __LOCKSTEP_LAUNCHES__ /* to be read for its sizes, not to be run */
    return cudaLaunchKernel((const void *)kernel, config->gridDim, config->blockDim, list, config->dynamicSmemBytes, config->stream);
#else
    return cudaLaunchKernelExC(config, (const void *)kernel, list);
#endif
}
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments) {
    return ls_launch<P...>(config, kernel, (A &&)arguments...);
}

#ifndef __LOCKSTEP_LOOSE__
template <class T> cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T *function, void **arguments) { return cudaLaunchKernelExC(config, (const void *)function, arguments); }

/* --- Memory -------------------------------------------------------------------------------------------- */
template <class T> cudaError_t cudaMalloc(T **p, size_t size) { return cudaMalloc((void **)(void *)p, size); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t size, unsigned flags = 0) { return cudaHostAlloc((void **)(void *)p, size, flags); }
template <class T> cudaError_t cudaHostAlloc(T **p, size_t size, unsigned flags) { return cudaHostAlloc((void **)(void *)p, size, flags); }
template <class T> cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned flags) { return cudaHostGetDevicePointer((void **)(void *)p, host, flags); }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t size, unsigned flags = cudaMemAttachGlobal) { return cudaMallocManaged((void **)(void *)p, size, flags); }
template <class T> cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) { return cudaMallocPitch((void **)(void *)p, pitch, width, height); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream) { return cudaMallocAsync((void **)(void *)p, size, stream); }
static inline cudaError_t cudaMallocAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync(p, size, pool, stream); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream); }
template <class T> cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream); }
template <class T> cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0, unsigned flags = cudaMemAttachSingle) { return cudaStreamAttachMemAsync(stream, (void *)p, length, flags); }

static inline cudaMemLocation ls_location(int device) {
    cudaMemLocation at = {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device == cudaCpuDeviceId ? 0 : device};
    return at;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, int device, cudaStream_t stream = 0) { return cudaMemPrefetchAsync_v2(p, count, ls_location(device), 0, stream); }
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t count, cudaMemLocation at, unsigned flags, cudaStream_t stream = 0) { return cudaMemPrefetchAsync_v2(p, count, at, flags, stream); }
static inline cudaError_t cudaMemAdvise(const void *p, size_t count, enum cudaMemoryAdvise advice, int device) { return cudaMemAdvise_v2(p, count, advice, ls_location(device)); }
static inline cudaError_t cudaMemAdvise(const void *p, size_t count, enum cudaMemoryAdvise advice, cudaMemLocation at) { return cudaMemAdvise_v2(p, count, advice, at); }

/* --- Symbols ------------------------------------------------------------------------------------------- */
template <class T> cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) { return cudaMemcpyToSymbol((const void *)&symbol, from, count, offset, kind); }
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) { return cudaMemcpyFromSymbol(to, (const void *)&symbol, count, offset, kind); }
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) { return cudaMemcpyToSymbolAsync((const void *)&symbol, from, count, offset, kind, stream); }
template <class T> cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t count, size_t offset = 0, enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) { return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, count, offset, kind, stream); }
template <class T> cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) { return cudaGetSymbolAddress(p, (const void *)&symbol); }
template <class T> cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) { return cudaGetSymbolSize(size, (const void *)&symbol); }
template <class T> cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const T &symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind) { return cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, (const void *)&symbol, from, size, offset, kind); }
template <class T> cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const T &symbol, size_t size, size_t offset, enum cudaMemcpyKind kind) { return cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, (const void *)&symbol, size, offset, kind); }

/* --- Kernels ------------------------------------------------------------------------------------------- */
template <class T> cudaError_t cudaFuncSetCacheConfig(T *f, enum cudaFuncCache config) { return cudaFuncSetCacheConfig((const void *)f, config); }
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T *f, enum cudaSharedMemConfig config) { return cudaFuncSetSharedMemConfig((const void *)f, config); }
template <class T> cudaError_t cudaFuncSetAttribute(T *f, enum cudaFuncAttribute attribute, int value) { return cudaFuncSetAttribute((const void *)f, attribute, value); }
template <class T> cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *f) { return cudaFuncGetAttributes(attributes, (const void *)f); }
template <class T> cudaError_t cudaFuncGetName(const char **name, T *f) { return cudaFuncGetName(name, (const void *)f); }
template <class T> cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *f) { return cudaGetFuncBySymbol(function, (const void *)f); }
template <class T> cudaError_t cudaGetKernel(cudaKernel_t *kernel, T *f) { return cudaGetKernel(kernel, (const void *)f); }
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T f, int size, size_t shared) { return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)f, size, shared); }
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T f, int size, size_t shared, unsigned flags) { return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)f, size, shared, flags); }
template <class T> cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T *f, int blocks, int size) { return cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)f, blocks, size); }
template <class T> cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *f, const cudaLaunchConfig_t *config) { return cudaOccupancyMaxActiveClusters(clusters, (const void *)f, config); }
template <class T> cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *f, const cudaLaunchConfig_t *config) { return cudaOccupancyMaxPotentialClusterSize(size, (const void *)f, config); }

/* The block size with which most threads of a multiprocessor are busy: all multiples of a warp are tried. */
template <class S, class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T f, S shared_of, int limit = 0, unsigned flags = 0) {
    int device = 0, multiprocessors = 0, most = 0, best = 0;
    struct cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (!error) error = cudaFuncGetAttributes(&attributes, (const void *)f);
    if (error) return error;
    int largest = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < largest) largest = limit;
    for (int size = (largest + 31) / 32 * 32; size > 0; size -= 32) {
        int threads = size < largest ? size : largest, blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)f, threads, shared_of(threads), flags);
        if (error) return error;
        if (blocks * threads > most) {
            most = blocks * threads;
            best = threads;
            *grid = blocks * multiprocessors;
        }
    }
    *block = best;
    return cudaSuccess;
}
struct ls_constant_shared { size_t bytes; __host__ size_t operator()(int) const { return bytes; } };
template <class S, class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T f, S shared_of, int limit = 0) { return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, f, shared_of, limit, 0); }
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T f, size_t shared = 0, int limit = 0) { ls_constant_shared s = {shared}; return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, f, s, limit, 0); }
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T f, size_t shared = 0, int limit = 0, unsigned flags = 0) { ls_constant_shared s = {shared}; return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid, block, f, s, limit, flags); }

/* --- Events, streams, graphs --------------------------------------------------------------------------- */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node, char *log, size_t size) {
    if (error_node) *error_node = 0;
    if (log && size) *log = 0;
    return cudaGraphInstantiate(exec, graph, 0ull);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node, enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (error_node) *error_node = info.errorNode;
    if (result) *result = info.result;
    return error;
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params) { return cudaGraphAddNode_v2(node, graph, after, edges, count, params); }
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count) { return cudaGraphAddDependencies_v2(graph, from, to, edges, count); }
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned flags = 0) { return cudaStreamUpdateCaptureDependencies_v2(stream, nodes, edges, count, flags); }
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id = 0, cudaGraph_t *graph = 0, const cudaGraphNode_t **nodes = 0, size_t *count = 0) { return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count); }
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *count) { return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count); }
template <class T> void ls_destroy(void *object) { delete (T *)object; }
template <class T> cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, T *wrapped, unsigned references, unsigned flags) { return cudaUserObjectCreate(object, (void *)wrapped, ls_destroy<T>, references, flags); }

/* --- Texture and surface references -------------------------------------------------------------------- */
#if defined(__CUDA__) && !defined(__LOCKSTEP_NO_TEXTURE__)
template <class T, int d, enum cudaTextureReadMode m> struct texture;
template <class T, int d> struct surface;
template <class T, int d, enum cudaTextureReadMode m> const textureReference *ls_reference(const texture<T, d, m> &t) { return (const textureReference *)(const void *)&t; }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *p, const cudaChannelFormatDesc &desc, size_t size = 0xffffffffu) { return cudaBindTexture(offset, ls_reference(t), p, &desc, size); }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaBindTexture(size_t *offset, const texture<T, d, m> &t, const void *p, size_t size = 0xffffffffu) { cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>(); return cudaBindTexture(offset, ls_reference(t), p, &desc, size); }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *p, const cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch) { return cudaBindTexture2D(offset, ls_reference(t), p, &desc, width, height, pitch); }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, d, m> &t, const void *p, size_t width, size_t height, size_t pitch) { cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>(); return cudaBindTexture2D(offset, ls_reference(t), p, &desc, width, height, pitch); }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array, const cudaChannelFormatDesc &desc) { return cudaBindTextureToArray(ls_reference(t), array, &desc); }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaBindTextureToArray(const texture<T, d, m> &t, cudaArray_const_t array) {
    cudaChannelFormatDesc desc;
    cudaError_t error = cudaGetChannelDesc(&desc, array);
    return error ? error : cudaBindTextureToArray(ls_reference(t), array, &desc);
}
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaBindTextureToMipmappedArray(const texture<T, d, m> &t, cudaMipmappedArray_const_t array, const cudaChannelFormatDesc &desc) { return cudaBindTextureToMipmappedArray(ls_reference(t), array, &desc); }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaUnbindTexture(const texture<T, d, m> &t) { return cudaUnbindTexture(ls_reference(t)); }
template <class T, int d, enum cudaTextureReadMode m> cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, d, m> &t) { return cudaGetTextureAlignmentOffset(offset, ls_reference(t)); }
template <class T, int d> cudaError_t cudaBindSurfaceToArray(const surface<T, d> &s, cudaArray_const_t array, const cudaChannelFormatDesc &desc) { return cudaBindSurfaceToArray((const surfaceReference *)(const void *)&s, array, &desc); }
template <class T, int d> cudaError_t cudaBindSurfaceToArray(const surface<T, d> &s, cudaArray_const_t array) {
    cudaChannelFormatDesc desc;
    cudaError_t error = cudaGetChannelDesc(&desc, array);
    return error ? error : cudaBindSurfaceToArray((const surfaceReference *)(const void *)&s, array, &desc);
}
#endif
#else /* loose */
#define LS_RT(NAME) LS_LOOSE(cudaError_t, NAME)
LS_RT(cudaMemPrefetchAsync)
LS_RT(cudaMemAdvise)
LS_RT(cudaStreamGetCaptureInfo)
LS_RT(cudaOccupancyMaxPotentialBlockSize)
LS_RT(cudaOccupancyMaxPotentialBlockSizeVariableSMem)
LS_RT(cudaOccupancyMaxPotentialBlockSizeWithFlags)
LS_RT(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags)
#undef LS_RT
#endif

/* Programmatic dependent launch. */
#ifdef __CUDA__
LS_DEVICE void cudaGridDependencySynchronize(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
LS_DEVICE void cudaTriggerProgrammaticLaunchCompletion(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
#endif

#endif
