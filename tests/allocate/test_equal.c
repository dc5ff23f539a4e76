/* Allocated kernels compute what the original ones do: every kernel here, with each allocator, at 6 to 24
 * registers, for blocks that are and are not whole warps, of one and two dimensions, run in the emulator and
 * compared bit for bit. What comes out must also keep within the registers that were asked for. */
#include "base/buf.h"
#include "lockstep/allocate.h"
#include "lockstep/emulate.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 300, M = 13, GRID = 2 };

typedef struct {
    uint32_t size[3];
    bool tell; /* the allocator is told the size */
} block_size;

static const block_size blocks[] = {
    {{32, 1, 1}, true}, {{48, 1, 1}, true}, {{256, 1, 1}, true}, {{100, 1, 1}, false},
    {{16, 6, 1}, true}, {{32, 4, 1}, true}, {{5, 7, 2}, true},   {{7, 5, 3}, false},
};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static const uint32_t register_counts[] = {6, 8, 12, 16, 24};

static const struct {
    ls_allocator allocator;
    uint32_t degree;
    bool keep;
    uint32_t predicates;
} ways[] = {{LS_ALLOCATE_LINEAR, 1, false, 3},
            {LS_ALLOCATE_DIV, 1, false, 0},
            {LS_ALLOCATE_AFF, 1, false, 0},
            {LS_ALLOCATE_AFF, 2, true, 3}};

typedef struct {
    ls_ptx_module *module;
    char *text;
} loaded;

static ls_ptx_module *parse(const char *text, size_t length, const char *name) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, length, name, diags);
    for (uint32_t i = 0; i < ls_diags_count(diags); i++)
        print_message("%s:%u: %s\n", name, ls_diags_at(diags, i)->line, ls_diags_at(diags, i)->message);
    ls_diags_free(diags);
    assert_non_null(module);
    return module;
}

/* --- Running ---------------------------------------------------------------------------------------------
 */
static float input_at(uint32_t i, uint32_t which) {
    uint32_t x = (i + 1) * 2654435761u ^ which * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (float)(x & 0xffff) / 65536.0f;
}

/* Fills out[4 N]; false where the emulator did not come to the end. */
static bool run_kernel(const ls_ptx_module *module, const char *kernel, const block_size *block, float *out) {
    ls_diags *diags = ls_diags_new();
    ls_emulator *emulator = ls_emulator_new(module, diags);
    assert_non_null(emulator);
    uint64_t bytes = 4 * N * sizeof(float);
    uint64_t a = ls_emulator_alloc(emulator, bytes, "a"), b = ls_emulator_alloc(emulator, bytes, "b");
    uint64_t o = ls_emulator_alloc(emulator, bytes, "out");
    for (uint32_t i = 0; i < 4 * N; i++) {
        ((float *)(uintptr_t)a)[i] = input_at(i, 1);
        ((float *)(uintptr_t)b)[i] = input_at(i, 2);
    }
    struct {
        uint64_t a, b, out;
        int32_t n, m;
        float s;
    } params = {a, b, o, N, M, 0.75f};
    ls_emu_launch launch = {.kernel = kernel, .grid = {GRID, 1, 1}, .params = &params, .params_size = 36};
    memcpy(launch.block, block->size, sizeof launch.block);
    ls_emu_result *result = ls_emulator_run(emulator, &launch, &(ls_emu_options){.threads = 1});
    bool done = result->status == LS_EMU_DONE;
    if (!done) print_message("%s: %s (PTX line %u)\n", kernel, result->message, result->pos.ptx_line);
    memcpy(out, (void *)(uintptr_t)o, bytes);
    ls_emu_result_free(result);
    ls_emulator_free(emulator);
    ls_diags_free(diags);
    return done;
}

/* --- Allocating ------------------------------------------------------------------------------------------
 */
static bool tell_block(void *context, const char *kernel, uint32_t block[3]) {
    const block_size *size = context;
    (void)kernel;
    if (size->tell) memcpy(block, size->size, sizeof size->size);
    return true;
}

static const ls_allocate_kernel *kernel_of(const ls_allocation *allocation, const char *name) {
    for (uint32_t i = 0; i < allocation->kernel_count; i++)
        if (!strcmp(allocation->kernels[i].name, name)) return &allocation->kernels[i];
    return NULL;
}

