/* From syntax tree to straight-line code: one walk over a function's statements that decodes instructions,
 * notes where labels stand, and expands calls in place. A call of a .func is expanded by walking the callee's
 * body in a frame of its own (fresh registers, labels and private variables), in which the callee's
 * parameters are the caller's .param variables themselves, and `ret` is a branch behind the expansion. The
 * walk keeps its own stack, so neither nesting of scopes nor depth of calls uses the C stack. */
#include "ir/decode.h"

#include "ptx/uses.h"

#include <assert.h>

enum { DEFAULT_INLINE_LIMIT = 400000 };

typedef struct {
    const ls_ptx_block *block;
    uint32_t next;
    bool is_body; /* the end of it is the end of the frame */
} cursor;

typedef LS_VEC(cursor) cursors;

/* --- Instructions ----------------------------------------------------------------------------------------
 */

static void emit(decoder *d, ls_ir_instr *instr) {
    LS_VEC_PUSH(&d->f->hidden->code, instr);
}

static ls_ir_operand guard_of(decoder *d, const ls_ptx_instr *ast) {
    if (!ast->guard) return (ls_ir_operand){.kind = LS_IR_ABSENT};
    ls_ptx_operand named = {.kind = LS_OPERAND_REGISTER, .symbol = ast->guard};
    ls_ir_operand guard = decode_scalar(d, &named, LS_TYPE_PRED, NULL);
    if (ast->guard_negated) guard.flags ^= LS_OPERAND_NOT;
    return guard;
}

/* A branch that is not in the PTX. */
static ls_ir_instr *made_branch(decoder *d, const ls_place *pos, uint32_t label, ls_ir_operand guard) {
    ls_ir_function *f = d->f;
    ls_ir_instr *bra =
        ir_new_instr(f, ir_make_form(f, LS_OP_BRA, LS_SPACE_GENERIC, LS_TYPE_NONE, LS_TYPE_NONE), 0, 1);
    bra->src[0] = (ls_ir_operand){.kind = LS_IR_BLOCK, .role = LS_ROLE_TARGET};
    bra->src[0].label = label;
    bra->guard = guard;
    bra->pos = pos;
    bra->made = true;
    return bra;
}

/* brx.idx: its table of labels, as positions in code to come. */
static void decode_targets(decoder *d, const ls_ptx_instr *ast, ls_ir_instr *instr) {
    if (instr->op != LS_OP_BRX_IDX || ast->operand_count < 2) return;
    const ls_ptx_operand *list = &ast->operands[1];
    if (list->kind != LS_OPERAND_SYMBOL || !list->symbol || list->symbol->kind != LS_SYMBOL_TARGETS) return;
    const ls_ptx_stmt *stmt = list->symbol->stmt;
    if (!stmt || stmt->kind != LS_STMT_BRANCHTARGETS) return;
    const ls_ptx_targets *targets = stmt->targets;
    uint32_t *labels = LS_NEW_N(&d->f->hidden->arena, uint32_t, targets->target_count);
    for (uint32_t i = 0; i < targets->target_count; i++) {
        const ls_ptx_symbol *symbol = targets->targets[i].symbol;
        bool is_label =
            targets->targets[i].kind == LS_OPERAND_SYMBOL && symbol && symbol->kind == LS_SYMBOL_LABEL;
        labels[i] = is_label ? decode_label(d, symbol) : LS_IR_NONE;
    }
    instr->target_labels = labels;
    instr->target_count = targets->target_count;
}

static void emit_transfer(decoder *d, const ls_place *pos, ls_ir_operand to, ls_ir_operand from);
static ls_ir_operand whole_register(decoder *d, const ls_ptx_symbol *symbol);

static bool object_of_parameter(const decoder *d, const ls_ptx_variable *variable, ls_ir_operand *out) {
    uint64_t object;
    if (!ls_intmap_get(&d->frame->objects, (uintptr_t)variable->symbol, &object)) return false;
    *out = (ls_ir_operand){.kind = LS_IR_OBJECT, .object = (uint32_t)object};
    return true;
}

