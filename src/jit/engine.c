/* LLVM at work: the library of rows (rows.inc) is read, the function of a plan is made in it, optimised for
 * this processor and handed to LLVM's linker for code in memory (ORC). Whatever fails leaves the kernel to
 * the interpreter, with the reason in the result. */
#include "lockstep/jit.h"

#ifdef LS_HAVE_JIT
#include "base/disk.h"
#include "jit/emit.h"
#include "jit/rows_bc.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    jit_plan *plan;
    const ls_llvm *L;
    LLVMOrcLLJITRef jit[VARIANTS][CODE_KINDS];
} engine;

/* --- LLVM --- */
static void start_target(void) {
    const ls_llvm *L = ls_llvm_load(NULL);
#if defined(__x86_64__)
    L->InitializeX86TargetInfo(), L->InitializeX86Target(), L->InitializeX86TargetMC();
    L->InitializeX86AsmPrinter();
#elif defined(__aarch64__)
    L->InitializeAArch64TargetInfo(), L->InitializeAArch64Target(), L->InitializeAArch64TargetMC();
    L->InitializeAArch64AsmPrinter();
#else
    (void)L;
#endif
}

static bool failed(compiled *c, const ls_llvm *L, LLVMErrorRef error) {
    if (!error) return false;
    char *text = L->GetErrorMessage(error);
    engine *g = c->state;
    c->message = ls_arena_strdup(&g->plan->arena, text);
    L->DisposeErrorMessage(text);
    return true;
}

static LLVMTargetMachineRef host_machine(const ls_llvm *L, bool quick, char **triple, char **features) {
    LLVMTargetRef target;
    char *wrong = NULL;
    *triple = L->GetDefaultTargetTriple();
    *features = ls_without_avx512() ? L->CreateMessage("+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c")
                                    : L->GetHostCPUFeatures();
    char *cpu = ls_without_avx512() ? L->CreateMessage("x86-64") : L->GetHostCPUName();
    LLVMTargetMachineRef host = NULL;
    const LLVMCodeGenOptLevel level = quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelLess;
    if (!L->GetTargetFromTriple(*triple, &target, &wrong))
        host =
            L->CreateTargetMachine(target, *triple, cpu, *features, level, LLVMRelocPIC, LLVMCodeModelSmall);
    if (wrong) L->DisposeMessage(wrong);
    L->DisposeMessage(cpu);
    return host;
}

/* LLVM never prints. */
static void drop_message(LLVMDiagnosticInfoRef info, void *context) {
    (void)info;
    (void)context;
}

/* --- The module --- */
static LLVMModuleRef read_library(const ls_llvm *L, LLVMContextRef context) {
    LLVMModuleRef module = NULL;
    LLVMMemoryBufferRef bytes =
        L->CreateMemoryBufferWithMemoryRange((const char *)rows_bc, rows_bc_length, "rows", 0);
    if (L->GetBitcodeModuleInContext2(context, bytes, &module)) {
        L->DisposeMemoryBuffer(bytes);
        return NULL;
    }
    for (value f = L->GetFirstFunction(module); f; f = L->GetNextFunction(f))
        if (!L->IsDeclaration(f)) L->SetLinkage(f, LLVMAvailableExternallyLinkage);
    return module;
}

/* Functions of the library that are used come into the module, and are for this processor, too. */
static bool take_library(emitter *e, value keep) {
    const ls_llvm *L = e->L;
    LLVMModuleRef module = e->module, library = e->library;
    static const char *const targets[] = {"target-cpu", "target-features", "tune-cpu",
                                          "min-legal-vector-width"};
    e->library = NULL;
    if (L->LinkModules2(module, library)) return false;
    for (value f = L->GetFirstFunction(module); f; f = L->GetNextFunction(f)) {
        if (f == keep || L->IsDeclaration(f)) continue;
        L->SetLinkage(f, LLVMInternalLinkage);
        for (size_t k = 0; k < sizeof targets / sizeof *targets; k++)
            L->RemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, targets[k],
                                            (unsigned)strlen(targets[k]));
    }
    return true;
}

