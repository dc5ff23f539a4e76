/* Buffers and sub-buffers. A buffer is memory of the device; what the program gives with CL_MEM_USE_HOST_PTR
 * is copied there, and back and forth when it maps the buffer (map.c). */
#include "opencl/opencl.h"

#include <stdlib.h>

enum { HOST_FLAGS = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR };

static bool one_of(cl_mem_flags flags, cl_mem_flags mask) {
    return !(flags & mask & ((flags & mask) - 1));
}

cl_int ocl_check_flags(cl_mem_flags flags, const void *host) {
    cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    cl_mem_flags by_host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    cl_mem_flags known = access | by_host | HOST_FLAGS | CL_MEM_ALLOC_HOST_PTR | CL_MEM_KERNEL_READ_AND_WRITE;
    if (flags & ~known || !one_of(flags, access) || !one_of(flags, by_host)) return CL_INVALID_VALUE;
    if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR))
        return CL_INVALID_VALUE;
    return !host != !(flags & HOST_FLAGS) ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

void ocl_copy_now(uint64_t to, const void *from, uint64_t size, const char *function) {
    ls_copy copy = {
        .to = {.address = to}, .from = {.address = (uint64_t)(uintptr_t)from}, .width = size, .waits = true};
    ocl_submit_copy(ls_dev_default_stream(ocl_dev(), 0), &copy, function);
}

cl_mem ocl_new_mem(cl_context context, cl_mem_object_type type, cl_mem_flags flags, uint64_t size, void *host,
                   const char *function, cl_int *error) {
    cl_mem m = ocl_new(OCL_MEM, sizeof *m);
    if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
    m->context = context;
    m->type = type;
    m->flags = flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) ? flags
                                                                                  : flags | CL_MEM_READ_WRITE;
    m->size = size;
    m->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
    ocl_hold(context);
    ls_memory shared;
    if (m->host && ls_dev_find(ocl_dev(), (uintptr_t)host, &shared) && shared.kind == LS_MEMORY_MANAGED) {
        m->address = (uintptr_t)host; /* shared virtual memory is the device's own */
        m->host = NULL;
        m->borrows = true;
        return m;
    }
    m->address = ls_dev_alloc(ocl_dev(), LS_MEMORY_DEVICE, context->devices.items[0]->number, size, function);
    if (!m->address) {
        m->borrows = true;
        ocl_release(m, OCL_MEM, CL_SUCCESS, function);
        FAIL(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    return m;
}

void ocl_destroy_mem(void *object) {
    cl_mem m = object;
    for (uint32_t k = m->destructors.length; k--;)
        ocl_call_later((void (*)(void *, void *))(void *)m->destructors.items[k].call, m,
                       m->destructors.items[k].data);
    LS_VEC_FREE(&m->destructors);
    LS_VEC_FREE(&m->maps);
    LS_VEC_FREE(&m->properties);
    if (!m->borrows) ls_dev_free(ocl_dev(), m->address, "clReleaseMemObject");
    if (m->descriptor && m->borrows) ls_dev_unmap(ocl_dev(), m->descriptor);
    if (m->parent) ocl_drop(m->parent);
    ocl_drop(m->context);
}

static cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error,
                          const char *function) {
    if (!ocl_is(context, OCL_CONTEXT, function)) FAIL(CL_INVALID_CONTEXT);
    cl_int status = ocl_check_flags(flags, host);
    if (status != CL_SUCCESS) FAIL(status);
    if (!size || size > ls_dev_gpu(ocl_dev())->memory) FAIL(CL_INVALID_BUFFER_SIZE);
    cl_mem m = ocl_new_mem(context, CL_MEM_OBJECT_BUFFER, flags, size, host, function, error);
    if (!m) return NULL;
    if (host && !m->borrows) ocl_copy_now(m->address, host, size, function);
    if (error) *error = CL_SUCCESS;
    return m;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error) {
    ENTER;
    return make_buffer(context, flags, size, host, error, __func__);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host, cl_int *error) {
    ENTER;
    if (properties && *properties) FAIL(CL_INVALID_PROPERTY);
    cl_mem m = make_buffer(context, flags, size, host, error, __func__);
    if (m && properties) LS_VEC_PUSH(&m->properties, (cl_mem_properties)0);
    return m;
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                         cl_int *error) {
    ENTER;
    const cl_buffer_region *region = info;
    if (!ocl_is(parent, OCL_MEM, __func__) || parent->parent || parent->type != CL_MEM_OBJECT_BUFFER)
        FAIL(CL_INVALID_MEM_OBJECT);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region) FAIL(CL_INVALID_VALUE);
    if (!region->size) FAIL(CL_INVALID_BUFFER_SIZE);
    if (region->origin > parent->size || region->size > parent->size - region->origin) {
        ls_dev_finding(ocl_dev(), "memory.copy", LS_ERROR, parent->address,
                       "%s: the region of %zu bytes at %zu goes beyond its buffer", __func__, region->size,
                       region->origin);
        FAIL(CL_INVALID_VALUE);
    }
    if (region->origin % 512) FAIL(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_mem m = ocl_new(OCL_MEM, sizeof *m);
    if (!m) FAIL(CL_OUT_OF_HOST_MEMORY);
    cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    m->context = parent->context;
    m->type = CL_MEM_OBJECT_BUFFER;
    m->flags = (flags & access ? flags : flags | (parent->flags & access)) | (parent->flags & HOST_FLAGS);
    m->size = region->size;
    m->origin = region->origin;
    m->address = parent->address + region->origin;
    m->host = parent->host ? (char *)parent->host + region->origin : NULL;
    m->parent = parent;
    m->borrows = true;
    ocl_hold(parent);
    ocl_hold(m->context);
    if (error) *error = CL_SUCCESS;
    return m;
}

