/* Writing the records of record.h: findings with their stacks, statistics. */
#include "device/record.h"

#include "base/clock.h"

#include "device/private.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void dv_stack(ls_dev *dev, stack *to) {
    int n = backtrace(to->frames, STACK_DEPTH);
    to->count = n > 0 ? (uint32_t)n : 0;
    to->python = dev && dev->python ? dv_python_stack(dev) : NULL;
}

/* object+offset=symbol: the offset is as addr2line wants it, of the call and not of what follows it. */
static void put_frame(ls_buf *to, const void *frame) {
    Dl_info info;
    uintptr_t at = (uintptr_t)frame - 1;
    if (!dladdr((const void *)at, &info) || !info.dli_fname) return;
    char field[4096];
    const Elf64_Ehdr *head = info.dli_fbase; /* a program that stands at a fixed address has these */
    uintptr_t base = head->e_type == ET_EXEC ? 0 : (uintptr_t)info.dli_fbase;
    snprintf(field, sizeof field, "%s+%" PRIxPTR "=%s", info.dli_fname, at - base,
             info.dli_sname ? info.dli_sname : "");
    ls_wire_put(to, field);
}

/* The lines of a Python program, which come in place of the interpreter and what calls it. */
static void put_python(ls_buf *to, const char *lines) {
    while (*lines) {
        char field[1024];
        size_t length = strcspn(lines, "\n");
        snprintf(field, sizeof field, "%.*s", (int)length, lines);
        ls_wire_put(to, field);
        lines += length + (lines[length] == '\n');
    }
}

static bool is_of(const void *frame, const void *object) {
    Dl_info info;
    return dladdr(frame, &info) && info.dli_fbase == object;
}

void dv_put_stack(ls_buf *to, const char *label, const stack *from) {
    ls_buf_putc(to, 'S');
    ls_wire_put(to, label);
    Dl_info own, info;
    bool inside = true;
    const void *python = from->python ? dv_python_object() : NULL;
    if (!dladdr((const void *)(uintptr_t)dv_put_stack, &own)) own.dli_fbase = NULL;
    /* What stands in for backtrace(), as a sanitizer does, comes before this library. */
    const bool before =
        from->count > 1 && !is_of(from->frames[0], own.dli_fbase) && is_of(from->frames[1], own.dli_fbase);
    for (uint32_t k = before; k < from->count; k++) {
        bool known = dladdr(from->frames[k], &info);
        if (inside && known && info.dli_fbase == own.dli_fbase) continue;
        inside = false;
        if (python && known && info.dli_fbase == python) break;
        put_frame(to, from->frames[k]);
    }
    if (python) put_python(to, from->python);
    ls_buf_putc(to, '\n');
}

void dv_put_memory(ls_buf *to, const memory_record *r) {
    char label[128];
    if (r->m.kind == LS_MEMORY_VARIABLE) return;
    snprintf(label, sizeof label, "the allocation of %" PRIu64 " bytes by %s", r->m.size, r->m.what);
    dv_put_stack(to, label, &r->from);
    if (r->m.freed) dv_put_stack(to, "freed here", &r->freed_from);
}

void dv_begin_finding(ls_buf *to, const char *rule, ls_severity level, const ls_dev_kernel *kernel,
                      uint64_t count, const char *format, ...) {
    char message[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ls_buf_printf(to, "F\t%s\t%d\t%u\t%" PRIu64, rule, (int)level, kernel ? kernel->number : 0, count);
    ls_wire_put(to, message);
    ls_buf_putc(to, '\n');
}

/* As text, where nobody reads records. */
static void print_record(const ls_buf *record) {
    if (record->text[0] != 'F' && record->text[0] != 'U' && record->text[0] != 'X') return;
    fprintf(stderr, "lockstep: %s", record->text);
}

void dv_tell(ls_dev *dev, ls_buf *record) {
    if (dev->options.report < 0) {
        print_record(record);
    } else {
        ls_buf packet = {0};
        ls_buf_printf(&packet, "%d\t", (int)getpid());
        ls_buf_add(&packet, record->text, record->length);
        size_t length = packet.length < LS_RECORD_MOST ? packet.length : LS_RECORD_MOST;
        send(dev->options.report, packet.text, length, MSG_NOSIGNAL);
        ls_buf_free(&packet);
    }
    ls_buf_free(record);
}

static void name_kernel(ls_dev *dev, const ls_dev_kernel *k) {
    ls_buf record = {0};
    ls_buf_printf(&record, "K\t%u", k->number);
    ls_wire_put(&record, k->info.name);
    if (dev->options.words == LS_WORDS_OPENCL) ls_wire_put(&record, "opencl");
    ls_buf_putc(&record, '\n');
    dv_tell(dev, &record);
}

/* A process that was forked tells of its own launches alone, and by its own number. */
static void begin_process(ls_dev *dev) {
    const int process = (int)getpid();
    if (dev->told_by == process) return;
    dev->told_by = process;
    for (uint32_t n = 0; n < dev->used_kernels.length; n++) {
        ls_dev_kernel *k = dev->used_kernels.items[n];
        k->stats = (ls_record_stats){0};
        k->changed = false;
        name_kernel(dev, k);
    }
}

void dv_tell_kernel(ls_dev *dev, ls_dev_kernel *k) {
    begin_process(dev);
    if (k->number) return;
    LS_VEC_PUSH(&dev->used_kernels, k);
    k->number = dev->used_kernels.length;
    name_kernel(dev, k);
}

#define FIELD(member) LS_WIRE_FIELD(ls_record_stats, member)
static const ls_wire_field stats_fields[] = {
    FIELD(kernel),
    FIELD(launches),
    FIELD(checked),
    FIELD(counted),
    FIELD(instructions),
    FIELD(blocks),
    FIELD(lane_instructions),
    FIELD(accesses),
    FIELD(sectors),
    FIELD(seconds),
    FIELD(divergent_branches),
};
const ls_wire_row ls_record_stats_row = {'L', sizeof stats_fields / sizeof *stats_fields, stats_fields};

/* At most some times a second where there are many launches, but for the last time. */
void dv_tell_stats(ls_dev *dev, bool all) {
    double now = ls_clock_seconds(LS_CLOCK_WALL);
    if (!all && dev->launches > 256 && now - dev->last_told < 0.2) return;
    dev->last_told = now;
    for (uint32_t n = 0; n < dev->used_kernels.length; n++) {
        ls_dev_kernel *k = dev->used_kernels.items[n];
        if (!k->changed) continue;
        k->changed = false;
        ls_buf record = {0};
        k->stats.kernel = k->number;
        ls_wire_write(&record, &ls_record_stats_row, &k->stats);
        ls_buf_putc(&record, '\n');
        dv_tell(dev, &record);
    }
}
