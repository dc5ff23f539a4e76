/* Textures and surfaces: objects, and the references that CUDA 12 took back (`.texref` symbols). Each fetch is one tex instruction; a texel of fewer than four
 * components is the first of the four. */
#ifndef LS_TEXTURE_H
#define LS_TEXTURE_H
#pragma GCC system_header

template <class T, int dimensions = 1, enum cudaTextureReadMode mode = cudaReadModeElementType> struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture() = default;
    texture(int n, enum cudaTextureFilterMode f, enum cudaTextureAddressMode a);
    texture(int n, enum cudaTextureFilterMode f, enum cudaTextureAddressMode a, cudaChannelFormatDesc d);
};
template <class T, int dimensions = 1> struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {};

/* On the device a reference is a handle. */
template <class R> LS_DEVICE unsigned long long ls_handle(R reference) {
    unsigned long long handle;
    __builtin_memcpy(&handle, &reference, sizeof handle);
    return handle;
}

/* What a texel of type T is read as: four words of .f32, .s32 or .u32. */
template <class T> struct ls_texel;
#define LS_TEXEL(T, WORD, MAKE) template <> struct ls_texel<T> { typedef WORD word; LS_DEVICE_MEMBER static T make(WORD a, WORD b, WORD c, WORD d) { return MAKE; } };
#define LS_TEXELS(P, E, WORD)                                                                                \
    LS_TEXEL(P##1, WORD, make_##P##1((E)a))                                                                  \
    LS_TEXEL(P##2, WORD, make_##P##2((E)a, (E)b))                                                            \
    LS_TEXEL(P##4, WORD, make_##P##4((E)a, (E)b, (E)c, (E)d))
LS_TEXEL(float, float, a)
LS_TEXEL(int, int, a)
LS_TEXEL(unsigned int, unsigned int, a)
LS_TEXEL(short, int, (short)a)
LS_TEXEL(unsigned short, unsigned int, (unsigned short)a)
LS_TEXEL(char, int, (char)a)
LS_TEXEL(signed char, int, (signed char)a)
LS_TEXEL(unsigned char, unsigned int, (unsigned char)a)
LS_TEXELS(float, float, float)
LS_TEXELS(int, int, int)
LS_TEXELS(uint, unsigned int, unsigned int)
LS_TEXELS(short, short, int)
LS_TEXELS(ushort, unsigned short, unsigned int)
LS_TEXELS(char, signed char, int)
LS_TEXELS(uchar, unsigned char, unsigned int)
#undef LS_TEXEL
#undef LS_TEXELS
/* In normalised reads an integer texel comes as floats. */
template <class T, enum cudaTextureReadMode mode> struct ls_fetched { typedef T type; };
#define LS_NORMALISED(T, F) template <> struct ls_fetched<T, cudaReadModeNormalizedFloat> { typedef F type; };
LS_NORMALISED(char, float)
LS_NORMALISED(unsigned char, float)
LS_NORMALISED(short, float)
LS_NORMALISED(unsigned short, float)
LS_NORMALISED(char2, float2)
LS_NORMALISED(uchar2, float2)
LS_NORMALISED(short2, float2)
LS_NORMALISED(ushort2, float2)
LS_NORMALISED(char4, float4)
LS_NORMALISED(uchar4, float4)
LS_NORMALISED(short4, float4)
LS_NORMALISED(ushort4, float4)
#undef LS_NORMALISED

#define LS_TEX_WORD(NAME, WORD, TYPE, C, GEOMETRY, COORDS, PARAMETERS, INPUTS)                               \
    LS_DEVICE void NAME(WORD *v, unsigned long long t, PARAMETERS) {                                         \
        asm volatile("tex." GEOMETRY ".v4." TYPE "." COORDS                                                  \
                     : "=" C(v[0]), "=" C(v[1]), "=" C(v[2]), "=" C(v[3]) : "l"(t), INPUTS);                 \
    }
#define LS_ARGS(...) __VA_ARGS__
#define LS_TEX(NAME, GEOMETRY, COORDS, PARAMETERS, INPUTS)                                                   \
    LS_TEX_WORD(NAME, float, "f32", "f", GEOMETRY, COORDS, LS_ARGS(PARAMETERS), LS_ARGS(INPUTS))             \
    LS_TEX_WORD(NAME, int, "s32", "r", GEOMETRY, COORDS, LS_ARGS(PARAMETERS), LS_ARGS(INPUTS))               \
    LS_TEX_WORD(NAME, unsigned int, "u32", "r", GEOMETRY, COORDS, LS_ARGS(PARAMETERS), LS_ARGS(INPUTS))
#define LS_COMMA ,
LS_TEX(ls_tex1Dfetch, "1d", "s32 {%0, %1, %2, %3}, [%4, {%5}];", int x, "r"(x))
LS_TEX(ls_tex1D, "1d", "f32 {%0, %1, %2, %3}, [%4, {%5}];", float x, "f"(x))
LS_TEX(ls_tex2D, "2d", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", float x LS_COMMA float y, "f"(x) LS_COMMA "f"(y))
LS_TEX(ls_tex3D, "3d", "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", float x LS_COMMA float y LS_COMMA float z, "f"(x) LS_COMMA "f"(y) LS_COMMA "f"(z))
LS_TEX(ls_tex1DLayered, "a1d", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}];", int layer LS_COMMA float x, "r"(layer) LS_COMMA "f"(x))
LS_TEX(ls_tex2DLayered, "a2d", "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", int layer LS_COMMA float x LS_COMMA float y, "r"(layer) LS_COMMA "f"(x) LS_COMMA "f"(y))
LS_TEX(ls_texCubemap, "cube", "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];", float x LS_COMMA float y LS_COMMA float z, "f"(x) LS_COMMA "f"(y) LS_COMMA "f"(z))
LS_TEX(ls_tex2DLod, "level.2d", "f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", float x LS_COMMA float y LS_COMMA float level, "f"(x) LS_COMMA "f"(y) LS_COMMA "f"(level))
#undef LS_TEX
#undef LS_TEX_WORD

#define LS_FETCH(NAME, PARAMETERS, ARGUMENTS)                                                                \
    template <class T> LS_DEVICE T NAME(cudaTextureObject_t t, PARAMETERS) {                                 \
        typename ls_texel<T>::word v[4];                                                                     \
        ls_##NAME(v, t, ARGUMENTS);                                                                          \
        return ls_texel<T>::make(v[0], v[1], v[2], v[3]);                                                    \
    }                                                                                                        \
    template <class T> LS_DEVICE void NAME(T *r, cudaTextureObject_t t, PARAMETERS) { *r = NAME<T>(t, ARGUMENTS); } \
    template <class T, int n, enum cudaTextureReadMode mode>                                                 \
    LS_DEVICE typename ls_fetched<T, mode>::type NAME(texture<T, n, mode> t, PARAMETERS) {            \
        return NAME<typename ls_fetched<T, mode>::type>(ls_handle(t), ARGUMENTS);                                \
    }
LS_FETCH(tex1Dfetch, int x, x)
LS_FETCH(tex1D, float x, x)
LS_FETCH(tex2D, float x LS_COMMA float y, x LS_COMMA y)
LS_FETCH(tex3D, float x LS_COMMA float y LS_COMMA float z, x LS_COMMA y LS_COMMA z)
LS_FETCH(texCubemap, float x LS_COMMA float y LS_COMMA float z, x LS_COMMA y LS_COMMA z)
LS_FETCH(tex2DLod, float x LS_COMMA float y LS_COMMA float level, x LS_COMMA y LS_COMMA level)
#undef LS_FETCH
template <class T> LS_DEVICE T tex1DLayered(cudaTextureObject_t t, float x, int layer) {
    typename ls_texel<T>::word v[4];
    ls_tex1DLayered(v, t, layer, x);
    return ls_texel<T>::make(v[0], v[1], v[2], v[3]);
}
template <class T> LS_DEVICE T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) {
    typename ls_texel<T>::word v[4];
    ls_tex2DLayered(v, t, layer, x, y);
    return ls_texel<T>::make(v[0], v[1], v[2], v[3]);
}

/* Surfaces: by the bytes of the element, x in bytes. Of layered ones the layer comes first. */
template <int size> struct ls_surface;
#define LS_SURFACE_LIST(...) __VA_ARGS__
#define LS_SURFACE_ACCESS(T, SUFFIX, OUT, VALUES, IN, NAME, FORM, PARAMETERS, PLACE, ...)                    \
        LS_DEVICE_MEMBER static T read##NAME(unsigned long long s PARAMETERS) { T v; asm volatile("{ suld.b." FORM "." SUFFIX ".trap {" VALUES "}, [%[s], {" PLACE "}]; }" : LS_SURFACE_LIST OUT : [s] "l"(s), __VA_ARGS__); return v; } \
        LS_DEVICE_MEMBER static void write##NAME(T v, unsigned long long s PARAMETERS) { asm volatile("{ sust.b." FORM "." SUFFIX ".trap [%[s], {" PLACE "}], {" VALUES "}; }" ::LS_SURFACE_LIST IN, [s] "l"(s), __VA_ARGS__); }
#define LS_SURFACE_FORMS(T, SUFFIX, OUT, VALUES, IN)                                                         \
        LS_SURFACE_ACCESS(T, SUFFIX, OUT, VALUES, IN, 1, "1d", LS_COMMA int x, "%[x]", [x] "r"(x))           \
        LS_SURFACE_ACCESS(T, SUFFIX, OUT, VALUES, IN, 2, "2d", LS_COMMA int x LS_COMMA int y, "%[x], %[y]", [x] "r"(x), [y] "r"(y)) \
        LS_SURFACE_ACCESS(T, SUFFIX, OUT, VALUES, IN, 3, "3d", LS_COMMA int x LS_COMMA int y LS_COMMA int z, "%[x], %[y], %[z], %[z]", [x] "r"(x), [y] "r"(y), [z] "r"(z)) \
        LS_SURFACE_ACCESS(T, SUFFIX, OUT, VALUES, IN, 1Layered, "a1d", LS_COMMA int x LS_COMMA int l, "%[l], %[x]", [x] "r"(x), [l] "r"(l)) \
        LS_SURFACE_ACCESS(T, SUFFIX, OUT, VALUES, IN, 2Layered, "a2d", LS_COMMA int x LS_COMMA int y LS_COMMA int l, "%[l], %[x], %[y], %[y]", [x] "r"(x), [y] "r"(y), [l] "r"(l))
#define LS_SURFACE(SIZE, T, SUFFIX, C)                                                                       \
    template <> struct ls_surface<SIZE> {                                                                    \
        typedef T word;                                                                                      \
        LS_SURFACE_FORMS(T, SUFFIX, ([v] "=" C(v)), "%[v]", ([v] C(v)))                                       \
    };
LS_SURFACE(1, unsigned short, "b8", "h")
LS_SURFACE(2, unsigned short, "b16", "h")
LS_SURFACE(4, unsigned int, "b32", "r")
LS_SURFACE(8, unsigned long long, "b64", "l")
template <> struct ls_surface<16> {
    typedef uint4 word;
    LS_SURFACE_FORMS(uint4, "v4.b32", ([a] "=r"(v.x), [b] "=r"(v.y), [c] "=r"(v.z), [d] "=r"(v.w)), "%[a], %[b], %[c], %[d]",
                     ([a] "r"(v.x), [b] "r"(v.y), [c] "r"(v.z), [d] "r"(v.w)))
};
#undef LS_SURFACE
#undef LS_SURFACE_FORMS
#undef LS_SURFACE_ACCESS
#undef LS_SURFACE_LIST
template <class T> LS_DEVICE T ls_from_word(typename ls_surface<sizeof(T)>::word w) { T v; __builtin_memcpy(&v, &w, sizeof v); return v; }
template <class T> LS_DEVICE typename ls_surface<sizeof(T)>::word ls_to_word(T v) { typename ls_surface<sizeof(T)>::word w = {}; __builtin_memcpy(&w, &v, sizeof v); return w; }
#define LS_SURFACE(NAME, FORM, PARAMETERS, ARGUMENTS)                                                        \
    template <class T> LS_DEVICE T NAME##read(cudaSurfaceObject_t s, PARAMETERS, enum cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { return ls_from_word<T>(ls_surface<sizeof(T)>::read##FORM(s, ARGUMENTS)); } \
    template <class T> LS_DEVICE void NAME##read(T *r, cudaSurfaceObject_t s, PARAMETERS, enum cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { *r = NAME##read<T>(s, ARGUMENTS); } \
    template <class T> LS_DEVICE void NAME##write(T v, cudaSurfaceObject_t s, PARAMETERS, enum cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { ls_surface<sizeof(T)>::write##FORM(ls_to_word(v), s, ARGUMENTS); }
LS_SURFACE(surf1D, 1, int x, x)
LS_SURFACE(surf2D, 2, int x LS_COMMA int y, x LS_COMMA y)
LS_SURFACE(surf3D, 3, int x LS_COMMA int y LS_COMMA int z, x LS_COMMA y LS_COMMA z)
LS_SURFACE(surf1DLayered, 1Layered, int x LS_COMMA int layer, x LS_COMMA layer)
LS_SURFACE(surf2DLayered, 2Layered, int x LS_COMMA int y LS_COMMA int layer, x LS_COMMA y LS_COMMA layer)
LS_SURFACE(surfCubemap, 2Layered, int x LS_COMMA int y LS_COMMA int face, x LS_COMMA y LS_COMMA face)
LS_SURFACE(surfCubemapLayered, 2Layered, int x LS_COMMA int y LS_COMMA int face, x LS_COMMA y LS_COMMA face)
#undef LS_SURFACE
template <class T, int n> LS_DEVICE void surf2Dwrite(T v, surface<void, n> s, int x, int y, enum cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { surf2Dwrite(v, ls_handle(s), x, y); }

#endif