/* Results that a function of old PTX has in registers are stored to their objects where it returns. */
static void store_results(decoder *d, const ls_place *pos, ls_ir_operand guard) {
    const ls_ptx_function *function = d->frame->function;
    for (uint32_t i = 0; i < function->return_count; i++) {
        ls_ir_operand to;
        const ls_ptx_variable *result = function->returns[i];
        if (!result->symbol || result->symbol->kind != LS_SYMBOL_REGISTER) continue;
        if (!object_of_parameter(d, result, &to)) continue;
        uint32_t before = d->f->hidden->code.length;
        emit_transfer(d, pos, to, whole_register(d, result->symbol));
        if (d->f->hidden->code.length > before) d->f->hidden->code.items[before]->guard = guard;
    }
}

static void mark_own_return(decoder *d, const ls_place *pos);

static void decode_plain(decoder *d, const ls_ptx_stmt *stmt) {
    const ls_ptx_instr *ast = stmt->instr;
    const ls_place *pos = decode_position(d, stmt);
    ls_ir_operand guard = guard_of(d, ast);
    if (ast->form->op == LS_OP_RET && d->frame->caller) {
        emit(d, made_branch(d, pos, d->frame->return_label, guard));
        return;
    }
    if (ast->form->op == LS_OP_RET) {
        store_results(d, pos, guard);
        if (d->frame->promise && guard.kind == LS_IR_ABSENT) mark_own_return(d, pos);
    }
    uint32_t skip = LS_IR_NONE;
    if (ast->form->op == LS_OP_BRX_IDX && ast->guard) { /* a branch has one predicate: two branches */
        skip = new_label(d, NULL);
        guard.flags ^= LS_OPERAND_NOT;
        emit(d, made_branch(d, pos, skip, guard));
        guard = (ls_ir_operand){.kind = LS_IR_ABSENT};
    }
    ls_ir_instr *instr = ir_new_instr(d->f, ast->form, 0, 0);
    instr->ast = ast;
    instr->pos = pos;
    instr->guard = guard;
    decode_operands(d, ast, instr);
    take_operands(d, instr);
    decode_targets(d, ast, instr);
    emit(d, instr);
    if (skip != LS_IR_NONE) place_label(d, skip);
}

/* --- Calls -----------------------------------------------------------------------------------------------
 */

typedef struct { /* call (results), callee, (args), prototype */
    const ls_ptx_operand *callee, *prototype;
    const ls_ptx_operand *args, *results;
    uint32_t arg_count, result_count;
} call_parts;

static call_parts split_call(const ls_ptx_instr *ast) {
    call_parts parts = {0};
    for (uint32_t i = 0; i < ast->operand_count; i++) {
        const ls_ptx_operand *operand = &ast->operands[i];
        if (operand->kind == LS_OPERAND_LIST && !parts.callee) {
            parts.results = operand->parts;
            parts.result_count = operand->count;
        } else if (operand->kind == LS_OPERAND_LIST) {
            parts.args = operand->parts;
            parts.arg_count = operand->count;
        } else if (!parts.callee) {
            parts.callee = operand;
        } else {
            parts.prototype = operand;
        }
    }
    return parts;
}

static const ls_ptx_function *direct_callee(const call_parts *parts) {
    if (!parts->callee || parts->callee->kind != LS_OPERAND_SYMBOL) return NULL;
    const ls_ptx_symbol *symbol = parts->callee->symbol;
    while (symbol && symbol->kind == LS_SYMBOL_ALIAS && symbol->alias != symbol) symbol = symbol->alias;
    return symbol && symbol->kind == LS_SYMBOL_FUNCTION ? symbol->function : NULL;
}

static void decode_prototype(decoder *d, const ls_ptx_operand *operand, ls_ir_call *call) {
    if (!operand || operand->kind != LS_OPERAND_SYMBOL || !operand->symbol) return;
    if (operand->symbol->kind != LS_SYMBOL_TARGETS || !operand->symbol->stmt) return;
    const ls_ptx_targets *targets = operand->symbol->stmt->targets;
    call->prototype = targets->prototype;
    call->targets = LS_NEW_N(&d->f->hidden->arena, const ls_ptx_symbol *, targets->target_count + 1);
    for (uint32_t i = 0; i < targets->target_count; i++)
        if (targets->targets[i].kind == LS_OPERAND_SYMBOL)
            call->targets[call->target_count++] = targets->targets[i].symbol;
}

