/* The cuBLAS of old, which shares its names with the one of today. In C++ its functions, which have no handle and
 * take numbers by value, are others than today's by their parameters: they use one handle of the program. */
#include "cublas_v2.h"
#ifndef LS_CUBLAS_OLD_H
#define LS_CUBLAS_OLD_H
#if defined(__cplusplus) && !defined(__LOCKSTEP_LOOSE__) && !defined(__LOCKSTEP_LAUNCHES__)
struct ls_cublas_of_old {
    cublasHandle_t handle;
    cublasStatus_t status; /* of the last call that failed */
};
inline ls_cublas_of_old &ls_old_cublas() {
    static ls_cublas_of_old only = {nullptr, CUBLAS_STATUS_SUCCESS};
    return only;
}
inline cublasStatus_t ls_old_status(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) ls_old_cublas().status = status;
    return status;
}
inline cublasOperation_t ls_old_operation(char of) {
    return of == 'n' || of == 'N' ? CUBLAS_OP_N : of == 't' || of == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
}
inline cublasStatus_t cublasInit() {
    return ls_old_cublas().handle ? CUBLAS_STATUS_SUCCESS : ls_old_status(cublasCreate(&ls_old_cublas().handle));
}
inline cublasStatus_t cublasShutdown() {
    cublasStatus_t status = ls_old_cublas().handle ? cublasDestroy(ls_old_cublas().handle) : CUBLAS_STATUS_NOT_INITIALIZED;
    ls_old_cublas().handle = nullptr;
    return status;
}
inline cublasStatus_t cublasGetError() {
    cublasStatus_t status = ls_old_cublas().status;
    ls_old_cublas().status = CUBLAS_STATUS_SUCCESS;
    return status;
}
inline cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
    return ls_old_status(cublasSetStream(ls_old_cublas().handle, stream));
}
inline cublasStatus_t cublasAlloc(int count, int size, void **memory) {
    return cudaMalloc(memory, (size_t)count * (size_t)size) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
inline cublasStatus_t cublasFree(const void *memory) {
    return cudaFree(const_cast<void *>(memory)) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
#define LS_OLD_CALL(NAME, ...) ls_old_status(NAME(ls_old_cublas().handle, __VA_ARGS__))
#define LS_OLD(P, p, T)                                                                                      \
    inline void cublas##P##gemm(char ta, char tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) { \
        LS_OLD_CALL(cublas##P##gemm, ls_old_operation(ta), ls_old_operation(tb), m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc); \
    }                                                                                                        \
    inline void cublas##P##gemv(char t, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy) { \
        LS_OLD_CALL(cublas##P##gemv, ls_old_operation(t), m, n, &alpha, a, lda, x, incx, &beta, y, incy);    \
    }                                                                                                        \
    inline void cublas##P##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) { \
        LS_OLD_CALL(cublas##P##ger, m, n, &alpha, x, incx, y, incy, a, lda);                                 \
    }                                                                                                        \
    inline void cublas##P##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) { LS_OLD_CALL(cublas##P##axpy, n, &alpha, x, incx, y, incy); } \
    inline void cublas##P##scal(int n, T alpha, T *x, int incx) { LS_OLD_CALL(cublas##P##scal, n, &alpha, x, incx); } \
    inline void cublas##P##copy(int n, const T *x, int incx, T *y, int incy) { LS_OLD_CALL(cublas##P##copy, n, x, incx, y, incy); } \
    inline void cublas##P##swap(int n, T *x, int incx, T *y, int incy) { LS_OLD_CALL(cublas##P##swap, n, x, incx, y, incy); } \
    inline T cublas##P##dot(int n, const T *x, int incx, const T *y, int incy) {                             \
        T r = 0;                                                                                             \
        LS_OLD_CALL(cublas##P##dot, n, x, incx, y, incy, &r);                                                \
        return r;                                                                                            \
    }                                                                                                        \
    inline T cublas##P##nrm2(int n, const T *x, int incx) {                                                  \
        T r = 0;                                                                                             \
        LS_OLD_CALL(cublas##P##nrm2, n, x, incx, &r);                                                        \
        return r;                                                                                            \
    }                                                                                                        \
    inline T cublas##P##asum(int n, const T *x, int incx) {                                                  \
        T r = 0;                                                                                             \
        LS_OLD_CALL(cublas##P##asum, n, x, incx, &r);                                                        \
        return r;                                                                                            \
    }                                                                                                        \
    inline int cublasI##p##amax(int n, const T *x, int incx) {                                               \
        int r = 0;                                                                                           \
        LS_OLD_CALL(cublasI##p##amax, n, x, incx, &r);                                                       \
        return r;                                                                                            \
    }                                                                                                        \
    inline int cublasI##p##amin(int n, const T *x, int incx) {                                               \
        int r = 0;                                                                                           \
        LS_OLD_CALL(cublasI##p##amin, n, x, incx, &r);                                                       \
        return r;                                                                                            \
    }
LS_OLD(S, s, float)
LS_OLD(D, d, double)
#undef LS_OLD
#undef LS_OLD_CALL
#else
LS_LOOSE(cublasStatus_t, cublasInit)
LS_LOOSE(cublasStatus_t, cublasShutdown)
LS_LOOSE(cublasStatus_t, cublasGetError)
LS_LOOSE(cublasStatus_t, cublasAlloc)
LS_LOOSE(cublasStatus_t, cublasFree)
LS_LOOSE(cublasStatus_t, cublasSetKernelStream)
#endif
#endif
