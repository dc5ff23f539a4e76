/* Vector types, dim3, and the built-in variables. Read by C and by compilers of host code as well, which get
 * the types alone. */
#ifndef LS_TYPES_H
#define LS_TYPES_H
#pragma GCC system_header

#ifndef LS_BOTH
#define LS_BOTH static inline
#endif
#define LS_VECTORS(NAME, T, A2, A4)                                                                          \
    struct NAME##1 { T x; };                                                                                 \
    struct __attribute__((aligned(A2))) NAME##2 { T x, y; };                                                 \
    struct NAME##3 { T x, y, z; };                                                                           \
    struct __attribute__((aligned(A4))) NAME##4 { T x, y, z, w; };                                           \
    typedef struct NAME##1 NAME##1;                                                                          \
    typedef struct NAME##2 NAME##2;                                                                          \
    typedef struct NAME##3 NAME##3;                                                                          \
    typedef struct NAME##4 NAME##4;                                                                          \
    LS_BOTH NAME##1 make_##NAME##1(T x) { NAME##1 v; v.x = x; return v; }                                    \
    LS_BOTH NAME##2 make_##NAME##2(T x, T y) { NAME##2 v; v.x = x; v.y = y; return v; }                      \
    LS_BOTH NAME##3 make_##NAME##3(T x, T y, T z) { NAME##3 v; v.x = x; v.y = y; v.z = z; return v; }        \
    LS_BOTH NAME##4 make_##NAME##4(T x, T y, T z, T w) {                                                     \
        NAME##4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v;                                             \
    }
LS_VECTORS(char, signed char, 2, 4)
LS_VECTORS(uchar, unsigned char, 2, 4)
LS_VECTORS(short, short, 4, 8)
LS_VECTORS(ushort, unsigned short, 4, 8)
LS_VECTORS(int, int, 8, 16)
LS_VECTORS(uint, unsigned int, 8, 16)
LS_VECTORS(long, long, 16, 16)
LS_VECTORS(ulong, unsigned long, 16, 16)
LS_VECTORS(longlong, long long, 16, 16)
LS_VECTORS(ulonglong, unsigned long long, 16, 16)
LS_VECTORS(float, float, 8, 16)
LS_VECTORS(double, double, 16, 16)
#undef LS_VECTORS
/* Those of 32 bytes that CUDA 13 has with their alignment in the name. */
#define LS_VECTOR_OF(NAME, T, A)                                                                             \
    struct __attribute__((aligned(A))) NAME##_##A##a { T x, y, z, w; };                                      \
    typedef struct NAME##_##A##a NAME##_##A##a;                                                              \
    LS_BOTH NAME##_##A##a make_##NAME##_##A##a(T x, T y, T z, T w) {                                         \
        NAME##_##A##a v; v.x = x; v.y = y; v.z = z; v.w = w; return v;                                       \
    }
#define LS_VECTORS_OF(NAME, T) LS_VECTOR_OF(NAME, T, 16) LS_VECTOR_OF(NAME, T, 32)
LS_VECTORS_OF(long4, long)
LS_VECTORS_OF(ulong4, unsigned long)
LS_VECTORS_OF(longlong4, long long)
LS_VECTORS_OF(ulonglong4, unsigned long long)
LS_VECTORS_OF(double4, double)
#undef LS_VECTORS_OF
#undef LS_VECTOR_OF

#ifndef __cplusplus
struct dim3 { unsigned int x, y, z; };
typedef struct dim3 dim3;
#elif !defined(__CUDA__)
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return make_uint3(x, y, z); }
};
#else
struct dim3 {
    unsigned int x, y, z;
    __attribute__((host, device, always_inline, nodebug)) constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __attribute__((host, device, always_inline, nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    LS_MEMBER operator uint3() const { return make_uint3(x, y, z); }
};

#define LS_FIELD(FIELD, READ)                                                                                \
    __declspec(property(get = get_##FIELD)) unsigned int FIELD;                                              \
    static LS_DEVICE_MEMBER unsigned int get_##FIELD(void) { return READ; }
#define LS_VARIABLE(NAME, REGISTER)                                                                          \
    struct ls_##NAME##_t {                                                                                   \
        LS_FIELD(x, __nvvm_read_ptx_sreg_##REGISTER##_x())                                                   \
        LS_FIELD(y, __nvvm_read_ptx_sreg_##REGISTER##_y())                                                   \
        LS_FIELD(z, __nvvm_read_ptx_sreg_##REGISTER##_z())                                                   \
        LS_DEVICE_MEMBER operator uint3() const { return make_uint3(get_x(), get_y(), get_z()); }            \
        LS_DEVICE_MEMBER operator dim3() const { return dim3(get_x(), get_y(), get_z()); }                   \
    };                                                                                                       \
    extern const __device__ __attribute__((weak)) ls_##NAME##_t NAME;
LS_VARIABLE(threadIdx, tid)
LS_VARIABLE(blockIdx, ctaid)
LS_VARIABLE(blockDim, ntid)
LS_VARIABLE(gridDim, nctaid)
#undef LS_VARIABLE
#undef LS_FIELD
__device__ const int warpSize = 32;
#endif

#endif
