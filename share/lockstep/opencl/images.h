/* Images and samplers of OpenCL programs that are run whole (src/opencl): an image is a description of rows of
 * pixels in global memory, a sampler a number with the bits of CLK_…. Coordinates, filters and channels are as
 * section 8.2 to 8.4 of the OpenCL C specification has them. */
#ifndef LOCKSTEP_OPENCL_IMAGES_H
#define LOCKSTEP_OPENCL_IMAGES_H

#define LS_IN static inline __attribute__((always_inline, overloadable, nodebug))
#define LS_API __attribute__((always_inline, overloadable, nodebug))

/* As src/opencl/image.c writes it. */
typedef struct {
    ulong data, row_pitch, slice_pitch;
    uint width, height, depth, layers;
    uint order, type, pixel, channels;
} __ls_image;
typedef const __global __ls_image *__ls_image_ptr;

/* Samplers that the source has come as numbers, too. */
__constant void *__translate_sampler_initializer(uint value) { return (__constant void *)(ulong)value; }

LS_IN uint __ls_sampler(sampler_t s) {
    ulong bits;
    __asm("mov.b64 %0, %1;" : "=l"(bits) : "l"(s));
    return (uint)bits;
}

/* --- Pixels ---------------------------------------------------------------------------------------------- */
enum { __LS_SNORM8 = 0x10D0, __LS_SNORM16, __LS_UNORM8, __LS_UNORM16, __LS_SIGNED8 = 0x10D7, __LS_SIGNED16,
       __LS_SIGNED32, __LS_UNSIGNED8, __LS_UNSIGNED16, __LS_UNSIGNED32, __LS_HALF, __LS_FLOAT };
enum { __LS_R = 0x10B0, __LS_A, __LS_RG, __LS_RA, __LS_RGB, __LS_RGBA, __LS_BGRA, __LS_ARGB, __LS_INTENSITY, __LS_LUMINANCE };


/* One channel as the bits of a float. */
LS_IN float __ls_channel_f(ulong at, uint type, uint k) {
    switch (type) {
    case __LS_SNORM8: return max(-1.0f, ((const __global char *)at)[k] / 127.0f);
    case __LS_SNORM16: return max(-1.0f, ((const __global short *)at)[k] / 32767.0f);
    case __LS_UNORM8: return ((const __global uchar *)at)[k] / 255.0f;
    case __LS_UNORM16: return ((const __global ushort *)at)[k] / 65535.0f;
    case __LS_HALF: return vload_half(k, (const __global half *)at);
    default: return ((const __global float *)at)[k];
    }
}
LS_IN int __ls_channel_i(ulong at, uint type, uint k) {
    switch (type) {
    case __LS_SIGNED8: return ((const __global char *)at)[k];
    case __LS_SIGNED16: return ((const __global short *)at)[k];
    case __LS_UNSIGNED8: return ((const __global uchar *)at)[k];
    case __LS_UNSIGNED16: return ((const __global ushort *)at)[k];
    default: return ((const __global int *)at)[k];
    }
}

#define LS_ORDER(V, X, ONE)                                                                                  \
    switch (order) {                                                                                         \
    case __LS_R: return (V)(X(0), 0, 0, ONE);                                                                \
    case __LS_A: return (V)(0, 0, 0, X(0));                                                                  \
    case __LS_RG: return (V)(X(0), X(1), 0, ONE);                                                            \
    case __LS_RA: return (V)(X(0), 0, 0, X(1));                                                              \
    case __LS_BGRA: return (V)(X(2), X(1), X(0), X(3));                                                      \
    case __LS_ARGB: return (V)(X(1), X(2), X(3), X(0));                                                      \
    case __LS_INTENSITY: return (V)(X(0), X(0), X(0), X(0));                                                 \
    case __LS_LUMINANCE: return (V)(X(0), X(0), X(0), ONE);                                                  \
    default: return (V)(X(0), X(1), X(2), X(3));                                                             \
    }
