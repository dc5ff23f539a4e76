/* Arrays, textures and surfaces. An array is plain rows of elements; a texture object is the emulator's
 * description of one. Of mipmaps the levels are arrays; sampling is from the first. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

enum { CUBEMAP = 4, LAYERED = 1 };
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2 };
enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH };

static const struct {
    int format;
    uint8_t bits;
    ls_texel_kind kind;
} formats[] = {{0x01, 8, LS_TEXEL_UNSIGNED}, {0x02, 16, LS_TEXEL_UNSIGNED}, {0x03, 32, LS_TEXEL_UNSIGNED},
               {0x08, 8, LS_TEXEL_SIGNED},   {0x09, 16, LS_TEXEL_SIGNED},   {0x0a, 32, LS_TEXEL_SIGNED},
               {0x10, 16, LS_TEXEL_FLOAT},   {0x20, 32, LS_TEXEL_FLOAT}};

static bool set_format(ls_array *a, int format, unsigned channels) {
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (formats[k].format == format) {
            a->bits = formats[k].bits;
            a->kind = formats[k].kind;
            a->channels = channels;
            a->format = format;
            return channels == 1 || channels == 2 || channels == 4;
        }
    return false;
}

static CUresult make_array(const char *what, CUarray *out, size_t width, size_t height, size_t depth,
                           int format, unsigned channels, unsigned flags) {
    cu_array *a = calloc(1, sizeof *a);
    if (!a) return CU_OUT_OF_MEMORY;
    a->a = (ls_array){.width = width, .height = height, .depth = depth, .flags = flags};
    ls_dev_status status = set_format(&a->a, format, channels)
                               ? ls_dev_array_new(cu_dev(), cu_ordinal(), &a->a, what)
                               : LS_DEV_NOT_SUPPORTED;
    if (status != LS_DEV_OK) {
        free(a);
        return cu_result(what, status);
    }
    *out = a;
    return CU_OK;
}

API(cuArrayCreate_v2, CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d) {
    return make_array("cudaMallocArray", array, d->Width, d->Height, 0, d->Format, d->NumChannels, 0);
}
API(cuArray3DCreate_v2, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d) {
    return make_array("cudaMalloc3DArray", array, d->Width, d->Height, d->Depth, d->Format, d->NumChannels,
                      d->Flags);
}
API(cuArrayDestroy, CUarray array) {
    if (!array) return RESULT(LS_DEV_BAD_HANDLE);
    ls_dev_status status = ls_dev_free(cu_dev(), array->a.address, "cudaFreeArray");
    free(array);
    return RESULT(status);
}
API(cuArray3DGetDescriptor_v2, CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array) {
    const ls_array *a = &array->a;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){a->width, a->height, a->depth, a->format, a->channels, a->flags};
    return CU_OK;
}
API(cuArrayGetDescriptor_v2, CUDA_ARRAY_DESCRIPTOR *d, CUarray array) {
    const ls_array *a = &array->a;
    *d = (CUDA_ARRAY_DESCRIPTOR){a->width, a->height, a->format, a->channels};
    return CU_OK;
}
API(cuMipmappedArrayCreate, CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels) {
    cu_mipmap *m = calloc(1, sizeof *m);
    if (!m) return CU_OUT_OF_MEMORY;
    size_t w = d->Width, h = d->Height, z = d->Depth;
    for (; m->levels < levels && m->levels < 16; m->levels++) {
        CUresult result = make_array("cudaMallocMipmappedArray", &m->level[m->levels], w, h, z, d->Format,
                                     d->NumChannels, d->Flags);
        if (result != CU_OK) return result;
        if (w == 1 && h <= 1 && z <= 1) {
            m->levels++;
            break;
        }
        w = w > 1 ? w / 2 : w, h = h > 1 ? h / 2 : h;
        if (!(d->Flags & (LAYERED | CUBEMAP))) z = z > 1 ? z / 2 : z;
    }
    *out = m;
    return CU_OK;
}
API(cuMipmappedArrayGetLevel, CUarray *array, CUmipmappedArray mipmap, unsigned level) {
    if (level >= mipmap->levels) return RESULT(LS_DEV_INVALID);
    *array = mipmap->level[level];
    return CU_OK;
}
API(cuMipmappedArrayDestroy, CUmipmappedArray mipmap) {
    for (uint32_t k = 0; k < mipmap->levels; k++) cuArrayDestroy(mipmap->level[k]);
    free(mipmap);
    return CU_OK;
}

/* --- Objects --- */
typedef struct {
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
} object;
static struct {
    object *items;
    uint64_t length;
} objects;

