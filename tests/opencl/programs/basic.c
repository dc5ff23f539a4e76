// Buffers, sub-buffers, maps, rectangles, fills, local arguments, events and their times, what is told of
// kernels.
//: output device NVIDIA H200, 132 compute units
//: output sums 2016 6112 10208 14304
//: output sub-buffer 64 65
//: output mapped 7 9
//: output rectangle 11 12 19 20
//: output filled 5 6 5 6
//: output argument 1: local float* sums, 4 arguments
//: output work-groups of 256 are recommended
//: output times in order
//: output task 42
//: output printed 3 1.50 1,2,3,4
//: output host pointer 1 4
//: output no partition -30, no built-in kernels -30, no such context -34
#include "../common.h"

static const char source[] =
    "__kernel void sum(__global const float *in, __local float *sums, __global float *out, int n) {\n"
    "    int t = get_local_id(0);\n"
    "    sums[t] = get_global_id(0) < n ? in[get_global_id(0)] : 0;\n"
    "    for (int d = get_local_size(0) / 2; d; d /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (t < d) sums[t] += sums[t + d];\n"
    "    }\n"
    "    if (!t) out[get_group_id(0)] = sums[0];\n"
    "}\n"
    "__kernel void task(__global int *out, int v) { out[0] = v; }\n"
    "__kernel void say(float4 v) { printf(\"printed %d %.2f %v4.0f\\n\", 3, 1.5f, v); }\n"
    "__kernel void twice(__global int *v) { v[get_global_id(0)] *= 2; }\n";

static void sums(cl_command_queue q, cl_program p, cl_mem in) {
    float out[4];
    int n = 256;
    cl_mem result = buffer(CL_MEM_WRITE_ONLY, sizeof out, NULL);
    cl_kernel k = kernel_of(p, "sum");
    set_memory(k, 0, in);
    CHECK(clSetKernelArg(k, 1, 64 * sizeof(float), NULL));
    set_memory(k, 2, result);
    CHECK(clSetKernelArg(k, 3, sizeof n, &n));
    size_t global = 256, local = 64;
    cl_event done;
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &local, 0, NULL, &done));
    CHECK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, sizeof out, out, 1, &done, NULL));
    printf("sums %.0f %.0f %.0f %.0f\n", out[0], out[1], out[2], out[3]);

    cl_ulong times[4];
    for (int i = 0; i < 4; i++)
        CHECK(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_QUEUED + (cl_profiling_info)i, 8, &times[i],
                                      NULL));
    int in_order = times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3];
    CHECK(clReleaseEvent(done));
    CHECK(clReleaseMemObject(result));

    cl_buffer_region region = {64 * 8, 256};
    cl_mem sub = clCreateSubBuffer(in, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    (void)sub;
    float two[2];
    if (!error) CHECK(clEnqueueReadBuffer(q, sub, CL_TRUE, 0, sizeof two, two, 0, NULL, NULL));
    printf("sub-buffer %.0f %.0f\n", two[0] / 2, two[1] - 64);
    CHECK(clReleaseMemObject(sub));

    float *mapped =
        clEnqueueMapBuffer(q, in, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 28, 8, 0, NULL, NULL, &error);
    CHECK(error);
    printf("mapped %.0f", mapped[0]);
    mapped[1] = 9;
    CHECK(clEnqueueUnmapMemObject(q, in, mapped, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, in, CL_TRUE, 32, 4, two, 0, NULL, NULL));
    printf(" %.0f\n", two[0]);

    int grid[16], part[4];
    for (int i = 0; i < 16; i++) grid[i] = i + 10;
    cl_mem square = buffer(CL_MEM_COPY_HOST_PTR, sizeof grid, grid);
    size_t origin[] = {4, 0, 0}, zero[] = {0, 0, 0}, size[] = {8, 2, 1};
    origin[1] = 0;
    CHECK(clEnqueueReadBufferRect(q, square, CL_TRUE, origin, zero, size, 32, 0, 8, 0, part, 0, NULL, NULL));
    printf("rectangle %d %d %d %d\n", part[0], part[1], part[2], part[3]);
    int pattern[] = {5, 6};
    CHECK(clEnqueueFillBuffer(q, square, pattern, sizeof pattern, 16, 16, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, square, CL_TRUE, 16, 16, part, 0, NULL, NULL));
    printf("filled %d %d %d %d\n", part[0], part[1], part[2], part[3]);
    CHECK(clReleaseMemObject(square));

    char type[32], name[32];
    cl_kernel_arg_address_qualifier space;
    cl_uint count;
    CHECK(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
    CHECK(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    CHECK(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    CHECK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    printf("argument 1: %s %s %s, %u arguments\n", space == CL_KERNEL_ARG_ADDRESS_LOCAL ? "local" : "?", type,
           name, count);
    size_t group;
    CHECK(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    printf("work-groups of %zu are recommended\n", group);
    printf("times %s\n", in_order ? "in order" : "wrong");
    CHECK(clReleaseKernel(k));
}

int main(void) {
    open_device();
    char name[64];
    cl_uint units;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    printf("device %s, %u compute units\n", name, units);
    cl_command_queue q = new_queue(CL_QUEUE_PROFILING_ENABLE);
    float numbers[256];
    for (int i = 0; i < 256; i++) numbers[i] = (float)i;
    cl_mem in = buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    cl_program p = build(source, "-DUNUSED=1 -cl-mad-enable");
    sums(q, p, in);
    CHECK(clReleaseMemObject(in));

    int answer = 42;
    cl_mem out = buffer(0, 4, NULL);
    cl_kernel k = kernel_of(p, "task");
    set_memory(k, 0, out);
    CHECK(clSetKernelArg(k, 1, sizeof answer, &answer));
    CHECK(clEnqueueTask(q, k, 0, NULL, NULL));
    answer = 0;
    CHECK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, 4, &answer, 0, NULL, NULL));
    printf("task %d\n", answer);
    fflush(stdout);
    CHECK(clReleaseMemObject(out));
    cl_float4 vector = {{1, 2, 3, 4}};
    k = kernel_of(p, "say");
    CHECK(clSetKernelArg(k, 0, sizeof vector, &vector));
    launch(q, k, 1, 1);
    CHECK(clFinish(q));

    int own[] = {1, 2};
    cl_mem used = buffer(CL_MEM_USE_HOST_PTR, sizeof own, own);
    k = kernel_of(p, "twice");
    set_memory(k, 0, used);
    launch(q, k, 2, 0);
    int *mapped = clEnqueueMapBuffer(q, used, CL_TRUE, CL_MAP_READ, 0, sizeof own, 0, NULL, NULL, &error);
    CHECK(error);
    printf("host pointer %d %d\n", mapped == own, mapped[1]);
    CHECK(clEnqueueUnmapMemObject(q, used, mapped, 0, NULL, NULL));
    CHECK(clFinish(q));
    CHECK(clReleaseMemObject(used));

    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 66, 0};
    printf("no partition %d, ", clCreateSubDevices(device, halves, 0, NULL, &(cl_uint){0}));
    clCreateProgramWithBuiltInKernels(context, 1, &device, "sort", &error);
    printf("no built-in kernels %d, ", error);
    clCreateProgramWithBuiltInKernels(NULL, 1, &device, "sort", &error);
    printf("no such context %d\n", error);
    return 0;
}