/* The pressure of the printed text, found anew. */
static void check_pressure(const ls_ptx_module *module, const ls_allocation *allocation,
                           uint32_t predicates) {
    ls_diags *diags = ls_diags_new();
    ls_allocation *again = ls_allocate(module, &(ls_allocate_options){.registers = 0}, diags);
    assert_non_null(again);
    for (uint32_t i = 0; i < again->kernel_count; i++) {
        const ls_allocate_kernel *k = kernel_of(allocation, again->kernels[i].name);
        assert_non_null(k);
        assert_true(k->rewritten);
        assert_true(again->kernels[i].pressure <= k->registers);
        assert_true(again->kernels[i].predicates <= (predicates ? predicates : 7));
        assert_true(k->registers == k->asked || k->note_count > 0);
    }
    ls_allocation_free(again);
    ls_diags_free(diags);
}

static void compare(const ls_ptx_module *original, const char *text, size_t length, uint32_t block,
                    const char *way, float *const *expected) {
    ls_ptx_module *module = parse(text, length, way);
    for (uint32_t i = 0; i < original->function_count; i++) {
        const ls_ptx_function *function = original->functions[i];
        if (!function->is_entry || !expected[i]) continue;
        float out[4 * N];
        assert_true(run_kernel(module, function->symbol->name, &blocks[block], out));
        if (memcmp(out, expected[i], sizeof out)) {
            uint32_t at = 0;
            while (!memcmp(&out[at], &expected[i][at], sizeof *out)) at++;
            print_message("%s, %s: out[%u] is %g, not %g\n", function->symbol->name, way, at, (double)out[at],
                          (double)expected[i][at]);
            fail();
        }
    }
    ls_ptx_module_free(module);
}

static void check_block(const ls_ptx_module *module, uint32_t block, float *const *expected) {
    for (uint32_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (uint32_t r = 0; r < sizeof register_counts / sizeof *register_counts; r++) {
            block_size size = blocks[block];
            ls_allocate_options options = {.allocator = ways[w].allocator,
                                           .registers = register_counts[r],
                                           .degree = ways[w].degree,
                                           .keep_spills = ways[w].keep,
                                           .predicates = ways[w].predicates,
                                           .wants = tell_block,
                                           .context = &size};
            ls_diags *diags = ls_diags_new();
            ls_allocation *allocation = ls_allocate(module, &options, diags);
            assert_non_null(allocation);
            char way[96];
            snprintf(way, sizeof way, "%s degree %u at %u, block %ux%ux%u",
                     ls_allocator_name(options.allocator), options.degree, options.registers, size.size[0],
                     size.size[1], size.size[2]);
            compare(module, allocation->ptx, allocation->length, block, way, expected);
            if (block == 0) {
                ls_ptx_module *rewritten = parse(allocation->ptx, allocation->length, way);
                check_pressure(rewritten, allocation, options.predicates);
                ls_ptx_module_free(rewritten);
            }
            ls_allocation_free(allocation);
            ls_diags_free(diags);
        }
}

/* Sums and products get the rounding mode that they have by default. Without one, PTX leaves it open whether
 * a product that is added at once is rounded, and that can be another one where a value has been spilled. */
static void round_each(const ls_buf *from, ls_buf *to) {
    static const char *const names[] = {"add", "sub", "mul"};
    for (size_t i = 0; i < from->length; i++) {
        ls_buf_putc(to, from->text[i]);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++)
            if (i >= 2 && i + 4 < from->length && memcmp(from->text + i - 2, names[n], 3) == 0 &&
                memcmp(from->text + i + 1, ".f32", 4) == 0)
                ls_buf_puts(to, ".rn");
    }
}

static void check_file(const char *path, uint32_t first, uint32_t last) {
    ls_buf text = {0}, read = {0};
    assert_true(ls_read_file(path, &read));
    round_each(&read, &text);
    ls_buf_free(&read);
    ls_ptx_module *module = parse(text.text, text.length, path);
    for (uint32_t b = first; b < last; b++) {
        float **expected = calloc(module->function_count, sizeof *expected);
        for (uint32_t i = 0; i < module->function_count; i++) {
            if (!module->functions[i]->is_entry) continue;
            expected[i] = malloc(4 * N * sizeof(float));
            assert_true(run_kernel(module, module->functions[i]->symbol->name, &blocks[b], expected[i]));
        }
        check_block(module, b, expected);
        for (uint32_t i = 0; i < module->function_count; i++) free(expected[i]);
        free(expected);
    }
    ls_ptx_module_free(module);
    ls_buf_free(&text);
}

static void test_traps(void **state) {
    (void)state;
    check_file(TEST_DIR "/traps.ptx", 0, BLOCKS);
}

static void test_kernels_of_one_dimension(void **state) {
    (void)state;
    check_file(TEST_DIR "/kernels.ptx", 0, 4);
}

static void test_kernels_of_more_dimensions(void **state) {
    (void)state;
    check_file(TEST_DIR "/kernels.ptx", 4, BLOCKS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traps),
        cmocka_unit_test(test_kernels_of_one_dimension),
        cmocka_unit_test(test_kernels_of_more_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
