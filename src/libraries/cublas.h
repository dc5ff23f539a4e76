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
int blas_submit(const blas_handle *h, blas_job *j);
/* c = alpha a b + beta c for the job's m, n and k, column by column; c is not read where beta is 0. */
void blas_product_float(const blas_job *j, float alpha, const float *a, const float *b, float beta, float *c,
                        int64_t ldc);
void blas_product_double(const blas_job *j, double alpha, const double *a, const double *b, double beta,
                         double *c, int64_t ldc);
#endif
