/* The emulated system as a whole: its options, its lock, what is missing and what went wrong. */
#include "device/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void dv_lock(ls_dev *dev) {
    pthread_mutex_lock(&dev->lock);
}
void dv_unlock(ls_dev *dev) {
    pthread_mutex_unlock(&dev->lock);
}

ls_dev *ls_dev_new(const ls_dev_options *options) {
    ls_dev *dev = calloc(1, sizeof *dev);
    if (!dev) return NULL;
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&dev->lock, &how);
    pthread_mutex_init(&dev->places, NULL);
    dev->python = dv_python_object();
    pthread_mutexattr_destroy(&how);
    dev->options = *options;
    if (!dev->options.devices) dev->options.devices = 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN); /* asked once, not at every launch */
    if (!dev->options.threads) dev->options.threads = cores > 0 ? (uint32_t)cores : 1;
    if (dev->options.devices > 64) dev->options.devices = 64;
    dev->gpu = ls_gpu_model_find(options->gpu);
    if (!dev->gpu) dev->gpu = ls_gpu_model_find(NULL);
    ls_arena_init(&dev->arena);
    dev->space = ls_emu_space_new(dv_take, dev);
    if (dev->space) ls_emu_space_places(dev->space, dv_place);
    LS_VEC_PUSH(&dev->streams, NULL); /* number 0 is the host */
    return dev;
}

uint32_t ls_dev_count(const ls_dev *dev) {
    return dev->options.devices;
}
const ls_gpu_model *ls_dev_gpu(const ls_dev *dev) {
    return dev->gpu;
}

void ls_dev_missing(ls_dev *dev, const char *function) {
    dv_lock(dev);
    void **known = ls_map_at(&dev->missing, function, strlen(function));
    if (!*known) {
        *known = dev;
        ls_buf record = {0};
        ls_buf_puts(&record, "U");
        ls_wire_put(&record, function);
        ls_buf_puts(&record, "\n");
        dv_tell(dev, &record);
    }
    dv_unlock(dev);
}

void ls_dev_finding(ls_dev *dev, const char *rule, ls_severity level, uint64_t address, const char *format,
                    ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    dv_lock(dev);
    ls_buf record = {0};
    stack here;
    dv_stack(dev, &here);
    const memory_record *near = address ? dv_nearest(dev, address) : NULL;
    dv_begin_finding(&record, rule, level, NULL, 1, "%s", message);
    dv_put_stack(&record, "called here", &here);
    if (near) dv_put_memory(&record, near);
    dv_tell(dev, &record);
    dv_unlock(dev);
}

/* --- Errors --- */
void ls_dev_error(ls_dev *dev, const char *function, int error, const char *name) {
    (void)error;
    dv_lock(dev);
    if (!dev->error_open) {
        dev->error_open = true;
        dv_stack(dev, &dev->error_from);
        snprintf(dev->error_text, sizeof dev->error_text, "%s returned %s", function, name);
    }
    dev->errors_unseen++;
    dv_unlock(dev);
}

void ls_dev_looked(ls_dev *dev) {
    dev->error_open = false;
    dev->errors_unseen = 0;
}

ls_dev_status ls_dev_sticky(const ls_dev *dev) {
    return dev->sticky;
}
void ls_dev_clear_sticky(ls_dev *dev) {
    dev->sticky = LS_DEV_OK;
}

static void tell_unseen(ls_dev *dev) {
    if (!dev->error_open) return;
    ls_buf record = {0};
    dv_begin_finding(&record, "error.unchecked", LS_WARNING, NULL, dev->errors_unseen,
                     "%s, and the program never checked it", dev->error_text);
    dv_put_stack(&record, "the call", &dev->error_from);
    dv_tell(dev, &record);
}

void ls_dev_fault(ls_dev *dev, uint64_t address) {
    const memory_record *m = dv_nearest(dev, address);
    if (!dv_is_device(address) && !(m && m->m.freed)) return;
    ls_buf record = {0};
    stack here;
    dv_stack(NULL, &here); /* from a signal's handler */
    dv_begin_finding(&record, "host.access", LS_ERROR, NULL, 1,
                     m && m->m.freed ? "the host accesses memory that was freed, at 0x%llx"
                     : dev->options.words == LS_WORDS_OPENCL
                         ? "the host dereferences a device pointer, 0x%llx: map the buffer "
                           "(clEnqueueMapBuffer), or read it (clEnqueueReadBuffer)"
                         : "the host dereferences a pointer to device memory, 0x%llx: copy the data with "
                           "cudaMemcpy, or use managed memory",
                     (unsigned long long)address);
    dv_put_stack(&record, "the access", &here);
    if (m) dv_put_memory(&record, m);
    dv_tell(dev, &record);
    dv_tell_stats(dev, true);
}

void ls_dev_finish(ls_dev *dev, bool leaks) {
    dv_lock(dev);
    if (!dev->finished) {
        dev->finished = true;
        tell_unseen(dev);
        if (leaks) dv_tell_leaks(dev);
        dv_tell_stats(dev, true);
        ls_buf end = {0};
        ls_buf_puts(&end, "E\n");
        dv_tell(dev, &end);
        if (dev->record_file) fputs("\n]\n", dev->record_file);
        if (dev->record_file) fclose(dev->record_file);
        dev->record_file = NULL;
    }
    dv_unlock(dev);
}

void ls_dev_close(ls_dev *dev) {
    while (dev->modules.length) ls_dev_unload(dev, dev->modules.items[0]);
    for (uint32_t k = 0; k < dev->host_touched.length; k++) LS_VEC_FREE(&dev->host_touched.items[k].ranges);
    LS_VEC_FREE(&dev->host_touched);
    dv_free_streams(dev);
    dv_free_memory(dev);
    ls_emu_space_free(dev->space);
    LS_VEC_FREE(&dev->modules);
    for (uint32_t k = 0; k < dev->used_kernels.length; k++) free(dev->used_kernels.items[k]);
    LS_VEC_FREE(&dev->used_kernels);
    ls_map_free(&dev->missing);
    ls_map_free(&dev->recorded);
    ls_map_free(&dev->said);
    ls_map_free(&dev->python_stacks);
    ls_arena_free(&dev->arena);
    pthread_mutex_destroy(&dev->places);
    pthread_mutex_destroy(&dev->lock);
    free(dev);
}
