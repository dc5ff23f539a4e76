/* From LLVM bitcode to PTX, in process, through LLVM's C API. Two forms:
 * - source-shaped: device functions inlined, scalars in registers, address spaces resolved, loops as
 *   written, each access kept (shape.c does what LLVM has no pass for);
 * - as it runs: the bitcode is optimised already, only code generation is left.
 * LLVM's code generator is steered by process-wide options, so compilations of the two forms take turns;
 * those of one form run side by side. */
#ifdef LS_HAVE_LLVM
#include "frontend/module.h"

#include "base/recover.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* --- Process-wide options of the code generator ------------------------------------------------------- */

/* Where local variables lie in a frame (locals.c). */
#define LAYOUT_REMARKS "-pass-remarks-analysis=stack-frame-layout"

/* In source form nothing may strength-reduce loops, merge the tails of two branches (two barriers would
 * become one) or move code between blocks. */
static const char *const SOURCE_OPTIONS[] = {"lockstep",
                                             "-disable-lsr",
                                             "-enable-tail-merge=false",
                                             "-disable-cgp",
                                             "-disable-machine-licm",
                                             "-disable-constant-hoisting",
                                             "-disable-early-taildup",
                                             "-disable-tail-duplicate",
                                             "-disable-block-placement",
                                             "-disable-machine-sink",
                                             LAYOUT_REMARKS};
static const char *const AS_RUN_OPTIONS[] = {"lockstep",
                                             "-disable-lsr=false",
                                             "-enable-tail-merge",
                                             "-disable-cgp=false",
                                             "-disable-machine-licm=false",
                                             "-disable-constant-hoisting=false",
                                             "-disable-early-taildup=false",
                                             "-disable-tail-duplicate=false",
                                             "-disable-block-placement=false",
                                             "-disable-machine-sink=false",
                                             LAYOUT_REMARKS};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t idle;
    uint32_t users;
    int mode; /* whose options are set; -1: none */
} turn = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, -1};

/* Divisions of floats: correctly rounded, or div.full. */
static const char *const DIVISIONS[] = {"-nvptx-prec-divf32=2", "-nvptx-prec-divf32=1"};

static void set_options(const ls_llvm *llvm, ls_form form, bool rough_division) {
    enum { COUNT = sizeof SOURCE_OPTIONS / sizeof *SOURCE_OPTIONS };
    _Static_assert(COUNT == sizeof AS_RUN_OPTIONS / sizeof *AS_RUN_OPTIONS, "one sets what the other resets");
    const char *options[COUNT + 1];
    memcpy(options, form == LS_FORM_SOURCE ? SOURCE_OPTIONS : AS_RUN_OPTIONS, sizeof SOURCE_OPTIONS);
    options[COUNT] = DIVISIONS[rough_division];
    llvm->ParseCommandLineOptions(COUNT + 1, options, "");
}

static void take_turn(const ls_llvm *llvm, ls_form form, bool rough_division) {
    const int mode = 2 * (int)form + rough_division;
    pthread_mutex_lock(&turn.lock);
    while (turn.users && turn.mode != mode) pthread_cond_wait(&turn.idle, &turn.lock);
    if (turn.mode != mode) set_options(llvm, form, rough_division);
    turn.mode = mode;
    turn.users++;
    pthread_mutex_unlock(&turn.lock);
}

static void leave_turn(void) {
    pthread_mutex_lock(&turn.lock);
    if (!--turn.users) pthread_cond_broadcast(&turn.idle);
    pthread_mutex_unlock(&turn.lock);
}

/* --- What the IR says of kernels ----------------------------------------------------------------------- */

static bool constant(const ls_llvm *llvm, LLVMValueRef value, uint32_t *number) {
    if (!value || !llvm->IsAConstantInt(value)) return false;
    *number = (uint32_t)llvm->ConstIntGetZExtValue(value);
    return true;
}

static ls_ir_kernel *kernel_of(ls_module *module, LLVMValueRef function, ls_arena *arena,
                               ls_ir_kernels *kernels) {
    const ls_llvm *llvm = module->llvm;
    size_t length;
    const char *name = llvm->GetValueName2(function, &length);
    for (uint32_t i = 0; i < kernels->length; i++)
        if (!strcmp(kernels->items[i].name, name)) return &kernels->items[i];
    ls_ir_kernel kernel = {.name = ls_arena_strdup(arena, name)};
    LLVMMetadataRef subprogram = llvm->GetSubprogram(function);
    LLVMMetadataRef file = subprogram ? llvm->DIScopeGetFile(subprogram) : NULL;
    if (file) {
        unsigned folder_size, size;
        const char *folder = llvm->DIFileGetDirectory(file, &folder_size);
        const char *text = llvm->DIFileGetFilename(file, &size);
        kernel.file = ls_module_path(arena, folder, folder_size, text, size);
        kernel.line = llvm->DISubprogramGetLine(subprogram);
    }
    LS_VEC_PUSH(kernels, kernel);
    return &kernels->items[kernels->length - 1];
}

