/* cuBLASLt's descriptors as they are in the program's memory: what an opaque type of cublasLt.h holds. */
#ifndef LS_LIBRARIES_CUBLASLT_H
#define LS_LIBRARIES_CUBLASLT_H

#include "libraries/cublas.h"

enum { LT_ORDER_COLUMNS = 0, LT_ORDER_ROWS = 1 };

typedef struct { /* at most 64 bytes */
    int32_t type, order;
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t batches;
} lt_layout;

/* Bits of an epilogue. */
enum {
    LT_DEFAULT = 1,
    LT_RELU = 2,
    LT_BIAS = 4,
    LT_DRELU = 8,
    LT_BIAS_GRADIENT = 16,
    LT_GELU = 32,
    LT_DGELU = 64,
    LT_AUX = 128,
    LT_SUMS_OF_A = 256,
    LT_SUMS_OF_B = 512,
};

typedef struct { /* at most 184 bytes, as of CUDA 11 */
    int32_t compute, scale_type, pointer_mode, op_a, op_b, op_c, fill, sm_count, aux_type, bias_type;
    uint32_t epilogue;
    int8_t fast;
    int8_t scale_modes; /* others than a factor for a whole matrix were asked for */
    uint64_t bias, aux, scale_a, scale_b, scale_others;
    int64_t bias_stride, aux_ld, aux_stride;
} lt_desc;

/* One product. Single values: the host's, or (pointer_mode) where the device has them. */
typedef struct {
    lt_desc desc;
    lt_layout a, b, c, d;
    uint64_t at_a, at_b, at_c, at_d;
    uint64_t alpha, beta;
    double alpha_value, beta_value;
} lt_job;

/* Computes it (cublaslt_compute.c). */
void lt_compute(const lt_job *j, lockstep_memory *memory);
#endif
