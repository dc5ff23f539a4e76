/* Fuzz target: hostile files through whole command lines. The input is a stream of choices, from which a file
 * is made: a PTX module whose sizes, counts, offsets and alignments are at the edges of 2^k and of GPUs'
 * limits, or the neighbour of a file in the folders that LOCKSTEP_NEAR names (with colons between them). It
 * goes through one of the subcommands, in this process; what is no kernel (a configuration, launches,
 * contracts, a baseline) goes with a kernel that is always the same. A run may find what it likes, refuse the
 * file or give up; it may not crash, hang or take much memory. */
#include "hostile.h"

#include "base/vec.h"
#include "cli/cli.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- Files that are there ------------------------------------------------------------------------------ */

typedef enum { PTX, KERNEL, SIMD, CONFIG, LAUNCHES, CONTRACTS, BASELINE, KINDS } kind;
static const char *const suffixes[KINDS] = {".ptx",      ".kernel",    ".simd",    ".toml",
                                            ".launches", ".contracts", ".baseline"};

/* What is not looked at by itself is looked at with this one. */
static const char fixed_kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n.reg .b64 %d<4>;\n.reg .b32 %r<4>;\n"
    "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %d3, %r2, 4;\nadd.u64 %d2, %d2, %d3;\nld.global.u32 %r3, [%d2];\nadd.u32 %r3, %r3, %r1;\n"
    "add.u64 %d1, %d1, %d3;\nst.global.u32 [%d1], %r3;\nret;\n}\n";

typedef struct {
    kind kind;
    ls_buf text;
} near_file;

/* Made once for the process: libFuzzer calls one function again and again. */
static struct {
    LS_VEC(near_file) files;
    char path[64], fixed[64];
    uint32_t others[16], other_count; /* files that are no kernels: few, and drawn more often */
    bool show, ready;
} target;