#define LS_CHANNEL_F(k) __ls_channel_f(at, type, k)
#define LS_CHANNEL_I(k) __ls_channel_i(at, type, k)
LS_IN float4 __ls_pixel_f(ulong at, uint order, uint type) { LS_ORDER(float4, LS_CHANNEL_F, 1.0f) }
LS_IN int4 __ls_pixel_i(ulong at, uint order, uint type) { LS_ORDER(int4, LS_CHANNEL_I, 1) }

/* Which pixel: coordinates within the image, the layer in z for arrays. */
LS_IN ulong __ls_at(__ls_image_ptr m, int4 c) {
    return m->data + (ulong)c.z * m->slice_pitch + (ulong)c.y * m->row_pitch + (ulong)c.x * m->pixel;
}
LS_IN bool __ls_inside(__ls_image_ptr m, int4 c, int4 size) {
    return c.x >= 0 && c.y >= 0 && c.z >= 0 && c.x < size.x && c.y < size.y && c.z < size.z;
}
/* Outside, where the sampler clamps to the border color: alpha is 0 where the image has one. */
LS_IN float4 __ls_border_f(__ls_image_ptr m) {
    uint o = m->order;
    bool has_alpha = o == __LS_A || o == __LS_RA || o == __LS_RGBA || o == __LS_BGRA || o == __LS_ARGB || o == __LS_INTENSITY;
    return (float4)(0, 0, 0, has_alpha ? 0.0f : 1.0f);
}
LS_IN float4 __ls_texel_f(__ls_image_ptr m, int4 c, int4 size) {
    return __ls_inside(m, c, size) ? __ls_pixel_f(__ls_at(m, c), m->order, m->type) : __ls_border_f(m);
}
LS_IN int4 __ls_texel_i(__ls_image_ptr m, int4 c, int4 size) {
    return __ls_inside(m, c, size) ? __ls_pixel_i(__ls_at(m, c), m->order, m->type) : convert_int4(__ls_border_f(m));
}

/* --- Sampling -------------------------------------------------------------------------------------------- */
enum { __LS_NORMALIZED = 1, __LS_MODE = 0xE, __LS_EDGE = 2, __LS_CLAMP = 4, __LS_REPEAT = 6, __LS_MIRROR = 8,
       __LS_LINEAR = 0x20 };

/* The image's size along each coordinate; that of a layer is not sampled: arrays say which one it is. */
LS_IN int4 __ls_size(__ls_image_ptr m, int rank, bool array) {
    return (int4)((int)m->width, rank > 1 ? (int)m->height : 1, rank > 2 ? (int)m->depth : 1, (int)m->layers);
}

LS_IN float __ls_unnormalize(float x, int n, uint s) {
    if (!(s & __LS_NORMALIZED)) return x;
    if ((s & __LS_MODE) == __LS_REPEAT) return (x - floor(x)) * n;
    if ((s & __LS_MODE) == __LS_MIRROR) return fabs(x - 2.0f * rint(0.5f * x)) * n;
    return x * n;
}
LS_IN int __ls_address(int i, int n, uint s) {
    switch (s & __LS_MODE) {
    case __LS_REPEAT: return i < 0 ? i + n : i > n - 1 ? i - n : i;
    case __LS_MIRROR:
    case __LS_EDGE: return clamp(i, 0, n - 1);
    case __LS_CLAMP: return clamp(i, -1, n);
    default: return i;
    }
}

/* The pixel of a nearest filter. */
LS_IN int4 __ls_nearest(float4 x, int4 size, int rank, uint s) {
    int4 c = (int4)(0);
    c.x = __ls_address((int)floor(__ls_unnormalize(x.x, size.x, s)), size.x, s);
    if (rank > 1) c.y = __ls_address((int)floor(__ls_unnormalize(x.y, size.y, s)), size.y, s);
    if (rank > 2) c.z = __ls_address((int)floor(__ls_unnormalize(x.z, size.z, s)), size.z, s);
    return c;
}
LS_IN int __ls_layer(float x, int layers) { return clamp((int)rint(x), 0, layers - 1); }

