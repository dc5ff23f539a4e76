/* From a path on the command line to a parsed PTX module, and from a compiled kernel to its report entry. */
#include "cli/input.h"

#include "base/guard.h"
#include "base/map.h"
#include "cli/kept.h"
#include "finding/library.h"
#include "lockstep/limits.h"
#include "ptx/origin.h"

#include <pthread.h>
#include <string.h>

ls_frontend_options ls_cli_frontend(const ls_common *common, ls_form form) {
    return (ls_frontend_options){.kind = (ls_frontend_kind)common->frontend,
                                 .form = form,
                                 .arch = common->arch,
                                 .standard = common->standard,
                                 .include_dirs = common->include_dirs.items,
                                 .include_dir_count = common->include_dirs.count,
                                 .defines = common->defines.items,
                                 .define_count = common->defines.count,
                                 .includes = common->includes.items,
                                 .include_count = common->includes.count,
                                 .extra = common->extra.items,
                                 .extra_count = common->extra.count,
                                 .cccl = common->cccl,
                                 .compile_commands = common->compile_commands,
                                 .text = common->text,
                                 .precompiled = common->precompiled,
                                 .compile_seconds = common->compile_timeout,
                                 .compile_bytes =
                                     common->max_memory ? common->max_memory : ls_half_of_memory()};
}

bool ls_input_load(const ls_common *common, const char *path, ls_form form, ls_input *out, ls_diags *diags) {
    ls_frontend_options options = ls_cli_frontend(common, form);
    return ls_input_open(common, &options, path, out, diags);
}

bool ls_input_load_both(const ls_common *common, const char *path, ls_input *out, ls_diags *diags) {
    ls_frontend_options options = ls_cli_frontend(common, LS_FORM_SOURCE);
    options.both_forms = true;
    return ls_input_open(common, &options, path, out, diags);
}

/* --- Beforehand ---------------------------------------------------------------------------------------- */

typedef struct {
    const char *path;
    ls_compiled compiled;
    ls_diags *diags;
    bool good, taken;
} prepared_file;

struct ls_prepared {
    pthread_mutex_t lock;
    prepared_file *files;
    uint32_t count;
};

ls_prepared *ls_input_prepare(const ls_common *common, const ls_frontend_options *options, ls_arena *arena) {
    ls_prepared *all = LS_NEW(arena, ls_prepared);
    pthread_mutex_init(&all->lock, NULL);
    all->files = LS_NEW_N(arena, prepared_file, common->operands.count + 1);
    for (uint32_t i = 0; i < common->operands.count; i++) {
        prepared_file *file = &all->files[all->count++];
        *file = (prepared_file){.path = common->operands.items[i], .diags = ls_diags_new()};
        file->good = ls_compile(file->path, options, &file->compiled, file->diags);
    }
    return all;
}

void ls_prepared_free(ls_prepared *prepared) {
    for (uint32_t i = 0; prepared && i < prepared->count; i++) {
        prepared_file *file = &prepared->files[i];
        if (file->good && !file->taken) ls_compiled_free(&file->compiled);
        ls_diags_free(file->diags);
    }
    if (prepared) pthread_mutex_destroy(&prepared->lock);
}

static bool compile(const ls_common *common, const ls_frontend_options *options, const char *path,
                    ls_compiled *out, ls_diags *diags) {
    ls_prepared *all = common->prepared;
    prepared_file *found = NULL;
    if (all) pthread_mutex_lock(&all->lock);
    for (uint32_t i = 0; all && i < all->count && !found; i++) {
        prepared_file *file = &all->files[i];
        if (!file->taken && !strcmp(file->path, path)) found = file;
    }
    if (found) found->taken = true;
    if (all) pthread_mutex_unlock(&all->lock);
    if (!found) {
        ls_frontend_options own = *options;
        own.dependencies = common->kept != NULL;
        bool good = ls_compile(path, &own, out, diags);
        if (good) ls_kept_depends(common->kept, path, out);
        return good;
    }
    ls_diags_append(diags, found->diags);
    *out = found->compiled;
    return found->good;
}