static ls_ir_argument *decode_arguments(decoder *d, const ls_ptx_operand *list, uint32_t count,
                                        bool results) {
    ls_ir_argument *arguments = LS_NEW_N(&d->f->hidden->arena, ls_ir_argument, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        ls_ir_operand operand = decode_scalar(d, &list[i], LS_TYPE_NONE, NULL);
        arguments[i].object = operand.kind == LS_IR_OBJECT ? operand.object : LS_IR_NONE;
        arguments[i].first = results ? d->dst.length : d->src.length;
        arguments[i].count = 1;
        operand.operand = (uint8_t)i;
        if (results)
            LS_VEC_PUSH(&d->dst, operand);
        else
            LS_VEC_PUSH(&d->src, operand);
    }
    return arguments;
}

/* A vector register or a sum as an argument or result, which no compiler uses: not modelled. */
static bool has_odd(const ls_ptx_operand *list, uint32_t count) {
    bool has = false;
    for (uint32_t i = 0; i < count; i++) {
        bool whole = list[i].kind == LS_OPERAND_REGISTER && !list[i].element && list[i].symbol;
        has |= (whole && list[i].symbol->vector > 1) || ir_is_sum(&list[i]);
    }
    return has;
}

static bool passes_odd(const call_parts *parts) {
    return has_odd(parts->args, parts->arg_count) || has_odd(parts->results, parts->result_count);
}

static ls_ir_instr *keep_call(decoder *d, const ls_ptx_stmt *stmt, const call_parts *parts) {
    const ls_ptx_instr *ast = stmt->instr;
    ls_ir_instr *instr = ir_new_instr(d->f, ast->form, 0, 0);
    ls_ir_call *call = instr->call = LS_NEW(&d->f->hidden->arena, ls_ir_call);
    instr->ast = ast;
    instr->pos = decode_position(d, stmt);
    instr->guard = guard_of(d, ast);
    d->dst.length = d->src.length = 0;
    ls_ir_operand callee = {.kind = LS_IR_SINK};
    if (parts->callee) callee = decode_scalar(d, parts->callee, LS_TYPE_NONE, NULL);
    callee.role = LS_ROLE_CALLEE;
    LS_VEC_PUSH(&d->src, callee);
    call->callee = direct_callee(parts);
    if (call->callee && call->callee->symbol) {
        call->name = call->callee->symbol->name;
        call->builtin = call->callee->builtin;
    }
    call->no_return = call->callee && ls_ptx_tune_of(call->callee, LS_TUNE_NORETURN);
    decode_prototype(d, parts->prototype, call);
    call->args = decode_arguments(d, parts->args, parts->arg_count, false);
    call->arg_count = parts->arg_count;
    call->results = decode_arguments(d, parts->results, parts->result_count, true);
    call->result_count = parts->result_count;
    take_operands(d, instr);
    instr->unknown |= passes_odd(parts);
    if (instr->unknown) call->arg_count = call->result_count = 0;
    emit(d, instr);
    return instr;
}

/* --- Expanding calls -------------------------------------------------------------------------------------
 */

static frame *new_frame(decoder *d, const ls_ptx_function *function, frame *caller) {
    ls_arena *arena = &d->f->hidden->arena;
    frame *fr = LS_NEW(arena, frame);
    fr->function = function;
    fr->caller = caller;
    fr->registers = ls_arena_alloc(arena, function->register_count * sizeof(uint32_t) + 1);
    fr->labels = ls_arena_alloc(arena, function->label_count * sizeof(uint32_t) + 1);
    for (uint32_t i = 0; i < function->register_count; i++) fr->registers[i] = LS_IR_NONE;
    for (uint32_t i = 0; i < function->label_count; i++) fr->labels[i] = LS_IR_NONE;
    fr->return_label = fr->skip_label = LS_IR_NONE;
    return fr;
}

