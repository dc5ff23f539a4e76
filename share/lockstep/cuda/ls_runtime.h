/* Functions of the CUDA runtime. Where CUDA 12 and CUDA 13 have two functions under one name, the name that
 * has only one meaning is the one that is linked (…_v2), and C++ gets both forms. Read by C as well. */
#ifndef LS_RUNTIME_H
#define LS_RUNTIME_H
#pragma GCC system_header
#include "ls_runtime_types.h"
#include "ls_api.h"
#ifdef __cplusplus
#define LS_NOEXCEPT noexcept
#else
#define LS_NOEXCEPT
#endif
#ifndef __cplusplus
typedef struct cudaDeviceProp cudaDeviceProp;
#endif
#define LS_RT(NAME, PARAMETERS) LS_FN(cudaError_t, NAME, PARAMETERS)

/* Called by clang for k<<<…>>>(…), with these signatures. */
LS_C unsigned __cudaPushCallConfiguration(LS_TAG dim3 grid, LS_TAG dim3 block, size_t shared LS_DEFAULT(0), struct CUstream_st *stream LS_DEFAULT(0)) LS_NOEXCEPT;
LS_C cudaError_t cudaLaunchKernel(const void *function, LS_TAG dim3 grid, LS_TAG dim3 block, void **arguments, size_t shared, cudaStream_t stream) LS_NOEXCEPT;
LS_C cudaError_t cudaLaunchCooperativeKernel(const void *function, LS_TAG dim3 grid, LS_TAG dim3 block, void **arguments, size_t shared, cudaStream_t stream) LS_NOEXCEPT;
LS_C cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments);

