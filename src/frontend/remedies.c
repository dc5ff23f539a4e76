/* A compilation that fails may succeed with another architecture, another flag, or with headers that are at
 * hand but not used by default. Each row of a table is a sign, looked for in the errors (or in the source),
 * and what it asks for. What the user gave is never changed. */
#include "frontend/remedies.h"

#include "frontend/nearby.h"
#include "frontend/rewrite.h"

#include <stdlib.h>
#include <string.h>

/* --- Architectures -------------------------------------------------------------------------------------- */

/* Words that need an architecture. Longer words stand before those that they contain. */
static const struct {
    const char *word, *arch;
} WORDS[] = {
    {"wgmma.mma_async", "sm_90a"},
    {"setmaxnreg", "sm_90a"},
    {"__cluster_dims__", "sm_90"},
    {"this_cluster", "sm_90"},
    {"cluster_group", "sm_90"},
    {"cp.async.bulk", "sm_90"},
    {"mbarrier.try_wait", "sm_90"},
    {"cudaLaunchAttributeClusterDimension", "sm_90"},
    {"cudaGridDependencySynchronize", "sm_90"},
    {"griddepcontrol.", "sm_90"},
    {"__reduce_add_sync", "sm_80"},
    {"__reduce_min_sync", "sm_80"},
    {"__reduce_max_sync", "sm_80"},
    {"__reduce_and_sync", "sm_80"},
    {"__reduce_or_sync", "sm_80"},
    {"__reduce_xor_sync", "sm_80"},
    {"precision::tf32", "sm_80"},
    {"mbarrier.", "sm_80"},
    {"cp.async.", "sm_80"},
    {"<cuda/barrier>", "sm_80"},
    {"<cuda/pipeline>", "sm_80"},
    {"<cuda_pipeline.h>", "sm_80"},
    {"__nv_bfloat16, wmma::", "sm_80"},
    {"double, wmma::", "sm_80"},
};

static long number_of(const char *arch) {
    return strtol(arch + strcspn(arch, "0123456789"), NULL, 10);
}

bool ls_arch_is_later(const char *arch, const char *than) {
    long a = number_of(arch), b = number_of(than);
    return a > b || (a == b && strlen(arch) > strlen(than));
}

const char *ls_arch_for(const char *text, const char *arch, const char **word) {
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (ls_arch_is_later(WORDS[i].arch, arch) && strstr(text, WORDS[i].word)) {
            *word = WORDS[i].word;
            arch = WORDS[i].arch;
        }
    return arch;
}

static bool later_arch(ls_job *job, const char *arch) {
    if (job->options->arch || !ls_arch_is_later(arch, job->arch)) return false;
    job->arch = arch;
    job->features = ls_arch_features(arch);
    return true;
}

static bool to_sm_80(ls_job *job) {
    return later_arch(job, "sm_80");
}

static bool to_sm_90(ls_job *job) {
    return later_arch(job, "sm_90");
}

/* --- Flags and headers -----------------------------------------------------------------------------------
 */

static bool turn_on(bool *flag) {
    bool was = *flag;
    *flag = true;
    return !was;
}

static bool use_cccl(ls_job *job) {
    return job->tools.cccl.length && turn_on(&job->with_cccl);
}

static bool allow_lambdas(ls_job *job) {
    return turn_on(&job->lambdas);
}

static bool allow_constexpr(ls_job *job) {
    return turn_on(&job->constexprs);
}

static bool compile_separately(ls_job *job) {
    return turn_on(&job->separate);
}

/* Some headers declare what is for the GPU only where nvcc's own macro is defined. */
static bool define_nvcc(ls_job *job) {
    bool may_ask = job->traits.local_includes || (job->text && strstr(job->text, "__NVCC__"));
    return may_ask && turn_on(&job->as_nvcc);
}

static bool be_loose(ls_job *job) {
    return turn_on(&job->loose);
}

static bool use_older(ls_job *job) {
    return job->tools.share && turn_on(&job->older);
}

enum { MOST_NEARBY = 8 };

static bool add_nearby(ls_job *job, const char *folder) {
    if (!folder || job->nearby.length == MOST_NEARBY) return false;
    for (uint32_t k = 0; k < job->nearby.length; k++)
        if (!strcmp(job->nearby.items[k], folder)) return false;
    LS_VEC_PUSH(&job->nearby, folder);
    return true;
}

/* The helpers of NVIDIA's samples, of which only stand-ins are bundled. */
static bool use_own_helpers(ls_job *job) {
    return add_nearby(job, ls_nearby_folder(job->arena, job->path, "helper_cuda.h"));
}

enum { CLANG = 1, NVCC = 2, ANY = 3 };

