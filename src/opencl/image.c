/* Images and samplers. An image is rows of pixels in the device's memory; kernels are given the address of a
 * description of it, and read and write pixels by the functions of share/lockstep/opencl/images.h. */
#include "opencl/opencl.h"

#include <math.h>
#include <stdlib.h>

/* --- Formats --- */
static const struct {
    cl_channel_order order;
    uint8_t channels;
    uint8_t places[4]; /* which of red, green, blue, alpha each channel of a pixel is */
} orders[] = {{CL_R, 1, {0}},
              {CL_A, 1, {3}},
              {CL_RG, 2, {0, 1}},
              {CL_RA, 2, {0, 3}},
              {CL_RGBA, 4, {0, 1, 2, 3}},
              {CL_BGRA, 4, {2, 1, 0, 3}},
              {CL_ARGB, 4, {3, 0, 1, 2}},
              {CL_INTENSITY, 1, {0}},
              {CL_LUMINANCE, 1, {0}}};

static const struct {
    cl_channel_type type;
    uint8_t bytes;
} types[] = {{CL_SNORM_INT8, 1},     {CL_SNORM_INT16, 2},    {CL_UNORM_INT8, 1},   {CL_UNORM_INT16, 2},
             {CL_SIGNED_INT8, 1},    {CL_SIGNED_INT16, 2},   {CL_SIGNED_INT32, 4}, {CL_UNSIGNED_INT8, 1},
             {CL_UNSIGNED_INT16, 2}, {CL_UNSIGNED_INT32, 4}, {CL_HALF_FLOAT, 2},   {CL_FLOAT, 4}};

enum { ORDERS = sizeof orders / sizeof *orders, TYPES = sizeof types / sizeof *types };

static int order_of(cl_channel_order order) {
    for (int k = 0; k < ORDERS; k++)
        if (orders[k].order == order) return k;
    return -1;
}
static int type_of(cl_channel_type type) {
    for (int k = 0; k < TYPES; k++)
        if (types[k].type == type) return k;
    return -1;
}

/* OpenCL's table of what goes with what. */
static bool goes_with(int order, int type) {
    cl_channel_order o = orders[order].order;
    cl_channel_type t = types[type].type;
    bool is_integer = t >= CL_SIGNED_INT8 && t <= CL_UNSIGNED_INT32;
    if (o == CL_INTENSITY || o == CL_LUMINANCE) return !is_integer;
    if (o == CL_BGRA || o == CL_ARGB) return types[type].bytes == 1;
    return true;
}

/* Bytes of a pixel; 0 where the format is none. */
static uint64_t pixel_size(const cl_image_format *f) {
    int o = order_of(f->image_channel_order), t = type_of(f->image_channel_data_type);
    return o < 0 || t < 0 || !goes_with(o, t) ? 0 : (uint64_t)orders[o].channels * types[t].bytes;
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                  cl_uint room, cl_image_format *formats, cl_uint *count) {
    ENTER;
    (void)flags;
    if (!ocl_is(context, OCL_CONTEXT, __func__)) return CL_INVALID_CONTEXT;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (formats && !room))
        return CL_INVALID_VALUE;
    cl_uint n = 0;
    for (int o = 0; o < ORDERS; o++)
        for (int t = 0; t < TYPES; t++) {
            if (!goes_with(o, t)) continue;
            if (formats && n < room) formats[n] = (cl_image_format){orders[o].order, types[t].type};
            n++;
        }
    if (count) *count = n;
    return CL_SUCCESS;
}

/* --- Images --- */
/* As share/lockstep/opencl/images.h has it. */
typedef struct {
    uint64_t data, row_pitch, slice_pitch;
    uint32_t width, height, depth, layers;
    uint32_t order, type, pixel, dimensions;
} description;

static bool has_rows(cl_mem_object_type type) {
    return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE3D ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}