/* --- Memory -------------------------------------------------------------------------------------------- */
LS_RT(cudaMalloc, (void **pointer, size_t size))
LS_RT(cudaMallocHost, (void **pointer, size_t size))
LS_RT(cudaMallocManaged, (void **pointer, size_t size, unsigned int flags LS_DEFAULT(cudaMemAttachGlobal)))
LS_RT(cudaMallocPitch, (void **pointer, size_t *pitch, size_t width, size_t height))
LS_RT(cudaMallocArray, (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height LS_DEFAULT(0), unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaMalloc3D, (struct cudaPitchedPtr *pointer, struct cudaExtent extent))
LS_RT(cudaMalloc3DArray, (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaMallocMipmappedArray, (cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels, unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaMallocAsync, (void **pointer, size_t size, cudaStream_t stream))
LS_RT(cudaMallocFromPoolAsync, (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream))
LS_RT(cudaFree, (void *pointer))
LS_RT(cudaFreeAsync, (void *pointer, cudaStream_t stream))
LS_RT(cudaFreeHost, (void *pointer))
LS_RT(cudaFreeArray, (cudaArray_t array))
LS_RT(cudaFreeMipmappedArray, (cudaMipmappedArray_t array))
LS_RT(cudaHostAlloc, (void **pointer, size_t size, unsigned int flags))
LS_RT(cudaHostRegister, (void *pointer, size_t size, unsigned int flags))
LS_RT(cudaHostUnregister, (void *pointer))
LS_RT(cudaHostGetDevicePointer, (void **device, void *host, unsigned int flags))
LS_RT(cudaHostGetFlags, (unsigned int *flags, void *host))
LS_RT(cudaMemGetInfo, (size_t *free, size_t *total))
LS_RT(cudaMemcpy, (void *to, const void *from, size_t count, enum cudaMemcpyKind kind))
LS_RT(cudaMemcpyAsync, (void *to, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpy2D, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind))
LS_RT(cudaMemcpy2DAsync, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p))
LS_RT(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p))
LS_RT(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t count))
LS_RT(cudaMemcpyPeerAsync, (void *to, int to_device, const void *from, int from_device, size_t count, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpyToArray, (cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum cudaMemcpyKind kind))
LS_RT(cudaMemcpyFromArray, (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind))
LS_RT(cudaMemcpyToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpyFromArrayAsync, (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpyArrayToArray, (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t count, enum cudaMemcpyKind kind LS_DEFAULT(cudaMemcpyDeviceToDevice)))
LS_RT(cudaMemcpy2DToArray, (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind))
LS_RT(cudaMemcpy2DToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpy2DFromArray, (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind))
LS_RT(cudaMemcpy2DFromArrayAsync, (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpy2DArrayToArray, (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind LS_DEFAULT(cudaMemcpyDeviceToDevice)))
LS_RT(cudaMemset, (void *pointer, int value, size_t count))
LS_RT(cudaMemsetAsync, (void *pointer, int value, size_t count, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemset2D, (void *pointer, size_t pitch, int value, size_t width, size_t height))
LS_RT(cudaMemset2DAsync, (void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemset3D, (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent))
LS_RT(cudaMemset3DAsync, (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemRangeGetAttribute, (void *data, size_t size, enum cudaMemRangeAttribute attribute, const void *pointer, size_t count))
LS_RT(cudaPointerGetAttributes, (struct cudaPointerAttributes *attributes, const void *pointer))
LS_RT(cudaArrayGetInfo, (struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array))
LS_RT(cudaGetMipmappedArrayLevel, (cudaArray_t *level_array, cudaMipmappedArray_const_t array, unsigned int level))
LS_RT(cudaDeviceGetDefaultMemPool, (cudaMemPool_t *pool, int device))
LS_RT(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool))
LS_RT(cudaDeviceGetMemPool, (cudaMemPool_t *pool, int device))
LS_RT(cudaMemPoolSetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value))
LS_RT(cudaMemPoolGetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value))
LS_RT(cudaMemPoolCreate, (cudaMemPool_t *pool, const struct cudaMemPoolProps *properties))
LS_RT(cudaMemPoolDestroy, (cudaMemPool_t pool))
LS_RT(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep))
LS_RT(cudaMemPoolSetAccess, (cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count))
LS_RT(cudaMemPoolGetAccess, (enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location))
LS_RT(cudaMemPoolExportToShareableHandle, (void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type, unsigned int flags))
LS_RT(cudaMemPoolImportFromShareableHandle, (cudaMemPool_t *pool, void *handle, enum cudaMemAllocationHandleType type, unsigned int flags))
LS_RT(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData *data, void *pointer))
LS_RT(cudaMemPoolImportPointer, (void **pointer, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data))
/* A place is a device's number in CUDA 12, and a cudaMemLocation in CUDA 13. */
LS_RT(cudaMemPrefetchAsync_v2, (const void *pointer, size_t count, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream))
LS_RT(cudaMemAdvise_v2, (const void *pointer, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location))

/* --- Symbols ------------------------------------------------------------------------------------------- */
LS_RT(cudaMemcpyToSymbol, (const void *symbol, const void *from, size_t count, size_t offset LS_DEFAULT(0), enum cudaMemcpyKind kind LS_DEFAULT(cudaMemcpyHostToDevice)))
LS_RT(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t count, size_t offset LS_DEFAULT(0), enum cudaMemcpyKind kind LS_DEFAULT(cudaMemcpyDeviceToHost)))
LS_RT(cudaMemcpyToSymbolAsync, (const void *symbol, const void *from, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaMemcpyFromSymbolAsync, (void *to, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaGetSymbolAddress, (void **pointer, const void *symbol))
LS_RT(cudaGetSymbolSize, (size_t *size, const void *symbol))

/* --- Devices ------------------------------------------------------------------------------------------- */
LS_RT(cudaDeviceSynchronize, (void))
LS_RT(cudaDeviceReset, (void))
LS_RT(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device))
LS_RT(cudaDeviceSetCacheConfig, (enum cudaFuncCache config))
LS_RT(cudaDeviceGetCacheConfig, (enum cudaFuncCache *config))
LS_RT(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig config))
LS_RT(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig *config))
LS_RT(cudaDeviceSetLimit, (enum cudaLimit limit, size_t value))
LS_RT(cudaDeviceGetLimit, (size_t *value, enum cudaLimit limit))
LS_RT(cudaDeviceCanAccessPeer, (int *can, int device, int peer))
LS_RT(cudaDeviceEnablePeerAccess, (int peer, unsigned int flags))
LS_RT(cudaDeviceDisablePeerAccess, (int peer))
LS_RT(cudaDeviceGetPCIBusId, (char *id, int length, int device))
LS_RT(cudaDeviceGetByPCIBusId, (int *device, const char *id))
LS_RT(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest))
LS_RT(cudaDeviceGetP2PAttribute, (int *value, enum cudaDeviceP2PAttr attribute, int from, int to))
LS_RT(cudaDeviceFlushGPUDirectRDMAWrites, (enum cudaFlushGPUDirectRDMAWritesTarget target, enum cudaFlushGPUDirectRDMAWritesScope scope))
LS_RT(cudaDeviceGraphMemTrim, (int device))
LS_RT(cudaDeviceGetGraphMemAttribute, (int device, enum cudaGraphMemAttributeType attribute, void *value))
LS_RT(cudaDeviceSetGraphMemAttribute, (int device, enum cudaGraphMemAttributeType attribute, void *value))
LS_RT(cudaDeviceGetTexture1DLinearMaxWidth, (size_t *width, const struct cudaChannelFormatDesc *desc, int device))
LS_RT(cudaDeviceGetNvSciSyncAttributes, (void *attributes, int device, int flags))
LS_RT(cudaThreadSynchronize, (void))
LS_RT(cudaThreadExit, (void))
LS_RT(cudaThreadSetCacheConfig, (enum cudaFuncCache config))
LS_RT(cudaThreadSetLimit, (enum cudaLimit limit, size_t value))
LS_RT(cudaGetDevice, (int *device))
LS_RT(cudaSetDevice, (int device))
LS_RT(cudaGetDeviceCount, (int *count))
LS_RT(cudaGetDeviceProperties_v2, (struct cudaDeviceProp *properties, int device))
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
LS_RT(cudaChooseDevice, (int *device, const struct cudaDeviceProp *properties))
LS_RT(cudaSetDeviceFlags, (unsigned int flags))
LS_RT(cudaGetDeviceFlags, (unsigned int *flags))
LS_RT(cudaSetValidDevices, (int *devices, int count))
LS_RT(cudaInitDevice, (int device, unsigned int device_flags, unsigned int flags))
LS_RT(cudaGetLastError, (void))
LS_RT(cudaPeekAtLastError, (void))
LS_RT(cudaDriverGetVersion, (int *version))
LS_RT(cudaRuntimeGetVersion, (int *version))
LS_RT(cudaCtxResetPersistingL2Cache, (void))
LS_RT(cudaGetDriverEntryPoint, (const char *symbol, void **function, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status LS_DEFAULT(0)))
LS_RT(cudaGetDriverEntryPointByVersion, (const char *symbol, void **function, unsigned int version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status LS_DEFAULT(0)))
LS_RT(cudaGetExportTable, (const void **table, const cudaUUID_t *id))
LS_RT(cudaProfilerStart, (void))
LS_RT(cudaProfilerStop, (void))

