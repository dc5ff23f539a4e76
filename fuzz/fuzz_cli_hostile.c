/* Fuzz target: hostile files through whole command lines. The input is a stream of choices, from which a file
 * is made: a PTX module whose sizes, counts, offsets and alignments are at the edges of 2^k and of GPUs'
 * limits, or the neighbour of a file in the folders that LOCKSTEP_NEAR names (with colons between them). It
 * goes through one of the subcommands, in this process; what is no kernel (a configuration, launches,
 * contracts, a baseline, an array, what a server is told, a result that was kept) goes with a kernel that is
 * always the same. A run may find what it likes, refuse the file or give up; it may not crash, hang or take
 * much memory. With LOCKSTEP_SHOW each input is printed; with LOCKSTEP_ONLY=TEXT only command lines with that
 * text are run. Where a subcommand starts `lockstep` for a part of its work, that is this program again. */
#include "hostile.h"

#include "base/hash.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "ptx/image.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- Files that are there ------------------------------------------------------------------------------ */

typedef enum {
    PTX,
    KERNEL,
    SIMD,
    CONFIG,
    LAUNCHES,
    CONTRACTS,
    BASELINE,
    REFERENCE,
    BUILD,
    CALLS, /* of tools, one a line */
    EDITS, /* what an editor says, one message a line */
    ARRAY,
    IMAGE, /* a fat binary, from which PTX is taken */
    ENTRY, /* of the folder of results that are kept */
    KINDS
} kind;

/* What its files are called here, and what the command is told. */
static const struct {
    const char *suffix, *written;
    bool bytes; /* it is no text */
} kinds[KINDS] = {[PTX] = {".ptx", ".ptx", false},
                  [KERNEL] = {".kernel", ".kernel", false},
                  [SIMD] = {".simd", ".simd", false},
                  [CONFIG] = {".toml", ".toml", false},
                  [LAUNCHES] = {".launches", ".launches", false},
                  [CONTRACTS] = {".contracts", ".contracts", false},
                  [BASELINE] = {".baseline", ".baseline", false},
                  [REFERENCE] = {".reference", ".ptx", false},
                  [BUILD] = {".commands", ".json", false},
                  [CALLS] = {".calls", ".calls", false},
                  [EDITS] = {".edits", ".edits", false},
                  [ARRAY] = {".npy", ".npy", true},
                  [IMAGE] = {".fatbin", ".ptx", true},
                  [ENTRY] = {".entry", ".entry", true}};

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
    char path[64], fixed[64], folder[64];
    uint32_t others[64], other_count; /* files that are no kernels: few, and drawn more often */
    const char *only;                 /* NULL, or what is in the command lines that are run */
    bool show, ready;
} target;

static void add_text(near_file file) {
    bool slow = file.kind == LAUNCHES || file.kind == CALLS || file.kind == ENTRY;
    for (int k = 0; file.kind >= CONFIG && k < (slow ? 1 : 4) && target.other_count < 64; k++)
        target.others[target.other_count++] = target.files.length;
    LS_VEC_PUSH(&target.files, file);
}

