/* The sizes of clusters that __cluster_dims__ and __block_size__ ask for. clang 19 has no such attributes,
 * and its code generator no directives for them: the bundled headers make them an annotation, which is read
 * from the IR here, taken out of it, and put into the printed PTX as nvcc does: .explicitcluster, and
 * .reqnctapercluster where sizes are given; .blocksareclusters and .reqntid. */
#ifdef LS_HAVE_LLVM
#include "base/map.h"
#include "frontend/module.h"

#include <string.h>

static const char MARK[] = "lockstep.cluster"; /* as in lockstep_cuda.h */

/* An element of llvm.global.annotations: {function, mark, file, line, numbers}. */
enum { OF_FUNCTION, OF_MARK, OF_NUMBERS = 4, PARTS };

/* What a global variable of constants begins with; NULL: another value. */
static LLVMValueRef contents(const ls_llvm *llvm, LLVMValueRef global) {
    return llvm->IsAGlobalVariable(global) ? llvm->GetInitializer(global) : NULL;
}

static bool is_mark(const ls_llvm *llvm, LLVMValueRef value) {
    LLVMValueRef text = contents(llvm, value);
    if (!text || !llvm->IsConstantString(text)) return false;
    size_t length;
    const char *found = llvm->GetAsString(text, &length);
    return length == sizeof MARK && !memcmp(found, MARK, sizeof MARK);
}

static uint32_t number_at(const ls_llvm *llvm, LLVMValueRef numbers, unsigned k, uint32_t otherwise) {
    if (!numbers || (int)k >= llvm->GetNumOperands(numbers)) return otherwise;
    LLVMValueRef number = llvm->GetOperand(numbers, k);
    return llvm->IsAConstantInt(number) ? (uint32_t)llvm->ConstIntGetZExtValue(number) : otherwise;
}

static void read_annotation(ls_module *module, LLVMValueRef annotation) {
    const ls_llvm *llvm = module->llvm;
    if (llvm->GetNumOperands(annotation) != PARTS) return;
    LLVMValueRef function = llvm->GetOperand(annotation, OF_FUNCTION);
    if (!llvm->IsAFunction(function) || !is_mark(llvm, llvm->GetOperand(annotation, OF_MARK))) return;
    size_t length;
    const char *name = llvm->GetValueName2(function, &length);
    ls_ir_cluster cluster = {.kernel = ls_arena_strndup(module->arena, name, length)};
    LLVMValueRef numbers = contents(llvm, llvm->GetOperand(annotation, OF_NUMBERS));
    for (unsigned k = 0; k < 3; k++) {
        cluster.size[k] = number_at(llvm, numbers, k, numbers != NULL);
        cluster.block[k] = number_at(llvm, numbers, 3 + k, 0);
    }
    LS_VEC_PUSH(&module->clusters, cluster);
}

void ls_clusters_read(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef list = llvm->GetNamedGlobal(module->module, "llvm.global.annotations");
    LLVMValueRef annotations = list ? llvm->GetInitializer(list) : NULL;
    int count = annotations ? llvm->GetNumOperands(annotations) : 0;
    for (int i = 0; i < count; i++) read_annotation(module, llvm->GetOperand(annotations, (unsigned)i));
    if (list) llvm->DeleteGlobal(list); /* else what it names would count as used */
}

static void put_sizes(ls_buf *out, const char *directive, const uint32_t *size) {
    if (size[0]) ls_buf_printf(out, "\n%s %u, %u, %u", directive, size[0], size[1], size[2]);
}

/* Directives stand between the parameters and the body. */
void ls_clusters_tell(const ls_module *module, ls_buf *ptx) {
    static const char ENTRY[] = ".entry ";
    if (!module->clusters.length) return;
    ls_buf out = {0};
    ls_map by_name = {0};
    for (uint32_t i = module->clusters.length; i-- > 0;) {
        ls_ir_cluster *c = &module->clusters.items[i];
        *ls_map_at(&by_name, c->kernel, strlen(c->kernel)) = c;
    }
    const char *done = ls_buf_text(ptx), *at = done;
    while ((at = strstr(at, ENTRY))) {
        at += strlen(ENTRY);
        const char *end = strchr(at, ')');
        const ls_ir_cluster *c = ls_map_get(&by_name, at, strcspn(at, "( \t\n"));
        if (!c || !end) continue;
        ls_buf_add(&out, done, (size_t)(end + 1 - done));
        done = end + 1;
        ls_buf_puts(&out, c->block[0] ? "\n.blocksareclusters" : "\n.explicitcluster");
        put_sizes(&out, ".reqntid", c->block);
        put_sizes(&out, ".reqnctapercluster", c->size);
    }
    ls_buf_puts(&out, done);
    ls_map_free(&by_name);
    ls_buf_free(ptx);
    *ptx = out;
}
#endif
