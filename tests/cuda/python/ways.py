"""The ways in which Python's packages use the CUDA driver, with nothing but ctypes: the primary context and PTX that is
linked (Numba), arguments in one buffer, pinned memory and events (tinygrad), options and logs of modules (PyCUDA), and
functions by cuGetProcAddress (cuda-python). Run without a GPU by `lockstep run -- python3 ways.py`."""

import ctypes
import sys

HEAD = b".version 7.0\n.target sm_70\n.address_size 64\n"
SCALE = HEAD + b"""
.extern .func (.param .b32 out) changed(.param .b32 in);
.visible .global .align 4 .b32 step = 1;
.visible .entry scale(.param .u64 values, .param .u32 factor)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    .param .b32 to;
    .param .b32 from;
    ld.param.u64 %d0, [values];
    ld.param.u32 %r0, [factor];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r2, [%d2];
    mul.lo.u32 %r3, %r2, %r0;
    st.param.b32 [to], %r3;
    call (from), changed, (to);
    ld.param.b32 %r4, [from];
    st.global.u32 [%d2], %r4;
    ret;
}
"""
CHANGED = HEAD + b"""
.extern .global .align 4 .b32 step;
.visible .func (.param .b32 out) changed(.param .b32 in)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r0, [in];
    ld.global.u32 %r1, [step];
    add.u32 %r2, %r0, %r1;
    st.param.b32 [out], %r2;
    ret;
}
"""
GRID = HEAD + b"""
.extern .func (.param .b64 out) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 out) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry turned(.param .u64 values, .param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %d<7>;
    .param .b32 scope;
    .param .b64 handle;
    .param .b64 given;
    .param .b32 flags;
    .param .b32 done;
    ld.param.u64 %d0, [values];
    ld.param.u64 %d1, [out];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    mul.wide.u32 %d2, %r3, 4;
    add.u64 %d3, %d0, %d2;
    st.global.u32 [%d3], %r3;
    st.param.b32 [scope], 1;
    call (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %d4, [handle];
    st.param.b64 [given], %d4;
    st.param.b32 [flags], 0;
    call (done), cudaCGSynchronize, (given, flags);
    xor.b32 %r4, %r3, 63;
    mul.wide.u32 %d5, %r4, 4;
    add.u64 %d6, %d0, %d5;
    ld.global.u32 %r5, [%d6];
    add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r5;
    ret;
}
"""
N = 64
cuda = ctypes.CDLL("libcuda.so.1")
failures = 0


def check(status):
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        sys.exit(f"CUDA error {status}: {text.value}")


def expect(what, value, wanted):
    global failures
    if value != wanted:
        failures += 1
        print(f"{what}: {value}, not {wanted}")


def new(kind, function, *arguments):
    value = kind()
    check(function(ctypes.byref(value), *arguments))
    return value


def primary_context():
    device = new(ctypes.c_int, cuda.cuDeviceGet, 0)
    context = new(ctypes.c_void_p, cuda.cuDevicePrimaryCtxRetain, device)
    check(cuda.cuCtxPushCurrent_v2(context))
    other = ctypes.c_int(-1)
    expect("device of a context", (cuda.cuCtxGetDevice_v2(ctypes.byref(other), context), other.value), (0, 0))
    expect("device of nothing", cuda.cuCtxGetDevice_v2(ctypes.byref(other), ctypes.c_void_p(8)), 201)
    expect("waiting for a context", cuda.cuCtxSynchronize_v2(context), 0)
    older = new(ctypes.c_void_p, cuda.cuCtxCreate, 0, device)
    expect("leaving it", cuda.cuCtxDetach(older), 0)
    expect("current context", new(ctypes.c_void_p, cuda.cuCtxGetCurrent).value, context.value)


def linked_module():
    log, errors = ctypes.create_string_buffer(1024), ctypes.create_string_buffer(1024)
    options = (ctypes.c_int * 5)(3, 4, 5, 6, 12)  # logs and their sizes; verbose
    values = (ctypes.c_void_p * 5)(ctypes.addressof(log), 1024, ctypes.addressof(errors), 1024, 1)
    link = new(ctypes.c_void_p, lambda out: cuda.cuLinkCreate_v2(5, options, values, out))
    for name, text in ((b"scale.ptx", SCALE), (b"changed.ptx", CHANGED)):
        check(cuda.cuLinkAddData_v2(link, 1, text, ctypes.c_size_t(len(text) + 1), name, 0, None, None))
    image, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(cuda.cuLinkComplete(link, ctypes.byref(image), ctypes.byref(size)))
    module = new(ctypes.c_void_p, cuda.cuModuleLoadDataEx, image, 0, None, None)
    check(cuda.cuLinkDestroy(link))
    return module


