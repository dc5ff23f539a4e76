// Shared virtual memory, functions of the host on a queue, memory of its own in a kernel's structure.
//: output shared 5 6 7 8
//: output copied 7 8
//: output native 100
//: output bound -38
#include "../common.h"

static const char source[] = "__kernel void add(__global int *p, int n) { p[get_global_id(0)] += n; }\n";

typedef struct {
    int *memory;
    int n;
} arguments;

static void CL_CALLBACK set(void *data) {
    arguments *a = data;
    a->memory[0] = a->n;
}

int main(void) {
    open_device();
    cl_command_queue q = new_queue(0);
    cl_program p = build(source, NULL);
    cl_kernel k = kernel_of(p, "add");
    int *both = clSVMAlloc(context, CL_MEM_READ_WRITE, 16, 0), four = 4, two[2];
    CHECK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, both, 16, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) both[i] = i + 1;
    CHECK(clEnqueueSVMUnmap(q, both, 0, NULL, NULL));
    CHECK(clSetKernelArgSVMPointer(k, 0, both));
    CHECK(clSetKernelArg(k, 1, sizeof four, &four));
    launch(q, k, 4, 4);
    CHECK(clFinish(q));
    printf("shared %d %d %d %d\n", both[0], both[1], both[2], both[3]);
    CHECK(clEnqueueSVMMemcpy(q, CL_TRUE, two, both + 2, 8, 0, NULL, NULL));
    printf("copied %d %d\n", two[0], two[1]);
    clSVMFree(context, both);

    cl_mem m = buffer(0, 4, NULL);
    arguments a = {NULL, 100};
    const void *place = &a.memory;
    CHECK(clEnqueueNativeKernel(q, set, &a, sizeof a, 1, &m, &place, 0, NULL, NULL));
    set_memory(k, 0, m);
    four = 0;
    CHECK(clSetKernelArg(k, 1, sizeof four, &four));
    launch(q, k, 1, 1);
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, two, 0, NULL, NULL));
    printf("native %d\n", two[0]);
    int number = 3;
    cl_mem none = (cl_mem)&number;
    printf("bound %d\n", clSetKernelArg(k, 0, sizeof none, &none));
    CHECK(clReleaseMemObject(m));
    return 0;
}
