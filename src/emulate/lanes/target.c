/* Chooses the vector loops for the processor that this runs on. */
#include "emulate/machine.h"

extern const exec_fn em_lanes_base[LANE_COUNT];
extern const row_ops em_rows_base;
#ifdef LANES_X86
extern const exec_fn em_lanes_avx2[LANE_COUNT], em_lanes_avx512[LANE_COUNT];
extern const row_ops em_rows_avx2, em_rows_avx512;

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
#endif

const exec_fn *ls_lane_ops(void) {
#ifdef LANES_X86
    if (has_avx512()) return em_lanes_avx512;
    if (has_avx2()) return em_lanes_avx2;
#endif
    return em_lanes_base;
}

const row_ops *ls_row_ops(void) {
#ifdef LANES_X86
    if (has_avx512()) return &em_rows_avx512;
    if (has_avx2()) return &em_rows_avx2;
#endif
    return &em_rows_base;
}