static bool is_array(cl_mem_object_type type) {
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

uint64_t ocl_image_address(cl_mem m, const size_t origin[3]) {
    return m->address + origin[2] * m->slice_pitch + origin[1] * m->row_pitch + origin[0] * m->element;
}

/* How many pixels there are along each of the coordinates of a region. */
static void extent(const struct _cl_mem *m, size_t out[3]) {
    const cl_image_desc *d = &m->image;
    out[0] = d->image_width;
    out[1] = has_rows(m->type)                        ? d->image_height
             : m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? d->image_array_size
                                                      : 1;
    out[2] = m->type == CL_MEM_OBJECT_IMAGE3D         ? d->image_depth
             : m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? d->image_array_size
                                                      : 1;
}

static cl_int check_description(const cl_image_desc *d) {
    cl_mem_object_type t = d->image_type;
    if (t < CL_MEM_OBJECT_IMAGE2D || t > CL_MEM_OBJECT_IMAGE1D_BUFFER) return CL_INVALID_IMAGE_DESCRIPTOR;
    bool good = d->image_width && (!has_rows(t) || d->image_height) &&
                (t != CL_MEM_OBJECT_IMAGE3D || d->image_depth) && (!is_array(t) || d->image_array_size) &&
                !d->num_mip_levels && !d->num_samples;
    if (!good) return CL_INVALID_IMAGE_DESCRIPTOR;
    size_t most = t == CL_MEM_OBJECT_IMAGE3D ? 16384 : t == CL_MEM_OBJECT_IMAGE1D_BUFFER ? 268435456 : 32768;
    if (d->image_width > most || (has_rows(t) && d->image_height > most) || d->image_depth > 16384 ||
        d->image_array_size > 2048)
        return CL_INVALID_IMAGE_SIZE;
    return CL_SUCCESS;
}

static void describe(cl_mem m) {
    size_t size[3];
    extent(m, size);
    int o = order_of(m->format.image_channel_order);
    description d = {.data = m->address,
                     .row_pitch = m->row_pitch,
                     .slice_pitch = m->slice_pitch,
                     .width = (uint32_t)size[0],
                     .height = has_rows(m->type) ? (uint32_t)size[1] : 1,
                     .depth = m->type == CL_MEM_OBJECT_IMAGE3D ? (uint32_t)size[2] : 1,
                     .layers = is_array(m->type) ? (uint32_t)m->image.image_array_size : 1,
                     .order = m->format.image_channel_order,
                     .type = m->format.image_channel_data_type,
                     .pixel = (uint32_t)m->element,
                     .dimensions = orders[o].channels};
    ocl_copy_now(m->descriptor, &d, sizeof d, "clCreateImage");
}

/* Pitches of the memory that the program gives: what it says, or rows without gaps. */
static void host_pitches(const struct _cl_mem *m, size_t *row, size_t *slice) {
    size_t size[3];
    extent(m, size);
    *row = m->image.image_row_pitch ? m->image.image_row_pitch : size[0] * m->element;
    size_t rows = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : size[1];
    *slice = m->image.image_slice_pitch ? m->image.image_slice_pitch : *row * rows;
    if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) *row = *slice;
}

static void copy_in(cl_mem m, const void *host) {
    size_t size[3], row, slice;
    extent(m, size);
    host_pitches(m, &row, &slice);
    ls_copy copy = {
        .to = {.address = m->address, .pitch = m->row_pitch, .rows = m->slice_pitch / m->row_pitch},
        .from = {.address = (uintptr_t)host, .pitch = row, .rows = slice / row},
        .width = size[0] * m->element,
        .height = size[1],
        .depth = size[2],
        .waits = true};
    ocl_submit_copy(ls_dev_default_stream(ocl_dev(), 0), &copy, "clCreateImage");
}

