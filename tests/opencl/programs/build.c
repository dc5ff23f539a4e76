// Programs: messages of the compiler, options, compiled apart and linked, binaries, offsets and uneven
// work-groups.
//: output wrong: -11
//: output log: error: use of undeclared identifier 'undeclared'
//: output options: -43
//: output linked 14
//: output binary 14
//: output offset 5 6 7 8
//: output uneven 10 3 1 4 2
//: output kernels add;groups;ids
#include "../common.h"

static const char part[] = "#include \"part.h\"\nint twice(int x) { return 2 * x; }\n";
static const char whole[] = "int twice(int x);\n__kernel void run(__global int *p) { p[0] = twice(p[0]); }\n";
static const char header[] = "int twice(int x);\n";
static const char ids[] =
    "__kernel void ids(__global int *p) { p[get_global_id(0) - get_global_offset(0)] = get_global_id(0); }\n"
    "__kernel void groups(__global int *p) {\n"
    "    atomic_inc(&p[0]);\n"
    "    if (get_local_id(0) == 0) atomic_inc(&p[1]);\n"
    "    p[2] = get_work_dim();\n"
    "    p[3] = get_enqueued_local_size(0);\n"
    "    if (get_group_id(0) == get_num_groups(0) - 1) p[4] = get_local_size(0);\n"
    "}\n"
    "__kernel void add(__global int *p) { p[0]++; }\n";

static int run(cl_command_queue q, cl_program p) {
    int value = 7;
    cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, 4, &value);
    cl_kernel k = kernel_of(p, "run");
    set_memory(k, 0, m);
    CHECK(clEnqueueTask(q, k, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    CHECK(clReleaseMemObject(m));
    CHECK(clReleaseKernel(k));
    return value;
}

static cl_program of_text(const char *text) {
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    CHECK(error);
    return p;
}

int main(void) {
    open_device();
    cl_command_queue q = new_queue(0);
    cl_program wrong = of_text("__kernel void k(__global int *p) {\n    p[0] = undeclared;\n}\n");
    printf("wrong: %d\n", clBuildProgram(wrong, 0, NULL, NULL, NULL, NULL));
    char log[4096] = "";
    CHECK(clGetProgramBuildInfo(wrong, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    char *at = strstr(log, "error:"), *end = at ? strchr(at, '\n') : NULL;
    if (end && strstr(end, "p[0] = undeclared;")) *end = 0;
    printf("log: %s\n", at ? at : log);
    printf("options: %d\n", clBuildProgram(wrong, 0, NULL, "--no-such-option", NULL, NULL));

    cl_program a = of_text(part), b = of_text(whole), h = of_text(header), both[] = {a, b};
    const char *name = "part.h";
    CHECK(clCompileProgram(a, 0, NULL, "", 1, &h, &name, NULL, NULL));
    CHECK(clCompileProgram(b, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, "", 2, both, NULL, NULL, &error);
    CHECK(error);
    printf("linked %d\n", run(q, linked));

    size_t size;
    CHECK(clGetProgramInfo(linked, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    CHECK(clGetProgramInfo(linked, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_program again =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&binary, NULL, &error);
    CHECK(error);
    CHECK(clBuildProgram(again, 0, NULL, "", NULL, NULL));
    printf("binary %d\n", run(q, again));
    free(binary);

    cl_program p = build(ids, "-cl-std=CL3.0");
    int values[5] = {0};
    cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, sizeof values, values);
    size_t offset = 5, four = 4, ten = 10;
    cl_kernel k = kernel_of(p, "ids");
    set_memory(k, 0, m);
    CHECK(clEnqueueNDRangeKernel(q, k, 1, &offset, &four, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    printf("offset %d %d %d %d\n", values[0], values[1], values[2], values[3]);
    memset(values, 0, sizeof values);
    CHECK(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    k = kernel_of(p, "groups");
    set_memory(k, 0, m);
    CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &ten, &four, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    printf("uneven %d %d %d %d %d\n", values[0], values[1], values[2], values[3], values[4]);
    char names[64];
    CHECK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    /* in any order */
    printf("kernels %s\n", strstr(names, "add") && strstr(names, "groups") && strstr(names, "ids")
                               ? "add;groups;ids"
                               : names);
    CHECK(clReleaseMemObject(m));
    return 0;
}
