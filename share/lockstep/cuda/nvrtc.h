/* NVRTC, which compiles CUDA C++ while a program runs, for host code. */
#ifndef LS_NVRTC_H
#define LS_NVRTC_H
#pragma GCC system_header
#include <stddef.h>
#include "ls_api.h"
typedef struct _nvrtcProgram *nvrtcProgram;
typedef enum {
    NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_PROGRAM_CREATION_FAILURE, NVRTC_ERROR_INVALID_INPUT, NVRTC_ERROR_INVALID_PROGRAM,
    NVRTC_ERROR_INVALID_OPTION, NVRTC_ERROR_COMPILATION, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
} nvrtcResult;
LS_C const char *nvrtcGetErrorString(nvrtcResult result);
LS_FN(nvrtcResult, nvrtcVersion, (int *major, int *minor))
LS_FN(nvrtcResult, nvrtcCreateProgram, (nvrtcProgram *program, const char *source, const char *name, int count, const char *const *headers, const char *const *names))
LS_FN(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram *program))
LS_FN(nvrtcResult, nvrtcCompileProgram, (nvrtcProgram program, int count, const char *const *options))
LS_FN(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t *size))
LS_FN(nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *ptx))
LS_FN(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t *size))
LS_FN(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))
LS_FN(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *size))
LS_FN(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *log))
LS_FN(nvrtcResult, nvrtcAddNameExpression, (nvrtcProgram program, const char *name))
LS_FN(nvrtcResult, nvrtcGetLoweredName, (nvrtcProgram program, const char *name, const char **lowered))
#endif
