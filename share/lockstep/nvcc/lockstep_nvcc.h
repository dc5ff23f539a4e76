/* For nvcc, when a file does not compile without it: what later CUDA toolkits took out of the runtime, so
 * that older programs still compile (they are never linked or run). Texture references become device
 * variables that hold a texture object. */
#ifndef LOCKSTEP_NVCC_H
#define LOCKSTEP_NVCC_H
#include <cuda_runtime.h>
#include <stdint.h>

#if CUDART_VERSION >= 12000
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define cudaThreadSetLimit cudaDeviceSetLimit

template <class T, int dimensions = 1, enum cudaTextureReadMode mode = cudaReadModeElementType> struct ls_texture {
    cudaTextureObject_t object;
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
};
template <class T, enum cudaTextureReadMode mode> struct ls_fetched { typedef T type; };
template <> struct ls_fetched<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct ls_fetched<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
#define LS_TEXTURE_FUNCTION template <class T, int n, enum cudaTextureReadMode m> static __device__ __forceinline__ typename ls_fetched<T, m>::type
LS_TEXTURE_FUNCTION tex1Dfetch(const ls_texture<T, n, m> &t, int x) { return ::tex1Dfetch<typename ls_fetched<T, m>::type>(t.object, x); }
LS_TEXTURE_FUNCTION tex1D(const ls_texture<T, n, m> &t, float x) { return ::tex1D<typename ls_fetched<T, m>::type>(t.object, x); }
LS_TEXTURE_FUNCTION tex2D(const ls_texture<T, n, m> &t, float x, float y) { return ::tex2D<typename ls_fetched<T, m>::type>(t.object, x, y); }
LS_TEXTURE_FUNCTION tex3D(const ls_texture<T, n, m> &t, float x, float y, float z) { return ::tex3D<typename ls_fetched<T, m>::type>(t.object, x, y, z); }
#undef LS_TEXTURE_FUNCTION
template <class... A> cudaError_t cudaBindTexture(A &&...) { return cudaSuccess; }
template <class... A> cudaError_t cudaBindTexture2D(A &&...) { return cudaSuccess; }
template <class... A> cudaError_t cudaBindTextureToArray(A &&...) { return cudaSuccess; }
template <class... A> cudaError_t cudaUnbindTexture(A &&...) { return cudaSuccess; }
#define texture __device__ ls_texture

struct ls_cudaDeviceProp : public cudaDeviceProp {
#if CUDART_VERSION >= 13000
    int clockRate, deviceOverlap, computeMode, kernelExecTimeoutEnabled, memoryClockRate, singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
    int maxTexture1DLinear;
#endif
};
#define cudaDeviceProp ls_cudaDeviceProp
#if CUDART_VERSION >= 13000
template <class... A> cudaError_t cudaMemcpyToArray(A &&...) { return cudaSuccess; }
template <class... A> cudaError_t cudaMemcpyFromArray(A &&...) { return cudaSuccess; }
/* Functions that have another form since: a device's number was enough for a place, graphs had plain edges. */
inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0) { return cudaSuccess; }
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t) { return cudaSuccess; }
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t) { return cudaSuccess; }
inline cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, size_t *) { return cudaSuccess; }
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t *, size_t *) { return cudaSuccess; }
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t, cudaGraphNode_t *, size_t *) { return cudaSuccess; }
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *) { return cudaSuccess; }
#endif
#endif
#endif