static cl_mem make_image(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host, cl_int *error, const char *function) {
    enum { ALIGN = 128 };
    if (!ocl_is(context, OCL_CONTEXT, function)) FAIL(CL_INVALID_CONTEXT);
    if (!format) FAIL(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    if (!desc) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    cl_int status = check_description(desc);
    if (status != CL_SUCCESS) FAIL(status);
    uint64_t pixel = pixel_size(format);
    if (!pixel) FAIL(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    cl_mem in = desc->mem_object;
    if (in && !ocl_is(in, OCL_MEM, function)) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    status = in ? CL_SUCCESS : ocl_check_flags(flags, host);
    if (status != CL_SUCCESS) FAIL(status);
    struct _cl_mem shape = {.type = desc->image_type, .image = *desc, .element = pixel};
    size_t size[3], row, slice;
    extent(&shape, size);
    host_pitches(&shape, &row, &slice);
    bool as_given = in || flags & CL_MEM_USE_HOST_PTR;
    if (!as_given) { /* the device's rows have no gaps */
        row = size[0] * pixel;
        slice = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * size[1];
    }
    if (row < size[0] * pixel) FAIL(CL_INVALID_IMAGE_DESCRIPTOR);
    uint64_t bytes = (size[2] - 1) * slice + size[1] * row;
    cl_mem m;
    if (in) {
        if (bytes > in->size) FAIL(CL_INVALID_IMAGE_SIZE);
        m = ocl_new(OCL_MEM, sizeof *m);
        if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
        m->context = context;
        m->type = desc->image_type;
        m->flags = flags ? flags : in->flags;
        m->address = in->address;
        m->parent = in;
        m->borrows = true;
        ocl_hold(in);
        ocl_hold(context);
        m->descriptor = ls_dev_reserve(ocl_dev(), sizeof(description), ALIGN);
        ls_dev_map(ocl_dev(), 0, m->descriptor, sizeof(description), function);
    } else { /* its description stands behind the pixels */
        uint64_t at = (bytes + ALIGN - 1) / ALIGN * ALIGN;
        m = ocl_new_mem(context, desc->image_type, flags, at + sizeof(description), host, function, error);
        if (!m) return NULL;
        m->descriptor = m->address + at;
    }
    m->size = bytes;
    m->format = *format;
    m->image = *desc;
    m->element = pixel;
    m->row_pitch = row;
    m->slice_pitch = slice;
    describe(m);
    if (host && !in) copy_in(m, host);
    if (error) *error = CL_SUCCESS;
    return m;
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *desc, void *host, cl_int *error) {
    ENTER;
    return make_image(context, flags, format, desc, host, error, __func__);
}
cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, const cl_image_format *format,
                                   const cl_image_desc *desc, void *host, cl_int *error) {
    ENTER;
    if (properties && *properties) FAIL(CL_INVALID_PROPERTY);
    return make_image(context, flags, format, desc, host, error, __func__);
}
cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                       size_t height, size_t row, void *host, cl_int *error) {
    ENTER;
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                       .image_width = width,
                       .image_height = height,
                       .image_row_pitch = row};
    return make_image(context, flags, format, &d, host, error, __func__);
}
cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
                       size_t height, size_t depth, size_t row, size_t slice, void *host, cl_int *error) {
    ENTER;
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                       .image_width = width,
                       .image_height = height,
                       .image_depth = depth,
                       .image_row_pitch = row,
                       .image_slice_pitch = slice};
    return make_image(context, flags, format, &d, host, error, __func__);
}

cl_int clGetImageInfo(cl_mem m, cl_image_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(m, OCL_MEM, __func__) || m->type == CL_MEM_OBJECT_BUFFER) return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_IMAGE_FORMAT: return ocl_answer(&m->format, sizeof m->format, room, out, size);
    case CL_IMAGE_ELEMENT_SIZE: ANSWER(size_t, m->element);
    case CL_IMAGE_ROW_PITCH: ANSWER(size_t, m->row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        ANSWER(size_t, has_rows(m->type) && m->type == CL_MEM_OBJECT_IMAGE2D ? 0 : m->slice_pitch);
    case CL_IMAGE_WIDTH: ANSWER(size_t, m->image.image_width);
    case CL_IMAGE_HEIGHT: ANSWER(size_t, has_rows(m->type) ? m->image.image_height : 0);
    case CL_IMAGE_DEPTH: ANSWER(size_t, m->type == CL_MEM_OBJECT_IMAGE3D ? m->image.image_depth : 0);
    case CL_IMAGE_ARRAY_SIZE: ANSWER(size_t, is_array(m->type) ? m->image.image_array_size : 0);
    case CL_IMAGE_BUFFER: ANSWER(cl_mem, m->parent);
    case CL_IMAGE_NUM_MIP_LEVELS: ANSWER(cl_uint, 0);
    case CL_IMAGE_NUM_SAMPLES: ANSWER(cl_uint, 0);
    default: return CL_INVALID_VALUE;
    }
}

