/* cuBLAS's dense routines in the four types (blas.h). */
#include "libraries/cublas.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

#define T           float
#define R           float
#define W           double
#define IS_COMPLEX  0
#define NAME(x)     s_##x
#define CUBLAS(x)   cublasS##x
#define CUBLASXT(x) cublasXtS##x
#define NRM2        cublasSnrm2_v2
#define ASUM        cublasSasum_v2
#define IAMAX       cublasIsamax_v2
#define IAMIN       cublasIsamin_v2
#define CONJ(x)     (x)
#define SQUARE(x)   ((double)(x) * (double)(x))
#define ABS1(x)     fabsf(x)
#include "libraries/blas.h"
#include "libraries/blas_undef.h"

#define T           double
#define R           double
#define W           double
#define IS_COMPLEX  0
#define NAME(x)     d_##x
#define CUBLAS(x)   cublasD##x
#define CUBLASXT(x) cublasXtD##x
#define NRM2        cublasDnrm2_v2
#define ASUM        cublasDasum_v2
#define IAMAX       cublasIdamax_v2
#define IAMIN       cublasIdamin_v2
#define CONJ(x)     (x)
#define SQUARE(x)   ((x) * (x))
#define ABS1(x)     fabs(x)
#include "libraries/blas.h"
#include "libraries/blas_undef.h"

#define T           float _Complex
#define R           float
#define W           double _Complex
#define IS_COMPLEX  1
#define NAME(x)     c_##x
#define CUBLAS(x)   cublasC##x
#define CUBLASXT(x) cublasXtC##x
#define NRM2        cublasScnrm2_v2
#define ASUM        cublasScasum_v2
#define IAMAX       cublasIcamax_v2
#define IAMIN       cublasIcamin_v2
#define CONJ(x)     conjf(x)
#define SQUARE(x)   ((double)crealf(x) * (double)crealf(x) + (double)cimagf(x) * (double)cimagf(x))
#define ABS1(x)     (fabsf(crealf(x)) + fabsf(cimagf(x)))
#include "libraries/blas.h"
#include "libraries/blas_undef.h"

#define T           double _Complex
#define R           double
#define W           double _Complex
#define IS_COMPLEX  1
#define NAME(x)     z_##x
#define CUBLAS(x)   cublasZ##x
#define CUBLASXT(x) cublasXtZ##x
#define NRM2        cublasDznrm2_v2
#define ASUM        cublasDzasum_v2
#define IAMAX       cublasIzamax_v2
#define IAMIN       cublasIzamin_v2
#define CONJ(x)     conj(x)
#define SQUARE(x)   (creal(x) * creal(x) + cimag(x) * cimag(x))
#define ABS1(x)     (fabs(creal(x)) + fabs(cimag(x)))
#include "libraries/blas.h"
#include "libraries/blas_undef.h"

void blas_product_float(lockstep_memory *memory, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                        const float *b, float beta, float *c, int64_t ldc) {
    s_product(memory, m, n, k, alpha, a, b, beta, c, ldc);
}
void blas_product_double(lockstep_memory *memory, int64_t m, int64_t n, int64_t k, double alpha,
                         const double *a, const double *b, double beta, double *c, int64_t ldc) {
    d_product(memory, m, n, k, alpha, a, b, beta, c, ldc);
}
