/* The tables of PTX and the decoding of opcode spellings. Every look-up here runs once per distinct spelling
 * of a module, so a binary search over sorted names is fast enough. */
#include "ptx/tables.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

/* --- Types -----------------------------------------------------------------------------------------------
 */
static const struct {
    const char *text;
    uint16_t bits;
    uint8_t kind;
} type_table[] = {
#define TYPE(id, text, bits, kind) {text, bits, LS_KIND_##kind},
#include "lockstep/ptx_types.def"
#undef TYPE
};

const char *ls_ptx_type_text(ls_ptx_type type) {
    return type_table[type].text;
}
uint32_t ls_ptx_type_bits(ls_ptx_type type) {
    return type_table[type].bits;
}
ls_ptx_type_kind ls_ptx_type_kind_of(ls_ptx_type type) {
    return (ls_ptx_type_kind)type_table[type].kind;
}

/* --- Modifiers -------------------------------------------------------------------------------------------
 */
static const struct {
    const char *text;
    uint8_t group;
} modifier_table[] = {
    {"", LS_GROUP_OTHER},
#define MOD(id, text, group) {text, LS_GROUP_##group},
#include "lockstep/ptx_modifiers.def"
#undef MOD
};

const char *ls_ptx_modifier_text(ls_ptx_modifier modifier) {
    return modifier_table[modifier].text;
}

/* --- Opcodes ---------------------------------------------------------------------------------------------
 */