/* --- Transfers --- */
static cl_int check_image(cl_command_queue q, cl_mem m, const size_t *origin, const size_t *region,
                          const char *function) {
    cl_int status = ocl_check_queue_mem(q, m, function);
    if (status != CL_SUCCESS) return status;
    if (m->type == CL_MEM_OBJECT_BUFFER) return CL_INVALID_MEM_OBJECT;
    if (!origin || !region) return CL_INVALID_VALUE;
    size_t size[3];
    extent(m, size);
    for (int d = 0; d < 3; d++) {
        if (!region[d]) return CL_INVALID_VALUE;
        if (origin[d] < size[d] && region[d] <= size[d] - origin[d]) continue;
        ls_dev_finding(ocl_dev(), "memory.copy", LS_ERROR, m->address,
                       "%s: %zu pixels from %zu go beyond the image, which has %zu in dimension %d", function,
                       region[d], origin[d], size[d], d);
        return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static ls_side image_side(cl_mem m, const size_t *origin) {
    return (ls_side){.address = ocl_image_address(m, origin),
                     .pitch = m->row_pitch,
                     .rows = m->slice_pitch / m->row_pitch ? m->slice_pitch / m->row_pitch : 1};
}

static cl_int enqueue_transfer(cl_command_queue q, cl_command_type type, ls_side to, ls_side from,
                               const size_t *region, uint64_t pixel, cl_mem a, cl_mem b, cl_bool blocking,
                               cl_uint count, const cl_event *list, cl_event *out, const char *function) {
    cl_int status = ocl_check_waits(q->context, count, list, function);
    if (status != CL_SUCCESS) return status;
    ocl_transfer t = {{.to = to,
                       .from = from,
                       .width = region[0] * pixel,
                       .height = region[1],
                       .depth = region[2],
                       .waits = blocking},
                      function};
    cl_event command = ocl_command(q, type, ocl_run_transfer, &t, sizeof t);
    if (!command) return CL_OUT_OF_HOST_MEMORY;
    ocl_uses(command, a);
    if (b) ocl_uses(command, b);
    return ocl_enqueue(command, count, list, blocking, out);
}

static cl_int read_or_write(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                            const size_t *region, size_t row, size_t slice, const void *host, bool write,
                            cl_uint count, const cl_event *list, cl_event *out, const char *function) {
    cl_int status = check_image(q, m, origin, region, function);
    if (status != CL_SUCCESS) return status;
    if (!host || (row && row < region[0] * m->element)) return CL_INVALID_VALUE;
    if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) row = slice;
    if (!row) row = region[0] * m->element;
    if (!slice) slice = row * region[1];
    ls_side a = image_side(m, origin),
            b = {.address = (uintptr_t)host, .pitch = row, .rows = slice / row, .kind = LS_SIDE_HOST};
    return enqueue_transfer(q, write ? CL_COMMAND_WRITE_IMAGE : CL_COMMAND_READ_IMAGE, write ? a : b,
                            write ? b : a, region, m->element, m, NULL, blocking, count, list, out, function);
}

cl_int clEnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                          const size_t *region, size_t row, size_t slice, void *host, cl_uint count,
                          const cl_event *list, cl_event *out) {
    ENTER;
    return read_or_write(q, m, blocking, origin, region, row, slice, host, false, count, list, out, __func__);
}
cl_int clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
                           const size_t *region, size_t row, size_t slice, const void *host, cl_uint count,
                           const cl_event *list, cl_event *out) {
    ENTER;
    return read_or_write(q, m, blocking, origin, region, row, slice, host, true, count, list, out, __func__);
}

cl_int clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                          const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *list,
                          cl_event *out) {
    ENTER;
    cl_int status = check_image(q, from, from_origin, region, __func__);
    if (status == CL_SUCCESS) status = check_image(q, to, to_origin, region, __func__);
    if (status != CL_SUCCESS) return status;
    if (from->format.image_channel_order != to->format.image_channel_order ||
        from->format.image_channel_data_type != to->format.image_channel_data_type)
        return CL_IMAGE_FORMAT_MISMATCH;
    return enqueue_transfer(q, CL_COMMAND_COPY_IMAGE, image_side(to, to_origin),
                            image_side(from, from_origin), region, from->element, from, to, CL_FALSE, count,
                            list, out, __func__);
}

/* Pixels in a buffer, without gaps. */
static cl_int check_pixels(cl_command_queue q, cl_mem m, size_t offset, const size_t *region, uint64_t pixel,
                           const char *function) {
    cl_int status = ocl_check_queue_mem(q, m, function);
    if (status != CL_SUCCESS) return status;
    if (m->type != CL_MEM_OBJECT_BUFFER) return CL_INVALID_MEM_OBJECT;
    uint64_t bytes = region[0] * region[1] * region[2] * pixel;
    if (offset <= m->size && bytes <= m->size - offset) return CL_SUCCESS;
    ls_dev_finding(ocl_dev(), "memory.copy", LS_ERROR, m->address,
                   "%s: %llu bytes at offset %zu go beyond the buffer", function, (unsigned long long)bytes,
                   offset);
    return CL_INVALID_VALUE;
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem from, cl_mem to, const size_t *origin,
                                  const size_t *region, size_t offset, cl_uint count, const cl_event *list,
                                  cl_event *out) {
    ENTER;
    cl_int status = check_image(q, from, origin, region, __func__);
    if (status == CL_SUCCESS) status = check_pixels(q, to, offset, region, from->element, __func__);
    if (status != CL_SUCCESS) return status;
    ls_side side = {.address = to->address + offset};
    return enqueue_transfer(q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, side, image_side(from, origin), region,
                            from->element, from, to, CL_FALSE, count, list, out, __func__);
}
cl_int clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem from, cl_mem to, size_t offset,
                                  const size_t *origin, const size_t *region, cl_uint count,
                                  const cl_event *list, cl_event *out) {
    ENTER;
    cl_int status = check_image(q, to, origin, region, __func__);
    if (status == CL_SUCCESS) status = check_pixels(q, from, offset, region, to->element, __func__);
    if (status != CL_SUCCESS) return status;
    ls_side side = {.address = from->address + offset};
    return enqueue_transfer(q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, image_side(to, origin), side, region,
                            to->element, from, to, CL_FALSE, count, list, out, __func__);
}

