/* What the files of cuSPARSE share: the handle, descriptors of matrices and vectors, and a call as data. A
 * function of the interface fills a job and submits it; the job's code finds the operands' bytes and computes
 * in double precision. A vector is a matrix of one column. */
#ifndef LS_LIBRARIES_CUSPARSE_H
#define LS_LIBRARIES_CUSPARSE_H

#include "cuda/work.h"

#define API __attribute__((visibility("default"))) int

enum {
    SPARSE_OK = 0,
    SPARSE_NOT_INITIALIZED = 1,
    SPARSE_ALLOC_FAILED = 2,
    SPARSE_INVALID_VALUE = 3,
    SPARSE_EXECUTION_FAILED = 6,
    SPARSE_ZERO_PIVOT = 9,
    SPARSE_NOT_SUPPORTED = 10,
};
enum { FORMAT_CSR = 1, FORMAT_CSC = 2, FORMAT_COO = 3 };
enum { REAL_32 = 0, REAL_64 = 1, COMPLEX_32 = 4, COMPLEX_64 = 5 }; /* cudaDataType */
enum { INDEX_32 = 2, INDEX_64 = 3 };
enum { ORDER_COLUMN = 1, ORDER_ROW = 2 };
enum { OP_PLAIN = 0, OP_TRANSPOSED = 1, OP_CONJUGATED = 2 };
enum { FILL_LOWER = 0, FILL_UPPER = 1 };

typedef struct {
    void *stream;
    int device_scalars; /* pointers to single values are the device's */
} sparse_handle;

/* Several matrices of one form, so many elements apart; 0: one. */
typedef struct {
    int count;
    int64_t stride, offsets_stride;
} sparse_batches;

typedef struct {
    int format;
    int64_t rows, columns, count;      /* count: of the entries */
    uint64_t offsets, indices, values; /* addresses; of COO the offsets are indices of rows */
    int offset_type, index_type, base, type;
    int fill, unit;
    sparse_batches batches; /* apart: of CSR the offsets too */
} sparse_matrix;

typedef struct {
    int64_t size, count;
    uint64_t indices, values;
    int index_type, base, type;
} sparse_vector;

typedef struct {
    int64_t rows, columns, ld;
    uint64_t values;
    int type, order;
    sparse_batches batches;
} dense_matrix;

/* One value, which the host or the device has. */
typedef struct {
    uint64_t address;
    bool of_device;
    double value[2]; /* the bytes of the host's */
} sparse_scalar;

typedef struct sparse_job {
    void (*run)(const struct sparse_job *);
    const char *what;
    sparse_matrix a, second;
    sparse_vector x;
    dense_matrix b, c;
    int op_a, op_b, compute;
    sparse_scalar alpha, beta;
    void *result; /* of the host; or a descriptor that gets the number of entries */
    lockstep_operand operands[8];
    unsigned count;
    lockstep_memory *memory; /* while it is carried out */
} sparse_job;

size_t sparse_size_of(int type);     /* 0: not one of the four */
size_t sparse_index_size(int type);  /* 0: not there */
bool sparse_is_op(int op, int type); /* only complex numbers can be conjugated */

/* What the job reads and writes. */
void sparse_add(sparse_job *j, uint64_t at, int64_t count, size_t size, bool write, bool rough);
void sparse_add_places(sparse_job *j, const sparse_matrix *m); /* without the values */
void sparse_add_matrix(sparse_job *j, const sparse_matrix *m);
void sparse_add_dense(sparse_job *j, const dense_matrix *m, bool write);
void sparse_add_scalar(const sparse_handle *h, sparse_job *j, sparse_scalar *s, const void *given, int type);
int sparse_submit(const sparse_handle *h, sparse_job *j);
#endif
