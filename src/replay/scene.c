/* Setting the scene of a replay. Each pointer gets a buffer of its own, as the verifier assumes, large enough
 * for what the witness accesses and with room for the other threads; contents and scalar parameters are the
 * model's where it says something of them. */
#include "replay/scene.h"

#include "base/map.h"
#include "isa/number.h"
#include "isa/order.h"
#include "isa/tensor_map.h"

#include <string.h>

enum {
    ROOM = 1 << 20,         /* of a buffer behind what the witness accesses */
    FILLED = 1 << 18,       /* of it, not zero */
    MOST_BYTES = 128 << 20, /* of all buffers */
    DYNAMIC_SHARED = 32 << 10,
    LOCAL_ARGUMENT = 16 << 10,
    CLUSTER = 2 /* blocks */
};

typedef struct {
    ls_scene *s;
    const ls_ir_function *f;
    const ls_verify_execution *x;
    const ls_ptx_function *kernel;
    uint32_t *offsets; /* of the parameters */
    bool *accessed;    /* by base: there is an access to it */
    uint64_t *address; /* by base: where it lies; 0: nowhere */
    uint64_t taken;
    ls_scene_contents contents;
} setting;

static bool is_local(const ls_ptx_variable *v) {
    return v->is_pointer && v->pointer_space == LS_SPACE_SHARED;
}

/* --- Parameters ------------------------------------------------------------------------------------------
 */

/* Zeros, and local memory for OpenCL's local pointers. */
static bool make_arguments(setting *t) {
    ls_scene *s = t->s;
    const char **specs = LS_NEW_N(&s->arena, const char *, t->kernel->param_count + 1);
    uint32_t dynamic = 0;
    for (uint32_t i = 0; i < t->f->object_count; i++)
        if (t->f->objects[i]->kind == LS_OBJECT_SHARED && t->f->objects[i]->is_extern)
            dynamic = DYNAMIC_SHARED;
    for (uint32_t i = 0; i < t->kernel->param_count; i++)
        specs[i] = is_local(t->kernel->params[i]) ? ls_arena_printf(&s->arena, "local:%d", LOCAL_ARGUMENT)
                                                  : "bytes=";
    t->offsets = LS_NEW_N(&s->arena, uint32_t, t->kernel->param_count + 1);
    ls_emu_param_offsets(t->kernel, t->offsets);
    if (ls_emu_args_make(s->emulator, t->kernel, t->x->grid, t->x->block, dynamic, specs,
                         t->kernel->param_count, NULL, &s->arena, &s->args, s->diags))
        return true;
    s->trouble = "no arguments can be made up for it";
    return false;
}

/* A place in the parameter block; NULL where it lies outside. */
static char *parameter(const setting *t, uint32_t object, uint32_t offset, uint32_t bytes) {
    const ls_ir_object *o = object < t->f->object_count ? t->f->objects[object] : NULL;
    if (!o || o->kind != LS_OBJECT_PARAM || o->index >= t->kernel->param_count) return NULL;
    uint64_t at = (uint64_t)t->offsets[o->index] + offset;
    return at + bytes <= t->s->args.params_size ? t->s->args.params + at : NULL;
}

/* A number that a pointer is computed with looks like one itself, but for the accesses. */
static void find_accessed(setting *t) {
    t->accessed = LS_NEW_N(&t->s->arena, bool, t->f->base_count + 1);
    for (uint32_t i = 0; i < t->f->access_count; i++)
        for (uint32_t b = 0; b < t->f->accesses[i]->base_count; b++)
            t->accessed[t->f->accesses[i]->bases[b]->id] = true;
}

static bool is_pointer(const setting *t, uint32_t object, uint32_t offset) {
    for (uint32_t i = 0; i < t->f->base_count; i++) {
        const ls_ir_base *b = t->f->bases[i];
        if (t->accessed[i] && b->kind == LS_BASE_PARAM && b->object == object && b->offset == offset)
            return true;
    }
    return is_local(t->f->objects[object]->variable);
}

static void set_parameters(setting *t) {
    for (uint32_t i = 0; i < t->x->parameter_count; i++) {
        const ls_verify_parameter *p = &t->x->parameters[i];
        char *at = parameter(t, p->object, p->offset, p->width / 8);
        if (at && !p->inside && !is_pointer(t, p->object, p->offset)) memcpy(at, &p->value, p->width / 8);
    }
}

