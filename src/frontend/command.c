/* The command lines of the compilers, flag by flag; docs/frontend.md says why each is there. */
#include "frontend/command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void add(ls_args *argv, const char *argument) {
    LS_VEC_PUSH(argv, argument);
}

static void add_all(ls_args *argv, const char *const *arguments) {
    for (; *arguments; arguments++) add(argv, *arguments);
}

#define ADD(argv, ...) add_all(argv, (const char *const[]){__VA_ARGS__, NULL})

static const struct {
    const char *arch, *features;
} ARCHITECTURES[] = {
    {"sm_50", "+ptx75"}, {"sm_52", "+ptx75"}, {"sm_53", "+ptx75"}, {"sm_60", "+ptx75"}, {"sm_61", "+ptx75"},
    {"sm_62", "+ptx75"}, {"sm_70", "+ptx75"}, {"sm_72", "+ptx75"}, {"sm_75", "+ptx75"}, {"sm_80", "+ptx75"},
    {"sm_86", "+ptx75"}, {"sm_87", "+ptx75"}, {"sm_89", "+ptx78"}, {"sm_90", "+ptx80"}, {"sm_90a", "+ptx80"},
};

const char *ls_arch_features(const char *arch) {
    for (size_t i = 0; i < sizeof ARCHITECTURES / sizeof *ARCHITECTURES; i++)
        if (!strcmp(ARCHITECTURES[i].arch, arch)) return ARCHITECTURES[i].features;
    return NULL;
}

const char *ls_arch_latest(void) {
    return "sm_90"; /* without the features of one GPU alone */
}

/* Build files name the headers of a CUDA toolkit, as nvcc's users may. Where the bundled ones are used
 * instead, that folder is for what these lack alone. */
bool ls_is_toolkit_folder(const char *folder) {
    static const char *const HEADERS[] = {"cuda_runtime.h", "crt/host_runtime.h"};
    for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++) {
        char path[PATH_MAX];
        int length = snprintf(path, sizeof path, "%s/%s", folder, HEADERS[i]);
        if (length < 0 || (size_t)length >= sizeof path || access(path, R_OK)) return false;
    }
    return true;
}

static void add_folder(ls_args *argv, const char *option, const char *folder, bool bundled) {
    ADD(argv, bundled && ls_is_toolkit_folder(folder) ? "-idirafter" : option, folder);
}

/* Options of which some name folders, as words of their own. */
static void add_words(ls_args *argv, const char *const *words, uint32_t count, bool bundled) {
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && (!strcmp(words[i], "-I") || !strcmp(words[i], "-isystem"))) {
            add_folder(argv, words[i], words[i + 1], bundled);
            i++;
        } else {
            add(argv, words[i]);
        }
    }
}

/* -I, -D, -include, the database's and the user's further options, in the order of a usual command line;
 * `bundled`: with the bundled headers. */
static void add_options(const ls_job *job, ls_args *argv, bool bundled) {
    const ls_frontend_options *options = job->options;
    add_words(argv, job->database.items, job->database.length, bundled);
    for (uint32_t i = 0; i < options->include_dir_count; i++)
        add_folder(argv, "-I", options->include_dirs[i], bundled);
    for (uint32_t i = 0; i < job->nearby.length; i++) ADD(argv, "-I", job->nearby.items[i]);
    for (uint32_t i = 0; i < options->define_count; i++)
        add(argv, ls_arena_printf(job->arena, "-D%s", options->defines[i]));
    for (uint32_t i = 0; i < options->include_count; i++) ADD(argv, "-include", options->includes[i]);
    add_words(argv, options->extra, options->extra_count, bundled);
}

static void add_user_options(const ls_job *job, ls_args *argv) {
    add_options(job, argv, true);
}

