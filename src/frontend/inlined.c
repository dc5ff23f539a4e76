/* Where inlined code was called from. PTX can say it (.loc … inlined_at), but LLVM 19 does not print it: so
 * each place of an inlined instruction is given a line number of its own before code is generated, and in the
 * printed PTX the number gives way to the place and the calls around it. */
#ifdef LS_HAVE_LLVM
#include "base/map.h"
#include "frontend/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_NUMBER = 1 << 28, MOST_CALLS = 64 };

void ls_inlined_number(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    ls_intmap numbers = {0};
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f))
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(f); b; b = llvm->GetNextBasicBlock(b))
            for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i)) {
                LLVMMetadataRef place = llvm->InstructionGetDebugLoc(i);
                LLVMMetadataRef call = place ? llvm->DILocationGetInlinedAt(place) : NULL;
                if (!call || module->inlined.length >= FIRST_NUMBER) continue;
                bool is_new;
                uint64_t *number = ls_intmap_at(&numbers, (uintptr_t)place, &is_new);
                if (is_new) {
                    *number = module->inlined.length;
                    LS_VEC_PUSH(&module->inlined, place);
                }
                LLVMMetadataRef numbered =
                    llvm->DIBuilderCreateDebugLocation(module->context, FIRST_NUMBER + (unsigned)*number, 0,
                                                       llvm->DILocationGetScope(place), call);
                llvm->InstructionSetDebugLoc(i, numbered);
            }
    ls_intmap_free(&numbers);
}

/* --- Files --------------------------------------------------------------------------------------------- */

typedef struct {
    ls_module *module;
    ls_map numbers; /* of files, by path */
    uint64_t last;  /* the highest */
    ls_buf *out;
    ls_buf added; /* directives for files that have none */
} text;

/* .file 2 "path" */
static void read_files(text *t, const char *ptx) {
    for (const char *at = strstr(ptx, "\n\t.file"); at; at = strstr(at + 1, "\n\t.file")) {
        char *end;
        uint64_t number = strtoull(at + strlen("\n\t.file"), &end, 10);
        const char *path = *end == ' ' && end[1] == '"' ? end + 2 : NULL;
        if (!path) continue;
        const char *name = ls_arena_strndup(t->module->arena, path, strcspn(path, "\"\n"));
        *ls_map_at(&t->numbers, name, strlen(name)) = (void *)(uintptr_t)number;
        if (number > t->last) t->last = number;
    }
}

static uint64_t file_number(text *t, LLVMMetadataRef place) {
    const ls_llvm *llvm = t->module->llvm;
    LLVMMetadataRef file = llvm->DIScopeGetFile(llvm->DILocationGetScope(place));
    if (!file) return 0;
    unsigned folder_size, size;
    const char *folder = llvm->DIFileGetDirectory(file, &folder_size);
    const char *name = llvm->DIFileGetFilename(file, &size);
    const char *path = ls_module_path(t->module->arena, folder, folder_size, name, size);
    void **number = ls_map_at(&t->numbers, path, strlen(path));
    if (!*number) {
        *number = (void *)(uintptr_t)++t->last;
        ls_buf_printf(&t->added, "\t.file\t%llu \"%s\"\n", (unsigned long long)t->last, path);
    }
    return (uintptr_t)*number;
}

/* --- Lines --------------------------------------------------------------------------------------------- */

static void put_place(text *t, LLVMMetadataRef place) {
    const ls_llvm *llvm = t->module->llvm;
    ls_buf_printf(t->out, "%llu %u %u", (unsigned long long)file_number(t, place),
                  llvm->DILocationGetLine(place), llvm->DILocationGetColumn(place));
}

/* The outermost call first: a directive's own call is the last one before it at that place. */
static void put_directives(text *t, LLVMMetadataRef place) {
    const ls_llvm *llvm = t->module->llvm;
    LLVMMetadataRef chain[MOST_CALLS];
    uint32_t depth = 0;
    for (; place && depth < MOST_CALLS; place = llvm->DILocationGetInlinedAt(place)) chain[depth++] = place;
    while (depth--) {
        LLVMMetadataRef call = llvm->DILocationGetInlinedAt(chain[depth]);
        ls_buf_puts(t->out, "\t.loc\t");
        put_place(t, chain[depth]);
        if (call) {
            ls_buf_puts(t->out, ", inlined_at ");
            put_place(t, call);
        }
        ls_buf_putc(t->out, '\n');
    }
}

/* The place that the line number of a .loc stands for; NULL where it is a line number. */
static LLVMMetadataRef numbered_place(const text *t, const char *line) {
    if (strncmp(line, "\t.loc\t", 6) != 0) return NULL;
    char *after_file; /* sscanf would look for the end of the whole text first */
    strtoul(line + 6, &after_file, 10);
    unsigned long number = strtoul(after_file, NULL, 10);
    if (number < FIRST_NUMBER || number - FIRST_NUMBER >= t->module->inlined.length) return NULL;
    return t->module->inlined.items[number - FIRST_NUMBER];
}

void ls_inlined_tell(ls_module *module, ls_buf *ptx) {
    if (!module->inlined.length) return;
    ls_buf out = {0};
    ls_buf_reserve(&out, ptx->length * 2);
    text t = {.module = module, .out = &out};
    read_files(&t, ls_buf_text(ptx));
    for (const char *line = ls_buf_text(ptx); *line;) {
        const char *newline = strchr(line, '\n');
        size_t length = newline ? (size_t)(newline - line) + 1 : strlen(line);
        LLVMMetadataRef place = numbered_place(&t, line);
        if (place)
            put_directives(&t, place);
        else
            ls_buf_add(&out, line, length);
        line += length;
    }
    ls_buf_add(&out, ls_buf_text(&t.added), t.added.length);
    ls_buf_free(&t.added);
    ls_map_free(&t.numbers);
    ls_buf_free(ptx);
    *ptx = out;
}
#endif