bool ls_input_open(const ls_common *common, const ls_frontend_options *options, const char *path,
                   ls_input *out, ls_diags *diags) {
    *out = (ls_input){0};
    if (!compile(common, options, path, &out->compiled, diags)) return false;
    const ls_compiled *compiled = &out->compiled;
    bool is_ptx = compiled->language == LS_LANGUAGE_PTX;
    ls_buf name = {0};
    ls_buf_printf(&name, is_ptx ? "%s" : "%s (compiled)", path);
    ls_ptx_module *(*parse)(const char *, size_t, const char *, ls_diags *) =
        common->any_size ? ls_ptx_parse_any_size : ls_ptx_parse;
    out->module = parse(compiled->ptx, compiled->length, ls_buf_text(&name), diags);
    if (out->module && compiled->as_run)
        out->as_run = parse(compiled->as_run, compiled->as_run_length, ls_buf_text(&name), diags);
    ls_buf_free(&name);
    bool good = out->module && (out->as_run || !compiled->as_run);
    if (!good) ls_input_free(out);
    return good;
}

void ls_input_free(ls_input *input) {
    if (input->as_run) ls_ptx_module_free(input->as_run);
    if (input->module) ls_ptx_module_free(input->module);
    ls_compiled_free(&input->compiled);
}

static void put_size(uint32_t to[3], const ls_size *given, const ls_launch_size *known) {
    memset(to, 0, 3 * sizeof *to);
    if (given->given)
        memcpy(to, given->of, sizeof given->of);
    else if (known->known)
        to[0] = known->x, to[1] = known->y, to[2] = known->z;
}

void ls_input_launch(const ls_common *common, const ls_compiled_kernel *kernel, ls_arena *arena,
                     uint32_t block[3], uint32_t grid[3], const char **from) {
    put_size(block, &common->block, &kernel->block);
    put_size(grid, &common->grid, &kernel->grid);
    const char *block_from = common->block.given   ? "--block"
                             : kernel->block.known ? kernel->block_origin
                                                   : NULL;
    const char *grid_from = common->grid.given ? "--grid" : kernel->grid.known ? kernel->grid_origin : NULL;
    *from = block_from ? block_from : grid_from;
    if (block_from && grid_from && strcmp(block_from, grid_from))
        *from = ls_arena_printf(arena, "block: %s, grid: %s", block_from, grid_from);
}

const char *const *ls_input_parameters(const ls_compiled_kernel *kernel, const ls_ptx_function *function) {
    return kernel->parameters && kernel->parameter_count == function->param_count ? kernel->parameters : NULL;
}

const ls_parameter_range *ls_input_ranges(const ls_compiled_kernel *kernel, const ls_ptx_function *function) {
    return kernel->parameter_count == function->param_count ? kernel->ranges : NULL;
}

static void put_launch_size(ls_buf *key, const ls_launch_size *size) {
    ls_buf_printf(key, "%d %u %u %u ", size->known, size->x, size->y, size->z);
}

/* A condition without the names that the host code has for its values: "$3" of "$3_width". */
static void put_fact(ls_buf *key, const char *fact) {
    while (*fact) {
        ls_origin origin = ls_origin_of(fact);
        bool host = origin.kind == LS_ORIGIN_HOST;
        ls_buf_add(key, fact, host ? origin.stem : 1);
        fact += host ? origin.length : 1;
    }
}

/* All that makes a launch another one, as a text; what earlier ones have left is joined (join_again). */
static const char *key_of(const ls_kernel_launch *launch, ls_arena *arena) {
    ls_buf key = {0};
    put_launch_size(&key, &launch->grid);
    put_launch_size(&key, &launch->block);
    for (uint32_t i = 0; i < launch->argument_count; i++) ls_buf_printf(&key, "%u ", launch->same[i]);
    for (uint32_t i = 0; i < launch->fact_count; i++) {
        ls_buf_puts(&key, "; ");
        put_fact(&key, launch->facts[i]);
    }
    for (uint32_t i = 0; i < launch->allocation_count; i++) {
        const ls_argument_memory *memory = &launch->allocations[i];
        ls_buf_printf(&key, "| %u+%u %d ", memory->parameter, memory->at, memory->is_zero);
        put_fact(&key, memory->bytes);
    }
    for (uint32_t i = 0; i < launch->inside_count; i++) {
        const ls_argument_inside *in = &launch->inside[i];
        ls_buf_printf(&key, "@ %u+%u %u+%u ", in->parameter, in->at, in->of, in->of_at);
        put_fact(&key, in->bytes ? in->bytes : "?");
    }
    const char *copy = ls_arena_strdup(arena, ls_buf_text(&key));
    ls_buf_free(&key);
    return copy;
}