/* Why the call cannot be expanded, or LS_IR_NONE. */
static uint32_t obstacle(const decoder *d, const call_parts *parts, const ls_ptx_function *callee) {
    if (!callee) return LS_UNRESOLVED_INDIRECT;
    const ls_ptx_function *definition = callee->definition;
    if (!definition || !definition->body) return LS_UNRESOLVED_EXTERNAL;
    for (const frame *fr = d->frame; fr; fr = fr->caller)
        if (fr->function == definition) return LS_UNRESOLVED_RECURSIVE;
    if (parts->arg_count != definition->param_count || parts->result_count != definition->return_count ||
        passes_odd(parts))
        return LS_UNRESOLVED_MISMATCH;
    uint32_t limit = d->f->hidden->options.inline_limit;
    if (!limit) limit = DEFAULT_INLINE_LIMIT;
    if ((uint64_t)d->f->hidden->code.length + d->expanded + definition->instr_count > limit)
        return LS_UNRESOLVED_TOO_LARGE;
    return LS_IR_NONE;
}

static ls_ir_operand whole_register(decoder *d, const ls_ptx_symbol *symbol) {
    ls_ptx_operand named = {.kind = LS_OPERAND_REGISTER, .symbol = (ls_ptx_symbol *)(uintptr_t)symbol};
    return decode_scalar(d, &named, LS_TYPE_NONE, NULL);
}

/* to = from, where each is a register, a constant (from only) or a .param object. */
static void emit_transfer(decoder *d, const ls_place *pos, ls_ir_operand to, ls_ir_operand from) {
    ls_ir_function *f = d->f;
    ls_ptx_type type = (ls_ptx_type)(to.kind == LS_IR_OBJECT ? f->objects[to.object]->symbol->type : to.type);
    uint8_t kind = from.kind == LS_IR_OBJECT ? f->objects[from.object]->kind : LS_OBJECT_FUNCTION;
    bool load = kind == LS_OBJECT_CALL_PARAM || kind == LS_OBJECT_PARAM;
    bool store = to.kind == LS_IR_OBJECT;
    if (!store && to.kind != LS_IR_REG) return;
    ls_ptx_op op = load ? LS_OP_LD : store ? LS_OP_ST : LS_OP_MOV;
    ls_ptx_space space = load || store ? LS_SPACE_PARAM : LS_SPACE_GENERIC;
    const ls_ptx_form *form = ir_make_form(f, op, space, type, LS_TYPE_NONE);
    ls_ir_instr *instr = ir_new_instr(f, form, store ? 0 : 1, store ? 2 : 1);
    from.type = to.type = (uint8_t)type;
    if (store) {
        to.role = LS_ROLE_WRITE;
        from.operand = 1;
        instr->src[0] = to;
        instr->src[1] = from;
    } else {
        if (load) from.role = LS_ROLE_READ;
        from.operand = 1;
        instr->dst[0] = to;
        instr->src[0] = from;
    }
    instr->pos = pos;
    instr->made = true;
    emit(d, instr);
}

/* The callee's formal parameter: the caller's .param variable itself, or a variable or register of its own
 * that gets the argument. */