/* The two neighbours along one coordinate, and how much of the second. */
LS_IN float __ls_pair(float x, int n, uint s, int *low, int *high) {
    float u = __ls_unnormalize(x, n, s);
    int i = (int)floor(u - 0.5f);
    float a = u - 0.5f - floor(u - 0.5f);
    *low = __ls_address(i, n, s);
    *high = __ls_address(i + 1, n, s);
    return a;
}

/* The layer of an array moves to where its stride is: rows of a 1D array, slices of a 2D array. */
LS_IN int4 __ls_in_layer(int4 c, int rank, int layer) {
    if (rank == 1) c.y = layer;
    else c.z = layer;
    return c;
}
LS_IN int4 __ls_bounds(int4 size, int rank, bool array) {
    if (array && rank == 1) return (int4)(size.x, size.w, 1, 0);
    if (array) return (int4)(size.x, size.y, size.w, 0);
    return size;
}

LS_IN float4 __ls_linear(__ls_image_ptr m, float4 x, int4 size, int rank, bool array, int layer, uint s) {
    int4 low = (int4)(0), high = (int4)(0), bounds = __ls_bounds(size, rank, array);
    float4 a = (float4)(0);
    int l, h;
    a.x = __ls_pair(x.x, size.x, s, &l, &h);
    low.x = l, high.x = h;
    if (rank > 1) {
        a.y = __ls_pair(x.y, size.y, s, &l, &h);
        low.y = l, high.y = h;
    }
    if (rank > 2) {
        a.z = __ls_pair(x.z, size.z, s, &l, &h);
        low.z = l, high.z = h;
    }
    float4 sum = (float4)(0);
    for (int k = 0; k < (1 << rank); k++) {
        int4 c = (int4)(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z, 0);
        float w = k & 1 ? a.x : 1.0f - a.x;
        if (rank > 1) w *= k & 2 ? a.y : 1.0f - a.y;
        if (rank > 2) w *= k & 4 ? a.z : 1.0f - a.z;
        if (array) c = __ls_in_layer(c, rank, layer);
        sum += w * __ls_texel_f(m, c, bounds);
    }
    return sum;
}

LS_IN float4 __ls_sample_f(__ls_image_ptr m, float4 x, float layer, int rank, bool array, uint s) {
    int4 size = __ls_size(m, rank, array);
    int l = array ? __ls_layer(layer, size.w) : 0;
    if (s & __LS_LINEAR) return __ls_linear(m, x, size, rank, array, l, s);
    int4 c = __ls_nearest(x, size, rank, s);
    return __ls_texel_f(m, array ? __ls_in_layer(c, rank, l) : c, __ls_bounds(size, rank, array));
}
LS_IN int4 __ls_sample_i(__ls_image_ptr m, float4 x, float layer, int rank, bool array, uint s) {
    int4 size = __ls_size(m, rank, array);
    int l = array ? __ls_layer(layer, size.w) : 0;
    int4 c = __ls_nearest(x, size, rank, s);
    return __ls_texel_i(m, array ? __ls_in_layer(c, rank, l) : c, __ls_bounds(size, rank, array));
}
/* Whole coordinates: the pixel itself, where float would lose bits of it. */
LS_IN int4 __ls_whole(__ls_image_ptr m, int4 c, int layer, int rank, bool array, uint s) {
    int4 size = __ls_size(m, rank, array), at = (int4)(0);
    at.x = __ls_address(c.x, size.x, s);
    if (rank > 1) at.y = __ls_address(c.y, size.y, s);
    if (rank > 2) at.z = __ls_address(c.z, size.z, s);
    return array ? __ls_in_layer(at, rank, clamp(layer, 0, size.w - 1)) : at;
}

