/* Devices: the GPU that was chosen, as OpenCL's questions ask for it. What NVIDIA's platform says of such a
 * GPU is the model, so that programs choose as they would there; the version of OpenCL C is what is compiled.
 */
#include "opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>

static const char EXTENSIONS[] =
    "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "
    "cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "
    "cl_khr_fp64 cl_khr_byte_addressable_store cl_khr_icd cl_khr_3d_image_writes";

typedef enum { IS_BOOL, IS_UINT, IS_ULONG, IS_SIZE } number_type;

/* Answers that are the same for all GPUs. */
static const struct {
    cl_device_info name;
    number_type type;
    uint64_t value;
} numbers[] = {
    {CL_DEVICE_TYPE, IS_ULONG, CL_DEVICE_TYPE_GPU},
    {CL_DEVICE_VENDOR_ID, IS_UINT, 0x10de},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, IS_UINT, 3},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE, IS_SIZE, 1024},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, IS_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, IS_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, IS_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, IS_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, IS_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, IS_UINT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, IS_UINT, 0},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, IS_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, IS_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, IS_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, IS_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, IS_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, IS_UINT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, IS_UINT, 0},
    {CL_DEVICE_ADDRESS_BITS, IS_UINT, 64},
    {CL_DEVICE_IMAGE_SUPPORT, IS_BOOL, CL_TRUE},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, IS_UINT, 256},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, IS_UINT, 64},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, IS_UINT, 64},
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, IS_SIZE, 32768},
    {CL_DEVICE_IMAGE2D_MAX_HEIGHT, IS_SIZE, 32768},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, IS_SIZE, 16384},
    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, IS_SIZE, 16384},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, IS_SIZE, 16384},
    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, IS_SIZE, 268435456},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, IS_SIZE, 2048},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, IS_UINT, 1},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, IS_UINT, 512},
    {CL_DEVICE_MAX_SAMPLERS, IS_UINT, 32},
    {CL_DEVICE_MAX_PARAMETER_SIZE, IS_SIZE, 4352},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, IS_UINT, 4096},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, IS_UINT, 128},
    {CL_DEVICE_SINGLE_FP_CONFIG, IS_ULONG,
     CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
         CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
    {CL_DEVICE_DOUBLE_FP_CONFIG, IS_ULONG,
     CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
         CL_FP_FMA},
    {CL_DEVICE_HALF_FP_CONFIG, IS_ULONG, 0},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, IS_UINT, CL_READ_WRITE_CACHE},
    {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, IS_UINT, 128},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, IS_ULONG, 65536},
    {CL_DEVICE_MAX_CONSTANT_ARGS, IS_UINT, 9},
    {CL_DEVICE_LOCAL_MEM_TYPE, IS_UINT, CL_LOCAL},
    {CL_DEVICE_LOCAL_MEM_SIZE, IS_ULONG, 48 << 10},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, IS_BOOL, CL_TRUE},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, IS_BOOL, CL_FALSE},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, IS_SIZE, 1000},
    {CL_DEVICE_ENDIAN_LITTLE, IS_BOOL, CL_TRUE},
    {CL_DEVICE_AVAILABLE, IS_BOOL, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, IS_BOOL, CL_TRUE},
    {CL_DEVICE_LINKER_AVAILABLE, IS_BOOL, CL_TRUE},
    {CL_DEVICE_EXECUTION_CAPABILITIES, IS_ULONG, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, IS_ULONG,
     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, IS_ULONG, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, IS_UINT, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, IS_UINT, 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, IS_UINT, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, IS_UINT, 0},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, IS_BOOL, CL_FALSE},
    {CL_DEVICE_PRINTF_BUFFER_SIZE, IS_SIZE, 1 << 20},
    {CL_DEVICE_REFERENCE_COUNT, IS_UINT, 1},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, IS_UINT, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, IS_ULONG, 0},
    {CL_DEVICE_MAX_PIPE_ARGS, IS_UINT, 0},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, IS_UINT, 0},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, IS_UINT, 0},
    {CL_DEVICE_PIPE_SUPPORT, IS_BOOL, CL_FALSE},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, IS_SIZE, 0},
    {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, IS_SIZE, 0},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, IS_UINT, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, IS_UINT, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, IS_UINT, 0},
    {CL_DEVICE_SVM_CAPABILITIES, IS_ULONG, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, IS_ULONG,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, IS_ULONG,
     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, IS_BOOL, CL_TRUE},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, IS_BOOL, CL_FALSE},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, IS_BOOL, CL_FALSE},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, IS_ULONG, 0},
    {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, IS_SIZE, 32},
    {CL_DEVICE_MAX_NUM_SUB_GROUPS, IS_UINT, 0},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, IS_BOOL, CL_FALSE},
    {CL_DEVICE_NUMERIC_VERSION, IS_UINT, CL_MAKE_VERSION(3, 0, 0)},
};

