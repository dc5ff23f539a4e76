/* nvcuda::wmma: matrix products of a warp, each call one wmma instruction of PTX. */
#ifndef LS_MMA_H
#define LS_MMA_H
#pragma GCC system_header
#include "cuda_bf16.h"
#ifdef __CUDA__
namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major { static const int column = 0; };
struct col_major { static const int column = 1; };
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
namespace experimental {
namespace precision { struct b1 {}; struct u4 {}; struct s4 {}; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;
#define LS_ELEMENTS(T, COUNT)                                                                                \
    T x[COUNT];                                                                                              \
    typedef T element_type;                                                                                  \
    typedef T storage_element_type;                                                                          \
    static const int num_elements = COUNT, num_storage_elements = COUNT

/* Fragments of a and b: in the registers as one thread of the warp has them, words for the instruction. */
#define LS_OPERAND(USE, M, N, K, TAG, T, COUNT, LOAD)                                                        \
    template <class L> class __attribute__((aligned(4))) fragment<USE, M, N, K, TAG, L> { public: LS_ELEMENTS(T, COUNT); }; \
    template <class L> LS_DEVICE void load_matrix_sync(fragment<USE, M, N, K, TAG, L> &f, const T *p, unsigned ldm) { LOAD; }
#define LS_WORDS(BUILTIN) BUILTIN((int *)f.x, (const int *)p, ldm, L::column)
#define LS_ACCUMULATOR(M, N, K, T, COUNT, WORD, LOAD, STORE)                                                 \
    template <> class __attribute__((aligned(8))) fragment<accumulator, M, N, K, T> { public: LS_ELEMENTS(T, COUNT); }; \
    LS_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned ldm, layout_t layout) { \
        if (layout == mem_row_major) LOAD((WORD *)f.x, (const WORD *)p, ldm, 0);                             \
        else LOAD((WORD *)f.x, (const WORD *)p, ldm, 1);                                                     \
    }                                                                                                        \
    LS_DEVICE void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned ldm, layout_t layout) { \
        if (layout == mem_row_major) STORE((WORD *)p, (const WORD *)f.x, ldm, 0);                            \
        else STORE((WORD *)p, (const WORD *)f.x, ldm, 1);                                                    \
    }
#define LS_PRODUCT(M, N, K, TAG, D, C, A_WORD, D_WORD, C_WORD, CALL)                                    \
    template <class A, class B>                                                                              \
    LS_DEVICE void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, TAG, A> &a, \
                            const fragment<matrix_b, M, N, K, TAG, B> &b, const fragment<accumulator, M, N, K, C> &c, bool = false) { \
        CALL((D_WORD *)d.x, (const A_WORD *)a.x, (const A_WORD *)b.x, (const C_WORD *)c.x, A::column * 2 + B::column, 0); \
    }

