/* The rewriting of a kernel: a flat body with registers declared one by one, the kernel's own instructions in
 * their order with barriers, exits and memory accesses replaced, and around them what the mode needs. The
 * module keeps what the kernel may refer to; other kernels and debug information are left out. */
#include "detect/instrument.h"

#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void dt_emit(emitter *e, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ls_buf_puts(&e->out, line);
    ls_buf_putc(&e->out, '\n');
}

void dt_emit_instr(emitter *e, const ls_ptx_instr *instr) {
    ls_buf_putc(&e->out, '\t');
    ls_buf_take(&e->out, ls_ptx_print_instr(instr));
    ls_buf_putc(&e->out, '\n');
}

/* --- Names: nested scopes become one ---------------------------------------------------------------------
 */

static void make_unique(emitter *e, ls_map *names, ls_ptx_symbol *symbol) {
    void **at = ls_map_at(names, symbol->name, symbol->length);
    if (!*at || *at == symbol) {
        *at = symbol;
        return;
    }
    symbol->name = ls_arena_printf(&e->k->arena, "%s_ls%u", symbol->name, ++e->labels);
    symbol->length = (uint32_t)strlen(symbol->name);
    *ls_map_at(names, symbol->name, symbol->length) = symbol;
}

static void name_block(emitter *e, ls_map *names, const ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        switch (stmt->kind) {
        case LS_STMT_BLOCK: name_block(e, names, stmt->block); break;
        case LS_STMT_LABEL: make_unique(e, names, stmt->symbol); break;
        case LS_STMT_BRANCHTARGETS:
        case LS_STMT_CALLTARGETS:
        case LS_STMT_CALLPROTOTYPE: make_unique(e, names, stmt->targets->label); break;
        case LS_STMT_DECLARE:
            for (uint32_t d = 0; d < stmt->declared_count; d++)
                if (stmt->declared[d]->space != LS_SPACE_REG)
                    make_unique(e, names, stmt->declared[d]->symbol);
            break;
        default: break;
        }
    }
}

static void name_everything(emitter *e) {
    ls_map names = {0};
    const ls_ptx_function *f = e->k->function;
    for (uint32_t i = 0; i < f->register_count; i++) make_unique(e, &names, f->registers[i]);
    name_block(e, &names, f->body);
    ls_map_free(&names);
}

/* --- Statements ------------------------------------------------------------------------------------------
 */

static void declare_registers(emitter *e) {
    const ls_ptx_function *f = e->k->function;
    for (uint32_t i = 0; i < f->register_count; i++) {
        const ls_ptx_symbol *reg = f->registers[i];
        char vector[8] = "";
        if (reg->vector > 1) snprintf(vector, sizeof vector, ".v%u ", reg->vector);
        ls_buf_printf(&e->out, "\t.reg %s.%s %s;\n", vector, ls_ptx_type_text((ls_ptx_type)reg->type),
                      reg->name);
    }
}

/* A statement as the printer of PTX prints it. */
static void print_stmt(emitter *e, ls_ptx_stmt *stmt) {
    ls_ptx_module one = {.top = {stmt, 1}};
    char *text = ls_ptx_print(&one, NULL), *body = strchr(text, '\n');
    ls_buf_puts(&e->out, body + 1);
    free(text);
}

static bool goes_to_memory(const ls_ir_instr *instr) {
    return instr->access_count > 0;
}

/* The address of a shared variable is a place in the segment; that of a global variable, which lives in the
 * original module, stands in the context. */
