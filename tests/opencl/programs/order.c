// Events, user events, callbacks, barriers and queues without order: ordered well, there is nothing to find.
//: output before 2
//: output callback 0
//: output after 0
//: output value 13
//: output without order 26
//: output failed -14 -7
#include "../common.h"

static const char source[] = "__kernel void add(__global int *p, int n) { p[0] += n; }\n"
                             "__kernel void twice(__global int *p) { p[0] *= 2; }\n";

static void CL_CALLBACK called(cl_event event, cl_int status, void *data) {
    (void)event, (void)data;
    printf("callback %d\n", status);
}

int main(void) {
    open_device();
    cl_command_queue q = new_queue(0), other = new_queue(0),
                     free_order = new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_program p = build(source, NULL);
    cl_kernel add = kernel_of(p, "add"), twice = kernel_of(p, "twice");
    int zero = 0, ten = 10, three = 3, value = 0;
    cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, 4, &zero);
    set_memory(add, 0, m);
    set_memory(twice, 0, m);
    size_t one = 1;

    cl_event start = clCreateUserEvent(context, &error), first, second;
    CHECK(error);
    CHECK(clSetKernelArg(add, 1, sizeof ten, &ten));
    CHECK(clEnqueueNDRangeKernel(q, add, 1, NULL, &one, &one, 1, &start, &first));
    CHECK(clSetKernelArg(add, 1, sizeof three, &three));
    CHECK(clEnqueueNDRangeKernel(other, add, 1, NULL, &one, &one, 1, &first, &second));
    CHECK(clSetEventCallback(second, CL_COMPLETE, called, NULL));
    cl_int status;
    CHECK(clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    printf("before %d\n", status > 2 ? 2 : status);
    fflush(stdout);
    CHECK(clSetUserEventStatus(start, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &second));
    CHECK(clGetEventInfo(second, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    printf("after %d\n", status);
    CHECK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &value, 1, &second, NULL));
    printf("value %d\n", value);

    cl_event doubled;
    CHECK(clEnqueueNDRangeKernel(free_order, twice, 1, NULL, &one, &one, 0, NULL, &doubled));
    CHECK(clEnqueueBarrierWithWaitList(free_order, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(free_order, m, CL_FALSE, 0, 4, &value, 1, &doubled, NULL));
    CHECK(clFinish(free_order));
    printf("without order %d\n", value);

    cl_event bad = clCreateUserEvent(context, &error), last;
    CHECK(clEnqueueNDRangeKernel(q, twice, 1, NULL, &one, &one, 1, &bad, &last));
    CHECK(clSetUserEventStatus(bad, -7));
    int waited = clWaitForEvents(1, &last);
    CHECK(clGetEventInfo(bad, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    printf("failed %d %d\n", waited, status);
    CHECK(clReleaseMemObject(m));
    return 0;
}