/* !nvvm.annotations = {function, "kernel"|"maxntidx"|"reqntidx"|…, number, …} */
static void annotation(ls_module *module, LLVMValueRef node, ls_arena *arena, ls_ir_kernels *kernels) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef operands[16];
    unsigned count = llvm->GetMDNodeNumOperands(node);
    if (count < 3 || count > 16) return;
    llvm->GetMDNodeOperands(node, operands);
    if (!operands[0] || !llvm->IsAFunction(operands[0])) return;
    for (unsigned i = 1; i + 1 < count; i += 2) {
        unsigned length;
        uint32_t number;
        const char *key = operands[i] ? llvm->GetMDString(operands[i], &length) : NULL;
        if (!key || !constant(llvm, operands[i + 1], &number)) continue;
        bool is_kernel = length == 6 && !memcmp(key, "kernel", 6);
        bool is_bound = length == 8 && !memcmp(key, "maxntid", 7);
        if (is_kernel && llvm->IsDeclaration(operands[0])) continue;
        if (!is_kernel && !is_bound) continue;
        ls_ir_kernel *kernel = kernel_of(module, operands[0], arena, kernels);
        if (is_bound) kernel->max_threads = (kernel->max_threads ? kernel->max_threads : 1) * number;
    }
}

static void annotate(ls_module *module, LLVMValueRef function, const char *key, uint32_t number) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef value = llvm->ConstInt(llvm->Int32TypeInContext(module->context), number, 0);
    LLVMMetadataRef operands[] = {llvm->ValueAsMetadata(function),
                                  llvm->MDStringInContext2(module->context, key, strlen(key)),
                                  llvm->ValueAsMetadata(value)};
    LLVMMetadataRef node = llvm->MDNodeInContext2(module->context, operands, 3);
    llvm->AddNamedMetadataOperand(module->module, "nvvm.annotations",
                                  llvm->MetadataAsValue(module->context, node));
}

/* __grid_constant__, which clang 19 does not know: the bundled headers make it an annotation of the
 * parameter. With it, the code generator takes the parameter's own address, where it else makes a copy. */
static void grid_constants(ls_module *module, LLVMValueRef function) {
    static const char CALL[] = "llvm.var.annotation"; /* nothing else is annotated so */
    const ls_llvm *llvm = module->llvm;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef i = llvm->GetFirstInstruction(b), next; i; i = next) {
            next = llvm->GetNextInstruction(i);
            const char *callee = ls_module_callee(module, i);
            if (!callee || strncmp(callee, CALL, sizeof CALL - 1)) continue;
            LLVMValueRef parameter = ls_shape_base_of(llvm, llvm->GetOperand(i, 0));
            for (unsigned k = 0; k < llvm->CountParams(function); k++)
                if (llvm->GetParam(function, k) == parameter)
                    annotate(module, function, "grid_constant", k + 1);
            llvm->InstructionEraseFromParent(i);
        }
}

/* OpenCL's reqd_work_group_size, which clang leaves in the IR and NVPTX does not print: .reqntid. */
static void required_size(ls_module *module, LLVMValueRef function, ls_ir_kernel *kernel) {
    const ls_llvm *llvm = module->llvm;
    static const char NAME[] = "reqd_work_group_size";
    static const char *const KEYS[] = {"reqntidx", "reqntidy", "reqntidz"};
    LLVMValueRef node =
        llvm->GetMetadata(function, llvm->GetMDKindIDInContext(module->context, NAME, sizeof NAME - 1));
    if (!node || llvm->GetMDNodeNumOperands(node) != 3) return;
    LLVMValueRef operands[3];
    llvm->GetMDNodeOperands(node, operands);
    uint32_t size[3];
    for (int i = 0; i < 3; i++)
        if (!constant(llvm, operands[i], &size[i])) return;
    kernel->required = (ls_launch_size){size[0], size[1], size[2], true};
    for (int i = 0; i < 3; i++) annotate(module, function, KEYS[i], size[i]);
}

/* The operands of a list that clang attaches to an OpenCL kernel; how many there are. */
enum { MOST_ARGUMENTS = 256 };
static uint32_t list_of(ls_module *module, LLVMValueRef function, const char *name, LLVMValueRef *operands) {
    const ls_llvm *llvm = module->llvm;
    unsigned kind = llvm->GetMDKindIDInContext(module->context, name, (unsigned)strlen(name));
    LLVMValueRef node = llvm->GetMetadata(function, kind);
    unsigned count = node ? llvm->GetMDNodeNumOperands(node) : 0;
    if (!count || count > MOST_ARGUMENTS) return 0;
    llvm->GetMDNodeOperands(node, operands);
    return count;
}

