/* What the detector knows of a program: images with their PTX, kernels, memory, as the program's calls of the
 * driver make them known. */
#include "detect/preload/known.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

known_program dp_known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What a compiler in the program made of PTX. */
typedef struct {
    char *cubin, *ptx;
    size_t size;
} compiled;

static LS_VEC(compiled) all_compiled;

_Thread_local int dp_inside;

void *dp_dlsym(void *handle, const char *name) {
    static void *(*real)(void *, const char *);
    if (!real) {
        static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
        for (size_t i = 0; i < sizeof versions / sizeof *versions && !real; i++)
            *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    }
    return real ? real(handle, name) : NULL;
}

void *dp_driver_function(const char *name) {
    static void *driver; /* libcuda */
    if (!driver) driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    return driver ? dp_dlsym(driver, name) : NULL;
}

void dp_add_ptx(const void *cubin, size_t size, const char *ptx) {
    compiled made = {.size = dp_elf_size(cubin, size)};
    if (!made.size) return;
    made.cubin = ls_xmalloc(made.size), made.ptx = ls_xstrdup(ptx);
    memcpy(made.cubin, cubin, made.size);
    pthread_mutex_lock(&dp_known.lock);
    LS_VEC_PUSH(&all_compiled, made);
    pthread_mutex_unlock(&dp_known.lock);
}

static char *compiled_ptx(const void *data, size_t size, size_t *length) {
    char *ptx = NULL;
    size = dp_elf_size(data, size);
    pthread_mutex_lock(&dp_known.lock);
    for (uint32_t i = all_compiled.length; i-- > 0 && size && !ptx;) {
        const compiled *c = &all_compiled.items[i];
        if (c->size == size && memcmp(c->cubin, data, size) == 0) ptx = ls_xstrdup(c->ptx);
    }
    pthread_mutex_unlock(&dp_known.lock);
    *length = ptx ? strlen(ptx) : 0;
    return ptx;
}

static void find_ptx(image *made, const void *data, size_t size) {
    made->kind = ls_image_ptx(data, size, &made->ptx, &made->length, &made->why);
    if (made->kind != IMAGE_PTX && made->kind != IMAGE_UNREADABLE) {
        made->ptx = compiled_ptx(data, size, &made->length);
        if (!made->ptx) made->ptx = dp_triton_ptx(data, size, &made->length);
        if (made->ptx) made->kind = IMAGE_PTX;
    }
}

static void push_image(image *made) {
    pthread_mutex_lock(&dp_known.lock);
    LS_VEC_PUSH(&dp_known.images, made);
    if (!made->number) made->number = dp_known.images.length;
    pthread_mutex_unlock(&dp_known.lock);
}

void dp_add_image(void *handle, bool is_library, const void *data, size_t size) {
    image *made = ls_xcalloc(1, sizeof *made);
    made->handle = handle, made->is_library = is_library;
    find_ptx(made, data, size);
    push_image(made);
}

void dp_add_image_file(void *handle, bool is_library, const char *path) {
    ls_buf data = {0};
    if (ls_read_file(path, &data)) dp_add_image(handle, is_library, data.text, data.length);
    ls_buf_free(&data);
}

static image *image_of(const void *handle) {
    for (uint32_t i = dp_known.images.length; i-- > 0;)
        if (dp_known.images.items[i]->handle == handle) return dp_known.images.items[i];
    return NULL;
}

void dp_alias_image(void *module, const void *library) {
    pthread_mutex_lock(&dp_known.lock);
    image *of = image_of(library), *alias = of && !image_of(module) ? ls_xcalloc(1, sizeof *alias) : NULL;
    if (alias) *alias = *of, alias->handle = module, alias->is_library = false;
    if (alias) LS_VEC_PUSH(&dp_known.images, alias);
    pthread_mutex_unlock(&dp_known.lock);
}

known_kernel *dp_kernel_of(const void *handle) {
    for (uint32_t i = dp_known.kernels.length; i-- > 0;)
        if (dp_known.kernels.items[i]->handle == handle) return dp_known.kernels.items[i];
    return NULL;
}

static void push_kernel(void *handle, const char *name, image *of) {
    known_kernel *made = ls_xcalloc(1, sizeof *made);
    made->handle = handle, made->name = ls_xstrdup(name), made->image = of;
    LS_VEC_PUSH(&dp_known.kernels, made);
}

void dp_add_kernel(void *handle, const void *owner, const char *name) {
    pthread_mutex_lock(&dp_known.lock);
    known_kernel *known = dp_kernel_of(handle);
    image *of = image_of(owner);
    if (!known || known->image != of || strcmp(known->name, name) != 0) push_kernel(handle, name, of);
    pthread_mutex_unlock(&dp_known.lock);
}

void dp_alias_kernel(void *function, const void *kernel) {
    pthread_mutex_lock(&dp_known.lock);
    const known_kernel *known = dp_kernel_of(kernel);
    if (known && !dp_kernel_of(function)) push_kernel(function, known->name, known->image);
    pthread_mutex_unlock(&dp_known.lock);
}

/* The driver's compiler is a large library that the first rewritten kernel would wait for. */
static void *open_compiler(void *nothing) {
    dlopen("libnvidia-ptxjitcompiler.so.1", RTLD_NOW);
    return nothing;
}

/* Beside the program, which will launch something now that it has taken memory. */
static void open_compiler_beside(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, open_compiler, NULL) == 0) pthread_detach(thread);
}

void dp_add_buffer(CUdeviceptr address, uint64_t size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_compiler_beside);
    pthread_mutex_lock(&dp_known.lock);
    LS_VEC_PUSH(&dp_known.buffers, ((ls_detect_buffer){address, size, NULL}));
    dp_known.memory++;
    pthread_mutex_unlock(&dp_known.lock);
}

void dp_drop_buffer(CUdeviceptr address) {
    dp_settle();
    pthread_mutex_lock(&dp_known.lock);
    dp_known.memory++;
    for (uint32_t i = 0; i < dp_known.buffers.length; i++)
        if (dp_known.buffers.items[i].address == address)
            dp_known.buffers.items[i--] = dp_known.buffers.items[--dp_known.buffers.length];
    pthread_mutex_unlock(&dp_known.lock);
}

void dp_add_stream(void) {
    pthread_mutex_lock(&dp_known.lock);
    dp_known.streams++;
    pthread_mutex_unlock(&dp_known.lock);
}