static const struct {
    cl_device_info name;
    const char *text;
} texts[] = {{CL_DEVICE_VENDOR, "NVIDIA Corporation (emulated by Lockstep)"},
             {CL_DRIVER_VERSION, "Lockstep"},
             {CL_DEVICE_PROFILE, "FULL_PROFILE"},
             {CL_DEVICE_VERSION, "OpenCL 3.0 Lockstep"},
             {CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 "},
             {CL_DEVICE_EXTENSIONS, EXTENSIONS},
             {CL_DEVICE_BUILT_IN_KERNELS, ""},
             {CL_DEVICE_IL_VERSION, ""},
             {CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, ""}};

static cl_int answer_number(number_type type, uint64_t value, size_t room, void *out, size_t *size) {
    switch (type) {
    case IS_BOOL:
    case IS_UINT: ANSWER(cl_uint, (cl_uint)value);
    case IS_ULONG: ANSWER(cl_ulong, value);
    case IS_SIZE: break;
    }
    ANSWER(size_t, value);
}

static void put_name(cl_name_version *to, const char *name, size_t length, cl_version version) {
    to->version = version;
    snprintf(to->name, sizeof to->name, "%.*s", (int)length, name);
}

static cl_int answer_extensions(size_t room, void *out, size_t *size) {
    cl_name_version list[16] = {0};
    size_t count = 0;
    for (const char *at = EXTENSIONS; *at && count < 16; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        put_name(&list[count++], at, length, CL_MAKE_VERSION(1, 0, 0));
        at += length;
    }
    return ocl_answer(list, count * sizeof *list, room, out, size);
}

static cl_int answer_versions(size_t room, void *out, size_t *size) {
    static const cl_version versions[] = {CL_MAKE_VERSION(1, 0, 0), CL_MAKE_VERSION(1, 1, 0),
                                          CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(3, 0, 0)};
    cl_name_version list[4] = {0};
    for (int k = 0; k < 4; k++) put_name(&list[k], "OpenCL C", 8, versions[k]);
    return ocl_answer(list, sizeof list, room, out, size);
}

static cl_int answer_features(size_t room, void *out, size_t *size) {
    static const char *const names[] = {"__opencl_c_3d_image_writes", "__opencl_c_images", "__opencl_c_int64",
                                        "__opencl_c_fp64"};
    cl_name_version list[4] = {0};
    for (int k = 0; k < 4; k++) put_name(&list[k], names[k], strlen(names[k]), CL_MAKE_VERSION(3, 0, 0));
    return ocl_answer(list, sizeof list, room, out, size);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room, void *out, size_t *size) {
    static const size_t items[] = {1024, 1024, 64};
    static const cl_device_partition_property none[] = {0};
    ENTER;
    if (!ocl_is(device, OCL_DEVICE, __func__)) return CL_INVALID_DEVICE;
    const ls_gpu_model *gpu = ls_dev_gpu(ocl_dev());
    switch (name) {
    case CL_DEVICE_NAME: return ocl_answer_text(gpu->name, room, out, size);
    case CL_DEVICE_MAX_COMPUTE_UNITS: ANSWER(cl_uint, (cl_uint)gpu->processors);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: return ocl_answer(items, sizeof items, room, out, size);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: ANSWER(cl_uint, (cl_uint)gpu->clock_khz / 1000);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: ANSWER(cl_ulong, gpu->memory / 4);
    case CL_DEVICE_GLOBAL_MEM_SIZE: ANSWER(cl_ulong, gpu->memory);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: ANSWER(cl_ulong, (cl_ulong)gpu->l2_bytes);
    case CL_DEVICE_PLATFORM: ANSWER(cl_platform_id, ocl_platform());
    case CL_DEVICE_PARENT_DEVICE: ANSWER(cl_device_id, NULL);
    case CL_DEVICE_PARTITION_PROPERTIES: return ocl_answer(none, sizeof none, room, out, size);
    case CL_DEVICE_PARTITION_TYPE: return ocl_answer(none, 0, room, out, size);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: return answer_extensions(room, out, size);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS: return answer_versions(room, out, size);
    case CL_DEVICE_OPENCL_C_FEATURES: return answer_features(room, out, size);
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: return ocl_answer(NULL, 0, room, out, size);
    default: break;
    }
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (texts[k].name == name) return ocl_answer_text(texts[k].text, room, out, size);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].name == name) return answer_number(numbers[k].type, numbers[k].value, room, out, size);
    return CL_INVALID_VALUE;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
                      cl_uint *count) {
    ENTER;
    cl_device_type known = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                           CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CUSTOM;
    if (platform && platform != ocl_platform()) return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (!type || type & ~known)) return CL_INVALID_DEVICE_TYPE;
    if ((!devices && !count) || (devices && !room)) return CL_INVALID_VALUE;
    bool wanted = type == CL_DEVICE_TYPE_ALL || type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT);
    cl_uint there = wanted ? ocl_device_count() : 0;
    if (type == CL_DEVICE_TYPE_DEFAULT && there) there = 1;
    for (cl_uint k = 0; devices && k < there && k < room; k++) devices[k] = ocl_device(k);
    if (count) *count = there;
    return there ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* The device has no kind of partition (CL_DEVICE_PARTITION_PROPERTIES), like a GPU of NVIDIA's. */
cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *how, cl_uint count,
                          cl_device_id *out, cl_uint *made) {
    (void)how, (void)count, (void)out, (void)made;
    ENTER;
    return ocl_is(device, OCL_DEVICE, __func__) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

cl_int clRetainDevice(cl_device_id device) {
    ENTER;
    return ocl_is(device, OCL_DEVICE, __func__) ? CL_SUCCESS : CL_INVALID_DEVICE;
}
cl_int clReleaseDevice(cl_device_id device) {
    ENTER;
    return ocl_is(device, OCL_DEVICE, __func__) ? CL_SUCCESS : CL_INVALID_DEVICE;
}
cl_int clRetainDeviceEXT(cl_device_id device) {
    return clRetainDevice(device);
}
cl_int clReleaseDeviceEXT(cl_device_id device) {
    return clReleaseDevice(device);
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *on_device, cl_ulong *on_host) {
    ENTER;
    if (!ocl_is(device, OCL_DEVICE, __func__)) return CL_INVALID_DEVICE;
    if (!on_device || !on_host) return CL_INVALID_VALUE;
    *on_device = *on_host = ocl_now();
    return CL_SUCCESS;
}
cl_int clGetHostTimer(cl_device_id device, cl_ulong *on_host) {
    ENTER;
    if (!ocl_is(device, OCL_DEVICE, __func__)) return CL_INVALID_DEVICE;
    if (!on_host) return CL_INVALID_VALUE;
    *on_host = ocl_now();
    return CL_SUCCESS;
}
