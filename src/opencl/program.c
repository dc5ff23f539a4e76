/* Programs: from source or from a binary, built, or compiled and linked. */
#include "opencl/opencl.h"

#include "base/recover.h"

#include <stdio.h>
#include <stdlib.h>

/* Texts live as long as the program. False: there is no memory, and the text is what it was. */
typedef struct {
    cl_program p;
    const char *text;
    size_t length;
    char *copy;
} copying;

static void copy_text(void *context) {
    copying *c = context;
    c->copy = ls_arena_strndup(&c->p->texts, c->text, c->length);
}

static bool keep(cl_program p, char **to, const char *text, size_t length) {
    copying c = {p, text, length, NULL};
    if (text && !ls_try(copy_text, &c)) return false;
    *to = c.copy;
    return true;
}

static bool replace(cl_program p, char **to, const char *text) {
    return keep(p, to, text, text ? strlen(text) : 0);
}

static cl_program new_program(cl_context context) {
    static uint32_t numbers;
    cl_program p = ocl_new(OCL_PROGRAM, sizeof *p);
    if (!p) return NULL;
    p->context = context;
    p->status = CL_BUILD_NONE;
    p->number = ++numbers;
    ocl_hold(context);
    return p;
}

void ocl_destroy_program(void *object) {
    cl_program p = object;
    for (uint32_t k = p->releases.length; k--;)
        ocl_call_later((void (*)(void *, void *))(void *)p->releases.items[k].call, p,
                       p->releases.items[k].data);
    LS_VEC_FREE(&p->releases);
    ocl_forget_build(p);
    for (uint32_t k = 0; k < p->headers.length; k++) ocl_drop(p->headers.items[k].program);
    ls_arena_free(&p->texts);
    ocl_drop(p->context);
}

typedef struct {
    cl_program p;
    cl_uint count;
    const char **strings;
    const size_t *lengths;
} sources;

static size_t length_of(const sources *s, cl_uint k) {
    const size_t most = s->lengths ? s->lengths[k] : 0;
    return most ? strnlen(s->strings[k], most) : strlen(s->strings[k]);
}

static void put_together(void *context) {
    const sources *s = context;
    size_t size = 1;
    for (cl_uint k = 0; k < s->count; k++) size += length_of(s, k);
    char *at = s->p->source = ls_arena_alloc(&s->p->texts, size);
    for (cl_uint k = 0; k < s->count; k++) {
        memcpy(at, s->strings[k], length_of(s, k));
        at += length_of(s, k);
    }
    *at = 0;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *error) {
    ENTER;
    if (!ocl_is(context, OCL_CONTEXT, __func__)) FAIL(CL_INVALID_CONTEXT);
    if (!count || !strings) FAIL(CL_INVALID_VALUE);
    for (cl_uint k = 0; k < count; k++)
        if (!strings[k]) FAIL(CL_INVALID_VALUE);
    cl_program p = new_program(context);
    if (!p) FAIL(CL_OUT_OF_HOST_MEMORY);
    if (!ls_try(put_together, &(sources){p, count, strings, lengths})) {
        ocl_drop(p);
        FAIL(CL_OUT_OF_HOST_MEMORY);
    }
    if (error) *error = CL_SUCCESS;
    return p;
}

/* The device has no built-in kernels (CL_DEVICE_BUILT_IN_KERNELS), so that every name is unknown. */
cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count, const cl_device_id *devices,
                                             const char *names, cl_int *error) {
    (void)names;
    ENTER;
    if (!ocl_is(context, OCL_CONTEXT, __func__)) FAIL(CL_INVALID_CONTEXT);
    for (cl_uint k = 0; devices && k < count; k++)
        if (!ocl_is(devices[k], OCL_DEVICE, __func__)) FAIL(CL_INVALID_DEVICE);
    FAIL(CL_INVALID_VALUE);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
                                     cl_int *error) {
    ENTER;
    if (!ocl_is(context, OCL_CONTEXT, __func__)) FAIL(CL_INVALID_CONTEXT);
    if (!count || !devices || !lengths || !binaries) FAIL(CL_INVALID_VALUE);
    for (cl_uint k = 0; k < count; k++)
        if (!lengths[k] || !binaries[k]) FAIL(CL_INVALID_VALUE);
    bool good = memmem(binaries[0], lengths[0], ".version", 8) && !memchr(binaries[0], 0, lengths[0] - 1);
    for (cl_uint k = 0; statuses && k < count; k++) statuses[k] = good ? CL_SUCCESS : CL_INVALID_BINARY;
    if (!good) FAIL(CL_INVALID_BINARY);
    cl_program p = new_program(context);
    if (!p) FAIL(CL_OUT_OF_HOST_MEMORY);
    if (!keep(p, &p->ptx, (const char *)binaries[0], lengths[0])) {
        ocl_drop(p);
        FAIL(CL_OUT_OF_HOST_MEMORY);
    }
    p->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    if (error) *error = CL_SUCCESS;
    return p;
}

