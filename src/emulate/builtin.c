/* Functions of the CUDA runtime that device code calls: vprintf, __assertfail, malloc, free; OpenCL's printf.
 * Arguments stand in .param objects of the caller's frame. */
#include "base/recover.h"
#include "emulate/machine.h"

#include <stdio.h>

void em_argument_bytes(const warp *w, const call_info *call, uint32_t k, uint32_t lane, void *to,
                       uint32_t size) {
    memset(to, 0, size);
    if (k >= call->arg_count) return;
    const call_value *a = &call->args[k];
    if (a->in_memory) {
        memcpy(to, w->local + (size_t)lane * w->machine->local_size + w->local_base + a->frame_offset,
               a->size < size ? a->size : size);
    } else {
        uint64_t v = read_lane(w, a->reg, lane);
        memcpy(to, &v, size < sizeof v ? size : sizeof v);
    }
}

uint64_t em_argument(const warp *w, const call_info *call, uint32_t k, uint32_t lane) {
    uint64_t v;
    em_argument_bytes(w, call, k, lane, &v, sizeof v);
    return v;
}

void em_give_result(warp *w, const call_info *call, uint32_t lane, uint64_t v) {
    if (!call->result_count) return;
    const call_value *r = &call->results[0];
    if (r->in_memory)
        memcpy(w->local + (size_t)lane * w->machine->local_size + w->local_base + r->frame_offset, &v,
               r->size < 8 ? r->size : 8);
    else
        write_lane(w, r->reg, lane, v);
}

const char *em_bytes_at(const warp *w, uint32_t lane, uint64_t address, uint64_t *room) {
    const machine *m = w->machine;
    uint64_t offset = address & ~WINDOW_MASK;
    switch (address & WINDOW_MASK) {
    case WINDOW_LOCAL:
        if (offset >= m->local_size) return NULL;
        *room = m->local_size - offset;
        return w->local + (size_t)lane * m->local_size + offset;
    case WINDOW_SHARED:
        if (offset >= m->shared_bytes) return NULL;
        *room = m->shared_bytes - offset;
        return w->block->shared + offset;
    case 0: {
        const allocation *a = em_find(m->emulator, address);
        if (!a) return NULL;
        *room = a->hi - address;
        return (const char *)em_host(address);
    }
    default: return NULL;
    }
}

static const char *text_at(const warp *w, uint32_t lane, uint64_t address, char *copy, size_t size) {
    uint64_t room = 0;
    const char *at = em_bytes_at(w, lane, address, &room);
    size_t n = 0;
    for (; at && n + 1 < size && n < room && at[n]; n++) copy[n] = at[n];
    copy[n] = 0;
    return copy;
}

/* --- vprintf --- */
typedef struct {
    const char *at;
    uint64_t used, room;
} values;

static uint64_t take(values *v, uint32_t bytes) {
    uint64_t x = 0;
    v->used = (v->used + bytes - 1) / bytes * bytes;
    if (v->at && v->used + bytes <= v->room) memcpy(&x, v->at + v->used, bytes);
    v->used += bytes;
    return x;
}

/* Formats one conversion; `spec` is it with its flags, `kind` its letter. */
static void convert(const warp *w, uint32_t lane, char *spec, size_t length, char kind, bool is_long,
                    values *v, char *out, size_t size) {
    double d;
    char text[1024];
    switch (kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        memcpy(spec + length, "ll", 2);
        spec[length + 2] = kind;
        spec[length + 3] = 0;
        if (is_long)
            snprintf(out, size, spec, (long long)take(v, 8));
        else if (kind == 'd' || kind == 'i')
            snprintf(out, size, spec, (long long)(int32_t)take(v, 4));
        else
            snprintf(out, size, spec, (long long)(uint32_t)take(v, 4));
        break;
    case 'c':
        spec[length] = 'c', spec[length + 1] = 0;
        snprintf(out, size, spec, (int)(unsigned char)take(v, 4));
        break;
    case 'p':
        spec[length] = 'p', spec[length + 1] = 0;
        snprintf(out, size, spec, (void *)(uintptr_t)take(v, 8));
        break;
    case 's':
        spec[length] = 's', spec[length + 1] = 0;
        snprintf(out, size, spec, text_at(w, lane, take(v, 8), text, sizeof text));
        break;
    default: {
        uint64_t bits = take(v, 8);
        memcpy(&d, &bits, 8);
        spec[length] = kind, spec[length + 1] = 0;
        snprintf(out, size, spec, d);
        break;
    }
    }
}

/* OpenCL's vectors: %v4f, %v8hd, %v2ld. Elements stand behind each other, those of three as of four. */
typedef struct {
    uint32_t count, bytes; /* count 0: none */
} vector_spec;

