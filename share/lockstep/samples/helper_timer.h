/* The timers of NVIDIA's samples, for programs (see helper_cuda.h). */
#include "helper_functions.h"
#if defined(LS_HELPERS_WHOLE) && !defined(LS_HELPER_TIMER_H)
#define LS_HELPER_TIMER_H
#ifdef __clang__
#pragma clang system_header
#endif
#include <chrono>
class StopWatchInterface {
    typedef std::chrono::steady_clock clock;
    clock::time_point begin;
    float total = 0;
    int sessions = 0;
    bool runs = false;
    float since() const { return std::chrono::duration<float, std::milli>(clock::now() - begin).count(); }

  public:
    virtual ~StopWatchInterface() {}
    virtual void start() { begin = clock::now(), runs = true; }
    virtual void stop() { total += runs ? since() : 0, sessions += runs, runs = false; }
    virtual void reset() { total = 0, sessions = 0, begin = clock::now(); }
    virtual float getTime() { return total + (runs ? since() : 0); } /* milliseconds */
    virtual float getAverageTime() { return sessions ? total / sessions : 0; }
};
typedef StopWatchInterface StopWatchLinux;
inline bool sdkCreateTimer(StopWatchInterface **timer) { return *timer = new StopWatchInterface, true; }
inline bool sdkDeleteTimer(StopWatchInterface **timer) { return delete *timer, *timer = nullptr, true; }
inline bool sdkStartTimer(StopWatchInterface **timer) { return *timer ? (*timer)->start(), true : false; }
inline bool sdkStopTimer(StopWatchInterface **timer) { return *timer ? (*timer)->stop(), true : false; }
inline bool sdkResetTimer(StopWatchInterface **timer) { return *timer ? (*timer)->reset(), true : false; }
inline float sdkGetTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getTime() : 0; }
inline float sdkGetAverageTimerValue(StopWatchInterface **timer) { return *timer ? (*timer)->getAverageTime() : 0; }
#endif
