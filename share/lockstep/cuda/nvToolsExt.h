/* NVTX ranges, declared for host code. */
#ifndef LS_NVTX_H
#define LS_NVTX_H
#pragma GCC system_header
typedef unsigned long long nvtxRangeId_t;
struct nvtxEventAttributes_t { unsigned short version, size; unsigned int category; int colorType; unsigned int color; int messageType; union { const char *ascii; } message; };
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
#define NVTX_COLOR_ARGB 1
#define NVTX_MESSAGE_TYPE_ASCII 1
extern "C" int nvtxRangePushA(const char *);
extern "C" int nvtxRangePush(const char *);
extern "C" int nvtxRangePushEx(const nvtxEventAttributes_t *);
extern "C" int nvtxRangePop(void);
extern "C" void nvtxMarkA(const char *);
extern "C" void nvtxMark(const char *);
extern "C" nvtxRangeId_t nvtxRangeStartA(const char *);
extern "C" void nvtxRangeEnd(nvtxRangeId_t);
#endif
