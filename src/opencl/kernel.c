/* Kernels: their arguments, and what is known of them. */
#include "opencl/opencl.h"

#include <stdlib.h>

/* What a parameter takes. */
typedef enum { TAKES_VALUE, TAKES_MEMORY, TAKES_LOCAL, TAKES_SAMPLER, TAKES_IMAGE } takes;

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

static takes takes_of(const ocl_argument_info *a) {
    if (a->space == 3) return TAKES_LOCAL;
    if (starts(a->type, "image")) return TAKES_IMAGE;
    if (!strcmp(a->type, "sampler_t")) return TAKES_SAMPLER;
    return a->space == 1 || a->space == 2 ? TAKES_MEMORY : TAKES_VALUE;
}

static cl_kernel make(cl_program p, const ocl_kernel_info *info) {
    ocl_argument *arguments = calloc(info->argument_count + 1, sizeof *arguments);
    cl_kernel k = arguments ? ocl_new(OCL_KERNEL, sizeof *k) : NULL;
    if (!k) {
        free(arguments);
        return NULL;
    }
    k->program = p;
    k->info = info;
    k->arguments = arguments;
    ocl_hold(p);
    p->kernel_objects++;
    return k;
}

void ocl_destroy_kernel(void *object) {
    cl_kernel k = object;
    for (uint32_t n = 0; n < k->info->argument_count; n++) free(k->arguments[n].bytes);
    free(k->arguments);
    k->program->kernel_objects--;
    ocl_drop(k->program);
}

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *error) {
    ENTER;
    if (!ocl_is(p, OCL_PROGRAM, __func__)) FAIL(CL_INVALID_PROGRAM);
    if (!name) FAIL(CL_INVALID_VALUE);
    if (!p->modules[OCL_PLAIN]) FAIL(CL_INVALID_PROGRAM_EXECUTABLE);
    for (uint32_t n = 0; n < p->kernels.length; n++)
        if (!strcmp(p->kernels.items[n].name, name)) {
            cl_kernel k = make(p, &p->kernels.items[n]);
            if (error) *error = k ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
            return k;
        }
    FAIL(CL_INVALID_KERNEL_NAME);
}

cl_int clCreateKernelsInProgram(cl_program p, cl_uint room, cl_kernel *kernels, cl_uint *count) {
    ENTER;
    if (!ocl_is(p, OCL_PROGRAM, __func__)) return CL_INVALID_PROGRAM;
    if (!p->modules[OCL_PLAIN]) return CL_INVALID_PROGRAM_EXECUTABLE;
    if (kernels && room < p->kernels.length) return CL_INVALID_VALUE;
    for (uint32_t n = 0; kernels && n < p->kernels.length; n++) kernels[n] = make(p, &p->kernels.items[n]);
    if (count) *count = p->kernels.length;
    return CL_SUCCESS;
}

cl_kernel clCloneKernel(cl_kernel from, cl_int *error) {
    ENTER;
    if (!ocl_is(from, OCL_KERNEL, __func__)) FAIL(CL_INVALID_KERNEL);
    cl_kernel k = make(from->program, from->info);
    if (!k) FAIL(CL_OUT_OF_HOST_MEMORY);
    for (uint32_t n = 0; n < k->info->argument_count; n++) {
        k->arguments[n] = from->arguments[n];
        if (!from->arguments[n].bytes) continue;
        k->arguments[n].bytes = malloc(from->arguments[n].size);
        if (!k->arguments[n].bytes) {
            ocl_drop(k);
            FAIL(CL_OUT_OF_HOST_MEMORY);
        }
        memcpy(k->arguments[n].bytes, from->arguments[n].bytes, from->arguments[n].size);
    }
    if (error) *error = CL_SUCCESS;
    return k;
}

cl_int clRetainKernel(cl_kernel k) {
    ENTER;
    return ocl_retain(k, OCL_KERNEL, CL_INVALID_KERNEL, __func__);
}
cl_int clReleaseKernel(cl_kernel k) {
    ENTER;
    return ocl_release(k, OCL_KERNEL, CL_INVALID_KERNEL, __func__);
}

/* --- Arguments --- */
static uint32_t size_of(cl_kernel k, cl_uint index) {
    ls_dev_kernel *kernel = ls_dev_kernel_find(ocl_dev(), k->program->modules[OCL_PLAIN], k->info->name);
    const ls_kernel_info *info = kernel ? ls_dev_kernel_info(kernel) : NULL;
    return info && index < info->param_count ? info->param_sizes[index] : 0;
}

