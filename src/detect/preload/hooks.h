/* What the files that stand in for functions of the driver share. */
#ifndef LS_DETECT_PRELOAD_HOOKS_H
#define LS_DETECT_PRELOAD_HOOKS_H

#include "detect/preload/program.h"

#define EXPORT __attribute__((visibility("default")))

/* REAL(function, "name", result, (parameters)): the driver's own function, looked up once. */
#define REAL(variable, name, parameters)                                                                     \
    static CUresult(*variable) parameters;                                                                   \
    if (!variable) *(void **)&variable = dp_driver_function(name);                                           \
    if (!variable) return CUDA_ERROR_NOT_FOUND

typedef struct {
    int id, padding;
    union {
        int number;
        unsigned size[3];
        char room[64];
    } value;
} launch_attribute;

typedef struct {
    unsigned grid[3], block[3], shared;
    void *stream;
    const launch_attribute *attributes;
    unsigned attribute_count;
} launch_config;

/* Launches that only the program can do are watched where they can be: the same launch (a launch_config) of
 * another function. */
bool dp_start_watched(void *config, void *function, const void *params, size_t size, uint32_t shared);

/* nodes.c: kernels of graphs that are built node by node. */
typedef struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    void *kernel, *context; /* from CUDA 12 on: instead of the function */
} kernel_node;

typedef struct {
    int type, reserved[3];
    kernel_node kernel; /* of type 0 */
} any_node;

EXPORT CUresult cuGraphAddKernelNode(void **node, void *graph, void *const *behind, size_t count,
                                     const kernel_node *n);
EXPORT CUresult cuGraphAddKernelNode_v2(void **node, void *graph, void *const *behind, size_t count,
                                        const kernel_node *n);
EXPORT CUresult cuGraphAddNode(void **node, void *graph, void *const *behind, size_t count, any_node *n);
EXPORT CUresult cuGraphAddNode_v2(void **node, void *graph, void *const *behind, const void *edges,
                                  size_t count, any_node *n);
EXPORT CUresult cuGraphKernelNodeSetParams(void *node, const kernel_node *n);
EXPORT CUresult cuGraphKernelNodeSetParams_v2(void *node, const kernel_node *n);
EXPORT CUresult cuGraphExecKernelNodeSetParams(void *ready, void *node, const kernel_node *n);
EXPORT CUresult cuGraphExecKernelNodeSetParams_v2(void *ready, void *node, const kernel_node *n);

#endif
