// cuBLAS as it was before it had handles: numbers by value, operations as letters, results returned.
//: clang only
//: flags -lcublas
//: output 19 22 43 50
//: output 9 27 5 2
//: output 0 0
#include <cublas.h>
#include <cstdio>

int main() {
    const float a[4] = {1, 3, 2, 4}, b[4] = {5, 7, 6, 8}; /* column by column */
    float c[4], *x, *y, *z;
    double d[3] = {3, -5, 1}, *e;
    cublasInit();
    cublasAlloc(4, sizeof(float), (void **)&x);
    cublasAlloc(4, sizeof(float), (void **)&y);
    cublasAlloc(4, sizeof(float), (void **)&z);
    cublasAlloc(3, sizeof(double), (void **)&e);
    cublasSetVector(4, sizeof(float), a, 1, x, 1);
    cublasSetVector(4, sizeof(float), b, 1, y, 1);
    cublasSetVector(3, sizeof(double), d, 1, e, 1);
    cublasSgemm('n', 'N', 2, 2, 2, 1.0f, x, 2, y, 2, 0.0f, z, 2);
    cublasGetVector(4, sizeof(float), z, 1, c, 1);
    printf("%g %g %g %g\n", c[0], c[2], c[1], c[3]);
    const double sum = cublasDasum(3, e, 1);
    cublasDscal(3, 3.0, e, 1);
    printf("%g %g %g %d\n", sum, cublasDasum(3, e, 1), cublasSdot(2, x, 2, x, 2), cublasIdamax(3, e, 1));
    cublasFree(x);
    cublasFree(y);
    cublasFree(z);
    cublasFree(e);
    const int error = cublasGetError();
    printf("%d %d\n", error, (int)cublasShutdown());
}