static const ls_ptx_opcode opcode_table[] = {
    {"", "Sx*", LS_CLASS_UNKNOWN,
     LS_READS_MEMORY | LS_WRITES_MEMORY | LS_ATOMIC | LS_BARRIER | LS_CROSS_LANE | LS_VARIES | LS_EFFECT},
#define INSTR(id, name, operands, class, effects, ...)                                                       \
    {name, operands, LS_CLASS_##class, effects, __VA_ARGS__},
#include "lockstep/ptx_instructions.def"
#undef INSTR
};

const ls_ptx_opcode *ls_ptx_opcode_of(ls_ptx_op op) {
    return &opcode_table[op];
}

bool ls_ptx_waits_for_named(const ls_ptx_form *form) {
    const ls_ptx_opcode *opcode = form->opcode;
    bool named = opcode && (opcode->effects & LS_WARP_BARRIER) && opcode->class != LS_CLASS_MATRIX;
    return named && (opcode->barrier == LS_BARRIER_WARP || ls_ptx_form_has(form, LS_MOD_SYNC));
}

/* --- Indices over the two by name, made once --------------------------------------------------------------
 */
typedef struct {
    const char *name;
    uint16_t row;
} entry;

static entry modifiers_by_name[LS_MOD_COUNT], opcodes_by_name[LS_OP_COUNT];
/* Where the names that begin with a letter start among them; they end where those of the next one start. */
static uint16_t modifier_starts[UCHAR_MAX + 2], opcode_starts[UCHAR_MAX + 2];
static uint8_t types_named[LS_OP_COUNT];
static pthread_once_t indexed_once = PTHREAD_ONCE_INIT;

static int compare_names(const void *a, const void *b) {
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static void sort(entry *all, uint16_t count, uint16_t *starts) {
    qsort(all, count, sizeof *all, compare_names);
    for (uint32_t letter = 0, i = 0; letter <= UCHAR_MAX + 1; letter++) {
        while (i < count && (unsigned char)*all[i].name < letter) i++;
        starts[letter] = (uint16_t)i;
    }
}

static uint8_t count_types(const char *signature) {
    uint8_t most = 0;
    for (; *signature; signature++)
        if (*signature >= '0' && *signature <= '3' && *signature - '0' + 1 > most)
            most = (uint8_t)(*signature - '0' + 1);
        else if (*signature == 'm' && most == 0)
            most = 1;
    return most;
}

static void make_indices(void) {
    for (uint16_t i = 0; i < LS_OP_COUNT; i++) types_named[i] = count_types(opcode_table[i].operands);
    for (uint16_t i = 0; i < LS_MOD_COUNT; i++) modifiers_by_name[i] = (entry){modifier_table[i].text, i};
    for (uint16_t i = 0; i < LS_OP_COUNT; i++) opcodes_by_name[i] = (entry){opcode_table[i].name, i};
    sort(modifiers_by_name, LS_MOD_COUNT, modifier_starts);
    sort(opcodes_by_name, LS_OP_COUNT, opcode_starts);
}

uint32_t ls_ptx_types_named(ls_ptx_op op) {
    pthread_once(&indexed_once, make_indices);
    return types_named[op];
}

/* strcmp of a text with a length against a table's NUL-terminated name. */
static int compare_text(const char *text, size_t length, const char *name) {
    size_t i = 0; /* most differ in their first letters: a call would take longer */
    while (i < length && name[i] && text[i] == name[i]) i++;
    if (i == length) return name[i] ? -1 : 0;
    return (unsigned char)text[i] - (unsigned char)name[i];
}

/* The row, or 0, which stands for what is not known in both tables. */
static uint16_t find(const entry *all, const uint16_t *starts, const char *text, size_t length) {
    uint32_t letter = length ? (unsigned char)*text : 0, low = starts[letter], high = starts[letter + 1];
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = compare_text(text, length, all[middle].name);
        if (order == 0) return all[middle].row;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static ls_ptx_modifier find_modifier(const char *text, size_t length) {
    return (ls_ptx_modifier)find(modifiers_by_name, modifier_starts, text, length);
}

static ls_ptx_op find_opcode(const char *text, size_t length) {
    return (ls_ptx_op)find(opcodes_by_name, opcode_starts, text, length);
}

ls_ptx_type ls_ptx_find_type(const char *text, size_t length) {
    static const uint8_t count = LS_TYPE_COUNT;
    for (uint8_t i = 1; i < count; i++)
        if (compare_text(text, length, type_table[i].text) == 0) return (ls_ptx_type)i;
    return LS_TYPE_NONE;
}

/* --- Spaces ----------------------------------------------------------------------------------------------
 */
const char *ls_ptx_space_text(ls_ptx_space space) {
    static const char *const texts[] = {"generic", "reg",   "sreg",   "const",           "global",
                                        "local",   "param", "shared", "shared::cluster", "tex"};
    return texts[space];
}

static ls_ptx_space space_of_modifier(ls_ptx_modifier modifier) {
    switch (modifier) {
    case LS_MOD_REG: return LS_SPACE_REG;
    case LS_MOD_SREG: return LS_SPACE_SREG;
    case LS_MOD_CONST: return LS_SPACE_CONST;
    case LS_MOD_GLOBAL: return LS_SPACE_GLOBAL;
    case LS_MOD_LOCAL: return LS_SPACE_LOCAL;
    case LS_MOD_PARAM:
    case LS_MOD_PARAM_ENTRY:
    case LS_MOD_PARAM_FUNC: return LS_SPACE_PARAM;
    case LS_MOD_SHARED:
    case LS_MOD_SHARED_CTA: return LS_SPACE_SHARED;
    case LS_MOD_SHARED_CLUSTER: return LS_SPACE_SHARED_CLUSTER;
    case LS_MOD_TEX: return LS_SPACE_TEX;
    default: return LS_SPACE_GENERIC;
    }
}

ls_ptx_space ls_ptx_find_space(const char *text, size_t length) {
    pthread_once(&indexed_once, make_indices);
    return space_of_modifier(find_modifier(text, length));
}

/* --- Special registers -----------------------------------------------------------------------------------
 */
static const ls_ptx_sreg_info sreg_table[] = {
    {"", LS_TYPE_NONE, false, LS_PER_THREAD},
#define SREG(id, name, type, vector, varies) {name, LS_TYPE_##type, vector, LS_##varies},
#include "lockstep/ptx_sregs.def"
#undef SREG
};

const ls_ptx_sreg_info *ls_ptx_sreg_of(ls_ptx_sreg sreg) {
    return &sreg_table[sreg];
}

ls_ptx_sreg ls_ptx_find_sreg(const char *text, size_t length, uint32_t *number) {
    *number = 0;
    for (int i = 1; i < LS_SREG_COUNT; i++)
        if (compare_text(text, length, sreg_table[i].name) == 0)
            return i == LS_SREG_ENVREG ? LS_SREG_NONE : i;
    size_t prefix = strlen("%envreg");
    if (length > prefix && length <= prefix + 2 && strncmp(text, "%envreg", prefix) == 0) {
        for (size_t i = prefix; i < length; i++) {
            if (!isdigit((unsigned char)text[i])) return LS_SREG_NONE;
            *number = *number * 10 + (uint32_t)(text[i] - '0');
        }
        if (*number < 32) return LS_SREG_ENVREG;
    }
    return LS_SREG_NONE;
}

/* --- Tuning directives -----------------------------------------------------------------------------------
 */
static const struct {
    const char *text;
    uint8_t least, most;
} tune_table[] = {
#define DIRECTIVE(id, text, least, most) {text, least, most},
#include "lockstep/ptx_tuning.def"
#undef DIRECTIVE
};

int ls_ptx_find_tune(const char *text, size_t length) {
    for (int i = 0; i < LS_TUNE_COUNT; i++)
        if (compare_text(text, length, tune_table[i].text) == 0) return i;
    return -1;
}

void ls_ptx_tune_limits(int kind, uint32_t *least, uint32_t *most) {
    *least = tune_table[kind].least;
    *most = tune_table[kind].most;
}

const char *ls_ptx_tune_text(ls_ptx_tune_kind kind) {
    return tune_table[kind].text;
}

const ls_ptx_tune *ls_ptx_tune_of(const ls_ptx_function *function, ls_ptx_tune_kind kind) {
    for (uint32_t i = 0; i < function->tune_count; i++)
        if (function->tunes[i].kind == kind) return &function->tunes[i];
    return NULL;
}

bool ls_ptx_cluster_of(const ls_ptx_function *function, uint32_t size[3]) {
    const ls_ptx_tune *t = ls_ptx_tune_of(function, LS_TUNE_REQNCTAPERCLUSTER);
    for (uint32_t k = 0; k < 3; k++)
        size[k] =
            t && k < t->count && t->values[k] && t->values[k] <= UINT32_MAX ? (uint32_t)t->values[k] : 1;
    return t != NULL;
}

/* --- Forms -----------------------------------------------------------------------------------------------
 */
enum { MAX_PARTS = 32 };

/* Shapes and counts: m16n8k16, 1d, 2d, 3d, 32x32b, x4, 128x256b, 64B. */
static bool is_shape(const char *text, size_t length) {
    bool digits = false;
    for (size_t i = 0; i < length; i++) {
        if (isdigit((unsigned char)text[i]))
            digits = true;
        else if (!strchr("mnkxdbpB_", text[i]))
            return false;
    }
    return digits;
}

/* Splits at the dots; "::" stays inside its part, "[N]" of ld.const[N] is cut off. */
static uint32_t split(const char *text, uint32_t length, const char **starts, uint32_t *lengths,
                      uint8_t *bank) {
    uint32_t count = 0, start = 0;
    for (uint32_t i = 0; i <= length && count < MAX_PARTS; i++) {
        if (i < length && text[i] != '.') continue;
        starts[count] = text + start;
        lengths[count] = i - start;
        const char *bracket = memchr(text + start, '[', i - start);
        if (bracket) {
            *bank = (uint8_t)atoi(bracket + 1);
            lengths[count] = (uint32_t)(bracket - starts[count]);
        }
        count++;
        start = i + 1;
    }
    return count;
}

static void decode_modifier(ls_ptx_form *form, ls_ptx_modifier modifier) {
    switch (modifier_table[modifier].group) {
    case LS_GROUP_TYPE:
        if (form->type_count < LS_PTX_MAX_TYPES)
            form->types[form->type_count++] = (uint8_t)(modifier - LS_MOD_T_NONE);
        break;
    case LS_GROUP_SPACE:
        if (form->space_count < 2) form->spaces[form->space_count++] = (uint8_t)space_of_modifier(modifier);
        break;
    case LS_GROUP_VECTOR: form->vector = modifier == LS_MOD_V2 ? 2 : modifier == LS_MOD_V4 ? 4 : 8; break;
    case LS_GROUP_ROUND: form->round = modifier; break;
    case LS_GROUP_COMPARE:
        if (!form->compare) form->compare = modifier;
        break;
    case LS_GROUP_SEMANTICS: form->semantics = modifier; break;
    case LS_GROUP_SCOPE: form->scope = modifier; break;
    default: break;
    }
}

ls_ptx_form *ls_ptx_decode_form(ls_arena *arena, const char *text, uint32_t length) {
    pthread_once(&indexed_once, make_indices);
    const char *starts[MAX_PARTS];
    uint32_t lengths[MAX_PARTS];
    ls_ptx_form *form = LS_NEW(arena, ls_ptx_form);
    form->text = text;
    form->length = length;
    form->vector = 1;
    uint32_t parts = split(text, length, starts, lengths, &form->const_bank);

    uint32_t named = 0; /* how many parts the opcode's name takes */
    for (uint32_t n = parts < 5 ? parts : 5; n > 0 && !named; n--) {
        form->op = find_opcode(text, (size_t)(starts[n - 1] + lengths[n - 1] - text));
        if (form->op != LS_OP_UNKNOWN) named = n;
    }
    form->opcode = &opcode_table[form->op];
    if (!named) named = 1;

    uint32_t count = parts - named;
    uint16_t *modifiers = LS_NEW_N(arena, uint16_t, count + 1);
    const char **texts = LS_NEW_N(arena, const char *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const char *start = starts[named + i];
        uint32_t size = lengths[named + i];
        ls_ptx_modifier modifier = size ? find_modifier(start, size) : LS_MOD_UNKNOWN;
        if (modifier == LS_MOD_UNKNOWN && is_shape(start, size)) modifier = LS_MOD_SHAPE;
        if (modifier == LS_MOD_UNKNOWN) form->unknown_modifiers++;
        modifiers[i] = (uint16_t)modifier;
        texts[i] = ls_arena_strndup(arena, start, size);
        decode_modifier(form, modifier);
    }
    form->modifiers = modifiers;
    form->modifier_texts = texts;
    form->modifier_count = (uint16_t)count;
    return form;
}

bool ls_ptx_form_has(const ls_ptx_form *form, ls_ptx_modifier modifier) {
    for (uint32_t i = 0; i < form->modifier_count; i++)
        if (form->modifiers[i] == modifier) return true;
    return false;
}

ls_ptx_type ls_ptx_wide_type(ls_ptx_type type) {
    switch (type) {
    case LS_TYPE_U16: return LS_TYPE_U32;
    case LS_TYPE_S16: return LS_TYPE_S32;
    case LS_TYPE_U32: return LS_TYPE_U64;
    case LS_TYPE_S32: return LS_TYPE_S64;
    default: return type;
    }
}