/* --- Fills --- */
typedef union {
    float real[4];
    int32_t number[4];
    uint32_t natural[4];
} color;

static double within(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* One channel of a pixel, from one of a color. */
static void put_channel(char *to, cl_channel_type type, float real, int32_t number) {
    double rounded = rint(type == CL_SNORM_INT8    ? within(real * 127.0, -128, 127)
                          : type == CL_SNORM_INT16 ? within(real * 32767.0, -32768, 32767)
                          : type == CL_UNORM_INT8  ? within(real * 255.0, 0, 255)
                                                   : within(real * 65535.0, 0, 65535));
    int32_t normal = (int32_t)rounded;
    _Float16 half = (_Float16)real;
    switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8: memcpy(to, &normal, 1); break;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16: memcpy(to, &normal, 2); break;
    case CL_HALF_FLOAT: memcpy(to, &half, 2); break;
    case CL_FLOAT: memcpy(to, &real, 4); break;
    case CL_SIGNED_INT8:
        number = number < -128 ? -128 : number > 127 ? 127 : number;
        memcpy(to, &number, 1);
        break;
    case CL_UNSIGNED_INT8:
        number = (uint32_t)number > 255 ? 255 : number;
        memcpy(to, &number, 1);
        break;
    case CL_SIGNED_INT16:
        number = number < -32768 ? -32768 : number > 32767 ? 32767 : number;
        memcpy(to, &number, 2);
        break;
    case CL_UNSIGNED_INT16:
        number = (uint32_t)number > 65535 ? 65535 : number;
        memcpy(to, &number, 2);
        break;
    default: memcpy(to, &number, 4); break;
    }
}

typedef struct {
    cl_mem image;
    size_t origin[3], region[3];
    char pixel[16];
} fill;

static void fill_rows(void *data, ls_arena *memory) {
    (void)memory;
    const fill *f = data;
    for (size_t z = 0; z < f->region[2]; z++)
        for (size_t y = 0; y < f->region[1]; y++) {
            size_t at[] = {f->origin[0], f->origin[1] + y, f->origin[2] + z};
            ocl_repeat(ls_emu_host(ocl_image_address(f->image, at)), f->region[0] * f->image->element,
                       f->pixel, f->image->element);
        }
}

static cl_int run_fill(cl_event command, ls_stream *stream) {
    fill *f = command->data;
    size_t last[3];
    for (int d = 0; d < 3; d++) last[d] = f->origin[d] + f->region[d] - 1;
    uint64_t from = ocl_image_address(f->image, f->origin), to = ocl_image_address(f->image, last);
    bool whole = f->region[0] == f->image->image.image_width;
    return ocl_submit_work(stream, "clEnqueueFillImage", fill_rows, f, from, to + f->image->element - from,
                           true, !whole);
}

cl_int clEnqueueFillImage(cl_command_queue q, cl_mem m, const void *given, const size_t *origin,
                          const size_t *region, cl_uint count, const cl_event *list, cl_event *out) {
    ENTER;
    cl_int status = check_image(q, m, origin, region, __func__);
    if (status == CL_SUCCESS && !given) status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS) status = ocl_check_waits(q->context, count, list, __func__);
    if (status != CL_SUCCESS) return status;
    fill f = {.image = m};
    color c;
    memcpy(&c, given, sizeof c);
    memcpy(f.origin, origin, sizeof f.origin);
    memcpy(f.region, region, sizeof f.region);
    int o = order_of(m->format.image_channel_order), t = type_of(m->format.image_channel_data_type);
    for (int k = 0; k < orders[o].channels; k++)
        put_channel(f.pixel + k * types[t].bytes, types[t].type, c.real[orders[o].places[k]],
                    c.number[orders[o].places[k]]);
    cl_event command = ocl_command(q, CL_COMMAND_FILL_IMAGE, run_fill, &f, sizeof f);
    if (!command) return CL_OUT_OF_HOST_MEMORY;
    ocl_uses(command, m);
    return ocl_enqueue(command, count, list, CL_FALSE, out);
}