/* --- Streams and events -------------------------------------------------------------------------------- */
LS_RT(cudaStreamCreate, (cudaStream_t *stream))
LS_RT(cudaStreamCreateWithFlags, (cudaStream_t *stream, unsigned int flags))
LS_RT(cudaStreamCreateWithPriority, (cudaStream_t *stream, unsigned int flags, int priority))
LS_RT(cudaStreamDestroy, (cudaStream_t stream))
LS_RT(cudaStreamSynchronize, (cudaStream_t stream))
LS_RT(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaStreamQuery, (cudaStream_t stream))
LS_RT(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags))
LS_RT(cudaStreamAttachMemAsync, (cudaStream_t stream, void *pointer, size_t length LS_DEFAULT(0), unsigned int flags LS_DEFAULT(cudaMemAttachSingle)))
LS_RT(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode))
LS_RT(cudaStreamBeginCaptureToGraph, (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, enum cudaStreamCaptureMode mode))
LS_RT(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode *mode))
LS_RT(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph))
LS_RT(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status))
LS_RT(cudaStreamGetCaptureInfo_v2, (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id LS_DEFAULT(0), cudaGraph_t *graph LS_DEFAULT(0), const cudaGraphNode_t **nodes LS_DEFAULT(0), size_t *count LS_DEFAULT(0)))
LS_RT(cudaStreamGetCaptureInfo_v3, (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id LS_DEFAULT(0), cudaGraph_t *graph LS_DEFAULT(0), const cudaGraphNode_t **nodes LS_DEFAULT(0), const cudaGraphEdgeData **edges LS_DEFAULT(0), size_t *count LS_DEFAULT(0)))
LS_RT(cudaStreamUpdateCaptureDependencies, (cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaStreamUpdateCaptureDependencies_v2, (cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaStreamGetPriority, (cudaStream_t stream, int *priority))
LS_RT(cudaStreamGetFlags, (cudaStream_t stream, unsigned int *flags))
LS_RT(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id))
LS_RT(cudaStreamGetDevice, (cudaStream_t stream, int *device))
LS_RT(cudaStreamSetAttribute, (cudaStream_t stream, enum cudaLaunchAttributeID attribute, const union cudaLaunchAttributeValue *value))
LS_RT(cudaStreamGetAttribute, (cudaStream_t stream, enum cudaLaunchAttributeID attribute, union cudaLaunchAttributeValue *value))
LS_RT(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from))
LS_RT(cudaEventCreate, (cudaEvent_t *event))
LS_RT(cudaEventCreateWithFlags, (cudaEvent_t *event, unsigned int flags))
LS_RT(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream LS_DEFAULT(0), unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaEventSynchronize, (cudaEvent_t event))
LS_RT(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t start, cudaEvent_t end))
LS_RT(cudaEventDestroy, (cudaEvent_t event))
LS_RT(cudaEventQuery, (cudaEvent_t event))
LS_RT(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data))

