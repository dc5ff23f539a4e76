/* Takes back what blas.h was included with. */
#undef T
#undef R
#undef W
#undef IS_COMPLEX
#undef NAME
#undef CUBLAS
#undef CUBLASXT
#undef NRM2
#undef ASUM
#undef IAMAX
#undef IAMIN
#undef CONJ
#undef SQUARE
#undef ABS1
