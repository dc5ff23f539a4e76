/* Pools of memory (cuMemPool…): which allocations are of which pool, how much they are, and pools that other
 * processes use. A pool has no memory in stock here: what it reserves is what it uses, in chunks of the size
 * that a GPU's driver takes. Another process is given a pool as a file that names it, and finds its memory
 * like that of cuIpcOpenMemHandle (device/share.c). */
#include "base/map.h"
#include "cuda/driver.h"
#include "cuda/driver_api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_DESCRIPTOR = 1, CHUNK = 32 << 20 };

/* CUmemPool_attribute. */
enum { FIRST_FLAG = 1, LAST_FLAG = 3, THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH, ATTRIBUTES };

typedef struct cu_pool {
    int device, handle_types;
    bool ready, imported;
    int process;     /* of an imported one: whose it is … */
    uint64_t number; /* … and its name there */
    uint64_t attributes[ATTRIBUTES];
    uint64_t given_back; /* all.waits when it last gave back what it does not use */
} cu_pool;

typedef struct { /* what the file of an exported pool holds */
    char mark[8];
    int process, device;
    uint64_t number;
} pool_name;

typedef struct { /* a CUmemPoolPtrExportData */
    ls_shared_memory memory;
    uint64_t pool;
} pool_pointer;

typedef struct {
    cu_pool *pool;
    uint64_t size;
} pooled;

static const char MARK[8] = "ls-pool", IMPORTED[] = "cudaMemPoolImportPointer";
enum { DEVICES = 64 };

