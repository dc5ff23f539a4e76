/* What known functions (ptx_builtins.def) mean to the verifier. */
#include "verify/execute/calls.h"

#include <string.h>

ls_call_kind ls_call_of(const ls_ir_instr *instr) {
    static const uint8_t kinds[] = {
        [LS_BUILTIN_NONE] = LS_CALL_UNKNOWN,
#define BUILTIN(id, name, call, run, traits) [LS_BUILTIN_##id] = LS_CALL_##call,
#include "lockstep/ptx_builtins.def"
#undef BUILTIN
    };
    return (ls_call_kind)kinds[ls_ir_builtin(instr)];
}

bool ls_is_failure(const ls_ir_instr *instr) {
    return instr->op == LS_OP_TRAP || ls_call_of(instr) == LS_CALL_FAIL;
}

bool ls_call_is_external(const ls_ir_instr *i) {
    const ls_ptx_function *callee = i->call && i->call->name ? i->call->callee : NULL;
    if (!callee || ls_call_of(i) != LS_CALL_UNKNOWN) return false;
    bool image = strstr(i->call->name, "image") != NULL; /* an OpenCL built-in that accesses memory */
    return !i->call->no_return && !callee->body && !callee->definition && strncmp(i->call->name, "__", 2) &&
           !image;
}

bool ls_call_is_global(const ls_ir_instr *instr) {
    return ls_ptx_builtin_traits(ls_ir_builtin(instr)) & LS_TRAIT_GLOBAL;
}