static cl_int set_value(cl_kernel k, cl_uint index, size_t size, const void *value) {
    ocl_argument *a = &k->arguments[index];
    if (!value) return CL_INVALID_ARG_VALUE;
    if (size != size_of(k, index)) return CL_INVALID_ARG_SIZE;
    if (!a->bytes) a->bytes = malloc(size);
    if (!a->bytes) return CL_OUT_OF_HOST_MEMORY;
    memcpy(a->bytes, value, size);
    a->size = size;
    return CL_SUCCESS;
}

static cl_int set_memory(cl_kernel k, cl_uint index, size_t size, const void *value, bool image) {
    ocl_argument *a = &k->arguments[index];
    cl_mem mem = NULL;
    if (size != sizeof mem) return CL_INVALID_ARG_SIZE;
    if (value) memcpy(&mem, value, sizeof mem);
    if (!mem && image) return CL_INVALID_ARG_VALUE;
    if (mem && !ocl_is(mem, OCL_MEM, "clSetKernelArg")) return CL_INVALID_MEM_OBJECT;
    if (mem && image != (mem->type != CL_MEM_OBJECT_BUFFER)) return CL_INVALID_MEM_OBJECT;
    a->mem = mem;
    a->address = !mem ? 0 : image ? mem->descriptor : mem->address;
    return CL_SUCCESS;
}

static cl_int set_argument(cl_kernel k, cl_uint index, size_t size, const void *value) {
    ocl_argument *a = &k->arguments[index];
    cl_sampler sampler;
    switch (takes_of(&k->info->arguments[index])) {
    case TAKES_VALUE: return set_value(k, index, size, value);
    case TAKES_MEMORY: return set_memory(k, index, size, value, false);
    case TAKES_IMAGE: return set_memory(k, index, size, value, true);
    case TAKES_LOCAL:
        if (value) return CL_INVALID_ARG_VALUE;
        if (!size) return CL_INVALID_ARG_SIZE;
        a->size = size;
        return CL_SUCCESS;
    case TAKES_SAMPLER:
        if (size != sizeof sampler) return CL_INVALID_ARG_SIZE;
        if (!value) return CL_INVALID_SAMPLER;
        memcpy(&sampler, value, sizeof sampler);
        if (!ocl_is(sampler, OCL_SAMPLER, "clSetKernelArg")) return CL_INVALID_SAMPLER;
        a->address = ocl_sampler_value(sampler);
        return CL_SUCCESS;
    }
    return CL_INVALID_ARG_VALUE;
}

cl_int clSetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value) {
    ENTER;
    if (!ocl_is(k, OCL_KERNEL, __func__)) return CL_INVALID_KERNEL;
    if (index >= k->info->argument_count) return CL_INVALID_ARG_INDEX;
    cl_int status = set_argument(k, index, size, value);
    if (status == CL_SUCCESS) k->arguments[index].set = true;
    return status;
}

cl_int clSetKernelArgSVMPointer(cl_kernel k, cl_uint index, const void *value) {
    ENTER;
    if (!ocl_is(k, OCL_KERNEL, __func__)) return CL_INVALID_KERNEL;
    if (index >= k->info->argument_count) return CL_INVALID_ARG_INDEX;
    if (takes_of(&k->info->arguments[index]) != TAKES_MEMORY) return CL_INVALID_ARG_VALUE;
    k->arguments[index] = (ocl_argument){.set = true, .address = (uintptr_t)value};
    return CL_SUCCESS;
}

cl_int clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info name, size_t size, const void *value) {
    ENTER;
    if (!ocl_is(k, OCL_KERNEL, __func__)) return CL_INVALID_KERNEL;
    if (!value || !size) return CL_INVALID_VALUE;
    if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS) return CL_SUCCESS; /* all of it can be reached */
    if (name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM) return CL_INVALID_VALUE;
    return *(const cl_bool *)value ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* --- Information --- */
cl_int clGetKernelInfo(cl_kernel k, cl_kernel_info name, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(k, OCL_KERNEL, __func__)) return CL_INVALID_KERNEL;
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME: return ocl_answer_text(k->info->name, room, out, size);
    case CL_KERNEL_NUM_ARGS: ANSWER(cl_uint, k->info->argument_count);
    case CL_KERNEL_REFERENCE_COUNT: ANSWER(cl_uint, k->o.references);
    case CL_KERNEL_CONTEXT: ANSWER(cl_context, k->program->context);
    case CL_KERNEL_PROGRAM: ANSWER(cl_program, k->program);
    case CL_KERNEL_ATTRIBUTES: return ocl_answer_text(k->info->attributes, room, out, size);
    default: return CL_INVALID_VALUE;
    }
}