static struct {
    pthread_mutex_t lock;
    ls_intmap allocations; /* pooled *, by address; 0: freed */
    cu_pool defaults[DEVICES], *current[DEVICES];
    uint64_t waits; /* for streams, events and devices */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void prepare(cu_pool *p, int device) {
    p->device = device;
    p->ready = true;
    for (int k = FIRST_FLAG; k <= LAST_FLAG; k++) p->attributes[k] = 1;
}

static cu_pool *default_pool(int device) {
    cu_pool *p = &all.defaults[device % DEVICES];
    pthread_mutex_lock(&all.lock);
    if (!p->ready) prepare(p, device);
    pthread_mutex_unlock(&all.lock);
    return p;
}

/* --- What is in use --- */
static uint64_t in_chunks(uint64_t bytes) {
    return (bytes + CHUNK - 1) / CHUNK * CHUNK;
}

static void give_back(cu_pool *p, uint64_t keep) {
    uint64_t *a = p->attributes, least = in_chunks(a[USED] > keep ? a[USED] : keep);
    if (a[RESERVED] > least) a[RESERVED] = least;
}

/* When the program waits for the device, pools give back what is above their threshold. */
static void settle(cu_pool *p) {
    if (p->given_back != all.waits) give_back(p, p->attributes[THRESHOLD]);
    p->given_back = all.waits;
}

void cu_pool_waited(void) {
    pthread_mutex_lock(&all.lock);
    all.waits++;
    pthread_mutex_unlock(&all.lock);
}

static void use(cu_pool *p, int64_t change) {
    uint64_t *a = p->attributes;
    settle(p);
    a[USED] += (uint64_t)change;
    const uint64_t chunks = in_chunks(a[USED]);
    if (a[RESERVED] < chunks) a[RESERVED] = chunks;
    if (a[USED_HIGH] < a[USED]) a[USED_HIGH] = a[USED];
    if (a[RESERVED_HIGH] < a[RESERVED]) a[RESERVED_HIGH] = a[RESERVED];
}

void cu_pool_keep(CUmemoryPool pool, CUdeviceptr address, uint64_t size) {
    pooled *m = malloc(sizeof *m);
    if (!m) return;
    if (!pool) cuDeviceGetMemPool(&pool, cu_ordinal());
    *m = (pooled){pool, size};
    pthread_mutex_lock(&all.lock);
    *ls_intmap_at(&all.allocations, address, NULL) = (uint64_t)(uintptr_t)m;
    use(pool, (int64_t)size);
    pthread_mutex_unlock(&all.lock);
}

static pooled *pooled_at(CUdeviceptr address) {
    uint64_t value = 0;
    ls_intmap_get(&all.allocations, address, &value);
    return (pooled *)(uintptr_t)value;
}

CUmemoryPool cu_pool_of(CUdeviceptr address) {
    pthread_mutex_lock(&all.lock);
    const pooled *m = pooled_at(address);
    CUmemoryPool pool = m ? m->pool : NULL;
    pthread_mutex_unlock(&all.lock);
    return pool;
}

void cu_pool_forget(CUdeviceptr address) {
    pthread_mutex_lock(&all.lock);
    pooled *m = pooled_at(address);
    if (m) {
        use(m->pool, -(int64_t)m->size);
        *ls_intmap_at(&all.allocations, address, NULL) = 0;
    }
    pthread_mutex_unlock(&all.lock);
    free(m);
}

/* --- Pools --- */
API(cuDeviceGetDefaultMemPool, CUmemoryPool *pool, CUdevice device) {
    *pool = default_pool(device);
    return CU_OK;
}
API(cuDeviceGetMemPool, CUmemoryPool *pool, CUdevice device) {
    pthread_mutex_lock(&all.lock);
    *pool = all.current[device % DEVICES];
    pthread_mutex_unlock(&all.lock);
    if (!*pool) *pool = default_pool(device);
    return CU_OK;
}
API(cuDeviceSetMemPool, CUdevice device, CUmemoryPool pool) {
    if (!pool || pool->device != device || pool->imported) return RESULT(LS_DEV_INVALID);
    pthread_mutex_lock(&all.lock);
    all.current[device % DEVICES] = pool;
    pthread_mutex_unlock(&all.lock);
    return CU_OK;
}
API(cuMemPoolCreate, CUmemoryPool *pool, const CUmemPoolProps *properties) {
    if (!pool || !properties || properties->handleTypes & ~FILE_DESCRIPTOR) return RESULT(LS_DEV_INVALID);
    *pool = calloc(1, sizeof **pool);
    if (!*pool) return CU_OUT_OF_MEMORY;
    prepare(*pool, properties->location.id);
    (*pool)->handle_types = properties->handleTypes;
    return CU_OK;
}
/* What was allocated from it stays; what is allocated next comes from the default one. */
API(cuMemPoolDestroy, CUmemoryPool pool) {
    cu_pool *stays = default_pool(pool->device);
    if (pool == stays) return RESULT(LS_DEV_INVALID);
    pthread_mutex_lock(&all.lock);
    if (all.current[pool->device % DEVICES] == pool) all.current[pool->device % DEVICES] = NULL;
    for (uint32_t k = 0; all.allocations.slots && k <= all.allocations.mask; k++) {
        pooled *m = all.allocations.used[k] ? (pooled *)(uintptr_t)all.allocations.slots[k].value : NULL;
        if (m && m->pool == pool) *m = (pooled){stays, 0};
    }
    pthread_mutex_unlock(&all.lock);
    free(pool);
    return CU_OK;
}
API(cuMemPoolTrimTo, CUmemoryPool pool, size_t bytes) {
    pthread_mutex_lock(&all.lock);
    give_back(pool, bytes);
    pthread_mutex_unlock(&all.lock);
    return CU_OK;
}
API(cuMemPoolSetAttribute, CUmemoryPool pool, int attribute, void *value) {
    const bool flag = attribute >= FIRST_FLAG && attribute <= LAST_FLAG,
               high = attribute == RESERVED_HIGH || attribute == USED_HIGH;
    if (attribute < FIRST_FLAG || attribute >= ATTRIBUTES || attribute == RESERVED || attribute == USED)
        return RESULT(LS_DEV_INVALID);
    const uint64_t wanted = flag ? *(uint32_t *)value : *(uint64_t *)value;
    if (high && wanted) return RESULT(LS_DEV_INVALID);
    pthread_mutex_lock(&all.lock);
    settle(pool);
    pool->attributes[attribute] = high ? pool->attributes[attribute - 1] : wanted;
    pthread_mutex_unlock(&all.lock);
    return CU_OK;
}
API(cuMemPoolGetAttribute, CUmemoryPool pool, int attribute, void *value) {
    if (attribute < FIRST_FLAG || attribute >= ATTRIBUTES) return RESULT(LS_DEV_INVALID);
    pthread_mutex_lock(&all.lock);
    settle(pool);
    if (attribute <= LAST_FLAG)
        *(uint32_t *)value = (uint32_t)pool->attributes[attribute];
    else
        *(uint64_t *)value = pool->attributes[attribute];
    pthread_mutex_unlock(&all.lock);
    return CU_OK;
}
API(cuMemPoolSetAccess, CUmemoryPool pool, const void *map, size_t count) {
    (void)pool, (void)map, (void)count;
    return CU_OK;
}
API(cuMemPoolGetAccess, int *flags, CUmemoryPool pool, CUmemLocation *location) {
    (void)pool, (void)location;
    *flags = 3;
    return CU_OK;
}

/* --- Pools of other processes --- */
API(cuMemPoolExportToShareableHandle, void *out, CUmemoryPool pool, int type, unsigned long long flags) {
    if (!out || !pool || flags || type != FILE_DESCRIPTOR || !(pool->handle_types & type))
        return RESULT(LS_DEV_INVALID);
    pool_name name = {.process = (int)getpid(), .device = pool->device, .number = (uint64_t)(uintptr_t)pool};
    memcpy(name.mark, MARK, sizeof MARK);
    const int file = ls_dev_memory_file((const char *)&name, sizeof name);
    if (file < 0) return RESULT(LS_DEV_NO_MEMORY);
    *(int *)out = file;
    return CU_OK;
}

API(cuMemPoolImportFromShareableHandle, CUmemoryPool *pool, void *handle, int type,
    unsigned long long flags) {
    pool_name name;
    if (!pool || flags || type != FILE_DESCRIPTOR ||
        pread((int)(intptr_t)handle, &name, sizeof name, 0) != sizeof name ||
        memcmp(name.mark, MARK, sizeof MARK))
        return RESULT(LS_DEV_INVALID);
    *pool = calloc(1, sizeof **pool);
    if (!*pool) return CU_OUT_OF_MEMORY;
    prepare(*pool, name.device);
    (*pool)->imported = true;
    (*pool)->process = name.process;
    (*pool)->number = name.number;
    return CU_OK;
}

API(cuMemPoolExportPointer, void *out, CUdeviceptr address) {
    _Static_assert(sizeof(pool_pointer) <= 64, "what another process needs to know");
    CUmemoryPool pool = cu_pool_of(address);
    pool_pointer p = {.pool = (uint64_t)(uintptr_t)pool};
    if (!out || !pool || !pool->handle_types) return RESULT(LS_DEV_INVALID);
    const ls_dev_status status = ls_dev_export(cu_dev(), address, &p.memory);
    if (status != LS_DEV_OK) return RESULT(status);
    memset(out, 0, 64);
    memcpy(out, &p, sizeof p);
    return CU_OK;
}

API(cuMemPoolImportPointer, CUdeviceptr *out, CUmemoryPool pool, void *data) {
    pool_pointer p;
    if (!out || !pool || !data || !pool->imported) return RESULT(LS_DEV_INVALID);
    memcpy(&p, data, sizeof p);
    const bool mine = p.pool == pool->number && p.memory.process == pool->process;
    const CUdeviceptr at = mine ? ls_dev_import(cu_dev(), pool->device, &p.memory, IMPORTED) : 0;
    if (!at) return RESULT(LS_DEV_INVALID);
    *out = at;
    return CU_OK;
}

bool cu_pool_close(CUdeviceptr address) {
    return ls_dev_close_import(cu_dev(), address, IMPORTED) == LS_DEV_OK;
}