static void replace_variables(emitter *e, ls_ptx_operand *operand, ls_ptx_symbol *segment) {
    switch (operand->kind) {
    case LS_OPERAND_VECTOR:
    case LS_OPERAND_ADDRESS:
    case LS_OPERAND_LIST:
    case LS_OPERAND_PAIR:
        for (uint32_t i = 0; i < operand->count; i++) replace_variables(e, &operand->parts[i], segment);
        return;
    case LS_OPERAND_SYMBOL: break;
    default: return;
    }
    if (operand->symbol->kind != LS_SYMBOL_VARIABLE) return;
    for (uint32_t i = 0; i < e->k->object_count; i++) {
        const object *o = &e->k->objects[i];
        if (o->symbol != operand->symbol) continue;
        if (o->is_shared && has_segment(e->o)) {
            operand->symbol = segment;
            operand->offset += (int64_t)o->layout;
            operand->flags |= LS_OPERAND_HAS_OFFSET;
        } else if (!o->is_shared) {
            dt_emit(e, "\tld.global.u64 %%ls_var%u, [%%ls_ctx+%u];", e->labels,
                    CTX_SLOTS + CTX_SLOT_BYTES * i);
            ls_ptx_symbol *reg = LS_NEW(&e->k->arena, ls_ptx_symbol);
            reg->name = ls_arena_printf(&e->k->arena, "%%ls_var%u", e->labels++);
            reg->length = (uint32_t)strlen(reg->name);
            reg->kind = LS_SYMBOL_REGISTER;
            reg->type = LS_TYPE_B64;
            if (operand->offset && operand->kind == LS_OPERAND_SYMBOL)
                dt_emit(e, "\tadd.u64 %s, %s, %lld;", reg->name, reg->name, (long long)operand->offset);
            operand->kind = LS_OPERAND_REGISTER;
            operand->symbol = reg;
            operand->offset = 0;
            operand->flags &= (uint8_t)~LS_OPERAND_HAS_OFFSET;
        }
        return;
    }
}

static void emit_instr(emitter *e, const ls_ptx_instr *ast, ls_ptx_symbol *segment) {
    ls_ir_instr *instr = ir_of(e->k, ast);
    dt_settle_before(e, instr);
    for (uint32_t i = 0; i < ast->operand_count; i++) replace_variables(e, &ast->operands[i], segment);
    if (instr && e->o->mode != MODE_GRID) {
        if (is_barrier(instr)) {
            (e->o->mode == MODE_BLOCK ? dt_emit_barrier : dt_emit_watched_barrier)(e, instr);
            return;
        }
        if (is_exit(instr)) {
            if (ast->guard)
                dt_emit(e, "\t@%s%s bra $LS_EXIT;", ast->guard_negated ? "!" : "", ast->guard->name);
            else
                dt_emit(e, "\tbra $LS_EXIT;");
            return;
        }
    }
    if (instr && (goes_to_memory(instr) || e->o->mode == MODE_WATCH)) {
        (e->o->mode == MODE_WATCH ? dt_emit_watched_instr : dt_emit_memory_instr)(e, instr);
        return;
    }
    dt_emit_instr(e, ast);
    if (instr && e->o->inside && is_barrier(instr)) {
        if (ast->guard)
            dt_emit(e, "\t@%s%s add.u32 %%ls_epoch, %%ls_epoch, 1;", ast->guard_negated ? "!" : "",
                    ast->guard->name);
        else
            dt_emit(e, "\tadd.u32 %%ls_epoch, %%ls_epoch, 1;");
    }
}

static void emit_block_of(emitter *e, const ls_ptx_block *block, ls_ptx_symbol *segment) {
    for (uint32_t i = 0; i < block->count; i++) {
        ls_ptx_stmt *stmt = &block->stmts[i];
        switch (stmt->kind) {
        case LS_STMT_INSTR: emit_instr(e, stmt->instr, segment); break;
        case LS_STMT_BLOCK: emit_block_of(e, stmt->block, segment); break;
        case LS_STMT_LABEL: dt_settle_before(e, NULL); /* fall through */
        case LS_STMT_PRAGMA:
        case LS_STMT_BRANCHTARGETS:
        case LS_STMT_CALLTARGETS:
        case LS_STMT_CALLPROTOTYPE: print_stmt(e, stmt); break;
        case LS_STMT_DECLARE: {
            uint8_t space = stmt->declared[0]->space;
            bool moved = space == LS_SPACE_SHARED && has_segment(e->o);
            if (space != LS_SPACE_REG && !moved) print_stmt(e, stmt);
            break;
        }
        default: break; /* source lines: the detector keeps its own table */
        }
    }
}

/* --- The module ------------------------------------------------------------------------------------------
 */