/* --- Writing --------------------------------------------------------------------------------------------- */
LS_IN void __ls_put_f(ulong at, uint type, uint k, float v) {
    switch (type) {
    case __LS_SNORM8: ((__global char *)at)[k] = convert_char_sat_rte(v * 127.0f); break;
    case __LS_SNORM16: ((__global short *)at)[k] = convert_short_sat_rte(v * 32767.0f); break;
    case __LS_UNORM8: ((__global uchar *)at)[k] = convert_uchar_sat_rte(v * 255.0f); break;
    case __LS_UNORM16: ((__global ushort *)at)[k] = convert_ushort_sat_rte(v * 65535.0f); break;
    case __LS_HALF: vstore_half_rte(v, k, (__global half *)at); break;
    default: ((__global float *)at)[k] = v; break;
    }
}
LS_IN void __ls_put_i(ulong at, uint type, uint k, int v) {
    switch (type) {
    case __LS_SIGNED8: ((__global char *)at)[k] = convert_char_sat(v); break;
    case __LS_SIGNED16: ((__global short *)at)[k] = convert_short_sat(v); break;
    case __LS_UNSIGNED8: ((__global uchar *)at)[k] = convert_uchar_sat(as_uint(v)); break;
    case __LS_UNSIGNED16: ((__global ushort *)at)[k] = convert_ushort_sat(as_uint(v)); break;
    default: ((__global int *)at)[k] = v; break;
    }
}
#define LS_PUT(PUT)                                                                                          \
    switch (m->order) {                                                                                      \
    case __LS_A: PUT(at, m->type, 0, v.w); break;                                                            \
    case __LS_RG: PUT(at, m->type, 0, v.x); PUT(at, m->type, 1, v.y); break;                                 \
    case __LS_RA: PUT(at, m->type, 0, v.x); PUT(at, m->type, 1, v.w); break;                                 \
    case __LS_RGBA: PUT(at, m->type, 0, v.x); PUT(at, m->type, 1, v.y); PUT(at, m->type, 2, v.z); PUT(at, m->type, 3, v.w); break; \
    case __LS_BGRA: PUT(at, m->type, 0, v.z); PUT(at, m->type, 1, v.y); PUT(at, m->type, 2, v.x); PUT(at, m->type, 3, v.w); break; \
    case __LS_ARGB: PUT(at, m->type, 0, v.w); PUT(at, m->type, 1, v.x); PUT(at, m->type, 2, v.y); PUT(at, m->type, 3, v.z); break; \
    default: PUT(at, m->type, 0, v.x); break;                                                                \
    }
/* What is outside is dropped, as a GPU drops it. */
LS_IN void __ls_write_f(__ls_image_ptr m, int4 c, int rank, bool array, float4 v) {
    if (!__ls_inside(m, c, __ls_bounds(__ls_size(m, rank, array), rank, array))) return;
    ulong at = __ls_at(m, c);
    LS_PUT(__ls_put_f)
}
LS_IN void __ls_write_i(__ls_image_ptr m, int4 c, int rank, bool array, int4 v) {
    if (!__ls_inside(m, c, __ls_bounds(__ls_size(m, rank, array), rank, array))) return;
    ulong at = __ls_at(m, c);
    LS_PUT(__ls_put_i)
}

/* --- OpenCL's functions, for each kind of image ------------------------------------------------------------ */
#define LS_HANDLE(ACCESS, TYPE)                                                                              \
    LS_IN __ls_image_ptr __ls_image_of(ACCESS TYPE image) {                                                  \
        ulong bits;                                                                                          \
        __asm("mov.b64 %0, %1;" : "=l"(bits) : "l"(image));                                                  \
        return (__ls_image_ptr)bits;                                                                         \
    }