/* Pointers into the memory of others, once those have theirs. */
static void set_inside(setting *t) {
    for (uint32_t i = 0; i < t->x->parameter_count; i++) {
        const ls_verify_parameter *p = &t->x->parameters[i];
        const ls_argument_inside *in = p->inside;
        char *at = in ? parameter(t, p->object, p->offset, 8) : NULL;
        uint64_t start = 0;
        if (!at || in->of >= t->kernel->param_count) continue;
        uint64_t other = (uint64_t)t->offsets[in->of] + in->of_at;
        if (other + 8 > t->s->args.params_size) continue;
        memcpy(&start, t->s->args.params + other, 8);
        start += p->value;
        memcpy(at, &start, 8);
    }
}

static uint64_t as_type(ls_ptx_type type, double number) {
    return type == LS_TYPE_F64 ? em_bits_f64(number) : em_bits_f32((float)number);
}

static void set_factors(setting *t) {
    for (uint32_t i = 0; i < t->kernel->param_count; i++) {
        const ls_ptx_variable *p = t->kernel->params[i];
        const bool wide = p->type == LS_TYPE_F64;
        if ((!wide && p->type != LS_TYPE_F32) || p->dimension_count) continue;
        const uint64_t bits = as_type(p->type, 1.5 + i);
        memcpy(t->s->args.params + t->offsets[i], &bits, wide ? 8 : 4);
    }
}

/* --- Memory ----------------------------------------------------------------------------------------------
 */

/* The bytes of the object that the witness mentions. */
static void find_extent(const setting *t, const ls_ir_base *base, int64_t *low, int64_t *high) {
    *low = 0;
    *high = 0;
    const ls_verify_execution *x = t->x;
    for (uint32_t i = 0; i <= x->content_count; i++) {
        bool last = i == x->content_count;
        if (base != (last ? x->base : x->contents[i].base)) continue;
        int64_t at = last ? x->offset : x->contents[i].offset;
        if (at < *low) *low = at;
        if (at > *high) *high = at;
    }
}

/* F32 or F64 where the memory is accessed as such. */
static ls_ptx_type element_type(const setting *t, const ls_ir_base *base) {
    for (uint32_t i = 0; i < t->f->access_count; i++) {
        const ls_ir_access *a = t->f->accesses[i];
        const ls_ptx_type type = ls_ptx_form_type(a->instr->form, 0);
        if (type != LS_TYPE_F32 && type != LS_TYPE_F64) continue;
        for (uint32_t b = 0; b < a->base_count; b++)
            if (a->bases[b] == base) return type;
    }
    return LS_TYPE_U32;
}

/* Where the witness leaves memory open: small numbers that differ from each other, so that what is written
 * mostly differs too. */
static void fill(const setting *t, const ls_ir_base *base, uint64_t bytes) {
    const ls_ptx_type type = element_type(t, base);
    const uint32_t step = type == LS_TYPE_F64 ? 8 : 4;
    char *at = (char *)(uintptr_t)t->address[base->id];
    for (uint32_t k = 0; k < (bytes < FILLED ? bytes : FILLED) / step; k++) {
        const uint64_t number = k % 1021 + 1,
                       bits = em_is_float(type) ? as_type(type, (double)number) : number;
        memcpy(at + (size_t)k * step, &bits, step);
    }
}

/* Threads may wait there for each other: what they wait for must not be there from the start. */
static bool is_flag(const setting *t, const ls_ir_base *base) {
    for (uint32_t i = 0; t->x->of_order && i < t->f->access_count; i++) {
        const ls_ir_access *a = t->f->accesses[i];
        if (a->kind == LS_ACCESS_WRITE || !ls_order_of(a->instr->form).strong) continue;
        for (uint32_t b = 0; b < a->base_count; b++)
            if (a->bases[b] == base) return true;
    }
    return false;
}

/* How large it must be for an access out of its bounds to be one; 0: that does not matter. */
static uint64_t limit_of(const setting *t, const ls_ir_base *base) {
    return base == t->x->base ? t->x->limit : 0;
}

