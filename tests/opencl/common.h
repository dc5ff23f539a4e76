/* What the programs of these tests share: a context with one device, and calls that must succeed. */
#ifndef TESTS_OPENCL_COMMON_H
#define TESTS_OPENCL_COMMON_H
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cl_int code_ = (call);                                                                               \
        if (code_) {                                                                                         \
            printf("line %d: %d\n", __LINE__, code_);                                                        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_int error;

static void open_device(void) {
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    CHECK(error);
}

static inline cl_command_queue new_queue(cl_command_queue_properties properties) {
    cl_command_queue q = clCreateCommandQueue(context, device, properties, &error);
    CHECK(error);
    return q;
}

static inline cl_program build(const char *source, const char *options) {
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK(error);
    if (clBuildProgram(p, 1, &device, options, NULL, NULL)) {
        char log[4096] = "";
        clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("%s", log);
        exit(1);
    }
    return p;
}

static inline cl_kernel kernel_of(cl_program p, const char *name) {
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK(error);
    return k;
}

static inline cl_mem buffer(cl_mem_flags flags, size_t size, void *host) {
    cl_mem m = clCreateBuffer(context, flags, size, host, &error);
    CHECK(error);
    return m;
}

/* Memory arguments from the first on. */
static inline void set_memory(cl_kernel k, cl_uint first, cl_mem m) {
    CHECK(clSetKernelArg(k, first, sizeof m, &m));
}

static inline void launch(cl_command_queue q, cl_kernel k, size_t global, size_t local) {
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}
#endif