static cl_kernel_arg_access_qualifier access_of(const char *text) {
    return !strcmp(text, "read_only")    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
           : !strcmp(text, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
           : !strcmp(text, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                         : CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_kernel_arg_type_qualifier qualifiers_of(const char *text) {
    static const struct {
        const char *name;
        cl_kernel_arg_type_qualifier bit;
    } names[] = {{"const", CL_KERNEL_ARG_TYPE_CONST},
                 {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
                 {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE},
                 {"pipe", CL_KERNEL_ARG_TYPE_PIPE}};
    cl_kernel_arg_type_qualifier all = CL_KERNEL_ARG_TYPE_NONE;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strstr(text, names[k].name)) all |= names[k].bit;
    return all;
}

cl_int clGetKernelArgInfo(cl_kernel k, cl_uint index, cl_kernel_arg_info name, size_t room, void *out,
                          size_t *size) {
    static const cl_kernel_arg_address_qualifier spaces[] = {
        CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
        CL_KERNEL_ARG_ADDRESS_LOCAL};
    ENTER;
    if (!ocl_is(k, OCL_KERNEL, __func__)) return CL_INVALID_KERNEL;
    if (index >= k->info->argument_count) return CL_INVALID_ARG_INDEX;
    const ocl_argument_info *a = &k->info->arguments[index];
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: ANSWER(cl_kernel_arg_address_qualifier, spaces[a->space & 3]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: ANSWER(cl_kernel_arg_access_qualifier, access_of(a->access));
    case CL_KERNEL_ARG_TYPE_QUALIFIER: ANSWER(cl_kernel_arg_type_qualifier, qualifiers_of(a->qualifiers));
    case CL_KERNEL_ARG_TYPE_NAME: return ocl_answer_text(a->type, room, out, size);
    case CL_KERNEL_ARG_NAME: return ocl_answer_text(a->name, room, out, size);
    default: return CL_INVALID_VALUE;
    }
}

/* Local memory of its variables, and of its arguments as far as they are set. */
static cl_ulong local_memory(cl_kernel k, const ls_kernel_info *info) {
    cl_ulong bytes = info->shared_bytes;
    for (uint32_t n = 0; n < k->info->argument_count; n++)
        if (takes_of(&k->info->arguments[n]) == TAKES_LOCAL) bytes += k->arguments[n].size;
    return bytes;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_work_group_info name, size_t room,
                                void *out, size_t *size) {
    ENTER;
    if (!ocl_is(k, OCL_KERNEL, __func__)) return CL_INVALID_KERNEL;
    if (device && !ocl_is(device, OCL_DEVICE, __func__)) return CL_INVALID_DEVICE;
    ls_dev_kernel *kernel = ls_dev_kernel_find(ocl_dev(), k->program->modules[OCL_PLAIN], k->info->name);
    if (!kernel) return CL_INVALID_KERNEL;
    const ls_kernel_info *info = ls_dev_kernel_info(kernel);
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE: ANSWER(size_t, ocl_recommended_group(info));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return ocl_answer(k->info->required, sizeof k->info->required, room, out, size);
    case CL_KERNEL_LOCAL_MEM_SIZE: ANSWER(cl_ulong, local_memory(k, info));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: ANSWER(size_t, 32);
    case CL_KERNEL_PRIVATE_MEM_SIZE: ANSWER(cl_ulong, info->local_bytes);
    default: return CL_INVALID_VALUE; /* CL_KERNEL_GLOBAL_WORK_SIZE is for built-in kernels */
    }
}

cl_int clGetKernelSubGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_sub_group_info name,
                               size_t in_size, const void *in, size_t room, void *out, size_t *size) {
    ENTER;
    if (!ocl_is(k, OCL_KERNEL, __func__)) return CL_INVALID_KERNEL;
    if (device && !ocl_is(device, OCL_DEVICE, __func__)) return CL_INVALID_DEVICE;
    size_t items = 1;
    for (size_t n = 0; in && n < in_size / sizeof(size_t); n++) items *= ((const size_t *)in)[n];
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: ANSWER(size_t, 32);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: ANSWER(size_t, (items + 31) / 32);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: ANSWER(size_t, 32);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: ANSWER(size_t, 0);
    default: return CL_INVALID_VALUE;
    }
}
cl_int clGetKernelSubGroupInfoKHR(cl_kernel k, cl_device_id device, cl_kernel_sub_group_info name,
                                  size_t in_size, const void *in, size_t room, void *out, size_t *size) {
    return clGetKernelSubGroupInfo(k, device, name, in_size, in, room, out, size);
}