static void add_file(const char *folder, const char *name) {
    const char *dot = strrchr(name, '.');
    near_file file = {KINDS, {0}};
    for (uint32_t k = 0; dot && k < KINDS; k++)
        if (!strcmp(dot, kinds[k].suffix)) file.kind = (kind)k;
    ls_buf path = {0};
    ls_buf_printf(&path, "%s/%s", folder, name);
    if (file.kind != KINDS && ls_read_file(ls_buf_text(&path), &file.text) && file.text.length < 65536)
        add_text(file);
    else
        ls_buf_free(&file.text);
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

/* In place, which is all that is needed here. */
static bool write_text(const char *path, const char *text, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = file >= 0 && write(file, text, length) == (ssize_t)length;
    if (file >= 0) close(file);
    return good;
}

/* Those that no folder has: they are made here. */
static void add_made(void) {
    static const char header[] =
        "\x93NUMPY\1\0\x46\0{'descr': '<f4', 'fortran_order': False, 'shape': (8, 4), }"
        "                    \n";
    near_file array = {ARRAY, {0}}, image = {IMAGE, {0}}, packed = {IMAGE, {0}};
    ls_buf_add(&array.text, header, sizeof header - 1);
    for (int k = 0; k < 128; k++) ls_buf_putc(&array.text, (char)k);
    hostile_image(fixed_kernel, false, &image.text);
    hostile_image(fixed_kernel, true, &packed.text);
    add_text(array);
    add_text(image);
    add_text(packed);
    add_text((near_file){ENTRY, {0}});
}

static void get_ready(void) {
    target.ready = true;
    target.show = getenv("LOCKSTEP_SHOW") != NULL;
    target.only = getenv("LOCKSTEP_ONLY");
    snprintf(target.path, sizeof target.path, "/dev/shm/lockstep-%ld", (long)getpid());
    if (access("/dev/shm", W_OK))
        snprintf(target.path, sizeof target.path, "/tmp/lockstep-%ld", (long)getpid());
    snprintf(target.fixed, sizeof target.fixed, "%.*s-fixed.ptx", 48, target.path);
    snprintf(target.folder, sizeof target.folder, "%.*s-kept", 48, target.path);
    int nowhere = open("/dev/null", O_RDWR);
    if (!target.show) dup2(nowhere, 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0",
           0); /* of programs that it starts: what they do is also done here */
    dup2(nowhere, 0);
    close(nowhere);
    char *folders = getenv("LOCKSTEP_NEAR") ? strdup(getenv("LOCKSTEP_NEAR")) : NULL;
    if (folders) read_folders(folders);
    if (folders) add_made();
    free(folders);
}

/* A child that a subcommand has started is the command itself. */
__attribute__((constructor)) static void be_the_command(int argc, char **argv, char **environment) {
    (void)environment;
    if (argc < 2) return;
    for (const ls_command *const *c = ls_commands; *c; c++)
        if (!strcmp((*c)->name, argv[1])) exit(ls_cli_main(argc, argv));
}

/* --- Command lines ------------------------------------------------------------------------------------- */

/* F is the file, K the kernel that is always the same, B and G the launch, S bytes of shared memory, W a
 * word, D the folder of results that are kept; with < first, F is the standard input. Those that take longest
 * come least often: what starts a process, and what asks a solver. */
#define LIMITS " -j1 --max-memory 2G"
#define GATE   " -k k --here --no-proofs --cases 2 --seconds 0.001"
#define FACTS  " --in b=f32[n] --out a=f32[n] --scalar n=n --size n=1,33 --grid G --block 64"
static const struct {
    kind kind;
    uint32_t weight;
    const char *line;
} commands[] = {
    {PTX, 16, "run F --block B --grid G --timeout 0.001" LIMITS},
    {PTX, 2, "run F --block B --grid G --timeout 0.005 -j2 --schedule random:7 --max-memory 2G"},
    {PTX, 16, "run F --block B --grid G --shared S --timeout 0.001 --check none" LIMITS},
    {PTX, 14, "run F --timeout 0.001 --profile --format json" LIMITS},
    {PTX, 1, "run F --block B --grid G --shared S --jit on --timeout 0.02 --check none" LIMITS},
    {PTX, 48, "analyze F --block B --grid G" LIMITS},
    {PTX, 16, "analyze F --values --max-memory 2G"},
    {PTX, 6, "analyze F --all --format html" LIMITS},
    {PTX, 1, "verify F --block B --grid G --timeout 0.01" LIMITS},
    {PTX, 1, "verify F --timeout 0.01 --bounds --format sarif" LIMITS},
    {PTX, 1, "check F --block B --grid G --timeout 0.01" LIMITS},
    {PTX, 64, "ptx F --dump gsa --max-memory 2G"},
    {PTX, 44, "ptx F --max-memory 2G"},
    {PTX, 14, "ptx F --list --format json --max-memory 2G"},
    {PTX, 30, "allocate F --block B --grid G --registers 16 --max-memory 2G"},
    {PTX, 10, "allocate F --registers 4 --format json --max-memory 2G"},
    {PTX, 5,
     "detect F --block B --grid G --shared S --on emulator --memory 16M --prove 0 --timeout 0.001 "
     "--max-memory 2G"},
    {PTX, 4, "detect F --block B --grid G --plan --on emulator --max-memory 2G"},
    {PTX, 3, "gate F --reference K" GATE FACTS},
    {PTX, 3, "gate K --reference F --reference-kernel k" GATE FACTS},
    {PTX, 14, "explain W"},
    {PTX, 14, "nvcc --show W W F -o W"},
    {PTX, 14, "W F W W"},
    {PTX, 2, "expect F --timeout 1 --run ptx" LIMITS},
    {KERNEL, 1, "model F --max-states 20000 --timeout 0.02 --max-memory 2G"},
    {KERNEL, 1, "model F --print lockstep --max-memory 2G"},
    {SIMD, 1, "model F --max-states 500 --timeout 0.02 --max-memory 2G"},
    {SIMD, 1, "model F --print dependences --max-memory 2G"},
    {CONFIG, 6, "analyze K --block B --config F"},
    {CONFIG, 1, "verify K --block B --grid G --config F --timeout 0.003 -j1 --no-replay"},
    {CONFIG, 1, "run K --block B --config F --timeout 0.003 -j1"},
    {LAUNCHES, 1, "verify K --launches F --timeout 0.003 --no-replay" LIMITS},
    {LAUNCHES, 9, "verify K --launches F --timeout 0.003 --no-replay --only-divergence" LIMITS},
    {CONTRACTS, 1, "verify K --block B --grid G --contracts F --timeout 0.003 --no-replay" LIMITS},
    {CONTRACTS, 9,
     "verify K --block B --grid G --contracts F --timeout 0.003 --no-replay --only-divergence" LIMITS},
    {BASELINE, 3, "analyze K --block B --baseline F --max-memory 2G"},
    {BASELINE, 1, "verify K --block B --known F --timeout 0.003 --no-replay --only-divergence" LIMITS},
    {REFERENCE, 1, "gate K --reference F" GATE},
    {BUILD, 1, "analyze K --block B -p F --cache off --max-memory 2G"},
    {CALLS, 1, "< mcp"},
    {EDITS, 1, "< lsp"},
    {ARRAY, 2, "run K --block B --arg b=file:F --timeout 0.003" LIMITS},
    {ARRAY, 1, "run K --block B --expect a=F --timeout 0.003" LIMITS},
    {ARRAY, 1, "gate K --reference F" GATE FACTS},
    {IMAGE, 1, "ptx F --max-memory 2G"},
    {ENTRY, 1, "analyze K --block 32 --cache D --max-memory 2G"},
};
enum { COMMANDS = sizeof commands / sizeof *commands, MOST_WORDS = 40 };

static uint32_t choose_command(hostile *how, kind wanted) {
    uint32_t all = 0, k = 0;
    for (uint32_t i = 0; i < COMMANDS; i++) all += commands[i].kind == wanted ? commands[i].weight : 0;
    uint32_t left = (hostile_byte(how) * 256 + hostile_byte(how)) % all;
    for (;; k++) {
        if (commands[k].kind != wanted) continue;
        if (left < commands[k].weight) return k;
        left -= commands[k].weight;
    }
}

/* A word of a command line. None of them starts a program or names a file to write (-o). */
static void put_word(hostile *how, char out[32]) {
    static const char *const words[] = {
        "race.shared", "--block",   "--grid=", "-I",        "-DA=",  "bounds",
        "-arch=sm_",   "--define",  "analyze", "ptx",       "model", "explain",
        "allocate",    "--format=", "--check", "--timeout", "-",     ""};
    snprintf(out, 32, "%s", words[hostile_pick(how, sizeof words / sizeof *words)]);
    size_t length = strlen(out);
    if (!hostile_pick(how, 2)) return;
    if (hostile_pick(how, 2))
        snprintf(out + length, 32 - length, "%llu", (unsigned long long)hostile_number(how));
    else if (length)
        out[hostile_byte(how) % length] = (char)(1 + hostile_byte(how) % 255);
    for (char *at = out; (at = strchr(at, 'o')) && at > out && at[-1] == '-';) *at = 'p';
}

/* The words of a line, with what they stand for; `room` has the texts. */
typedef struct {
    char line[256], block[32], grid[32], shared[32], array[2][80], word[4][32];
    uint32_t words, arrays;
} room;

static char *stands_for(hostile *how, room *r, char *one) {
    if (!strcmp(one, "F")) return target.path;
    if (!strcmp(one, "K")) return target.fixed;
    if (!strcmp(one, "B")) return r->block;
    if (!strcmp(one, "G")) return r->grid;
    if (!strcmp(one, "S")) return r->shared;
    if (!strcmp(one, "D")) return target.folder;
    if (!strcmp(one, "W")) {
        put_word(how, r->word[r->words % 4]);
        return r->word[r->words++ % 4];
    }
    size_t length = strlen(one);
    if (length < 2 || length > 12 || (strcmp(one + length - 2, "=F") && strcmp(one + length - 2, ":F")))
        return one;
    char *out = r->array[r->arrays++ % 2];
    snprintf(out, 80, "%.*s%s", (int)length - 1, one, target.path);
    return out;
}

static int make_line(hostile *how, room *r, const char *line, char **argv) {
    snprintf(r->block, sizeof r->block, "%u,%u", 1 + hostile_pick(how, 64), 1 + hostile_pick(how, 2));
    snprintf(r->grid, sizeof r->grid, "%u", 1 + hostile_pick(how, 4));
    snprintf(r->shared, sizeof r->shared, "%llu", (unsigned long long)(hostile_number(how) & 0xffffffff));
    snprintf(r->line, sizeof r->line, "%s", line);
    int argc = 1;
    char *rest = NULL;
    for (char *one = strtok_r(r->line, " ", &rest); one && argc < MOST_WORDS - 1;
         one = strtok_r(NULL, " ", &rest))
        argv[argc++] = stands_for(how, r, one);
    argv[argc] = NULL;
    if (target.show) {
        for (int k = 0; k < argc; k++) fprintf(stderr, "%s%s", k ? " " : "$ ", argv[k]);
        fputs("\n", stderr);
    }
    return argc;
}

/* With F as what the servers read. */
static void serve(char *name) {
    char program[] = "lockstep", *argv[] = {program, name, NULL};
    int in = open(target.path, O_RDONLY | O_CLOEXEC), nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(in, 0);
    ls_cli_main(2, argv);
    dup2(nowhere, 0);
    close(in);
    close(nowhere);
}

/* A neighbour of an entry. Mostly what says which result it is stays, and the hash of what follows is right.
 */
static void put_entry(hostile *m, const ls_buf *kept) {
    const char *text = ls_buf_text(kept);
    size_t at = 0;
    uint64_t hash;
    while (at < kept->length && text[at]) at += strnlen(text + at, kept->length - at) + 1;
    at += 1 + sizeof hash;
    bool whole = at < kept->length && hostile_pick(m, 8);
    hostile_bytes(m, text, kept->length, whole ? at : 0);
    if (!whole || !hostile_pick(m, 8)) return;
    hash = ls_hash_add(LS_HASH_START, m->out.text + at, m->out.length - at);
    memcpy(m->out.text + at - sizeof hash, &hash, sizeof hash);
}

/* The one entry that a run has kept, a neighbour of it in its place, and the run again. */
static void run_with_entry(hostile *m, int argc, char **argv) {
    char path[400] = "";
    ls_cli_main(argc, argv);
    DIR *folder = opendir(target.folder);
    for (const struct dirent *one; folder && (one = readdir(folder));)
        if (one->d_name[0] != '.') snprintf(path, sizeof path, "%s/%s", target.folder, one->d_name);
    if (folder) closedir(folder);
    ls_buf kept = {0};
    if (*path && ls_read_file(path, &kept)) {
        put_entry(m, &kept);
        if (write_text(path, ls_buf_text(&m->out), m->out.length)) ls_cli_main(argc, argv);
    }
    ls_buf_free(&kept);
    if (*path) unlink(path);
    rmdir(target.folder);
}

static void run_one(hostile *m, hostile *how, kind wanted) {
    char program[] = "lockstep", *argv[MOST_WORDS] = {program};
    room r = {.words = 0};
    uint32_t which = choose_command(how, wanted);
    if (target.only && !strstr(commands[which].line, target.only)) return;
    bool needed = strstr(commands[which].line, " K ") != NULL;
    if (needed && !write_text(target.fixed, fixed_kernel, sizeof fixed_kernel - 1)) return;
    int argc = make_line(how, &r, commands[which].line, argv);
    if (wanted == ENTRY)
        run_with_entry(m, argc, argv);
    else if (!strcmp(argv[1], "<"))
        serve(argv[2]);
    else
        ls_cli_main(argc, argv);
    if (needed) unlink(target.fixed);
}

/* --- Files -----------------------------------------------------------------------------------------------
 */

/* Each line with its length before it, as editors send messages. */
static void frame(ls_buf *text) {
    ls_buf framed = {0};
    const char *at = ls_buf_text(text), *end = at + text->length;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        ls_buf_printf(&framed, "Content-Length: %zu\r\n\r\n", length);
        ls_buf_add(&framed, at, length);
        at += length + 1;
    }
    ls_buf_free(text);
    *text = framed;
}