static void convert_vector(char *spec, size_t length, char kind, vector_spec vector, values *v, char *out,
                           size_t size) {
    uint32_t bytes = vector.bytes ? vector.bytes : 4, room = (vector.count == 3 ? 4 : vector.count) * bytes;
    bool is_float = strchr("fFeEgGaA", kind), is_signed = kind == 'd' || kind == 'i';
    size_t n = 0;
    v->used = (v->used + room - 1) / room * room;
    uint64_t end = v->used + room;
    for (uint32_t k = 0; k < vector.count && n < size; k++) {
        char element[512] = "";
        uint64_t bits = take(v, bytes);
        float single;
        double wide;
        memcpy(&single, &bits, sizeof single);
        memcpy(&wide, &bits, sizeof wide);
        if (is_float) {
            spec[length] = kind, spec[length + 1] = 0;
            snprintf(element, sizeof element, spec, bytes == 8 ? wide : (double)single);
        } else {
            uint32_t unused = 64 - 8 * bytes;
            long long number = is_signed ? (long long)(bits << unused) >> unused : (long long)bits;
            spec[length] = spec[length + 1] = 'l', spec[length + 2] = kind, spec[length + 3] = 0;
            snprintf(element, sizeof element, spec, number);
        }
        int added = snprintf(out + n, size - n, "%s%s", k ? "," : "", element);
        n += added > 0 ? (size_t)added : 0;
    }
    v->used = end;
}

/* No width or precision beyond what a line has room for: the C library would make all of it. */
static bool within_line(const char *spec) {
    for (; *spec; spec++)
        if (*spec >= '0' && *spec <= '9' && strtoul(spec, NULL, 10) > 2000) return false;
    return true;
}

static void print_one(warp *w, uint32_t lane, const char *format, values *v) {
    machine *m = w->machine;
    char line[4096];
    size_t n = 0;
    for (const char *p = format; *p && n + 1 < sizeof line;) {
        if (*p != '%') {
            line[n++] = *p++;
            continue;
        }
        if (p[1] == '%') {
            line[n++] = '%';
            p += 2;
            continue;
        }
        char spec[64] = "%", out[2048] = "";
        size_t length = 1;
        bool is_long = false;
        vector_spec vector = {0};
        for (p++; *p && strchr("-+ #0123456789.*hljztv", *p); p++) {
            if (*p == 'l' || *p == 'j' || *p == 'z' || *p == 't') is_long = true;
            if (*p == 'h') vector.bytes = vector.bytes == 2 ? 1 : 2;
            if (*p == 'l') vector.bytes = vector.bytes == 2 ? 4 : 8; /* hl, l */
            if (*p == 'v') {
                char *end;
                vector.count = (uint32_t)strtoul(p + 1, &end, 10);
                if (vector.count > 16) vector.count = 16;
                p = end - 1;
                continue;
            }
            if (strchr("hljzt", *p)) continue;
            if (*p == '*')
                length += (size_t)snprintf(spec + length, 16, "%d", (int)(int32_t)take(v, 4));
            else if (length < 40)
                spec[length++] = *p;
            if (length > 40) length = 40;
        }
        if (!*p) break;
        spec[length] = 0;
        if (vector.count && strchr("diuxXofFeEgGaA", *p) && within_line(spec))
            convert_vector(spec, length, *p, vector, v, out, sizeof out);
        else if (strchr("diuxXocpsfFeEgGaA", *p) && within_line(spec))
            convert(w, lane, spec, length, *p, is_long, v, out, sizeof out);
        p++;
        size_t add = strlen(out);
        if (add > sizeof line - 1 - n) add = sizeof line - 1 - n;
        memcpy(line + n, out, add);
        n += add;
    }
    ls_lock(&m->lock);
    if (m->options.print) m->options.print(m->options.print_context, line, n);
    ls_unlock(&m->lock);
}

static void print_lanes(warp *w, const call_info *call, uint64_t mask) {
    FOR_LANES(l, mask) {
        char format[4096];
        text_at(w, l, em_argument(w, call, 0, l), format, sizeof format);
        values v = {0};
        v.at = em_bytes_at(w, l, em_argument(w, call, 1, l), &v.room);
        print_one(w, l, format, &v);
        em_give_result(w, call, l, 0);
    }
}