static bool make_buffer(setting *t, const ls_ir_base *base) {
    char *at = parameter(t, base->object, base->offset, 8);
    if (!at) return true;
    if (is_local(t->f->objects[base->object]->variable)) return true;
    int64_t low, high;
    find_extent(t, base, &low, &high);
    bool far = low < -(int64_t)MOST_BYTES || high > (int64_t)MOST_BYTES;
    uint64_t before = far ? 0 : ((uint64_t)-low + 255) / 256 * 256;
    uint64_t bytes = far ? MOST_BYTES : before + (uint64_t)high + ROOM;
    if (limit_of(t, base)) {
        far = limit_of(t, base) > MOST_BYTES;
        before = 0;
        bytes = limit_of(t, base);
    }
    t->taken += bytes;
    if (far || t->taken > MOST_BYTES) {
        t->s->trouble = "it needs more memory than a replay may use";
        return false;
    }
    uint64_t start = ls_emulator_alloc(t->s->emulator, bytes, base->name);
    if (!start) t->s->trouble = "there is no memory for its buffers";
    t->address[base->id] = start + before;
    memcpy(at, &t->address[base->id], 8);
    if (start && t->contents != LS_SCENE_ZEROS && !is_flag(t, base)) fill(t, base, bytes - before);
    return start != 0;
}

static bool make_buffers(setting *t) {
    t->address = LS_NEW_N(&t->s->arena, uint64_t, t->f->base_count + 1);
    for (uint32_t i = 0; i < t->f->base_count; i++) {
        const ls_ir_base *base = t->f->bases[i];
        if (!t->accessed[i]) continue;
        if (base->kind == LS_BASE_PARAM && !make_buffer(t, base)) return false;
        if (base->kind != LS_BASE_OBJECT || !t->f->objects[base->object]->symbol) continue;
        t->address[base->id] =
            ls_emulator_symbol(t->s->emulator, t->f->objects[base->object]->symbol->name, NULL);
    }
    return true;
}

/* --- Tensor maps -----------------------------------------------------------------------------------------
 */

/* Elements of two bytes, in rows of 128 bytes where the box has several dimensions; of eight where one alone
 * would be too long. */
static bool describe(const ls_verify_box *b, uint64_t base, uint64_t word[LS_TENSOR_WORDS]) {
    enum { MOST = 256, ROW = 128, TIMES = 4 };
    const bool wide = b->rank == 1 && b->bytes / 2 > MOST;
    ls_tensor_map m = {.base = base, .rank = b->rank, .type = wide ? LS_TYPE_U64 : LS_TYPE_F16};
    uint64_t left = b->bytes / (wide ? 8 : 2), stride = wide ? 8 : 2;
    if (!b->rank || b->rank > LS_TENSOR_RANK || b->bytes % LS_TENSOR_PIECE) return false;
    for (uint32_t k = 0; k < m.rank; k++) {
        const uint64_t row = k == 0 && m.rank > 1 ? ROW / 2 : MOST;
        uint64_t box = left < row ? left : row;
        while (left % box) box--;
        m.box[k] = (uint32_t)box;
        m.size[k] = box * TIMES;
        m.step[k] = 1;
        m.stride[k] = stride;
        stride *= m.size[k];
        left /= box;
    }
    return left == 1 && stride <= ROOM * 64 && !ls_tensor_map_write(&m, word);
}

/* Maps whose boxes follow from what the kernel does with them. */
static void make_maps(setting *t) {
    for (uint32_t i = 0; i < t->x->box_count; i++) {
        const ls_verify_box *b = &t->x->boxes[i];
        uint64_t word[LS_TENSOR_WORDS];
        char *at = parameter(t, b->object, b->offset, sizeof word);
        if (!at || !describe(b, LS_TENSOR_PIECE, word)) continue;
        uint64_t bytes = 2;
        const ls_tensor_map m = ls_tensor_map_read(word);
        for (uint32_t k = 0; k < m.rank; k++) bytes = m.stride[k] * m.size[k];
        t->taken += bytes;
        uint64_t base = t->taken > MOST_BYTES ? 0 : ls_emulator_alloc(t->s->emulator, bytes, "tensor");
        if (base && describe(b, base, word)) memcpy(at, word, sizeof word);
    }
}

/* Memory behind a pointer that is itself in memory has a base of the verifier's own, which is nowhere here.
 */
static bool is_here(const setting *t, const ls_ir_base *base) {
    return base->id < t->f->base_count && t->f->bases[base->id] == base;
}