static value tag(const emitter *e, LLVMMetadataRef root, const char *name) {
    LLVMMetadataRef zero = e->L->ValueAsMetadata(jit_int(e, e->i64, 0));
    LLVMMetadataRef type[] = {e->L->MDStringInContext2(e->context, name, strlen(name)), root, zero};
    LLVMMetadataRef node = e->L->MDNodeInContext2(e->context, type, 3), access[] = {node, node, zero};
    return e->L->MetadataAsValue(e->context, e->L->MDNodeInContext2(e->context, access, 3));
}

static void start_emitter(emitter *e) {
    enum { USUALLY = 64 }; /* times as often; with thousands, placing registers takes three times as long */
    const ls_llvm *L = e->L;
    e->at = L->CreateBuilderInContext(e->context);
    e->slots = L->CreateBuilderInContext(e->context);
    e->i1 = L->Int1TypeInContext(e->context);
    e->i8 = L->Int8TypeInContext(e->context);
    e->i16 = L->Int16TypeInContext(e->context);
    e->i32 = L->Int32TypeInContext(e->context);
    e->i64 = L->Int64TypeInContext(e->context);
    e->ptr = L->PointerTypeInContext(e->context, 0);
    e->lanes = L->VectorType(e->i1, CHUNK);
    e->invariant = L->GetMDKindIDInContext(e->context, "invariant.load", 14);
    e->tbaa = L->GetMDKindIDInContext(e->context, "tbaa", 4);
    LLVMMetadataRef name = L->MDStringInContext2(e->context, "lockstep", 8),
                    root = L->MDNodeInContext2(e->context, &name, 1);
    e->state_tag = tag(e, root, "state");
    e->memory_tag = tag(e, root, "memory");
    e->nothing = L->MetadataAsValue(e->context, L->MDNodeInContext2(e->context, NULL, 0));
    e->weights = L->GetMDKindIDInContext(e->context, "prof", 4);
    LLVMMetadataRef nearly[] = {L->MDStringInContext2(e->context, "branch_weights", 14),
                                L->ValueAsMetadata(jit_int(e, e->i32, USUALLY)),
                                L->ValueAsMetadata(jit_int(e, e->i32, 1))};
    e->nearly_always = L->MetadataAsValue(e->context, L->MDNodeInContext2(e->context, nearly, 3));
}

/* --- Code --- */
static bool run_passes(compiled *c, const ls_llvm *L, LLVMModuleRef module, LLVMTargetMachineRef host,
                       const char *passes) {
    LLVMPassBuilderOptionsRef options = L->CreatePassBuilderOptions();
    LLVMErrorRef error = L->RunPasses(module, passes, host, options);
    L->DisposePassBuilderOptions(options);
    return !failed(c, L, error);
}

static bool optimise(compiled *c, const emitter *e, LLVMTargetMachineRef host) {
    static const char quick[] = "always-inline,globaldce,function(sroa,adce,early-cse,simplifycfg)",
                      good[] =
                          "always-inline,globaldce,function(sroa,adce,early-cse<memssa>,"
                          "instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),early-cse<memssa>,dse,"
                          "instcombine<no-verify-fixpoint>,simplifycfg)";
    if (!run_passes(c, e->L, e->module, host, e->quick ? quick : good)) return false;
    jit_delay_nans(e->L, e->function, e->at);
    return true;
}

static compiled_fn link_code(compiled *c, unsigned variant, code_kind kind, LLVMMemoryBufferRef object,
                             const char *name) {
    engine *g = c->state;
    const ls_llvm *L = g->L;
    LLVMOrcDefinitionGeneratorRef process;
    LLVMOrcExecutorAddress address = 0;
    if (failed(c, L, L->OrcCreateLLJIT(&g->jit[variant][kind], NULL))) {
        L->DisposeMemoryBuffer(object);
        return NULL;
    }
    LLVMOrcLLJITRef jit = g->jit[variant][kind];
    LLVMOrcJITDylibRef main = L->OrcLLJITGetMainJITDylib(jit);
    if (failed(c, L,
               L->OrcCreateDynamicLibrarySearchGeneratorForProcess(&process, L->OrcLLJITGetGlobalPrefix(jit),
                                                                   NULL, NULL))) {
        L->DisposeMemoryBuffer(object);
        return NULL;
    }
    L->OrcJITDylibAddGenerator(main, process);
    if (failed(c, L, L->OrcLLJITAddObjectFile(jit, main, object))) return NULL;
    if (failed(c, L, L->OrcLLJITLookup(jit, &address, name))) return NULL;
    return (compiled_fn)(uintptr_t)address;
}