/* The launch, with what the other one, which is the same, finds left in memory as well. */
static const ls_kernel_launch *join_again(ls_arena *arena, const ls_kernel_launch *launch,
                                          const ls_kernel_launch *other) {
    const ls_launch_again *a = launch->again, *b = other->again;
    if (!b) return launch;
    ls_kernel_launch *joined = LS_NEW(arena, ls_kernel_launch);
    *joined = *launch;
    joined->again = b;
    if (!a) return joined;
    ls_launch_again *both = LS_NEW(arena, ls_launch_again);
    uint32_t *parameters = LS_NEW_N(arena, uint32_t, a->parameter_count + b->parameter_count + 1);
    for (uint32_t i = 0; i < a->parameter_count; i++) parameters[i] = a->parameters[i];
    for (uint32_t i = 0; i < b->parameter_count; i++) parameters[a->parameter_count + i] = b->parameters[i];
    *both = a->variables && b->variables ? (ls_launch_again){.variables = true} : a->variables ? *a : *b;
    both->parameters = parameters;
    both->parameter_count = a->parameter_count + b->parameter_count;
    joined->again = both;
    return joined;
}

/* more: launches that are the same. */
static void fill_case(const ls_compiled_kernel *kernel, const ls_kernel_launch *launch, uint32_t more,
                      ls_arena *arena, ls_launch_case *out) {
    static const ls_size none = {0};
    put_size(out->block, &none, launch->block.known ? &launch->block : &kernel->required_block);
    put_size(out->grid, &none, &launch->grid);
    const char *file = launch->file ? launch->file : "?";
    const char *place = launch->is_recorded ? ls_arena_printf(arena, "launch %u of %s", launch->number, file)
                                            : ls_arena_printf(arena, "launch at %s:%u", file, launch->line);
    out->from = more ? ls_arena_printf(arena, "%s and %u more", place, more) : place;
    out->facts = launch->facts;
    out->fact_count = launch->fact_count;
    out->launch = launch;
}

/* The launches that were recorded of the kernel, or else those in the host code. */
static uint32_t find_launches(const ls_compiled_kernel *kernel, const ls_recorded *recorded,
                              const ls_kernel_launch **list) {
    uint32_t count = 0;
    for (uint32_t i = 0; recorded && i < recorded->count; i++)
        if (!strcmp(recorded->items[i].kernel, kernel->name)) list[count++] = &recorded->items[i].launch;
    for (uint32_t i = 0, any = count; !any && i < kernel->launch_count; i++)
        list[count++] = &kernel->launches[i];
    return count;
}

const ls_launch_case *ls_input_cases(const ls_common *common, const ls_compiled_kernel *kernel,
                                     const ls_recorded *recorded, ls_arena *arena, uint32_t *count) {
    uint32_t most = kernel->launch_count + (recorded ? recorded->count : 0) + 1;
    const ls_kernel_launch **launches = LS_NEW_N(arena, const ls_kernel_launch *, most);
    uint32_t found = find_launches(kernel, recorded, launches);
    ls_launch_case *list = LS_NEW_N(arena, ls_launch_case, found + 1);
    *count = 0;
    if (common->block.given || common->grid.given || !found) {
        ls_input_launch(common, kernel, arena, list->block, list->grid, &list->from);
        *count = 1;
        return list;
    }
    ls_map seen = {0};
    uint32_t *times = LS_NEW_N(arena, uint32_t, found); /* of each case, how often */
    for (uint32_t i = 0; i < found; i++) {
        const char *key = key_of(launches[i], arena);
        void **of = ls_map_at(&seen, key, strlen(key));
        if (!*of) {
            *of = &times[*count];
            launches[(*count)++] = launches[i];
        } else {
            size_t first = (size_t)((uint32_t *)*of - times);
            launches[first] = join_again(arena, launches[first], launches[i]);
        }
        ++*(uint32_t *)*of;
    }
    ls_map_free(&seen);
    for (uint32_t i = 0; i < *count; i++) fill_case(kernel, launches[i], times[i] - 1, arena, &list[i]);
    return list;
}