static bool is_kept(const kernel *k, const ls_ptx_stmt *stmt) {
    if (stmt->kind == LS_STMT_FUNCTION) return !stmt->function->is_entry || (stmt->function == k->function);
    return stmt->kind != LS_STMT_SECTION && stmt->kind != LS_STMT_RAW && stmt->kind != LS_STMT_LOC &&
           stmt->kind != LS_STMT_FILE;
}

static void strip_locs(ls_ptx_block *block) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        if (block->stmts[i].kind == LS_STMT_LOC || block->stmts[i].kind == LS_STMT_RAW) continue;
        if (block->stmts[i].kind == LS_STMT_BLOCK) strip_locs(block->stmts[i].block);
        block->stmts[count++] = block->stmts[i];
    }
    block->count = count;
}

/* At least that version of the language and that target. */
static void raise_target(kernel *k, uint32_t major, uint32_t minor, int least, const char *target) {
    uint32_t version = k->module->version_major * 100 + k->module->version_minor;
    if (version < major * 100 + minor) k->module->version_major = major, k->module->version_minor = minor;
    int sm = 0;
    if (k->module->target_count && sscanf(k->module->targets[0], "sm_%d", &sm) == 1 && sm < least)
        k->module->targets[0] = target;
}

static void reduce_module(kernel *k, const instrument_options *options) {
    uint32_t count = 0, targets = 0;
    for (uint32_t i = 0; i < k->module->top.count; i++) {
        ls_ptx_stmt *stmt = &k->module->top.stmts[i];
        if (!is_kept(k, stmt)) continue;
        if (stmt->kind == LS_STMT_FUNCTION && stmt->function->body && stmt->function != k->function)
            strip_locs(stmt->function->body);
        k->module->top.stmts[count++] = *stmt;
    }
    k->module->top.count = count;
    for (uint32_t i = 0; i < k->module->target_count; i++)
        if (strcmp(k->module->targets[i], "debug") != 0)
            k->module->targets[targets++] = k->module->targets[i];
    k->module->target_count = targets;
    if (options->has_redux)
        raise_target(k, 7, 0, 80, "sm_80");
    else
        raise_target(k, 6, 4, 70, "sm_70");
}

/* The size of the block is known here: ptxas must not use more registers than it leaves. Other limits were
 * meant for the kernel as it was; what belongs to its meaning (clusters) stays. */
static void set_tuning(kernel *k, uint32_t threads) {
    ls_ptx_function *f = k->function;
    ls_ptx_tune *tunes = LS_NEW_N(&k->arena, ls_ptx_tune, f->tune_count + 1);
    uint32_t count = 0;
    tunes[count++] = (ls_ptx_tune){.kind = LS_TUNE_MAXNTID, .count = 1, .values = {threads}};
    for (uint32_t i = 0; i < f->tune_count; i++) {
        uint8_t kind = f->tunes[i].kind;
        if (kind != LS_TUNE_MAXNTID && kind != LS_TUNE_REQNTID && kind != LS_TUNE_MINNCTAPERSM &&
            kind != LS_TUNE_MAXNCTAPERSM && kind != LS_TUNE_MAXNREG)
            tunes[count++] = f->tunes[i];
    }
    f->tunes = tunes;
    f->tune_count = count;
}

static void add_parameter(kernel *k, const char *name) {
    ls_ptx_function *f = k->function;
    ls_ptx_variable *made = LS_NEW(&k->arena, ls_ptx_variable);
    made->symbol = LS_NEW(&k->arena, ls_ptx_symbol);
    *made->symbol =
        (ls_ptx_symbol){.name = name, .length = (uint32_t)strlen(name), .kind = LS_SYMBOL_VARIABLE};
    made->space = LS_SPACE_PARAM, made->type = LS_TYPE_U64, made->vector = 1, made->is_parameter = true;
    ls_ptx_variable **params = LS_NEW_N(&k->arena, ls_ptx_variable *, f->param_count + 1);
    if (f->param_count) memcpy(params, f->params, sizeof *params * f->param_count);
    params[f->param_count++] = made;
    f->params = params;
}