static void add_form(const ls_job *job, ls_args *argv) {
    if (job->options->form == LS_FORM_SOURCE) {
        /* -O1 without passes: as -O0, but functions are not marked noinline and optnone. Signed arithmetic
         * wraps, as PTX's does: else `i >= 0` in an invariant is folded to true on C's word alone. Loops are
         * not marked as not to be unrolled, as the code that runs may be made from the same bitcode. */
        ADD(argv, "-O1", "-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers",
            "-fno-strict-aliasing", "-fwrapv", "-funroll-loops", "-D__LOCKSTEP_SOURCE__=1");
    } else {
        add(argv, "-O3");
        if (job->options->checked) add(argv, "-D__LOCKSTEP_RUN__=1");
        /* Who has left the kernel at a barrier is told by where ways meet: as they are written. */
        if (job->options->checked) ADD(argv, "-mllvm", "-sink-common-insts=0");
        if (job->options->checked && job->traits.breaks) add(argv, "-fno-unroll-loops");
        /* Lanes that print a line together do not part ways before it, only as they did so earlier: what one
         * lane alone prints around it stays around it, as with nvcc. */
        if (job->traits.prints) ADD(argv, "-mllvm", "-simplifycfg-max-small-block-size=1");
    }
    /* A variable that only one lane has set may be handed to a shuffle, which takes that lane's: no branch is
     * taken for granted on the word that arguments are set. */
    ADD(argv, "-Xclang", "-no-enable-noundef-analysis");
    if (!job->options->no_line_info) ADD(argv, "-gdwarf-2", "-gline-directives-only");
}

/* A clang that crashes, or is ended at a limit, would preprocess everything once more, and leave the result
 * in the folder for temporary files. */
static void add_common(const ls_job *job, ls_args *argv) {
    ADD(argv, job->tools.clang, "-D__LOCKSTEP__=1", "-fno-color-diagnostics", "-fno-caret-diagnostics",
        "-fno-crash-diagnostics", "-Wno-unused-command-line-argument");
    if (job->overlay) ADD(argv, "-ivfsoverlay", job->overlay);
}

/* --- OpenCL -------------------------------------------------------------------------------------------- */

static void add_opencl(const ls_job *job, ls_args *argv) {
    const char *standard = job->standard ? job->standard : "CL1.2";
    const char *version = strpbrk(standard, "123456789");
    int major = version ? version[0] - '0' : 1;
    int minor = version && version[1] == '.' ? version[2] - '0' : 0;
    ADD(argv, "-x", "cl", "-target", "nvptx64-nvidia-nvcl",
        ls_arena_printf(job->arena, "-cl-std=%s", standard),
        ls_arena_printf(job->arena, "-D__OPENCL_VERSION__=%d%d0", major, minor), "-Wno-linker-warnings",
        "-Xclang", "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics", "-Xclang",
        "-finclude-default-header", ls_arena_printf(job->arena, "-I%s", job->tools.share), "-include",
        ls_arena_printf(job->arena, "%s/opencl/prelude.h", job->tools.share));
}

static void device_opencl(const ls_job *job, ls_args *argv) {
    add_opencl(job, argv);
    ADD(argv, ls_arena_printf(job->arena, "-march=%s", job->arch), "-Xclang", "-mlink-builtin-bitcode",
        "-Xclang", job->tools.libclc);
}

/* --- CUDA ---------------------------------------------------------------------------------------------- */

/* What the file's text does not show may come from what is included. */
static bool needs_all(const ls_job *job) {
    return job->traits.local_includes || job->options->include_count || job->options->extra_count ||
           job->database.length;
}

/* What nvcc and the host compiler that it calls accept, at most with a warning. */
static void add_leniency(ls_args *argv) {
    ADD(argv, "-Wno-nvcc-compat", "-Wno-reserved-user-defined-literal", "-Wno-c++11-narrowing",
        "-Wno-register", "-Wno-missing-template-arg-list-after-template-kw");
}

