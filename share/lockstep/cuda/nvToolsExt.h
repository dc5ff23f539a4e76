/* NVTX: ranges and marks for a profiler. None listens here: they do nothing. */
#ifndef LS_NVTX_H
#define LS_NVTX_H
#pragma GCC system_header
#include <stddef.h>
#include <stdint.h>
#define NVTX_VERSION 3
#define NVTX_COLOR_UNKNOWN 0
#define NVTX_COLOR_ARGB 1
#define NVTX_MESSAGE_UNKNOWN 0
#define NVTX_MESSAGE_TYPE_ASCII 1
#define NVTX_MESSAGE_TYPE_UNICODE 2
#define NVTX_MESSAGE_TYPE_REGISTERED 3
#define NVTX_PAYLOAD_UNKNOWN 0
#define NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 1
#define NVTX_PAYLOAD_TYPE_INT64 2
#define NVTX_PAYLOAD_TYPE_DOUBLE 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING (-2)
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union { uint64_t ullValue; int64_t llValue; double dValue; uint32_t uiValue; int32_t iValue; float fValue; } payload;
    int32_t messageType;
    union { const char *ascii; const wchar_t *unicode; nvtxStringHandle_t registered; } message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define LS_NVTX(RESULT, NAME, PARAMETERS, VALUE) static inline RESULT NAME PARAMETERS { return VALUE; }
LS_NVTX(void, nvtxInitialize, (const void *reserved), (void)reserved)
LS_NVTX(int, nvtxRangePushA, (const char *message), ((void)message, NVTX_NO_PUSH_POP_TRACKING))
LS_NVTX(int, nvtxRangePushW, (const wchar_t *message), ((void)message, NVTX_NO_PUSH_POP_TRACKING))
LS_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event), ((void)event, NVTX_NO_PUSH_POP_TRACKING))
LS_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
LS_NVTX(void, nvtxMarkA, (const char *message), (void)message)
LS_NVTX(void, nvtxMarkEx, (const nvtxEventAttributes_t *event), (void)event)
LS_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char *message), ((void)message, 0))
LS_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *event), ((void)event, 0))
LS_NVTX(void, nvtxRangeEnd, (nvtxRangeId_t id), (void)id)
LS_NVTX(void, nvtxNameCategoryA, (uint32_t category, const char *name), ((void)category, (void)name))
LS_NVTX(void, nvtxNameOsThreadA, (uint32_t thread, const char *name), ((void)thread, (void)name))
LS_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name), ((void)name, (nvtxDomainHandle_t)0))
LS_NVTX(void, nvtxDomainDestroy, (nvtxDomainHandle_t domain), (void)domain)
LS_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *text), ((void)domain, (void)text, (nvtxStringHandle_t)0))
LS_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), ((void)domain, (void)event, NVTX_NO_PUSH_POP_TRACKING))
LS_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), ((void)domain, NVTX_NO_PUSH_POP_TRACKING))
LS_NVTX(void, nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), ((void)domain, (void)event))
LS_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), ((void)domain, (void)event, 0))
LS_NVTX(void, nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t id), ((void)domain, (void)id))
#undef LS_NVTX
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#endif