/* What clGetKernelArgInfo tells: clang's kernel_arg_… lists, which have an operand for each parameter. */
static void describe_arguments(ls_module *module, LLVMValueRef function, ls_arena *arena,
                               ls_ir_kernel *kernel) {
    static const struct {
        const char *list;
        size_t field;
    } TEXTS[] = {{"kernel_arg_access_qual", offsetof(ls_kernel_argument, access)},
                 {"kernel_arg_type", offsetof(ls_kernel_argument, type)},
                 {"kernel_arg_type_qual", offsetof(ls_kernel_argument, qualifiers)},
                 {"kernel_arg_name", offsetof(ls_kernel_argument, name)}};
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef operands[MOST_ARGUMENTS];
    uint32_t count = list_of(module, function, "kernel_arg_addr_space", operands);
    if (!count) return;
    ls_kernel_argument *arguments = LS_NEW_N(arena, ls_kernel_argument, count);
    for (uint32_t i = 0; i < count; i++) {
        arguments[i] = (ls_kernel_argument){"", "", "", "", 0};
        constant(llvm, operands[i], &arguments[i].space);
    }
    for (size_t t = 0; t < sizeof TEXTS / sizeof *TEXTS; t++) {
        if (list_of(module, function, TEXTS[t].list, operands) != count) continue;
        for (uint32_t i = 0; i < count; i++) {
            unsigned length = 0;
            const char *text = operands[i] ? llvm->GetMDString(operands[i], &length) : NULL;
            const char *copy = ls_arena_strndup(arena, text ? text : "", length);
            memcpy((char *)&arguments[i] + TEXTS[t].field, &copy, sizeof copy);
        }
    }
    kernel->arguments = arguments;
    kernel->argument_count = count;
}

static void find_kernels(ls_module *module, ls_arena *arena, ls_ir_kernels *kernels) {
    const ls_llvm *llvm = module->llvm;
    unsigned count = llvm->GetNamedMetadataNumOperands(module->module, "nvvm.annotations");
    LLVMValueRef *nodes = ls_xmalloc((count + 1) * sizeof *nodes);
    llvm->GetNamedMetadataOperands(module->module, "nvvm.annotations", nodes);
    for (unsigned i = 0; i < count; i++) annotation(module, nodes[i], arena, kernels);
    free(nodes);
    for (uint32_t i = 0; i < kernels->length; i++) {
        LLVMValueRef function = llvm->GetNamedFunction(module->module, kernels->items[i].name);
        if (!function) continue;
        grid_constants(module, function);
        required_size(module, function, &kernels->items[i]);
        describe_arguments(module, function, arena, &kernels->items[i]);
    }
}

/* A function of the file's own that nothing in it calls: in the source form it stays, so that what was not
 * looked at can be named. */
static bool is_uncalled(const ls_module *module, LLVMValueRef function) {
    const ls_llvm *llvm = module->llvm;
    return llvm->GetLinkage(function) == LLVMExternalLinkage && !llvm->GetFirstUse(function);
}

/* What no kernel reaches need not be lowered. */
static void hide_functions(ls_module *module, const ls_ir_kernels *kernels, bool keep_uncalled) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        size_t length;
        const char *name = llvm->GetValueName2(f, &length);
        bool is_kernel = llvm->IsDeclaration(f) || !strncmp(name, "__axiom", 7);
        if (keep_uncalled && is_uncalled(module, f)) continue;
        for (uint32_t i = 0; i < kernels->length && !is_kernel; i++)
            is_kernel = !strcmp(kernels->items[i].name, name);
        if (!is_kernel) {
            llvm->SetVisibility(f, LLVMDefaultVisibility);
            llvm->SetLinkage(f, LLVMInternalLinkage);
        }
    }
}

/* clang 19 gives a static variable that host code names the suffix "__static__…" when it reaches that host
 * code: a kernel before it has the variable's plain name, which nobody defines. */
static void join_static_variables(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    static const char SUFFIX[] = "__static__";
    for (LLVMValueRef g = llvm->GetFirstGlobal(module->module); g; g = llvm->GetNextGlobal(g)) {
        size_t length;
        const char *name = llvm->GetValueName2(g, &length), *suffix = strstr(name, SUFFIX);
        if (!suffix || llvm->IsDeclaration(g)) continue;
        char *plain = ls_arena_strndup(module->arena, name, (size_t)(suffix - name));
        LLVMValueRef other = llvm->GetNamedGlobal(module->module, plain);
        if (other && llvm->IsDeclaration(other) && llvm->TypeOf(other) == llvm->TypeOf(g))
            llvm->ReplaceAllUsesWith(other, g);
    }
}

/* --- The pipeline -------------------------------------------------------------------------------------- */

