/* The few functions of MPI that a fleet takes (fleet.h), from the library that the program was started under:
 * Open MPI or MPICH, which is loaded only then. */
#ifndef LS_CLI_MPI_H
#define LS_CLI_MPI_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ls_mpi ls_mpi;

/* Joins the other processes; NULL where this one was not started as one of several, or with the reason in
 * `why` where their MPI cannot be used. */
ls_mpi *ls_mpi_join(const char **why);
int ls_mpi_rank(const ls_mpi *mpi);
int ls_mpi_size(const ls_mpi *mpi);

/* Messages of any length. Receiving does not wait: false where there is none. The bytes are to be freed. */
bool ls_mpi_send(const ls_mpi *mpi, int to, const void *bytes, size_t length);
bool ls_mpi_receive(const ls_mpi *mpi, int *from, char **bytes, size_t *length);

/* Leaves; where not all of the others can be waited for, they are ended, with this exit status of the whole.
 */
void ls_mpi_leave(ls_mpi *mpi, bool all_there, int status);

#endif
