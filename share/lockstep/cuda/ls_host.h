/* The host's side: types and functions of the CUDA runtime and driver, declared so that host code compiles.
 * Nothing of it is ever run: functions take any arguments (…), except those that clang itself calls. */
#ifndef LS_HOST_H
#define LS_HOST_H
#pragma clang system_header

typedef enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInitializationError = 3,
    cudaErrorCudartUnloading = 4, cudaErrorInvalidConfiguration = 9, cudaErrorInvalidSymbol = 13, cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidTexture = 18, cudaErrorInvalidMemcpyDirection = 21, cudaErrorInsufficientDriver = 35, cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101, cudaErrorPeerAccessAlreadyEnabled = 704, cudaErrorNotReady = 600, cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701, cudaErrorLaunchTimeout = 702, cudaErrorAssert = 710, cudaErrorLaunchFailure = 719,
    cudaErrorNotPermitted = 800, cudaErrorNotSupported = 801, cudaErrorSystemNotReady = 802, cudaErrorPeerAccessNotEnabled = 705,
    cudaErrorPeerAccessUnsupported = 217, cudaErrorUnknown = 999, cudaErrorInvalidResourceHandle = 400, cudaErrorInvalidDeviceFunction = 98,
    cudaErrorHostMemoryAlreadyRegistered = 712, cudaErrorCooperativeLaunchTooLarge = 720, cudaErrorDevicesUnavailable = 46,
    cudaErrorInvalidPitchValue = 12, cudaErrorMissingConfiguration = 52, cudaErrorProfilerDisabled = 5,
    cudaErrorProfilerNotInitialized = 6, cudaErrorProfilerAlreadyStarted = 7, cudaErrorProfilerAlreadyStopped = 8, cudaErrorInvalidHostPointer = 16,
    cudaErrorInvalidTextureBinding = 19, cudaErrorInvalidChannelDescriptor = 20, cudaErrorAddressOfConstant = 22, cudaErrorTextureFetchFailed = 23,
    cudaErrorTextureNotBound = 24, cudaErrorSynchronizationError = 25, cudaErrorInvalidFilterSetting = 26, cudaErrorInvalidNormSetting = 27,
    cudaErrorMixedDeviceExecution = 28, cudaErrorNotYetImplemented = 31, cudaErrorMemoryValueTooLarge = 32, cudaErrorInvalidSurface = 37,
    cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName = 44, cudaErrorDuplicateSurfaceName = 45, cudaErrorIncompatibleDriverContext = 49,
    cudaErrorPriorLaunchFailure = 53, cudaErrorLaunchMaxDepthExceeded = 65, cudaErrorLaunchFileScopedTex = 66, cudaErrorLaunchFileScopedSurf = 67,
    cudaErrorSyncDepthExceeded = 68, cudaErrorLaunchPendingCountExceeded = 69, cudaErrorStartupFailure = 127, cudaErrorInvalidKernelImage = 200,
    cudaErrorMapBufferObjectFailed = 205, cudaErrorUnmapBufferObjectFailed = 206, cudaErrorNoKernelImageForDevice = 209, cudaErrorECCUncorrectable = 214,
    cudaErrorUnsupportedLimit = 215, cudaErrorDeviceAlreadyInUse = 216, cudaErrorInvalidPtx = 218, cudaErrorInvalidGraphicsContext = 219,
    cudaErrorSharedObjectSymbolNotFound = 302, cudaErrorSharedObjectInitFailed = 303, cudaErrorOperatingSystem = 304, cudaErrorSetOnActiveProcess = 708,
    cudaErrorTooManyPeers = 711, cudaErrorHostMemoryNotRegistered = 713, cudaErrorHardwareStackError = 714, cudaErrorIllegalInstruction = 715,
    cudaErrorMisalignedAddress = 716, cudaErrorInvalidAddressSpace = 717, cudaErrorInvalidPc = 718, cudaErrorGraphExecUpdateFailure = 910,
    cudaErrorStreamCaptureUnsupported = 900, cudaErrorStreamCaptureInvalidated = 901, cudaErrorApiFailureBase = 10000
} cudaError_t;
typedef enum cudaError cudaError;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9, cudaFuncAttributeNonPortableClusterSizeAllowed = 15 };
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100, cudaSharedmemCarveoutMaxL1 = 0 };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ, cudaDevAttrMaxGridDimX,
    cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ, cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize,
    cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock, cudaDevAttrClockRate, cudaDevAttrTextureAlignment, cudaDevAttrGpuOverlap,
    cudaDevAttrMultiProcessorCount, cudaDevAttrKernelExecTimeout, cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory, cudaDevAttrComputeMode,
    cudaDevAttrConcurrentKernels = 31, cudaDevAttrMemoryClockRate = 36, cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrL2CacheSize, cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrUnifiedAddressing = 41, cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrManagedMemory = 83, cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrHostNativeAtomicSupported = 86, cudaDevAttrPageableMemoryAccess = 88, cudaDevAttrMemoryPoolsSupported = 115, cudaDevAttrMaxPersistingL2CacheSize = 108
};
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
enum cudaResourceViewFormat { cudaResViewFormatNone };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaGraphicsMapFlags { cudaGraphicsMapFlagsNone, cudaGraphicsMapFlagsReadOnly, cudaGraphicsMapFlagsWriteDiscard };
enum cudaGraphicsRegisterFlags { cudaGraphicsRegisterFlagsNone, cudaGraphicsRegisterFlagsReadOnly, cudaGraphicsRegisterFlagsWriteDiscard };
enum cudaGraphNodeType { cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost };

enum {
    cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4, cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1,
    cudaDeviceScheduleYield = 2, cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16,
    cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4, cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4, cudaArrayTextureGather = 8, cudaOccupancyDefault = 0, cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2,
    cudaIpcMemLazyEnablePeerAccess = 1, cudaCooperativeLaunchMultiDeviceNoPreSync = 1, cudaTextureType1D = 1, cudaTextureType2D = 2,
    cudaTextureType3D = 3, cudaTextureTypeCubemap = 12, cudaTextureType1DLayered = 0xF1, cudaTextureType2DLayered = 0xF2,
    cudaSurfaceType1D = 1, cudaSurfaceType2D = 2, cudaSurfaceType3D = 3, cudaSurfaceType2DLayered = 0xF2
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPool_st *cudaMemPool_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
typedef void (*cudaHostFn_t)(void *);
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
#define cudaDevicePropDontCare {}

struct cudaUUID_t { char bytes[16]; };
struct cudaChannelFormatDesc { int x, y, z, w; enum cudaChannelFormatKind f; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaMemcpy3DParms { cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr; cudaArray_t dstArray; cudaPos dstPos; cudaPitchedPtr dstPtr; cudaExtent extent; enum cudaMemcpyKind kind; };
struct cudaMemsetParams { void *dst; size_t pitch; unsigned int value, elementSize; size_t width, height; };
struct cudaHostNodeParams { cudaHostFn_t fn; void *userData; };
struct cudaKernelNodeParams { void *func; dim3 gridDim, blockDim; unsigned int sharedMemBytes; void **kernelParams, **extra; };
struct cudaLaunchParams { void *func; dim3 gridDim, blockDim; void **args; size_t sharedMem; cudaStream_t stream; };
struct cudaLaunchAttribute { int id; union { char pad[64]; int cooperative; struct { unsigned x, y, z; } clusterDim; int priority; } val; };
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; cudaLaunchAttribute *attrs; unsigned int numAttrs; };
enum cudaLaunchAttributeID { cudaLaunchAttributeCooperative = 2, cudaLaunchAttributeClusterDimension = 4, cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
struct cudaFuncAttributes { size_t sharedSizeBytes, constSizeBytes, localSizeBytes; int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout; };
struct cudaPointerAttributes { enum cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct { void *devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct { void *devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
    } res;
};
struct cudaResourceViewDesc { enum cudaResourceViewFormat format; size_t width, height, depth; unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer; };
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3]; enum cudaTextureFilterMode filterMode; enum cudaTextureReadMode readMode; int sRGB;
    float borderColor[4]; int normalizedCoords; unsigned int maxAnisotropy; enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp; int disableTrilinearOptimization, seamlessCubemap;
};
struct textureReference {
    int normalized; enum cudaTextureFilterMode filterMode; enum cudaTextureAddressMode addressMode[3]; cudaChannelFormatDesc channelDesc;
    int sRGB; unsigned int maxAnisotropy; enum cudaTextureFilterMode mipmapFilterMode; float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    cudaTextureObject_t object;
};
struct surfaceReference { cudaChannelFormatDesc channelDesc; cudaSurfaceObject_t object; };
struct cudaDeviceProp {
    char name[256]; cudaUUID_t uuid; char luid[8]; unsigned int luidDeviceNodeMask; size_t totalGlobalMem, sharedMemPerBlock; int regsPerBlock, warpSize;
    size_t memPitch; int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate; size_t totalConstMem; int major, minor;
    size_t textureAlignment, texturePitchAlignment; int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment; int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor; int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch, cooperativeMultiDeviceLaunch; size_t sharedMemPerBlockOptin; int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize; size_t reservedSharedMemPerBlock; int memoryPoolsSupported;
};

enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor, cudaMemHandleTypeWin32, cudaMemHandleTypeWin32Kmt = 4 };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3 };
enum cudaMemPoolAttr { cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh };
enum cudaGraphMemAttributeType { cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh };
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1, cudaLaunchAttributeAccessPolicyWindow = 1 };
struct cudaMemLocation { enum cudaMemLocationType type; int id; };
struct cudaMemAccessDesc { cudaMemLocation location; enum cudaMemAccessFlags flags; };
struct cudaMemPoolProps { enum cudaMemAllocationType allocType; enum cudaMemAllocationHandleType handleTypes; cudaMemLocation location; void *win32SecurityAttributes; size_t maxSize; unsigned char reserved[56]; };
struct cudaMemPoolPtrExportData { unsigned char reserved[64]; };
struct cudaMemAllocNodeParams { cudaMemPoolProps poolProps; const cudaMemAccessDesc *accessDescs; size_t accessDescCount, bytesize; void *dptr; };
struct cudaAccessPolicyWindow { void *base_ptr; size_t num_bytes; float hitRatio; enum cudaAccessProperty hitProp, missProp; };
union cudaStreamAttrValue { char pad[64]; cudaAccessPolicyWindow accessPolicyWindow; int syncPolicy; };
struct cudaIpcMemHandle_t { char reserved[64]; };
struct cudaIpcEventHandle_t { char reserved[64]; };
typedef unsigned long long cudaGraphConditionalHandle;
struct cudaGraphExecUpdateResultInfo { int result; cudaGraphNode_t errorNode, errorFromNode; };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError };

