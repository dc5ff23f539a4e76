/* What may help where a program could not be linked: the linker names functions, but not the library that has
 * them, nor what to install. */
#include "cli/link_advice.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* By what the name of a function begins with; the first that fits. */
static const struct {
    const char *function, *option, *library;
    const char *package; /* of Debian; NULL: it is none of Debian's, or always there */
} LIBRARIES[] = {
    {"glut", "-lglut", "GLUT", "freeglut3-dev"},
    {"glew", "-lGLEW", "GLEW", "libglew-dev"},
    {"__glew", "-lGLEW", "GLEW", "libglew-dev"},
    {"glfw", "-lglfw", "GLFW", "libglfw3-dev"},
    {"glu", "-lGLU", "OpenGL's utilities", "libglu1-mesa-dev"},
    {"gl", "-lGL", "OpenGL", "libgl-dev"},
    {"omp_", "-fopenmp", "OpenMP", "libomp-19-dev"},
    {"__kmpc_", "-fopenmp", "OpenMP", "libomp-19-dev"},
    {"MPI_", "-lmpi", "MPI", "libopenmpi-dev"},
    {"ompi_", "-lmpi", "MPI", "libopenmpi-dev"},
    {"cv::", "-lopencv_core -lopencv_imgcodecs -lopencv_imgproc -lopencv_highgui", "OpenCV", "libopencv-dev"},
    {"png_", "-lpng", "libpng", "libpng-dev"},
    {"jpeg_", "-ljpeg", "libjpeg", "libjpeg-dev"},
    {"cblas_", "-lopenblas", "a BLAS", "libopenblas-dev"},
    {"pthread_", "-pthread", "POSIX threads", NULL},
    {"cublasLt", "-lcublasLt", "cuBLASLt", NULL},
    {"cublas", "-lcublas", "cuBLAS", NULL},
    {"cufft", "-lcufft", "cuFFT", NULL},
    {"curand", "-lcurand", "cuRAND", NULL},
    {"cusparse", "-lcusparse", "cuSPARSE", NULL},
    {"cusolver", "-lcusolver", "NVIDIA's cuSOLVER", NULL},
    {"cudnn", "-lcudnn", "NVIDIA's cuDNN", NULL},
    {"nccl", "-lnccl", "NVIDIA's NCCL", "libnccl-dev"},
    {"nvml", "-lnvidia-ml", "NVIDIA's management library", NULL},
    {"nppi", "-lnppc -lnppial -lnppif -lnppig -lnppist", "NVIDIA's NPP", NULL},
    {"npps", "-lnppc -lnpps", "NVIDIA's NPP", NULL},
    {"nvjpeg", "-lnvjpeg", "NVIDIA's nvJPEG", NULL},
};
enum { LIBRARY_COUNT = sizeof LIBRARIES / sizeof *LIBRARIES };

/* "glBegin" begins with the word "gl", "glow" does not. Functions of C++ have their parameters behind the
 * name; those of most libraries are C's. */
static bool is_of(const char *function, const char *beginning) {
    const size_t length = strlen(beginning), whole = strcspn(function, "'\n");
    if (strncmp(function, beginning, length)) return false;
    if (!strchr(beginning, ':') && memchr(function, '(', whole)) return false;
    return !islower((unsigned char)beginning[length - 1]) || !islower((unsigned char)function[length]);
}

/* The functions that are missing, one after the other, as GNU's linker and LLVM's write it. */
static const char *next_missing(const char *said) {
    static const char *const BEFORE[] = {"undefined reference to `", "undefined symbol: "};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof BEFORE / sizeof *BEFORE; i++) {
        const char *at = strstr(said, BEFORE[i]);
        if (at && (!first || at + strlen(BEFORE[i]) < first)) first = at + strlen(BEFORE[i]);
    }
    return first;
}

static size_t library_of(const char *function) {
    size_t i = 0;
    while (i < LIBRARY_COUNT && !is_of(function, LIBRARIES[i].function)) i++;
    return i;
}

static void advise_library(size_t i, bool running) {
    fprintf(stderr, "lockstep: note: functions of %s are missing: link with %s", LIBRARIES[i].library,
            LIBRARIES[i].option);
    if (running) fprintf(stderr, " (lockstep run FILE -- %s -- ARGUMENTS)", LIBRARIES[i].option);
    if (LIBRARIES[i].package) fprintf(stderr, "; Debian has it in %s", LIBRARIES[i].package);
    fputc('\n', stderr);
}

/* What the linker looks for: the first library of the option. */
static void file_of(size_t i, char *text, size_t size) {
    snprintf(text, size, "%s", strcmp(LIBRARIES[i].option, "-fopenmp") ? LIBRARIES[i].option : "-lomp");
    text[strcspn(text, " ")] = 0;
}

/* "cannot find -lglut", "unable to find library -lglut" */
static void advise_package(const char *said) {
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        char file[32];
        file_of(i, file, sizeof file);
        const char *at = LIBRARIES[i].package ? strstr(said, file) : NULL;
        bool sought =
            at && at > said + 8 && (!strncmp(at - 5, "find ", 5) || !strncmp(at - 8, "library ", 8));
        if (!sought || !strchr(":\n\r ", at[strlen(file)])) continue;
        fprintf(stderr, "lockstep: note: %s is not installed (Debian: %s)\n", LIBRARIES[i].library,
                LIBRARIES[i].package);
        return;
    }
}

void ls_link_advise(const char *said, bool running) {
    bool told[LIBRARY_COUNT + 1] = {false};
    for (const char *at = next_missing(said); at; at = next_missing(at)) {
        size_t i = library_of(at);
        if (told[i]) continue;
        told[i] = true;
        if (i < LIBRARY_COUNT)
            advise_library(i, running);
        else
            fprintf(stderr,
                    "lockstep: note: '%.*s' is in none of the files: give the other source files of the "
                    "program as well%s, or the library that has it (-l)\n",
                    (int)strcspn(at, "'\n"), at, running ? " (lockstep run a.cu b.cu -- ARGUMENTS)" : "");
    }
    advise_package(said);
}