static char *print_with_body(emitter *e, const char *body, size_t *length) {
    kernel *k = e->k;
    ls_ptx_stmt *raw = LS_NEW(&k->arena, ls_ptx_stmt);
    raw->kind = LS_STMT_RAW;
    raw->text = body;
    k->function->body = LS_NEW(&k->arena, ls_ptx_block);
    *k->function->body = (ls_ptx_block){raw, 1};
    ls_ptx_stmt *top = LS_NEW_N(&k->arena, ls_ptx_stmt, k->module->top.count + 1);
    top[0].kind = LS_STMT_RAW;
    top[0].text = ls_arena_printf(&k->arena, ".extern .shared .align %u .b8 ls_segment[];", k->shared_align);
    uint32_t skip = has_segment(e->o) ? 0 : 1;
    memcpy(top + 1, k->module->top.stmts, sizeof *top * k->module->top.count);
    k->module->top.stmts = top + skip;
    k->module->top.count += 1 - skip;
    return ls_ptx_print(k->module, length);
}

/* Registers for the addresses of global variables: as many as were used. */
static void declare_variable_registers(emitter *e, ls_buf *head, uint32_t first) {
    for (uint32_t i = first; i < e->labels; i++) ls_buf_printf(head, "\t.reg .u64 %%ls_var%u;\n", i);
}

static char *add_stamps_kernel(const kernel *k, char *text, size_t *length) {
    ls_buf out = {0};
    ls_buf_add(&out, text, *length);
    free(text);
    dt_add_stamps_kernel(&out, dt_stamp_kinds(k));
    ls_buf_text(&out); /* ends it */
    *length = out.length;
    return out.text;
}

char *dt_instrument(kernel *k, const instrument_options *options, size_t *length) {
    emitter e = {.k = k, .o = options, .undo = dt_needs_undo(k) && options->mode == MODE_BLOCK};
    if (options->marks && !options->log)
        e.shapes = ls_analyze(k->ir, &(ls_analyze_options){.shapes_only = true});
    for (uint32_t i = 0; i < k->region_count; i++) {
        region *r = &k->regions[i];
        if (e.undo) r->twice = r->checked; /* what was undone has to be done again */
        e.single |= r->checked && !r->twice && !options->deterministic;
    }
    ls_ptx_symbol segment = {.name = "ls_segment", .length = 10, .kind = LS_SYMBOL_VARIABLE};
    const ls_ptx_block *body = k->function->body;
    name_everything(&e);
    declare_registers(&e);
    dt_emit_access_declarations(&e);
    if (options->mode == MODE_BLOCK) dt_emit_block_declarations(&e);
    if (options->mode == MODE_WATCH) dt_emit_watch_declarations(&e);
    ls_buf head = e.out;
    e.out = (ls_buf){0};
    uint32_t first = e.labels;
    if (options->mode == MODE_BLOCK) {
        dt_emit_block_prologue(&e);
        emit_block_of(&e, body, &segment);
        dt_emit(&e, "$LS_EXIT:");
        dt_emit_engine(&e);
        dt_emit_save_and_restore(&e);
    } else if (options->mode == MODE_WATCH) {
        dt_emit_watch_prologue(&e);
        emit_block_of(&e, body, &segment);
        dt_emit(&e, "$LS_EXIT:");
        dt_emit_watch_end(&e);
    } else {
        dt_emit_grid_prologue(&e);
        emit_block_of(&e, body, &segment);
        dt_emit(&e, "\tret;");
    }
    declare_variable_registers(&e, &head, first);
    ls_buf_add(&head, e.out.text, e.out.length);
    reduce_module(k, options);
    set_tuning(k, options->threads);
    add_parameter(k, "ls_context");
    add_parameter(k, "ls_number");
    if (options->mode == MODE_WATCH) add_parameter(k, "ls_generation");
    char *text = print_with_body(&e, ls_buf_text(&head), length);
    if (options->stamps && !options->log && dt_stamp_kinds(k) > 1) text = add_stamps_kernel(k, text, length);
    ls_buf_free(&head);
    ls_buf_free(&e.out);
    ls_analysis_free(e.shapes);
    return text;
}