static void keep(uint64_t handle, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t) {
    if (handle >= objects.length) {
        object *more = realloc(objects.items, (handle + 64) * sizeof *more);
        if (!more) return;
        objects.items = more;
        objects.length = handle + 64;
    }
    objects.items[handle] = (object){.resource = *r};
    if (t) objects.items[handle].texture = *t;
}

static CUresult describe(const CUDA_RESOURCE_DESC *r, ls_texture *t) {
    ls_array a = {0};
    *t = (ls_texture){0};
    switch (r->resType) {
    case RESOURCE_ARRAY: a = r->res.array->a; break;
    case RESOURCE_MIPMAP: a = r->res.mipmap->level[0]->a; break;
    case RESOURCE_LINEAR:
        if (!set_format(&a, r->res.linear.format, r->res.linear.numChannels)) return CU_INVALID_VALUE;
        a.address = r->res.linear.devPtr;
        a.width = r->res.linear.sizeInBytes / ls_array_element(&a);
        break;
    case RESOURCE_PITCH:
        if (!set_format(&a, r->res.pitch2D.format, r->res.pitch2D.numChannels)) return CU_INVALID_VALUE;
        a.address = r->res.pitch2D.devPtr;
        a.width = r->res.pitch2D.width;
        a.height = r->res.pitch2D.height;
        t->pitch = (uint32_t)r->res.pitch2D.pitchInBytes;
        break;
    default: return CU_INVALID_VALUE;
    }
    t->data = ls_emu_host(a.address);
    t->width = (uint32_t)a.width;
    t->height = (uint32_t)a.height;
    t->depth = (uint32_t)a.depth;
    t->channels = (uint8_t)a.channels;
    t->bits = (uint8_t)a.bits;
    t->kind = a.kind;
    return CU_OK;
}

API(cuTexObjectCreate, uint64_t *out, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d,
    const CUDA_RESOURCE_VIEW_DESC *view) {
    ls_texture t;
    (void)view;
    CUresult result = describe(r, &t);
    if (result != CU_OK) return RESULT((ls_dev_status)result);
    for (int k = 0; k < 3; k++) t.address[k] = (ls_address_mode)d->addressMode[k];
    t.linear = d->filterMode == 1;
    t.normalized_coords = d->flags & NORMALIZED_COORDINATES;
    t.normalized_read = t.kind != LS_TEXEL_FLOAT && t.bits < 32 && !(d->flags & READ_AS_INTEGER);
    *out = ls_dev_texture(cu_dev(), 0, &t);
    keep(*out, r, d);
    return CU_OK;
}
API(cuTexObjectDestroy, uint64_t texture) {
    (void)texture;
    return CU_OK;
}
API(cuSurfObjectCreate, uint64_t *out, const CUDA_RESOURCE_DESC *r) {
    ls_texture t;
    CUresult result = describe(r, &t);
    if (result != CU_OK) return RESULT((ls_dev_status)result);
    *out = ls_dev_texture(cu_dev(), 0, &t);
    keep(*out, r, NULL);
    return CU_OK;
}
API(cuSurfObjectDestroy, uint64_t surface) {
    (void)surface;
    return CU_OK;
}
API(cuTexObjectGetResourceDesc, CUDA_RESOURCE_DESC *r, uint64_t texture) {
    if (texture >= objects.length) return RESULT(LS_DEV_INVALID);
    *r = objects.items[texture].resource;
    return CU_OK;
}
API(cuSurfObjectGetResourceDesc, CUDA_RESOURCE_DESC *r, uint64_t surface) {
    return cuTexObjectGetResourceDesc(r, surface);
}
API(cuTexObjectGetTextureDesc, CUDA_TEXTURE_DESC *t, uint64_t texture) {
    if (texture >= objects.length) return RESULT(LS_DEV_INVALID);
    *t = objects.items[texture].texture;
    return CU_OK;
}
