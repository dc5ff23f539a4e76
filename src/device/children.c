/* Kernels that kernels launch (dynamic parallelism). They run when the launch that makes them has ended,
 * block by block in the order of its calls, each with those that it launches itself; what is launched into
 * the tail stream comes after all others. That is an order which every program allows, as a kernel cannot
 * wait for another; memory that the first one writes after the call, and the other one reads, is not looked
 * at. */
#include "device/private.h"

#include <stdlib.h>

enum { MOST_CHILDREN = 1 << 20, DEEPEST = 24, TAIL_STREAM = 3 };
enum { CUDA_INVALID_CONFIGURATION = 9, CUDA_TOO_DEEP = 65, CUDA_TOO_MANY = 69, CUDA_NO_FUNCTION = 98 };

int dv_take_child(void *children, const ls_emu_child *c) {
    child_list *list = children;
    ls_launch l = {.kernel = ls_dev_kernel_find(list->dev, list->module, c->kernel),
                   .shared_bytes = c->shared_bytes,
                   .params_size = c->params_size};
    if (!l.kernel) return CUDA_NO_FUNCTION;
    memcpy(l.grid, c->grid, sizeof l.grid);
    memcpy(l.block, c->block, sizeof l.block);
    if (!dv_launch_valid(list->dev, &l.kernel->info, &l)) return CUDA_INVALID_CONFIGURATION;
    if (list->depth >= DEEPEST) return CUDA_TOO_DEEP;
    if (list->items.length >= MOST_CHILDREN) return CUDA_TOO_MANY;
    l.params = calloc(1, c->params_size + 8);
    if (!l.params) return CUDA_TOO_MANY;
    if (c->params_size) memcpy(l.params, c->params, c->params_size);
    child_launch child = {l, c->by, list->items.length, c->stream == TAIL_STREAM};
    LS_VEC_PUSH(&list->items, child);
    return 0;
}

static int by_order(const void *a, const void *b) {
    const child_launch *x = a, *y = b;
    if (x->tail != y->tail) return x->tail - y->tail;
    if (x->by != y->by) return x->by < y->by ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The last one of the tail takes the place of the launch that made it: such chains have no end that is known.
 */
ls_dev_status dv_run_family(ls_stream *s, const ls_launch *first, const stack *from, uint32_t depth) {
    ls_launch l = *first;
    void *owned = NULL; /* its parameters, where it is not the first */
    ls_dev_status status;
    for (bool more = true; more;) {
        child_list list = {.dev = s->dev, .module = l.kernel->info.module, .depth = depth};
        status = dv_run_launch(s, &l, from, &list);
        free(owned);
        owned = NULL;
        more = false;
        if (list.items.length) qsort(list.items.items, list.items.length, sizeof(child_launch), by_order);
        for (uint32_t k = 0; k < list.items.length; k++) {
            const child_launch *c = &list.items.items[k];
            bool last = c->tail && k + 1 == list.items.length && status == LS_DEV_OK;
            if (last) {
                l = c->launch;
                owned = l.params;
                more = true;
            } else {
                if (status == LS_DEV_OK) status = dv_run_family(s, &c->launch, from, depth + 1);
                free(c->launch.params);
            }
        }
        LS_VEC_FREE(&list.items);
    }
    return status;
}