/* Called by clang for k<<<…>>>(…), with these signatures. */
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0) noexcept;
extern "C" cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) noexcept;
extern "C" cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) noexcept;
template <class T> cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class T> cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0) {
    return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...) {
    return cudaLaunchKernel((const void *)kernel, config->gridDim, config->blockDim, (void **)0, config->dynamicSmemBytes, config->stream);
}

#define LS_API(NAME) extern "C" cudaError_t NAME(...);
LS_API(cudaMalloc)
LS_API(cudaMallocHost)
LS_API(cudaMallocManaged)
LS_API(cudaMallocPitch)
LS_API(cudaMallocArray)
LS_API(cudaMalloc3D)
LS_API(cudaMalloc3DArray)
LS_API(cudaMallocMipmappedArray)
LS_API(cudaMallocAsync)
LS_API(cudaMallocFromPoolAsync)
LS_API(cudaFreeAsync)
LS_API(cudaFree)
LS_API(cudaFreeHost)
LS_API(cudaFreeArray)
LS_API(cudaFreeMipmappedArray)
LS_API(cudaHostAlloc)
LS_API(cudaHostRegister)
LS_API(cudaHostUnregister)
LS_API(cudaHostGetDevicePointer)
LS_API(cudaHostGetFlags)
LS_API(cudaMemcpy)
LS_API(cudaMemcpyAsync)
LS_API(cudaMemcpy2D)
LS_API(cudaMemcpy2DAsync)
LS_API(cudaMemcpy3D)
LS_API(cudaMemcpy3DAsync)
LS_API(cudaMemcpyPeer)
LS_API(cudaMemcpyPeerAsync)
LS_API(cudaMemcpy3DPeer)
LS_API(cudaMemcpyToArray)
LS_API(cudaMemcpyFromArray)
LS_API(cudaMemcpyArrayToArray)
LS_API(cudaMemcpy2DToArray)
LS_API(cudaMemcpy2DFromArray)
LS_API(cudaMemcpy2DArrayToArray)
LS_API(cudaMemcpy2DToArrayAsync)
LS_API(cudaMemcpyToArrayAsync)
LS_API(cudaMemset)
LS_API(cudaMemsetAsync)
LS_API(cudaMemset2D)
LS_API(cudaMemset2DAsync)
LS_API(cudaMemset3D)
LS_API(cudaMemGetInfo)
LS_API(cudaMemAdvise)
LS_API(cudaMemPrefetchAsync)
LS_API(cudaDeviceSynchronize)
LS_API(cudaDeviceReset)
LS_API(cudaDeviceGetAttribute)
LS_API(cudaDeviceSetCacheConfig)
LS_API(cudaDeviceGetCacheConfig)
LS_API(cudaDeviceSetSharedMemConfig)
LS_API(cudaDeviceGetSharedMemConfig)
LS_API(cudaDeviceSetLimit)
LS_API(cudaDeviceGetLimit)
LS_API(cudaDeviceCanAccessPeer)
LS_API(cudaDeviceEnablePeerAccess)
LS_API(cudaDeviceDisablePeerAccess)
LS_API(cudaDeviceGetPCIBusId)
LS_API(cudaDeviceGetByPCIBusId)
LS_API(cudaDeviceGetStreamPriorityRange)
LS_API(cudaDeviceGetP2PAttribute)
LS_API(cudaDeviceGetDefaultMemPool)
LS_API(cudaDeviceSetMemPool)
LS_API(cudaDeviceGetMemPool)
LS_API(cudaMemPoolSetAttribute)
LS_API(cudaMemPoolGetAttribute)
LS_API(cudaMemPoolCreate)
LS_API(cudaMemPoolDestroy)
LS_API(cudaMemPoolTrimTo)
LS_API(cudaMemPoolSetAccess)
LS_API(cudaThreadSynchronize)
LS_API(cudaThreadExit)
LS_API(cudaThreadSetCacheConfig)
LS_API(cudaThreadSetLimit)
LS_API(cudaGetDevice)
LS_API(cudaSetDevice)
LS_API(cudaGetDeviceCount)
LS_API(cudaGetDeviceProperties)
LS_API(cudaGetDeviceProperties_v2)
LS_API(cudaChooseDevice)
LS_API(cudaSetDeviceFlags)
LS_API(cudaGetDeviceFlags)
LS_API(cudaSetValidDevices)
LS_API(cudaInitDevice)
LS_API(cudaGetLastError)
LS_API(cudaPeekAtLastError)
LS_API(cudaStreamCreate)
LS_API(cudaStreamCreateWithFlags)
LS_API(cudaStreamCreateWithPriority)
LS_API(cudaStreamDestroy)
LS_API(cudaStreamSynchronize)
LS_API(cudaStreamWaitEvent)
LS_API(cudaStreamQuery)
LS_API(cudaStreamAddCallback)
LS_API(cudaStreamAttachMemAsync)
LS_API(cudaStreamBeginCapture)
LS_API(cudaStreamEndCapture)
LS_API(cudaStreamIsCapturing)
LS_API(cudaStreamSetAttribute)
LS_API(cudaStreamGetPriority)
LS_API(cudaStreamGetFlags)
LS_API(cudaStreamBeginCaptureToGraph)
LS_API(cudaStreamGetCaptureInfo)
LS_API(cudaStreamUpdateCaptureDependencies)
LS_API(cudaEventCreate)
LS_API(cudaEventCreateWithFlags)
LS_API(cudaEventRecord)
LS_API(cudaEventRecordWithFlags)
LS_API(cudaEventSynchronize)
LS_API(cudaEventElapsedTime)
LS_API(cudaEventDestroy)
LS_API(cudaEventQuery)
LS_API(cudaFuncSetCacheConfig)
LS_API(cudaFuncSetAttribute)
LS_API(cudaFuncGetAttributes)
LS_API(cudaFuncSetSharedMemConfig)
LS_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
LS_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
LS_API(cudaOccupancyMaxPotentialBlockSize)
LS_API(cudaOccupancyMaxPotentialBlockSizeVariableSMem)
LS_API(cudaOccupancyMaxPotentialBlockSizeWithFlags)
LS_API(cudaOccupancyAvailableDynamicSMemPerBlock)
LS_API(cudaOccupancyMaxActiveClusters)
LS_API(cudaOccupancyMaxPotentialClusterSize)
LS_API(cudaMemcpyToSymbol)
LS_API(cudaMemcpyFromSymbol)
LS_API(cudaMemcpyToSymbolAsync)
LS_API(cudaMemcpyFromSymbolAsync)
LS_API(cudaGetSymbolAddress)
LS_API(cudaGetSymbolSize)
LS_API(cudaBindTexture)
LS_API(cudaBindTexture2D)
LS_API(cudaBindTextureToArray)
LS_API(cudaBindTextureToMipmappedArray)
LS_API(cudaUnbindTexture)
LS_API(cudaBindSurfaceToArray)
LS_API(cudaGetTextureReference)
LS_API(cudaGetSurfaceReference)
LS_API(cudaGetTextureAlignmentOffset)
LS_API(cudaGetChannelDesc)
LS_API(cudaCreateTextureObject)
LS_API(cudaDestroyTextureObject)
LS_API(cudaGetTextureObjectResourceDesc)
LS_API(cudaCreateSurfaceObject)
LS_API(cudaDestroySurfaceObject)
LS_API(cudaGetMipmappedArrayLevel)
LS_API(cudaArrayGetInfo)
LS_API(cudaPointerGetAttributes)
LS_API(cudaDriverGetVersion)
LS_API(cudaRuntimeGetVersion)
LS_API(cudaConfigureCall)
LS_API(cudaSetupArgument)
LS_API(cudaLaunchHostFunc)
LS_API(cudaLaunchCooperativeKernelMultiDevice)
LS_API(cudaGraphCreate)
LS_API(cudaGraphDestroy)
LS_API(cudaGraphInstantiate)
LS_API(cudaGraphInstantiateWithFlags)
LS_API(cudaGraphLaunch)
LS_API(cudaGraphExecDestroy)
LS_API(cudaGraphExecUpdate)
LS_API(cudaGraphAddKernelNode)
LS_API(cudaGraphAddMemcpyNode)
LS_API(cudaGraphAddMemcpyNode1D)
LS_API(cudaGraphAddMemsetNode)
LS_API(cudaGraphAddHostNode)
LS_API(cudaGraphAddMemAllocNode)
LS_API(cudaGraphAddMemFreeNode)
LS_API(cudaGraphAddChildGraphNode)
LS_API(cudaGraphAddEmptyNode)
LS_API(cudaGraphAddEventRecordNode)
LS_API(cudaGraphAddEventWaitNode)
LS_API(cudaGraphAddDependencies)
LS_API(cudaGraphAddNode)
LS_API(cudaGraphGetNodes)
LS_API(cudaGraphGetRootNodes)
LS_API(cudaGraphGetEdges)
LS_API(cudaGraphClone)
LS_API(cudaGraphNodeGetType)
LS_API(cudaGraphKernelNodeSetParams)
LS_API(cudaGraphKernelNodeGetParams)
LS_API(cudaGraphExecKernelNodeSetParams)
LS_API(cudaGraphMemAllocNodeGetParams)
LS_API(cudaGraphUpload)
LS_API(cudaGraphDebugDotPrint)
LS_API(cudaGraphConditionalHandleCreate)
LS_API(cudaUserObjectCreate)
LS_API(cudaGraphRetainUserObject)
LS_API(cudaDeviceGraphMemTrim)
LS_API(cudaDeviceGetGraphMemAttribute)
LS_API(cudaGraphSetConditional)
LS_API(cudaGraphicsMapResources)
LS_API(cudaGraphicsUnmapResources)
LS_API(cudaGraphicsResourceGetMappedPointer)
LS_API(cudaGraphicsSubResourceGetMappedArray)
LS_API(cudaGraphicsUnregisterResource)
LS_API(cudaGraphicsResourceSetMapFlags)
LS_API(cudaGraphicsGLRegisterBuffer)
LS_API(cudaGraphicsGLRegisterImage)
LS_API(cudaGLSetGLDevice)
LS_API(cudaGLRegisterBufferObject)
LS_API(cudaGLMapBufferObject)
LS_API(cudaGLUnmapBufferObject)
LS_API(cudaGLUnregisterBufferObject)
LS_API(cudaGLGetDevices)
LS_API(cudaIpcGetMemHandle)
LS_API(cudaIpcOpenMemHandle)
LS_API(cudaIpcCloseMemHandle)
LS_API(cudaIpcGetEventHandle)
LS_API(cudaIpcOpenEventHandle)
LS_API(cudaProfilerStart)
LS_API(cudaProfilerStop)
LS_API(cudaImportExternalMemory)
LS_API(cudaExternalMemoryGetMappedBuffer)
LS_API(cudaImportExternalSemaphore)
LS_API(cudaSignalExternalSemaphoresAsync)
LS_API(cudaWaitExternalSemaphoresAsync)
LS_API(cudaDestroyExternalMemory)
LS_API(cudaDestroyExternalSemaphore)
LS_API(cudaExternalMemoryGetMappedMipmappedArray)
LS_API(cudaCtxResetPersistingL2Cache)
LS_API(cudaGetFuncBySymbol)
LS_API(cudaMemRangeGetAttribute)
LS_API(cudaStreamCopyAttributes)
LS_API(cudaStreamGetAttribute)
LS_API(cudaGetDriverEntryPoint)
LS_API(cudaMemPoolExportToShareableHandle)
LS_API(cudaMemPoolImportFromShareableHandle)
LS_API(cudaMemPoolExportPointer)
LS_API(cudaMemPoolImportPointer)
LS_API(cudaDeviceSetGraphMemAttribute)
#undef LS_API
/* Those that device code may call. */
extern "C" __device__ cudaError_t cudaDeviceSynchronize(void);
extern "C" __device__ cudaError_t cudaGetLastError(void);
extern "C" __device__ cudaError_t cudaPeekAtLastError(void);
extern "C" __device__ cudaError_t cudaMalloc(void **, size_t);
extern "C" __device__ cudaError_t cudaFree(void *);
extern "C" __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
extern "C" __device__ cudaError_t cudaStreamDestroy(cudaStream_t);
extern "C" __device__ cudaError_t cudaMemcpyAsync(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t = 0);
extern "C" __device__ cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
extern "C" __host__ __device__ const char *cudaGetErrorString(cudaError_t);
extern "C" __host__ __device__ const char *cudaGetErrorName(cudaError_t);
extern "C" __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
extern "C" __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned, cudaStream_t);
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
extern "C" cudaChannelFormatDesc ls_create_channel(...);
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) { return ls_create_channel(x, y, z, w, f); }
static inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { cudaExtent e = {w, h, d}; return e; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { cudaPos p = {x, y, z}; return p; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz) { cudaPitchedPtr s = {d, p, xsz, ysz}; return s; }

#endif
