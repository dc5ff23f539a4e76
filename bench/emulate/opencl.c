/* Runs one of the benchmark's kernels on an OpenCL implementation, for comparison: prints the CPU time of the
 * launch in milliseconds, the least of several runs after one that is not counted (compilers may wait for the
 * first launch). For a simulator that takes minutes the launch can be cut down to its first groups.
 *
 * opencl PLATFORM DIRECTORY JOB GROUPS RUNS */
#define CL_TARGET_OPENCL_VERSION 120
#include "jobs.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void fail(const char *what) {
    fprintf(stderr, "opencl: %s\n", what);
    exit(1);
}

static cl_device_id find_device(const char *platform) {
    cl_platform_id all[16];
    cl_uint count = 0;
    clGetPlatformIDs(16, all, &count);
    for (cl_uint k = 0; k < count && k < 16; k++) {
        char name[256] = "";
        cl_device_id device;
        clGetPlatformInfo(all[k], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, platform) && !clGetDeviceIDs(all[k], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            return device;
    }
    fail("there is no such platform");
    return NULL;
}

static char *read_source(const char *directory, const char *file) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.cl", directory, file);
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    if (!f || !text || !fread(text, 1, (1 << 16) - 1, f)) fail("a kernel cannot be read");
    fclose(f);
    return text;
}

static cl_kernel build(cl_context context, cl_device_id device, const char *directory, const job *j) {
    char *source = read_source(directory, j->file);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    free(source);
    if (!program || clBuildProgram(program, 1, &device, "", NULL, NULL)) fail("a kernel cannot be built");
    cl_kernel kernel = clCreateKernel(program, j->file, NULL);
    if (!kernel) fail("there is no such kernel");
    return kernel;
}

static void set_arguments(cl_context context, cl_kernel kernel, const job *j) {
    for (cl_uint k = 0; k < j->buffer_count; k++) {
        void *data = malloc(j->buffers[k]);
        if (!data) fail("out of memory");
        fill(j, k, data);
        cl_mem buffer =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, j->buffers[k], data, NULL);
        free(data);
        if (!buffer || clSetKernelArg(kernel, k, sizeof buffer, &buffer)) fail("a buffer cannot be made");
    }
    if (j->n && clSetKernelArg(kernel, j->buffer_count, sizeof j->n, &j->n)) fail("an argument is not taken");
}

static double launch(cl_command_queue queue, cl_kernel kernel, const job *j, uint32_t blocks) {
    size_t local[2] = {j->block[0], j->block[1]}, grid[2] = {blocks, 1};
    if (blocks > j->grid[0]) grid[0] = j->grid[0], grid[1] = blocks / j->grid[0];
    size_t global[2] = {grid[0] * local[0], grid[1] * local[1]};
    double start = cpu_ms();
    if (clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL) || clFinish(queue))
        fail("the launch failed");
    return cpu_ms() - start;
}

int main(int count, char **arguments) {
    if (count != 6) fail("expected: PLATFORM DIRECTORY JOB GROUPS RUNS");
    const job *j = NULL;
    for (int k = 0; k < JOB_COUNT; k++)
        if (!strcmp(jobs[k].name, arguments[3])) j = &jobs[k];
    if (!j) fail("there is no such job");
    cl_device_id device = find_device(arguments[1]);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = context ? clCreateCommandQueue(context, device, 0, NULL) : NULL;
    if (!queue) fail("there is no command queue");
    cl_kernel kernel = build(context, device, arguments[2], j);
    set_arguments(context, kernel, j);
    uint32_t blocks = (uint32_t)strtoul(arguments[4], NULL, 10);
    double least = 1e30;
    for (long k = 0, runs = strtol(arguments[5], NULL, 10); k <= runs; k++) {
        double t = launch(queue, kernel, j, blocks);
        if ((k || !runs) && t < least) least = t;
    }
    printf("%.6f\n", least);
    return 0;
}