static void bind_parameter(decoder *d, frame *callee, const ls_ptx_variable *formal,
                           const ls_ptx_operand *actual, const ls_place *pos, bool is_result) {
    frame *caller = callee->caller;
    ls_ir_operand operand = decode_scalar(d, actual, (ls_ptx_type)LS_TYPE_NONE, NULL);
    bool in_register = formal->symbol->kind == LS_SYMBOL_REGISTER;
    bool shares = !in_register && operand.kind == LS_IR_OBJECT &&
                  d->f->objects[operand.object]->kind == LS_OBJECT_CALL_PARAM;
    bool is_new;
    if (shares) {
        *ls_intmap_at(&callee->objects, (uintptr_t)formal->symbol, &is_new) = operand.object;
        return;
    }
    if (is_result && in_register) return; /* copied at the end */
    if (actual->kind == LS_OPERAND_INT || actual->kind == LS_OPERAND_F32 || actual->kind == LS_OPERAND_F64)
        operand = decode_scalar(d, actual, (ls_ptx_type)formal->type, NULL);
    d->frame = callee;
    ls_ir_operand to;
    if (in_register) {
        to = whole_register(d, formal->symbol);
    } else {
        uint32_t object = ir_new_object(d->f, LS_OBJECT_CALL_PARAM, formal->symbol)->id;
        *ls_intmap_at(&callee->objects, (uintptr_t)formal->symbol, &is_new) = object;
        to = (ls_ir_operand){.kind = LS_IR_OBJECT, .object = object};
    }
    if (!is_result) emit_transfer(d, pos, to, operand);
    d->frame = caller;
}

static void expand_call(decoder *d, cursors *stack, const ls_ptx_stmt *stmt, const call_parts *parts,
                        const ls_ptx_function *callee) {
    const ls_ptx_function *definition = callee->definition;
    const ls_place *pos = decode_position(d, stmt);
    frame *fr = new_frame(d, definition, d->frame);
    d->expanded++;
    fr->called_at = pos;
    fr->results = parts->results;
    fr->result_count = parts->result_count;
    fr->return_label = new_label(d, NULL);
    if (stmt->instr->guard) {
        ls_ir_operand guard = guard_of(d, stmt->instr);
        guard.flags ^= LS_OPERAND_NOT;
        fr->skip_label = new_label(d, NULL);
        emit(d, made_branch(d, pos, fr->skip_label, guard));
    }
    for (uint32_t i = 0; i < parts->arg_count; i++)
        bind_parameter(d, fr, definition->params[i], &parts->args[i], pos, false);
    for (uint32_t i = 0; i < parts->result_count; i++)
        bind_parameter(d, fr, definition->returns[i], &parts->results[i], pos, true);
    d->frame = fr;
    d->f->stats.inlined_calls++;
    cursor body = {definition->body, 0, true};
    LS_VEC_PUSH(stack, body);
}

/* --- Calls through a register ----------------------------------------------------------------------------
 */

/* A call through a register becomes a chain: is it this function (whose address is taken somewhere)? then a
 * call of it, which is expanded; else the next one; and last the call as it was, for what else there may be.
 */
struct choice {
    const ls_ptx_stmt *stmt;
    uint32_t next, tried; /* in module->plain; how many were expanded */
    uint32_t skip, end;   /* labels: behind this one; behind all */
};

enum { MOST_CHOICES = 16 };

/* The parameters have the types of the call's prototype. */
static bool fits_prototype(const ls_ptx_operand *prototype, const ls_ptx_function *f) {
    bool named = prototype && prototype->kind == LS_OPERAND_SYMBOL && prototype->symbol &&
                 prototype->symbol->kind == LS_SYMBOL_TARGETS && prototype->symbol->stmt;
    const ls_ptx_function *p = named ? prototype->symbol->stmt->targets->prototype : NULL;
    if (!p || p->param_count != f->param_count || p->return_count != f->return_count) return false;
    bool same = true;
    for (uint32_t i = 0; i < f->param_count; i++)
        same &= ls_ptx_type_bits((ls_ptx_type)p->params[i]->type) ==
                ls_ptx_type_bits((ls_ptx_type)f->params[i]->type);
    for (uint32_t i = 0; i < f->return_count; i++)
        same &= ls_ptx_type_bits((ls_ptx_type)p->returns[i]->type) ==
                ls_ptx_type_bits((ls_ptx_type)f->returns[i]->type);
    return same;
}

static const ls_ptx_function *next_candidate(const decoder *d, struct choice *c, const call_parts *parts) {
    const ls_ptx_module *module = d->f->module;
    while (c->next < module->plain_count && c->tried < MOST_CHOICES) {
        const ls_ptx_function *f = module->plain[c->next++];
        bool good = f->body && f->definition == f && fits_prototype(parts->prototype, f) &&
                    ls_ptx_is_address_taken(module, f) && obstacle(d, parts, f) == LS_IR_NONE;
        if (!good) continue;
        c->tried++;
        return f;
    }
    return NULL;
}

