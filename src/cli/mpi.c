/* Open MPI and MPICH (mpi.h), through what their binary interfaces are: a handle is a pointer to an object of
 * the library for the one, a number for the other. Both are passed as a pointer, which the calling
 * conventions of Linux on x86-64 and AArch64 do the same way. */
#include "cli/mpi.h"

#include "base/arena.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANY_TAG = 7, STATUS_INTS = 16 };

typedef struct {
    const char *size_variable; /* set by its mpirun */
    const char *libraries[3];
    const char *world_symbol, *byte_symbol, *errors_symbol; /* NULL: the numbers count */
    uintptr_t world, byte, errors;
    int any_source;
    uint32_t source_at; /* in ints from the start of MPI_Status */
} flavour;

static const flavour flavours[] = {
    {"OMPI_COMM_WORLD_SIZE",
     {"libmpi.so.40", "libmpi.so"},
     "ompi_mpi_comm_world",
     "ompi_mpi_byte",
     "ompi_mpi_errors_return",
     0,
     0,
     0,
     -1,
     0},
    {"PMI_SIZE",
     {"libmpich.so.12", "libmpi.so.12"},
     NULL,
     NULL,
     NULL,
     0x44000000,
     0x4c00010d,
     0x54000001,
     -2,
     2},
};

#define FUNCTIONS(F)                                                                                         \
    F(Init, int, (int *, char ***))                                                                          \
    F(Comm_rank, int, (void *, int *))                                                                       \
    F(Comm_size, int, (void *, int *))                                                                       \
    F(Comm_set_errhandler, int, (void *, void *))                                                            \
    F(Send, int, (const void *, int, void *, int, int, void *))                                              \
    F(Recv, int, (void *, int, void *, int, int, void *, int *))                                             \
    F(Iprobe, int, (int, int, void *, int *, int *))                                                         \
    F(Get_count, int, (const int *, void *, int *))                                                          \
    F(Finalize, int, (void))                                                                                 \
    F(Abort, int, (void *, int))

struct ls_mpi {
    const flavour *of;
    void *world, *byte;
    int rank, size;
#define MEMBER(name, type, parameters) type(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
};

/* A process that an MPI program has started for itself has its variables, too, and is no part of it. */
static bool started_by_launcher(void) {
    static const char *const launchers[] = {"mpirun", "mpiexec", "orte", "prte", "hydra", "slurmstepd"};
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)getppid());
    FILE *file = fopen(path, "r");
    bool read = file && fgets(name, sizeof name, file);
    if (file) fclose(file);
    for (size_t i = 0; read && i < sizeof launchers / sizeof *launchers; i++)
        if (!strncmp(name, launchers[i], strlen(launchers[i]))) return true;
    return false;
}

static void *load(const flavour *f) {
    void *library = NULL;
    for (size_t i = 0; i < 3 && f->libraries[i] && !library; i++)
        library = dlopen(f->libraries[i], RTLD_NOW | RTLD_GLOBAL); /* its plug-ins look for its symbols */
    return library;
}

static bool find_functions(ls_mpi *mpi, void *library) {
    bool good = true;
#define FIND(name, type, parameters)                                                                         \
    *(void **)&mpi->name = dlsym(library, "MPI_" #name);                                                     \
    good &= mpi->name != NULL;
    FUNCTIONS(FIND)
#undef FIND
    return good;
}

static void *handle(void *library, const char *symbol, uintptr_t number) {
    return symbol ? dlsym(library, symbol) : (void *)number;
}

ls_mpi *ls_mpi_join(const char **why) {
    const flavour *f = NULL;
    *why = NULL;
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours && !f; i++)
        if (getenv(flavours[i].size_variable)) f = &flavours[i];
    if (!f || atoi(getenv(f->size_variable)) < 2 || !started_by_launcher()) return NULL;
    void *library = load(f);
    ls_mpi *mpi = ls_xmalloc(sizeof *mpi);
    *mpi = (ls_mpi){.of = f};
    if (library) {
        mpi->world = handle(library, f->world_symbol, f->world);
        mpi->byte = handle(library, f->byte_symbol, f->byte);
    }
    if (!library)
        *why = "the MPI library under which this process was started was not found";
    else if (!find_functions(mpi, library) || !mpi->world || !mpi->byte)
        *why = "the MPI library lacks functions that are needed";
    else if (mpi->Init(NULL, NULL) || mpi->Comm_rank(mpi->world, &mpi->rank) ||
             mpi->Comm_size(mpi->world, &mpi->size))
        *why = "MPI could not be started";
    if (!*why && mpi->size > 1) {
        void *errors = handle(library, f->errors_symbol, f->errors);
        if (errors) mpi->Comm_set_errhandler(mpi->world, errors);
        return mpi;
    }
    if (!*why) mpi->Finalize();
    free(mpi);
    return NULL;
}

int ls_mpi_rank(const ls_mpi *mpi) {
    return mpi->rank;
}

int ls_mpi_size(const ls_mpi *mpi) {
    return mpi->size;
}

bool ls_mpi_send(const ls_mpi *mpi, int to, const void *bytes, size_t length) {
    return length <= INT_MAX && !mpi->Send(bytes, (int)length, mpi->byte, to, ANY_TAG, mpi->world);
}

bool ls_mpi_receive(const ls_mpi *mpi, int *from, char **bytes, size_t *length) {
    int status[STATUS_INTS] = {0}, there = 0, count = 0;
    if (mpi->Iprobe(mpi->of->any_source, ANY_TAG, mpi->world, &there, status) || !there) return false;
    *from = status[mpi->of->source_at];
    if (mpi->Get_count(status, mpi->byte, &count) || count < 0) return false;
    *bytes = ls_xmalloc((size_t)count + 1);
    *length = (size_t)count;
    if (!mpi->Recv(*bytes, count, mpi->byte, *from, ANY_TAG, mpi->world, status)) return true;
    free(*bytes);
    return false;
}

void ls_mpi_leave(ls_mpi *mpi, bool all_there, int status) {
    if (!mpi) return;
    if (all_there)
        mpi->Finalize();
    else
        mpi->Abort(mpi->world, status);
    free(mpi);
}
