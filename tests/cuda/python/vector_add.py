"""Adds two vectors through the CUDA driver's interface, with nothing but Python's ctypes: run without a GPU by
`lockstep run -- python3 vector_add.py`. With the argument "beyond" the kernel is told of more elements than there are."""

import array
import ctypes
import sys

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<5>;
    .reg .f32 %f<3>;
    .reg .b64 %d<8>;
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    ld.param.u64 %d2, [z];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.s32 %p, %r4, %r0;
    @%p bra done;
    mul.wide.s32 %d3, %r4, 4;
    add.s64 %d4, %d0, %d3;
    add.s64 %d5, %d1, %d3;
    add.s64 %d6, %d2, %d3;
    ld.global.f32 %f0, [%d4];
    ld.global.f32 %f1, [%d5];
    add.f32 %f2, %f0, %f1;
    st.global.f32 [%d6], %f2;
done:
    ret;
}
"""

N = 1000
cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(name))
        sys.exit(f"CUDA error {status}: {name.value.decode() if name.value else '?'}")


def to_device(values):
    data = array.array("f", values)
    pointer = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4 * len(data))))
    check(cuda.cuMemcpyHtoD_v2(pointer, ctypes.c_void_p(data.buffer_info()[0]), ctypes.c_size_t(4 * len(data))))
    return pointer


device, context = ctypes.c_int(), ctypes.c_void_p()
module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0))
check(cuda.cuDeviceGet(ctypes.byref(device), 0))
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"add"))

x, y, z = to_device(range(N)), to_device(2 * i for i in range(N)), to_device([0] * N)
n = ctypes.c_int(N + 24 if "beyond" in sys.argv else N)
arguments = (ctypes.c_void_p * 4)(*(ctypes.addressof(a) for a in (x, y, z, n)))
check(cuda.cuLaunchKernel(kernel, 4, 1, 1, 256, 1, 1, 0, None, arguments, None))
check(cuda.cuCtxSynchronize())

result = (ctypes.c_float * N)()
check(cuda.cuMemcpyDtoH_v2(result, z, ctypes.c_size_t(4 * N)))
for pointer in (x, y, z):
    check(cuda.cuMemFree_v2(pointer))
print("right" if all(result[i] == 3 * i for i in range(N)) else "wrong")