cl_int clRetainProgram(cl_program p) {
    ENTER;
    return ocl_retain(p, OCL_PROGRAM, CL_INVALID_PROGRAM, __func__);
}
cl_int clReleaseProgram(cl_program p) {
    ENTER;
    return ocl_release(p, OCL_PROGRAM, CL_INVALID_PROGRAM, __func__);
}

/* --- Building --- */
typedef void CL_CALLBACK built(cl_program, void *);

static void tell_built(built *call, cl_program p, void *data) {
    if (call) ocl_call_later((void (*)(void *, void *))(void *)call, p, data);
}

/* Compiles the source and keeps the log and, of what can be run, the PTX. */
typedef struct {
    cl_program p;
    const char *options;
    ls_buf ptx, log;
    bool good;
} compilation;

static void compile_plain(void *context) {
    compilation *c = context;
    c->good = ocl_compile(c->p, OCL_PLAIN, c->options, &c->ptx, &c->log);
}

static bool compile(cl_program p, const char *options, bool runs) {
    compilation c = {.p = p, .options = options};
    ocl_forget_build(p);
    bool good = ls_try(compile_plain, &c) && c.good;
    ls_buf ptx = c.ptx, log = c.log;
    good &= replace(p, &p->options, options ? options : "") && replace(p, &p->log, ls_buf_text(&log));
    good &= replace(p, &p->ptx, good && runs ? ls_buf_text(&ptx) : NULL);
    p->status = good ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    p->binary_type = !good  ? CL_PROGRAM_BINARY_TYPE_NONE
                     : runs ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                            : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    ls_buf_free(&ptx);
    ls_buf_free(&log);
    return good;
}

/* The PTX as kernels. */
static void read_kernels(void *program) {
    ocl_read_kernels(program);
}

static bool load(cl_program p) {
    bool read = ls_try(read_kernels, p);
    ls_dev_module *module = read ? ocl_module(p, OCL_PLAIN) : NULL;
    if (module) return true;
    p->status = CL_BUILD_ERROR;
    return false;
}

/* The log says why options are wrong, too. */
static bool good_options(cl_program p, const char *options) {
    char wrong[400], text[512];
    if (ocl_options_good(options, wrong, sizeof wrong)) return true;
    snprintf(text, sizeof text, "error: unknown option '%s'\n", wrong);
    if (!replace(p, &p->log, text)) p->log = NULL;
    p->status = CL_BUILD_ERROR;
    return false;
}