static void add_cuda(const ls_job *job, ls_args *argv) {
    ls_arena *arena = job->arena;
    const char *share = job->tools.share;
    ADD(argv, "-x", "cuda", "-nocudainc", "-nocudalib", ls_arena_printf(arena, "--cuda-path=%s", share),
        "-Xclang", "-target-sdk-version=12.3", ls_arena_printf(arena, "--cuda-gpu-arch=%s", job->arch),
        ls_arena_printf(arena, "-std=%s", job->standard ? job->standard : "c++17"), "-D__CUDACC__", "-Xclang",
        "-fcuda-allow-variadic-functions", "-isystem", ls_arena_printf(arena, "%s/cuda", share), "-isystem",
        share);
    add_leniency(argv);
    if (job->with_cccl && job->options->form == LS_FORM_SOURCE)
        ADD(argv, "-isystem", ls_arena_printf(arena, "%s/summaries", share));
    for (uint32_t i = 0; job->with_cccl && i < job->tools.cccl.length; i++)
        ADD(argv, "-isystem", job->tools.cccl.items[i]);
    if (job->with_cccl) add(argv, "-DCCCL_DISABLE_NVTX"); /* nobody listens to its ranges */
    if (!job->with_cccl) ADD(argv, "-isystem", ls_arena_printf(arena, "%s/libcu", share));
    ADD(argv, "-isystem", ls_arena_printf(arena, "%s/samples", share));
    if (job->as_nvcc) add(argv, "-D__NVCC__");
    if (job->loose) add(argv, "-D__LOCKSTEP_LOOSE__");
    if (job->traits.standard_names || needs_all(job)) add(argv, "-D__LOCKSTEP_STD__");
    if (job->traits.annotations) add(argv, "-D__LOCKSTEP_ANNOTATED__");
    if (!needs_all(job) && !job->traits.c_math) add(argv, "-D__LOCKSTEP_NO_MATH__");
    if (!needs_all(job) && !job->traits.textures) add(argv, "-D__LOCKSTEP_NO_TEXTURE__");
    ADD(argv, "-include", ls_arena_printf(arena, "%s/cuda/lockstep_cuda.h", share));
    /* Some code relies on one header of the toolkit bringing in another. */
    if (job->traits.groups)
        ADD(argv, "-include", ls_arena_printf(arena, "%s/cuda/cooperative_groups.h", share));
    if (job->traits.random) ADD(argv, "-include", ls_arena_printf(arena, "%s/cuda/curand_kernel.h", share));
}

/* Device code for other files: what is the file's own gets names that no other file has, by the object. */
static void add_relocatable(const ls_job *job, ls_args *argv) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *const texts[] = {job->path, job->options->host_object};
    for (int i = 0; i < 2; i++)
        for (const char *at = texts[i]; at && *at; at++)
            hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    ADD(argv, "-fgpu-rdc", "--offload-new-driver", "-Xclang",
        ls_arena_printf(job->arena, "-cuid=%016llx", (unsigned long long)hash));
}