cl_int clRetainMemObject(cl_mem m) {
    ENTER;
    return ocl_retain(m, OCL_MEM, CL_INVALID_MEM_OBJECT, __func__);
}
cl_int clReleaseMemObject(cl_mem m) {
    ENTER;
    return ocl_release(m, OCL_MEM, CL_INVALID_MEM_OBJECT, __func__);
}

cl_int clGetMemObjectInfo(cl_mem m, cl_mem_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(m, OCL_MEM, __func__)) return CL_INVALID_MEM_OBJECT;
    switch (name) {
    case CL_MEM_TYPE: ANSWER(cl_mem_object_type, m->type);
    case CL_MEM_FLAGS: ANSWER(cl_mem_flags, m->flags);
    case CL_MEM_SIZE: ANSWER(size_t, m->size);
    case CL_MEM_HOST_PTR: ANSWER(void *, m->host);
    case CL_MEM_MAP_COUNT: ANSWER(cl_uint, m->maps.length);
    case CL_MEM_REFERENCE_COUNT: ANSWER(cl_uint, m->o.references);
    case CL_MEM_CONTEXT: ANSWER(cl_context, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: ANSWER(cl_mem, m->parent);
    case CL_MEM_OFFSET: ANSWER(size_t, m->origin);
    case CL_MEM_USES_SVM_POINTER: ANSWER(cl_bool, m->borrows && !m->parent);
    case CL_MEM_PROPERTIES:
        return ocl_answer(m->properties.items, m->properties.length * sizeof *m->properties.items, room, out,
                          size);
    default: return CL_INVALID_VALUE;
    }
}

cl_int clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *call)(cl_mem, void *), void *data) {
    ENTER;
    if (!ocl_is(m, OCL_MEM, __func__)) return CL_INVALID_MEM_OBJECT;
    if (!call) return CL_INVALID_VALUE;
    ocl_callback back = {(void (*)(void *))(void *)call, data, 0};
    LS_VEC_PUSH(&m->destructors, back);
    return CL_SUCCESS;
}
