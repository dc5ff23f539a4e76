// Findings that only a program shows, in OpenCL's words.
//: says lockstep: program-1.cl:
//: output refused -30 -38 -38
//: output done
//: finds memory.bounds
//: finds memory.copy
//: finds memory.free
//: finds race.stream
//: finds memory.uninitialized
//: finds memory.leak
//: says the allocation of 256 bytes by clCreateBuffer
//: says clEnqueueReadBuffer: 300 bytes at offset 0 go beyond the buffer of 256 bytes
//: says clReleaseMemObject of a cl_mem that was released before
//: says clEnqueueReadBuffer is passed a cl_mem that was released before
//: says no event, barrier or in-order queue orders the two commands
//: says 512 bytes from clCreateBuffer were never released
//: says work-item
#include "../common.h"

static const char source[] =
    "__kernel void fill(__global int *p) { p[get_global_id(0)] = get_global_id(0); }\n"
    "__kernel void take(__global const int *p, __global int *q) {\n"
    "    q[get_global_id(0)] = p[get_global_id(0)];\n"
    "}\n";

int main(void) {
    open_device();
    cl_command_queue q = new_queue(0), other = new_queue(0);
    cl_program p = build(source, NULL);
    cl_kernel fill = kernel_of(p, "fill"), take = kernel_of(p, "take");
    char host[512];
    cl_mem a = buffer(0, 256, NULL), b = buffer(0, 512, NULL), c = buffer(0, 512, NULL),
           leaked = buffer(0, 512, NULL);

    set_memory(fill, 0, a);
    launch(q, fill, 80, 8); /* 64 elements are there */
    set_memory(take, 0, b); /* never written */
    set_memory(take, 1, leaked);
    launch(q, take, 64, 64);
    CHECK(clFinish(q));

    set_memory(fill, 0, b); /* two queues, and nothing between them */
    launch(q, fill, 64, 64);
    set_memory(take, 0, b);
    set_memory(take, 1, c);
    launch(other, take, 64, 64);
    CHECK(clFinish(q));
    CHECK(clFinish(other));

    int beyond = clEnqueueReadBuffer(q, a, CL_TRUE, 0, 300, host, 0, NULL, NULL);
    CHECK(clReleaseMemObject(a));
    int again = clReleaseMemObject(a), used = clEnqueueReadBuffer(q, a, CL_TRUE, 0, 4, host, 0, NULL, NULL);
    printf("refused %d %d %d\n", beyond, again, used);
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(c));
    printf("done\n");
    return 0;
}