typedef struct {
    int compilers;
    const char *sign;            /* in an error; "": any error */
    bool (*change)(ls_job *job); /* false: was made already, or cannot be */
    const char *note;            /* %s: the architecture; NULL: nothing worth telling */
    bool adds_no_name;           /* so it is of no help where one is missing */
} remedy;

static const remedy REMEDIES[] = {
    {CLANG, "'thrust/", use_cccl, "compiled with the CCCL headers in %s"},
    {CLANG, "'cub/", use_cccl, "compiled with the CCCL headers in %s"},
    {CLANG, "'cuda/", use_cccl, "compiled with the CCCL headers in %s"},
    {CLANG, "'nv/target'", use_cccl, "compiled with the CCCL headers in %s"},
    {CLANG, "cuda::", use_cccl, "compiled with the CCCL headers in %s"}, /* more than is bundled of libcu++ */
    {CLANG, "namespace 'cuda", use_cccl, "compiled with the CCCL headers in %s"},
    {NVCC, "extended-lambda", allow_lambdas, "compiled with --extended-lambda"},
    {NVCC, "expt-relaxed-constexpr", allow_constexpr, "compiled with --expt-relaxed-constexpr"},
    {NVCC, "requires separate compilation mode", compile_separately, "compiled with -rdc=true"},
    {ANY, "target feature sm_9", to_sm_90, "compiled for %s"},
    {ANY, "target feature sm_8", to_sm_80, "compiled for %s"},
    {ANY, "cluster", to_sm_90, "compiled for %s"},
    {ANY, "__reduce_", to_sm_80, "compiled for %s"},
    {CLANG, "Cannot select", to_sm_90, "compiled for %s"},
    {NVCC, "requires .target sm_8", to_sm_80, "compiled for %s"},
    {NVCC, "requires .target sm_9", to_sm_90, "compiled for %s"},
    {CLANG, "attribute list cannot appear here", ls_rewrite_alignas, NULL},
    {CLANG, "invalid % escape in inline assembly", ls_rewrite_assembly, NULL},
    {CLANG, "expected ')'", ls_rewrite_assembly, NULL},
    {CLANG, "expected expression", ls_rewrite_launches, NULL},
    {CLANG, "undeclared identifier", define_nvcc, "compiled with -D__NVCC__, a macro that nvcc defines"},
    {CLANG, "unknown type name", define_nvcc, "compiled with -D__NVCC__, a macro that nvcc defines"},
    {ANY, "", use_own_helpers, NULL},
    {CLANG, "", be_loose, NULL, true},
    {NVCC, "", use_older, NULL},
};

/* A header that is missing stays missing with other prototypes. */
static bool is_missing_file(const char *message) {
    return strstr(message, "file not found") || strstr(message, "No such file");
}

static const char *error_with(const ls_diags *said, const char *sign) {
    for (uint32_t i = 0; i < ls_diags_count(said); i++) {
        const ls_diag *d = ls_diags_at(said, i);
        if (d->severity != LS_ERROR || !strstr(d->message, sign)) continue;
        if (*sign || !is_missing_file(d->message)) return d->message;
    }
    return NULL;
}

/* The first error is none that others have led to: a name that clang does not know. */
static bool misses_name(const ls_diags *said) {
    for (uint32_t i = 0; i < ls_diags_count(said); i++) {
        const ls_diag *d = ls_diags_at(said, i);
        if (d->severity == LS_ERROR)
            return strstr(d->message, "unknown type name") || strstr(d->message, "undeclared identifier");
    }
    return false;
}

/* The header that an error misses, as clang and nvcc say it: "'a.h' file not found", "a.h: No such file". */
static const char *missing_header(ls_arena *arena, const char *message) {
    const char *end = strstr(message, "' file not found"), *start = message;
    if (!end) end = strstr(message, ": No such file");
    for (const char *c = message; end && c < end; c++)
        if (*c == '\'' || *c == ' ') start = c + 1;
    return end && end > start ? ls_arena_strndup(arena, start, (size_t)(end - start)) : NULL;
}

/* A header that lies in the project, as a build file would say with -I. */
static bool look_nearby(ls_job *job, const ls_diags *said, ls_diags *notes) {
    for (uint32_t i = 0; i < ls_diags_count(said); i++) {
        const ls_diag *d = ls_diags_at(said, i);
        const char *header = d->severity == LS_ERROR ? missing_header(job->arena, d->message) : NULL;
        const char *folder = header ? ls_nearby_folder(job->arena, job->path, header) : NULL;
        if (!add_nearby(job, folder)) continue;
        ls_diags_add(notes, LS_NOTE, job->path, 0, 0, "'%s' was found in %s, which is in no -I option",
                     header, folder);
        return true;
    }
    return false;
}