/* The target's vectors are used as wide as they are, and what is put on the stack does not cross lines. */
static void prefer_wide(const emitter *e, value function, const char *features) {
    enum { LINE = 64 };
    const unsigned align = e->L->GetEnumAttributeKindForName("alignstack", 10);
    e->L->AddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                              e->L->CreateEnumAttribute(e->context, align, LINE));
    if (!strstr(features, "+avx512vl")) return;
    LLVMAttributeRef wide = e->L->CreateStringAttribute(e->context, "prefer-vector-width", 19, "512", 3);
    e->L->AddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, wide);
}

/* Everything that the object depends on: the processor, and the module itself, which holds the version of
 * LLVM that wrote it. */
static void describe(const ls_llvm *L, LLVMModuleRef module, const char *triple, const char *features,
                     ls_buf *key) {
    char *cpu = L->GetHostCPUName();
    LLVMMemoryBufferRef bits = L->WriteBitcodeToMemoryBuffer(module);
    ls_buf_printf(key, "code 4\n%s\n%s\n%s\n", triple, cpu, features);
    ls_buf_add(key, L->GetBufferStart(bits), L->GetBufferSize(bits));
    L->DisposeMemoryBuffer(bits);
    L->DisposeMessage(cpu);
}

static LLVMMemoryBufferRef kept_object(const ls_llvm *L, const ls_buf *key) {
    ls_buf bytes = {0};
    LLVMMemoryBufferRef object = NULL;
    if (ls_disk_get("code", key, &bytes) && bytes.length)
        object = L->CreateMemoryBufferWithMemoryRangeCopy(bytes.text, bytes.length, "kept");
    ls_buf_free(&bytes);
    return object;
}

/* From the disk, where the same was compiled before. */
static LLVMMemoryBufferRef compile(compiled *c, emitter *e, LLVMTargetMachineRef host, const char *triple,
                                   const char *features) {
    const ls_llvm *L = e->L;
    ls_buf key = {0};
    char *wrong = NULL;
    LLVMMemoryBufferRef object = NULL;
    if (ls_disk_keeps("code")) {
        describe(L, e->module, triple, features, &key);
        object = kept_object(L, &key);
    }
    atomic_store(&c->kept[e->masked ? VARIANT_MASKED : VARIANT_FULL], object != NULL);
    if (!object && optimise(c, e, host)) {
        if (L->TargetMachineEmitToMemoryBuffer(host, e->module, LLVMObjectFile, &wrong, &object))
            c->message = "LLVM cannot compile it for this machine", object = NULL;
        else if (key.length)
            ls_disk_put("code", &key, L->GetBufferStart(object), L->GetBufferSize(object));
    }
    if (wrong) L->DisposeMessage(wrong);
    ls_buf_free(&key);
    return object;
}

static LLVMMemoryBufferRef make_object(compiled *c, emitter *e, const char *name) {
    const ls_llvm *L = e->L;
    char *triple, *features;
    LLVMMemoryBufferRef object = NULL;
    LLVMTargetMachineRef host = host_machine(L, e->quick, &triple, &features);
    if (host) {
        LLVMTargetDataRef layout = L->CreateTargetDataLayout(host);
        L->SetTarget(e->module, triple);
        L->SetModuleDataLayout(e->module, layout);
        L->DisposeTargetData(layout);
        e->scatters = strstr(features, "+avx512vl") != NULL;
        value function = jit_emit_function(e, name);
        prefer_wide(e, function, features);
        if (!take_library(e, function) || e->astray || L->VerifyFunction(function, LLVMReturnStatusAction))
            c->message = "the compiled code is not well-formed";
        else
            object = compile(c, e, host, triple, features);
        L->DisposeTargetMachine(host);
    } else {
        c->message = "LLVM has no code for this processor";
    }
    L->DisposeMessage(triple);
    L->DisposeMessage(features);
    return object;
}