void ls_command_device(const ls_job *job, const char *output, ls_args *argv) {
    add_common(job, argv);
    if (job->language == LS_LANGUAGE_OPENCL) {
        device_opencl(job, argv);
    } else {
        add_cuda(job, argv);
        if (job->options->relocatable) add_relocatable(job, argv);
        ADD(argv, "--cuda-device-only", "-Xclang", "-target-feature", "-Xclang", job->features);
        if (job->tools.libclc && (job->traits.mathematics || needs_all(job)))
            ADD(argv, "-Wno-linker-warnings", "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                job->tools.libclc);
    }
    add_form(job, argv);
    add_user_options(job, argv);
    ADD(argv, "-emit-llvm", "-c", job->path, "-o", output);
}

void ls_command_host(const ls_job *job, const char *output, ls_args *argv) {
    add_common(job, argv);
    if (job->plain_c)
        ADD(argv, "-x", "c");
    else
        add_cuda(job, argv);
    if (!job->plain_c) ADD(argv, "--cuda-host-only", "-D__LOCKSTEP_LAUNCHES__");
    ADD(argv, "-O1", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names", "-gline-tables-only",
        "-w");
    add_user_options(job, argv);
    ADD(argv, "-emit-llvm", "-c", job->path, "-o", output);
}

/* Host code to be linked, with the device's code in it. */
void ls_command_object(const ls_job *job, const char *output, ls_args *argv) {
    const ls_frontend_options *options = job->options;
    add_common(job, argv);
    add_cuda(job, argv);
    const char *binary = ls_arena_printf(job->arena, "%s/device.fatbin", job->folder);
    add(argv, "--cuda-host-only");
    if (options->relocatable) { /* lockstep_linked.h registers what the linker has put together */
        add_relocatable(job, argv);
        ADD(argv, ls_arena_printf(job->arena, "-D__LOCKSTEP_FATBIN__=\"%s\"", binary), "-include",
            ls_arena_printf(job->arena, "%s/cuda/lockstep_linked.h", job->tools.share));
    } else {
        ADD(argv, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", binary);
    }
    add_user_options(job, argv);
    for (uint32_t i = 0; i < options->host_extra_count; i++) add(argv, options->host_extra[i]);
    ADD(argv, "-c", job->path, "-o", options->host_object);
    (void)output;
}

void ls_command_preprocess(const ls_job *job, const char *output, ls_args *argv) {
    add_common(job, argv);
    if (job->language == LS_LANGUAGE_OPENCL)
        add_opencl(job, argv);
    else {
        add_cuda(job, argv);
        /* keep the words that the scan looks for */
        ADD(argv, "--cuda-device-only", "-D__LOCKSTEP_SCAN__");
    }
    add_user_options(job, argv);
    ADD(argv, "-E", job->path, "-o", output);
}

/* --- nvcc ---------------------------------------------------------------------------------------------- */

void ls_command_nvcc(const ls_job *job, const char *output, ls_args *argv) {
    ls_arena *arena = job->arena;
    ADD(argv, job->tools.nvcc, "-ptx", "-x", "cu", ls_arena_printf(arena, "-arch=%s", job->arch),
        ls_arena_printf(arena, "-std=%s", job->standard ? job->standard : "c++17"), "-D__LOCKSTEP__=1");
    if (!job->options->no_line_info) add(argv, "-lineinfo");
    if (job->lambdas) add(argv, "--extended-lambda");
    if (job->constexprs) add(argv, "--expt-relaxed-constexpr");
    if (job->options->form == LS_FORM_SOURCE) {
        ADD(argv, "-rdc=true", "-D__LOCKSTEP_SOURCE__=1");
        if (!job->optimised) ADD(argv, "-Xcicc", "-O0");
    } else if (job->options->checked &&
               (job->traits.annotations || job->traits.groups)) /* functions without a body */
        ADD(argv, "-rdc=true", "-D__LOCKSTEP_RUN__=1");
    else if (job->separate)
        add(argv, "-rdc=true");
    if (job->tools.share) {
        ADD(argv, "-I", job->tools.share, "-isystem", ls_arena_printf(arena, "%s/samples", job->tools.share));
        if (job->options->form == LS_FORM_SOURCE)
            ADD(argv, "-I", ls_arena_printf(arena, "%s/summaries", job->tools.share));
        if (job->older)
            ADD(argv, "-include", ls_arena_printf(arena, "%s/nvcc/lockstep_nvcc.h", job->tools.share), "-w");
        if (job->traits.annotations)
            ADD(argv, "-include", ls_arena_printf(arena, "%s/lockstep.h", job->tools.share));
        if (job->traits.groups)
            ADD(argv, "-include", ls_arena_printf(arena, "%s/nvcc/lockstep_groups.h", job->tools.share));
    }
    add_options(job, argv, false);
    ADD(argv, job->plain_path, "-o", output);
}