def launched(module):
    kernel = new(ctypes.c_void_p, cuda.cuModuleGetFunction, module, b"scale")
    expect("threads of a block", new(ctypes.c_int, cuda.cuFuncGetAttribute, 0, kernel).value, 1024)
    step, size = ctypes.c_uint64(), ctypes.c_size_t()
    check(cuda.cuModuleGetGlobal_v2(ctypes.byref(step), ctypes.byref(size), module, b"step"))
    check(cuda.cuMemsetD32_v2(step, 5, ctypes.c_size_t(1)))
    stream = new(ctypes.c_void_p, cuda.cuStreamCreate, 1)
    events = [new(ctypes.c_void_p, cuda.cuEventCreate, 0) for _ in range(2)]
    pinned = new(ctypes.c_void_p, cuda.cuMemHostAlloc, ctypes.c_size_t(4 * N), 1)
    host = (ctypes.c_uint * N).from_address(pinned.value)
    host[:] = range(N)
    values = new(ctypes.c_uint64, cuda.cuMemAlloc_v2, ctypes.c_size_t(4 * N))
    check(cuda.cuEventRecord(events[0], stream))
    check(cuda.cuMemcpyHtoDAsync_v2(values, pinned, ctypes.c_size_t(4 * N), stream))

    class Arguments(ctypes.Structure):
        _fields_ = [("values", ctypes.c_uint64), ("factor", ctypes.c_uint)]

    arguments = Arguments(values.value, 3)
    bytes_of_arguments = ctypes.c_size_t(ctypes.sizeof(arguments))
    extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(arguments), 2, ctypes.addressof(bytes_of_arguments), 0)
    check(cuda.cuLaunchKernel(kernel, 1, 1, 1, N, 1, 1, 0, stream, None, extra))
    check(cuda.cuMemcpyDtoHAsync_v2(pinned, values, ctypes.c_size_t(4 * N), stream))
    check(cuda.cuEventRecord(events[1], stream))
    check(cuda.cuEventSynchronize(events[1]))
    expect("time", new(ctypes.c_float, cuda.cuEventElapsedTime, *events).value >= 0, True)
    expect("results", list(host), [3 * i + 5 for i in range(N)])
    check(cuda.cuMemFree_v2(values))
    check(cuda.cuMemFreeHost(pinned))
    for event in events:
        check(cuda.cuEventDestroy(event))
    check(cuda.cuStreamDestroy(stream))


def whole_grid():
    """Numba's cooperative groups: functions of the device's runtime, whose library is linked in."""
    link = new(ctypes.c_void_p, lambda out: cuda.cuLinkCreate_v2(0, None, None, out))
    for kind, name, text in ((1, b"grid.ptx", GRID), (4, b"libcudadevrt.a", b"!<arch>\n")):
        check(cuda.cuLinkAddData_v2(link, kind, text, ctypes.c_size_t(len(text) + 1), name, 0, None, None))
    image, size = ctypes.c_void_p(), ctypes.c_size_t()
    check(cuda.cuLinkComplete(link, ctypes.byref(image), ctypes.byref(size)))
    module = new(ctypes.c_void_p, cuda.cuModuleLoadData, image)
    check(cuda.cuLinkDestroy(link))
    kernel = new(ctypes.c_void_p, cuda.cuModuleGetFunction, module, b"turned")
    memory = [new(ctypes.c_uint64, cuda.cuMemAlloc_v2, ctypes.c_size_t(4 * N)) for _ in range(2)]
    arguments = (ctypes.c_void_p * 2)(*(ctypes.addressof(m) for m in memory))
    check(cuda.cuLaunchCooperativeKernel(kernel, 2, 1, 1, N // 2, 1, 1, 0, None, arguments))
    result = (ctypes.c_uint * N)()
    check(cuda.cuMemcpyDtoH_v2(result, memory[1], ctypes.c_size_t(4 * N)))
    expect("across a barrier of the grid", list(result), [i ^ 63 for i in range(N)])
    for m in memory:
        check(cuda.cuMemFree_v2(m))


def wrong_module():
    errors = ctypes.create_string_buffer(1024)
    options = (ctypes.c_int * 2)(5, 6)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(errors), 1024)
    module = ctypes.c_void_p()
    text = HEAD + b".visible .entry k()\n{\n    frobnicate.u32 %r0;\n}\n"
    expect("status of wrong PTX", cuda.cuModuleLoadDataEx(ctypes.byref(module), text, 2, options, values), 218)
    expect("log of wrong PTX", b"frobnicate" in errors.value, True)


def by_name():
    function, status = ctypes.c_void_p(), ctypes.c_int()
    check(cuda.cuGetProcAddress_v2(b"cuDeviceGetCount", ctypes.byref(function), 13000, ctypes.c_uint64(0),
                                   ctypes.byref(status)))
    count = ctypes.c_int()
    expect("a function by its name", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(function.value)(
        ctypes.addressof(count)), 0)
    expect("devices", count.value, 1)


check(cuda.cuInit(0))
primary_context()
module = linked_module()
launched(module)
whole_grid()
if "wrong" in sys.argv:
    wrong_module()
by_name()
check(cuda.cuModuleUnload(module))
print(f"{failures} failures")
