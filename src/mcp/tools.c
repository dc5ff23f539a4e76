/* The table of tools (tools.h). Every property of a tool is an option of its subcommand, an operand, or the
 * text of a file. Values become one argument with their option ("--block=256"), so that none can be taken for
 * an option. */
#include "mcp/tools.h"

#include "rpc/rpc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum { TEXT, PATH, LIST, FLAG, OPERAND, SOURCE, LANGUAGE } property_kind;

typedef struct {
    const char *name;
    property_kind kind;
    const char *option; /* NULL if it is not one */
    const char *about;
} property;

#define KERNEL                                                                                               \
    {"path", OPERAND, NULL, "the file: .cu, .cl or .ptx"},                                                   \
        {"source", SOURCE, NULL, "or its text, with `language`"},                                            \
        {"language", LANGUAGE, NULL, "of `source`: cuda (the default), opencl or ptx"},                      \
        {"kernel", TEXT, "--kernel", "only this kernel"},                                                    \
        {"block", TEXT, "--block", "threads per block: 256 or 16,16; else what the file's launches say"},    \
        {"grid", TEXT, "--grid", "blocks in the grid: 4 or 4,4; else what the file's launches say"},         \
        {"define", LIST, "--define", "macros: NAME or NAME=VALUE"},                                          \
        {"include_dir", LIST, "--include-dir", "where headers are"},                                         \
        {"compile_commands", TEXT, "--compile-commands", "take the options of this compile_commands.json"}

enum { MOST_PROPERTIES = 18, MOST_WORDS = 4 };

static const struct {
    const char *name, *about;
    const char *words[MOST_WORDS]; /* the subcommand and what always goes with it */
    property properties[MOST_PROPERTIES];
    const char *required; /* NULL: none */
    bool confined;        /* with --untrusted; the gate's work is confined anyway */
} tools[] = {
    {"check",
     "Proves each kernel of a file free of data races, barrier divergence, failing assertions and certain "
     "out-of-bounds accesses, or shows how it fails (file:line:column, which threads, which element); and "
     "finds uncoalesced accesses and bank conflicts. Nothing is run, no GPU is needed. The last line of a "
     "kernel says for which launches the verdict holds and what it assumes.",
     {"check", "--color=never"},
     {KERNEL,
      {"assume", LIST, "--assume", "conditions on sizes and scalar parameters: 'n % 32 == 0'"},
      {"size", LIST, "--size", "bytes behind a pointer: 'a=4*n'"},
      {"bounds", FLAG, "--bounds", "report every access that can leave an array of known size"},
      {"suggest", FLAG, "--suggest", "try changes that may fix what is found, and report those that do"},
      {"verbose", FLAG, "--verbose", "everything that a verdict covers and assumes"}},
     NULL,
     true},
    {"run",
     "Runs one kernel on the CPU, warp by warp, with checkers for races, barriers, bounds, alignment and "
     "uninitialised reads, and reports what happened in this run. Arguments that are not given are made up.",
     {"run", "--color=never"},
     {KERNEL,
      {"args", LIST, "--arg", "arguments: 'n=1024', 'x=f32[1024]=iota|zero|random:7', 'x=file:x.npy'"},
      {"print", LIST, "--print", "buffers to print after the run"},
      {"expect", LIST, "--expect", "NAME=FILE: compare this buffer with FILE (.npy)"},
      {"schedule", TEXT, "--schedule", "order of warps and blocks: rr, reverse, random:SEED"},
      {"profile", FLAG, "--profile", "count instructions, and report the hot lines"}},
     NULL,
     true},
    {"profile",
     "Reports what the accesses and branches of each kernel cost a warp, by line and without running it: "
     "sectors per warp, bank conflicts, divergent branches.",
     {"analyze", "--color=never"},
     {KERNEL, {"all", FLAG, "--all", "also the accesses that cost no more than they must"}},
     NULL,
     true},
    {"gate",
     "Tests a generated kernel against a reference on many sizes and inputs, in ways that expose a kernel "
     "that only looks right (stale memory, changed inputs, dependence on the order, races). Returns JSON "
     "with a score, `pass` and the problems with their locations. The reference's comments say what its "
     "parameters are (docs/gate.md).",
     {"gate"},
     {{"path", OPERAND, NULL, "the candidate"},
      {"source", SOURCE, NULL, "or its text, with `language`"},
      {"language", LANGUAGE, NULL, "of `source`: cuda (the default), opencl or ptx"},
      {"reference", PATH, "--reference", "the reference: a kernel (.cu, .cl, .ptx) or its output (.npy)"},
      {"kernel", TEXT, "--kernel", "the candidate's kernel, where there are several"},
      {"size", LIST, "--size", "sizes to try: 'n=1,31,33,100..5000'"},
      {"in", LIST, "--in", "inputs: 'x=f32[n]'"},
      {"out", LIST, "--out", "outputs: 'y=f32[n]'"},
      {"inout", LIST, "--inout", "buffers that are both"},
      {"scalar", LIST, "--scalar", "numbers: 'rows=n/4'"},
      {"grid", TEXT, "--grid", "blocks: 'cdiv(n, 256)'"},
      {"block", TEXT, "--block", "threads of a block: 256"}},
     "reference",
     false},
    {"explain",
     "Explains what a rule means (race.shared, coalescing, …), with an example and how to fix it.",
     {"explain"},
     {{"rule", OPERAND, NULL, "the rule's name"}},
     "rule",
     false},
};

