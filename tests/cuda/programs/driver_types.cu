// The driver's functions by their address, with the types of cudaTypedefs.h, and memory pools of the driver.
//: output found 0 1
//: output trimmed 0
//: output pool 0 0 1000
//: output encode 1
//: clang only
//: flags -lcuda
#include <cudaTypedefs.h>
#include <cstdio>

int main() {
    void *found = nullptr;
    CUdriverProcAddressQueryResult how;
    CUmemoryPool pool;
    CUdevice device;
    CUcontext context;
    CUdeviceptr p;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    int answer = cuGetProcAddress("cuMemPoolTrimTo", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &how);
    printf("found %d %d\n", answer, found != nullptr);
    answer = cuDeviceGetDefaultMemPool(&pool, device);
    printf("trimmed %d\n", answer ? answer : ((PFN_cuMemPoolTrimTo)found)(pool, 0));
    cuuint64_t used = 0;
    answer = cuMemAllocFromPoolAsync(&p, 1000, pool, nullptr);
    int asked = cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
    printf("pool %d %d %d\n", answer, asked, (int)used);
    cuMemFree(p);
    PFN_cuTensorMapEncodeTiled_v12000 encode = cuTensorMapEncodeTiled;
    printf("encode %d\n", encode != nullptr);
    return 0;
}