/* Whether the object has these bytes. */
static bool holds(const setting *t, const ls_verify_content *c) {
    const ls_ir_base *base = c->base;
    if (!is_here(t, base) || !t->address[base->id]) return false;
    uint64_t size = limit_of(t, base);
    if (base->kind == LS_BASE_PARAM && !size) return true;
    if (base->kind != LS_BASE_PARAM) size = t->f->objects[base->object]->size;
    return c->offset >= 0 && (uint64_t)c->offset + c->width / 8 <= size;
}

/* False where a byte was another before. */
static bool set_content(const setting *t, const ls_verify_content *c, ls_intmap *set) {
    bool agrees = true;
    const ls_ir_base *base = c->base;
    bool shared = base->space == LS_SPACE_SHARED ||
                  (base->kind == LS_BASE_OBJECT && t->f->objects[base->object]->kind == LS_OBJECT_SHARED);
    t->s->left_out |= (shared && !c->written) || !is_here(t, base);
    for (uint32_t k = 0; k < c->width / 8 && holds(t, c); k++) {
        uint64_t at = t->address[c->base->id] + (uint64_t)c->offset + k;
        uint8_t byte = (uint8_t)(c->value >> 8 * k);
        bool is_new;
        uint64_t *was = ls_intmap_at(set, at, &is_new);
        agrees &= is_new || *was == byte;
        if (!is_new) continue;
        *was = byte;
        memcpy((void *)(uintptr_t)at, &byte, 1);
    }
    return agrees;
}

/* What memory that nobody writes must hold comes first; of memory that the kernel writes, what is loaded may
 * have come there later. */
static bool set_contents(setting *t) {
    ls_intmap set = {0};
    bool agree = true;
    for (int written = 0; written < 2; written++)
        for (uint32_t i = 0; i < t->x->content_count; i++)
            if (t->x->contents[i].written == written && !is_flag(t, t->x->contents[i].base))
                agree &= set_content(t, &t->x->contents[i], &set) || written;
    ls_intmap_free(&set);
    t->s->contradiction = !agree;
    if (!agree) t->s->trouble = "no contents of memory lead to it";
    return agree;
}

/* Parameters that the launch gives the same pointer have it here, too. */
static void share_pointers(setting *t) {
    for (uint32_t i = 0; i < t->f->object_count; i++) {
        const ls_ir_object *o = t->f->objects[i];
        if (o->kind != LS_OBJECT_PARAM || o->same == o->index) continue;
        char *to = parameter(t, i, 0, 8), *params = t->s->args.params;
        if (to) memcpy(to, params + t->offsets[o->same], 8);
    }
}

/* --- The scene -------------------------------------------------------------------------------------------
 */

void ls_scene_set(ls_scene *s, const ls_ir_function *f, const ls_verify_execution *x,
                  ls_scene_contents contents) {
    *s = (ls_scene){.diags = ls_diags_new()};
    ls_arena_init(&s->arena);
    setting t = {.s = s, .f = f, .x = x, .kernel = f->ptx, .contents = contents};
    find_accessed(&t);
    s->emulator = ls_emulator_new(f->module, s->diags);
    if (!s->emulator)
        s->trouble = "the emulator does not run modules like this one";
    else if (make_arguments(&t) && make_buffers(&t)) {
        set_parameters(&t);
        set_inside(&t);
        if (contents == LS_SCENE_FACTORS) set_factors(&t);
        share_pointers(&t);
        make_maps(&t);
        set_contents(&t);
    }
}

static bool has_clusters(const ls_ir_function *f) {
    if (ls_ptx_tune_of(f->ptx, LS_TUNE_EXPLICITCLUSTER)) return true;
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ptx_opcode *opcode = f->instrs[i]->form->opcode;
        bool waits =
            opcode->barrier == LS_BARRIER_CLUSTER_ARRIVE || opcode->barrier == LS_BARRIER_CLUSTER_WAIT;
        if (waits || f->instrs[i]->op == LS_OP_MAPA) return true;
    }
    return false;
}

/* Compilers may leave it to the launch. */
void ls_scene_cluster(const ls_ir_function *f, ls_emu_launch *launch) {
    bool open = has_clusters(f) && !ls_ptx_tune_of(f->ptx, LS_TUNE_REQNCTAPERCLUSTER);
    if (open && launch->grid[0] % CLUSTER == 0) launch->cluster[0] = CLUSTER;
}

void ls_scene_free(ls_scene *s) {
    ls_emulator_free(s->emulator);
    ls_diags_free(s->diags);
    ls_arena_free(&s->arena);
}