#define LS_QUERIES(ACCESS, TYPE)                                                                             \
    LS_API int get_image_width(ACCESS TYPE image) { return (int)__ls_image_of(image)->width; }               \
    LS_API int get_image_channel_data_type(ACCESS TYPE image) { return (int)__ls_image_of(image)->type; }    \
    LS_API int get_image_channel_order(ACCESS TYPE image) { return (int)__ls_image_of(image)->order; }
/* I, F: how whole and real coordinates are written; IX, FX: as vectors of four; IL, FL: the layer. */
#define LS_READS(TYPE, RANK, ARRAY, I, F, IX, FX, IL, FL)                                                    \
    LS_API float4 read_imagef(read_only TYPE image, sampler_t s, F c) {                                      \
        return __ls_sample_f(__ls_image_of(image), FX, FL, RANK, ARRAY, __ls_sampler(s));                    \
    }                                                                                                        \
    LS_API int4 read_imagei(read_only TYPE image, sampler_t s, F c) {                                        \
        return __ls_sample_i(__ls_image_of(image), FX, FL, RANK, ARRAY, __ls_sampler(s));                    \
    }                                                                                                        \
    LS_API uint4 read_imageui(read_only TYPE image, sampler_t s, F c) {                                      \
        return as_uint4(__ls_sample_i(__ls_image_of(image), FX, FL, RANK, ARRAY, __ls_sampler(s)));          \
    }                                                                                                        \
    LS_API float4 read_imagef(read_only TYPE image, sampler_t s, I c) {                                      \
        __ls_image_ptr m = __ls_image_of(image);                                                             \
        return __ls_texel_f(m, __ls_whole(m, IX, IL, RANK, ARRAY, __ls_sampler(s)),                          \
                            __ls_bounds(__ls_size(m, RANK, ARRAY), RANK, ARRAY));                            \
    }                                                                                                        \
    LS_API int4 read_imagei(read_only TYPE image, sampler_t s, I c) {                                        \
        __ls_image_ptr m = __ls_image_of(image);                                                             \
        return __ls_texel_i(m, __ls_whole(m, IX, IL, RANK, ARRAY, __ls_sampler(s)),                          \
                            __ls_bounds(__ls_size(m, RANK, ARRAY), RANK, ARRAY));                            \
    }                                                                                                        \
    LS_API uint4 read_imageui(read_only TYPE image, sampler_t s, I c) {                                      \
        return as_uint4(read_imagei(image, s, c));                                                           \
    }
/* Without a sampler: the pixel must be there. */
#define LS_PLAIN_READS(ACCESS, TYPE, I, AT)                                                                  \
    LS_API float4 read_imagef(ACCESS TYPE image, I c) {                                                      \
        __ls_image_ptr m = __ls_image_of(image);                                                             \
        return __ls_pixel_f(__ls_at(m, AT), m->order, m->type);                                              \
    }                                                                                                        \
    LS_API int4 read_imagei(ACCESS TYPE image, I c) {                                                        \
        __ls_image_ptr m = __ls_image_of(image);                                                             \
        return __ls_pixel_i(__ls_at(m, AT), m->order, m->type);                                              \
    }                                                                                                        \
    LS_API uint4 read_imageui(ACCESS TYPE image, I c) { return as_uint4(read_imagei(image, c)); }
#define LS_WRITES(ACCESS, TYPE, RANK, ARRAY, I, AT)                                                          \
    LS_API void write_imagef(ACCESS TYPE image, I c, float4 v) {                                             \
        __ls_write_f(__ls_image_of(image), AT, RANK, ARRAY, v);                                              \
    }                                                                                                        \
    LS_API void write_imagei(ACCESS TYPE image, I c, int4 v) {                                               \
        __ls_write_i(__ls_image_of(image), AT, RANK, ARRAY, v);                                              \
    }                                                                                                        \
    LS_API void write_imageui(ACCESS TYPE image, I c, uint4 v) {                                             \
        __ls_write_i(__ls_image_of(image), AT, RANK, ARRAY, as_int4(v));                                     \
    }
