/* What the files of cuBLAS share: the handle, and a call as data: which function, its sizes, and the
 * addresses of its operands. A function of the interface fills a job and submits it; the job's code (blas.h,
 * once for each type) finds the operands' bytes and computes. */
#ifndef LS_LIBRARIES_CUBLAS_H
#define LS_LIBRARIES_CUBLAS_H

#include "cuda/work.h"

#define API __attribute__((visibility("default"))) int

enum {
    BLAS_OK = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_EXECUTION_FAILED = 13,
    BLAS_NOT_SUPPORTED = 15,
};
enum { OP_N = 0, OP_T = 1, OP_C = 2 };
enum { LOWER = 0, UPPER = 1 };
enum { LEFT = 0, RIGHT = 1 };

typedef struct blas_handle {
    void *stream;
    int device_scalars; /* pointers to single values are the device's */
    int math_mode, atomics_mode, sm_count;
    int block;          /* of cublasXt, which is told and not used */
    bool host_operands; /* operands may be memory of the host */
} blas_handle;

typedef struct blas_job {
    void (*run)(const struct blas_job *);
    const char *what;
    int m, n, k;
    int op_a, op_b, uplo, side, unit;
    int type_a, type_b, type_c, compute;  /* of calls that name their types */
    uint64_t a, b, c;                     /* addresses; of vectors a is x and b is y */
    int64_t lda, ldb, ldc;                /* or the distance of a vector's elements */
    uint64_t alpha, beta, result, more;   /* addresses of single values: the host's or the device's */
    double alpha_value[2], beta_value[2]; /* what the host's are */
    bool device_scalars;
    lockstep_operand operands[8];
    unsigned count;
    lockstep_memory *memory; /* while it is carried out */
} blas_job;

/* Operands: what the job reads and writes. size: of an element. */
void blas_vector(blas_job *j, uint64_t at, int n, int64_t distance, size_t size, bool write);
void blas_matrix(blas_job *j, uint64_t at, int64_t rows, int64_t columns, int64_t ld, size_t size,
                 bool write);
/* A single value: given by the host or the device. */
void blas_scalar(const blas_handle *h, blas_job *j, uint64_t *address, double value[2], const void *given,
                 size_t size);
void blas_result(const blas_handle *h, blas_job *j, void *result, size_t size);
/* A value that was given so. */
const void *blas_scalar_of(const blas_job *j, uint64_t address, const double value[2]);
void *blas_result_of(const blas_job *j);
API cublasGetProperty(int type, int *value);
int blas_submit(const blas_handle *h, blas_job *j);
/* c = alpha a b + beta c, column by column; c is not read where beta is 0. */
void blas_product_float(lockstep_memory *memory, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                        const float *b, float beta, float *c, int64_t ldc);
void blas_product_double(lockstep_memory *memory, int64_t m, int64_t n, int64_t k, double alpha,
                         const double *a, const double *b, double beta, double *c, int64_t ldc);

/* Operands with types of their own. cudaDataType, cublasComputeType_t: */
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, R_32I = 10, R_16BF = 14, R_E4M3 = 28, R_E5M2 = 29 };
enum {
    COMPUTE_16F = 64,
    COMPUTE_16F_PEDANTIC = 65,
    COMPUTE_64F = 70,
    COMPUTE_64F_PEDANTIC = 71,
    COMPUTE_32I = 72,
    COMPUTE_32I_PEDANTIC = 73
};
size_t blas_size(int type); /* of an element; 0: there is no such type here */
double blas_get(int type, const void *at, int64_t i);
void blas_put(int type, void *at, int64_t i, double x); /* not for 8-bit floating point */
bool blas_sums_doubles(int compute);
/* op(a), column by column, as floats or doubles. */
void *blas_plain(lockstep_memory *memory, int type, uint64_t address, int64_t ld, int op, int64_t rows,
                 int64_t columns, bool doubles);
#endif