/* --- Kernels ------------------------------------------------------------------------------------------- */
LS_RT(cudaFuncSetCacheConfig, (const void *function, enum cudaFuncCache config))
LS_RT(cudaFuncSetAttribute, (const void *function, enum cudaFuncAttribute attribute, int value))
LS_RT(cudaFuncGetAttributes, (struct cudaFuncAttributes *attributes, const void *function))
LS_RT(cudaFuncSetSharedMemConfig, (const void *function, enum cudaSharedMemConfig config))
LS_RT(cudaFuncGetName, (const char **name, const void *function))
LS_RT(cudaGetFuncBySymbol, (cudaFunction_t *function, const void *symbol))
LS_RT(cudaGetKernel, (cudaKernel_t *kernel, const void *symbol))
LS_RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, const void *function, int block_size, size_t shared))
LS_RT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int *blocks, const void *function, int block_size, size_t shared, unsigned int flags))
LS_RT(cudaOccupancyAvailableDynamicSMemPerBlock, (size_t *shared, const void *function, int blocks, int block_size))
LS_RT(cudaOccupancyMaxActiveClusters, (int *clusters, const void *function, const cudaLaunchConfig_t *config))
LS_RT(cudaOccupancyMaxPotentialClusterSize, (int *size, const void *function, const cudaLaunchConfig_t *config))
LS_RT(cudaLaunchCooperativeKernelMultiDevice, (struct cudaLaunchParams *list, unsigned int devices, unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaConfigureCall, (LS_TAG dim3 grid, LS_TAG dim3 block, size_t shared LS_DEFAULT(0), cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaSetupArgument, (const void *argument, size_t size, size_t offset))
LS_RT(cudaLaunch, (const void *function))

/* --- Graphs -------------------------------------------------------------------------------------------- */
LS_RT(cudaGraphCreate, (cudaGraph_t *graph, unsigned int flags))
LS_RT(cudaGraphDestroy, (cudaGraph_t graph))
LS_RT(cudaGraphClone, (cudaGraph_t *clone, cudaGraph_t original))
LS_RT(cudaGraphInstantiate, (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags LS_DEFAULT(0)))
LS_RT(cudaGraphInstantiateWithFlags, (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags LS_DEFAULT(0)))
LS_RT(cudaGraphInstantiateWithParams, (cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params))
LS_RT(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream))
LS_RT(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream))
LS_RT(cudaGraphExecDestroy, (cudaGraphExec_t exec))
LS_RT(cudaGraphExecUpdate, (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info))
LS_RT(cudaGraphExecGetFlags, (cudaGraphExec_t exec, unsigned long long *flags))
LS_RT(cudaGraphAddKernelNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaKernelNodeParams *params))
LS_RT(cudaGraphAddMemcpyNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemcpy3DParms *params))
LS_RT(cudaGraphAddMemcpyNode1D, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *from, size_t size, enum cudaMemcpyKind kind))
LS_RT(cudaGraphAddMemcpyNodeToSymbol, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind))
LS_RT(cudaGraphAddMemcpyNodeFromSymbol, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind))
LS_RT(cudaGraphAddMemsetNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemsetParams *params))
LS_RT(cudaGraphAddHostNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaHostNodeParams *params))
LS_RT(cudaGraphAddMemAllocNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, struct cudaMemAllocNodeParams *params))
LS_RT(cudaGraphAddMemFreeNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *pointer))
LS_RT(cudaGraphAddChildGraphNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child))
LS_RT(cudaGraphAddEmptyNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count))
LS_RT(cudaGraphAddEventRecordNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event))
LS_RT(cudaGraphAddEventWaitNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event))
LS_RT(cudaGraphAddNode, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, struct cudaGraphNodeParams *params))
LS_RT(cudaGraphAddNode_v2, (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params))
LS_RT(cudaGraphAddDependencies, (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count))
LS_RT(cudaGraphAddDependencies_v2, (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count))
LS_RT(cudaGraphRemoveDependencies, (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count))
LS_RT(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count))
LS_RT(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count))
LS_RT(cudaGraphGetEdges, (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count))
LS_RT(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *type))
LS_RT(cudaGraphNodeGetDependencies, (cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count))
LS_RT(cudaGraphNodeGetDependentNodes, (cudaGraphNode_t node, cudaGraphNode_t *list, size_t *count))
LS_RT(cudaGraphNodeFindInClone, (cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone))
LS_RT(cudaGraphNodeSetEnabled, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled))
LS_RT(cudaGraphNodeGetEnabled, (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled))
LS_RT(cudaGraphDestroyNode, (cudaGraphNode_t node))
LS_RT(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const struct cudaKernelNodeParams *params))
LS_RT(cudaGraphKernelNodeGetParams, (cudaGraphNode_t node, struct cudaKernelNodeParams *params))
LS_RT(cudaGraphKernelNodeSetAttribute, (cudaGraphNode_t node, enum cudaLaunchAttributeID attribute, const union cudaLaunchAttributeValue *value))
LS_RT(cudaGraphKernelNodeGetAttribute, (cudaGraphNode_t node, enum cudaLaunchAttributeID attribute, union cudaLaunchAttributeValue *value))
LS_RT(cudaGraphMemcpyNodeSetParams, (cudaGraphNode_t node, const struct cudaMemcpy3DParms *params))
LS_RT(cudaGraphMemcpyNodeGetParams, (cudaGraphNode_t node, struct cudaMemcpy3DParms *params))
LS_RT(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t node, const struct cudaMemsetParams *params))
LS_RT(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, struct cudaMemsetParams *params))
LS_RT(cudaGraphHostNodeSetParams, (cudaGraphNode_t node, const struct cudaHostNodeParams *params))
LS_RT(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, struct cudaHostNodeParams *params))
LS_RT(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t node, struct cudaMemAllocNodeParams *params))
LS_RT(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *graph))
LS_RT(cudaGraphExecKernelNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params))
LS_RT(cudaGraphExecMemcpyNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *params))
LS_RT(cudaGraphExecMemcpyNodeSetParams1D, (cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from, size_t count, enum cudaMemcpyKind kind))
LS_RT(cudaGraphExecMemsetNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *params))
LS_RT(cudaGraphExecHostNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params))
LS_RT(cudaGraphExecChildGraphNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child))
LS_RT(cudaGraphExecNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params))
LS_RT(cudaGraphDebugDotPrint, (cudaGraph_t graph, const char *path, unsigned int flags))
LS_RT(cudaGraphConditionalHandleCreate, (cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int value LS_DEFAULT(0), unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaUserObjectCreate, (cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy, unsigned int references, unsigned int flags))
LS_RT(cudaUserObjectRetain, (cudaUserObject_t object, unsigned int count LS_DEFAULT(1)))
LS_RT(cudaUserObjectRelease, (cudaUserObject_t object, unsigned int count LS_DEFAULT(1)))
LS_RT(cudaGraphRetainUserObject, (cudaGraph_t graph, cudaUserObject_t object, unsigned int count LS_DEFAULT(1), unsigned int flags LS_DEFAULT(0)))
LS_RT(cudaGraphReleaseUserObject, (cudaGraph_t graph, cudaUserObject_t object, unsigned int count LS_DEFAULT(1)))

/* --- Textures, surfaces, graphics, other processes ----------------------------------------------------- */
LS_RT(cudaCreateTextureObject, (cudaTextureObject_t *object, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view))
LS_RT(cudaDestroyTextureObject, (cudaTextureObject_t object))
LS_RT(cudaGetTextureObjectResourceDesc, (struct cudaResourceDesc *desc, cudaTextureObject_t object))
LS_RT(cudaGetTextureObjectTextureDesc, (struct cudaTextureDesc *desc, cudaTextureObject_t object))
LS_RT(cudaCreateSurfaceObject, (cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource))
LS_RT(cudaDestroySurfaceObject, (cudaSurfaceObject_t object))
LS_RT(cudaGetSurfaceObjectResourceDesc, (struct cudaResourceDesc *desc, cudaSurfaceObject_t object))
LS_RT(cudaGetChannelDesc, (struct cudaChannelFormatDesc *desc, cudaArray_const_t array))
LS_RT(cudaBindTexture, (size_t *offset, const struct textureReference *texture, const void *pointer, const struct cudaChannelFormatDesc *desc, size_t size LS_DEFAULT(0xffffffffu)))
LS_RT(cudaBindTexture2D, (size_t *offset, const struct textureReference *texture, const void *pointer, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch))
LS_RT(cudaBindTextureToArray, (const struct textureReference *texture, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc))
LS_RT(cudaBindTextureToMipmappedArray, (const struct textureReference *texture, cudaMipmappedArray_const_t array, const struct cudaChannelFormatDesc *desc))
LS_RT(cudaUnbindTexture, (const struct textureReference *texture))
LS_RT(cudaBindSurfaceToArray, (const struct surfaceReference *surface, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc))
LS_RT(cudaGetTextureReference, (const struct textureReference **texture, const void *symbol))
LS_RT(cudaGetSurfaceReference, (const struct surfaceReference **surface, const void *symbol))
LS_RT(cudaGetTextureAlignmentOffset, (size_t *offset, const struct textureReference *texture))
LS_RT(cudaGraphicsMapResources, (int count, cudaGraphicsResource_t *resources, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaGraphicsUnmapResources, (int count, cudaGraphicsResource_t *resources, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaGraphicsResourceGetMappedPointer, (void **pointer, size_t *size, cudaGraphicsResource_t resource))
LS_RT(cudaGraphicsSubResourceGetMappedArray, (cudaArray_t *array, cudaGraphicsResource_t resource, unsigned int index, unsigned int level))
LS_RT(cudaGraphicsResourceGetMappedMipmappedArray, (cudaMipmappedArray_t *array, cudaGraphicsResource_t resource))
LS_RT(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource))
LS_RT(cudaGraphicsResourceSetMapFlags, (cudaGraphicsResource_t resource, unsigned int flags))
LS_RT(cudaGraphicsGLRegisterBuffer, (cudaGraphicsResource_t *resource, unsigned int buffer, unsigned int flags))
LS_RT(cudaGraphicsGLRegisterImage, (cudaGraphicsResource_t *resource, unsigned int image, unsigned int target, unsigned int flags))
LS_RT(cudaGLSetGLDevice, (int device))
LS_RT(cudaGLRegisterBufferObject, (unsigned int buffer))
LS_RT(cudaGLMapBufferObject, (void **pointer, unsigned int buffer))
LS_RT(cudaGLUnmapBufferObject, (unsigned int buffer))
LS_RT(cudaGLUnregisterBufferObject, (unsigned int buffer))
LS_RT(cudaIpcGetMemHandle, (cudaIpcMemHandle_t *handle, void *pointer))
LS_RT(cudaIpcOpenMemHandle, (void **pointer, cudaIpcMemHandle_t handle, unsigned int flags))
LS_RT(cudaIpcCloseMemHandle, (void *pointer))
LS_RT(cudaIpcGetEventHandle, (cudaIpcEventHandle_t *handle, cudaEvent_t event))
LS_RT(cudaIpcOpenEventHandle, (cudaEvent_t *event, cudaIpcEventHandle_t handle))
LS_RT(cudaImportExternalMemory, (cudaExternalMemory_t *memory, const struct cudaExternalMemoryHandleDesc *desc))
LS_RT(cudaExternalMemoryGetMappedBuffer, (void **pointer, cudaExternalMemory_t memory, const struct cudaExternalMemoryBufferDesc *desc))
LS_RT(cudaExternalMemoryGetMappedMipmappedArray, (cudaMipmappedArray_t *array, cudaExternalMemory_t memory, const struct cudaExternalMemoryMipmappedArrayDesc *desc))
LS_RT(cudaDestroyExternalMemory, (cudaExternalMemory_t memory))
LS_RT(cudaImportExternalSemaphore, (cudaExternalSemaphore_t *semaphore, const struct cudaExternalSemaphoreHandleDesc *desc))
LS_RT(cudaSignalExternalSemaphoresAsync, (const cudaExternalSemaphore_t *list, const struct cudaExternalSemaphoreSignalParams *params, unsigned int count, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaWaitExternalSemaphoresAsync, (const cudaExternalSemaphore_t *list, const struct cudaExternalSemaphoreWaitParams *params, unsigned int count, cudaStream_t stream LS_DEFAULT(0)))
LS_RT(cudaDestroyExternalSemaphore, (cudaExternalSemaphore_t semaphore))

#ifndef __CUDA__
LS_C const char *cudaGetErrorString(cudaError_t error);
LS_C const char *cudaGetErrorName(cudaError_t error);
#else
extern "C" __host__ const char *cudaGetErrorString(cudaError_t error);
extern "C" __host__ const char *cudaGetErrorName(cudaError_t error);
/* Those that device code may call. */
extern "C" __device__ const char *cudaGetErrorString(cudaError_t error);
extern "C" __device__ const char *cudaGetErrorName(cudaError_t error);
extern "C" __device__ cudaError_t cudaDeviceSynchronize(void);
extern "C" __device__ cudaError_t cudaGetLastError(void);
extern "C" __device__ cudaError_t cudaPeekAtLastError(void);
extern "C" __device__ cudaError_t cudaGetDevice(int *);
extern "C" __device__ cudaError_t cudaGetDeviceCount(int *);
extern "C" __device__ cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
extern "C" __device__ cudaError_t cudaMalloc(void **, size_t);
extern "C" __device__ cudaError_t cudaFree(void *);
extern "C" __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
extern "C" __device__ cudaError_t cudaStreamDestroy(cudaStream_t);
extern "C" __device__ cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
extern "C" __device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
extern "C" __device__ cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
extern "C" __device__ cudaError_t cudaEventDestroy(cudaEvent_t);
extern "C" __device__ cudaError_t cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t = 0);
extern "C" __device__ cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
extern "C" __device__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
extern "C" __device__ cudaError_t cudaRuntimeGetVersion(int *);
extern "C" __device__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
extern "C" __device__ cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
extern "C" __device__ cudaGraphExec_t cudaGetCurrentGraphExec(void);
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned int);
extern "C" __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
extern "C" __device__ void *cudaGetParameterBufferV2(void *, dim3, dim3, unsigned int);
extern "C" __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned, cudaStream_t);
extern "C" __device__ cudaError_t cudaLaunchDeviceV2(void *, cudaStream_t);
#endif

static inline struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { struct cudaExtent e = {w, h, d}; return e; }
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) { struct cudaPos p = {x, y, z}; return p; }
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz) { struct cudaPitchedPtr s = {d, p, xsz, ysz}; return s; }
LS_C struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
#undef LS_RT
#ifdef __cplusplus
#include "ls_runtime_cxx.h"
#endif

#endif