/* --- Samplers --- */
/* In the bits of OpenCL C's constants (opencl-c-base.h). */
uint64_t ocl_sampler_value(const struct _cl_sampler *s) {
    static const struct {
        cl_addressing_mode mode;
        uint64_t bits;
    } modes[] = {{CL_ADDRESS_NONE, 0},
                 {CL_ADDRESS_CLAMP_TO_EDGE, 2},
                 {CL_ADDRESS_CLAMP, 4},
                 {CL_ADDRESS_REPEAT, 6},
                 {CL_ADDRESS_MIRRORED_REPEAT, 8}};
    uint64_t value = (s->normalized ? 1 : 0) | (s->filter == CL_FILTER_LINEAR ? 0x20 : 0x10);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (modes[k].mode == s->addressing) value |= modes[k].bits;
    return value;
}

void ocl_destroy_sampler(void *object) {
    cl_sampler s = object;
    LS_VEC_FREE(&s->properties);
    ocl_drop(s->context);
}

static cl_sampler make_sampler(cl_context context, cl_bool normalized, cl_addressing_mode mode,
                               cl_filter_mode filter, cl_int *error, const char *function) {
    if (!ocl_is(context, OCL_CONTEXT, function)) FAIL(CL_INVALID_CONTEXT);
    if (mode < CL_ADDRESS_NONE || mode > CL_ADDRESS_MIRRORED_REPEAT ||
        (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR))
        FAIL(CL_INVALID_VALUE);
    cl_sampler s = ocl_new(OCL_SAMPLER, sizeof *s);
    if (!s) FAIL(CL_OUT_OF_HOST_MEMORY);
    s->context = context;
    s->normalized = normalized;
    s->addressing = mode;
    s->filter = filter;
    ocl_hold(context);
    if (error) *error = CL_SUCCESS;
    return s;
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode mode,
                           cl_filter_mode filter, cl_int *error) {
    ENTER;
    return make_sampler(context, normalized, mode, filter, error, __func__);
}

cl_sampler clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                         cl_int *error) {
    ENTER;
    cl_bool normalized = CL_TRUE;
    cl_addressing_mode mode = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
    for (const cl_sampler_properties *p = properties; p && *p; p += 2) {
        if (*p == CL_SAMPLER_NORMALIZED_COORDS)
            normalized = (cl_bool)p[1];
        else if (*p == CL_SAMPLER_ADDRESSING_MODE)
            mode = (cl_addressing_mode)p[1];
        else if (*p == CL_SAMPLER_FILTER_MODE)
            filter = (cl_filter_mode)p[1];
        else
            FAIL(CL_INVALID_VALUE);
    }
    cl_sampler s = make_sampler(context, normalized, mode, filter, error, __func__);
    for (const cl_sampler_properties *p = properties; s && p; p++) {
        LS_VEC_PUSH(&s->properties, *p);
        if (!*p) break;
        LS_VEC_PUSH(&s->properties, *++p);
    }
    return s;
}

cl_int clRetainSampler(cl_sampler s) {
    ENTER;
    return ocl_retain(s, OCL_SAMPLER, CL_INVALID_SAMPLER, __func__);
}
cl_int clReleaseSampler(cl_sampler s) {
    ENTER;
    return ocl_release(s, OCL_SAMPLER, CL_INVALID_SAMPLER, __func__);
}

cl_int clGetSamplerInfo(cl_sampler s, cl_sampler_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(s, OCL_SAMPLER, __func__)) return CL_INVALID_SAMPLER;
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT: ANSWER(cl_uint, s->o.references);
    case CL_SAMPLER_CONTEXT: ANSWER(cl_context, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS: ANSWER(cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE: ANSWER(cl_addressing_mode, s->addressing);
    case CL_SAMPLER_FILTER_MODE: ANSWER(cl_filter_mode, s->filter);
    case CL_SAMPLER_PROPERTIES:
        return ocl_answer(s->properties.items, s->properties.length * sizeof *s->properties.items, room, out,
                          size);
    default: return CL_INVALID_VALUE;
    }
}