enum { TOOL_COUNT = sizeof tools / sizeof *tools };

/* --- The list ------------------------------------------------------------------------------------------ */

static json_t *schema_of(const property *p) {
    if (p->kind == FLAG) return json_pack("{s:s, s:s}", "type", "boolean", "description", p->about);
    if (p->kind == LIST)
        return json_pack("{s:s, s:{s:s}, s:s}", "type", "array", "items", "type", "string", "description",
                         p->about);
    json_t *schema = json_pack("{s:s, s:s}", "type", "string", "description", p->about);
    if (p->kind == LANGUAGE)
        json_object_set_new(schema, "enum", json_pack("[s, s, s]", "cuda", "opencl", "ptx"));
    return schema;
}

json_t *ls_tools_list(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        json_t *properties = json_object(), *required = json_array();
        for (const property *p = tools[i].properties; p->name; p++)
            json_object_set_new(properties, p->name, schema_of(p));
        json_object_set_new(properties, "seconds",
                            json_pack("{s:s, s:s}", "type", "number", "description",
                                      "time limit in seconds (default: 60, at most 600)"));
        if (tools[i].required) json_array_append_new(required, json_string(tools[i].required));
        json_t *schema = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                                   "required", required, "additionalProperties", 0);
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:{s:b}}", "name", tools[i].name,
                                              "description", tools[i].about, "inputSchema", schema,
                                              "annotations", "readOnlyHint", 1));
    }
    return list;
}

/* --- Calls --------------------------------------------------------------------------------------------- */

typedef struct {
    ls_worker *worker;
    const json_t *arguments;
    ls_arena *arena;
    ls_args *argv;
    const char *wrong, *folder;
    bool has_operand;
} call;

static void put_option(call *c, const char *option, const json_t *value) {
    const char *text = json_string_value(value);
    if (text)
        LS_VEC_PUSH(c->argv, ls_arena_printf(c->arena, "%s=%s", option, text));
    else if (json_is_integer(value)) /* 256 for "256" */
        LS_VEC_PUSH(c->argv,
                    ls_arena_printf(c->arena, "%s=%lld", option, (long long)json_integer_value(value)));
    else
        c->wrong = ls_arena_printf(c->arena, "a value of '%s' is not a string", option);
}

