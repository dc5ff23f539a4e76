/* What launches give to kernels, parameter by parameter and, of a structure, member by member. clang passes a
 * structure to the function that launches a kernel in registers, several members in one, or by its address.
 * Each such function is rewritten before the passes: it loads the numbers and pointers that its parameters
 * consist of, as the kernel will read them, gives them to a function of our own, and is inlined. So the
 * members are values of the code that launches. */
#ifndef LS_FRONTEND_HOST_STUBS_H
#define LS_FRONTEND_HOST_STUBS_H

#include "frontend/module.h"

/* Where a value goes. */
typedef struct {
    uint32_t parameter, at; /* of the kernel; the byte in it */
    bool is_whole;          /* it is all of the parameter, which is no structure */
} ls_host_place;

typedef struct {
    const char *stub; /* the function's name */
    ls_host_place *places;
    uint32_t count, parameters; /* places; parameters of the kernel */
} ls_host_layout;

typedef LS_VEC(ls_host_layout) ls_host_layouts;

/* What a launch is given for a parameter, or for a part of it. */
typedef struct {
    LLVMValueRef value;      /* NULL: not known */
    LLVMValueRef allocation; /* the call that has set the pointer to memory of its own; or NULL */
    ls_host_place place;
} ls_host_argument;

typedef struct {
    ls_host_argument *items;
    unsigned count;
    uint32_t parameters;
} ls_host_arguments;

/* Rewrites the functions that launch the kernels of the module; free the layouts. */
void ls_host_split_stubs(const ls_module *module, ls_arena *arena, ls_host_layouts *layouts);
/* The layout of the kernel's parameters, by the name of the function or of our own; NULL: not known, as of a
 * kernel that is only declared. */
const ls_host_layout *ls_host_layout_of(const ls_host_layouts *layouts, const char *name);

/* The arguments of a call of the function that launches the kernel, or of our own. */
ls_host_arguments ls_host_passed(const ls_module *module, ls_arena *arena, const ls_host_layouts *layouts,
                                 LLVMValueRef call);
/* Those whose addresses are in a list, as cudaLaunchKernel takes them. */
ls_host_arguments ls_host_in_list(const ls_module *module, ls_arena *arena, const ls_host_layouts *layouts,
                                  LLVMValueRef list, LLVMValueRef stub, LLVMValueRef call);

#endif