/* @!(callee = function) bra skip */
static void emit_question(decoder *d, const ls_place *pos, const call_parts *parts,
                          const ls_ptx_function *function, uint32_t skip) {
    ls_ir_function *f = d->f;
    const ls_ptx_form *form = ir_make_form(f, LS_OP_SETP, LS_SPACE_GENERIC, LS_TYPE_B64, LS_TYPE_NONE);
    ls_ir_instr *instr = ir_new_instr(f, form, 1, 2);
    ls_ptx_operand named = {.kind = LS_OPERAND_SYMBOL, .symbol = function->symbol};
    ls_ir_operand is = {.kind = LS_IR_REG, .type = LS_TYPE_PRED};
    is.reg = ir_new_register(f, LS_REGISTER_PTX, "%callee", LS_TYPE_PRED);
    instr->dst[0] = is;
    instr->src[0] = decode_scalar(d, parts->callee, LS_TYPE_B64, NULL);
    instr->src[1] = decode_scalar(d, &named, LS_TYPE_B64, NULL);
    instr->src[1].operand = 1;
    instr->pos = pos;
    instr->made = true;
    emit(d, instr);
    is.flags |= LS_OPERAND_NOT;
    emit(d, made_branch(d, pos, skip, is));
}

static void next_choice(decoder *d, cursors *stack, struct choice *c) {
    call_parts parts = split_call(c->stmt->instr);
    const ls_ptx_function *function = next_candidate(d, c, &parts);
    if (function) {
        const ls_place *pos = decode_position(d, c->stmt);
        c->skip = new_label(d, NULL);
        emit_question(d, pos, &parts, function, c->skip);
        expand_call(d, stack, c->stmt, &parts, function);
        d->frame->choice = c;
        return;
    }
    ls_ir_instr *instr = keep_call(d, c->stmt, &parts);
    ir_add_unresolved(d->f, LS_UNRESOLVED_INDIRECT, NULL, instr);
    place_label(d, c->end);
}

static bool begin_choice(decoder *d, cursors *stack, const ls_ptx_stmt *stmt, const call_parts *parts) {
    struct choice *c = LS_NEW(&d->f->hidden->arena, struct choice), probe = {0};
    bool possible = parts->callee && parts->callee->kind == LS_OPERAND_REGISTER && !stmt->instr->guard;
    if (!possible || !next_candidate(d, &probe, parts)) return false;
    *c = (struct choice){.stmt = stmt, .end = new_label(d, NULL)};
    next_choice(d, stack, c);
    return true;
}

static void decode_call(decoder *d, cursors *stack, const ls_ptx_stmt *stmt) {
    call_parts parts = split_call(stmt->instr);
    const ls_ptx_function *callee = direct_callee(&parts);
    uint32_t why = obstacle(d, &parts, callee);
    bool keep = d->f->hidden->options.no_inline;
    if (why == LS_IR_NONE && !keep) {
        expand_call(d, stack, stmt, &parts, callee);
        return;
    }
    if (why == LS_UNRESOLVED_INDIRECT && !keep && begin_choice(d, stack, stmt, &parts)) return;
    ls_ir_instr *instr = keep_call(d, stmt, &parts);
    if (ls_ptx_builtin_traits(ls_ir_builtin(instr)) & LS_TRAIT_ENSURES) d->frame->promise = stmt;
    if (why != LS_IR_NONE && (!keep || why == LS_UNRESOLVED_INDIRECT || why == LS_UNRESOLVED_EXTERNAL))
        ir_add_unresolved(d->f, (ls_ir_unresolved_kind)why, instr->call->name, instr);
}

/* What a callee promises (__ensures) stands at its start, but mentions its end: there, a call of
 * LS_IR_RETURN has its results as arguments. */
