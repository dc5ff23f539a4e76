/* Data-parallel loops over POSIX threads; workers take the next index from an atomic counter. */
#include "base/pool.h"

#include "base/arena.h"
#include "base/recover.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    ls_parallel_body body;
    void *context;
    uint32_t count;
    atomic_uint next;
    atomic_bool failed; /* memory ran out */
} loop;

uint32_t ls_core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

static void take(void *context) {
    loop *all = context;
    for (uint32_t i; (i = atomic_fetch_add(&all->next, 1)) < all->count;) all->body(all->context, i);
}

/* Memory that runs out in one body is the end of the loop; the others are waited for. */
static void *work(void *argument) {
    loop *all = argument;
    if (!ls_try(take, all)) {
        atomic_store(&all->failed, true);
        atomic_store(&all->next, all->count);
    }
    return NULL;
}

void ls_parallel_for(uint32_t threads, uint32_t count, ls_parallel_body body, void *context) {
    if (threads == 0) threads = ls_core_count();
    if (threads > count) threads = count;
    loop all = {.body = body, .context = context, .count = count};
    pthread_t *ids = ls_xmalloc((threads + 1) * sizeof *ids);
    uint32_t started = 0;
    while (started + 1 < threads && pthread_create(&ids[started], NULL, work, &all) == 0) started++;
    work(&all);
    for (uint32_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
    free(ids);
    if (all.failed) ls_escape();
}