static void put_operand(call *c, const char *path) {
    if (c->has_operand) c->wrong = "'path' and 'source' are both given";
    LS_VEC_PUSH(c->argv,
                *path == '-' ? ls_arena_printf(c->arena, "./%s", path) : ls_arena_strdup(c->arena, path));
    c->has_operand = true;
}

static void put_source(call *c, const char *text) {
    static const struct {
        const char *language, *name;
    } names[] = {{"cuda", "source.cu"}, {"opencl", "source.cl"}, {"ptx", "source.ptx"}};
    const char *language = ls_rpc_string(c->arguments, "language", "cuda"), *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].language, language)) name = names[i].name;
    if (!name) {
        c->wrong = "'language' must be cuda, opencl or ptx";
        return;
    }
    const char *path = ls_worker_file(c->worker, c->arena, name, text, strlen(text));
    if (path)
        put_operand(c, name), c->folder = c->worker->folder;
    else
        c->wrong = "the source cannot be written to a temporary file";
}

static void put_property(call *c, const property *p, const json_t *value) {
    const char *text = json_string_value(value);
    char folder[4096];
    size_t i;
    const json_t *item;
    switch (p->kind) {
    case TEXT: put_option(c, p->option, value); break;
    case PATH: /* the call may run in another folder */
        if (text && *text != '/' && getcwd(folder, sizeof folder))
            LS_VEC_PUSH(c->argv, ls_arena_printf(c->arena, "%s=%s/%s", p->option, folder, text));
        else
            put_option(c, p->option, value);
        break;
    case LIST:
        if (!json_is_array(value))
            c->wrong = ls_arena_printf(c->arena, "'%s' must be a list of strings", p->name);
        json_array_foreach(value, i, item) put_option(c, p->option, item);
        break;
    case FLAG:
        if (json_is_true(value)) LS_VEC_PUSH(c->argv, p->option);
        if (!json_is_boolean(value))
            c->wrong = ls_arena_printf(c->arena, "'%s' must be true or false", p->name);
        break;
    case OPERAND:
    case SOURCE:
        if (!text)
            c->wrong = ls_arena_printf(c->arena, "'%s' must be a string", p->name);
        else if (p->kind == OPERAND)
            put_operand(c, text);
        else
            put_source(c, text);
        break;
    case LANGUAGE: break; /* of the source */
    }
}

static const property *find_property(const property *list, const char *name) {
    for (; list->name; list++)
        if (!strcmp(list->name, name)) return list;
    return NULL;
}

bool ls_tool_command(ls_worker *worker, const char *name, const json_t *arguments, ls_arena *arena,
                     ls_args *argv, ls_worker_options *how, const char **wrong) {
    size_t tool = 0;
    while (tool < TOOL_COUNT && strcmp(tools[tool].name, name)) tool++;
    if (tool == TOOL_COUNT) {
        *wrong = ls_arena_printf(arena, "there is no tool '%s'", name);
        return false;
    }
    call c = {.worker = worker, .arguments = arguments, .arena = arena, .argv = argv};
    for (int i = 0; i < MOST_WORDS && tools[tool].words[i]; i++) LS_VEC_PUSH(argv, tools[tool].words[i]);
    for (void *at = json_object_iter((json_t *)(uintptr_t)arguments); at && !c.wrong;
         at = json_object_iter_next((json_t *)(uintptr_t)arguments, at)) {
        const char *key = json_object_iter_key(at);
        const property *p = find_property(tools[tool].properties, key);
        if (p)
            put_property(&c, p, json_object_iter_value(at));
        else if (strcmp(key, "seconds"))
            c.wrong = ls_arena_printf(arena, "the tool '%s' has no argument '%s'", name, key);
    }
    if (!c.wrong && !c.has_operand)
        c.wrong = find_property(tools[tool].properties, "path") ? "'path' is missing (or 'source')"
                                                                : "'rule' is missing";
    *wrong = c.wrong;
    how->folder = c.folder;
    how->confined = tools[tool].confined;
    return !c.wrong;
}