bool ls_remedy(ls_job *job, ls_frontend_kind compiler, const ls_diags *said, ls_diags *notes) {
    int mask = compiler == LS_FRONTEND_CLANG ? CLANG : NVCC;
    if (look_nearby(job, said, notes)) return true;
    if (job->language != LS_LANGUAGE_CUDA) return false;
    for (size_t i = 0; i < sizeof REMEDIES / sizeof *REMEDIES; i++) {
        const remedy *r = &REMEDIES[i];
        if (!(r->compilers & mask) || !error_with(said, r->sign)) continue;
        if ((r->adds_no_name && misses_name(said)) || !r->change(job)) continue;
        const char *value = r->change == use_cccl ? job->tools.cccl.items[0] : job->arch;
        if (r->note) {
            const char *text = ls_arena_printf(job->arena, r->note, value);
            ls_diags_add(notes, LS_NOTE, job->path, 0, 0, "%s", text);
        }
        return true;
    }
    return false;
}

/* --- What to install -------------------------------------------------------------------------------------
 */

#define CCCL                                                                                                 \
    "Thrust, CUB and libcu++ are CCCL: give a copy of it with --cccl DIR (github.com/NVIDIA/cccl), or "      \
    "install a "                                                                                             \
    "CUDA toolkit"
static const struct {
    const char *header, *advice; /* what a missing header begins with */
} HEADERS[] = {
    {"thrust/", CCCL},
    {"cub/", CCCL},
    {"cuda/", CCCL},
    {"GL/", "OpenGL's headers are missing (Debian: libgl-dev freeglut3-dev libglew-dev)"},
    {"GLES3/", "OpenGL ES's headers are missing (Debian: libgles-dev)"},
    {"GLFW/", "GLFW is missing (Debian: libglfw3-dev)"},
    {"drm", "libdrm's headers are missing (Debian: libdrm-dev; give /usr/include/libdrm with -I)"},
    {"vulkan/", "Vulkan's headers are missing (Debian: libvulkan-dev)"},
    {"mpi.h", "MPI's headers are missing (Debian: libopenmpi-dev; give their folder with -I)"},
    {"boost/", "Boost's headers are missing (Debian: libboost-dev)"},
    {"cutlass/", "CUTLASS's headers are missing: give their folder with -I"},
    {"cute/", "CUTLASS's headers are missing: give their folder with -I"},
    {"cudnn", "cuDNN's headers are missing: give their folder with -I"},
    {"nccl.h", "NCCL's headers are missing (Debian: libnccl-dev), or give their folder with -I"},
    {"nvml.h", "NVML's header is missing: it comes with a CUDA toolkit (give its folder with -I); the "
               "library itself is "
               "Lockstep's (-lnvidia-ml)"},
    {"torch/", "PyTorch's headers are missing: give their folders with -I"},
    {"ATen/", "PyTorch's headers are missing: give their folders with -I"},
    {"cudla", "cuDLA's headers are missing: they come with toolkits for Jetson; give their folder with -I"},
    {"nvsci", "NvSci's headers are missing: they come with DRIVE OS and JetPack; give their folder with -I"},
    {"nvmedia", "NvMedia's headers are missing: they come with DRIVE OS; give their folder with -I"},
    {"D3D", "the file is for Windows: DirectX's headers are missing"},
    {"DirectX", "the file is for Windows: DirectX's headers are missing"},
};
static const struct {
    const char *sign, *advice;
} ADVICE[] = {
    /* what nvcc alone compiles */
    {"'this_cluster'", "clang does not compile clusters of blocks: nvcc does (--frontend nvcc)"},
    {"reference to __global__ function", "clang does not compile kernels that launch kernels: nvcc does "
                                         "(--frontend nvcc)"},
};

bool ls_only_nvcc_takes(const ls_diags *said) {
    for (size_t i = 0; i < sizeof ADVICE / sizeof *ADVICE; i++)
        if (error_with(said, ADVICE[i].sign)) return true;
    return false;
}

static bool lacks_header(const ls_job *job, const ls_diags *said, const char *beginning) {
    for (uint32_t i = 0; i < ls_diags_count(said); i++) {
        const char *header = missing_header(job->arena, ls_diags_at(said, i)->message);
        if (header && !strncmp(header, beginning, strlen(beginning))) return true;
    }
    return false;
}

void ls_advise(const ls_job *job, ls_diags *said) {
    const char *last = NULL;
    for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++) {
        if (!lacks_header(job, said, HEADERS[i].header) || (last && !strcmp(last, HEADERS[i].advice)))
            continue;
        last = HEADERS[i].advice;
        ls_diags_add(said, LS_NOTE, job->path, 0, 0, "%s", last);
    }
    for (size_t i = 0; i < sizeof ADVICE / sizeof *ADVICE; i++)
        if (error_with(said, ADVICE[i].sign))
            ls_diags_add(said, LS_NOTE, job->path, 0, 0, "%s", ADVICE[i].advice);
}