static ls_ir_instr *new_return(decoder *d, const ls_place *pos) {
    ls_ir_function *f = d->f;
    ls_ir_instr *instr = ir_new_instr(f, d->frame->promise->instr->form, 0, 0);
    instr->call = LS_NEW(&f->hidden->arena, ls_ir_call);
    instr->call->name = LS_IR_RETURN;
    instr->call->builtin = LS_BUILTIN_RETURN;
    instr->call->callee = d->frame->function;
    instr->pos = pos;
    instr->made = true;
    d->dst.length = d->src.length = 0;
    ls_ir_operand callee = {.kind = LS_IR_SINK, .role = LS_ROLE_CALLEE};
    LS_VEC_PUSH(&d->src, callee);
    return instr;
}

static void mark_return(decoder *d, frame *fr) {
    ls_place *pos = LS_NEW(&d->f->hidden->arena, ls_place);
    *pos = *fr->called_at;
    pos->at = fr->called_at;
    ls_ir_instr *instr = new_return(d, pos);
    d->frame = fr->caller;
    instr->call->args = decode_arguments(d, fr->results, fr->result_count, false);
    instr->call->arg_count = fr->result_count;
    take_operands(d, instr);
    emit(d, instr);
    d->frame = fr;
}

/* The same for the function that is decoded itself. */
static void mark_own_return(decoder *d, const ls_place *pos) {
    const ls_ptx_function *function = d->frame->function;
    ls_ir_instr *instr = new_return(d, pos);
    instr->call->args = LS_NEW_N(&d->f->hidden->arena, ls_ir_argument, function->return_count + 1);
    for (uint32_t i = 0; i < function->return_count; i++) {
        ls_ir_operand operand;
        if (!object_of_parameter(d, function->returns[i], &operand)) continue;
        instr->call->args[instr->call->arg_count++] = (ls_ir_argument){operand.object, d->src.length, 1};
        operand.operand = (uint8_t)i;
        LS_VEC_PUSH(&d->src, operand);
    }
    take_operands(d, instr);
    emit(d, instr);
}

/* The end of an expanded callee: its return label, results in registers, then the caller goes on. */
static void end_frame(decoder *d, cursors *stack) {
    frame *fr = d->frame;
    ls_ir_function *f = d->f;
    if (!fr->caller) return;
    if (f->hidden->code.length) { /* a branch to what follows anyway is no branch */
        const ls_ir_instr *last = f->hidden->code.items[f->hidden->code.length - 1];
        bool jumps_here = last->made && last->op == LS_OP_BRA && last->src[0].label == fr->return_label;
        if (jumps_here && !ir_is_guarded(last)) f->hidden->code.length--;
    }
    place_label(d, fr->return_label);
    for (uint32_t i = 0; i < fr->result_count; i++) {
        const ls_ptx_variable *formal = fr->function->returns[i];
        d->frame = fr;
        bool in_register = formal->symbol->kind == LS_SYMBOL_REGISTER;
        ls_ir_operand from = in_register ? whole_register(d, formal->symbol)
                                         : (ls_ir_operand){.kind = LS_IR_OBJECT, .object = LS_IR_NONE};
        uint64_t object;
        if (!in_register && ls_intmap_get(&fr->objects, (uintptr_t)formal->symbol, &object))
            from.object = (uint32_t)object;
        d->frame = fr->caller;
        ls_ir_operand to = decode_scalar(d, &fr->results[i], LS_TYPE_NONE, NULL);
        bool shared = to.kind == LS_IR_OBJECT && from.kind == LS_IR_OBJECT;
        if (!shared && (in_register || from.object != LS_IR_NONE)) emit_transfer(d, fr->called_at, to, from);
    }
    d->frame = fr;
    if (fr->promise) mark_return(d, fr);
    d->frame = fr->caller;
    if (fr->skip_label != LS_IR_NONE) place_label(d, fr->skip_label);
    ls_intmap_free(&fr->objects);
    if (!fr->choice) return;
    emit(d, made_branch(d, fr->called_at, fr->choice->end, (ls_ir_operand){.kind = LS_IR_ABSENT}));
    place_label(d, fr->choice->skip);
    next_choice(d, stack, fr->choice);
}

