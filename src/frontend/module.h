/* A module under lowering, shared by module.c, lower.c, shape.c and launches.c. */
#ifndef LS_FRONTEND_MODULE_H
#define LS_FRONTEND_MODULE_H

#include "frontend/llvm_api.h"
#include "frontend/lower.h"

typedef struct {
    uint64_t with_gap, own; /* bytes */
} ls_separated;

typedef struct {
    const char *kernel;
    uint32_t size[3];  /* 0: whatever the launch says */
    uint32_t block[3]; /* __block_size__: of the block, and the grid is of clusters; 0: not given */
} ls_ir_cluster;

typedef struct {
    const ls_llvm *llvm;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine; /* NULL for the host's module */
    ls_diags *diags;              /* where LLVM's own complaints go; may be NULL */
    const char *source;
    bool failed;
    LS_VEC(ls_separated) separated;  /* local variables that have a gap behind them */
    LS_VEC(LLVMMetadataRef) inlined; /* places of inlined instructions, by number (inlined.c) */
    LS_VEC(ls_ir_cluster) clusters;  /* (clusters.c) */
    ls_local_arrays *locals;         /* NULL: the layout of frames is not asked for */
    ls_arena *arena;                 /* of their names */
} ls_module;

/* Opens a bitcode file; close it in any case. */
bool ls_module_open(ls_module *module, const char *path);
/* Links another bitcode file into the module, after `prepare` has seen it; false: both are of no use. */
bool ls_module_link(ls_module *module, const char *path, void (*prepare)(ls_module *other));
void ls_module_close(ls_module *module);
bool ls_module_run(ls_module *module, const char *passes);
/* The name of a function called directly by an instruction; NULL for other instructions. */
const char *ls_module_callee(const ls_module *module, LLVMValueRef instruction);

/* The path of a file of debug information, whose name is relative to its folder unless it starts with '/'. */
const char *ls_module_path(ls_arena *arena, const char *folder, size_t folder_size, const char *name,
                           size_t size);

/* Calls `body` and comes back even if LLVM gives up on the module: false, with the reason in diags. */
bool ls_module_guard(ls_module *module, void (*body)(ls_module *module, void *context), void *context);

/* locals.c: gaps between local variables; and what the code generator says of the frame. */
void ls_locals_separate(ls_module *module);
void ls_locals_layout(ls_module *module, const char *remark);

/* unplaced.c: places for accesses that the optimiser has moved. */
void ls_unplaced_mend(ls_module *module);

/* inlined.c: numbers the places of inlined instructions; puts the places, with the calls around them, into
 * the PTX instead of the numbers. */
void ls_inlined_number(ls_module *module);
void ls_inlined_tell(ls_module *module, ls_buf *ptx);

/* clusters.c: takes __cluster_dims__ out of the IR; puts it into the PTX. */
void ls_clusters_read(ls_module *module);
void ls_clusters_tell(const ls_module *module, ls_buf *ptx);

/* fields.c: parts of local structures that are accessed apart become variables of their own. */
void ls_fields_take_apart(ls_module *module);

/* unrolled.c: loops of asynchronous kernels that the source asks to be unrolled become their iterations. */
bool ls_unroll_as_asked(ls_module *module);

/* Source shape (shape.c). Inline what may be inlined; keep every access alive; take the marks away again
 * (tidy). */
void ls_shape_inline(ls_module *module);
void ls_shape_keep_accesses(ls_module *module);
/* The object that an address is computed from, through casts and offsets. */
LLVMValueRef ls_shape_base_of(const ls_llvm *llvm, LLVMValueRef address);
void ls_shape_drop_brackets(ls_module *module);
void ls_shape_keep_conditions(ls_module *module);
/* Over the printed PTX, in both forms; as it runs, volatile is kept as it is. */
void ls_shape_tidy(ls_buf *ptx, bool keep_volatile);
/* Calls that the code generator has no instruction for become calls of the C function (both forms). */
void ls_shape_library_calls(ls_module *module);

#endif
