/* The helper functions of NVIDIA's samples (see helper_cuda.h). Where only launches are read from host code, or
 * where it does not compile with prototypes, there are stand-ins that take any arguments. */
#ifndef LS_HELPER_FUNCTIONS_H
#define LS_HELPER_FUNCTIONS_H
#ifdef __clang__
#pragma clang system_header
#endif
#include <cuda_runtime.h>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#if !defined(__LOCKSTEP_LAUNCHES__) && !defined(__LOCKSTEP_LOOSE__)
#define LS_HELPERS_WHOLE
#include "helper_timer.h"
#include "helper_string.h"
#include "helper_image.h"
#else
class StopWatchInterface;
#define LS_API(NAME) extern "C" bool NAME(...);
LS_API(sdkCreateTimer) LS_API(sdkDeleteTimer) LS_API(sdkStartTimer) LS_API(sdkStopTimer) LS_API(sdkResetTimer)
LS_API(checkCmdLineFlag) LS_API(getCmdLineArgumentString) LS_API(sdkSavePPM4ub) LS_API(sdkLoadPPM4ub) LS_API(sdkComparePPM)
LS_API(sdkComparePGM) LS_API(sdkCompareL2fe)
#undef LS_API
#define LS_API(NAME) template <class T = void, class... A> bool NAME(const A &...);
LS_API(sdkLoadPGM) LS_API(sdkSavePGM) LS_API(sdkLoadPPM4) LS_API(sdkSavePPM4) LS_API(sdkCompareBin2BinFloat)
LS_API(sdkCompareBin2BinUint) LS_API(compareData) LS_API(compareDataAsFloatThreshold)
#undef LS_API
template <class T> bool sdkReadFile(const char *name, T **data, unsigned int *count, bool verbose = false);
template <class T, class E> bool sdkWriteFile(const char *name, const T *data, unsigned int count, const E &, bool verbose = false, bool append = false);
extern "C" float sdkGetTimerValue(...);
extern "C" float sdkGetAverageTimerValue(...);
extern "C" int getCmdLineArgumentInt(...);
extern "C" float getCmdLineArgumentFloat(...);
extern "C" char *sdkFindFilePath(...);
extern "C" int stringRemoveDelimiter(...);
template <class T> bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *value);
#endif
#endif