/* --- The walk --------------------------------------------------------------------------------------------
 */

static void step(decoder *d, cursors *stack, const ls_ptx_stmt *stmt) {
    switch (stmt->kind) {
    case LS_STMT_INSTR:
        if (stmt->instr->form->op == LS_OP_CALL)
            decode_call(d, stack, stmt);
        else
            decode_plain(d, stmt);
        break;
    case LS_STMT_LABEL: place_label(d, decode_label(d, stmt->symbol)); break;
    case LS_STMT_BLOCK: {
        cursor inner = {stmt->block, 0, false};
        LS_VEC_PUSH(stack, inner);
        break;
    }
    default: break; /* declarations are met where they are used */
    }
}

/* The function's own parameters and results are objects from the start, in order. */
static void declare_parameters(decoder *d, const ls_ptx_function *function) {
    bool is_new;
    for (uint32_t i = 0; i < function->param_count + function->return_count; i++) {
        bool result = i >= function->param_count;
        uint32_t index = result ? i - function->param_count : i;
        const ls_ptx_variable *variable = result ? function->returns[index] : function->params[index];
        if (!variable->symbol) continue;
        ls_ir_object_kind kind = !result                              ? LS_OBJECT_PARAM
                                 : d->f->hidden->options.keep_results ? LS_OBJECT_CALL_PARAM
                                                                      : LS_OBJECT_RETURN;
        ls_ir_object *object = ir_new_object(d->f, kind, variable->symbol);
        object->index = object->same = index;
        const uint32_t *same = result ? NULL : d->f->hidden->options.same;
        const ls_ptx_variable *first = same ? function->params[same[index]] : variable;
        uint64_t known;
        if (first == variable || !ls_intmap_get(&d->frame->objects, (uintptr_t)first->symbol, &known))
            known = object->id;
        else
            object->same = same[index];
        *ls_intmap_at(&d->frame->objects, (uintptr_t)variable->symbol, &is_new) = known;
    }
}

/* Parameters that a function of old PTX has in registers are loaded from their objects at its start. */
static void load_parameters(decoder *d, const ls_ptx_function *function) {
    for (uint32_t i = 0; i < function->param_count; i++) {
        ls_ir_operand from;
        const ls_ptx_variable *param = function->params[i];
        if (!param->symbol || param->symbol->kind != LS_SYMBOL_REGISTER) continue;
        if (!object_of_parameter(d, param, &from)) continue;
        ls_place *pos = LS_NEW(&d->f->hidden->arena, ls_place);
        *pos = (ls_place){.file = d->f->module->filename ? d->f->module->filename : "?",
                          .line = param->pos.line,
                          .column = param->pos.column,
                          .is_ptx = true,
                          .ptx_line = param->pos.line};
        emit_transfer(d, pos, whole_register(d, param->symbol), from);
    }
}

void ir_decode(ls_ir_function *f) {
    decoder d = {.f = f};
    cursors stack = {0};
    f->hidden->carry = LS_IR_NONE;
    d.frame = new_frame(&d, f->ptx, NULL);
    declare_parameters(&d, f->ptx);
    for (uint32_t i = 0; i < f->ptx->register_count; i++) /* before those of callees: they keep their names */
        if (f->ptx->registers[i]) decode_register(&d, f->ptx->registers[i], 0);
    load_parameters(&d, f->ptx);
    cursor body = {f->ptx->body, 0, true};
    LS_VEC_PUSH(&stack, body);
    while (stack.length) {
        cursor *top = &stack.items[stack.length - 1];
        if (top->next < top->block->count) {
            step(&d, &stack, &top->block->stmts[top->next++]);
        } else {
            bool is_body = top->is_body;
            stack.length--;
            if (is_body) end_frame(&d, &stack);
        }
    }
    ls_intmap_free(&d.frame->objects);
    ls_intmap_free(&d.statics);
    ls_intmap_free(&d.strays);
    LS_VEC_FREE(&d.dst);
    LS_VEC_FREE(&d.src);
    LS_VEC_FREE(&stack);
}