#define LS_KIND(TYPE, RANK, ARRAY, I, AT)                                                                    \
    LS_HANDLE(read_only, TYPE)                                                                               \
    LS_HANDLE(write_only, TYPE)                                                                              \
    LS_QUERIES(read_only, TYPE)                                                                              \
    LS_QUERIES(write_only, TYPE)                                                                             \
    LS_PLAIN_READS(read_only, TYPE, I, AT)                                                                   \
    LS_WRITES(write_only, TYPE, RANK, ARRAY, I, AT)

LS_KIND(image1d_t, 1, false, int, (int4)(c, 0, 0, 0))
LS_KIND(image1d_buffer_t, 1, false, int, (int4)(c, 0, 0, 0))
LS_KIND(image1d_array_t, 1, true, int2, (int4)(c, 0, 0))
LS_KIND(image2d_t, 2, false, int2, (int4)(c, 0, 0))
LS_KIND(image2d_array_t, 2, true, int4, c)
LS_READS(image1d_t, 1, false, int, float, (int4)(c, 0, 0, 0), (float4)(c, 0, 0, 0), 0, 0)
LS_READS(image1d_array_t, 1, true, int2, float2, (int4)(c.x, 0, 0, 0), (float4)(c.x, 0, 0, 0), c.y, c.y)
LS_READS(image2d_t, 2, false, int2, float2, (int4)(c, 0, 0), (float4)(c, 0, 0), 0, 0)
LS_READS(image2d_array_t, 2, true, int4, float4, c, c, c.z, c.z)
LS_HANDLE(read_only, image3d_t)
LS_READS(image3d_t, 3, false, int4, float4, c, c, 0, 0)
LS_QUERIES(read_only, image3d_t)
LS_PLAIN_READS(read_only, image3d_t, int4, c)
#ifdef cl_khr_3d_image_writes
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
LS_HANDLE(write_only, image3d_t)
LS_QUERIES(write_only, image3d_t)
LS_WRITES(write_only, image3d_t, 3, false, int4, c)
LS_API int get_image_height(write_only image3d_t image) { return (int)__ls_image_of(image)->height; }
LS_API int get_image_depth(write_only image3d_t image) { return (int)__ls_image_of(image)->depth; }
#endif

#define LS_HEIGHT(ACCESS, TYPE) \
    LS_API int get_image_height(ACCESS TYPE image) { return (int)__ls_image_of(image)->height; }
#define LS_DIM2(ACCESS, TYPE) \
    LS_API int2 get_image_dim(ACCESS TYPE image) { return (int2)((int)__ls_image_of(image)->width, (int)__ls_image_of(image)->height); }
#define LS_LAYERS(ACCESS, TYPE) \
    LS_API size_t get_image_array_size(ACCESS TYPE image) { return __ls_image_of(image)->layers; }
LS_HEIGHT(read_only, image2d_t)
LS_HEIGHT(write_only, image2d_t)
LS_HEIGHT(read_only, image2d_array_t)
LS_HEIGHT(write_only, image2d_array_t)
LS_HEIGHT(read_only, image3d_t)
LS_DIM2(read_only, image2d_t)
LS_DIM2(write_only, image2d_t)
LS_DIM2(read_only, image2d_array_t)
LS_DIM2(write_only, image2d_array_t)
LS_LAYERS(read_only, image1d_array_t)
LS_LAYERS(write_only, image1d_array_t)
LS_LAYERS(read_only, image2d_array_t)
LS_LAYERS(write_only, image2d_array_t)
LS_API int get_image_depth(read_only image3d_t image) { return (int)__ls_image_of(image)->depth; }
LS_API int4 get_image_dim(read_only image3d_t image) {
    __ls_image_ptr m = __ls_image_of(image);
    return (int4)((int)m->width, (int)m->height, (int)m->depth, 0);
}

#endif