static bool make_machine(ls_module *module, const ls_lower_options *options) {
    const ls_llvm *llvm = module->llvm;
    const char *triple = llvm->GetTarget(module->module);
    LLVMTargetRef target;
    char *message = NULL;
    if (llvm->GetTargetFromTriple(triple, &target, &message)) {
        ls_diags_add(module->diags, LS_ERROR, module->source, 0, 0, "%s", message);
        llvm->DisposeMessage(message);
        return false;
    }
    LLVMCodeGenOptLevel level =
        options->form == LS_FORM_SOURCE ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelAggressive;
    module->machine = llvm->CreateTargetMachine(target, triple, options->arch, options->features, level,
                                                LLVMRelocDefault, LLVMCodeModelDefault);
    return module->machine != NULL;
}

typedef struct {
    const ls_lower_options *options;
    ls_arena *arena;
    ls_buf *ptx;
    ls_ir_kernels *kernels;
} lowering;

static void emit(ls_module *module, ls_buf *ptx) {
    const ls_llvm *llvm = module->llvm;
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (llvm->TargetMachineEmitToMemoryBuffer(module->machine, module->module, LLVMAssemblyFile, &message,
                                              &buffer)) {
        ls_diags_add(module->diags, LS_ERROR, module->source, 0, 0, "%s", message);
        llvm->DisposeMessage(message);
        module->failed = true;
        return;
    }
    ls_buf_add(ptx, llvm->GetBufferStart(buffer), llvm->GetBufferSize(buffer));
    llvm->DisposeMemoryBuffer(buffer);
}

static void lower(ls_module *module, void *context) {
    lowering *work = context;
    bool source = work->options->form == LS_FORM_SOURCE;
    find_kernels(module, work->arena, work->kernels);
    ls_clusters_read(module);
    if (work->options->relocatable)
        join_static_variables(module);
    else
        hide_functions(module, work->kernels, source);
    if (source) {
        ls_shape_inline(module);
        /* Nothing that could merge, move or drop an access may run before they are all marked. */
        if (!ls_module_run(module, "always-inline,globaldce,function(sroa<preserve-cfg>)")) return;
        /* before variables that are indexed in a loop are parted, and before their space is known, through
         * which that does not see */
        if (!ls_unroll_as_asked(module)) return;
        if (!ls_module_run(module, "function(sroa<preserve-cfg>,infer-address-spaces)")) return;
        ls_fields_take_apart(module);
        if (!ls_module_run(module, "function(sroa<preserve-cfg>,infer-address-spaces)")) return;
        ls_shape_keep_accesses(module);
        /* instsimplify, not instcombine: that would turn 0 < n && n < 9 into an unsigned trick, and i * 64
         * into a shift. */
        if (!ls_module_run(module, "function(simplifycfg,infer-address-spaces,instsimplify,simplifycfg)"))
            return;
        ls_shape_drop_brackets(module);
        ls_shape_keep_conditions(module);
    } else if (!ls_module_run(module, work->options->optimize ? "default<O3>,globaldce" : "globaldce")) {
        return;
    }
    if (!source && work->options->separate_locals) ls_locals_separate(module);
    ls_shape_library_calls(module);
    if (!source) ls_unplaced_mend(module);
    ls_inlined_number(module);
    emit(module, work->ptx);
    ls_inlined_tell(module, work->ptx);
    ls_clusters_tell(module, work->ptx);
    ls_shape_tidy(work->ptx, !source || work->options->keep_volatile);
}

typedef struct {
    ls_module *module;
    const char *path;
    lowering *work;
    bool good;
} opened;

static void open_and_lower(void *context) {
    opened *all = context;
    all->good = ls_module_open(all->module, all->path) && make_machine(all->module, all->work->options) &&
                ls_module_guard(all->module, lower, all->work);
}

bool ls_lower(const char *bitcode_path, const ls_lower_options *options, ls_arena *arena, ls_buf *ptx,
              ls_ir_kernels *kernels, ls_local_arrays *locals, ls_diags *diags) {
    const char *why;
    ls_module module = {.llvm = ls_llvm_load(&why), .diags = diags, .source = options->source};
    if (!module.llvm) {
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "%s", why);
        return false;
    }
    module.arena = arena;
    if (options->separate_locals && options->form == LS_FORM_AS_RUN) module.locals = locals;
    take_turn(module.llvm, options->form, options->rough_division);
    lowering work = {options, arena, ptx, kernels};
    opened all = {&module, bitcode_path, &work, false};
    bool memory = ls_try(open_and_lower, &all), good = memory && all.good;
    ls_module_close(&module);
    leave_turn();
    if (!memory) ls_escape();
    if (!good && !ls_diags_errors(diags))
        ls_diags_add(diags, LS_ERROR, options->source, 0, 0, "the compiler's bitcode could not be lowered");
    return good;
}
#endif