/* What the code finds its way by. */
static void give_tables(compiled *c, unsigned variant, code_kind kind, const emitter *e) {
    ls_arena *arena = &((engine *)c->state)->plan->arena;
    const void **used = LS_NEW_N(arena, const void *, e->uses.length + 1);
    compiled_exit *exits = LS_NEW_N(arena, compiled_exit, e->exits.length + 1);
    compiled_call *calls = LS_NEW_N(arena, compiled_call, e->calls.length + 1);
    if (e->uses.length) memcpy(used, e->uses.items, e->uses.length * sizeof *used);
    if (e->exits.length) memcpy(exits, e->exits.items, e->exits.length * sizeof *exits);
    if (e->calls.length) memcpy(calls, e->calls.items, e->calls.length * sizeof *calls);
    c->used[kind][variant] = used;
    c->exits[kind][variant] = exits;
    c->calls[kind][variant] = calls;
}

static compiled_fn make(compiled *c, unsigned variant, code_kind kind) {
    engine *g = c->state;
    const char *why, *name = variant == VARIANT_FULL ? "all_lanes" : "some_lanes";
    ls_arena arena;
    if (!g->L) g->L = ls_llvm_load(&why);
    if (!g->L) {
        c->message = why;
        return NULL;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* several may compile at a time */
    pthread_once(&once, start_target);
    ls_arena_init(&arena);
    emitter e = {.L = g->L,
                 .arena = &arena,
                 .p = g->plan,
                 .masked = variant == VARIANT_MASKED,
                 .quick = kind == CODE_QUICK};
    e.context = g->L->ContextCreate();
    g->L->ContextSetDiagnosticHandler(e.context, drop_message, NULL);
    e.module = g->L->ModuleCreateWithNameInContext("rows", e.context);
    e.library = read_library(g->L, e.context);
    compiled_fn fn = NULL;
    if (e.library) {
        start_emitter(&e);
        LLVMMemoryBufferRef object = make_object(c, &e, name);
        if (object) give_tables(c, variant, kind, &e);
        if (object) fn = link_code(c, variant, kind, object, name);
        g->L->DisposeBuilder(e.at);
        g->L->DisposeBuilder(e.slots);
    } else {
        c->message = "the compiled code cannot be loaded";
    }
    if (e.library) g->L->DisposeModule(e.library);
    g->L->DisposeModule(e.module);
    g->L->ContextDispose(e.context);
    ls_arena_free(&arena);
    return fn;
}

static bool plan(compiled *c, const block_run *b) {
    engine *g = calloc(1, sizeof *g);
    if (!g) return false;
    c->state = g;
    g->plan = jit_plan_new(c, b);
    if (!g->plan) return false;
    c->message = g->plan->refused;
    return !c->message;
}

static void forget(compiled *c) {
    engine *g = c->state;
    if (!g) return;
    for (unsigned n = 0; n < VARIANTS * CODE_KINDS; n++) {
        LLVMOrcLLJITRef jit = g->jit[n / CODE_KINDS][n % CODE_KINDS];
        LLVMErrorRef error = jit ? g->L->OrcDisposeLLJIT(jit) : NULL;
        if (error) g->L->DisposeErrorMessage(g->L->GetErrorMessage(error));
    }
    jit_plan_free(g->plan);
    free(g);
}

const ls_emu_compiler *ls_jit_compiler(void) {
    static const ls_emu_compiler compiler = {.plan = plan, .make = make, .free = forget};
    return &compiler;
}
#else
const ls_emu_compiler *ls_jit_compiler(void) {
    return NULL;
}
#endif
