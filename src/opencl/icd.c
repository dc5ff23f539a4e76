/* How programs find the platform: through an ICD loader, which calls through the table in each object, or
 * directly, where this library stands in for libOpenCL.so.1. */
#include "opencl/opencl.h"

static const cl_icd_dispatch dispatch = {
#define FUNCTION(name, version)          .name = name,
#define MISSING_STATUS(name, version)    .name = (void *)name,
#define MISSING_OBJECT(name, version, n) .name = (void *)name,
#include "opencl/functions.def"
#undef FUNCTION
#undef MISSING_STATUS
#undef MISSING_OBJECT
};

const cl_icd_dispatch *ocl_dispatch(void) {
    return &dispatch;
}

cl_int clGetPlatformIDs(cl_uint entries, cl_platform_id *platforms, cl_uint *count) {
    if ((!platforms && !count) || (platforms && !entries)) return CL_INVALID_VALUE;
    if (platforms) platforms[0] = ocl_platform();
    if (count) *count = 1;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint, cl_platform_id *, cl_uint *);
cl_int clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id *platforms, cl_uint *count) {
    return clGetPlatformIDs(entries, platforms, count);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t room, void *out,
                         size_t *size) {
    static const cl_name_version extensions[] = {{CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"}};
    ENTER;
    if (platform && platform != ocl_platform()) return CL_INVALID_PLATFORM;
    switch (name) {
    case CL_PLATFORM_PROFILE: return ocl_answer_text("FULL_PROFILE", room, out, size);
    case CL_PLATFORM_VERSION: return ocl_answer_text("OpenCL 3.0 Lockstep", room, out, size);
    case CL_PLATFORM_NAME: return ocl_answer_text("Lockstep", room, out, size);
    case CL_PLATFORM_VENDOR: return ocl_answer_text("Lockstep", room, out, size);
    case CL_PLATFORM_EXTENSIONS: return ocl_answer_text("cl_khr_icd", room, out, size);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return ocl_answer_text("LOCKSTEP", room, out, size);
    case CL_PLATFORM_NUMERIC_VERSION: ANSWER(cl_version, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: ANSWER(cl_ulong, 1);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return ocl_answer(extensions, sizeof extensions, room, out, size);
    default: return CL_INVALID_VALUE;
    }
}

static const struct {
    const char *name;
    void *function;
} by_name[] = {
#define FUNCTION(name, version) {#name, (void *)name},
#define MISSING_STATUS(name, version)
#define MISSING_OBJECT(name, version, n)
#include "opencl/functions.def"
    {"clIcdGetPlatformIDsKHR", (void *)clIcdGetPlatformIDsKHR},
};

void *clGetExtensionFunctionAddress(const char *name) {
    for (size_t k = 0; name && k < sizeof by_name / sizeof *by_name; k++)
        if (!strcmp(by_name[k].name, name)) return by_name[k].function;
    return NULL;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
    return platform == ocl_platform() ? clGetExtensionFunctionAddress(name) : NULL;
}

cl_int clUnloadCompiler(void) {
    return CL_SUCCESS;
}
cl_int clUnloadPlatformCompiler(cl_platform_id platform) {
    return platform == ocl_platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