static void add_file(const char *folder, const char *name) {
    const char *dot = strrchr(name, '.');
    near_file file = {KINDS, {0}};
    for (uint32_t k = 0; dot && k < KINDS; k++)
        if (!strcmp(dot, suffixes[k])) file.kind = (kind)k;
    ls_buf path = {0};
    ls_buf_printf(&path, "%s/%s", folder, name);
    if (file.kind != KINDS && ls_read_file(ls_buf_text(&path), &file.text) && file.text.length < 65536) {
        if (file.kind >= CONFIG && target.other_count < 16)
            target.others[target.other_count++] = target.files.length;
        LS_VEC_PUSH(&target.files, file);
    } else {
        ls_buf_free(&file.text);
    }
    ls_buf_free(&path);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folders(char *folders) {
    char *rest = NULL;
    for (char *one = strtok_r(folders, ":", &rest); one; one = strtok_r(NULL, ":", &rest)) {
        struct dirent **names = NULL;
        int count = scandir(one, &names, NULL, by_name);
        for (int k = 0; k < count; k++) {
            add_file(one, names[k]->d_name);
            free(names[k]);
        }
        free(names);
    }
}

static void get_ready(void) {
    target.ready = true;
    target.show = getenv("LOCKSTEP_SHOW") != NULL;
    snprintf(target.path, sizeof target.path, "/dev/shm/lockstep-%ld", (long)getpid());
    if (access("/dev/shm", W_OK))
        snprintf(target.path, sizeof target.path, "/tmp/lockstep-%ld", (long)getpid());
    snprintf(target.fixed, sizeof target.fixed, "%.*s-fixed.ptx", 48, target.path);
    int nowhere = open("/dev/null", O_WRONLY);
    if (!target.show) dup2(nowhere, 1);
    close(nowhere);
    char *folders = getenv("LOCKSTEP_NEAR") ? strdup(getenv("LOCKSTEP_NEAR")) : NULL;
    if (folders) read_folders(folders);
    free(folders);
}

/* --- Command lines ------------------------------------------------------------------------------------- */

/* F is the file, K the kernel that is always the same, B and G the launch, S bytes of shared memory. Those
 * that take longest come least often. */
static const struct {
    kind kind;
    uint32_t weight;
    const char *line;
} commands[] = {
    {PTX, 5, "run F --block B --grid G --timeout 0.003 -j1 --max-memory 2G"},
    {PTX, 1, "run F --block B --grid G --timeout 0.02 -j2 --schedule random:7 --max-memory 2G"},
    {PTX, 5, "run F --block B --grid G --shared S --timeout 0.003 -j1 --check none --max-memory 2G"},
    {PTX, 2, "run F --timeout 0.003 -j1 --profile --format json --max-memory 2G"},
    {PTX, 6, "analyze F --block B --grid G -j1 --max-memory 2G"},
    {PTX, 2, "analyze F --values --max-memory 2G"},
    {PTX, 1, "verify F --block B --grid G --timeout 0.02 -j1 --max-memory 2G"},
    {PTX, 1, "verify F --timeout 0.02 -j1 --bounds --format sarif --max-memory 2G"},
    {PTX, 1, "check F --block B --grid G --timeout 0.02 -j1 --max-memory 2G"},
    {PTX, 6, "ptx F --dump gsa --max-memory 2G"},
    {PTX, 4, "ptx F --max-memory 2G"},
    {PTX, 1, "ptx F --list --format json --max-memory 2G"},
    {PTX, 5, "allocate F --block B --grid G --registers 16 --max-memory 2G"},
    {PTX, 2, "allocate F --registers 4 --max-memory 2G"},
    {PTX, 3,
     "detect F --block B --grid G --shared S --on emulator --prove 0 --timeout 0.003 --max-memory 2G"},
    {KERNEL, 1, "model F --max-states 20000 --timeout 0.02 --max-memory 2G"},
    {KERNEL, 1, "model F --print lockstep --max-memory 2G"},
    {SIMD, 1, "model F --max-states 500 --timeout 0.02 --max-memory 2G"},
    {SIMD, 1, "model F --print dependences --max-memory 2G"},
    {CONFIG, 6, "analyze K --block B --config F"},
    {CONFIG, 1, "verify K --block B --grid G --config F --timeout 0.003 -j1 --no-replay"},
    {CONFIG, 1, "run K --block B --config F --timeout 0.003 -j1"},
    {LAUNCHES, 1, "verify K --launches F --timeout 0.003 -j1 --no-replay --max-memory 2G"},
    {CONTRACTS, 1,
     "verify K --block B --grid G --contracts F --timeout 0.003 -j1 --no-replay --max-memory 2G"},
    {BASELINE, 1, "analyze K --block B --baseline F --max-memory 2G"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static uint32_t choose_command(hostile *how, kind wanted) {
    uint32_t all = 0, k = 0;
    for (uint32_t i = 0; i < COMMANDS; i++) all += commands[i].kind == wanted ? commands[i].weight : 0;
    for (uint32_t left = hostile_pick(how, all);; k++) {
        if (commands[k].kind != wanted) continue;
        if (left < commands[k].weight) return k;
        left -= commands[k].weight;
    }
}

static void run_one(hostile *how, kind wanted) {
    char block[32], grid[32], shared[32], line[256], program[] = "lockstep", *argv[32] = {program};
    snprintf(block, sizeof block, "%u,%u", 1 + hostile_pick(how, 64), 1 + hostile_pick(how, 4));
    snprintf(grid, sizeof grid, "%u", 1 + hostile_pick(how, 4));
    snprintf(shared, sizeof shared, "%llu", (unsigned long long)(hostile_number(how) & 0xffffffff));
    uint32_t which = choose_command(how, wanted);
    snprintf(line, sizeof line, "%s", commands[which].line);
    int argc = 1;
    char *rest = NULL;
    for (char *one = strtok_r(line, " ", &rest); one && argc < 31; one = strtok_r(NULL, " ", &rest))
        argv[argc++] = !strcmp(one, "F")   ? target.path
                       : !strcmp(one, "K") ? target.fixed
                       : !strcmp(one, "B") ? block
                       : !strcmp(one, "G") ? grid
                       : !strcmp(one, "S") ? shared
                                           : one;
    if (target.show) {
        for (int k = 0; k < argc; k++) fprintf(stderr, "%s%s", k ? " " : "$ ", argv[k]);
        fputs("\n", stderr);
    }
    bool needed = strstr(commands[which].line, " K ") != NULL;
    if (needed && !ls_write_file(target.fixed, fixed_kernel, sizeof fixed_kernel - 1)) return;
    ls_cli_main(argc, argv);
    if (needed) unlink(target.fixed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!target.ready) get_ready();
    size_t last = size < 8 ? size : 8; /* bytes that choose the command */
    hostile m = {.at = data, .end = data + size - last}, how = {.at = data + size - last, .end = data + size};
    kind made = PTX;
    if (target.files.length && hostile_pick(&m, 3) == 1) {
        uint32_t which = (hostile_byte(&m) * 256 + hostile_byte(&m)) % target.files.length;
        if (target.other_count && !hostile_pick(&m, 8))
            which = target.others[hostile_pick(&m, target.other_count)];
        const near_file *file = &target.files.items[which];
        made = file->kind;
        hostile_neighbour(&m, ls_buf_text(&file->text), file->text.length);
    } else {
        hostile_module(&m);
    }
    size_t stem = strlen(target.path);
    snprintf(target.path + stem, sizeof target.path - stem, "%s", suffixes[made]);
    if (target.show) fwrite(m.out.text, 1, m.out.length, stderr);
    if (ls_write_file(target.path, ls_buf_text(&m.out), m.out.length)) run_one(&how, made);
    unlink(target.path);
    target.path[stem] = '\0';
    ls_buf_free(&m.out);
    return 0;
}