/* The PTX of a fat binary in its place; false where it has none. */
static bool take_out(ls_buf *image) {
    char *ptx;
    size_t length;
    const char *why;
    char *exact = malloc(image->length ? image->length : 1); /* so that a byte behind it is seen */
    memcpy(exact, ls_buf_text(image), image->length);
    bool found = ls_image_ptx(exact, image->length, &ptx, &length, &why) == IMAGE_PTX;
    free(exact);
    ls_buf_free(image);
    if (found) ls_buf_add(image, ptx, length);
    if (found) free(ptx);
    return found;
}

static kind make_file(hostile *m) {
    if (!target.files.length || hostile_pick(m, 3) != 1) {
        hostile_module(m);
        return PTX;
    }
    uint32_t which = (hostile_byte(m) * 256 + hostile_byte(m)) % target.files.length;
    if (target.other_count && !hostile_pick(m, 10))
        which = target.others[hostile_pick(m, target.other_count)];
    const near_file *file = &target.files.items[which];
    if (kinds[file->kind].bytes)
        hostile_bytes(m, ls_buf_text(&file->text), file->text.length, 0);
    else
        hostile_neighbour(m, ls_buf_text(&file->text), file->text.length);
    if (file->kind == EDITS) frame(&m->out);
    return file->kind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!target.ready) get_ready();
    size_t last = size < 24 ? size : 24; /* bytes that choose the command */
    hostile m = {.at = data, .end = data + size - last}, how = {.at = data + size - last, .end = data + size};
    kind made = make_file(&m);
    if (made == IMAGE && !take_out(&m.out)) return 0;
    size_t stem = strlen(target.path);
    snprintf(target.path + stem, sizeof target.path - stem, "%s", kinds[made].written);
    if (target.show) fwrite(m.out.text, 1, m.out.length, stderr);
    if (write_text(target.path, ls_buf_text(&m.out), m.out.length)) run_one(&m, &how, made);
    unlink(target.path);
    target.path[stem] = '\0';
    ls_buf_free(&m.out);
    return 0;
}