cl_int clBuildProgram(cl_program p, cl_uint count, const cl_device_id *devices, const char *options,
                      built *call, void *data) {
    ENTER;
    if (!ocl_is(p, OCL_PROGRAM, __func__)) return CL_INVALID_PROGRAM;
    if (!count != !devices || (!call && data)) return CL_INVALID_VALUE;
    if (p->kernel_objects) return CL_INVALID_OPERATION;
    if (!good_options(p, options)) return CL_INVALID_BUILD_OPTIONS;
    bool good;
    if (p->source) {
        good = compile(p, options, true);
    } else {
        ocl_forget_build(p);
        p->status = CL_BUILD_SUCCESS;
        good = replace(p, &p->options, options ? options : "") && p->ptx;
    }
    good = good && load(p);
    tell_built(call, p, data);
    return good ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

typedef struct {
    cl_program into;
    const char *name;
    cl_program program;
} heading;

static void add_header(void *context) {
    const heading *h = context;
    ocl_header header = {ls_arena_strdup(&h->into->texts, h->name), h->program};
    LS_VEC_PUSH_IN(&h->into->texts, &h->into->headers, header);
    ocl_hold(h->program);
}

cl_int clCompileProgram(cl_program p, cl_uint count, const cl_device_id *devices, const char *options,
                        cl_uint header_count, const cl_program *headers, const char **names, built *call,
                        void *data) {
    ENTER;
    if (!ocl_is(p, OCL_PROGRAM, __func__)) return CL_INVALID_PROGRAM;
    if (!count != !devices || (!call && data) || !header_count != !headers || !header_count != !names)
        return CL_INVALID_VALUE;
    if (!p->source || p->kernel_objects) return CL_INVALID_OPERATION;
    if (!good_options(p, options)) return CL_INVALID_COMPILER_OPTIONS;
    for (cl_uint k = 0; k < header_count; k++)
        if (!ocl_is(headers[k], OCL_PROGRAM, __func__)) return CL_INVALID_PROGRAM;
    for (cl_uint k = 0; k < header_count; k++)
        if (!ls_try(add_header, &(heading){p, names[k], headers[k]})) return CL_OUT_OF_HOST_MEMORY;
    bool good = compile(p, options, false);
    tell_built(call, p, data);
    return good ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE;
}

/* What is linked is compiled once more, as one text: functions of one part are seen by the others. */
typedef struct {
    cl_program into;
    cl_uint count;
    const cl_program *parts;
    const char *options;
} joining;

static void join(void *context) {
    const joining *j = context;
    cl_program into = j->into;
    cl_uint count = j->count;
    const cl_program *parts = j->parts;
    const char *options = j->options;
    ls_buf text = {0}, all = {0};
    for (cl_uint k = 0; k < count; k++) {
        ls_buf_printf(&text, "#line 1 \"part-%u.cl\"\n%s\n", parts[k]->number, parts[k]->source);
        if (parts[k]->options && *parts[k]->options && !strstr(ls_buf_text(&all), parts[k]->options))
            ls_buf_printf(&all, "%s ", parts[k]->options);
        for (uint32_t h = 0; h < parts[k]->headers.length; h++) {
            const ocl_header *header = &parts[k]->headers.items[h];
            add_header(&(heading){into, header->name, header->program});
        }
    }
    ls_buf_puts(&all, options ? options : "");
    into->source = ls_arena_strdup(&into->texts, ls_buf_text(&text));
    into->options = ls_arena_strdup(&into->texts, ls_buf_text(&all));
    ls_buf_free(&text);
    ls_buf_free(&all);
}

cl_program clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
                         cl_uint part_count, const cl_program *parts, built *call, void *data,
                         cl_int *error) {
    ENTER;
    if (!ocl_is(context, OCL_CONTEXT, __func__)) FAIL(CL_INVALID_CONTEXT);
    if (!count != !devices || (!call && data) || !part_count || !parts) FAIL(CL_INVALID_VALUE);
    for (cl_uint k = 0; k < part_count; k++) {
        if (!ocl_is(parts[k], OCL_PROGRAM, __func__)) FAIL(CL_INVALID_PROGRAM);
        if (!parts[k]->source || parts[k]->status != CL_BUILD_SUCCESS) FAIL(CL_INVALID_OPERATION);
    }
    char wrong[400];
    if (!ocl_options_good(options, wrong, sizeof wrong)) FAIL(CL_INVALID_LINKER_OPTIONS);
    cl_program p = new_program(context);
    if (!p) FAIL(CL_OUT_OF_HOST_MEMORY);
    if (!ls_try(join, &(joining){p, part_count, parts, options})) {
        ocl_drop(p);
        FAIL(CL_OUT_OF_HOST_MEMORY);
    }
    bool library = options && strstr(options, "-create-library");
    bool good = compile(p, p->options, !library) && (library || load(p));
    if (good && library) p->binary_type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
    tell_built(call, p, data);
    if (error) *error = good ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
    return p;
}

