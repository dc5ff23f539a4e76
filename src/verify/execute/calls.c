/* Functions without a body: one table of those the verifier knows. A name that ends with * is a prefix. */
#include "verify/execute/calls.h"

#include <string.h>

typedef struct {
    const char *name;
    ls_call_kind kind;
} row;

static const row rows[] = {
    {"sinf", LS_CALL_PURE},
    {"cosf", LS_CALL_PURE},
    {"tanf", LS_CALL_PURE},
    {"expf", LS_CALL_PURE},
    {"exp2f", LS_CALL_PURE},
    {"exp10f", LS_CALL_PURE},
    {"logf", LS_CALL_PURE},
    {"log2f", LS_CALL_PURE},
    {"log10f", LS_CALL_PURE},
    {"powf", LS_CALL_PURE},
    {"sin", LS_CALL_PURE},
    {"cos", LS_CALL_PURE},
    {"tan", LS_CALL_PURE},
    {"exp", LS_CALL_PURE},
    {"exp2", LS_CALL_PURE},
    {"exp10", LS_CALL_PURE},
    {"log", LS_CALL_PURE},
    {"log2", LS_CALL_PURE},
    {"log10", LS_CALL_PURE},
    {"pow", LS_CALL_PURE},
    {"ldexpf", LS_CALL_PURE},
    {"ldexp", LS_CALL_PURE},
    {"asinf", LS_CALL_PURE},
    {"acosf", LS_CALL_PURE},
    {"atanf", LS_CALL_PURE},
    {"atan2f", LS_CALL_PURE},
    {"sinhf", LS_CALL_PURE},
    {"coshf", LS_CALL_PURE},
    {"tanhf", LS_CALL_PURE},
    {"fmodf", LS_CALL_PURE},
    {"fmod", LS_CALL_PURE},
    {"sqrtf", LS_CALL_PURE},
    {"sqrt", LS_CALL_PURE},
    {"rsqrtf", LS_CALL_PURE},
    {"fabsf", LS_CALL_PURE},
    {"floorf", LS_CALL_PURE},
    {"ceilf", LS_CALL_PURE},
    {"cbrtf", LS_CALL_PURE},
    {"erff", LS_CALL_PURE},
    {"erfcf", LS_CALL_PURE},
    {"lgammaf", LS_CALL_PURE},
    {"tgammaf", LS_CALL_PURE},
    {"__lockstep_powif", LS_CALL_PURE},
    {"__lockstep_powi", LS_CALL_PURE},
    {"__uninterpreted_function_*", LS_CALL_PURE},
    {"__translate_sampler_initializer", LS_CALL_PURE},
    {"_Z12get_work_dimv", LS_CALL_DIMENSIONS},
    {"_Z17get_global_offsetj", LS_CALL_PURE},
    {"vprintf", LS_CALL_NOTHING},
    {"__assertfail", LS_CALL_FAIL},
    {"__lockstep_barrier", LS_CALL_NOTHING},
    {"__non_temporal_loads_begin", LS_CALL_NOTHING},
    {"__non_temporal_loads_end", LS_CALL_NOTHING},
    {"__candidate_invariant", LS_CALL_NOTHING},
    {"__candidate_global_invariant", LS_CALL_NOTHING},
    {"__candidate_assert", LS_CALL_NOTHING},
    {"__candidate_global_assert", LS_CALL_NOTHING},
    {"__function_wide_candidate_invariant", LS_CALL_NOTHING},
    {"__requires_fresh_array_at", LS_CALL_NOTHING},
    {"__enabled", LS_CALL_ENABLED},
    {"__dominator_enabled", LS_CALL_ENABLED},
    {"__other_int", LS_CALL_OTHER},
    {"__other_bool", LS_CALL_OTHER},
    {"__other_long", LS_CALL_OTHER},
    {"__read", LS_CALL_LOG},
    {"__read_local", LS_CALL_LOG},
    {"__read_global", LS_CALL_LOG},
    {"__read_offset_bytes*", LS_CALL_LOG},
    {"__write", LS_CALL_LOG},
    {"__write_local", LS_CALL_LOG},
    {"__write_global", LS_CALL_LOG},
    {"__write_offset_bytes*", LS_CALL_LOG},
    {"__ptr_offset_bytes*", LS_CALL_OFFSET},
    {"__reads_from*", LS_CALL_TOUCH},
    {"__writes_to*", LS_CALL_TOUCH},
    {"__requires_size_at", LS_CALL_SIZE},
    {"__assume", LS_CALL_ASSUME},
    {"__requires", LS_CALL_REQUIRE},
    {"__global_requires", LS_CALL_REQUIRE},
    {"__assert", LS_CALL_ASSERT},
    {"__global_assert", LS_CALL_ASSERT},
    {"__invariant", LS_CALL_ASSERT},
    {"__global_invariant", LS_CALL_ASSERT},
    {"__barrier_invariant_binary*", LS_CALL_UNKNOWN},
    {"__barrier_invariant_*", LS_CALL_AT_BARRIER},
    {"__ensures", LS_CALL_ENSURE},
    {"__global_ensures", LS_CALL_ENSURE},
    {"__return_val_*", LS_CALL_RESULT},
    {"__old_*", LS_CALL_OLD},
    {LS_IR_RETURN, LS_CALL_RETURN},
    {"__lockstep_whole_block", LS_CALL_WHOLE},
    {"__lockstep_grid_sync", LS_CALL_GRID},
    {"__lockstep_async_copy_*", LS_CALL_COPY},
    {"__lockstep_wait_event*", LS_CALL_WAIT},
    {"__lockstep_*", LS_CALL_SYNC},
};

static bool matches(const char *name, const char *pattern) {
    size_t length = strlen(pattern);
    if (pattern[length - 1] == '*') return !strncmp(name, pattern, length - 1);
    return !strcmp(name, pattern);
}

ls_call_kind ls_call_of(const ls_ir_instr *instr) {
    if (!instr->call || !instr->call->name) return LS_CALL_UNKNOWN;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (matches(instr->call->name, rows[i].name)) return rows[i].kind;
    return LS_CALL_UNKNOWN;
}

bool ls_is_failure(const ls_ir_instr *instr) {
    return instr->op == LS_OP_TRAP || ls_call_of(instr) == LS_CALL_FAIL;
}

bool ls_call_is_global(const ls_ir_instr *instr) {
    return instr->call && instr->call->name && !strncmp(instr->call->name, "__global_", 9);
}