/* A launch that no GPU would take is wrong input, also where it is the file's own. */
static void check_launch(const ls_cli_job *job, const ls_compiled_kernel *kernel,
                         const ls_launch_case *launch) {
    char text[128];
    const char *wrong = ls_launch_limits(launch->grid, launch->block, text, sizeof text);
    const ls_kernel_launch *at = launch->launch         ? launch->launch
                                 : kernel->launch_count ? &kernel->launches[0]
                                                        : NULL;
    if (!wrong && at && at->shared_known && at->shared_bytes > ls_most_shared(NULL)) {
        snprintf(text, sizeof text, "it asks for %u bytes of shared memory, but a block can have at most %u",
                 at->shared_bytes, ls_most_shared(NULL));
        wrong = text;
    }
    const char *file = at && at->file ? at->file : kernel->file;
    if (wrong && !job->common->any_size)
        ls_diags_add(job->file->diags, LS_ERROR, file ? file : job->path, at ? at->line : kernel->line,
                     at ? at->column : 0, "the launch of '%s': %s", kernel->demangled, wrong);
}

ls_report_kernel *ls_input_report_case(const ls_cli_job *job, const ls_compiled_kernel *kernel,
                                       const ls_launch_case *launch) {
    check_launch(job, kernel, launch);
    ls_report_kernel *entry = ls_report_add_kernel(job->file, kernel->name, kernel->demangled);
    ls_report_place(entry, (ls_place){kernel->file, kernel->line, 0});
    ls_report_launch(entry, launch->block, launch->grid, launch->from);
    size_t length = strlen(job->path);
    entry->opencl = length > 3 && !strcmp(job->path + length - 3, ".cl");
    return entry;
}

static bool is_system_header(const char *path) {
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/", "/opt/"};
    const char *share = ls_frontend_share_dir();
    if (*share && !strncmp(path, share, strlen(share))) return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])) && strstr(path, "/include/")) return true;
    return false;
}

/* A library's own kernel is looked at only where it is named. */
static bool wants_by_name(const ls_common *common, const ls_compiled_kernel *kernel) {
    bool library = ls_is_library_kernel(kernel->name) || (kernel->file && is_system_header(kernel->file));
    if (!common->kernels.count) return !library;
    return ls_cli_wants_kernel(common, kernel->name, kernel->demangled);
}

bool ls_input_wants(const ls_common *common, const ls_compiled_kernel *kernel) {
    return kernel->status == LS_KERNEL_DEFINED && wants_by_name(common, kernel);
}

ls_report_kernel *ls_input_report(const ls_cli_job *job, const ls_compiled_kernel *kernel) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_launch_case any = {0};
    ls_input_launch(job->common, kernel, &arena, any.block, any.grid, &any.from);
    ls_report_kernel *entry = ls_input_report_case(job, kernel, &any);
    ls_arena_free(&arena);
    return entry;
}

const ls_ptx_function *ls_input_runnable(const ls_input *input, ls_report_kernel *entry) {
    const ls_ptx_function *function = ls_ptx_find_function(input->module, entry->name);
    if (!function || !function->body) return NULL;
    if (entry->block[0]) return function;
    ls_report_unknown(entry, entry->place, "give --block (and --grid)", "the size of a block is not known");
    return NULL;
}

void ls_input_report_templates(const ls_cli_job *job, const ls_input *input) {
    static const char *const text = "a template that this file never instantiates: it was not checked";
    bool others = job->file->kernels != NULL;
    for (uint32_t i = 0; i < input->compiled.kernel_count; i++) {
        const ls_compiled_kernel *kernel = &input->compiled.kernels[i];
        if (kernel->status != LS_KERNEL_NOT_INSTANTIATED || !wants_by_name(job->common, kernel)) continue;
        ls_place place = {kernel->file ? kernel->file : job->path, kernel->line, 0};
        if (others) {
            ls_diags_add(job->file->diags, LS_NOTE, place.file, place.line, 0, "'%s' is %s",
                         kernel->demangled, text);
            continue;
        }
        ls_report_kernel *entry = ls_input_report(job, kernel);
        ls_report_verdict(entry, LS_UNKNOWN);
        ls_report_unknown(entry, place, "add 'template __global__ void NAME<TYPES>(…);' to the file", "%s",
                          text);
    }
}

void ls_input_check_kernels(const ls_common *common, const char *path, const ls_compiled *compiled,
                            ls_diags *diags) {
    for (uint32_t i = 0; i < common->kernels.count; i++) {
        ls_common one = {.kernels = {&common->kernels.items[i], 1, 1}};
        bool found = false;
        for (uint32_t k = 0; k < compiled->kernel_count && !found; k++)
            found = ls_cli_wants_kernel(&one, compiled->kernels[k].name, compiled->kernels[k].demangled);
        if (!found)
            ls_diags_add(diags, LS_ERROR, path, 0, 0, "there is no kernel '%s'", common->kernels.items[i]);
    }
}
