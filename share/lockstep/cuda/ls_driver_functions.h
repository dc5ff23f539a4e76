/* Functions of the CUDA driver. Those that have a second version go by it, as in CUDA's own header. */
#ifndef LS_DRIVER_FUNCTIONS_H
#define LS_DRIVER_FUNCTIONS_H
#pragma GCC system_header
/* With the type of a pointer to it, as in cudaTypedefs.h. */
#define LS_CU(NAME, PARAMETERS) typedef CUresult(*PFN_##NAME) PARAMETERS; LS_FN(CUresult, NAME, PARAMETERS)

/* Names and the versions they stand for. */
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy3D cuMemcpy3D_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuMemsetD16 cuMemsetD16_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuMemsetD2D8 cuMemsetD2D8_v2
#define cuMemsetD2D16 cuMemsetD2D16_v2
#define cuMemsetD2D32 cuMemsetD2D32_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuGetProcAddress cuGetProcAddress_v2
#define cuStreamWaitValue32 cuStreamWaitValue32_v2
#define cuStreamWriteValue32 cuStreamWriteValue32_v2
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#define cuGraphicsResourceGetMappedPointer cuGraphicsResourceGetMappedPointer_v2
#define cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2

LS_CU(cuInit, (unsigned int flags))
LS_CU(cuDriverGetVersion, (int *version))
LS_CU(cuGetErrorString, (CUresult error, const char **text))
LS_CU(cuGetErrorName, (CUresult error, const char **name))
LS_CU(cuGetProcAddress, (const char *symbol, void **function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status))
LS_CU(cuGetExportTable, (const void **table, const CUuuid *id))
LS_CU(cuDeviceGet, (CUdevice *device, int ordinal))
LS_CU(cuDeviceGetCount, (int *count))
LS_CU(cuDeviceGetName, (char *name, int length, CUdevice device))
LS_CU(cuDeviceGetUuid, (CUuuid *id, CUdevice device))
LS_CU(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))
LS_CU(cuDeviceGetProperties, (CUdevprop *properties, CUdevice device))
LS_CU(cuDeviceTotalMem, (size_t *bytes, CUdevice device))
LS_CU(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device))
LS_CU(cuDeviceGetPCIBusId, (char *id, int length, CUdevice device))
LS_CU(cuDeviceGetByPCIBusId, (CUdevice *device, const char *id))
LS_CU(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer))
LS_CU(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device))
LS_CU(cuDevicePrimaryCtxRelease, (CUdevice device))
LS_CU(cuDevicePrimaryCtxReset, (CUdevice device))
LS_CU(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned int flags))
LS_CU(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned int *flags, int *active))
LS_CU(cuCtxCreate, (CUcontext *context, unsigned int flags, CUdevice device))
LS_CU(cuCtxDestroy, (CUcontext context))
LS_CU(cuCtxAttach, (CUcontext *context, unsigned int flags))
LS_CU(cuCtxDetach, (CUcontext context))
LS_CU(cuCtxSetCurrent, (CUcontext context))
LS_CU(cuCtxGetCurrent, (CUcontext *context))
LS_CU(cuCtxGetDevice, (CUdevice *device))
LS_CU(cuCtxGetApiVersion, (CUcontext context, unsigned int *version))
LS_CU(cuCtxSynchronize, (void))
LS_CU(cuCtxPushCurrent, (CUcontext context))
LS_CU(cuCtxPopCurrent, (CUcontext *context))
LS_CU(cuCtxSetLimit, (CUlimit limit, size_t value))
LS_CU(cuCtxGetLimit, (size_t *value, CUlimit limit))
LS_CU(cuCtxSetCacheConfig, (CUfunc_cache config))
LS_CU(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags))
LS_CU(cuCtxDisablePeerAccess, (CUcontext peer))
LS_CU(cuModuleLoad, (CUmodule *module, const char *path))
LS_CU(cuModuleLoadData, (CUmodule *module, const void *image))
LS_CU(cuModuleLoadDataEx, (CUmodule *module, const void *image, unsigned int count, CUjit_option *options, void **values))
LS_CU(cuModuleLoadFatBinary, (CUmodule *module, const void *image))
LS_CU(cuModuleUnload, (CUmodule module))
LS_CU(cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name))
LS_CU(cuModuleGetGlobal, (CUdeviceptr *pointer, size_t *size, CUmodule module, const char *name))
LS_CU(cuModuleGetTexRef, (CUtexref *reference, CUmodule module, const char *name))
LS_CU(cuModuleGetSurfRef, (CUsurfref *reference, CUmodule module, const char *name))
LS_CU(cuLinkCreate, (unsigned int count, CUjit_option *options, void **values, CUlinkState *state))
LS_CU(cuLinkAddData, (CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned int count, CUjit_option *options, void **values))
LS_CU(cuLinkAddFile, (CUlinkState state, CUjitInputType type, const char *path, unsigned int count, CUjit_option *options, void **values))
LS_CU(cuLinkComplete, (CUlinkState state, void **cubin, size_t *size))
LS_CU(cuLinkDestroy, (CUlinkState state))
LS_CU(cuMemGetInfo, (size_t *free, size_t *total))
LS_CU(cuMemAlloc, (CUdeviceptr *pointer, size_t size))
LS_CU(cuMemAllocPitch, (CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned int element))
LS_CU(cuMemAllocManaged, (CUdeviceptr *pointer, size_t size, unsigned int flags))
LS_CU(cuMemAllocAsync, (CUdeviceptr *pointer, size_t size, CUstream stream))
LS_CU(cuMemFree, (CUdeviceptr pointer))
LS_CU(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream))
LS_CU(cuMemGetAddressRange, (CUdeviceptr *base, size_t *size, CUdeviceptr pointer))
LS_CU(cuMemAllocHost, (void **pointer, size_t size))
LS_CU(cuMemFreeHost, (void *pointer))
LS_CU(cuMemHostAlloc, (void **pointer, size_t size, unsigned int flags))
LS_CU(cuMemHostGetDevicePointer, (CUdeviceptr *device, void *host, unsigned int flags))
LS_CU(cuMemHostGetFlags, (unsigned int *flags, void *pointer))
LS_CU(cuMemHostRegister, (void *pointer, size_t size, unsigned int flags))
LS_CU(cuMemHostUnregister, (void *pointer))
LS_CU(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t size))
LS_CU(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))
LS_CU(cuMemcpyPeer, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size))
LS_CU(cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t size))
LS_CU(cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t size))
LS_CU(cuMemcpyDtoD, (CUdeviceptr to, CUdeviceptr from, size_t size))
LS_CU(cuMemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t size, CUstream stream))
LS_CU(cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t size, CUstream stream))
LS_CU(cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))
LS_CU(cuMemcpyHtoA, (CUarray to, size_t offset, const void *from, size_t size))
LS_CU(cuMemcpyAtoH, (void *to, CUarray from, size_t offset, size_t size))
LS_CU(cuMemcpyDtoA, (CUarray to, size_t offset, CUdeviceptr from, size_t size))
LS_CU(cuMemcpyAtoD, (CUdeviceptr to, CUarray from, size_t offset, size_t size))
LS_CU(cuMemcpy2D, (const CUDA_MEMCPY2D *copy))
LS_CU(cuMemcpy2DUnaligned, (const CUDA_MEMCPY2D *copy))
LS_CU(cuMemcpy2DAsync, (const CUDA_MEMCPY2D *copy, CUstream stream))
LS_CU(cuMemcpy3D, (const CUDA_MEMCPY3D *copy))
LS_CU(cuMemcpy3DAsync, (const CUDA_MEMCPY3D *copy, CUstream stream))
LS_CU(cuMemsetD8, (CUdeviceptr to, unsigned char value, size_t count))
LS_CU(cuMemsetD16, (CUdeviceptr to, unsigned short value, size_t count))
LS_CU(cuMemsetD32, (CUdeviceptr to, unsigned int value, size_t count))
LS_CU(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))
LS_CU(cuMemsetD32Async, (CUdeviceptr to, unsigned int value, size_t count, CUstream stream))
LS_CU(cuMemsetD2D8, (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height))
LS_CU(cuMemsetD2D16, (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height))
LS_CU(cuMemsetD2D32, (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height))
LS_CU(cuMemCreate, (CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties, unsigned long long flags))
LS_CU(cuMemRelease, (CUmemGenericAllocationHandle handle))
LS_CU(cuMemMap, (CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags))
LS_CU(cuMemUnmap, (CUdeviceptr pointer, size_t size))
LS_CU(cuMemSetAccess, (CUdeviceptr pointer, size_t size, const CUmemAccessDesc *list, size_t count))
LS_CU(cuMemGetAccess, (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr pointer))
LS_CU(cuMemAddressReserve, (CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr where, unsigned long long flags))
LS_CU(cuMemAddressFree, (CUdeviceptr pointer, size_t size))
LS_CU(cuMemGetAllocationGranularity, (size_t *granularity, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags option))
LS_CU(cuMemGetAllocationPropertiesFromHandle, (CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle))
LS_CU(cuMemExportToShareableHandle, (void *shared, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type, unsigned long long flags))
LS_CU(cuMemImportFromShareableHandle, (CUmemGenericAllocationHandle *handle, void *shared, CUmemAllocationHandleType type))
LS_CU(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle *handle, void *pointer))
LS_CU(cuMemAdvise, (CUdeviceptr pointer, size_t count, CUmem_advise advice, CUdevice device))
LS_CU(cuMemPrefetchAsync, (CUdeviceptr pointer, size_t count, CUdevice device, CUstream stream))
LS_CU(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr pointer))
LS_CU(cuPointerSetAttribute, (const void *value, CUpointer_attribute attribute, CUdeviceptr pointer))
LS_CU(cuArrayCreate, (CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc))
LS_CU(cuArrayGetDescriptor, (CUDA_ARRAY_DESCRIPTOR *desc, CUarray array))
LS_CU(cuArrayDestroy, (CUarray array))
LS_CU(cuArray3DCreate, (CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc))
LS_CU(cuArray3DGetDescriptor, (CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array))
LS_CU(cuMipmappedArrayCreate, (CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned int levels))
LS_CU(cuMipmappedArrayGetLevel, (CUarray *level_array, CUmipmappedArray array, unsigned int level))
LS_CU(cuMipmappedArrayDestroy, (CUmipmappedArray array))
LS_CU(cuLaunchKernel, (CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **parameters, void **extra))
LS_CU(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))
LS_CU(cuLaunchCooperativeKernel, (CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **parameters))
LS_CU(cuLaunchCooperativeKernelMultiDevice, (CUDA_LAUNCH_PARAMS *list, unsigned int devices, unsigned int flags))
LS_CU(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *data))
LS_CU(cuLaunch, (CUfunction function))
LS_CU(cuLaunchGrid, (CUfunction function, int width, int height))
LS_CU(cuLaunchGridAsync, (CUfunction function, int width, int height, CUstream stream))
LS_CU(cuFuncSetBlockShape, (CUfunction function, int x, int y, int z))
LS_CU(cuFuncSetSharedSize, (CUfunction function, unsigned int size))
LS_CU(cuFuncSetCacheConfig, (CUfunction function, CUfunc_cache config))
LS_CU(cuFuncSetSharedMemConfig, (CUfunction function, CUsharedconfig config))
LS_CU(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))
LS_CU(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function))
LS_CU(cuParamSetSize, (CUfunction function, unsigned int size))
LS_CU(cuParamSeti, (CUfunction function, int offset, unsigned int value))
LS_CU(cuParamSetf, (CUfunction function, int offset, float value))
LS_CU(cuParamSetv, (CUfunction function, int offset, void *value, unsigned int size))
LS_CU(cuParamSetTexRef, (CUfunction function, int unit, CUtexref reference))
LS_CU(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction function, int block_size, size_t shared))
LS_CU(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, (int *blocks, CUfunction function, int block_size, size_t shared, unsigned int flags))
LS_CU(cuOccupancyMaxPotentialBlockSize, (int *grid, int *block, CUfunction function, CUoccupancyB2DSize size_of, size_t shared, int limit))
LS_CU(cuStreamCreate, (CUstream *stream, unsigned int flags))
LS_CU(cuStreamCreateWithPriority, (CUstream *stream, unsigned int flags, int priority))
LS_CU(cuStreamDestroy, (CUstream stream))
LS_CU(cuStreamSynchronize, (CUstream stream))
LS_CU(cuStreamQuery, (CUstream stream))
LS_CU(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags))
LS_CU(cuStreamAddCallback, (CUstream stream, CUstreamCallback callback, void *data, unsigned int flags))
LS_CU(cuStreamWaitValue32, (CUstream stream, CUdeviceptr pointer, cuuint32_t value, unsigned int flags))
LS_CU(cuStreamWriteValue32, (CUstream stream, CUdeviceptr pointer, cuuint32_t value, unsigned int flags))
LS_CU(cuEventCreate, (CUevent *event, unsigned int flags))
LS_CU(cuEventRecord, (CUevent event, CUstream stream))
LS_CU(cuEventQuery, (CUevent event))
LS_CU(cuEventSynchronize, (CUevent event))
LS_CU(cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))
LS_CU(cuEventDestroy, (CUevent event))
LS_CU(cuTexRefCreate, (CUtexref *reference))
LS_CU(cuTexRefDestroy, (CUtexref reference))
LS_CU(cuTexRefSetArray, (CUtexref reference, CUarray array, unsigned int flags))
LS_CU(cuTexRefSetAddress, (size_t *offset, CUtexref reference, CUdeviceptr pointer, size_t size))
LS_CU(cuTexRefSetFormat, (CUtexref reference, CUarray_format format, int components))
LS_CU(cuTexRefSetAddressMode, (CUtexref reference, int dimension, CUaddress_mode mode))
LS_CU(cuTexRefSetFilterMode, (CUtexref reference, CUfilter_mode mode))
LS_CU(cuTexRefSetFlags, (CUtexref reference, unsigned int flags))
LS_CU(cuSurfRefSetArray, (CUsurfref reference, CUarray array, unsigned int flags))
LS_CU(cuTexObjectCreate, (CUtexObject *object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view))
LS_CU(cuTexObjectDestroy, (CUtexObject object))
LS_CU(cuSurfObjectCreate, (CUsurfObject *object, const CUDA_RESOURCE_DESC *resource))
LS_CU(cuSurfObjectDestroy, (CUsurfObject object))
LS_CU(cuTensorMapEncodeTiled, (CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill))
LS_CU(cuIpcGetMemHandle, (CUipcMemHandle *handle, CUdeviceptr pointer))
LS_CU(cuIpcOpenMemHandle, (CUdeviceptr *pointer, CUipcMemHandle handle, unsigned int flags))
LS_CU(cuIpcCloseMemHandle, (CUdeviceptr pointer))
LS_CU(cuGraphicsMapResources, (unsigned int count, CUgraphicsResource *list, CUstream stream))
LS_CU(cuGraphicsUnmapResources, (unsigned int count, CUgraphicsResource *list, CUstream stream))
LS_CU(cuGraphicsResourceGetMappedPointer, (CUdeviceptr *pointer, size_t *size, CUgraphicsResource resource))
LS_CU(cuGraphicsUnregisterResource, (CUgraphicsResource resource))
LS_CU(cuGraphicsSubResourceGetMappedArray, (CUarray *array, CUgraphicsResource resource, unsigned int index, unsigned int level))
LS_CU(cuProfilerStart, (void))
LS_CU(cuProfilerStop, (void))
LS_CU(cuProfilerInitialize, (const char *config, const char *output, int mode))
LS_CU(cuDeviceGetDefaultMemPool, (CUmemoryPool *pool, CUdevice device))
LS_CU(cuMemPoolCreate, (CUmemoryPool *pool, const CUmemPoolProps *properties))
LS_CU(cuMemPoolDestroy, (CUmemoryPool pool))
LS_CU(cuMemPoolTrimTo, (CUmemoryPool pool, size_t kept))
LS_CU(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value))
LS_CU(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value))
LS_CU(cuMemPoolGetAccess, (CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location))
LS_CU(cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *access, size_t count))
LS_CU(cuMemAllocFromPoolAsync, (CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream))
LS_CU(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream))
LS_CU(cuPointerGetAttributes, (unsigned int count, CUpointer_attribute *attributes, void **values, CUdeviceptr pointer))
LS_CU(cuStreamGetPriority, (CUstream stream, int *priority))
LS_CU(cuStreamGetId, (CUstream stream, unsigned long long *id))
LS_CU(cuStreamGetDevice, (CUstream stream, CUdevice *device))
LS_CU(cuStreamGetCtx, (CUstream stream, CUcontext *context))
LS_CU(cuStreamGetCtx_v2, (CUstream stream, CUcontext *context, CUgreenCtx *green))
LS_CU(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status))
LS_CU(cuLibraryLoadData, (CUlibrary *library, const void *code, CUjit_option *options, void **values, unsigned int count, CUlibraryOption *library_options, void **library_values, unsigned int library_count))
LS_CU(cuLibraryUnload, (CUlibrary library))
LS_CU(cuLibraryGetKernel, (CUkernel *kernel, CUlibrary library, const char *name))
LS_CU(cuLibraryGetGlobal, (CUdeviceptr *pointer, size_t *size, CUlibrary library, const char *name))
LS_CU(cuLibraryGetManaged, (CUdeviceptr *pointer, size_t *size, CUlibrary library, const char *name))
LS_CU(cuKernelGetFunction, (CUfunction *function, CUkernel kernel))
LS_CU(cuKernelGetAttribute, (int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device))
LS_CU(cuKernelGetName, (const char **name, CUkernel kernel))
LS_CU(cuKernelGetLibrary, (CUlibrary *library, CUkernel kernel))
LS_CU(cuFuncLoad, (CUfunction function))
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
LS_CU(cuGraphAddKernelNode, (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count, const CUDA_KERNEL_NODE_PARAMS *parameters))
LS_CU(cuGraphKernelNodeSetAttribute, (CUgraphNode node, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue *value))
LS_CU(cuDeviceGetDevResource, (CUdevice device, CUdevResource *resource, CUdevResourceType type))
LS_CU(cuCtxGetDevResource, (CUcontext context, CUdevResource *resource, CUdevResourceType type))
LS_CU(cuDevResourceGenerateDesc, (CUdevResourceDesc *description, CUdevResource *resources, unsigned int count))
LS_CU(cuGreenCtxCreate, (CUgreenCtx *context, CUdevResourceDesc description, CUdevice device, unsigned int flags))
LS_CU(cuGreenCtxDestroy, (CUgreenCtx context))
LS_CU(cuGreenCtxStreamCreate, (CUstream *stream, CUgreenCtx context, unsigned int flags, int priority))
LS_CU(cuCtxFromGreenCtx, (CUcontext *context, CUgreenCtx green))
#undef LS_CU
#endif