cl_int clSetProgramReleaseCallback(cl_program p, built *call, void *data) {
    ENTER;
    if (!ocl_is(p, OCL_PROGRAM, __func__)) return CL_INVALID_PROGRAM;
    if (!call) return CL_INVALID_VALUE;
    ocl_callback back = {(void (*)(void *))(void *)call, data, 0};
    LS_VEC_PUSH(&p->releases, back);
    return CL_SUCCESS;
}

/* --- Information --- */
static cl_int kernel_names(cl_program p, size_t room, void *out, size_t *size) {
    ls_buf names = {0};
    for (uint32_t k = 0; k < p->kernels.length; k++)
        ls_buf_printf(&names, "%s%s", k ? ";" : "", p->kernels.items[k].name);
    cl_int status = ocl_answer_text(ls_buf_text(&names), room, out, size);
    ls_buf_free(&names);
    return status;
}

static cl_int binary_sizes(cl_program p, size_t room, void *out, size_t *size) {
    size_t sizes[64], count = p->context->devices.length;
    for (size_t k = 0; k < count && k < 64; k++) sizes[k] = p->ptx ? strlen(p->ptx) : 0;
    return ocl_answer(sizes, count * sizeof *sizes, room, out, size);
}

static cl_int binaries(cl_program p, size_t room, void *out, size_t *size) {
    size_t count = p->context->devices.length;
    char **to = out;
    if (size) *size = count * sizeof *to;
    if (!out) return CL_SUCCESS;
    if (room < count * sizeof *to) return CL_INVALID_VALUE;
    for (size_t k = 0; k < count && p->ptx; k++)
        if (to[k]) memcpy(to[k], p->ptx, strlen(p->ptx));
    return CL_SUCCESS;
}

cl_int clGetProgramInfo(cl_program p, cl_program_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(p, OCL_PROGRAM, __func__)) return CL_INVALID_PROGRAM;
    bool is_kernels = name == CL_PROGRAM_NUM_KERNELS || name == CL_PROGRAM_KERNEL_NAMES;
    if (is_kernels && !p->modules[OCL_PLAIN]) return CL_INVALID_PROGRAM_EXECUTABLE;
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: ANSWER(cl_uint, p->o.references);
    case CL_PROGRAM_CONTEXT: ANSWER(cl_context, p->context);
    case CL_PROGRAM_NUM_DEVICES: ANSWER(cl_uint, p->context->devices.length);
    case CL_PROGRAM_DEVICES:
        return ocl_answer(p->context->devices.items,
                          p->context->devices.length * sizeof *p->context->devices.items, room, out, size);
    case CL_PROGRAM_SOURCE: return ocl_answer_text(p->source, room, out, size);
    case CL_PROGRAM_IL: return ocl_answer(NULL, 0, room, out, size);
    case CL_PROGRAM_BINARY_SIZES: return binary_sizes(p, room, out, size);
    case CL_PROGRAM_BINARIES: return binaries(p, room, out, size);
    case CL_PROGRAM_NUM_KERNELS: ANSWER(size_t, p->kernels.length);
    case CL_PROGRAM_KERNEL_NAMES: return kernel_names(p, room, out, size);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: ANSWER(cl_bool, CL_FALSE);
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: ANSWER(cl_bool, CL_FALSE);
    default: return CL_INVALID_VALUE;
    }
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id device, cl_program_build_info name, size_t room,
                             void *out, size_t *size) {
    ENTER;
    if (!ocl_is(p, OCL_PROGRAM, __func__)) return CL_INVALID_PROGRAM;
    if (!ocl_is(device, OCL_DEVICE, __func__)) return CL_INVALID_DEVICE;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS: ANSWER(cl_build_status, p->status);
    case CL_PROGRAM_BUILD_OPTIONS: return ocl_answer_text(p->options, room, out, size);
    case CL_PROGRAM_BUILD_LOG: return ocl_answer_text(p->log, room, out, size);
    case CL_PROGRAM_BINARY_TYPE: ANSWER(cl_program_binary_type, p->binary_type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: ANSWER(size_t, 0);
    default: return CL_INVALID_VALUE;
    }
}