/* Half precision: 16 elements of a and of b, 8 of the sum. */
#define LS_HALF(M, N, K, S)                                                                                  \
    LS_OPERAND(matrix_a, M, N, K, __half, __half, 16, LS_WORDS(__hmma_##S##_ld_a))                           \
    LS_OPERAND(matrix_b, M, N, K, __half, __half, 16, LS_WORDS(__hmma_##S##_ld_b))                           \
    LS_ACCUMULATOR(M, N, K, __half, 8, int, __hmma_##S##_ld_c_f16, __hmma_##S##_st_c_f16)                    \
    LS_ACCUMULATOR(M, N, K, float, 8, float, __hmma_##S##_ld_c_f32, __hmma_##S##_st_c_f32)                   \
    LS_ACCUMULATOR(M, N, K, int, 8, int, __imma_##S##_ld_c, __imma_##S##_st_c_i32)                           \
    LS_PRODUCT(M, N, K, __half, __half, __half, int, int, int, __hmma_##S##_mma_f16f16)                 \
    LS_PRODUCT(M, N, K, __half, float, __half, int, float, int, __hmma_##S##_mma_f32f16)                \
    LS_PRODUCT(M, N, K, __half, __half, float, int, int, float, __hmma_##S##_mma_f16f32)                \
    LS_PRODUCT(M, N, K, __half, float, float, int, float, float, __hmma_##S##_mma_f32f32)
LS_HALF(16, 16, 16, m16n16k16)
LS_HALF(32, 8, 16, m32n8k16)
LS_HALF(8, 32, 16, m8n32k16)
#undef LS_HALF

/* Bytes; A and B count the elements, which depend on the shape. */
#define LS_BYTES(M, N, K, S, T, U, A, B)                                                                     \
    LS_OPERAND(matrix_a, M, N, K, T, T, A, LS_WORDS(__imma_##S##_ld_a_##U))                                  \
    LS_OPERAND(matrix_b, M, N, K, T, T, B, LS_WORDS(__imma_##S##_ld_b_##U))                                  \
    LS_PRODUCT(M, N, K, T, int, int, int, int, int, __imma_##S##_mma_##U)
LS_BYTES(16, 16, 16, m16n16k16, signed char, s8, 8, 8)
LS_BYTES(32, 8, 16, m32n8k16, signed char, s8, 16, 4)
LS_BYTES(8, 32, 16, m8n32k16, signed char, s8, 4, 16)
LS_BYTES(16, 16, 16, m16n16k16, unsigned char, u8, 8, 8)
LS_BYTES(32, 8, 16, m32n8k16, unsigned char, u8, 16, 4)
LS_BYTES(8, 32, 16, m8n32k16, unsigned char, u8, 4, 16)
#undef LS_BYTES

/* bfloat16, tf32 and double need sm_80. */
#define LS_BFLOAT(M, N, K, S, A, B)                                                                          \
    LS_OPERAND(matrix_a, M, N, K, __nv_bfloat16, __nv_bfloat16, A, LS_WORDS(__mma_bf16_##S##_ld_a))          \
    LS_OPERAND(matrix_b, M, N, K, __nv_bfloat16, __nv_bfloat16, B, LS_WORDS(__mma_bf16_##S##_ld_b))          \
    LS_PRODUCT(M, N, K, __nv_bfloat16, float, float, int, float, float, __mma_bf16_##S##_mma_f32)
LS_BFLOAT(16, 16, 16, m16n16k16, 8, 8)
LS_BFLOAT(32, 8, 16, m32n8k16, 16, 4)
LS_BFLOAT(8, 32, 16, m8n32k16, 4, 16)
#undef LS_BFLOAT
LS_OPERAND(matrix_a, 16, 16, 8, precision::tf32, float, 4, LS_WORDS(__mma_tf32_m16n16k8_ld_a))
LS_OPERAND(matrix_b, 16, 16, 8, precision::tf32, float, 4, LS_WORDS(__mma_tf32_m16n16k8_ld_b))
LS_ACCUMULATOR(16, 16, 8, float, 8, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
LS_PRODUCT(16, 16, 8, precision::tf32, float, float, int, float, float, __mma_tf32_m16n16k8_mma_f32)
LS_OPERAND(matrix_a, 8, 8, 4, double, double, 1, __dmma_m8n8k4_ld_a(f.x, p, ldm, L::column))
LS_OPERAND(matrix_b, 8, 8, 4, double, double, 1, __dmma_m8n8k4_ld_b(f.x, p, ldm, L::column))
LS_ACCUMULATOR(8, 8, 4, double, 2, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
LS_PRODUCT(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
#undef LS_ELEMENTS
#undef LS_OPERAND
#undef LS_WORDS
#undef LS_ACCUMULATOR
#undef LS_PRODUCT

template <class Use, int M, int N, int K, class T, class L, class V> LS_DEVICE void fill_fragment(fragment<Use, M, N, K, T, L> &f, const V &v) {
    for (int i = 0; i < f.num_elements; i++) f.x[i] = v;
}
LS_DEVICE float __float_to_tf32(float v) {
    float r;
    asm("{.reg .b32 t; cvt.rna.tf32.f32 t, %1; mov.b32 %0, t;}" : "=f"(r) : "f"(v));
    return r;
}
}
}
#endif
#endif