/* --- The others --- */
/* A line for each of the threads, as CUDA's driver writes it. */
static void complain(const warp *w, const call_info *call, uint64_t mask, const char *text,
                     const char *file) {
    const machine *m = w->machine;
    if (!m->options.complain) return;
    FOR_LANES(l, mask) {
        char function[512], line[2048];
        const ls_actor a = em_actor(m, w->block->index, w->index, l);
        text_at(w, l, em_argument(w, call, 3, l), function, sizeof function);
        int n = snprintf(line, sizeof line,
                         "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                         (unsigned)em_argument(w, call, 2, l), function, a.block[0], a.block[1], a.block[2],
                         a.thread[0], a.thread[1], a.thread[2], text);
        if (n > 0) m->options.complain(m->options.print_context, line, strlen(line));
    }
}

static const insn *assertion(warp *w, const insn *i, const call_info *call, uint64_t mask) {
    machine *m = w->machine;
    uint32_t lane = first_lane(mask);
    char text[512], file[512];
    text_at(w, lane, em_argument(w, call, 0, lane), text, sizeof text);
    text_at(w, lane, em_argument(w, call, 1, lane), file, sizeof file);
    ls_lock(&m->lock);
    complain(w, call, mask, text, file);
    found *f = em_find_finding(m, LS_RULE_ASSERT, i->site, i->site, 0);
    if (!f->finding.count) {
        f->finding.level = LS_ERROR;
        em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, lane), NULL);
        f->finding.message = ls_arena_printf(&m->arena, "assertion '%s' failed (%s:%u)", text, file,
                                             (unsigned)em_argument(w, call, 2, lane));
    }
    f->finding.count += (uint64_t)__builtin_popcountll(mask);
    ls_unlock(&m->lock);
    return em_stop(w, i, LS_EMU_TRAPPED, "assertion '%s' failed", text);
}

/* __assert(condition) of lockstep.h: reported, and the run goes on; so are __requires and __assume, which are
 * no mistake of the kernel. */
static void check_lanes(warp *w, const insn *i, const call_info *call, uint64_t mask) {
    bool assumed = call->builtin == BUILTIN_ASSUME;
    machine *m = w->machine;
    FOR_LANES(l, mask) {
        if (em_argument(w, call, 0, l)) continue;
        ls_lock(&m->lock);
        found *f = em_find_finding(m, LS_RULE_ASSERT, i->site, i->site, 1);
        f->finding.count++;
        if (em_is_example(m, f, w->block)) {
            f->finding.level = assumed ? LS_WARNING : LS_ERROR;
            em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, l), NULL);
            f->finding.message = assumed ? "what is required or assumed here does not hold in this run"
                                         : "the assertion does not hold";
        }
        ls_unlock(&m->lock);
    }
}

static void free_lanes(warp *w, const insn *i, const call_info *call, uint64_t mask) {
    machine *m = w->machine;
    FOR_LANES(l, mask) {
        uint64_t address = em_argument(w, call, 0, l);
        if (!address || em_heap_free(m, address)) continue;
        ls_lock(&m->lock);
        found *f = em_find_finding(m, LS_RULE_MEMORY_BOUNDS, i->site, i->site, 1);
        f->finding.count++;
        if (em_is_example(m, f, w->block)) {
            f->finding.level = LS_ERROR;
            em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, l), NULL);
            f->finding.message = "free of a pointer that malloc did not return, or that was freed before";
        }
        ls_unlock(&m->lock);
    }
}

const insn *em_exec_builtin(warp *w, const insn *i, const call_info *call, uint64_t mask) {
    switch (call->builtin) {
    case BUILTIN_VPRINTF: print_lanes(w, call, mask); break;
    case BUILTIN_ASSERT: return assertion(w, i, call, mask);
    case BUILTIN_MALLOC:
        FOR_LANES(l, mask) em_give_result(w, call, l, em_heap_alloc(w->machine, em_argument(w, call, 0, l)));
        break;
    case BUILTIN_FREE: free_lanes(w, i, call, mask); break;
    case BUILTIN_GRID_HANDLE:
        FOR_LANES(l, mask) em_give_result(w, call, l, 1); /* a grid that is valid */
        break;
    case BUILTIN_FENCES:
        w->fences = em_argument(w, call, 0, first_lane(mask)) & (FENCE_SHARED | FENCE_GLOBAL);
        break;
    case BUILTIN_CHECK:
    case BUILTIN_ASSUME: check_lanes(w, i, call, mask); break;
    case BUILTIN_CHILD_BUFFER:
    case BUILTIN_CHILD_LAUNCH:
    case BUILTIN_CHILD_LAST_ERROR:
    case BUILTIN_CHILD_PEEK_ERROR:
    case BUILTIN_CHILD_HANDLE:
    case BUILTIN_CHILD_SUCCESS:
    case BUILTIN_CHILD_MALLOC:
    case BUILTIN_SET_CONDITIONAL: return em_exec_child(w, i, call, mask);
    default: break;
    }
    return i + 1;
}
