/* Chooses the vector loops for the processor that this runs on. */
#include "emulate/machine.h"
#include "emulate/matrix/fragment.h"

#include <stdlib.h>

extern const exec_fn em_lanes_base[LANE_COUNT];
extern const row_ops em_rows_base;
extern const matrix_ops em_matrix_base;
#ifdef LANES_X86
extern const exec_fn em_lanes_avx2[LANE_COUNT], em_lanes_avx512[LANE_COUNT];
extern const row_ops em_rows_avx2, em_rows_avx512;
extern const matrix_ops em_matrix_avx2, em_matrix_avx512;

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
#endif

/* For tests and measurements: only where there is something to do without. */
bool ls_without_avx512(void) {
#ifdef LANES_X86
    static _Atomic int known; /* 0: not yet; else 1, or 2 where it is so */
    int k = atomic_load_explicit(&known, memory_order_relaxed);
    if (!k) {
        k = getenv("LOCKSTEP_NO_AVX512") && has_avx2() ? 2 : 1;
        atomic_store_explicit(&known, k, memory_order_relaxed);
    }
    return k == 2;
#else
    return false;
#endif
}

#ifdef LANES_X86
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && !ls_without_avx512();
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

const matrix_ops *em_matrix_ops(void) {
#ifdef LANES_X86
    if (has_avx512()) return &em_matrix_avx512;
    if (has_avx2()) return &em_matrix_avx2;
#endif
    return &em_matrix_base;
}
