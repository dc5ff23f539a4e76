/* Contexts: which devices a program uses together. */
#include "opencl/opencl.h"

#include <stdlib.h>

void ocl_destroy_context(void *object) {
    cl_context c = object;
    for (uint32_t k = c->destructors.length; k--;)
        ocl_call_later((void (*)(void *, void *))(void *)c->destructors.items[k].call, c,
                       c->destructors.items[k].data);
    LS_VEC_FREE(&c->destructors);
    LS_VEC_FREE(&c->devices);
    LS_VEC_FREE(&c->properties);
}

static cl_int read_properties(cl_context c, const cl_context_properties *p) {
    for (; p && *p; p += 2) {
        bool known = *p == CL_CONTEXT_PLATFORM || *p == CL_CONTEXT_INTEROP_USER_SYNC;
        if (!known) return CL_INVALID_PROPERTY;
        if (*p == CL_CONTEXT_PLATFORM && (cl_platform_id)p[1] != ocl_platform()) return CL_INVALID_PLATFORM;
        LS_VEC_PUSH(&c->properties, p[0]);
        LS_VEC_PUSH(&c->properties, p[1]);
    }
    if (p) LS_VEC_PUSH(&c->properties, (cl_context_properties)0);
    return CL_SUCCESS;
}

typedef void CL_CALLBACK notify(const char *, const void *, size_t, void *);

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices, notify *call, void *data, cl_int *error) {
    ENTER;
    if (!count || !devices || (!call && data)) FAIL(CL_INVALID_VALUE);
    for (cl_uint k = 0; k < count; k++)
        if (!ocl_is(devices[k], OCL_DEVICE, __func__)) FAIL(CL_INVALID_DEVICE);
    cl_context c = ocl_new(OCL_CONTEXT, sizeof *c);
    if (!c) FAIL(CL_OUT_OF_HOST_MEMORY);
    cl_int status = read_properties(c, properties);
    if (status != CL_SUCCESS) {
        ocl_release(c, OCL_CONTEXT, status, __func__);
        FAIL(status);
    }
    for (cl_uint k = 0; k < count; k++) LS_VEC_PUSH(&c->devices, devices[k]);
    if (error) *error = CL_SUCCESS;
    return c;
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type, notify *call,
                                   void *data, cl_int *error) {
    cl_device_id devices[64];
    cl_uint count = 0;
    cl_int status = clGetDeviceIDs(ocl_platform(), type, 64, devices, &count);
    if (status != CL_SUCCESS) FAIL(status);
    return clCreateContext(properties, count, devices, call, data, error);
}

cl_int clRetainContext(cl_context c) {
    ENTER;
    return ocl_retain(c, OCL_CONTEXT, CL_INVALID_CONTEXT, __func__);
}
cl_int clReleaseContext(cl_context c) {
    ENTER;
    return ocl_release(c, OCL_CONTEXT, CL_INVALID_CONTEXT, __func__);
}

cl_int clGetContextInfo(cl_context c, cl_context_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(c, OCL_CONTEXT, __func__)) return CL_INVALID_CONTEXT;
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: ANSWER(cl_uint, c->o.references);
    case CL_CONTEXT_NUM_DEVICES: ANSWER(cl_uint, c->devices.length);
    case CL_CONTEXT_DEVICES:
        return ocl_answer(c->devices.items, c->devices.length * sizeof *c->devices.items, room, out, size);
    case CL_CONTEXT_PROPERTIES:
        return ocl_answer(c->properties.items, c->properties.length * sizeof *c->properties.items, room, out,
                          size);
    default: return CL_INVALID_VALUE;
    }
}

cl_int clSetContextDestructorCallback(cl_context c, void(CL_CALLBACK *call)(cl_context, void *), void *data) {
    ENTER;
    if (!ocl_is(c, OCL_CONTEXT, __func__)) return CL_INVALID_CONTEXT;
    if (!call) return CL_INVALID_VALUE;
    ocl_callback back = {(void (*)(void *))(void *)call, data, 0};
    LS_VEC_PUSH(&c->destructors, back);
    return CL_SUCCESS;
}
